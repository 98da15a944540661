/* SPDX-License-Identifier: Apache-2.0 */
/* libraries.c - library versions. Tests: tests/io/libraries_test.c. */
#include "io/libraries.h"

#include <curl/curl.h>
#include <microhttpd.h>
#include <uv.h>

void haft__libraries_add(haft__buf *text)
{
    const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
    haft__buf_addf(text, "libuv %s, libcurl %s (%s), libmicrohttpd %s", uv_version_string(),
                   curl->version, curl->ssl_version != NULL ? curl->ssl_version : "no TLS",
                   MHD_get_version());
}
