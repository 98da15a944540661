/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/server/libmicrohttpd.h - loads libmicrohttpd, the HTTP server library.
 *
 * libmicrohttpd depends on a TLS library, so only processes that serve HTTP load it. All other code
 * calls it only through this table.
 */
#ifndef HAFT_IO_SERVER_LIBMICROHTTPD_H
#define HAFT_IO_SERVER_LIBMICROHTTPD_H

#include <microhttpd.h>

#include "haft.h"

/* The functions that haft uses: MHD_<name> is the member <name> of haft__mhd. */
#define HAFT__LIBMICROHTTPD_FUNCTIONS(X)                                                           \
    X(add_response_header)                                                                         \
    X(create_response_from_buffer)                                                                 \
    X(create_response_from_callback)                                                               \
    X(destroy_response)                                                                            \
    X(get_connection_info)                                                                         \
    X(get_connection_values)                                                                       \
    X(get_connection_values_n)                                                                     \
    X(get_daemon_info)                                                                             \
    X(get_timeout)                                                                                 \
    X(get_version)                                                                                 \
    X(lookup_connection_value)                                                                     \
    X(queue_response)                                                                              \
    X(resume_connection)                                                                           \
    X(run)                                                                                         \
    X(start_daemon)                                                                                \
    X(stop_daemon)                                                                                 \
    X(suspend_connection)

typedef struct haft__libmicrohttpd_functions {
#define X(name) __typeof__(MHD_##name) *(name);
    HAFT__LIBMICROHTTPD_FUNCTIONS(X)
#undef X
} haft__libmicrohttpd_functions;

/* Complete after haft__libmicrohttpd_load has succeeded, which happens before a server is
 * created. */
extern haft__libmicrohttpd_functions haft__mhd;

/* The library is never unloaded. UNSUPPORTED if it is not installed or too old. From any thread. */
HAFT_MUST_USE haft_status haft__libmicrohttpd_load(haft_error *err);

#endif
