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

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool equal(haft_str name, const char *other)
{
    size_t i = 0;
    while (i < name.len && other[i] != '\0' && lower(name.ptr[i]) == other[i]) {
        i++;
    }
    return i == name.len && other[i] == '\0';
}

const haft__format *haft__format_find(haft_str name)
{
    for (size_t i = 0; i < COUNT(formats); i++) {
        if (equal(name, formats[i]->name)) {
            return formats[i];
        }
    }
    return NULL;
}
