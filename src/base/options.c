/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - copies the fields that both versions have. Tests: tests/base/options_test.c. */
#include "base/options.h"

#include <string.h>

#include "base/error.h"

haft_status haft__options_copy(void *io_options, size_t size, size_t min, const void *given,
                               const char *init, haft_error *err)
{
    size_t given_size;
    memcpy(&given_size, given, sizeof(given_size));
    if (given_size < min) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "/struct_size",
                                        "expected at least %zu, found %zu", min, given_size);
        return haft__hint(err, status, "start from %s", init);
    }
    memcpy(io_options, given, given_size < size ? given_size : size);
    memcpy(io_options, &size, sizeof(size));
    return HAFT_OK;
}
