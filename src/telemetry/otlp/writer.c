/* SPDX-License-Identifier: Apache-2.0 */
/* writer.c - protobuf and JSON. Tests: tests/telemetry/otlp_test.c. */
#include "telemetry/otlp/writer.h"

#include <assert.h>

#include "base/hex.h"
#include "base/str.h"
#include "base/utf8.h"

/* The wire types of protobuf. */
enum { VARINT, FIXED64, BYTES, FIXED32 = 5 };

enum { MICROS = 1000000, MAX_VARINT = 10 };

static bool is_json(const haft__otlp_writer *w)
{
    return w->encoding == HAFT__OTLP_JSON;
}

/* ---- protobuf ---- */

static size_t put_varint(char to[MAX_VARINT], uint64_t number)
{
    size_t length = 0;
    while (number >= 0x80) {
        to[length++] = (char)(number | 0x80);
        number >>= 7;
    }
    to[length++] = (char)number;
    return length;
}

static void add_varint(haft__buf *buf, uint64_t number)
{
    char bytes[MAX_VARINT];
    haft__buf_add(buf, bytes, put_varint(bytes, number));
}

static void add_tag(haft__buf *buf, uint32_t field, unsigned wire_type)
{
    add_varint(buf, (uint64_t)field << 3 | wire_type);
}

/* Little-endian. */
static void add_bytes(haft__buf *buf, uint64_t number, size_t count)
{
    char bytes[8];
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (char)(number >> 8 * i);
    }
    haft__buf_add(buf, bytes, count);
}

static void add_double(haft__buf *buf, int64_t micros)
{
    double value = (double)micros / MICROS;
    uint64_t bits = 0;
    static_assert(sizeof(bits) == sizeof(value), "protobuf needs doubles of 64 bits");
    memcpy(&bits, &value, sizeof(bits));
    add_bytes(buf, bits, sizeof(bits));
}

/* Inserts the length before the content that begins at `start`. */
static void insert_length(haft__buf *buf, size_t start)
{
    char bytes[MAX_VARINT];
    size_t content = buf->len - start, length = put_varint(bytes, content);
    if (haft__buf_reserve(buf, length) != NULL) {
        memmove(buf->ptr + start + length, buf->ptr + start, content);
        memcpy(buf->ptr + start, bytes, length);
        haft__buf_advance(buf, length);
    }
}

static void begin_length(haft__otlp_writer *w, uint32_t field)
{
    assert(w->depth < HAFT__OTLP_DEPTH);
    add_tag(w->buf, field, BYTES);
    w->starts[w->depth++] = w->buf->len;
}

static void end_length(haft__otlp_writer *w)
{
    size_t start = w->starts[--w->depth];
    if (w->buf->status == HAFT_OK) {
        insert_length(w->buf, start);
    }
}

/* ---- messages and lists ---- */

void haft__otlp_begin(haft__otlp_writer *w, haft__buf *buf, haft__otlp_encoding encoding)
{
    *w = (haft__otlp_writer){.buf = buf, .encoding = encoding};
    haft__json_writer_init(&w->json, buf);
    if (is_json(w)) {
        haft__json_begin_object(&w->json);
    }
}

void haft__otlp_end(haft__otlp_writer *w)
{
    if (is_json(w)) {
        haft__json_end_object(&w->json);
    }
}

void haft__otlp_begin_message(haft__otlp_writer *w, uint32_t field, const char *name)
{
    if (is_json(w)) {
        haft__json_key(&w->json, name);
        haft__json_begin_object(&w->json);
    } else {
        begin_length(w, field);
    }
}

void haft__otlp_end_message(haft__otlp_writer *w)
{
    if (is_json(w)) {
        haft__json_end_object(&w->json);
    } else {
        end_length(w);
    }
}

void haft__otlp_begin_list(haft__otlp_writer *w, const char *name)
{
    if (is_json(w)) {
        haft__json_key(&w->json, name);
        haft__json_begin_array(&w->json);
    }
}

void haft__otlp_end_list(haft__otlp_writer *w)
{
    if (is_json(w)) {
        haft__json_end_array(&w->json);
    }
}

