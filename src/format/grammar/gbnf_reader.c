/* SPDX-License-Identifier: Apache-2.0 */
/* gbnf_reader.c - reads a grammar. Repetitions and groups become separate rules. gbnf_matcher.c
 * does the matching. Tests: tests/format/grammar/gbnf_reader_test.c. */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "format/grammar/gbnf_int.h"

typedef haft__gbnf_symbol symbol;
typedef haft__gbnf_sequence sequence;
typedef haft__gbnf_production rule;

#define MAX_REPEATS 2000 /* the limit of llama.cpp */
#define MAX_DEPTH   200  /* nested groups */
#define MAX_HOPS    1000 /* references from rule to rule before the first character */
#define UNBOUNDED   UINT32_MAX

typedef struct reader {
    haft__gbnf_grammar *g;
    haft__arena *arena;
    haft_str rest;
    const char *why; /* the first error */
    bool no_memory;
} reader;

/* The symbols of the sequence that is being read. */
typedef struct sequence_builder {
    symbol *symbols;
    size_t count, room;
    size_t last; /* the first symbol that a repetition would repeat */
} sequence_builder;

/* ---- memory ---- */

static void fail(reader *r, const char *why)
{
    r->why = r->why == NULL ? why : r->why;
    r->rest.len = 0;
}

/* Makes room for one more item. When out of memory, stops the reader and returns NULL. */
static void *grow(reader *r, void *items, size_t count, size_t *room, size_t size)
{
    void *grown = haft__vec_reserve_in(r->arena, items, count, room, count + 1, size);
    if (grown == NULL) {
        r->no_memory = true;
        fail(r, "it is too large");
    }
    return grown;
}

static uint32_t add_rule(reader *r, haft_str name, bool defined)
{
    haft__gbnf_grammar *g = r->g;
    rule *rules = grow(r, g->rules, g->rule_count, &g->rule_capacity, sizeof(*rules));
    if (rules == NULL) {
        return 0;
    }
    g->rules = rules;
    g->rules[g->rule_count] = (rule){.name = name, .defined = defined};
    return (uint32_t)g->rule_count++;
}

static void add_symbol(reader *r, symbol s)
{
    haft__gbnf_grammar *g = r->g;
    symbol *symbols = grow(r, g->symbols, g->symbol_count, &g->symbol_capacity, sizeof(*symbols));
    if (symbols != NULL) {
        g->symbols = symbols;
        g->symbols[g->symbol_count++] = s;
    }
}

