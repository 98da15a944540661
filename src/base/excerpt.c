/* SPDX-License-Identifier: Apache-2.0 */
/* excerpt.c - redacts a whole text, then truncates it. Tests: tests/redaction_test.c. */
#include "base/excerpt.h"

#include "base/str.h"
#include "base/utf8.h"

bool haft__clean(haft__cleaner cleaner, haft_str text, haft__lost lost, haft__buf *out)
{
    if (cleaner.clean != NULL) {
        return cleaner.clean(cleaner.context, text, lost, out);
    }
    haft__buf_add_str(out, text);
    return false;
}

/* The last bytes, beginning with a whole character. */
static haft_str find_tail(haft_str text, size_t max_bytes)
{
    text = haft__str_skip(text, text.len > max_bytes ? text.len - max_bytes : 0);
    for (size_t i = 0; i < HAFT__UTF8_MAX_BYTES - 1 && text.len > 0
                       && ((unsigned char)text.ptr[0] & 0xC0) == 0x80;
         i++) {
        text = haft__str_skip(text, 1);
    }
    return haft__str_trim(text);
}

/* The last lines that fit into `max_bytes`; the end of the last line if it alone does not fit. */
static haft_str find_last_lines(haft_str text, size_t max_bytes, size_t max_lines)
{
    text = haft__str_trim(text);
    size_t start = text.len > max_bytes ? text.len - max_bytes : 0;
    size_t line = 0, count = 0;
    for (size_t i = text.len; i > start && count < max_lines; i--) {
        if (text.ptr[i - 1] == '\n') {
            line = i;
            count++;
        }
    }
    bool whole = count == max_lines || (start > 0 && line > 0);
    return whole ? haft__str_skip(text, line) : find_tail(text, max_bytes);
}

static haft_str find_head(haft_str text, size_t max_bytes)
{
    text = haft__str_trim(text);
    text.len = text.len > max_bytes ? haft__utf8_floor(text, max_bytes) : text.len;
    return text;
}

static haft_str find_part(haft_str text, const haft__excerpt *excerpt)
{
    return !excerpt->from_end       ? find_head(text, excerpt->max_bytes)
           : excerpt->max_lines > 0 ? find_last_lines(text, excerpt->max_bytes, excerpt->max_lines)
                                    : find_tail(text, excerpt->max_bytes);
}

/* Replaces control characters, which could change a terminal, except line ends and tabs. The
 * control characters U+0080 to U+009F have two bytes; the first is C2. */
static void replace_controls(char *text, size_t length)
{
    haft__utf8_replace_invalid(text, length);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        unsigned char next = i + 1 < length ? (unsigned char)text[i + 1] : 0;
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F) {
            text[i] = '?';
        } else if (c == 0xC2 && next < 0xA0) {
            text[i] = text[i + 1] = '?';
        }
    }
}

void haft__excerpt_append(haft__buf *buf, const haft__excerpt *excerpt, haft__cleaner cleaner)
{
    haft__buf clean;
    haft__buf_init(&clean, SIZE_MAX / 2);
    (void)haft__clean(cleaner, excerpt->text, excerpt->lost, &clean);
    if (clean.status != HAFT_OK) {
        haft__buf_fail(buf, clean.status, "out of memory");
    } else {
        haft_str all = haft__buf_str(&clean);
        size_t start = buf->len;
        haft__buf_add_str(buf, find_part(all, excerpt));
        if (excerpt->plain) {
            replace_controls(buf->ptr + start, buf->len - start);
        }
    }
    haft__buf_finish(&clean);
}
