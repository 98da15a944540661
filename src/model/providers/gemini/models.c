/* SPDX-License-Identifier: Apache-2.0 */
/* models.c - see models.h. Tests: tests/model/providers/gemini/models_test.c. */
#include "model/providers/gemini/models.h"

#include "base/ascii.h"
#include "base/str.h"

/* The first version whose models require signatures. */
#define FIRST_VERSION 3

bool haft__gemini_needs_signatures(haft_str model)
{
    static const haft_str path = HAFT__LIT("models/"), family = HAFT__LIT("gemini-");
    if (haft__str_starts_with(model, path)) {
        model = haft__str_skip(model, path.len);
    }
    if (!haft__str_starts_with(model, family)) {
        return false;
    }
    haft_str rest = haft__str_skip(model, family.len);
    uint64_t version = 0;
    size_t digits = 0;
    while (digits < rest.len && haft__ascii_is_digit(rest.ptr[digits])) {
        digits++;
    }
    bool numbered = haft__str_to_u64((haft_str){rest.ptr, digits}, &version);
    return !numbered || version >= FIRST_VERSION;
}
