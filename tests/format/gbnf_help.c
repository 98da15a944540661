/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gbnf_help.c - see gbnf_help.h. Repetitions and groups become rules of their own; texts are
 * recognised with Earley's algorithm, characters being code points.
 */
#include "gbnf_help.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"

#define MOST_REPEATS 2000
#define NAME_BYTES   64

/* What a rule is made of: a reference, or one character of a class. */
typedef struct symbol {
    bool is_rule, negated;
    uint32_t rule;
    uint32_t first, count; /* ranges */
} symbol;

typedef struct sequence {
    uint32_t rule, first, count; /* symbols */
} sequence;

typedef struct rule {
    char name[NAME_BYTES];
    bool defined, nullable;
    uint32_t first, count; /* sequences, once they are sorted */
    uint8_t visit;
} rule;

typedef struct range {
    uint32_t first, last;
} range;

struct gbnf {
    symbol *symbols;
    sequence *sequences;
    rule *rules;
    range *ranges;
    size_t symbol_count, symbol_room, sequence_count, sequence_room;
    size_t rule_count, rule_room, range_count, range_room;
    uint32_t root;
    haft_str rest;
    const char *why;
};

/* ---- memory; a test that has none ends ---- */

static void *grow(void *items, size_t count, size_t *room, size_t size)
{
    if (count < *room) {
        return items;
    }
    *room = *room > 0 ? *room * 2 : 64;
    void *more = realloc(items, *room * size);
    if (more == NULL) {
        abort();
    }
    return more;
}

static uint32_t add_rule(gbnf *g, haft_str name)
{
    g->rules = grow(g->rules, g->rule_count, &g->rule_room, sizeof *g->rules);
    rule *r = &g->rules[g->rule_count];
    *r = (rule){.name = ""};
    memcpy(r->name, name.ptr, name.len);
    r->name[name.len] = '\0';
    return (uint32_t)g->rule_count++;
}

static uint32_t add_own_rule(gbnf *g)
{
    uint32_t index = add_rule(g, HAFT__LIT("_"));
    g->rules[index].defined = true;
    return index;
}

static void add_sequence(gbnf *g, uint32_t rule_index, const symbol *symbols, size_t count)
{
    g->sequences = grow(g->sequences, g->sequence_count, &g->sequence_room, sizeof *g->sequences);
    g->sequences[g->sequence_count++] =
        (sequence){rule_index, (uint32_t)g->symbol_count, (uint32_t)count};
    for (size_t i = 0; i < count; i++) {
        g->symbols = grow(g->symbols, g->symbol_count, &g->symbol_room, sizeof *g->symbols);
        g->symbols[g->symbol_count++] = symbols[i];
    }
}

static void add_range(gbnf *g, symbol *to, uint32_t first, uint32_t last)
{
    g->ranges = grow(g->ranges, g->range_count, &g->range_room, sizeof *g->ranges);
    g->ranges[g->range_count++] = (range){first, last};
    to->count++;
}

/* ---- reading ---- */

static void fail(gbnf *g, const char *why)
{
    g->why = g->why == NULL ? why : g->why;
    g->rest.len = 0;
}

static char peek(const gbnf *g)
{
    return g->rest.len > 0 ? g->rest.ptr[0] : '\0';
}

static void skip(gbnf *g, size_t count)
{
    g->rest = haft__str_skip(g->rest, count);
}

