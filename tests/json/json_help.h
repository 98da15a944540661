/* SPDX-License-Identifier: Apache-2.0 */
/* json_help.h - helpers for tests of JSON values, which live until the test ends. */
#ifndef HAFT_TESTS_JSON_HELP_H
#define HAFT_TESTS_JSON_HELP_H

#include "base/error.h"
#include "test.h"
#include "json/read.h"

/* The JSON parsing test suite: y_ files are JSON, n_ files are not, i_ files may be either. */
#define HELP_SUITE "shared/data/json-test-suite/test_parsing"

/* `text` as a value in `arena`; the test fails when it is not JSON. */
static inline haft__json help_read(haft__arena *arena, const char *text)
{
    haft__json value = haft__json_null();
    haft_error err = {0};
    haft_status status = haft__json_read(arena, haft__str(text), NULL, &value, NULL, &err);
    CHECK_INT(status, HAFT_OK, "%s: %s %s", text, err.where, err.message);
    return value;
}

/* A copy that lives until the test ends. */
static inline haft_str help_keep(haft_str s)
{
    char *copy = test_alloc(s.len + 1);
    if (s.len > 0) {
        memcpy(copy, s.ptr, s.len);
    }
    copy[s.len] = '\0'; /* tests also search in it */
    return (haft_str){copy, s.len};
}

/* `value` inside `depth` nested arrays. */
static inline haft__json help_nest(haft__json value, unsigned depth)
{
    haft__json *items = test_alloc((depth + 1) * sizeof(*items));
    for (unsigned i = 0; i < depth; i++) {
        items[i] = value;
        value = haft__json_array(&items[i], 1);
    }
    return value;
}

/* An object of `count` members, "k000000": number of the key, from the last to the first if
 * `reversed`. Numbers are spelled with ".0" in reversed ones. */
static inline haft__json help_object(unsigned count, bool reversed)
{
    haft__json_member *members = test_alloc((count + 1) * sizeof(*members));
    for (unsigned i = 0; i < count; i++) {
        unsigned number = reversed ? count - 1 - i : i;
        char *text = test_alloc(32);
        int length = snprintf(text, 32, "k%06u", number);
        members[i].key = haft__json_string((haft_str){text, (size_t)length});
        text = test_alloc(32);
        length = snprintf(text, 32, reversed ? "%u.0" : "%u", number);
        members[i].value =
            (haft__json){.kind = HAFT__JSON_NUMBER, .count = (uint32_t)length, .text = text};
    }
    return haft__json_object(members, count);
}

#endif
