/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the incremental JSON reader, a push automaton over bytes.
 *
 * Each on_* function works in one state: it uses bytes at the cursor and says what came of it.
 * Invariants:
 *   1. A byte is used once. What a piece ends in the middle of is kept in the stream: `token` (key
 *      or number), `held` (UTF-8 sequence), `code` and `high` (\u escape).
 *   2. What is decided depends on the bytes alone, never on how they were cut; only the number and
 *      size of PART events does.
 * Tests: tests/json/stream_test.c. Fuzzer: fuzz/json_split.c.
 */
#include "json/stream.h"

#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "json/syntax.h"

/* What came of a step. */
typedef enum step {
    STEP_ON,     /* go on in the new state */
    STEP_EVENT,  /* the event has been filled in */
    STEP_FAILED, /* the error has been filled in */
} step;

/* One call of haft__json_stream_next. */
typedef struct cursor {
    haft__json_stream *s;
    const char *p, *end, *base;
    haft__json_event *event;
    haft_error *err;
    haft_status status; /* of STEP_FAILED */
} cursor;

static size_t offset_of(const cursor *c)
{
    return c->s->offset + (size_t)(c->p - c->base);
}

static haft__json_place place_at(const cursor *c, size_t offset)
{
    return (haft__json_place){offset, c->s->line, offset - c->s->line_start + 1};
}

static step fail_at(cursor *c, haft__json_problem problem, size_t offset, int found)
{
    c->status = haft__json_fail(c->err, problem, place_at(c, offset), found);
    return STEP_FAILED;
}

static step fail(cursor *c, haft__json_problem problem)
{
    int found = c->p < c->end ? (unsigned char)*c->p : HAFT__JSON_END_OF_TEXT;
    return fail_at(c, problem, offset_of(c), found);
}

static step fail_limit(cursor *c, size_t offset, size_t limit, const char *of_what)
{
    c->status = haft__json_fail_limit(c->err, place_at(c, offset), limit, of_what);
    return STEP_FAILED;
}

static step give(cursor *c, haft__json_event_kind kind, haft__json value)
{
    *c->event = (haft__json_event){kind, c->s->depth, value};
    return STEP_EVENT;
}

static step give_text(cursor *c, haft__json_event_kind kind, haft_str text)
{
    haft__json value = {.kind = HAFT__JSON_STRING, .count = (uint32_t)text.len, .text = text.ptr};
    return give(c, kind, value);
}

static bool in_object(const haft__json_stream *s)
{
    uint32_t level = s->depth - 1;
    return (s->objects[level / 64] >> (level % 64) & 1) != 0;
}

/* The state behind a complete value. */
static haft__json_stream_state after_value(const haft__json_stream *s)
{
    return s->depth > 0 ? HAFT__JSON_AT_SEPARATOR : HAFT__JSON_AT_DONE;
}

static void skip_space(cursor *c)
{
    for (; c->p < c->end; c->p++) {
        if (*c->p == '\n') {
            c->s->line++;
            c->s->line_start = offset_of(c) + 1;
        } else if (*c->p != ' ' && *c->p != '\r' && *c->p != '\t') {
            return;
        }
    }
}

static bool count_value(cursor *c)
{
    return ++c->s->values <= c->s->options.max_values;
}

static step fail_values(cursor *c)
{
    return fail_limit(c, offset_of(c), c->s->options.max_values, "values");
}

static step begin_container(cursor *c, bool object)
{
    haft__json_stream *s = c->s;
    if (s->depth >= s->options.max_depth) {
        return fail_limit(c, offset_of(c), s->options.max_depth, "levels of nesting");
    }
    haft__json value = {.kind = object ? HAFT__JSON_OBJECT : HAFT__JSON_ARRAY};
    step result = give(c, HAFT__JSON_EVENT_BEGIN, value);
    uint64_t bit = (uint64_t)1 << (s->depth % 64);
    uint64_t *word = &s->objects[s->depth / 64];
    *word = object ? *word | bit : *word & ~bit;
    s->depth++;
    s->state = object ? HAFT__JSON_AT_KEY_OR_END : HAFT__JSON_AT_VALUE_OR_END;
    c->p++;
    return result;
}

static step end_container(cursor *c)
{
    haft__json_stream *s = c->s;
    haft__json value = {.kind = in_object(s) ? HAFT__JSON_OBJECT : HAFT__JSON_ARRAY};
    s->depth--;
    s->state = after_value(s);
    c->p++;
    return give(c, HAFT__JSON_EVENT_END, value);
}

