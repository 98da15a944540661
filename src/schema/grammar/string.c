/* SPDX-License-Identifier: Apache-2.0 */
/* string.c - strings in a grammar: their characters as they are written between quotes.
 * Tests: tests/schema/grammar/gbnf_test.c. */
#include "schema/grammar/gbnf_writer.h"
#include <stdlib.h>

#include "base/ascii.h"
#include "json/object.h"
#include "json/write.h"

#define LAST_CODE 0x10FFFFU

const char *haft__gbnf_quotes(const haft__gbnf_writer *g)
{
    return g->notation == HAFT__NOTATION_PYTHON ? "\"'" : "\"";
}

haft__gbnf_rule_name haft__gbnf_char(haft__gbnf_writer *g, char quote)
{
    bool python = g->notation == HAFT__NOTATION_PYTHON;
    return haft__gbnf_shared_rule(g, !python         ? HAFT__GBNF_CHAR
                                     : quote == '\'' ? HAFT__GBNF_PY_SINGLE
                                                     : HAFT__GBNF_PY_DOUBLE);
}

/* ---- literals ---- */

/* The letter after the backslash, or '\0'. */
static char escape_letter(char c, char quote)
{
    switch (c) {
    case '\\': return '\\';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return c == quote ? quote : '\0';
    }
}

static void escape(haft__buf *buf, char quote, haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        char letter = escape_letter(c, quote);
        if (letter != '\0') {
            haft__buf_add_char(buf, '\\');
            haft__buf_add_char(buf, letter);
        } else if ((unsigned char)c < 0x20) {
            haft__buf_addf(buf, "\\u%04x", (unsigned char)c);
        } else {
            haft__buf_add_char(buf, c);
        }
    }
}

void haft__gbnf_escape(haft__buf *buf, haft__notation notation, char quote, haft_str text)
{
    (void)notation; /* JSON and Python have these escapes in common */
    escape(buf, quote, text);
}

static void write_quoted(haft__buf *buf, char quote, haft_str text)
{
    haft__buf_add_char(buf, quote);
    escape(buf, quote, text);
    haft__buf_add_char(buf, quote);
}

