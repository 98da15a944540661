/* SPDX-License-Identifier: Apache-2.0 */
/* libmicrohttpd.c - loads libmicrohttpd. Tests: tests/io/server/server_test.c. */
#include "io/server/libmicrohttpd.h"

#include "base/macros.h"
#include "io/library.h"

static const char *const names[] = {
#define X(name) "MHD_" #name,
    HAFT__LIBMICROHTTPD_FUNCTIONS(X)
#undef X
};

haft__libmicrohttpd_functions haft__mhd;
_Static_assert(sizeof(haft__mhd) == COUNT(names) * sizeof(void *), "one pointer a name");
static haft__library library = {.file = "libmicrohttpd.so.12",
                                .purpose = "the HTTP server library",
                                .hint = "install libmicrohttpd (Debian: libmicrohttpd12)",
                                .functions = names,
                                .count = COUNT(names),
                                .table = &haft__mhd,
                                .lock = PTHREAD_MUTEX_INITIALIZER};

haft_status haft__libmicrohttpd_load(haft_error *err)
{
    return haft__library_load(&library, err);
}