static void skip_space(gbnf *g, bool lines)
{
    while (peek(g) == ' ' || peek(g) == '\t' || peek(g) == '#'
           || (lines && (peek(g) == '\n' || peek(g) == '\r'))) {
        if (peek(g) == '#') {
            while (g->rest.len > 0 && peek(g) != '\n') {
                skip(g, 1);
            }
        } else {
            skip(g, 1);
        }
    }
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

static haft_str read_name(gbnf *g)
{
    haft_str name = {g->rest.ptr, 0};
    while (name.len < g->rest.len && is_name_byte(name.ptr[name.len])) {
        name.len++;
    }
    if (name.len == 0 || name.len >= NAME_BYTES) {
        fail(g, "no name where one should be");
        return (haft_str){"", 0};
    }
    skip(g, name.len);
    return name;
}

static uint32_t find_rule(gbnf *g, haft_str name)
{
    for (size_t i = 0; i < g->rule_count; i++) {
        if (haft__str_equal(haft__str(g->rules[i].name), name)) {
            return (uint32_t)i;
        }
    }
    return add_rule(g, name);
}

static uint32_t read_hex(gbnf *g, size_t digits)
{
    uint32_t code = 0;
    for (size_t i = 0; i < digits; i++) {
        char c = peek(g), lower = (char)(c | 0x20);
        if (!(c >= '0' && c <= '9') && !(lower >= 'a' && lower <= 'f')) {
            fail(g, "a bad escape");
            return 0;
        }
        code = code * 16 + (uint32_t)(c <= '9' ? c - '0' : lower - 'a' + 10);
        skip(g, 1);
    }
    return code;
}

static uint32_t read_code(gbnf *g)
{
    uint32_t code = 0;
    if (peek(g) != '\\') {
        size_t length = haft__utf8_decode(g->rest, &code);
        if (length == 0 || code == '\n') {
            fail(g, "an open literal, or bad UTF-8");
        }
        skip(g, length);
        return code;
    }
    skip(g, 1);
    char c = peek(g);
    skip(g, 1);
    switch (c) {
    case 'x': return read_hex(g, 2);
    case 'u': return read_hex(g, 4);
    case 'U': return read_hex(g, 8);
    case 't': return '\t';
    case 'r': return '\r';
    case 'n': return '\n';
    case '\\':
    case '"':
    case '[':
    case ']': return (unsigned char)c;
    default: fail(g, "an escape that is none"); return 0;
    }
}

/* The symbols of the sequence that is being read. */
typedef struct reading {
    symbol *symbols;
    size_t count, room;
    size_t last; /* where what a repetition would repeat begins */
} reading;

static void put(reading *r, symbol s)
{
    r->symbols = grow(r->symbols, r->count, &r->room, sizeof *r->symbols);
    r->symbols[r->count++] = s;
}

static void read_literal(gbnf *g, reading *r)
{
    skip(g, 1);
    while (peek(g) != '"' && g->why == NULL) {
        symbol s = {.first = (uint32_t)g->range_count};
        uint32_t code = read_code(g);
        add_range(g, &s, code, code);
        put(r, s);
    }
    skip(g, 1);
}

static void read_class(gbnf *g, reading *r)
{
    skip(g, 1);
    symbol s = {.first = (uint32_t)g->range_count, .negated = peek(g) == '^'};
    skip(g, s.negated ? 1 : 0);
    while (peek(g) != ']' && g->why == NULL) {
        uint32_t first = read_code(g), last = first;
        if (peek(g) == '-' && g->rest.len > 1 && g->rest.ptr[1] != ']') {
            skip(g, 1);
            last = read_code(g);
        }
        if (last < first) {
            fail(g, "a range that ends before it begins");
        }
        add_range(g, &s, first, last);
    }
    skip(g, 1);
    if (s.count == 0) {
        fail(g, "an empty class");
    }
    put(r, s);
}

static void read_alternatives(gbnf *g, uint32_t rule_index, bool nested, unsigned depth);

static void read_group(gbnf *g, reading *r, unsigned depth)
{
    skip(g, 1);
    uint32_t inner = add_own_rule(g);
    if (depth > 200) {
        fail(g, "groups that are too deep");
        return;
    }
    read_alternatives(g, inner, true, depth + 1);
    if (peek(g) != ')') {
        fail(g, "a group that is not closed");
    }
    skip(g, 1);
    put(r, (symbol){.is_rule = true, .rule = inner});
}

static unsigned read_number(gbnf *g)
{
    unsigned number = 0;
    if (peek(g) < '0' || peek(g) > '9') {
        fail(g, "no number where one should be");
    }
    while (peek(g) >= '0' && peek(g) <= '9' && number <= MOST_REPEATS) {
        number = number * 10 + (unsigned)(peek(g) - '0');
        skip(g, 1);
    }
    return number;
}

/* The last symbols become a rule, and so does each further repetition. */
static void repeat(gbnf *g, reading *r, unsigned least, unsigned most)
{
    const unsigned endless = UINT32_MAX;
    if (least > MOST_REPEATS || (most != endless && (most > MOST_REPEATS || most < least))) {
        fail(g, "a count that is too large");
        return;
    }
    uint32_t unit = add_own_rule(g);
    add_sequence(g, unit, r->symbols + r->last, r->count - r->last);
    r->count = r->last;
    symbol one = {.is_rule = true, .rule = unit};
    for (unsigned i = 0; i < least; i++) {
        put(r, one);
    }
    if (most == endless) {
        uint32_t again = add_own_rule(g);
        symbol loop[] = {one, {.is_rule = true, .rule = again}};
        add_sequence(g, again, loop, 2);
        add_sequence(g, again, NULL, 0);
        put(r, loop[1]);
        return;
    }
    uint32_t tail = UINT32_MAX;
    for (unsigned i = least; i < most; i++) {
        uint32_t next = add_own_rule(g);
        symbol both[] = {one, {.is_rule = true, .rule = tail}};
        add_sequence(g, next, both, tail == UINT32_MAX ? 1 : 2);
        add_sequence(g, next, NULL, 0);
        tail = next;
    }
    if (tail != UINT32_MAX) {
        put(r, (symbol){.is_rule = true, .rule = tail});
    }
}

static void read_counts(gbnf *g, reading *r)
{
    skip(g, 1);
    unsigned least = read_number(g), most = least;
    if (peek(g) == ',') {
        skip(g, 1);
        most = peek(g) == '}' ? UINT32_MAX : read_number(g);
    }
    if (peek(g) != '}') {
        fail(g, "a count that is not closed");
    }
    skip(g, 1);
    repeat(g, r, least, most);
}

static void read_repetition(gbnf *g, reading *r)
{
    char c = peek(g);
    if (r->last == r->count && r->count == 0) {
        fail(g, "nothing to repeat");
    } else if (c == '{') {
        read_counts(g, r);
    } else {
        skip(g, 1);
        repeat(g, r, c == '+' ? 1 : 0, c == '?' ? 1 : UINT32_MAX);
    }
}

static void read_sequence(gbnf *g, uint32_t rule_index, bool nested, unsigned depth)
{
    reading r = {0};
    for (;;) {
        skip_space(g, nested);
        char c = peek(g);
        if (g->why != NULL || c == '\0' || c == '|' || c == ')' || c == '\n' || c == '\r') {
            break;
        }
        if (c == '*' || c == '+' || c == '?' || c == '{') {
            read_repetition(g, &r);
            continue;
        }
        r.last = r.count;
        if (c == '"') {
            read_literal(g, &r);
        } else if (c == '[') {
            read_class(g, &r);
        } else if (c == '(') {
            read_group(g, &r, depth);
        } else if (is_name_byte(c)) {
            uint32_t index = find_rule(g, read_name(g));
            put(&r, (symbol){.is_rule = true, .rule = index});
        } else {
            fail(g, "something that does not belong there");
        }
    }
    add_sequence(g, rule_index, r.symbols, r.count);
    free(r.symbols);
}

static void read_alternatives(gbnf *g, uint32_t rule_index, bool nested, unsigned depth)
{
    read_sequence(g, rule_index, nested, depth);
    while (peek(g) == '|') {
        skip(g, 1);
        read_sequence(g, rule_index, nested, depth);
    }
}

static void read_rule(gbnf *g)
{
    uint32_t index = find_rule(g, read_name(g));
    skip_space(g, false);
    if (g->why == NULL && !haft__str_starts(g->rest, HAFT__LIT("::="))) {
        fail(g, "no ::= behind a name");
    }
    if (g->why == NULL && g->rules[index].defined) {
        fail(g, "a rule that is there twice");
    }
    g->rules[index].defined = true;
    skip(g, 3);
    read_alternatives(g, index, false, 0);
    if (g->why == NULL && g->rest.len > 0 && peek(g) != '\n' && peek(g) != '\r') {
        fail(g, "something behind a rule");
    }
    skip_space(g, true);
}

/* ---- what must hold of all rules ---- */

static int by_rule(const void *a, const void *b)
{
    const sequence *x = a, *y = b;
    int order = (x->rule > y->rule) - (x->rule < y->rule);
    return order != 0 ? order : (x->first > y->first) - (x->first < y->first);
}

static void sort_sequences(gbnf *g)
{
    qsort(g->sequences, g->sequence_count, sizeof *g->sequences, by_rule);
    for (size_t i = 0; i < g->sequence_count; i++) {
        rule *r = &g->rules[g->sequences[i].rule];
        r->first = r->count == 0 ? (uint32_t)i : r->first;
        r->count++;
    }
}

static bool all_nullable(const gbnf *g, const sequence *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const symbol *symbol_at = &g->symbols[s->first + i];
        if (!symbol_at->is_rule || !g->rules[symbol_at->rule].nullable) {
            return false;
        }
    }
    return true;
}

