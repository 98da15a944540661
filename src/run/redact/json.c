/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.c - chooses the parts of a JSON text to replace, so that the result is JSON.
 *
 * Inside a string, a part that would split an escape is widened to the whole escape. If a part is
 * not inside one string (in a number, over a quote, over several values), a string replaces the
 * smallest value that contains the part.
 *
 * Tests: tests/run/redact/json_test.c.
 */
#include <assert.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "run/redact/redact_int.h"
#include "json/stream.h"

/* The state of the walk over a text that is valid JSON. */
typedef struct walk {
    haft_str text;
    size_t at;
    haft__redact_span *found; /* sorted, disjoint */
    size_t count, next;       /* number of spans in `found`; index of the next span to process */
    haft__buf *parts;
    size_t open[HAFT__LIMIT_JSON_DEPTH]; /* start of each open container */
    size_t depth;
    bool widening; /* the value that contains from..to will be replaced when it ends */
    size_t from, to;
} walk;

/* ---- is it JSON? ---- */

static bool looks_like_json(haft_str text)
{
    text = haft__str_trim(text);
    return text.len > 0 && text.ptr[0] != '\0' && strchr("{[\"-0123456789tfn", text.ptr[0]) != NULL;
}

static haft_status check_json(haft_str text)
{
    haft__json_stream stream;
    haft__json_event event = {.kind = HAFT__JSON_EVENT_BEGIN};
    haft_status status = HAFT_OK;
    haft__json_stream_init(&stream, NULL);
    while (status == HAFT_OK && event.kind != HAFT__JSON_EVENT_MORE) {
        status = haft__json_stream_next(&stream, &text, &event, NULL);
    }
    haft__json_stream_end(&stream);
    event.kind = HAFT__JSON_EVENT_BEGIN;
    while (status == HAFT_OK && event.kind != HAFT__JSON_EVENT_MORE) {
        status = haft__json_stream_next(&stream, &text, &event, NULL);
    }
    haft__json_stream_finish(&stream);
    return status;
}

/* ---- spans ---- */

static void add_part(walk *w, size_t from, size_t to, bool quoted)
{
    haft__redact_span part = {.from = from, .to = to, .quoted = quoted};
    haft__buf_add(w->parts, (const char *)&part, sizeof(part));
}

/* A value has ended. If it is the smallest value that contains from..to, the whole value becomes
 * one part. This part replaces all parts inside the value. */
static void end_value(walk *w, size_t from, size_t to)
{
    size_t count;
    const haft__redact_span *all = haft__redact_spans(w->parts, &count);
    if (!w->widening || from > w->from || to < w->to) {
        return;
    }
    while (count > 0 && all[count - 1].from >= from) {
        count--;
    }
    w->parts->len = count * sizeof(*all);
    w->widening = false;
    add_part(w, from, to, true);
}

static void widen_to_value(walk *w, const haft__redact_span *part)
{
    w->from = w->widening && w->from < part->from ? w->from : part->from;
    w->to = w->widening && w->to > part->to ? w->to : part->to;
    w->widening = true;
}

/* Processes all spans that begin before `to`, in a token that is not a string. */
static void widen_spans_before(walk *w, size_t to)
{
    for (; w->next < w->count && w->found[w->next].from < to; w->next++) {
        widen_to_value(w, &w->found[w->next]);
    }
}

/* ---- strings ---- */

static size_t escape_length(haft_str text, size_t at)
{
    return text.ptr[at + 1] == 'u' ? 6 : 2;
}

/* The end of the string that begins at w->at, after its closing quote. */
static size_t string_end(const walk *w)
{
    size_t at = w->at + 1;
    while (w->text.ptr[at] != '"') {
        at += w->text.ptr[at] == '\\' ? escape_length(w->text, at) : 1;
    }
    return at + 1;
}

/* Widens a part that begins or ends inside an escape to the whole escape. `io_at` is the current
 * position in the string; it only increases. */
static void widen_to_escapes(const walk *w, haft__redact_span *part, size_t *io_at)
{
    size_t at = *io_at;
    while (at < part->to) {
        bool escape = w->text.ptr[at] == '\\';
        size_t end = at + (escape ? escape_length(w->text, at) : 1);
        part->from = at < part->from && part->from < end ? at : part->from;
        part->to = part->to < end ? end : part->to;
        at = end;
    }
    *io_at = at;
}

static void add_spans_in_string(walk *w, size_t end)
{
    size_t at = w->at + 1;
    for (; w->next < w->count && w->found[w->next].from < end; w->next++) {
        haft__redact_span *part = &w->found[w->next];
        if (part->from > w->at && part->to < end) {
            widen_to_escapes(w, part, &at);
            add_part(w, part->from, part->to, false);
        } else {
            widen_to_value(w, part);
        }
    }
}

static bool is_key(const walk *w, size_t end)
{
    while (end < w->text.len && memchr(" \t\r\n", w->text.ptr[end], 4) != NULL) {
        end++;
    }
    return end < w->text.len && w->text.ptr[end] == ':';
}

/* ---- the walk ---- */

static void walk_string(walk *w)
{
    size_t end = string_end(w);
    add_spans_in_string(w, end);
    if (!is_key(w, end)) {
        end_value(w, w->at, end);
    }
    w->at = end;
}

/* A number or a literal. */
static void walk_scalar(walk *w)
{
    size_t end = w->at;
    while (end < w->text.len && memchr(",:]} \t\r\n", w->text.ptr[end], 8) == NULL) {
        end++;
    }
    widen_spans_before(w, end);
    end_value(w, w->at, end);
    w->at = end;
}

static void walk_token(walk *w)
{
    char c = w->text.ptr[w->at];
    if (c == '"') {
        walk_string(w);
        return;
    }
    if (memchr("{[]},: \t\r\n", c, 10) == NULL) {
        walk_scalar(w);
        return;
    }
    if (c == '{' || c == '[') {
        w->open[w->depth++] = w->at;
    }
    widen_spans_before(w, w->at + 1);
    if (c == '}' || c == ']') {
        end_value(w, w->open[--w->depth], w->at + 1);
    }
    w->at++;
}

bool haft__redact_fit_json(haft_str text, const haft__buf *found, haft__buf *parts)
{
    if (!looks_like_json(text)) {
        return false;
    }
    haft_status status = check_json(text);
    if (status != HAFT_OK) {
        parts->status = status == HAFT_NO_MEMORY ? status : parts->status;
        return false;
    }
    walk w = {.text = text, .parts = parts};
    w.found = haft__redact_spans(found, &w.count);
    while (w.at < text.len) {
        walk_token(&w);
    }
    /* No span begins or ends in the white space around the value. */
    assert(!w.widening && w.depth == 0);
    return parts->status == HAFT_OK;
}
