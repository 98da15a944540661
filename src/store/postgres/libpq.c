/* SPDX-License-Identifier: Apache-2.0 */
/* libpq.c - loads libpq. Tests: tests/store/postgres/postgres_test.c. */
#include "store/postgres/libpq.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/macros.h"

#define LIBRARY "libpq.so.5"

static const char *const names[] = {
#define X(name) "PQ" #name,
    HAFT__LIBPQ_FUNCTIONS(X)
#undef X
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static haft__libpq functions;
static const char *missing; /* NULL if all functions were found */

static void load(void)
{
    /* The table as an array in its order: all members are function pointers. */
    void *found[COUNT(names)];
    _Static_assert(sizeof(found) == sizeof(functions), "one pointer a name");
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    missing = library != NULL ? NULL : LIBRARY;
    for (size_t i = 0; missing == NULL && i < COUNT(names); i++) {
        found[i] = dlsym(library, names[i]);
        missing = found[i] != NULL ? NULL : names[i];
    }
    if (missing == NULL) {
        memcpy(&functions, found, sizeof(functions));
    }
}

haft_status haft__libpq_load(const haft__libpq **ret_functions, haft_error *err)
{
    (void)pthread_once(&once, load);
    if (missing != NULL) {
        haft_status status = haft__fail(
            err, HAFT_UNSUPPORTED, "", "cannot load %s, the client library of PostgreSQL", missing);
        return haft__hint(err, status, "install libpq 14 or newer (Debian: libpq5)");
    }
    *ret_functions = &functions;
    return HAFT_OK;
}
