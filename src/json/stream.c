/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the incremental JSON reader, a push automaton over bytes.
 *
 * Each on_* function handles one state: it consumes bytes at the cursor and returns the result of
 * the step. Invariants:
 *   1. A byte is consumed once. A token that the end of a piece cuts is kept in the stream: `token`
 *      (key or number), `partial` (UTF-8 sequence), `code` and `high` (\u escape).
 *   2. Decisions depend on the bytes alone, never on how they were cut; only the number and
 *      size of PART events do.
 * Tests: tests/json/stream_test.c. Fuzzer: fuzz/json_split.c.
 */
#include "json/stream.h"

#include <assert.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/str.h"
#include "json/stream_int.h"

static bool in_object(const haft__json_stream *s)
{
    uint32_t level = s->depth - 1;
    return (s->objects[level / 64] >> (level % 64) & 1) != 0;
}

static void skip_space(haft__stream_cursor *c)
{
    for (; c->p < c->end; c->p++) {
        if (*c->p == '\n') {
            c->s->line++;
            c->s->line_start = haft__stream_offset(c) + 1;
        } else if (*c->p != ' ' && *c->p != '\r' && *c->p != '\t') {
            return;
        }
    }
}

static bool count_value(haft__stream_cursor *c)
{
    return ++c->s->values <= c->s->options.max_values;
}

static haft__stream_step fail_values(haft__stream_cursor *c)
{
    return haft__stream_fail_limit(c, haft__stream_offset(c), c->s->options.max_values, "values");
}

static haft__stream_step begin_container(haft__stream_cursor *c, bool object)
{
    haft__json_stream *s = c->s;
    if (s->depth >= s->options.max_depth) {
        return haft__stream_fail_limit(c, haft__stream_offset(c), s->options.max_depth,
                                       "levels of nesting");
    }
    haft__json value = {.kind = object ? HAFT__JSON_OBJECT : HAFT__JSON_ARRAY};
    haft__stream_step result = haft__stream_emit(c, HAFT__JSON_EVENT_BEGIN, value);
    uint64_t bit = (uint64_t)1 << (s->depth % 64);
    uint64_t *word = &s->objects[s->depth / 64];
    *word = object ? *word | bit : *word & ~bit;
    s->depth++;
    s->state = object ? HAFT__JSON_AT_KEY_OR_END : HAFT__JSON_AT_VALUE_OR_END;
    c->p++;
    return result;
}

static haft__stream_step end_container(haft__stream_cursor *c)
{
    haft__json_stream *s = c->s;
    haft__json value = {.kind = in_object(s) ? HAFT__JSON_OBJECT : HAFT__JSON_ARRAY};
    s->depth--;
    s->state = haft__stream_after_value(s);
    c->p++;
    return haft__stream_emit(c, HAFT__JSON_EVENT_END, value);
}

static haft__stream_step begin_string(haft__stream_cursor *c, bool is_key)
{
    c->s->is_key = is_key;
    c->s->state = HAFT__JSON_IN_STRING;
    c->p++;
    c->s->token_start = haft__stream_offset(c);
    return HAFT__STREAM_CONTINUE;
}

static haft__stream_step begin_number(haft__stream_cursor *c)
{
    /* The first byte chooses the state; on_number consumes it. */
    c->s->token_start = haft__stream_offset(c);
    c->s->state = *c->p == '-'   ? HAFT__JSON_IN_MINUS
                  : *c->p == '0' ? HAFT__JSON_IN_ZERO
                                 : HAFT__JSON_IN_INTEGER;
    return HAFT__STREAM_CONTINUE;
}

static haft__stream_step begin_literal(haft__stream_cursor *c, const char *word)
{
    c->s->literal = word;
    c->s->literal_at = 0;
    c->s->state = HAFT__JSON_IN_LITERAL;
    return HAFT__STREAM_CONTINUE;
}