static void add_sequence(reader *r, uint32_t rule_index, const symbol *symbols, size_t count)
{
    haft__gbnf_grammar *g = r->g;
    sequence *sequences =
        grow(r, g->sequences, g->sequence_count, &g->sequence_capacity, sizeof(*sequences));
    if (sequences == NULL) {
        return;
    }
    g->sequences = sequences;
    g->sequences[g->sequence_count++] =
        (sequence){rule_index, (uint32_t)g->symbol_count, (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        add_symbol(r, symbols[i]);
    }
}

static void add_range(reader *r, symbol *to, uint32_t first, uint32_t last)
{
    haft__gbnf_grammar *g = r->g;
    haft__gbnf_code_range *ranges =
        grow(r, g->ranges, g->range_count, &g->range_capacity, sizeof(*ranges));
    if (ranges != NULL) {
        g->ranges = ranges;
        g->ranges[g->range_count++] = (haft__gbnf_code_range){first, last};
        to->count++;
    }
}

static void put(reader *r, sequence_builder *at, symbol s)
{
    symbol *symbols = grow(r, at->symbols, at->count, &at->room, sizeof(*symbols));
    if (symbols != NULL) {
        at->symbols = symbols;
        at->symbols[at->count++] = s;
    }
}

/* ---- bytes ---- */

static char peek(const reader *r)
{
    return r->rest.len > 0 ? r->rest.ptr[0] : '\0';
}

static void skip(reader *r, size_t count)
{
    r->rest = haft__str_skip(r->rest, count < r->rest.len ? count : r->rest.len);
}

static void skip_space(reader *r, bool lines)
{
    for (;;) {
        char c = peek(r);
        if (c == '#') {
            while (r->rest.len > 0 && peek(r) != '\n') {
                skip(r, 1);
            }
        } else if (haft__ascii_is_blank(c) || (lines && (c == '\n' || c == '\r'))) {
            skip(r, 1);
        } else {
            return;
        }
    }
}

static bool is_name_byte(char c)
{
    return haft__ascii_is_alphanumeric(c) || c == '-';
}

static haft_str read_name(reader *r)
{
    haft_str name = {r->rest.ptr, 0};
    while (name.len < r->rest.len && is_name_byte(name.ptr[name.len])) {
        name.len++;
    }
    if (name.len == 0) {
        fail(r, "expected a name");
    }
    skip(r, name.len);
    return name;
}

static uint32_t find_rule(reader *r, haft_str name)
{
    for (size_t i = 0; i < r->g->rule_count; i++) {
        if (haft__str_equal(r->g->rules[i].name, name)) {
            return (uint32_t)i;
        }
    }
    return add_rule(r, name, false);
}

static uint32_t read_hex(reader *r, size_t digits)
{
    uint32_t code = 0;
    for (size_t i = 0; i < digits; i++) {
        int digit = haft__hex_value(peek(r));
        if (digit < 0) {
            fail(r, "a bad escape");
            return 0;
        }
        code = code * 16 + (uint32_t)digit;
        skip(r, 1);
    }
    return code;
}

static uint32_t read_escape(reader *r)
{
    skip(r, 1);
    char c = peek(r);
    skip(r, 1);
    switch (c) {
    case 'x': return read_hex(r, 2);
    case 'u': return read_hex(r, 4);
    case 'U': return read_hex(r, 8);
    case 't': return '\t';
    case 'r': return '\r';
    case 'n': return '\n';
    case '\\':
    case '"':
    case '[':
    case ']': return (unsigned char)c;
    default: fail(r, "invalid escape"); return 0;
    }
}

static uint32_t read_code(reader *r)
{
    uint32_t code = 0;
    if (peek(r) == '\\') {
        return read_escape(r);
    }
    size_t length = haft__utf8_decode(r->rest, &code);
    if (length == 0 || code == '\n') {
        fail(r, "an open literal, or bad UTF-8");
    }
    skip(r, length);
    return code;
}

/* ---- elements of a sequence ---- */

static void read_literal(reader *r, sequence_builder *at)
{
    skip(r, 1);
    while (peek(r) != '"' && r->why == NULL) {
        symbol s = {.first = (uint32_t)r->g->range_count};
        uint32_t code = read_code(r);
        add_range(r, &s, code, code);
        put(r, at, s);
    }
    skip(r, 1);
}

static void read_class(reader *r, sequence_builder *at)
{
    skip(r, 1);
    symbol s = {.first = (uint32_t)r->g->range_count, .negated = peek(r) == '^'};
    skip(r, s.negated ? 1 : 0);
    while (peek(r) != ']' && r->why == NULL) {
        uint32_t first = read_code(r), last = first;
        if (peek(r) == '-' && r->rest.len > 1 && r->rest.ptr[1] != ']') {
            skip(r, 1);
            last = read_code(r);
        }
        if (last < first) {
            fail(r, "a range that ends before it begins");
        }
        add_range(r, &s, first, last);
    }
    skip(r, 1);
    if (s.count == 0) {
        fail(r, "an empty class");
    }
    put(r, at, s);
}

static void read_alternatives(reader *r, uint32_t rule_index, bool nested, unsigned depth);

static void read_group(reader *r, sequence_builder *at, unsigned depth)
{
    skip(r, 1);
    uint32_t inner = add_rule(r, HAFT__LIT(""), true);
    if (depth > MAX_DEPTH) {
        fail(r, "groups are nested too deeply");
        return;
    }
    read_alternatives(r, inner, true, depth + 1);
    if (peek(r) != ')') {
        fail(r, "a group that is not closed");
    }
    skip(r, 1);
    put(r, at, (symbol){.is_rule = true, .rule = inner});
}

static unsigned read_number(reader *r)
{
    unsigned number = 0;
    if (!haft__ascii_is_digit(peek(r))) {
        fail(r, "expected a number");
    }
    while (haft__ascii_is_digit(peek(r)) && number <= MAX_REPEATS) {
        number = number * 10 + (unsigned)(peek(r) - '0');
        skip(r, 1);
    }
    return number;
}

/* Adds `count` rules for optional repetitions, each containing the one before. Returns the last. */
static uint32_t add_optional(reader *r, symbol repeated, unsigned count)
{
    uint32_t tail = 0;
    for (unsigned i = 0; i < count && r->why == NULL; i++) {
        uint32_t next = add_rule(r, HAFT__LIT(""), true);
        symbol both[] = {repeated, {.is_rule = true, .rule = tail}};
        add_sequence(r, next, both, i == 0 ? 1 : 2);
        add_sequence(r, next, NULL, 0);
        tail = next;
    }
    return tail;
}

/* Turns the repeated symbols into a rule and adds it `min` times. Rules of their own describe the
 * optional repetitions. */
static void repeat(reader *r, sequence_builder *at, unsigned min, unsigned max)
{
    if (min > MAX_REPEATS || (max != UNBOUNDED && (max > MAX_REPEATS || max < min))) {
        fail(r, "a count that is too large");
        return;
    }
    symbol repeated = {.is_rule = true, .rule = add_rule(r, HAFT__LIT(""), true)};
    add_sequence(r, repeated.rule, at->symbols + at->last, at->count - at->last);
    at->count = at->last;
    for (unsigned i = 0; i < min; i++) {
        put(r, at, repeated);
    }
    if (max == UNBOUNDED) {
        symbol loop[] = {repeated, {.is_rule = true, .rule = add_rule(r, HAFT__LIT(""), true)}};
        add_sequence(r, loop[1].rule, loop, 2);
        add_sequence(r, loop[1].rule, NULL, 0);
        put(r, at, loop[1]);
    } else if (max > min) {
        put(r, at, (symbol){.is_rule = true, .rule = add_optional(r, repeated, max - min)});
    }
}

static void read_counts(reader *r, sequence_builder *at)
{
    skip(r, 1);
    unsigned min = read_number(r), max = min;
    if (peek(r) == ',') {
        skip(r, 1);
        max = peek(r) == '}' ? UNBOUNDED : read_number(r);
    }
    if (peek(r) != '}') {
        fail(r, "a count that is not closed");
        return;
    }
    skip(r, 1);
    repeat(r, at, min, max);
}

static void read_repetition(reader *r, sequence_builder *at)
{
    char c = peek(r);
    if (at->count == 0) {
        fail(r, "nothing to repeat");
    } else if (c == '{') {
        read_counts(r, at);
    } else {
        skip(r, 1);
        repeat(r, at, c == '+' ? 1 : 0, c == '?' ? 1 : UNBOUNDED);
    }
}

static void read_symbol(reader *r, sequence_builder *at, unsigned depth)
{
    char c = peek(r);
    at->last = at->count;
    if (c == '"') {
        read_literal(r, at);
    } else if (c == '[') {
        read_class(r, at);
    } else if (c == '(') {
        read_group(r, at, depth);
    } else if (is_name_byte(c)) {
        uint32_t index = find_rule(r, read_name(r));
        put(r, at, (symbol){.is_rule = true, .rule = index});
    } else {
        fail(r, "unexpected character");
    }
}

static void read_sequence(reader *r, uint32_t rule_index, bool nested, unsigned depth)
{
    sequence_builder at = {0};
    for (;;) {
        skip_space(r, nested);
        char c = peek(r);
        if (r->rest.len == 0 || c == '|' || c == ')' || c == '\n' || c == '\r') {
            break;
        }
        if (c == '*' || c == '+' || c == '?' || c == '{') {
            read_repetition(r, &at);
        } else {
            read_symbol(r, &at, depth);
        }
    }
    add_sequence(r, rule_index, at.symbols, at.count);
}

static void read_alternatives(reader *r, uint32_t rule_index, bool nested, unsigned depth)
{
    read_sequence(r, rule_index, nested, depth);
    while (peek(r) == '|') {
        skip(r, 1);
        read_sequence(r, rule_index, nested, depth);
    }
}

static void read_rule(reader *r)
{
    uint32_t index = find_rule(r, read_name(r));
    skip_space(r, false);
    if (r->why == NULL && !haft__str_starts_with(r->rest, HAFT__LIT("::="))) {
        fail(r, "expected ::= after a name");
    }
    if (r->why == NULL && r->g->rules[index].defined) {
        fail(r, "a rule is defined twice");
    }
    if (r->why != NULL) {
        return;
    }
    r->g->rules[index].defined = true;
    skip(r, 3);
    read_alternatives(r, index, false, 0);
    if (r->rest.len > 0 && peek(r) != '\n' && peek(r) != '\r') {
        fail(r, "unexpected text after a rule");
    }
    skip_space(r, true);
}

/* ---- checks over all rules ---- */

static int by_rule(const void *a, const void *b)
{
    const sequence *x = a, *y = b;
    int order = (x->rule > y->rule) - (x->rule < y->rule);
    return order != 0 ? order : (x->first > y->first) - (x->first < y->first);
}

static void sort_sequences(haft__gbnf_grammar *g)
{
    qsort(g->sequences, g->sequence_count, sizeof(*g->sequences), by_rule);
    for (size_t i = 0; i < g->sequence_count; i++) {
        rule *r = &g->rules[g->sequences[i].rule];
        r->first = r->count == 0 ? (uint32_t)i : r->first;
        r->count++;
    }
}

static bool all_nullable(const haft__gbnf_grammar *g, const sequence *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const symbol *at = &g->symbols[s->first + i];
        if (!at->is_rule || !g->rules[at->rule].nullable) {
            return false;
        }
    }
    return true;
}

