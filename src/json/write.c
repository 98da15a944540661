/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - the JSON writer.
 *
 * Strings are copied in runs of plain text; only text that may need escapes is examined byte by
 * byte. Nesting uses a small explicit stack, no deeper than the readers allow. Tests:
 * tests/json/write_test.c. Fuzzer: fuzz/json_print.c.
 */
#include "json/write.h"

#include <assert.h>
#include <string.h>

#include "base/hex.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/syntax.h"

static void write_escape(haft__buf *buf, char c)
{
    char text[6] = {'\\', 0, '0', '0', 0, 0};
    size_t length = 2;
    switch (c) {
    case '"':
    case '\\': text[1] = c; break;
    case '\b': text[1] = 'b'; break;
    case '\f': text[1] = 'f'; break;
    case '\n': text[1] = 'n'; break;
    case '\r': text[1] = 'r'; break;
    case '\t': text[1] = 't'; break;
    default:
        text[1] = 'u';
        haft__hex_write(text + 4, &c, 1);
        length = sizeof(text);
    }
    haft__buf_add(buf, text, length);
}

/* Writes the character at the start of `s`, which is not ASCII, and replaces invalid UTF-8. Returns
 * its length. */
static size_t write_other(haft__buf *buf, haft_str s)
{
    size_t run = 0;
    while (run < s.len && (unsigned char)s.ptr[run] >= 0x80) {
        uint32_t code;
        size_t length = haft__utf8_decode(haft__str_skip(s, run), &code);
        if (length == 0) {
            haft__buf_add(buf, s.ptr, run);
            haft__buf_add(buf, "\xEF\xBF\xBD", 3);
            return run + 1;
        }
        run += length;
    }
    haft__buf_add(buf, s.ptr, run);
    return run;
}

/* The letter after the backslash for a byte with a two-byte escape; 0 for all others. */
static inline char short_escape(char c)
{
    static const char escapes[256] = {['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
                                      ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't'};
    return escapes[(unsigned char)c];
}

/* Writes plain ASCII and two-byte escapes to `*to` and returns where it stopped. `*to` has room for
 * twice the text and eight bytes, because whole words are copied. */
static const char *write_ascii(char **to, const char *p, const char *end)
{
    char *out = *to;
    while (p < end) {
        if (end - p >= 8) {
            size_t plain = haft__json_plain8(p);
            memcpy(out, p, 8);
            out += plain;
            p += plain;
            if (plain == 8) {
                continue;
            }
        }
        char escape = short_escape(*p);
        if (haft__json_is_plain(*p)) {
            *out++ = *p++;
        } else if (escape != 0) {
            *out++ = '\\';
            *out++ = escape;
            p++;
        } else {
            break;
        }
    }
    *to = out;
    return p;
}

void haft__json_write_string(haft__buf *buf, haft_str text)
{
    const char *p = text.ptr, *end = text.len > 0 ? text.ptr + text.len : text.ptr;
    haft__buf_add_char(buf, '"');
    if (buf->ptr != NULL && buf->status == HAFT_OK && text.len < SIZE_MAX / 4
        && 2 * text.len + 8 <= buf->cap - buf->len) {
        char *to = buf->ptr + buf->len;
        p = write_ascii(&to, p, end);
        buf->len = (size_t)(to - buf->ptr);
    }
    while (p < end) {
        const char *stop = haft__json_skip_plain(p, end);
        if (stop > p) {
            haft__buf_add(buf, p, (size_t)(stop - p));
        }
        p = stop;
        if (p < end && (unsigned char)*p >= 0x80) {
            p += write_other(buf, (haft_str){p, (size_t)(end - p)});
        } else if (p < end) {
            write_escape(buf, *p++);
        }
    }
    haft__buf_add_char(buf, '"');
}

static void write_scalar(haft__buf *buf, haft__json value)
{
    switch ((haft__json_kind)value.kind) {
    case HAFT__JSON_NULL: haft__buf_add(buf, "null", 4); return;
    case HAFT__JSON_FALSE: haft__buf_add(buf, "false", 5); return;
    case HAFT__JSON_TRUE: haft__buf_add(buf, "true", 4); return;
    case HAFT__JSON_NUMBER: haft__buf_add(buf, value.text, value.count); return;
    case HAFT__JSON_STRING: haft__json_write_string(buf, haft__json_text(value)); return;
    case HAFT__JSON_ARRAY: haft__buf_add(buf, "[]", 2); return; /* empty ones only */
    case HAFT__JSON_OBJECT: haft__buf_add(buf, "{}", 2); return;
    }
    HAFT__UNREACHABLE();
}

static bool is_open(haft__json value)
{
    return value.kind >= HAFT__JSON_ARRAY && value.count > 0;
}

/* The layout of values: indent < 0 means on one line. */
typedef struct layout {
    haft__buf *buf;
    int indent;
} layout;

static void new_line(const layout *l, size_t depth)
{
    if (l->indent < 0) {
        return;
    }
    size_t spaces = (size_t)l->indent * depth;
    char *to = haft__buf_reserve(l->buf, spaces + 1);
    if (to != NULL) {
        to[0] = '\n';
        memset(to + 1, ' ', spaces);
        haft__buf_advance(l->buf, spaces + 1);
    }
}

/* An open container and the position of the next item. */
typedef struct level {
    haft__json value;
    uint32_t next;
} level;

/* The next item of a container: comma, line, key; returns the value to write. */
static haft__json next_item(const layout *l, level *at, size_t depth)
{
    if (at->next > 0) {
        haft__buf_add_char(l->buf, ',');
    }
    new_line(l, depth);
    uint32_t i = at->next++;
    if (at->value.kind == HAFT__JSON_ARRAY) {
        return at->value.items[i];
    }
    haft__json_write_string(l->buf, haft__json_text(at->value.members[i].key));
    haft__buf_add(l->buf, ": ", l->indent < 0 ? 1 : 2);
    return at->value.members[i].value;
}

static void write_value(const layout *l, haft__json value)
{
    level levels[HAFT__LIMIT_JSON_DEPTH];
    size_t depth = 0;
    for (;;) {
        if (!is_open(value)) {
            write_scalar(l->buf, value);
        } else if (depth == COUNT(levels)) {
            haft__buf_fail(l->buf, HAFT_TOO_BIG, "a value is nested deeper than json.depth allows");
            return;
        } else {
            haft__buf_add_char(l->buf, value.kind == HAFT__JSON_ARRAY ? '[' : '{');
            levels[depth++] = (level){value, 0};
        }
        while (depth > 0 && levels[depth - 1].next == levels[depth - 1].value.count) {
            new_line(l, --depth);
            haft__buf_add_char(l->buf, levels[depth].value.kind == HAFT__JSON_ARRAY ? ']' : '}');
        }
        if (depth == 0) {
            return;
        }
        value = next_item(l, &levels[depth - 1], depth);
    }
}

void haft__json_write(haft__buf *buf, haft__json value)
{
    write_value(&(layout){buf, -1}, value);
}

void haft__json_write_pretty(haft__buf *buf, haft__json value, unsigned indent)
{
    write_value(&(layout){buf, (int)indent}, value);
}

void haft__json_writer_init(haft__json_writer *w, haft__buf *buf)
{
    *w = (haft__json_writer){.buf = buf};
}

static bool in_object(const haft__json_writer *w)
{
    return w->depth > 0 && (w->objects >> (w->depth - 1) & 1) != 0;
}

/* Writes the comma before a value or key, unless it is the first or follows its key. */
static void separate(haft__json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->depth == 0) {
        return;
    }
    uint64_t bit = (uint64_t)1 << (w->depth - 1);
    if ((w->has_items & bit) != 0) {
        haft__buf_add_char(w->buf, ',');
    }
    w->has_items |= bit;
}