void haft__otlp_begin_item(haft__otlp_writer *w, uint32_t field)
{
    if (is_json(w)) {
        haft__json_begin_object(&w->json);
    } else {
        begin_length(w, field);
    }
}

void haft__otlp_end_item(haft__otlp_writer *w)
{
    haft__otlp_end_message(w);
}

/* Adds text that is valid JSON, such as a number, as the next value. */
static void add_raw(haft__otlp_writer *w, haft_str text)
{
    uint64_t level = w->json.depth > 0 ? UINT64_C(1) << (w->json.depth - 1) : 0;
    if (!w->json.after_key && (w->json.has_items & level) != 0) {
        haft__buf_add_char(w->buf, ',');
    }
    w->json.has_items |= level;
    w->json.after_key = false;
    haft__buf_add_str(w->buf, text);
}

void haft__otlp_add_item(haft__otlp_writer *w, uint32_t field, haft_str message)
{
    if (is_json(w)) {
        add_raw(w, message);
        return;
    }
    add_tag(w->buf, field, BYTES);
    add_varint(w->buf, message.len);
    haft__buf_add_str(w->buf, message);
}

/* ---- members ---- */

/* Appends the text with U+FFFD in place of bytes that are not UTF-8. */
static void add_utf8(haft__buf *buf, haft_str text)
{
    while (text.len > 0) {
        size_t valid = haft__utf8_valid_prefix(text);
        haft__buf_add(buf, text.ptr, valid);
        if (valid < text.len) {
            haft__buf_add_str(buf, HAFT__LIT("\xEF\xBF\xBD"));
            valid++;
        }
        text = haft__str_skip(text, valid);
    }
}

void haft__otlp_add_text(haft__otlp_writer *w, uint32_t field, const char *name, haft_str text)
{
    if (is_json(w)) {
        haft__json_key(&w->json, name);
        haft__json_add_str(&w->json, text);
        return;
    }
    begin_length(w, field);
    add_utf8(w->buf, text);
    end_length(w);
}

/* Ids are bytes in protobuf, the highest byte first. */
static void add_id(haft__otlp_writer *w, uint32_t field, const char *name, const uint64_t *parts,
                   size_t count)
{
    uint8_t bytes[16];
    char hex[sizeof(bytes) * 2];
    size_t size = count * sizeof(*parts);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(parts[i / 8] >> (56 - 8 * (i % 8)));
    }
    if (is_json(w)) {
        haft__hex_write(hex, bytes, size);
        haft__otlp_add_text(w, field, name, (haft_str){hex, 2 * size});
        return;
    }
    add_tag(w->buf, field, BYTES);
    add_varint(w->buf, size);
    haft__buf_add(w->buf, (const char *)bytes, size);
}

void haft__otlp_add_trace_id(haft__otlp_writer *w, uint32_t field, const char *name, uint64_t high,
                             uint64_t low)
{
    const uint64_t parts[] = {high, low};
    add_id(w, field, name, parts, COUNT(parts));
}

void haft__otlp_add_span_id(haft__otlp_writer *w, uint32_t field, const char *name, uint64_t id)
{
    add_id(w, field, name, &id, 1);
}

/* A 64-bit integer in JSON. */
static void add_quoted(haft__otlp_writer *w, const char *name, int64_t number)
{
    if (name != NULL) {
        haft__json_key(&w->json, name);
    }
    add_raw(w, HAFT__LIT("\""));
    haft__buf_add_int(w->buf, number);
    haft__buf_add_char(w->buf, '"');
}

static void add_plain(haft__otlp_writer *w, const char *name, int64_t number)
{
    haft__json_key(&w->json, name);
    haft__json_add_int(&w->json, number);
}

void haft__otlp_add_fixed32(haft__otlp_writer *w, uint32_t field, const char *name, uint32_t number)
{
    if (number == 0) {
        return;
    }
    if (is_json(w)) {
        add_plain(w, name, number);
    } else {
        add_tag(w->buf, field, FIXED32);
        add_bytes(w->buf, number, 4);
    }
}

