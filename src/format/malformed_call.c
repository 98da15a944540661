/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malformed_call.c - the rest of a malformed call: finds its end and records its source text.
 *
 * Strings, brackets and tags of other dialects are still tracked, so that marks inside them stay
 * data. The call ends at its end tag; if the format has none, with its JSON; in an array, with its
 * element, and the scanner continues with the array. A call that begins inside a malformed call is
 * part of it and has its own end.
 *
 * A string that never closes, or a missing end tag, would hide all later calls. So all bytes are
 * buffered that follow the first end tag in a string, or the start of the first nested call. If the
 * text ends inside the malformed call, they are read again, once. Tests:
 * tests/format/malformed_call_test.c.
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
    haft__malformed_call *malformed = &p->malformed;
    haft__buf rest = malformed->rest;
    bool tried = malformed->reparsed;
    *malformed = *how;
    malformed->live = true;
    malformed->reparsed = tried;
    malformed->mention = malformed->nested = false;
    malformed->rest = rest;
    haft__buf_clear(&malformed->rest);
    (void)snprintf(malformed->why, sizeof(malformed->why), "%s", why);
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
        || mark->head) { /* the mark belongs to the next call */
        haft__call_builder_unrecord(p, strlen(mark->text));
    }
    haft__malformed_call_end(p);
}

