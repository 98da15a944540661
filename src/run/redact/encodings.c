/* SPDX-License-Identifier: Apache-2.0 */
/*
 * encodings.c - the encodings of a secret: plain, JSON, URL, base64, hex.
 *
 * In base64, a secret inside a longer text begins at one of three offsets within a group of three
 * bytes. For each offset, haft searches only for the characters that depend on the secret alone.
 * The characters before and after them also depend on other bytes. They stay visible and reveal
 * less than a byte of the secret.
 *
 * Tests: tests/run/redact/encodings_test.c.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "run/redact/redact_int.h"
#include "json/write.h"

/* The maximum depth of JSON in strings of other JSON. For example, the output of a program is a
 * string in an event. If a model copies the output into arguments, it is a string in a string. */
#define JSON_LEVELS 4

/* The longest encoding: a quote can double in length with each level. */
#define MAX_BYTES (HAFT__LIMIT_REDACT_SECRET_BYTES << JSON_LEVELS)

/* ---- JSON ---- */

/* Encodes as a JSON string without its quotes. */
static void encode_json(haft__buf *buf, haft_str text)
{
    haft__buf quoted;
    haft__buf_init(&quoted, buf->max);
    haft__json_write_string(&quoted, text);
    if (quoted.status == HAFT_OK) {
        haft__buf_add(buf, quoted.ptr + 1, quoted.len - 2);
    } else {
        buf->status = quoted.status;
    }
    haft__buf_finish(&quoted);
}

static void add_unit(haft__buf *buf, uint32_t unit, bool upper)
{
    haft__buf_addf(buf, upper ? "\\u%04X" : "\\u%04x", unit);
}

/* Copies JSON text with optional escapes. `slashes`: every slash becomes \/. `ascii`: every
 * non-ASCII character becomes \uXXXX, with upper-case digits if `upper`. */
static void escape_json(haft__buf *buf, haft_str json, bool slashes, bool ascii, bool upper)
{
    while (json.len > 0 && json.ptr != NULL) {
        uint32_t code = 0;
        size_t length = haft__utf8_decode(json, &code);
        if (ascii && code >= 0x10000) {
            add_unit(buf, 0xD800 + ((code - 0x10000) >> 10), upper);
            add_unit(buf, 0xDC00 + ((code - 0x10000) & 0x3FF), upper);
        } else if (ascii && code >= 0x80) {
            add_unit(buf, code, upper);
        } else {
            haft__buf_add_str(buf, slashes && code == '/' ? HAFT__LIT("\\") : HAFT__LIT(""));
            haft__buf_add(buf, json.ptr, length);
        }
        json = haft__str_skip(json, length);
    }
}

/* ---- URLs, hex, base64 ---- */

static void encode_percent(haft__buf *buf, haft_str text, bool upper, bool plus)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool plain = haft__ascii_is_alphanumeric(c) || (c != 0 && strchr("-._~", c) != NULL);
        if (plain || (plus && c == ' ')) {
            haft__buf_add_char(buf, plain ? (char)c : '+');
        } else {
            haft__buf_addf(buf, upper ? "%%%02X" : "%%%02x", c);
        }
    }
}

static void encode_hex(haft__buf *buf, haft_str text, bool upper)
{
    for (size_t i = 0; i < text.len; i++) {
        haft__buf_addf(buf, upper ? "%02X" : "%02x", (unsigned char)text.ptr[i]);
    }
}

/* Returns six bits of the text. `bit` is their offset in a sequence that consists of `before`
 * unknown bytes and the text. */
static unsigned sextet(haft_str text, size_t before, size_t bit)
{
    unsigned value = 0;
    for (size_t i = bit - 8 * before; i < bit - 8 * before + 6; i++) {
        unsigned char c = (unsigned char)text.ptr[i / 8];
        value = value << 1 | ((c >> (7 - i % 8)) & 1U);
    }
    return value;
}

