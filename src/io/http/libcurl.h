/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/http/libcurl.h - loads libcurl, the HTTP client library.
 *
 * libcurl depends on thirty other libraries, and loading them takes longer than most commands. So
 * only processes that make HTTP requests load libcurl. All other code calls it only through this
 * table.
 */
#ifndef HAFT_IO_HTTP_LIBCURL_H
#define HAFT_IO_HTTP_LIBCURL_H

#include <curl/curl.h>

#include "haft.h"

/* The functions that haft uses: curl_<name> is the member <name> of haft__curl. */
#define HAFT__LIBCURL_FUNCTIONS(X)                                                                 \
    X(easy_cleanup)                                                                                \
    X(easy_getinfo)                                                                                \
    X(easy_header)                                                                                 \
    X(easy_init)                                                                                   \
    X(easy_setopt)                                                                                 \
    X(easy_strerror)                                                                               \
    X(free)                                                                                        \
    X(global_cleanup)                                                                              \
    X(global_init)                                                                                 \
    X(multi_add_handle)                                                                            \
    X(multi_assign)                                                                                \
    X(multi_cleanup)                                                                               \
    X(multi_info_read)                                                                             \
    X(multi_init)                                                                                  \
    X(multi_remove_handle)                                                                         \
    X(multi_setopt)                                                                                \
    X(multi_socket_action)                                                                         \
    X(slist_append)                                                                                \
    X(slist_free_all)                                                                              \
    X(strequal)                                                                                    \
    X(url)                                                                                         \
    X(url_cleanup)                                                                                 \
    X(url_get)                                                                                     \
    X(url_set)                                                                                     \
    X(version_info)

typedef struct haft__libcurl_functions {
#define X(name) __typeof__(curl_##name) *(name);
    HAFT__LIBCURL_FUNCTIONS(X)
#undef X
} haft__libcurl_functions;

/* Complete after haft__libcurl_load has succeeded, which happens before a client is created. */
extern haft__libcurl_functions haft__curl;

/* The library is never unloaded. UNSUPPORTED if it is not installed or too old. From any thread. */
HAFT_MUST_USE haft_status haft__libcurl_load(haft_error *err);

#endif
