/* SPDX-License-Identifier: Apache-2.0 */
/* python_string.c - decodes a Python string while it arrives, with single or triple quotes.
 * Tests: tests/format/dialects/pythonic_test.c. */
#include "base/hex.h"
#include "format/parser.h"
#include "json/write.h"

/* ---- decoded text ---- */

static void add_code(haft__parser *p, uint32_t code)
{
    char bytes[HAFT__UTF8_MAX_BYTES];
    haft__buf_add(&p->call.value, bytes, haft__utf8_encode(code, bytes));
}

/* Adds a replacement character for a high surrogate without a low surrogate after it. */
static void add_lone_surrogate(haft__parser *p)
{
    if (p->python.high != 0) {
        p->python.high = 0;
        add_code(p, HAFT__UTF8_REPLACEMENT);
    }
}

/* Reports the decoded text in whole characters; keys are withheld until they are complete. */
static void flush(haft__parser *p)
{
    haft__buf *text = &p->call.value;
    haft__parser_check(p, text);
    if (p->python.role != HAFT__PY_ROLE_VALUE || p->status != HAFT_OK) {
        return;
    }
    size_t whole = haft__utf8_complete_prefix(haft__buf_str(text));
    haft__buf_clear(&p->scratch);
    haft__json_write_string(&p->scratch, (haft_str){text->ptr, whole});
    haft__parser_check(p, &p->scratch);
    if (p->status == HAFT_OK) {
        haft__call_builder_add_args(p, (haft_str){p->scratch.ptr + 1, p->scratch.len - 2});
        haft__parser_remove_prefix(text, whole);
    }
}

static void end_string(haft__parser *p)
{
    add_lone_surrogate(p);
    flush(p);
    if (p->python.role == HAFT__PY_ROLE_VALUE && p->status == HAFT_OK) {
        if (p->call.value.len > 0) { /* the string ended inside a character */
            haft__call_builder_add_args(p, HAFT__LIT("\xEF\xBF\xBD"));
        }
        haft__call_builder_add_args(p, HAFT__LIT("\""));
    }
    haft__python_string_ended(p);
}

/* ---- escapes ---- */

static void add_escaped_code(haft__parser *p)
{
    haft__parser_python_scanner *py = &p->python;
    uint32_t code = py->code;
    bool low = code >= 0xDC00 && code <= 0xDFFF;
    if (low && py->high != 0) {
        uint32_t high = py->high;
        py->high = 0;
        add_code(p, 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00));
        return;
    }
    add_lone_surrogate(p);
    if (code >= 0xD800 && code <= 0xDBFF) {
        py->high = code;
    } else {
        add_code(p, low || code > 0x10FFFF ? HAFT__UTF8_REPLACEMENT : code);
    }
}

static const char *on_hex(haft__parser *p, char c)
{
    haft__parser_python_scanner *py = &p->python;
    int digit = haft__hex_value(c);
    if (digit < 0) {
        return "an escape in a string has too few digits";
    }
    py->code = py->code << 4 | (uint32_t)digit;
    if (--py->hex_left == 0) {
        add_escaped_code(p);
    }
    return NULL;
}

/* The byte after a backslash. */
static void on_escape(haft__parser *p, char c)
{
    static const char from[] = "nrtabfv0\\'\"", to[] = "\n\r\t\a\b\f\v\0\\'\"";
    haft__parser_python_scanner *py = &p->python;
    py->escape = false;
    py->code = 0;
    py->hex_left = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const char *known = memchr(from, c, sizeof(from) - 1);
    if (py->hex_left > 0) {
        return;
    }
    add_lone_surrogate(p);
    if (known != NULL) {
        haft__buf_add_char(&p->call.value, to[known - from]);
    } else if (c != '\n') { /* as in Python: an unknown escape keeps its backslash; backslash and
                               line feed are dropped */
        haft__buf_add_char(&p->call.value, '\\');
        haft__buf_add_char(&p->call.value, c);
    }
}

/* ---- the string ---- */

