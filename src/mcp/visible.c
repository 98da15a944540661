/* SPDX-License-Identifier: Apache-2.0 */
/* visible.c - texts without hidden characters. Tests:
 * tests/mcp/visible_test.c. */
#include "mcp/visible.h"

#include <stdio.h>

#include "base/escape.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

#define CUT HAFT__LIT("...")

bool haft__visible_is_hidden(uint32_t code)
{
    return code != '\n' && code != '\t' && haft__escape_is_hidden(code);
}

/* The visible form of one character. */
typedef struct shown {
    char made[16];
    haft_str text; /* points into the original text, or to `made` */
    size_t bytes;  /* length in the original text */
} shown;

static void show(haft_str text, shown *ret)
{
    uint32_t code = 0;
    size_t length = haft__utf8_decode(text, &code);
    bool line_end = text.len > 1 && text.ptr[0] == '\r' && text.ptr[1] == '\n';
    ret->bytes = length > 0 ? length : 1;
    if (length > 0 && (line_end || !haft__visible_is_hidden(code))) {
        ret->text = (haft_str){text.ptr, length};
        return;
    }
    int made = length > 0
                   ? snprintf(ret->made, sizeof ret->made, "<U+%04X>", (unsigned)code)
                   : snprintf(ret->made, sizeof ret->made, "<0x%02X>", (unsigned char)text.ptr[0]);
    ret->text = (haft_str){ret->made, (size_t)made};
}

/* The length of the visible form; measuring stops after it exceeds `max`. *ret_same: the visible
 * form equals the text. */
static size_t measure(haft_str text, size_t max, bool *ret_same)
{
    size_t total = 0;
    shown s;
    *ret_same = true;
    while (text.len > 0 && total <= max) {
        show(text, &s);
        *ret_same = *ret_same && s.text.ptr == text.ptr;
        total += s.text.len;
        text = haft__str_skip(text, s.bytes);
    }
    return total;
}

void haft__visible_append(haft__buf *buf, haft_str text, size_t max)
{
    bool same;
    bool cut = measure(text, max, &same) > max;
    size_t room = !cut ? max : max > CUT.len ? max - CUT.len : 0;
    shown s;
    while (text.len > 0) {
        show(text, &s);
        if (s.text.len > room) {
            break;
        }
        haft__buf_add_str(buf, s.text);
        room -= s.text.len;
        text = haft__str_skip(text, s.bytes);
    }
    if (cut) {
        haft__buf_add(buf, CUT.ptr, max < CUT.len ? max : CUT.len);
    }
}

haft_status haft__visible_copy(haft__arena *arena, haft_str text, size_t max, haft_str *ret_text,
                               haft_error *err)
{
    bool same;
    if (measure(text, max, &same) <= max && same) {
        *ret_text = text;
        return HAFT_OK;
    }
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__visible_append(&buf, text, max);
    haft_status status = haft__buf_check(&buf, err);
    haft_str made = status == HAFT_OK ? haft__arena_copy(arena, haft__buf_str(&buf)) : text;
    haft__buf_finish(&buf);
    if (made.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_text = made;
    return status;
}
