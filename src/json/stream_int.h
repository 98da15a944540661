/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/stream_int.h - shared by the files of the incremental reader: a cursor over one piece of
 * text, and the result of a step of the automaton. Private to its folder.
 */
#ifndef HAFT_JSON_STREAM_INT_H
#define HAFT_JSON_STREAM_INT_H

#include "json/stream.h"
#include "json/syntax.h"

/* The result of a step. */
typedef enum haft__stream_step {
    HAFT__STREAM_CONTINUE, /* continue in the new state */
    HAFT__STREAM_EVENT,    /* the event has been filled in */
    HAFT__STREAM_FAILED,   /* the error has been filled in */
} haft__stream_step;

/* One call of haft__json_stream_next. */
typedef struct haft__stream_cursor {
    haft__json_stream *s;
    const char *p, *end, *base;
    haft__json_event *event;
    haft_error *err;
    haft_status status; /* of HAFT__STREAM_FAILED */
} haft__stream_cursor;

static inline size_t haft__stream_offset(const haft__stream_cursor *c)
{
    return c->s->offset + (size_t)(c->p - c->base);
}

static inline haft__json_position haft__stream_position(const haft__stream_cursor *c, size_t offset)
{
    return (haft__json_position){offset, c->s->line, offset - c->s->line_start + 1};
}

static inline haft__stream_step
haft__stream_fail_at(haft__stream_cursor *c, haft__json_problem problem, size_t offset, int found)
{
    c->status = haft__json_fail(c->err, problem, haft__stream_position(c, offset), found);
    return HAFT__STREAM_FAILED;
}

static inline haft__stream_step haft__stream_fail(haft__stream_cursor *c,
                                                  haft__json_problem problem)
{
    int found = c->p < c->end ? (unsigned char)*c->p : HAFT__JSON_END_OF_TEXT;
    return haft__stream_fail_at(c, problem, haft__stream_offset(c), found);
}

static inline haft__stream_step haft__stream_fail_limit(haft__stream_cursor *c, size_t offset,
                                                        size_t limit, const char *of_what)
{
    c->status = haft__json_fail_limit(c->err, haft__stream_position(c, offset), limit, of_what);
    return HAFT__STREAM_FAILED;
}

static inline haft__stream_step haft__stream_emit(haft__stream_cursor *c,
                                                  haft__json_event_kind kind, haft__json value)
{
    *c->event = (haft__json_event){kind, c->s->depth, value};
    return HAFT__STREAM_EVENT;
}

static inline haft__stream_step haft__stream_emit_text(haft__stream_cursor *c,
                                                       haft__json_event_kind kind, haft_str text)
{
    haft__json value = {.kind = HAFT__JSON_STRING, .count = (uint32_t)text.len, .text = text.ptr};
    return haft__stream_emit(c, kind, value);
}

/* The state after a complete value. */
static inline haft__json_stream_state haft__stream_after_value(const haft__json_stream *s)
{
    return s->depth > 0 ? HAFT__JSON_AT_SEPARATOR : HAFT__JSON_AT_DONE;
}

/* Ends a key or number with its last piece `last`, and joins it with the pieces before, if any.
 * False if they could not be kept. */
static inline bool haft__stream_end_token(haft__stream_cursor *c, haft_str last,
                                          haft_str *ret_token)
{
    haft__buf *token = &c->s->token;
    if (token->len == 0 && token->status == HAFT_OK) {
        *ret_token = last;
        return true;
    }
    haft__buf_add_str(token, last);
    c->status = haft__buf_check(token, c->err);
    *ret_token = haft__buf_str(token);
    return c->status == HAFT_OK;
}

/* stream_string.c: one step inside a string, and inside a character of it. */
haft__stream_step haft__stream_on_string(haft__stream_cursor *c);
haft__stream_step haft__stream_on_utf8(haft__stream_cursor *c);
haft__stream_step haft__stream_on_escape(haft__stream_cursor *c);
haft__stream_step haft__stream_on_hex(haft__stream_cursor *c);

/* Decoded escapes that are not emitted yet; borrowed until more is decoded. */
haft_str haft__stream_take_decoded(haft__json_stream *s);

#endif
