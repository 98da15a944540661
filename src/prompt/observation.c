/* SPDX-License-Identifier: Apache-2.0 */
/* observation.c - see prompt/observation.h. Tests: tests/prompt/observation_test.c. */
#include "prompt/observation.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

/* Maximum length of the text after the mark: a line, and a note, for example about a repeated
 * call. */
#define MARK_NOTE_BYTES 1024

/* Maximum bytes of a call's id in a line. Ids are usually shorter. */
#define CALL_BYTES 64

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

/* "first 40 of 100 characters", or "40 of 100 characters, from offset 20,"; at most `size` bytes.
 */
static int write_page_line(char *line, size_t size, uint64_t offset, size_t shown, size_t total,
                           haft_str call, bool filtered)
{
    char from[64] = "";
    if (offset > 0) {
        (void)snprintf(from, sizeof(from), ", from offset %" PRIu64 ",", offset);
    }
    return snprintf(line, size,
                    HAFT__OBSERVATION_MARK "\nThese are %s%zu of %zu characters%s of the result of "
                                           "call %.*s%s. read_result with call \"%.*s\"%s and "
                                           "offset %" PRIu64 " returns more.",
                    offset > 0 ? "" : "the first ", shown, total, from, HAFT__ARG(call),
                    filtered ? " after grep" : "", HAFT__ARG(call),
                    filtered ? ", the same grep" : "", offset + shown);
}

haft_str haft__observation_page(haft__arena *arena, haft_str result, uint64_t offset,
                                uint64_t limit, uint32_t chars, haft_str call, bool filtered)
{
    haft_str rest = haft__str_skip(result, haft__utf8_offset(result, offset));
    size_t shown = haft__utf8_offset(rest, limit < chars ? limit : chars);
    size_t total = haft__utf8_length(result);
    char line[HAFT__OBSERVATION_LINE_CHARS];
    haft_str id = {call.ptr, haft__utf8_floor(call, CALL_BYTES)};
    if (rest.len == 0 && offset > 0) {
        return haft__arena_format(arena,
                                  "The result of call %.*s has %zu characters%s: nothing follows "
                                  "offset %" PRIu64 ".",
                                  HAFT__ARG(id), total, filtered ? " after grep" : "", offset);
    }
    if (shown == rest.len) {
        return (haft_str){rest.len > 0 ? rest.ptr : "", shown};
    }
    size_t count = haft__utf8_length((haft_str){rest.ptr, shown});
    int length = write_page_line(line, sizeof(line), offset, count, total, id, filtered);
    char *text = haft__arena_alloc(arena, shown + (size_t)length);
    if (text == NULL) {
        return (haft_str){NULL, 0};
    }
    memcpy(text, rest.ptr, shown);
    memcpy(text + shown, line, (size_t)length);
    return (haft_str){text, shown + (size_t)length};
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
