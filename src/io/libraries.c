/* SPDX-License-Identifier: Apache-2.0 */
/* libraries.c - library versions. Tests: tests/io/libraries_test.c. */
#include "io/libraries.h"

#include <uv.h>

#include "io/http/libcurl.h"
#include "io/server/libmicrohttpd.h"

haft_status haft__libraries_check_server(haft_error *err)
{
    return haft__libmicrohttpd_load(err);
}

void haft__libraries_add(haft__buf *text)
{
    haft__buf_addf(text, "libuv %s", uv_version_string());
    if (haft__libcurl_load(NULL) == HAFT_OK) {
        const curl_version_info_data *curl = haft__curl.version_info(CURLVERSION_NOW);
        haft__buf_addf(text, ", libcurl %s (%s)", curl->version,
                       curl->ssl_version != NULL ? curl->ssl_version : "no TLS");
    }
    if (haft__libraries_check_server(NULL) == HAFT_OK) {
        haft__buf_addf(text, ", libmicrohttpd %s", haft__mhd.get_version());
    }
}