static step begin_string(cursor *c, bool is_key)
{
    c->s->is_key = is_key;
    c->s->state = HAFT__JSON_IN_STRING;
    c->p++;
    c->s->token_start = offset_of(c);
    return STEP_ON;
}

static step begin_number(cursor *c)
{
    /* Seen as if behind nothing, '-' and the first digit are ordinary edges of the automaton. */
    c->s->token_start = offset_of(c);
    c->s->state = *c->p == '-'   ? HAFT__JSON_IN_MINUS
                  : *c->p == '0' ? HAFT__JSON_IN_ZERO
                                 : HAFT__JSON_IN_INTEGER;
    return STEP_ON;
}

static step begin_literal(cursor *c, const char *word)
{
    c->s->literal = word;
    c->s->literal_at = 0;
    c->s->state = HAFT__JSON_IN_LITERAL;
    return STEP_ON;
}

static step begin_value(cursor *c, haft__json_problem otherwise)
{
    char first = *c->p;
    bool known = first == '{' || first == '[' || first == '"' || first == '-'
                 || (first >= '0' && first <= '9') || first == 't' || first == 'f' || first == 'n';
    if (!known) {
        bool bom = first == HAFT__JSON_BOM && offset_of(c) == 0;
        return fail(c, bom ? HAFT__JSON_PROBLEM_BOM : otherwise);
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

static step on_value(cursor *c)
{
    bool or_end = c->s->state == HAFT__JSON_AT_VALUE_OR_END;
    if (or_end && *c->p == ']') {
        return end_container(c);
    }
    return begin_value(c, or_end ? HAFT__JSON_PROBLEM_VALUE_OR_END : HAFT__JSON_PROBLEM_VALUE);
}

static step on_key(cursor *c)
{
    bool or_end = c->s->state == HAFT__JSON_AT_KEY_OR_END;
    if (or_end && *c->p == '}') {
        return end_container(c);
    }
    if (*c->p != '"') {
        return fail(c, or_end ? HAFT__JSON_PROBLEM_KEY_OR_END : HAFT__JSON_PROBLEM_KEY);
    }
    return count_value(c) ? begin_string(c, true) : fail_values(c);
}

static step on_colon(cursor *c)
{
    if (*c->p != ':') {
        return fail(c, HAFT__JSON_PROBLEM_COLON);
    }
    c->p++;
    c->s->state = HAFT__JSON_AT_VALUE;
    return STEP_ON;
}

static step on_separator(cursor *c)
{
    bool object = in_object(c->s);
    if (*c->p == ',') {
        c->p++;
        c->s->state = object ? HAFT__JSON_AT_KEY : HAFT__JSON_AT_VALUE;
        return STEP_ON;
    }
    if (*c->p == (object ? '}' : ']')) {
        return end_container(c);
    }
    return fail(c, object ? HAFT__JSON_PROBLEM_COMMA_OBJECT : HAFT__JSON_PROBLEM_COMMA_ARRAY);
}

/* ---- strings ---- */

static haft_str take_decoded(haft__json_stream *s)
{
    /* The bytes stay where they are until something new is decoded. */
    haft_str text = {s->decoded, s->decoded_count};
    s->decoded_count = 0;
    return text;
}

/* A character that was not simply in the text: into the key, or to be passed on. */
static void put(haft__json_stream *s, const char *bytes, size_t count)
{
    if (s->is_key) {
        haft__buf_add(&s->token, bytes, count);
        return;
    }
    memcpy(s->decoded + s->decoded_count, bytes, count);
    s->decoded_count += (uint32_t)count;
}

static void put_code(haft__json_stream *s, uint32_t code)
{
    char bytes[HAFT__UTF8_MAX_BYTES];
    put(s, bytes, haft__utf8_encode(code, bytes));
}

/* A high surrogate was the last thing, and what follows is no low one. */
static void put_lone_high(haft__json_stream *s)
{
    if (s->high != 0) {
        s->high = 0;
        s->notes.lone_surrogates++;
        put_code(s, HAFT__UTF8_REPLACEMENT);
    }
}

static step end_key(cursor *c, haft_str rest)
{
    haft__json_stream *s = c->s;
    haft_str key = rest;
    if (s->token.len > 0 || s->token.status != HAFT_OK) {
        haft__buf_add_str(&s->token, rest);
        c->status = haft__buf_check(&s->token, c->err);
        if (c->status != HAFT_OK) {
            return STEP_FAILED;
        }
        key = haft__buf_str(&s->token);
    }
    s->state = HAFT__JSON_AT_COLON;
    return give_text(c, HAFT__JSON_EVENT_KEY, key);
}

/* The first byte from p on that is a quote, backslash, control character, or starts a UTF-8
 * sequence that is not whole and valid here. */
static const char *skip_text(const char *p, const char *end)
{
    for (;;) {
        p = haft__json_skip_plain(p, end);
        if (p == end || (unsigned char)*p < 0x80) {
            return p;
        }
        uint32_t code;
        size_t length = haft__utf8_decode((haft_str){p, (size_t)(end - p)}, &code);
        if (length == 0) {
            return p;
        }
        p += length;
    }
}

/* A run of text as it is; `stop` is where it ends. */
static step pass_run(cursor *c, const char *stop)
{
    haft_str run = {c->p, (size_t)(stop - c->p)};
    bool closed = stop < c->end && *stop == '"';
    if (!c->s->is_key && c->s->decoded_count > 0) {
        return give_text(c, HAFT__JSON_EVENT_PART, take_decoded(c->s));
    }
    c->p = stop + closed;
    if (c->s->is_key) {
        if (closed) {
            return end_key(c, run);
        }
        haft__buf_add_str(&c->s->token, run);
        return STEP_ON;
    }
    if (closed) {
        c->s->state = after_value(c->s);
    }
    return give_text(c, closed ? HAFT__JSON_EVENT_SCALAR : HAFT__JSON_EVENT_PART, run);
}

static step on_quote(cursor *c)
{
    c->p++;
    if (c->s->is_key) {
        return end_key(c, (haft_str){NULL, 0});
    }
    c->s->state = after_value(c->s);
    return give_text(c, HAFT__JSON_EVENT_SCALAR, take_decoded(c->s));
}

/* Bytes of the key that may still come, or SIZE_MAX in a value. */
static size_t key_room(const cursor *c)
{
    const haft__json_stream *s = c->s;
    return s->is_key ? s->options.max_key_bytes - (offset_of(c) - s->token_start) : SIZE_MAX;
}

static step fail_key(cursor *c)
{
    return fail_limit(c, c->s->token_start - 1, c->s->options.max_key_bytes, "bytes in a key");
}

/* A byte that cannot be passed on as it is. */
static step on_special(cursor *c)
{
    haft__json_stream *s = c->s;
    if (*c->p == '\\') {
        if (s->decoded_count > sizeof(s->decoded) - 2 * HAFT__UTF8_MAX_BYTES) {
            return give_text(c, HAFT__JSON_EVENT_PART, take_decoded(s));
        }
        c->p++;
        s->state = HAFT__JSON_IN_ESCAPE;
        return STEP_ON;
    }
    if ((unsigned char)*c->p < 0x20) {
        return fail(c, HAFT__JSON_PROBLEM_CONTROL);
    }
    s->held[0] = *c->p++;
    s->held_count = 1;
    s->state = HAFT__JSON_IN_UTF8;
    bool lead = haft__utf8_incomplete((haft_str){s->held, 1});
    return lead ? STEP_ON
                : fail_at(c, HAFT__JSON_PROBLEM_UTF8, offset_of(c) - 1, (unsigned char)s->held[0]);
}

static step on_string(cursor *c)
{
    haft__json_stream *s = c->s;
    if (*c->p != '\\') {
        put_lone_high(s);
    }
    if (*c->p == '"') {
        return on_quote(c);
    }
    size_t room = key_room(c);
    if (room == 0) {
        return fail_key(c);
    }
    const char *end = (size_t)(c->end - c->p) > room ? c->p + room : c->end;
    const char *stop = skip_text(c->p, end);
    return stop > c->p ? pass_run(c, stop) : on_special(c);
}

/* Inside a UTF-8 sequence that the end of a piece (or a limit) cut. */
static step on_utf8(cursor *c)
{
    haft__json_stream *s = c->s;
    if (key_room(c) == 0) {
        return fail_key(c);
    }
    if (s->decoded_count > sizeof(s->decoded) - HAFT__UTF8_MAX_BYTES) {
        return give_text(c, HAFT__JSON_EVENT_PART, take_decoded(s));
    }
    s->held[s->held_count++] = *c->p;
    haft_str held = {s->held, s->held_count};
    if (haft__utf8_valid(held)) {
        put(s, held.ptr, held.len);
        s->state = HAFT__JSON_IN_STRING;
    } else if (!haft__utf8_incomplete(held)) {
        size_t start = offset_of(c) + 1 - s->held_count;
        return fail_at(c, HAFT__JSON_PROBLEM_UTF8, start, (unsigned char)s->held[0]);
    }
    c->p++;
    return STEP_ON;
}

static step on_escape(cursor *c)
{
    haft__json_stream *s = c->s;
    if (key_room(c) == 0) {
        return fail_key(c);
    }
    if (*c->p == 'u') {
        s->hex_left = 4;
        s->code = 0;
        s->state = HAFT__JSON_IN_HEX;
    } else {
        char meant = haft__json_simple_escape(*c->p);
        if (meant == 0) {
            return fail(c, HAFT__JSON_PROBLEM_ESCAPE);
        }
        put_lone_high(s);
        put(s, &meant, 1);
        s->state = HAFT__JSON_IN_STRING;
    }
    c->p++;
    return STEP_ON;
}

/* A complete \u escape, perhaps the second half of a pair. */
static void put_unicode(haft__json_stream *s, uint32_t code)
{
    if (s->high != 0 && haft__json_is_low_surrogate(code)) {
        put_code(s, haft__json_join_surrogates(s->high, code));
        s->high = 0;
        return;
    }
    put_lone_high(s);
    if (haft__json_is_high_surrogate(code)) {
        s->high = code;
    } else if (haft__json_is_low_surrogate(code)) {
        s->notes.lone_surrogates++;
        put_code(s, HAFT__UTF8_REPLACEMENT);
    } else {
        put_code(s, code);
    }
}

static step on_hex(cursor *c)
{
    haft__json_stream *s = c->s;
    if (key_room(c) == 0) {
        return fail_key(c);
    }
    int digit = haft__json_hex(*c->p);
    if (digit < 0) {
        return fail(c, HAFT__JSON_PROBLEM_HEX);
    }
    s->code = s->code << 4 | (uint32_t)digit;
    c->p++;
    if (--s->hex_left == 0) {
        put_unicode(s, s->code);
        s->state = HAFT__JSON_IN_STRING;
    }
    return STEP_ON;
}

/* ---- numbers and literals ---- */

/* Where a byte leads inside a number; AT_SEPARATOR when the number ends in front of it, FAILED when
 * it cannot end there. */
static haft__json_stream_state number_edge(haft__json_stream_state state, char byte)
{
    bool digit = byte >= '0' && byte <= '9', e = (byte | 0x20) == 'e';
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

/* The number is complete; `last` is the piece of it that stands in the current bytes. */
static step end_number(cursor *c, haft_str last)
{
    haft__json_stream *s = c->s;
    haft_str text = last;
    if (s->token.len > 0 || s->token.status != HAFT_OK) {
        haft__buf_add_str(&s->token, last);
        c->status = haft__buf_check(&s->token, c->err);
        if (c->status != HAFT_OK) {
            return STEP_FAILED;
        }
        text = haft__buf_str(&s->token);
    }
    bool integer = s->state == HAFT__JSON_IN_ZERO || s->state == HAFT__JSON_IN_INTEGER;
    haft__json value = {.kind = HAFT__JSON_NUMBER,
                        .integer = integer,
                        .count = (uint32_t)text.len,
                        .text = text.ptr};
    s->state = after_value(s);
    return give(c, HAFT__JSON_EVENT_SCALAR, value);
}

static step fail_number(cursor *c)
{
    return fail(c, c->s->state == HAFT__JSON_IN_ZERO ? HAFT__JSON_PROBLEM_LEADING_ZERO
                                                     : HAFT__JSON_PROBLEM_DIGIT);
}

static step on_number(cursor *c)
{
    haft__json_stream *s = c->s;
    const char *from = c->p;
    size_t used = offset_of(c) - s->token_start;
    if (used == 0) {
        c->p++; /* the first byte chose the state already */
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
            return fail_limit(c, s->token_start, used, "characters in a number");
        }
        s->state = next;
    }
    haft__buf_add(&s->token, from, (size_t)(c->p - from));
    return STEP_ON;
}

static step on_literal(cursor *c)
{
    haft__json_stream *s = c->s;
    if (*c->p != s->literal[s->literal_at]) {
        return fail(c, HAFT__JSON_PROBLEM_LITERAL);
    }
    c->p++;
    if (s->literal[++s->literal_at] != '\0') {
        return STEP_ON;
    }
    haft__json_kind kind = s->literal[0] == 't'   ? HAFT__JSON_TRUE
                           : s->literal[0] == 'f' ? HAFT__JSON_FALSE
                                                  : HAFT__JSON_NULL;
    s->state = after_value(s);
    return give(c, HAFT__JSON_EVENT_SCALAR, (haft__json){.kind = (uint8_t)kind});
}

/* ---- the whole ---- */

static step on_byte(cursor *c)
{
    switch (c->s->state) {
    case HAFT__JSON_AT_VALUE:
    case HAFT__JSON_AT_VALUE_OR_END: return on_value(c);
    case HAFT__JSON_AT_KEY:
    case HAFT__JSON_AT_KEY_OR_END: return on_key(c);
    case HAFT__JSON_AT_COLON: return on_colon(c);
    case HAFT__JSON_AT_SEPARATOR: return on_separator(c);
    case HAFT__JSON_IN_STRING: return on_string(c);
    case HAFT__JSON_IN_UTF8: return on_utf8(c);
    case HAFT__JSON_IN_ESCAPE: return on_escape(c);
    case HAFT__JSON_IN_HEX: return on_hex(c);
    case HAFT__JSON_IN_MINUS:
    case HAFT__JSON_IN_ZERO:
    case HAFT__JSON_IN_INTEGER:
    case HAFT__JSON_IN_POINT:
    case HAFT__JSON_IN_FRACTION:
    case HAFT__JSON_IN_E:
    case HAFT__JSON_IN_SIGN:
    case HAFT__JSON_IN_EXPONENT: return on_number(c);
    case HAFT__JSON_IN_LITERAL: return on_literal(c);
    case HAFT__JSON_AT_END: return fail(c, HAFT__JSON_PROBLEM_NOTHING);
    case HAFT__JSON_AT_DONE:
    case HAFT__JSON_FAILED: break;
    }
    HAFT__UNREACHABLE(); /* those two are dealt with before a byte is looked at */
}

/* No more bytes will come, and the value is not known to be complete. */
static step on_end(cursor *c)
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
    return fail(c, in_member ? HAFT__JSON_PROBLEM_COMMA_OBJECT : missing[state]);
}

/* The bytes are used up. */
static step on_empty(cursor *c)
{
    haft__json_stream *s = c->s;
    if (s->ended && s->state != HAFT__JSON_AT_END) {
        return on_end(c);
    }
    if (s->state == HAFT__JSON_IN_STRING && s->decoded_count > 0) {
        return give_text(c, HAFT__JSON_EVENT_PART, take_decoded(s));
    }
    return give(c, HAFT__JSON_EVENT_MORE, (haft__json){0});
}

static bool takes_space(haft__json_stream_state state)
{
    return state <= HAFT__JSON_AT_SEPARATOR || state == HAFT__JSON_AT_END;
}

static step take_step(cursor *c)
{
    haft__json_stream *s = c->s;
    if (s->state == HAFT__JSON_AT_DONE) {
        s->state = HAFT__JSON_AT_END;
        return give(c, HAFT__JSON_EVENT_DONE, (haft__json){0});
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
    cursor c = {stream, start, start + length, start, ret_event, err, HAFT_OK};
    if (stream->token.len > 0 && stream->state <= HAFT__JSON_AT_SEPARATOR) {
        haft__buf_clear(&stream->token); /* the last event's text was here */
    }
    step result;
    do {
        result = take_step(&c);
    } while (result == STEP_ON);
    bool over =
        result == STEP_EVENT && ret_event->kind == HAFT__JSON_EVENT_MORE && length < io_bytes->len;
    if (over) {
        result = fail_limit(&c, stream->options.max_bytes, stream->options.max_bytes, "bytes");
    }
    stream->offset += (size_t)(c.p - c.base);
    *io_bytes = haft__str_skip(*io_bytes, (size_t)(c.p - c.base));
    if (result == STEP_FAILED) {
        stream->state = HAFT__JSON_FAILED;
        return c.status;
    }
    return HAFT_OK;
}