static void separate_value(haft__json_writer *w)
{
    assert(w->after_key == in_object(w));
    separate(w);
}

static void begin(haft__json_writer *w, char bracket)
{
    separate_value(w);
    haft__buf_add_char(w->buf, bracket);
    assert(w->depth < 64);
    uint64_t bit = (uint64_t)1 << w->depth++;
    w->has_items &= ~bit;
    w->objects = bracket == '{' ? w->objects | bit : w->objects & ~bit;
}

static void end(haft__json_writer *w, char bracket)
{
    assert(w->depth > 0 && !w->after_key && in_object(w) == (bracket == '}'));
    w->depth--;
    haft__buf_add_char(w->buf, bracket);
}

void haft__json_begin_object(haft__json_writer *w)
{
    begin(w, '{');
}

void haft__json_end_object(haft__json_writer *w)
{
    end(w, '}');
}

void haft__json_begin_array(haft__json_writer *w)
{
    begin(w, '[');
}

void haft__json_end_array(haft__json_writer *w)
{
    end(w, ']');
}

void haft__json_key(haft__json_writer *w, const char *key)
{
    haft_str text = haft__str(key);
    assert(in_object(w) && !w->after_key);
    separate(w);
    /* A key from the source code needs no escapes. */
    char *to = haft__buf_reserve(w->buf, text.len + 3);
    if (to != NULL) {
        to[0] = '"';
        memcpy(to + 1, text.ptr, text.len);
        memcpy(to + 1 + text.len, "\":", 2);
        haft__buf_advance(w->buf, text.len + 3);
    }
    w->after_key = true;
}

void haft__json_key_str(haft__json_writer *w, haft_str key)
{
    assert(in_object(w) && !w->after_key);
    separate(w);
    haft__json_write_string(w->buf, key);
    haft__buf_add_char(w->buf, ':');
    w->after_key = true;
}

void haft__json_add(haft__json_writer *w, haft__json value)
{
    separate_value(w);
    haft__json_write(w->buf, value);
}

void haft__json_add_str(haft__json_writer *w, haft_str text)
{
    separate_value(w);
    haft__json_write_string(w->buf, text);
}

void haft__json_add_int(haft__json_writer *w, int64_t number)
{
    separate_value(w);
    haft__buf_add_int(w->buf, number);
}

void haft__json_add_bool(haft__json_writer *w, bool value)
{
    separate_value(w);
    haft__buf_add_str(w->buf, value ? HAFT__LIT("true") : HAFT__LIT("false"));
}

void haft__json_add_null(haft__json_writer *w)
{
    separate_value(w);
    haft__buf_add_str(w->buf, HAFT__LIT("null"));
}
