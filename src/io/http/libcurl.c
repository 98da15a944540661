/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl.c - loads libcurl. Tests: tests/io/http/client_test.c. */
#include "io/http/libcurl.h"

#include "base/macros.h"
#include "io/library.h"

static const char *const names[] = {
#define X(name) "curl_" #name,
    HAFT__LIBCURL_FUNCTIONS(X)
#undef X
};

haft__libcurl_functions haft__curl;
_Static_assert(sizeof(haft__curl) == COUNT(names) * sizeof(void *), "one pointer a name");
static haft__library library = {.file = "libcurl.so.4",
                                .purpose = "the HTTP client library",
                                .hint = "install libcurl 7.84 or newer (Debian: libcurl4)",
                                .functions = names,
                                .count = COUNT(names),
                                .table = &haft__curl,
                                .lock = PTHREAD_MUTEX_INITIALIZER};

haft_status haft__libcurl_load(haft_error *err)
{
    return haft__library_load(&library, err);
}