/* Encodes the text as it appears after `before` other bytes; `url` selects the alphabet for URLs.
 */
static void encode_base64(haft__buf *buf, haft_str text, size_t before, bool url)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    size_t end = 8 * (before + text.len);
    for (size_t bit = (8 * before + 5) / 6 * 6; bit + 6 <= end; bit += 6) {
        unsigned value = sextet(text, before, bit);
        char last = value == 62 ? (url ? '-' : '+') : (url ? '_' : '/');
        haft__buf_add_char(buf, value < 62 ? digits[value] : last);
    }
}

/* ---- all encodings ---- */

/* Adds the encoding in the buffer and clears the buffer. */
static haft_status add_encoding(haft__redactor *r, haft__buf *buf, haft_error *err)
{
    haft_status status = haft__buf_check(buf, err);
    if (status == HAFT_OK) {
        status = haft__redactor_add_encoding(r, haft__buf_str(buf), err);
    }
    haft__buf_clear(buf);
    return status;
}

/* Adds JSON text in its plain form, and in the forms that it has inside strings of other JSON.
 * Empties the buffer. */
static haft_status add_json_levels(haft__redactor *r, haft__buf *json, haft_error *err)
{
    haft__buf next;
    haft__buf_init(&next, MAX_BYTES);
    haft_status status = haft__buf_check(json, err);
    for (unsigned level = 1; level < JSON_LEVELS && status == HAFT_OK; level++) {
        encode_json(&next, haft__buf_str(json));
        status = add_encoding(r, json, err);
        haft__buf_add_str(json, haft__buf_str(&next));
        status = status == HAFT_OK ? haft__buf_check(&next, err) : status;
        haft__buf_clear(&next);
    }
    haft__buf_finish(&next);
    return status == HAFT_OK ? add_encoding(r, json, err) : status;
}

static haft_status add_json(haft__redactor *r, haft_str secret, haft__buf *buf, haft_error *err)
{
    haft__buf once;
    haft__buf_init(&once, MAX_BYTES);
    encode_json(&once, secret);
    haft_str json = haft__buf_str(&once);
    haft_status status = haft__buf_check(&once, err);
    /* Six variants: slashes escaped or not; non-ASCII characters plain, or escaped in lower or
     * upper case. */
    for (unsigned variant = 0; variant < 6 && status == HAFT_OK; variant++) {
        escape_json(buf, json, (variant & 1) != 0, variant >= 2, variant >= 4);
        status = add_json_levels(r, buf, err);
    }
    haft__buf_finish(&once);
    return status;
}

static haft_status add_encoded(haft__redactor *r, haft_str secret, haft__buf *buf, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (unsigned variant = 0; variant < 4 && status == HAFT_OK; variant++) {
        encode_percent(buf, secret, (variant & 1) != 0, (variant & 2) != 0);
        status = add_encoding(r, buf, err);
    }
    for (unsigned variant = 0; variant < 2 && status == HAFT_OK; variant++) {
        encode_hex(buf, secret, variant > 0);
        status = add_encoding(r, buf, err);
    }
    for (unsigned variant = 0; variant < 6 && status == HAFT_OK; variant++) {
        encode_base64(buf, secret, variant / 2, (variant & 1) != 0);
        status = add_encoding(r, buf, err);
    }
    return status;
}

haft_status haft__redactor_add_encodings(haft__redactor *redactor, haft_str secret, haft_error *err)
{
    haft__buf buf;
    haft__buf_init(&buf, MAX_BYTES);
    haft_status status = haft__redactor_add_encoding(redactor, secret, err);
    if (status == HAFT_OK && haft__utf8_valid(secret)) {
        status = add_json(redactor, secret, &buf, err);
    }
    if (status == HAFT_OK) {
        status = add_encoded(redactor, secret, &buf, err);
    }
    haft__buf_finish(&buf);
    return status;
}