/* `problem` is reported if no value can begin with the next byte. */
static haft__stream_step begin_value(haft__stream_cursor *c, haft__json_problem problem)
{
    char first = *c->p;
    bool known = first == '{' || first == '[' || first == '"' || first == '-'
                 || haft__ascii_is_digit(first) || first == 't' || first == 'f' || first == 'n';
    if (!known) {
        bool bom = first == HAFT__JSON_BOM && haft__stream_offset(c) == 0;
        return haft__stream_fail(c, bom ? HAFT__JSON_PROBLEM_BOM : problem);
    }
    if (!count_value(c)) {
        return fail_values(c);
    }
    switch (first) {
    case '{': return begin_container(c, true);
    case '[': return begin_container(c, false);
    case '"': return begin_string(c, false);
    case 't': return begin_literal(c, "true");
    case 'f': return begin_literal(c, "false");
    case 'n': return begin_literal(c, "null");
    default: return begin_number(c);
    }
}

static haft__stream_step on_value(haft__stream_cursor *c)
{
    bool or_end = c->s->state == HAFT__JSON_AT_VALUE_OR_END;
    if (or_end && *c->p == ']') {
        return end_container(c);
    }
    return begin_value(c, or_end ? HAFT__JSON_PROBLEM_VALUE_OR_END : HAFT__JSON_PROBLEM_VALUE);
}

static haft__stream_step on_key(haft__stream_cursor *c)
{
    bool or_end = c->s->state == HAFT__JSON_AT_KEY_OR_END;
    if (or_end && *c->p == '}') {
        return end_container(c);
    }
    if (*c->p != '"') {
        return haft__stream_fail(c,
                                 or_end ? HAFT__JSON_PROBLEM_KEY_OR_END : HAFT__JSON_PROBLEM_KEY);
    }
    return count_value(c) ? begin_string(c, true) : fail_values(c);
}

static haft__stream_step on_colon(haft__stream_cursor *c)
{
    if (*c->p != ':') {
        return haft__stream_fail(c, HAFT__JSON_PROBLEM_COLON);
    }
    c->p++;
    c->s->state = HAFT__JSON_AT_VALUE;
    return HAFT__STREAM_CONTINUE;
}

static haft__stream_step on_separator(haft__stream_cursor *c)
{
    bool object = in_object(c->s);
    if (*c->p == ',') {
        c->p++;
        c->s->state = object ? HAFT__JSON_AT_KEY : HAFT__JSON_AT_VALUE;
        return HAFT__STREAM_CONTINUE;
    }
    if (*c->p == (object ? '}' : ']')) {
        return end_container(c);
    }
    return haft__stream_fail(c, object ? HAFT__JSON_PROBLEM_COMMA_OBJECT
                                       : HAFT__JSON_PROBLEM_COMMA_ARRAY);
}

/* ---- numbers and literals ---- */

/* The state after a byte inside a number; AT_SEPARATOR if the number ends before it, FAILED if it
 * cannot end there. */
static haft__json_stream_state number_edge(haft__json_stream_state state, char byte)
{
    bool digit = haft__ascii_is_digit(byte), e = (byte | 0x20) == 'e';
    switch (state) {
    case HAFT__JSON_IN_MINUS:
        return byte == '0' ? HAFT__JSON_IN_ZERO : digit ? HAFT__JSON_IN_INTEGER : HAFT__JSON_FAILED;
    case HAFT__JSON_IN_ZERO:
        if (digit) {
            return HAFT__JSON_FAILED;
        }
        return byte == '.' ? HAFT__JSON_IN_POINT : e ? HAFT__JSON_IN_E : HAFT__JSON_AT_SEPARATOR;
    case HAFT__JSON_IN_INTEGER:
        return digit         ? HAFT__JSON_IN_INTEGER
               : byte == '.' ? HAFT__JSON_IN_POINT
               : e           ? HAFT__JSON_IN_E
                             : HAFT__JSON_AT_SEPARATOR;
    case HAFT__JSON_IN_FRACTION:
        return digit ? HAFT__JSON_IN_FRACTION : e ? HAFT__JSON_IN_E : HAFT__JSON_AT_SEPARATOR;
    case HAFT__JSON_IN_POINT: return digit ? HAFT__JSON_IN_FRACTION : HAFT__JSON_FAILED;
    case HAFT__JSON_IN_E:
        if (byte == '+' || byte == '-') {
            return HAFT__JSON_IN_SIGN;
        }
        return digit ? HAFT__JSON_IN_EXPONENT : HAFT__JSON_FAILED;
    case HAFT__JSON_IN_SIGN: return digit ? HAFT__JSON_IN_EXPONENT : HAFT__JSON_FAILED;
    case HAFT__JSON_IN_EXPONENT: return digit ? HAFT__JSON_IN_EXPONENT : HAFT__JSON_AT_SEPARATOR;
    default: HAFT__UNREACHABLE(); /* only called inside numbers */
    }
}

