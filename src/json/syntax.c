/* SPDX-License-Identifier: Apache-2.0 */
/* syntax.c - the wording of errors about JSON text. Tests: tests/json/read_test.c. */
#include "json/syntax.h"

#include <stdio.h>

#include "base/error.h"
#include "base/str.h"

static const struct {
    const char *wanted, *hint;
} problems[] = {
#define X(name, wanted, hint) {wanted, hint},
    HAFT__JSON_PROBLEMS(X)
#undef X
};

haft__json_position haft__json_position_of(haft_str text, size_t offset)
{
    haft__json_position place = {.offset = offset, .line = 1};
    size_t line = 0;
    for (size_t i = 0; i < offset; i++) {
        if (text.ptr[i] == '\n') {
            place.line++;
            line = i + 1;
        }
    }
    place.column = offset - line + 1;
    return place;
}

void haft__json_position_format(char *to, size_t size, haft__json_position place)
{
    (void)snprintf(to, size, "%zu:%zu (byte %zu)", place.line, place.column, place.offset);
}

static void say_found(char *to, size_t size, int found)
{
    if (found == HAFT__JSON_END_OF_TEXT) {
        (void)snprintf(to, size, "the end of the text");
    } else if (found >= 0x20 && found < 0x7F) {
        (void)snprintf(to, size, "'%c'", found);
    } else {
        (void)snprintf(to, size, "byte 0x%02X", (unsigned)found);
    }
}

haft_status haft__json_fail(haft_error *err, haft__json_problem problem, haft__json_position place,
                            int found)
{
    char where[80], what[24];
    haft__json_position_format(where, sizeof(where), place);
    say_found(what, sizeof(what), found);
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, where, "%s, found %s", problems[problem].wanted, what);
    if (problems[problem].hint[0] != '\0') {
        return haft__hint(err, status, "%s", problems[problem].hint);
    }
    return status;
}

haft_status haft__json_fail_duplicate(haft_error *err, const char *where, haft_str key)
{
    return haft__fail(err, HAFT_BAD_INPUT, where,
                      "expected each key once in an object, found \"%.*s\" more than once",
                      HAFT__ARG(key));
}

haft_status haft__json_fail_limit(haft_error *err, haft__json_position place, size_t limit,
                                  const char *of_what)
{
    char where[80];
    haft__json_position_format(where, sizeof(where), place);
    return haft__fail(err, HAFT_TOO_BIG, where, "expected at most %zu %s, found more", limit,
                      of_what);
}