static void find_nullable(haft__gbnf_grammar *g)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = g->sequence_count; i > 0; i--) {
            const sequence *s = &g->sequences[i - 1];
            if (!g->rules[s->rule].nullable && all_nullable(g, s)) {
                g->rules[s->rule].nullable = changed = true;
            }
        }
    }
}

/* Searches depth first through the rules that a rule may begin with. */
static bool is_left_recursive(haft__gbnf_grammar *g, uint32_t index, unsigned hops)
{
    rule *r = &g->rules[index];
    if (r->visit != 0 || hops > MAX_HOPS) {
        return r->visit != 2;
    }
    r->visit = 1;
    for (uint32_t i = 0; i < r->count; i++) {
        const sequence *s = &g->sequences[r->first + i];
        for (uint32_t j = 0; j < s->count; j++) {
            const symbol *at = &g->symbols[s->first + j];
            if (at->is_rule && is_left_recursive(g, at->rule, hops + 1)) {
                return true;
            }
            if (!at->is_rule || !g->rules[at->rule].nullable) {
                break;
            }
        }
    }
    r->visit = 2;
    return false;
}

static void check_rules(reader *r)
{
    haft__gbnf_grammar *g = r->g;
    bool found = false;
    for (size_t i = 0; i < g->rule_count && r->why == NULL; i++) {
        if (!g->rules[i].defined) {
            fail(r, "a rule is not defined");
        } else if (is_left_recursive(g, (uint32_t)i, 0)) {
            fail(r, "left recursion");
        }
        if (haft__str_equal(g->rules[i].name, HAFT__LIT("root"))) {
            g->root = (uint32_t)i;
            found = true;
        }
    }
    if (!found) {
        fail(r, "no root");
    }
}

haft_status haft__gbnf_read(haft__arena *arena, haft_str text, const haft__gbnf_grammar **ret_rules,
                            haft_error *err)
{
    haft__gbnf_grammar *g = haft__arena_array(arena, 1, sizeof(*g));
    if (g == NULL) {
        return haft__arena_fail(arena, err);
    }
    *g = (haft__gbnf_grammar){.root = 0};
    reader r = {.g = g, .arena = arena, .rest = text};
    skip_space(&r, true);
    while (r.rest.len > 0) {
        read_rule(&r);
    }
    if (r.why == NULL && g->sequence_count > 0) {
        sort_sequences(g);
        find_nullable(g);
    }
    if (r.why == NULL) {
        check_rules(&r);
    }
    if (r.no_memory) {
        return haft__arena_fail(arena, err);
    }
    *ret_rules = g;
    return r.why == NULL ? HAFT_OK : haft__fail(err, HAFT_BAD_INPUT, "", "%s", r.why);
}