/* The number is complete; `last` is its last piece, in the current bytes. */
static haft__stream_step end_number(haft__stream_cursor *c, haft_str last)
{
    haft__json_stream *s = c->s;
    haft_str text;
    if (!haft__stream_end_token(c, last, &text)) {
        return HAFT__STREAM_FAILED;
    }
    bool integer = s->state == HAFT__JSON_IN_ZERO || s->state == HAFT__JSON_IN_INTEGER;
    haft__json value = {.kind = HAFT__JSON_NUMBER,
                        .integer = integer,
                        .count = (uint32_t)text.len,
                        .text = text.ptr};
    s->state = haft__stream_after_value(s);
    return haft__stream_emit(c, HAFT__JSON_EVENT_SCALAR, value);
}

static haft__stream_step fail_number(haft__stream_cursor *c)
{
    return haft__stream_fail(c, c->s->state == HAFT__JSON_IN_ZERO ? HAFT__JSON_PROBLEM_LEADING_ZERO
                                                                  : HAFT__JSON_PROBLEM_DIGIT);
}

static haft__stream_step on_number(haft__stream_cursor *c)
{
    haft__json_stream *s = c->s;
    const char *from = c->p;
    size_t used = haft__stream_offset(c) - s->token_start;
    if (used == 0) {
        c->p++; /* the first byte has already chosen the state */
        used = 1;
    }
    for (; c->p < c->end; c->p++, used++) {
        haft__json_stream_state next = number_edge(s->state, *c->p);
        if (next == HAFT__JSON_FAILED) {
            return fail_number(c);
        }
        if (next == HAFT__JSON_AT_SEPARATOR) {
            return end_number(c, (haft_str){from, (size_t)(c->p - from)});
        }
        if (used == s->options.max_number_bytes) {
            return haft__stream_fail_limit(c, s->token_start, used, "characters in a number");
        }
        s->state = next;
    }
    haft__buf_add(&s->token, from, (size_t)(c->p - from));
    return HAFT__STREAM_CONTINUE;
}

static haft__stream_step on_literal(haft__stream_cursor *c)
{
    haft__json_stream *s = c->s;
    if (*c->p != s->literal[s->literal_at]) {
        return haft__stream_fail(c, HAFT__JSON_PROBLEM_LITERAL);
    }
    c->p++;
    if (s->literal[++s->literal_at] != '\0') {
        return HAFT__STREAM_CONTINUE;
    }
    haft__json_kind kind = s->literal[0] == 't'   ? HAFT__JSON_TRUE
                           : s->literal[0] == 'f' ? HAFT__JSON_FALSE
                                                  : HAFT__JSON_NULL;
    s->state = haft__stream_after_value(s);
    return haft__stream_emit(c, HAFT__JSON_EVENT_SCALAR, (haft__json){.kind = (uint8_t)kind});
}

/* ---- the whole ---- */

