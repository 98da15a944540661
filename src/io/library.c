/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - loads a shared library when it is needed. Tests: tests/io/library_test.c. */
#include "io/library.h"

#include <dlfcn.h>
#include <string.h>

#include "base/error.h"

/* Returns the name that was not found, or NULL. */
static const char *load(haft__library *library)
{
    void *handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) {
        return library->file;
    }
    for (size_t i = 0; i < library->count; i++) {
        void *function = dlsym(handle, library->functions[i]);
        if (function == NULL) {
            return library->functions[i];
        }
        memcpy((char *)library->table + i * sizeof(function), &function, sizeof(function));
    }
    return NULL;
}

haft_status haft__library_load(haft__library *library, haft_error *err)
{
    (void)pthread_mutex_lock(&library->lock);
    if (!library->loaded && library->missing == NULL) {
        library->missing = load(library);
        library->loaded = library->missing == NULL;
    }
    const char *missing = library->missing;
    (void)pthread_mutex_unlock(&library->lock);
    if (missing != NULL) {
        haft_status status =
            haft__fail(err, HAFT_UNSUPPORTED, "", "cannot load %s, %s", missing, library->purpose);
        return haft__hint(err, status, "%s", library->hint);
    }
    return HAFT_OK;
}
