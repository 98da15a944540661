/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_string.c - the incremental reader inside strings: runs of text, escapes, UTF-8.
 *
 * Plain text is passed on from the input without a copy. Text that has to be decoded or was cut by
 * the end of a piece goes through the stream: into `token` for a key, into `decoded` for a value.
 * Tests: tests/json/stream_test.c. Fuzzer: fuzz/json_split.c.
 */
#include <string.h>

#include "base/hex.h"
#include "base/utf8.h"
#include "json/stream_int.h"

haft_str haft__stream_take_decoded(haft__json_stream *s)
{
    haft_str text = {s->decoded, s->decoded_count};
    s->decoded_count = 0;
    return text;
}

/* Adds a decoded character: to the key, or to `decoded`. */
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

/* Writes a high surrogate that is not followed by a low one. */
static void put_lone_high(haft__json_stream *s)
{
    if (s->high != 0) {
        s->high = 0;
        s->notes.lone_surrogates++;
        put_code(s, HAFT__UTF8_REPLACEMENT);
    }
}

static haft__stream_step end_key(haft__stream_cursor *c, haft_str rest)
{
    haft_str key;
    if (!haft__stream_end_token(c, rest, &key)) {
        return HAFT__STREAM_FAILED;
    }
    c->s->state = HAFT__JSON_AT_COLON;
    return haft__stream_emit_text(c, HAFT__JSON_EVENT_KEY, key);
}

/* The first byte from p on that is a quote, backslash or control character, or starts a UTF-8
 * sequence that is incomplete or invalid here. */
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

/* Passes on a run of plain text; `stop` is its end. */
static haft__stream_step pass_run(haft__stream_cursor *c, const char *stop)
{
    haft_str run = {c->p, (size_t)(stop - c->p)};
    bool closed = stop < c->end && *stop == '"';
    c->p = stop + closed;
    if (c->s->is_key) {
        if (closed) {
            return end_key(c, run);
        }
        haft__buf_add_str(&c->s->token, run);
        return HAFT__STREAM_CONTINUE;
    }
    if (closed) {
        c->s->state = haft__stream_after_value(c->s);
    }
    return haft__stream_emit_text(c, closed ? HAFT__JSON_EVENT_SCALAR : HAFT__JSON_EVENT_PART, run);
}

static haft__stream_step on_quote(haft__stream_cursor *c)
{
    c->p++;
    if (c->s->is_key) {
        return end_key(c, (haft_str){NULL, 0});
    }
    c->s->state = haft__stream_after_value(c->s);
    return haft__stream_emit_text(c, HAFT__JSON_EVENT_SCALAR, haft__stream_take_decoded(c->s));
}

/* The number of bytes that the key may still grow, or SIZE_MAX in a value. */
static size_t key_room(const haft__stream_cursor *c)
{
    const haft__json_stream *s = c->s;
    return s->is_key ? s->options.max_key_bytes - (haft__stream_offset(c) - s->token_start)
                     : SIZE_MAX;
}

static haft__stream_step fail_key(haft__stream_cursor *c)
{
    return haft__stream_fail_limit(c, c->s->token_start - 1, c->s->options.max_key_bytes,
                                   "bytes in a key");
}

/* A byte that cannot be passed on unchanged. */
static haft__stream_step on_special(haft__stream_cursor *c)
{
    haft__json_stream *s = c->s;
    if (*c->p == '\\') {
        if (s->decoded_count > sizeof(s->decoded) - 2 * HAFT__UTF8_MAX_BYTES) {
            return haft__stream_emit_text(c, HAFT__JSON_EVENT_PART, haft__stream_take_decoded(s));
        }
        c->p++;
        s->state = HAFT__JSON_IN_ESCAPE;
        return HAFT__STREAM_CONTINUE;
    }
    if ((unsigned char)*c->p < 0x20) {
        return haft__stream_fail(c, HAFT__JSON_PROBLEM_CONTROL);
    }
    s->partial[0] = *c->p++;
    s->partial_count = 1;
    s->state = HAFT__JSON_IN_UTF8;
    bool lead = haft__utf8_incomplete((haft_str){s->partial, 1});
    return lead ? HAFT__STREAM_CONTINUE
                : haft__stream_fail_at(c, HAFT__JSON_PROBLEM_UTF8, haft__stream_offset(c) - 1,
                                       (unsigned char)s->partial[0]);
}

haft__stream_step haft__stream_on_string(haft__stream_cursor *c)
{
    haft__json_stream *s = c->s;
    if (*c->p != '\\') {
        put_lone_high(s);
    }
    if (*c->p == '"') {
        return on_quote(c);
    }
    if (*c->p != '\\' && s->decoded_count > 0) {
        /* Emit it first: the text after it is examined only when it can be passed on, too. */
        return haft__stream_emit_text(c, HAFT__JSON_EVENT_PART, haft__stream_take_decoded(s));
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
haft__stream_step haft__stream_on_utf8(haft__stream_cursor *c)
{
    haft__json_stream *s = c->s;
    if (key_room(c) == 0) {
        return fail_key(c);
    }
    s->partial[s->partial_count++] = *c->p;
    haft_str partial = {s->partial, s->partial_count};
    if (haft__utf8_valid(partial)) {
        put(s, partial.ptr, partial.len);
        s->state = HAFT__JSON_IN_STRING;
    } else if (!haft__utf8_incomplete(partial)) {
        size_t start = haft__stream_offset(c) + 1 - s->partial_count;
        return haft__stream_fail_at(c, HAFT__JSON_PROBLEM_UTF8, start,
                                    (unsigned char)s->partial[0]);
    }
    c->p++;
    return HAFT__STREAM_CONTINUE;
}

/* An invalid escape. The text decoded before it is emitted first, exactly as when a piece ends in
 * between. */
static haft__stream_step fail_escape(haft__stream_cursor *c, haft__json_problem problem)
{
    return c->s->decoded_count > 0
               ? haft__stream_emit_text(c, HAFT__JSON_EVENT_PART, haft__stream_take_decoded(c->s))
               : haft__stream_fail(c, problem);
}

haft__stream_step haft__stream_on_escape(haft__stream_cursor *c)
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
            return fail_escape(c, HAFT__JSON_PROBLEM_ESCAPE);
        }
        put_lone_high(s);
        put(s, &meant, 1);
        s->state = HAFT__JSON_IN_STRING;
    }
    c->p++;
    return HAFT__STREAM_CONTINUE;
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

haft__stream_step haft__stream_on_hex(haft__stream_cursor *c)
{
    haft__json_stream *s = c->s;
    if (key_room(c) == 0) {
        return fail_key(c);
    }
    int digit = haft__hex_value(*c->p);
    if (digit < 0) {
        return fail_escape(c, HAFT__JSON_PROBLEM_HEX);
    }
    s->code = s->code << 4 | (uint32_t)digit;
    c->p++;
    if (--s->hex_left == 0) {
        put_unicode(s, s->code);
        s->state = HAFT__JSON_IN_STRING;
    }
    return HAFT__STREAM_CONTINUE;
}