/* Writes a value in Python notation. Recursion is bounded by the depth of values. */
static void write_python(haft__buf *buf, char quote, haft__json value)
{
    switch ((haft__json_kind)value.kind) {
    case HAFT__JSON_NULL: haft__buf_add_str(buf, HAFT__LIT("None")); break;
    case HAFT__JSON_FALSE: haft__buf_add_str(buf, HAFT__LIT("False")); break;
    case HAFT__JSON_TRUE: haft__buf_add_str(buf, HAFT__LIT("True")); break;
    case HAFT__JSON_NUMBER: haft__buf_add_str(buf, haft__json_text(value)); break;
    case HAFT__JSON_STRING: write_quoted(buf, quote, haft__json_text(value)); break;
    case HAFT__JSON_ARRAY:
        haft__buf_add_char(buf, '[');
        for (uint32_t i = 0; i < value.count; i++) {
            haft__buf_add_str(buf, i > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
            write_python(buf, quote, value.items[i]);
        }
        haft__buf_add_char(buf, ']');
        break;
    case HAFT__JSON_OBJECT:
        haft__buf_add_char(buf, '{');
        for (uint32_t i = 0; i < value.count; i++) {
            haft__buf_add_str(buf, i > 0 ? HAFT__LIT(", ") : HAFT__LIT(""));
            write_python(buf, quote, value.members[i].key);
            haft__buf_add_str(buf, HAFT__LIT(": "));
            write_python(buf, quote, value.members[i].value);
        }
        haft__buf_add_char(buf, '}');
        break;
    }
}

static void write_json(haft__buf *buf, haft__json value)
{
    if (value.kind == HAFT__JSON_STRING) {
        write_quoted(buf, '"', haft__json_text(value));
    } else {
        haft__json_write(buf, value);
    }
}

void haft__gbnf_add_value_literal(haft__gbnf_writer *g, haft__buf *body, haft__json value)
{
    bool python = g->notation == HAFT__NOTATION_PYTHON;
    bool quoted = value.kind >= HAFT__JSON_STRING;
    for (const char *quote = haft__gbnf_quotes(g); *quote != '\0'; quote++) {
        haft__buf text;
        haft__gbnf_body_init(&text);
        if (python) {
            write_python(&text, *quote, value);
        } else {
            write_json(&text, value);
        }
        haft__buf_add_str(body, *quote == '\'' ? HAFT__LIT("| ") : HAFT__LIT(""));
        haft__gbnf_add_literal(body, haft__buf_str(&text));
        haft__gbnf_release_body(g, &text);
        if (!quoted) {
            break;
        }
    }
}

/* ---- classes of characters ---- */

void haft__gbnf_char_class_add(haft__gbnf_char_class *class, uint32_t first, uint32_t last)
{
    if (first > last) {
        return;
    }
    if (class->count == HAFT__GBNF_RANGES) {
        class->full = true;
        return;
    }
    class->ranges[class->count++] = (haft__gbnf_char_range){first, last};
}

static int by_first(const void *a, const void *b)
{
    const haft__gbnf_char_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

void haft__gbnf_char_class_negate(haft__gbnf_char_class *class)
{
    haft__gbnf_char_class other = {.full = class->full};
    qsort(class->ranges, class->count, sizeof class->ranges[0], by_first);
    uint32_t next = 0;
    for (size_t i = 0; i < class->count; i++) {
        if (class->ranges[i].first > next) {
            haft__gbnf_char_class_add(&other, next, class->ranges[i].first - 1);
        }
        if (class->ranges[i].last >= next) {
            next = class->ranges[i].last + 1;
        }
    }
    haft__gbnf_char_class_add(&other, next, LAST_CODE);
    *class = other;
}

bool haft__gbnf_char_class_has(const haft__gbnf_char_class *class, uint32_t code)
{
    for (size_t i = 0; i < class->count; i++) {
        if (class->ranges[i].first <= code && code <= class->ranges[i].last) {
            return true;
        }
    }
    return false;
}

static void write_code(haft__buf *body, uint32_t code)
{
    uint32_t lower = code | 0x20;
    if (haft__ascii_is_digit(code) || (code < 0x80 && haft__ascii_is_lower(lower))) {
        haft__buf_add_char(body, (char)code);
    } else if (code < 0x80) {
        haft__buf_addf(body, "\\x%02X", code);
    } else if (code <= 0xFFFF) {
        haft__buf_addf(body, "\\u%04X", code);
    } else {
        haft__buf_addf(body, "\\U%08X", code);
    }
}

static void write_range(haft__buf *body, uint32_t first, uint32_t last)
{
    write_code(body, first);
    if (last > first) {
        haft__buf_add_char(body, '-');
        write_code(body, last);
    }
}

/* The characters that need no escape between quotes of this kind. */
static size_t plain_ranges(char quote, haft__gbnf_char_range ranges[3])
{
    uint32_t q = (unsigned char)quote;
    if (quote == '\0') {
        ranges[0] = (haft__gbnf_char_range){0, LAST_CODE};
        return 1;
    }
    ranges[0] = (haft__gbnf_char_range){0x20, q - 1};
    ranges[1] = (haft__gbnf_char_range){q + 1, '\\' - 1};
    ranges[2] = (haft__gbnf_char_range){'\\' + 1, LAST_CODE};
    return 3;
}

static void write_plain(haft__buf *to, const haft__gbnf_char_class *class, char quote)
{
    haft__gbnf_char_range plain[3];
    size_t count = plain_ranges(quote, plain);
    for (size_t i = 0; i < class->count; i++) {
        for (size_t j = 0; j < count; j++) {
            uint32_t first = class->ranges[i].first, last = class->ranges[i].last;
            first = first > plain[j].first ? first : plain[j].first;
            last = last < plain[j].last ? last : plain[j].last;
            if (first <= last) {
                write_range(to, first, last);
            }
        }
    }
}

static void write_escapes(haft__buf *to, const haft__gbnf_char_class *class, char quote)
{
    const char escaped[] = {quote, '\\', '\b', '\f', '\n', '\r', '\t'};
    for (size_t i = 0; quote != '\0' && i < COUNT(escaped); i++) {
        if (haft__gbnf_char_class_has(class, (unsigned char)escaped[i])) {
            write_code(to, (unsigned char)escape_letter(escaped[i], quote));
        }
    }
}

bool haft__gbnf_char_class_write(haft__gbnf_writer *g, haft__buf *body,
                                 const haft__gbnf_char_class *class, char quote)
{
    haft__buf plain, escapes;
    haft__gbnf_body_init(&plain);
    haft__gbnf_body_init(&escapes);
    write_plain(&plain, class, quote);
    write_escapes(&escapes, class, quote);
    bool both = plain.len > 0 && escapes.len > 0, any = plain.len > 0 || escapes.len > 0;
    haft__buf_add_str(body, both || escapes.len > 0 ? HAFT__LIT("( ") : HAFT__LIT(""));
    if (plain.len > 0) {
        haft__buf_addf(body, "[%.*s] ", HAFT__ARG(haft__buf_str(&plain)));
    }
    haft__buf_add_str(body, both ? HAFT__LIT("| ") : HAFT__LIT(""));
    if (escapes.len > 0) {
        haft__buf_addf(body, "\"\\\\\" [%.*s] ) ", HAFT__ARG(haft__buf_str(&escapes)));
    }
    haft__gbnf_release_body(g, &plain);
    haft__gbnf_release_body(g, &escapes);
    return any;
}

/* ---- a schema's strings ---- */

static bool add_patterned(haft__gbnf_writer *g, haft__buf *body, haft_str pattern)
{
    for (const char *quote = haft__gbnf_quotes(g); *quote != '\0'; quote++) {
        haft__gbnf_add_or(body);
        haft__gbnf_add_literal(body, (haft_str){quote, 1});
        if (!haft__gbnf_add_pattern(g, body, pattern, *quote, "")) {
            return false;
        }
        haft__gbnf_add_literal(body, (haft_str){quote, 1});
    }
    return true;
}

static void add_sized(haft__gbnf_writer *g, haft__buf *body, uint64_t min, uint64_t max)
{
    for (const char *quote = haft__gbnf_quotes(g); *quote != '\0'; quote++) {
        haft__gbnf_add_or(body);
        haft__gbnf_add_literal(body, (haft_str){quote, 1});
        haft__gbnf_add_repeat(g, body, haft__gbnf_char(g, *quote), min, max);
        haft__gbnf_add_literal(body, (haft_str){quote, 1});
    }
}

/* Any string, limited to the maximum length of a reply. This bound is not from the schema, so
 * dropping it when the limit of repetitions is reached is not reported. The rule is made only once,
 * because its repetitions count towards that limit. */
static haft__gbnf_rule_name bounded_string(haft__gbnf_writer *g)
{
    if (g->bounded.text[0] == '\0') {
        haft__relax_report *report = g->report;
        haft__buf body;
        haft__gbnf_body_init(&body);
        g->report = NULL;
        add_sized(g, &body, 0, g->max_chars);
        g->report = report;
        g->bounded = haft__gbnf_add_rule(g, &body);
    }
    return g->bounded;
}

haft__gbnf_rule_name haft__gbnf_schema_string(haft__gbnf_writer *g, haft__json schema)
{
    uint64_t min = 0, max = HAFT__GBNF_NO_MAX;
    (void)haft__gbnf_get_count(schema, "minLength", &min);
    (void)haft__gbnf_get_count(schema, "maxLength", &max);
    const haft__json *pattern = haft__object_find(schema, "pattern");
    haft__gbnf_relax(g, schema, "format", "any string");
    haft__buf body;
    haft__gbnf_body_init(&body);
    if (pattern != NULL) {
        if (pattern->kind == HAFT__JSON_STRING
            && add_patterned(g, &body, haft__json_text(*pattern))) {
            haft__gbnf_relax(g, schema, "minLength", "the pattern only");
            haft__gbnf_relax(g, schema, "maxLength", "the pattern only");
            return haft__gbnf_add_rule(g, &body);
        }
        haft__gbnf_relax(g, schema, "pattern", "any string");
        haft__gbnf_release_body(g, &body);
        haft__gbnf_body_init(&body);
    }
    if (min > max) {
        haft__gbnf_relax(g, schema, "maxLength", "any length, as it is less than minLength");
        max = HAFT__GBNF_NO_MAX;
    }
    bool bounded = g->max_chars > 0 && g->notation == HAFT__NOTATION_JSON;
    if (min == 0 && max == HAFT__GBNF_NO_MAX) {
        haft__buf_finish(&body);
        return bounded ? bounded_string(g) : haft__gbnf_string(g);
    }
    if (bounded && max == HAFT__GBNF_NO_MAX && min <= g->max_chars) {
        max = g->max_chars;
    }
    add_sized(g, &body, min, max);
    return haft__gbnf_add_rule(g, &body);
}