/* Reads the byte after the first or second opening quote. Returns how many bytes it used. */
static size_t on_quote(haft__parser *p, char c)
{
    haft__parser_python_scanner *py = &p->python;
    if (c == py->quote && py->quotes < 3) {
        py->quotes++;
        if (py->quotes == 3) {
            py->triple = true;
            py->quotes = 0;
            py->state = HAFT__PY_STRING;
        }
        return 1;
    }
    bool empty = py->quotes == 2;
    py->quotes = 0;
    py->state = HAFT__PY_STRING;
    if (empty) {
        end_string(p);
    }
    return 0;
}

/* Adds the quotes in a triple-quoted string that did not end it. */
static void add_quotes(haft__parser *p)
{
    haft__parser_python_scanner *py = &p->python;
    for (; py->quotes > 0; py->quotes--) {
        haft__buf_add_char(&p->call.value, py->quote);
    }
}

static const char *on_byte(haft__parser *p, char c)
{
    haft__parser_python_scanner *py = &p->python;
    if (py->hex_left > 0) {
        return on_hex(p, c);
    }
    if (py->escape) {
        on_escape(p, c);
        return NULL;
    }
    if (py->high != 0 && c != '\\') {
        add_lone_surrogate(p);
    }
    if (c == py->quote) {
        py->quotes++;
        if (!py->triple || py->quotes == 3) {
            end_string(p);
        }
        return NULL;
    }
    add_quotes(p);
    if (c == '\\' && !py->raw) {
        py->escape = true;
    } else if (c == '\n' && !py->triple && !p->options.repair) {
        return "a string contains a line end";
    } else {
        p->call.repaired = p->call.repaired || (c == '\n' && !py->triple);
        haft__buf_add_char(&p->call.value, c);
    }
    return NULL;
}

/* The number of bytes before the next quote, backslash or line feed. */
static size_t count_plain(const haft__parser_python_scanner *py, haft_str bytes)
{
    size_t i = 0;
    while (i < bytes.len && bytes.ptr[i] != py->quote && bytes.ptr[i] != '\\'
           && bytes.ptr[i] != '\n') {
        i++;
    }
    return i;
}

size_t haft__python_string(haft__parser *p, haft_str bytes, const char **ret_why)
{
    haft__parser_python_scanner *py = &p->python;
    size_t used = 0;
    if (py->state == HAFT__PY_QUOTE) {
        return on_quote(p, bytes.ptr[0]);
    }
    while (used < bytes.len && py->state == HAFT__PY_STRING && *ret_why == NULL) {
        bool plain = !py->escape && py->hex_left == 0 && py->high == 0 && py->quotes == 0;
        size_t count = plain ? count_plain(py, haft__str_skip(bytes, used)) : 0;
        if (count > 0) {
            haft__buf_add(&p->call.value, bytes.ptr + used, count);
            used += count;
        } else {
            *ret_why = on_byte(p, bytes.ptr[used]);
            used += *ret_why == NULL ? 1 : 0;
        }
    }
    if (py->state == HAFT__PY_STRING && *ret_why == NULL) {
        flush(p);
    }
    return used;
}

/* Reads one byte of a string whose value does not matter. Returns false if the byte does not belong
 * to the string. `quotes` counts the opening quotes (two are an empty string, three open a
 * triple-quoted string), and later the quotes in a row that may close a triple-quoted string. */
bool haft__python_skip_string(haft__py_text *text, char c)
{
    bool same = c == text->quote && !text->escape;
    text->escape = c == '\\' && !text->escape;
    if (text->quotes > 0 && !text->triple && same) {
        text->triple = ++text->quotes == 3;
        text->quotes = text->triple ? 0 : text->quotes;
    } else if (text->quotes == 2 && !text->triple) {
        text->quote = '\0';
        return false;
    } else if (same && (!text->triple || ++text->quotes == 3)) {
        text->quote = '\0';
    } else {
        text->quotes = same ? text->quotes : 0;
    }
    return true;
}