static void find_nullable(gbnf *g)
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

/* Depth first over the rules that a rule may begin with. */
static bool is_left_recursive(gbnf *g, uint32_t index)
{
    rule *r = &g->rules[index];
    if (r->visit != 0) {
        return r->visit == 1;
    }
    r->visit = 1;
    for (uint32_t i = 0; i < r->count; i++) {
        const sequence *s = &g->sequences[r->first + i];
        for (uint32_t j = 0; j < s->count; j++) {
            const symbol *at = &g->symbols[s->first + j];
            if (at->is_rule && is_left_recursive(g, at->rule)) {
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

static void check_rules(gbnf *g)
{
    bool found = false;
    for (size_t i = 0; i < g->rule_count && g->why == NULL; i++) {
        if (!g->rules[i].defined) {
            fail(g, "a rule that is not there");
        } else if (is_left_recursive(g, (uint32_t)i)) {
            fail(g, "left recursion");
        }
        if (strcmp(g->rules[i].name, "root") == 0) {
            g->root = (uint32_t)i;
            found = true;
        }
    }
    if (!found) {
        fail(g, "no root");
    }
}

gbnf *gbnf_read(haft_str text, const char **ret_why)
{
    gbnf *g = calloc(1, sizeof *g);
    if (g == NULL) {
        abort();
    }
    g->rest = text;
    skip_space(g, true);
    while (g->rest.len > 0) {
        read_rule(g);
    }
    if (g->why == NULL) {
        sort_sequences(g);
        find_nullable(g);
        check_rules(g);
    }
    *ret_why = g->why;
    if (g->why != NULL) {
        gbnf_free(g);
        return NULL;
    }
    return g;
}

void gbnf_free(gbnf *grammar)
{
    if (grammar != NULL) {
        free(grammar->symbols);
        free(grammar->sequences);
        free(grammar->rules);
        free(grammar->ranges);
        free(grammar);
    }
}

/* ---- recognising ---- */

typedef struct item {
    uint32_t sequence, dot, origin;
} item;

typedef struct chart {
    item *items;
    size_t count, room;
    uint32_t *slots; /* 1 + index, of the present set */
    size_t slot_count;
    size_t *starts; /* of each set */
} chart;

static size_t hash_item(const item *i, size_t slots)
{
    uint64_t h = (uint64_t)i->sequence * 0x9E3779B97F4A7C15U;
    h ^= ((uint64_t)i->dot << 40) + (uint64_t)i->origin * 0xC2B2AE3D27D4EB4FU;
    return (size_t)((h ^ (h >> 29)) % slots);
}

static void rehash(chart *c, size_t from, size_t slots)
{
    free(c->slots);
    c->slots = calloc(slots, sizeof *c->slots);
    if (c->slots == NULL) {
        abort();
    }
    c->slot_count = slots;
    for (size_t i = from; i < c->count; i++) {
        size_t at = hash_item(&c->items[i], slots);
        while (c->slots[at] != 0) {
            at = (at + 1) % slots;
        }
        c->slots[at] = (uint32_t)i + 1;
    }
}

static void add_item(chart *c, size_t from, item new)
{
    if ((c->count - from + 1) * 2 > c->slot_count) {
        rehash(c, from, c->slot_count * 2);
    }
    size_t at = hash_item(&new, c->slot_count);
    for (; c->slots[at] != 0; at = (at + 1) % c->slot_count) {
        if (memcmp(&c->items[c->slots[at] - 1], &new, sizeof new) == 0) {
            return;
        }
    }
    c->items = grow(c->items, c->count, &c->room, sizeof *c->items);
    c->items[c->count++] = new;
    c->slots[at] = (uint32_t)c->count;
}

static bool class_has(const gbnf *g, const symbol *s, uint32_t code)
{
    bool found = false;
    for (uint32_t i = 0; i < s->count && !found; i++) {
        const range *r = &g->ranges[s->first + i];
        found = r->first <= code && code <= r->last;
    }
    return found != s->negated;
}

static const symbol *after_dot(const gbnf *g, const item *i)
{
    const sequence *s = &g->sequences[i->sequence];
    return i->dot < s->count ? &g->symbols[s->first + i->dot] : NULL;
}

static void complete(const gbnf *g, chart *c, size_t from, item done)
{
    uint32_t rule_index = g->sequences[done.sequence].rule;
    size_t end = c->starts[done.origin + 1];
    for (size_t i = c->starts[done.origin]; i < end; i++) {
        const symbol *s = after_dot(g, &c->items[i]);
        if (s != NULL && s->is_rule && s->rule == rule_index) {
            item next = c->items[i];
            next.dot++;
            add_item(c, from, next);
        }
    }
}

/* Everything that follows from a set without reading anything. */
static void close_set(const gbnf *g, chart *c, size_t from, uint32_t position)
{
    for (size_t i = from; i < c->count; i++) {
        item now = c->items[i];
        const symbol *s = after_dot(g, &now);
        if (s == NULL && now.origin < position) {
            complete(g, c, from, now);
        } else if (s != NULL && s->is_rule) {
            const rule *r = &g->rules[s->rule];
            for (uint32_t j = 0; j < r->count; j++) {
                add_item(c, from, (item){r->first + j, 0, position});
            }
            if (r->nullable) {
                now.dot++;
                add_item(c, from, now);
            }
        }
    }
}

static bool has_root(const gbnf *g, const chart *c, size_t from)
{
    for (size_t i = from; i < c->count; i++) {
        const item *at = &c->items[i];
        if (at->origin == 0 && g->sequences[at->sequence].rule == g->root
            && after_dot(g, at) == NULL) {
            return true;
        }
    }
    return false;
}

static bool run(const gbnf *g, haft_str text, bool whole)
{
    chart c = {.starts = calloc(text.len + 3, sizeof(size_t))};
    if (c.starts == NULL) {
        abort();
    }
    rehash(&c, 0, 1024);
    for (uint32_t i = 0; i < g->rules[g->root].count; i++) {
        add_item(&c, 0, (item){g->rules[g->root].first + i, 0, 0});
    }
    uint32_t position = 0;
    size_t from = 0;
    close_set(g, &c, from, position);
    bool alive = true;
    while (alive && text.len > 0) {
        uint32_t code = 0;
        size_t length = haft__utf8_decode(text, &code), end = c.count;
        text = haft__str_skip(text, length);
        c.starts[++position] = end;
        memset(c.slots, 0, c.slot_count * sizeof *c.slots);
        for (size_t i = from; length > 0 && i < end; i++) {
            const symbol *s = after_dot(g, &c.items[i]);
            if (s != NULL && !s->is_rule && class_has(g, s, code)) {
                item next = c.items[i];
                next.dot++;
                add_item(&c, end, next);
            }
        }
        from = end;
        alive = c.count > from;
        close_set(g, &c, from, position);
    }
    bool good = alive && (!whole || has_root(g, &c, from));
    free(c.items);
    free(c.slots);
    free(c.starts);
    return good;
}

bool gbnf_accepts(const gbnf *grammar, haft_str text)
{
    return run(grammar, text, true);
}

bool gbnf_begins(const gbnf *grammar, haft_str text)
{
    return run(grammar, text, false);
}
