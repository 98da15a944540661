/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - copies the fields that both versions know. Tests: tests/base/options_test.c. */
#include "base/options.h"

#include <string.h>

#include "base/error.h"

haft_status haft__options_copy(void *own, size_t size, size_t least, const void *given,
                               const char *init, haft_error *err)
{
    size_t theirs;
    memcpy(&theirs, given, sizeof(theirs));
    if (theirs < least) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "/struct_size",
                                        "expected at least %zu, found %zu", least, theirs);
        return haft__hint(err, status, "start from %s", init);
    }
    memcpy(own, given, theirs < size ? theirs : size);
    memcpy(own, &size, sizeof(size));
    return HAFT_OK;
}
