/* SPDX-License-Identifier: Apache-2.0 */
/* libpq.c - loads libpq. Tests: tests/store/postgres/postgres_test.c. */
#include "io/libpq.h"

#include "base/macros.h"
#include "io/library.h"

static const char *const names[] = {
#define X(name) "PQ" #name,
    HAFT__LIBPQ_FUNCTIONS(X)
#undef X
};

static haft__libpq functions;
_Static_assert(sizeof(functions) == COUNT(names) * sizeof(void *), "one pointer a name");
static haft__library library = {.file = "libpq.so.5",
                                .purpose = "the client library of PostgreSQL",
                                .hint = "install libpq 14 or newer (Debian: libpq5)",
                                .functions = names,
                                .count = COUNT(names),
                                .table = &functions,
                                .lock = PTHREAD_MUTEX_INITIALIZER};

haft_status haft__libpq_load(const haft__libpq **ret_functions, haft_error *err)
{
    haft_status status = haft__library_load(&library, err);
    *ret_functions = status == HAFT_OK ? &functions : *ret_functions;
    return status;
}