static haft__stream_step on_byte(haft__stream_cursor *c)
{
    switch (c->s->state) {
    case HAFT__JSON_AT_VALUE:
    case HAFT__JSON_AT_VALUE_OR_END: return on_value(c);
    case HAFT__JSON_AT_KEY:
    case HAFT__JSON_AT_KEY_OR_END: return on_key(c);
    case HAFT__JSON_AT_COLON: return on_colon(c);
    case HAFT__JSON_AT_SEPARATOR: return on_separator(c);
    case HAFT__JSON_IN_STRING: return haft__stream_on_string(c);
    case HAFT__JSON_IN_UTF8: return haft__stream_on_utf8(c);
    case HAFT__JSON_IN_ESCAPE: return haft__stream_on_escape(c);
    case HAFT__JSON_IN_HEX: return haft__stream_on_hex(c);
    case HAFT__JSON_IN_MINUS:
    case HAFT__JSON_IN_ZERO:
    case HAFT__JSON_IN_INTEGER:
    case HAFT__JSON_IN_POINT:
    case HAFT__JSON_IN_FRACTION:
    case HAFT__JSON_IN_E:
    case HAFT__JSON_IN_SIGN:
    case HAFT__JSON_IN_EXPONENT: return on_number(c);
    case HAFT__JSON_IN_LITERAL: return on_literal(c);
    case HAFT__JSON_AT_END: return haft__stream_fail(c, HAFT__JSON_PROBLEM_NOTHING);
    case HAFT__JSON_AT_DONE:
    case HAFT__JSON_FAILED: break;
    }
    HAFT__UNREACHABLE(); /* both states are handled before a byte is read */
}

/* The input has ended, and the value may be incomplete. */
static haft__stream_step on_end(haft__stream_cursor *c)
{
    static const haft__json_problem missing[] = {
        [HAFT__JSON_AT_VALUE] = HAFT__JSON_PROBLEM_VALUE,
        [HAFT__JSON_AT_VALUE_OR_END] = HAFT__JSON_PROBLEM_VALUE_OR_END,
        [HAFT__JSON_AT_KEY] = HAFT__JSON_PROBLEM_KEY,
        [HAFT__JSON_AT_KEY_OR_END] = HAFT__JSON_PROBLEM_KEY_OR_END,
        [HAFT__JSON_AT_COLON] = HAFT__JSON_PROBLEM_COLON,
        [HAFT__JSON_AT_SEPARATOR] = HAFT__JSON_PROBLEM_COMMA_ARRAY,
        [HAFT__JSON_IN_STRING] = HAFT__JSON_PROBLEM_STRING_END,
        [HAFT__JSON_IN_UTF8] = HAFT__JSON_PROBLEM_STRING_END,
        [HAFT__JSON_IN_ESCAPE] = HAFT__JSON_PROBLEM_ESCAPE,
        [HAFT__JSON_IN_HEX] = HAFT__JSON_PROBLEM_HEX,
        [HAFT__JSON_IN_MINUS] = HAFT__JSON_PROBLEM_DIGIT,
        [HAFT__JSON_IN_POINT] = HAFT__JSON_PROBLEM_DIGIT,
        [HAFT__JSON_IN_E] = HAFT__JSON_PROBLEM_DIGIT,
        [HAFT__JSON_IN_SIGN] = HAFT__JSON_PROBLEM_DIGIT,
        [HAFT__JSON_IN_LITERAL] = HAFT__JSON_PROBLEM_LITERAL,
    };
    haft__json_stream_state state = c->s->state;
    bool whole_number = state == HAFT__JSON_IN_ZERO || state == HAFT__JSON_IN_INTEGER
                        || state == HAFT__JSON_IN_FRACTION || state == HAFT__JSON_IN_EXPONENT;
    if (whole_number) {
        return end_number(c, (haft_str){NULL, 0});
    }
    bool in_member = state == HAFT__JSON_AT_SEPARATOR && in_object(c->s);
    return haft__stream_fail(c, in_member ? HAFT__JSON_PROBLEM_COMMA_OBJECT : missing[state]);
}