void haft__otlp_add_fixed64(haft__otlp_writer *w, uint32_t field, const char *name, uint64_t number)
{
    if (number > 0) {
        haft__otlp_add_sfixed64(w, field, name, (int64_t)number);
    }
}

void haft__otlp_add_enum(haft__otlp_writer *w, uint32_t field, const char *name, uint32_t number)
{
    if (number == 0) {
        return;
    }
    if (is_json(w)) {
        add_plain(w, name, number);
    } else {
        add_tag(w->buf, field, VARINT);
        add_varint(w->buf, number);
    }
}

void haft__otlp_add_bool(haft__otlp_writer *w, uint32_t field, const char *name, bool value)
{
    if (is_json(w)) {
        haft__json_key(&w->json, name);
        haft__json_add_bool(&w->json, value);
    } else {
        add_tag(w->buf, field, VARINT);
        add_varint(w->buf, value);
    }
}

void haft__otlp_add_number(haft__otlp_writer *w, uint32_t field, const char *name, int64_t number)
{
    if (is_json(w)) {
        add_quoted(w, name, number);
    } else {
        add_tag(w->buf, field, VARINT);
        add_varint(w->buf, (uint64_t)number);
    }
}

void haft__otlp_add_sfixed64(haft__otlp_writer *w, uint32_t field, const char *name, int64_t number)
{
    if (is_json(w)) {
        add_quoted(w, name, number);
    } else {
        add_tag(w->buf, field, FIXED64);
        add_bytes(w->buf, (uint64_t)number, 8);
    }
}

/* ---- decimal numbers ---- */

void haft__otlp_write_micros(haft__buf *buf, int64_t micros)
{
    uint64_t size = micros < 0 ? 0 - (uint64_t)micros : (uint64_t)micros;
    uint64_t fraction = size % MICROS;
    if (micros < 0) {
        haft__buf_add_char(buf, '-');
    }
    haft__buf_add_int(buf, (int64_t)(size / MICROS));
    if (fraction == 0) {
        return;
    }
    char digits[6];
    size_t length = sizeof(digits);
    for (size_t i = length; i > 0; i--) {
        digits[i - 1] = (char)('0' + fraction % 10);
        fraction /= 10;
    }
    while (digits[length - 1] == '0') {
        length--;
    }
    haft__buf_add_char(buf, '.');
    haft__buf_add(buf, digits, length);
}

static void add_json_micros(haft__otlp_writer *w, int64_t micros)
{
    add_raw(w, HAFT__LIT(""));
    haft__otlp_write_micros(w->buf, micros);
}

void haft__otlp_add_micros(haft__otlp_writer *w, uint32_t field, const char *name, int64_t micros)
{
    if (is_json(w)) {
        haft__json_key(&w->json, name);
        add_json_micros(w, micros);
    } else {
        add_tag(w->buf, field, FIXED64);
        add_double(w->buf, micros);
    }
}

void haft__otlp_add_counts(haft__otlp_writer *w, uint32_t field, const char *name,
                           const uint64_t *counts, size_t count)
{
    haft__otlp_begin_list(w, name);
    if (!is_json(w)) {
        begin_length(w, field);
    }
    for (size_t i = 0; i < count; i++) {
        if (is_json(w)) {
            add_quoted(w, NULL, (int64_t)counts[i]);
        } else {
            add_bytes(w->buf, counts[i], sizeof(*counts));
        }
    }
    if (!is_json(w)) {
        end_length(w);
    }
    haft__otlp_end_list(w);
}

void haft__otlp_add_bounds(haft__otlp_writer *w, uint32_t field, const char *name,
                           const int64_t *micros, size_t count)
{
    haft__otlp_begin_list(w, name);
    if (!is_json(w)) {
        begin_length(w, field);
    }
    for (size_t i = 0; i < count; i++) {
        if (is_json(w)) {
            add_json_micros(w, micros[i]);
        } else {
            add_double(w->buf, micros[i]);
        }
    }
    if (!is_json(w)) {
        end_length(w);
    }
    haft__otlp_end_list(w);
}
