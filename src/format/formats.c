/* SPDX-License-Identifier: Apache-2.0 */
/* formats.c - finds a format by its name. Tests: tests/format/formats_test.c. */
#include "format/formats.h"

#include "base/macros.h"
#include "base/str.h"
#include "format/format.h"

static const haft__format *const formats[] = {
#define X(name) &haft__format_##name,
    HAFT__FORMATS(X)
#undef X
};

const haft__format *const *haft__formats(size_t *ret_count)
{
    *ret_count = COUNT(formats);
    return formats;
}

/* Aliases. */
static const struct {
    const char *alias, *name;
} aliases[] = {{"json", "purejson"}, {"code", "codemode"}};

const haft__format *haft__format_find(haft_str name)
{
    for (size_t i = 0; i < COUNT(aliases); i++) {
        if (haft__str_equal_ignore_case(name, haft__str(aliases[i].alias))) {
            name = haft__str(aliases[i].name);
        }
    }
    for (size_t i = 0; i < COUNT(formats); i++) {
        if (haft__str_equal_ignore_case(name, haft__str(formats[i]->name))) {
            return formats[i];
        }
    }
    return NULL;
}
