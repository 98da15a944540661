/* SPDX-License-Identifier: Apache-2.0 */
/* observation.c - see prompt/observation.h. Tests: tests/prompt/observation_test.c. */
#include "prompt/observation.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

/* Maximum length of the line after the mark, and of a note after it, such as that of a repeated
 * call. */
#define MARK_NOTE_BYTES 1024

/* The number of bytes of the result that are shown. A text with at most `chars` bytes has at most
 * `chars` code points. */
static size_t shown_bytes(haft_str result, uint32_t chars)
{
    return result.len > chars ? haft__utf8_offset(result, chars) : result.len;
}

bool haft__observation_is_cut(haft_str result, uint32_t chars)
{
    return shown_bytes(result, chars) < result.len;
}

haft_str haft__observation_cut(haft__arena *arena, haft_str result, uint32_t chars, haft_str call,
                               bool pages)
{
    size_t shown = shown_bytes(result, chars);
    if (shown == result.len) {
        return result.ptr != NULL ? result : (haft_str){"", 0};
    }
    char line[MARK_NOTE_BYTES];
    int length =
        snprintf(line, sizeof(line),
                 HAFT__OBSERVATION_MARK "\nThese are the first %u of %zu characters of the "
                                        "result of call %.*s.",
                 chars, haft__utf8_length(result), HAFT__ARG(call));
    if (pages && (size_t)length < sizeof(line)) {
        length += snprintf(line + length, sizeof(line) - (size_t)length,
                           " read_result with call \"%.*s\" and offset %u returns more.",
                           HAFT__ARG(call), chars);
    }
    size_t end = (size_t)length < sizeof(line) ? (size_t)length : sizeof(line) - 1;
    char *text = haft__arena_alloc(arena, shown + end);
    if (text == NULL) {
        return (haft_str){NULL, 0};
    }
    memcpy(text, result.ptr, shown);
    memcpy(text + shown, line, end);
    return (haft_str){text, shown + end};
}

haft_str haft__observation_page(haft_str result, uint64_t offset, uint64_t limit, uint32_t chars)
{
    haft_str rest = haft__str_skip(result, haft__utf8_offset(result, offset));
    size_t shown = haft__utf8_offset(rest, limit < chars ? limit : chars);
    return (haft_str){rest.len > 0 ? rest.ptr : "", shown};
}

haft_str haft__observation_unmark(haft_str shown, bool *ret_cut)
{
    haft_str mark = HAFT__LIT(HAFT__OBSERVATION_MARK);
    *ret_cut = false;
    for (size_t i = shown.len; i >= mark.len && shown.len - i <= MARK_NOTE_BYTES; i--) {
        if (memcmp(shown.ptr + i - mark.len, mark.ptr, mark.len) == 0) {
            *ret_cut = true;
            return (haft_str){shown.ptr, i - mark.len};
        }
    }
    return shown;
}