/* The bytes are used up. */
static haft__stream_step on_empty(haft__stream_cursor *c)
{
    haft__json_stream *s = c->s;
    if (s->ended && s->state != HAFT__JSON_AT_END) {
        return on_end(c);
    }
    if (s->decoded_count > 0) {
        return haft__stream_emit_text(c, HAFT__JSON_EVENT_PART, haft__stream_take_decoded(s));
    }
    return haft__stream_emit(c, HAFT__JSON_EVENT_MORE, (haft__json){0});
}

static bool takes_space(haft__json_stream_state state)
{
    return state <= HAFT__JSON_AT_SEPARATOR || state == HAFT__JSON_AT_END;
}

static haft__stream_step take_step(haft__stream_cursor *c)
{
    haft__json_stream *s = c->s;
    if (s->state == HAFT__JSON_AT_DONE) {
        s->state = HAFT__JSON_AT_END;
        return haft__stream_emit(c, HAFT__JSON_EVENT_DONE, (haft__json){0});
    }
    if (takes_space(s->state)) {
        skip_space(c);
    }
    return c->p == c->end ? on_empty(c) : on_byte(c);
}

void haft__json_stream_init(haft__json_stream *stream, const haft__json_options *options)
{
    static const haft__json_options defaults = HAFT__JSON_OPTIONS_INIT;
    *stream = (haft__json_stream){.options = options != NULL ? *options : defaults, .line = 1};
    const haft__json_options *used = &stream->options;
    assert(haft__json_options_valid(used));
    haft__buf_init(&stream->token, used->max_key_bytes > used->max_number_bytes
                                       ? used->max_key_bytes
                                       : used->max_number_bytes);
}

void haft__json_stream_finish(haft__json_stream *stream)
{
    haft__buf_finish(&stream->token);
}

void haft__json_stream_end(haft__json_stream *stream)
{
    stream->ended = true;
}

haft_status haft__json_stream_next(haft__json_stream *stream, haft_str *io_bytes,
                                   haft__json_event *ret_event, haft_error *err)
{
    if (stream->state == HAFT__JSON_FAILED) {
        return haft__fail(err, HAFT_BAD_STATE, "", "the text before this had an error");
    }
    const char *start = io_bytes->len > 0 ? io_bytes->ptr : "";
    size_t room = stream->options.max_bytes - stream->offset;
    size_t length = io_bytes->len < room ? io_bytes->len : room;
    haft__stream_cursor c = {stream, start, start + length, start, ret_event, err, HAFT_OK};
    if (stream->token.len > 0 && stream->state <= HAFT__JSON_AT_SEPARATOR) {
        haft__buf_clear(&stream->token); /* it held the last event's text */
    }
    haft__stream_step result;
    do {
        result = take_step(&c);
    } while (result == HAFT__STREAM_CONTINUE);
    bool over = result == HAFT__STREAM_EVENT && ret_event->kind == HAFT__JSON_EVENT_MORE
                && length < io_bytes->len;
    if (over) {
        result = haft__stream_fail_limit(&c, stream->options.max_bytes, stream->options.max_bytes,
                                         "bytes");
    }
    stream->offset += (size_t)(c.p - c.base);
    *io_bytes = haft__str_skip(*io_bytes, (size_t)(c.p - c.base));
    if (result == HAFT__STREAM_FAILED) {
        stream->failed_in = stream->state;
        stream->state = HAFT__JSON_FAILED;
        return c.status;
    }
    return HAFT_OK;
}

haft_status haft__json_is_truncated(haft_str text, bool *ret_cut)
{
    haft__json_stream json;
    haft__json_event event = {.kind = HAFT__JSON_EVENT_BEGIN};
    haft_status status = HAFT_OK;
    haft__json_stream_init(&json, NULL);
    while (status == HAFT_OK && event.kind != HAFT__JSON_EVENT_MORE) {
        status = haft__json_stream_next(&json, &text, &event, NULL);
    }
    haft__json_stream_finish(&json);
    *ret_cut = status == HAFT_OK;
    return status == HAFT_NO_MEMORY ? status : HAFT_OK;
}
