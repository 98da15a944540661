/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malformed_call.c - the rest of a malformed call: finds its end and records its source text.
 *
 * Strings, brackets and tags of other dialects are still tracked, so that marks inside them stay
 * data. The call ends at its end tag; if the format has none, with its JSON; in an array, with its
 * element, and the scanner continues with the array. A call that begins inside a malformed call is
 * part of it and has its own end.
 *
 * A string that never closes, or a missing end tag, would hide all later calls. So the bytes after
 * the first end tag in a string, or from the first nested call on, are buffered. If the text ends
 * inside the malformed call, they are read again, once.
 * Tests: tests/format/malformed_call_test.c.
 */
#include <stdio.h>

#include "base/limits.h"
#include "format/parser.h"

void haft__malformed_call_init(haft__parser *p)
{
    haft__buf_init(&p->malformed.rest, HAFT__LIMIT_FORMAT_BYTES);
}

void haft__malformed_call_finish(haft__parser *p)
{
    haft__buf_finish(&p->malformed.rest);
}

void haft__malformed_call_begin(haft__parser *p, const char *why, const haft__malformed_call *how)
{
    haft__malformed_call *w = &p->malformed;
    haft__buf rest = w->rest;
    bool tried = w->tried;
    *w = *how;
    w->live = true;
    w->tried = tried;
    w->mention = w->nested = false;
    w->rest = rest;
    haft__buf_clear(&w->rest);
    (void)snprintf(w->why, sizeof(w->why), "%s", why);
    haft__parser_enter_state(p, p->format->malformed);
}

static void report(haft__parser *p, haft__parser_event_kind kind, const char *why)
{
    p->malformed.live = false;
    haft__buf_clear(&p->malformed.rest);
    haft__call_builder_fail(p, kind, why);
}

void haft__malformed_call_end(haft__parser *p)
{
    report(p, HAFT__PARSER_EVENT_MALFORMED, p->malformed.why);
}

void haft__malformed_call_end_at_mark(haft__parser *p, const haft__format_mark *mark)
{
    if (mark->act == HAFT__ACTION_CALL_BEGIN || mark->reread
        || mark->head) { /* it belongs to the next call */
        haft__call_builder_unrecord(p, strlen(mark->text));
    }
    haft__malformed_call_end(p);
}

void haft__malformed_call_end_of_text(haft__parser *p)
{
    const haft__malformed_call *w = &p->malformed;
    if (w->json && (w->quote != '\0' || w->depth > w->floor)) {
        report(p, HAFT__PARSER_EVENT_TRUNCATED, "the text ends inside it");
    } else {
        haft__malformed_call_end(p);
    }
}

/* ---- bytes that may have to be read again ---- */

void haft__malformed_call_record(haft__parser *p, haft_str bytes)
{
    if (p->malformed.live && (p->malformed.mark != NULL || p->malformed.mention)) {
        haft__buf_add_str(&p->malformed.rest, bytes);
        haft__parser_check(p, &p->malformed.rest);
    }
}

/* Only once per text, so that no byte is read more than twice. */
static void mark_reparse_point(haft__parser *p, const haft__format_mark *mark, bool in_string)
{
    haft__malformed_call *w = &p->malformed;
    if (w->mark == NULL && !w->tried && !w->mention) {
        w->mark = mark;
        w->in_string = in_string;
        w->end_offset = p->offset;
        w->end_raw = p->call.written;
    }
}

/* Called after a string that contains an end tag. If JSON continues, the string was closed and its
 * contents are data; any other byte shows that the quote was not its end. */
static void check_string(haft__malformed_call *w)
{
    bool quote = w->last == '"' || w->last == '\'';
    if (w->mark != NULL && w->in_string && quote) {
        w->mark = NULL;
        haft__buf_clear(&w->rest);
    }
}

bool haft__malformed_call_reparse(haft__parser *p)
{
    haft__malformed_call *w = &p->malformed;
    const haft__format_mark *mark = w->mark;
    if (!w->live || mark == NULL || (w->in_string && w->quote == '\0')) {
        return false;
    }
    haft__buf rest = w->rest;
    haft__buf_init(&w->rest, HAFT__LIMIT_FORMAT_BYTES);
    w->tried = true;
    p->repair.strict = p->repair.cut = false;
    haft__call_builder_unrecord(p, p->call.written - w->end_raw);
    p->offset = w->end_offset;
    haft__malformed_call_end_at_mark(p, mark);
    haft__parser_transition(p, &p->format->states[p->format->malformed], mark);
    haft__parser_read(p, haft__buf_str(&rest));
    haft__buf_finish(&rest);
    return true;
}

/* ---- marks ---- */

static bool is_section(const haft__parser *p, const haft__format_mark *mark)
{
    uint8_t bytes = p->format->states[mark->to].bytes;
    return bytes == HAFT__BYTES_GAP || bytes == HAFT__BYTES_IGNORED;
}

/* A call that begins inside the malformed call, outside strings and tags. It is part of the
 * malformed call if that call's own end follows the nested one; else the malformed call was cut. */