void haft__malformed_call_end_of_text(haft__parser *p)
{
    const haft__malformed_call *malformed = &p->malformed;
    if (malformed->json && (malformed->quote != '\0' || malformed->depth > malformed->floor)) {
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

/* Stores the position where a second reading may have to start. Only one per text, so that no byte
 * is read more than twice. */
static void mark_reparse_point(haft__parser *p, const haft__format_mark *mark, bool in_string)
{
    haft__malformed_call *malformed = &p->malformed;
    if (malformed->mark == NULL && !malformed->reparsed && !malformed->mention) {
        malformed->mark = mark;
        malformed->in_string = in_string;
        malformed->end_offset = p->offset;
        malformed->end_raw = p->call.written;
    }
}

/* Called after a string that contains an end tag. If JSON continues after the quote, the string has
 * ended and its contents are data; any other byte shows that the quote did not end the string. */
static void check_string(haft__malformed_call *malformed)
{
    bool quote = malformed->last == '"' || malformed->last == '\'';
    if (malformed->mark != NULL && malformed->in_string && quote) {
        malformed->mark = NULL;
        haft__buf_clear(&malformed->rest);
    }
}

bool haft__malformed_call_reparse(haft__parser *p)
{
    haft__malformed_call *malformed = &p->malformed;
    const haft__format_mark *mark = malformed->mark;
    if (!malformed->live || mark == NULL || (malformed->in_string && malformed->quote == '\0')) {
        return false;
    }
    haft__buf rest = malformed->rest;
    haft__buf_init(&malformed->rest, HAFT__LIMIT_FORMAT_BYTES);
    malformed->reparsed = true;
    p->repair.strict = p->repair.cut = false;
    haft__call_builder_unrecord(p, p->call.written - malformed->end_raw);
    p->offset = malformed->end_offset;
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

/* Handles a call that begins inside the malformed call, outside strings and tags. This nested call
 * is part of the malformed call if the end of the malformed call follows later; else the malformed
 * call was cut. */
static bool hide_nested_call(haft__parser *p, const haft__format_mark *mark)
{
    mark_reparse_point(p, mark, false);
    p->malformed.nested = true;
    p->malformed.level += is_section(p, mark) ? 0 : 1;
    return true;
}

/* Handles the end of a nested call. */
static bool hide_nested_end(haft__parser *p, const haft__format_mark *mark)
{
    haft__malformed_call *malformed = &p->malformed;
    bool half = p->format->states[mark->to].bytes == HAFT__BYTES_TAIL; /* more of the end follows */
    malformed->level -= half ? 0 : 1;
    haft__parser_enter_state(p, p->format->malformed);
    return true;
}

bool haft__malformed_call_hides_mark(haft__parser *p, const haft__format_mark *mark)
{
    haft__malformed_call *malformed = &p->malformed;
    bool tagged = haft__malformed_call_tag_is_open(&malformed->tag);
    if (!tagged) {
        malformed->tag.state = 0; /* the bytes before the mark are not a tag of another dialect */
    }
    if (mark->inside) {
        return false;
    }
    if (p->state == p->format->malformed && (malformed->quote != '\0' || tagged)) {
        if (malformed->quote != '\0' && mark->act != HAFT__ACTION_CALL_BEGIN && !mark->reread) {
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
        return malformed->mark != NULL || (malformed->mention && malformed->nested);
    }
    if (malformed->level > 0) {
        return hide_nested_end(p, mark);
    }
    return haft__mention_hides_end(p, mark);
}

/* ---- outside strings ---- */

static void on_string(haft__malformed_call *malformed, char c)
{
    if (malformed->escape) {
        malformed->escape = false;
    } else if (c == '\\') {
        malformed->escape = true;
    } else if (c == malformed->quote) {
        malformed->quote = '\0';
        malformed->last = c;
    }
}

static void open_bracket(haft__malformed_call *malformed, char c)
{
    if (malformed->depth < COUNT(malformed->closers)) {
        malformed->closers[malformed->depth] = c == '{' ? '}' : c == '[' ? ']' : ')';
    }
    malformed->depth++;
}

/* Whether an opening parenthesis here is a bracket, as in Python; in JSON it is an ordinary
 * byte. */
static bool may_open_parenthesis(const haft__malformed_call *malformed)
{
    return malformed->depth == 0
           || (malformed->depth <= COUNT(malformed->closers)
               && malformed->closers[malformed->depth - 1] == ')');
}

/* Whether `c` closes the innermost bracket of the malformed call. A closer of another kind, or
 * without an open bracket, is ignored, so that the call ends with its last bracket and contains all
 * its strings. */
static bool close_bracket(haft__malformed_call *malformed, char c)
{
    bool own = malformed->depth > malformed->floor;
    if (!own
        || (malformed->depth <= COUNT(malformed->closers)
            && malformed->closers[malformed->depth - 1] != c)) {
        return false;
    }
    malformed->depth--;
    return true;
}

haft__malformed_call_step haft__malformed_call_scan_byte(const haft__parser *p,
                                                         haft__malformed_call *malformed, char c)
{
    bool element = malformed->resumes && malformed->depth == malformed->floor;
    bool ends_value = malformed->resumes || p->format->open_ended;
    if (malformed->quote != '\0') {
        on_string(malformed, c);
        return HAFT__MALFORMED_CONTINUES;
    }
    if (haft__malformed_call_tag_is_header(&malformed->tag)) {
        return HAFT__MALFORMED_CONTINUES;
    }
    switch (c) {
    case ' ':
    case '\n':
    case '\r':
    case '\t': return HAFT__MALFORMED_CONTINUES;
    case '"': malformed->quote = c; break;
    case '\'':
        if (malformed->last != '\0' && strchr("{[,:(=", malformed->last) != NULL) {
            malformed->quote = c; /* at the start of a value or key, not inside a word */
        }
        break;
    case '{':
    case '[': open_bracket(malformed, c); break;
    case '(':
        if (may_open_parenthesis(malformed)) {
            open_bracket(malformed, c);
        }
        break;
    case ':': check_string(malformed); break;
    case ',':
        check_string(malformed);
        if (element) {
            return HAFT__MALFORMED_ENDS_BEFORE;
        }
        break;
    case '}':
    case ']':
    case ')':
        check_string(malformed);
        if (element && c == ']') { /* a brace does not end an array */
            return HAFT__MALFORMED_ENDS_BEFORE;
        }
        if (close_bracket(malformed, c) && malformed->depth == malformed->floor && ends_value) {
            return HAFT__MALFORMED_ENDS_AFTER;
        }
        break;
    default: break;
    }
    malformed->last = c;
    return HAFT__MALFORMED_CONTINUES;
}

void haft__malformed_call_scan_header(haft__parser *p, haft_str bytes)
{
    haft__malformed_call *malformed = &p->malformed;
    for (size_t i = 0; i < bytes.len; i++) {
        (void)haft__malformed_call_scan_byte(p, malformed, bytes.ptr[i]);
    }
}

void haft__malformed_call_reset(haft__parser *p)
{
    haft__malformed_call *malformed = &p->malformed;
    malformed->depth = malformed->floor = malformed->level = 0;
    malformed->quote = malformed->last = '\0';
    malformed->escape = malformed->resumes = false;
    malformed->tag.state = 0;
    malformed->mark = NULL;
}
