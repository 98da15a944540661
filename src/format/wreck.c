/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wreck.c - the rest of a call that cannot be used: where it ends, and what it looked like.
 *
 * Of JSON, strings and brackets are still followed, so that marks inside a string stay data. The
 * call ends at a mark outside of strings; where the format has no end tag, with its JSON; in an
 * array, with its element, and the array is read on behind it.
 *
 * A string that never closes would hide all that follows. So what stands behind the first end tag
 * in a string is kept, and is read again, once, when the text ends inside the string.
 * Tests: tests/format/wreck_test.c.
 */
#include <stdio.h>

#include "base/limits.h"
#include "format/parser.h"

void haft__wreck_init(haft__parser *p)
{
    haft__buf_init(&p->wreck.rest, HAFT__LIMIT_FORMAT_BYTES);
}

void haft__wreck_finish(haft__parser *p)
{
    haft__buf_finish(&p->wreck.rest);
}

void haft__wreck_begin(haft__parser *p, const char *why, const haft__wreck *how)
{
    haft__wreck *w = &p->wreck;
    haft__buf rest = w->rest;
    bool tried = w->tried;
    *w = *how;
    w->live = true;
    w->tried = tried;
    w->rest = rest;
    haft__buf_clear(&w->rest);
    (void)snprintf(w->why, sizeof(w->why), "%s", why);
    haft__parser_go(p, p->format->spoilt);
}

static void tell(haft__parser *p, haft__found_kind kind, const char *why)
{
    p->wreck.live = false;
    haft__buf_clear(&p->wreck.rest);
    haft__forming_spoil(p, kind, why);
}

void haft__wreck_end(haft__parser *p)
{
    tell(p, HAFT__FOUND_MALFORMED, p->wreck.why);
}

void haft__wreck_end_at(haft__parser *p, const haft__mark *mark)
{
    if (mark->act == HAFT__ACT_OPEN || mark->keep) { /* it belongs to what follows */
        haft__forming_unkeep(p, strlen(mark->text));
    }
    haft__wreck_end(p);
}

void haft__wreck_end_text(haft__parser *p)
{
    const haft__wreck *w = &p->wreck;
    if (w->json && (w->quote != '\0' || w->depth > w->floor)) {
        tell(p, HAFT__FOUND_TRUNCATED, "the text ends inside it");
    } else {
        haft__wreck_end(p);
    }
}

/* ---- strings ---- */

/* An end tag in a string: what follows it is kept, should the string never close. */
static void look_for_end(haft__parser *p, char c)
{
    haft__wreck *w = &p->wreck;
    const haft__marks *marks = haft__parser_marks(p, p->format->spoilt);
    if (marks == NULL || w->tried) {
        return;
    }
    w->shadow = haft__marks_step(marks, w->shadow, c);
    uint16_t found = marks->nodes[w->shadow].mark;
    if (found == 0) {
        return;
    }
    const haft__mark *mark = &p->format->places[p->format->spoilt].marks[found - 1];
    w->shadow = 0;
    if (mark->act != HAFT__ACT_OPEN && !mark->keep) {
        w->to = mark->to;
        w->ended = true;
        w->end_offset = p->offset + 1;
        w->end_raw = p->call.written + 1;
    }
}

/* One byte of a string. */
static void on_string(haft__wreck *w, char c)
{
    if (w->escape) {
        w->escape = false;
    } else if (c == '\\') {
        w->escape = true;
    } else if (c == w->quote) {
        w->quote = '\0';
        w->last = c;
    }
}

void haft__wreck_string(haft__parser *p, haft_str *io_bytes)
{
    haft__wreck *w = &p->wreck;
    size_t used = 0;
    while (used < io_bytes->len && w->quote != '\0') {
        haft_str byte = {io_bytes->ptr + used, 1};
        if (!w->ended) {
            look_for_end(p, byte.ptr[0]);
            haft__parser_use(p, byte);
        } else {
            haft__wreck_keep(p, byte);
            haft__parser_use(p, byte);
        }
        on_string(w, byte.ptr[0]);
        used++;
    }
    w->shadow = w->quote != '\0' ? w->shadow : 0;
    *io_bytes = haft__str_skip(*io_bytes, used);
}

void haft__wreck_keep(haft__parser *p, haft_str bytes)
{
    if (p->wreck.ended && !p->wreck.tried) {
        haft__buf_add_str(&p->wreck.rest, bytes);
        haft__parser_check(p, &p->wreck.rest);
    }
}

bool haft__wreck_retry(haft__parser *p)
{
    haft__wreck *w = &p->wreck;
    if (!w->live || w->tried || !w->ended || w->quote == '\0') {
        return false;
    }
    haft__buf rest = w->rest;
    haft__buf_init(&w->rest, HAFT__LIMIT_FORMAT_BYTES);
    w->tried = true;
    p->mending.strictly = p->mending.cut = false;
    haft__forming_unkeep(p, p->call.written - w->end_raw);
    p->offset = w->end_offset;
    uint8_t to = w->to;
    haft__wreck_end(p);
    haft__parser_go(p, to);
    haft__parser_read(p, haft__buf_str(&rest));
    haft__buf_finish(&rest);
    return true;
}

/* ---- outside strings ---- */

haft__wreck_step haft__wreck_byte(const haft__parser *p, haft__wreck *w, char c)
{
    bool element = w->resumes && w->depth == w->floor;
    bool ends_value = w->resumes || p->format->open_ended;
    switch (c) {
    case ' ':
    case '\n':
    case '\r':
    case '\t': return HAFT__WRECK_ON;
    case '"':
        if (w->depth > 0) {
            w->quote = c;
        }
        break;
    case '\'':
        if (w->depth > 0 && w->last != '\0' && strchr("{[,:", w->last) != NULL) {
            w->quote = c; /* where a value or a key begins, not in the middle of a word */
        }
        break;
    case '{':
    case '[': w->depth++; break;
    case ',':
        if (element) {
            return HAFT__WRECK_BEFORE;
        }
        break;
    case '}':
    case ']':
        if (element && c == ']') { /* a brace ends no array: it is more of the wreck */
            return HAFT__WRECK_BEFORE;
        }
        if (w->depth > w->floor && --w->depth == w->floor && ends_value) {
            return HAFT__WRECK_BEHIND;
        }
        break;
    default: break;
    }
    w->last = c;
    return HAFT__WRECK_ON;
}