static bool hide_nested_call(haft__parser *p, const haft__format_mark *mark)
{
    mark_reparse_point(p, mark, false);
    p->malformed.nested = true;
    p->malformed.level += is_section(p, mark) ? 0 : 1;
    return true;
}

/* The end of a nested call. */
static bool hide_nested_end(haft__parser *p, const haft__format_mark *mark)
{
    haft__malformed_call *w = &p->malformed;
    bool half = p->format->states[mark->to].bytes == HAFT__BYTES_TAIL; /* more of the end follows */
    w->level -= half ? 0 : 1;
    haft__parser_enter_state(p, p->format->malformed);
    return true;
}

bool haft__malformed_call_hides_mark(haft__parser *p, const haft__format_mark *mark)
{
    haft__malformed_call *w = &p->malformed;
    bool tagged = haft__malformed_call_tag_is_open(&w->tag);
    if (!tagged) {
        w->tag.state = 0; /* it is not a tag of another dialect */
    }
    if (mark->inside) {
        return false;
    }
    if (p->state == p->format->malformed && (w->quote != '\0' || tagged)) {
        if (w->quote != '\0' && mark->act != HAFT__ACTION_CALL_BEGIN && !mark->reread) {
            mark_reparse_point(p, mark, true);
        }
        return true;
    }
    if (p->format->open_ended) { /* only the next call ends a call */
        return false;
    }
    if (mark->act == HAFT__ACTION_CALL_BEGIN) {
        return hide_nested_call(p, mark);
    }
    if (mark->act == HAFT__ACTION_CALL_DISCARD) { /* the end of the section */
        return w->mark != NULL || (w->mention && w->nested);
    }
    if (w->level > 0) {
        return hide_nested_end(p, mark);
    }
    return haft__mention_hides_end(p, mark);
}

/* ---- outside strings ---- */

static void on_string(haft__malformed_call *w, char c)
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

static void open_bracket(haft__malformed_call *w, char c)
{
    if (w->depth < COUNT(w->closers)) {
        w->closers[w->depth] = c == '{' ? '}' : c == '[' ? ']' : ')';
    }
    w->depth++;
}

/* A Python parenthesis around arguments; in JSON it is an ordinary byte. */
static bool is_around(const haft__malformed_call *w)
{
    return w->depth == 0 || (w->depth <= COUNT(w->closers) && w->closers[w->depth - 1] == ')');
}

/* Whether `c` closes a bracket of the malformed call. An unmatched closer, or one of another kind,
 * closes nothing: the call ends no earlier than its last bracket, so that all its strings are
 * inside. */
static bool close_bracket(haft__malformed_call *w, char c)
{
    bool own = w->depth > w->floor;
    if (!own || (w->depth <= COUNT(w->closers) && w->closers[w->depth - 1] != c)) {
        return false;
    }
    w->depth--;
    return true;
}

haft__malformed_call_step haft__malformed_call_scan_byte(const haft__parser *p,
                                                         haft__malformed_call *w, char c)
{
    bool element = w->resumes && w->depth == w->floor;
    bool ends_value = w->resumes || p->format->open_ended;
    if (w->quote != '\0') {
        on_string(w, c);
        return HAFT__MALFORMED_CONTINUES;
    }
    if (haft__malformed_call_tag_is_header(&w->tag)) {
        return HAFT__MALFORMED_CONTINUES;
    }
    switch (c) {
    case ' ':
    case '\n':
    case '\r':
    case '\t': return HAFT__MALFORMED_CONTINUES;
    case '"': w->quote = c; break;
    case '\'':
        if (w->last != '\0' && strchr("{[,:(=", w->last) != NULL) {
            w->quote = c; /* at the start of a value or key, not inside a word */
        }
        break;
    case '{':
    case '[': open_bracket(w, c); break;
    case '(':
        if (is_around(w)) {
            open_bracket(w, c);
        }
        break;
    case ':': check_string(w); break;
    case ',':
        check_string(w);
        if (element) {
            return HAFT__MALFORMED_ENDS_BEFORE;
        }
        break;
    case '}':
    case ']':
    case ')':
        check_string(w);
        if (element && c == ']') { /* a brace does not end an array */
            return HAFT__MALFORMED_ENDS_BEFORE;
        }
        if (close_bracket(w, c) && w->depth == w->floor && ends_value) {
            return HAFT__MALFORMED_ENDS_AFTER;
        }
        break;
    default: break;
    }
    w->last = c;
    return HAFT__MALFORMED_CONTINUES;
}

void haft__malformed_call_scan_header(haft__parser *p, haft_str bytes)
{
    haft__malformed_call *w = &p->malformed;
    for (size_t i = 0; i < bytes.len; i++) {
        (void)haft__malformed_call_scan_byte(p, w, bytes.ptr[i]);
    }
}

void haft__malformed_call_reset(haft__parser *p)
{
    haft__malformed_call *w = &p->malformed;
    w->depth = w->floor = w->level = 0;
    w->quote = w->last = '\0';
    w->escape = w->resumes = false;
    w->tag.state = 0;
    w->mark = NULL;
}
