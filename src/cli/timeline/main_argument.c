/* SPDX-License-Identifier: Apache-2.0 */
/* main_argument.c - see cli/timeline/main_argument.h. Tests:
 * tests/cli/timeline/main_argument_test.c. */
#include "cli/timeline/main_argument.h"

#include <string.h>

#include "base/str.h"

/* Maximum length of a pattern that is always shown. */
#define SHORT_PATTERN_BYTES 24
/* A text counts as a regular expression if at least one of so many bytes is a special character. */
#define BYTES_FOR_EACH_SPECIAL 5

/* Whether the text is a regular expression that is too long for a line. */
static bool is_long_pattern(haft_str text)
{
    size_t special = 0;
    for (size_t i = 0; i < text.len; i++) {
        special += text.ptr[i] != '\0' && strchr("|\\?*+^$()[]", text.ptr[i]) != NULL ? 1 : 0;
    }
    return text.len > SHORT_PATTERN_BYTES && special * BYTES_FOR_EACH_SPECIAL >= text.len;
}

/* Returns the first value of a kind that is not empty. With `readable` skips long patterns. */
static const haft__json *find_value(haft__json arguments, haft__json_kind kind, bool readable)
{
    for (uint32_t i = 0; i < arguments.count; i++) {
        const haft__json *value = &arguments.members[i].value;
        if (value->kind == kind && value->count > 0
            && !(readable && is_long_pattern(haft__json_text(*value)))) {
            return value;
        }
    }
    return NULL;
}

/* Adds the texts of a list: "a, b". */
static void add_list(haft__buf *buf, haft__json list)
{
    size_t before = buf->len;
    for (uint32_t i = 0; i < list.count; i++) {
        haft_str text = haft__json_text(list.items[i]);
        if (text.len > 0) {
            haft__buf_add_str(buf, buf->len > before ? HAFT__LIT(", ") : HAFT__LIT(""));
            haft__buf_add_str(buf, text);
        }
    }
}

void haft__main_argument_add(haft__buf *buf, haft__json arguments)
{
    const haft__json *value = NULL;
    if (arguments.kind != HAFT__JSON_OBJECT) {
        return;
    }
    if ((value = find_value(arguments, HAFT__JSON_STRING, true)) != NULL) {
        haft__buf_add_str(buf, haft__json_text(*value));
    } else if ((value = find_value(arguments, HAFT__JSON_STRING, false)) != NULL) {
        haft__buf_addf(buf, "a pattern of %u bytes", value->count);
    } else if ((value = find_value(arguments, HAFT__JSON_NUMBER, false)) != NULL) {
        haft__buf_add_str(buf, haft__json_text(*value));
    } else if ((value = find_value(arguments, HAFT__JSON_ARRAY, false)) != NULL) {
        add_list(buf, *value);
    }
}
