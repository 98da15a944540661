/* SPDX-License-Identifier: Apache-2.0 */
/* gbnf_matcher.c - whether a grammar accepts a text, by Earley's algorithm; characters are code
 * points. Tests: tests/format/grammar/gbnf_reader_test.c. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "format/grammar/gbnf_int.h"

typedef haft__gbnf_symbol symbol;

typedef struct item {
    uint32_t sequence, dot, origin;
} item;

typedef struct chart {
    const haft__gbnf_grammar *g;
    item *items;
    size_t count, room;
    uint32_t *slots; /* 1 + index of an item of the current set */
    size_t slot_count;
    size_t *starts; /* of each set */
    size_t from;    /* where the current set starts */
    bool no_memory;
} chart;

static size_t hash_item(const item *i, size_t slots)
{
    uint64_t h = (uint64_t)i->sequence * 0x9E3779B97F4A7C15U;
    h ^= ((uint64_t)i->dot << 40) + (uint64_t)i->origin * 0xC2B2AE3D27D4EB4FU;
    return (size_t)((h ^ (h >> 29)) % slots);
}

static bool rehash(chart *c, size_t slots)
{
    uint32_t *more = calloc(slots, sizeof(*more));
    if (more == NULL) {
        c->no_memory = true;
        return false;
    }
    free(c->slots);
    c->slots = more;
    c->slot_count = slots;
    for (size_t i = c->from; i < c->count; i++) {
        size_t at = hash_item(&c->items[i], slots);
        while (c->slots[at] != 0) {
            at = (at + 1) % slots;
        }
        c->slots[at] = (uint32_t)i + 1;
    }
    return true;
}

static bool grow_items(chart *c)
{
    item *items = haft__vec_reserve(c->items, &c->room, c->count + 1, sizeof(*items));
    if (items == NULL) {
        c->no_memory = true;
        return false;
    }
    c->items = items;
    return true;
}

static void add_item(chart *c, item added)
{
    if (c->no_memory
        || ((c->count - c->from + 1) * 2 > c->slot_count && !rehash(c, c->slot_count * 2))) {
        return;
    }
    size_t at = hash_item(&added, c->slot_count);
    for (; c->slots[at] != 0; at = (at + 1) % c->slot_count) {
        const item *existing = &c->items[c->slots[at] - 1];
        if (existing->sequence == added.sequence && existing->dot == added.dot
            && existing->origin == added.origin) {
            return;
        }
    }
    if (grow_items(c)) {
        c->items[c->count++] = added;
        c->slots[at] = (uint32_t)c->count;
    }
}

static bool class_has(const haft__gbnf_grammar *g, const symbol *s, uint32_t code)
{
    bool found = false;
    for (uint32_t i = 0; i < s->count && !found; i++) {
        const haft__gbnf_code_range *r = &g->ranges[s->first + i];
        found = r->first <= code && code <= r->last;
    }
    return found != s->negated;
}

static const symbol *after_dot(const haft__gbnf_grammar *g, const item *i)
{
    const haft__gbnf_sequence *s = &g->sequences[i->sequence];
    return i->dot < s->count ? &g->symbols[s->first + i->dot] : NULL;
}

static void complete(chart *c, item done)
{
    uint32_t rule_index = c->g->sequences[done.sequence].rule;
    size_t end = c->starts[done.origin + 1];
    for (size_t i = c->starts[done.origin]; i < end; i++) {
        const symbol *s = after_dot(c->g, &c->items[i]);
        if (s != NULL && s->is_rule && s->rule == rule_index) {
            item next = c->items[i];
            next.dot++;
            add_item(c, next);
        }
    }
}

/* Adds everything that follows from a set without reading a character. */
static void close_set(chart *c, uint32_t position)
{
    for (size_t i = c->from; i < c->count && !c->no_memory; i++) {
        item now = c->items[i];
        const symbol *s = after_dot(c->g, &now);
        if (s == NULL && now.origin < position) {
            complete(c, now);
        } else if (s != NULL && s->is_rule) {
            const haft__gbnf_production *r = &c->g->rules[s->rule];
            for (uint32_t j = 0; j < r->count; j++) {
                add_item(c, (item){r->first + j, 0, position});
            }
            if (r->nullable) {
                now.dot++;
                add_item(c, now);
            }
        }
    }
}

/* Begins the next set: the items of the current set that match a character, moved past it. */
static void scan(chart *c, uint32_t code)
{
    size_t first = c->from, end = c->count;
    c->from = end;
    memset(c->slots, 0, c->slot_count * sizeof(*c->slots));
    for (size_t i = first; i < end; i++) {
        const symbol *s = after_dot(c->g, &c->items[i]);
        if (s != NULL && !s->is_rule && class_has(c->g, s, code)) {
            item next = c->items[i];
            next.dot++;
            add_item(c, next);
        }
    }
}

static bool has_root(const chart *c)
{
    for (size_t i = c->from; i < c->count; i++) {
        const item *at = &c->items[i];
        if (at->origin == 0 && c->g->sequences[at->sequence].rule == c->g->root
            && after_dot(c->g, at) == NULL) {
            return true;
        }
    }
    return false;
}

static bool run(chart *c, haft_str text, bool begins)
{
    const haft__gbnf_production *root = &c->g->rules[c->g->root];
    uint32_t position = 0;
    for (uint32_t i = 0; i < root->count; i++) {
        add_item(c, (item){root->first + i, 0, 0});
    }
    close_set(c, position);
    while (c->count > c->from && text.len > 0 && !c->no_memory) {
        uint32_t code = 0;
        size_t length = haft__utf8_decode(text, &code);
        if (length == 0) {
            return false;
        }
        text = haft__str_skip(text, length);
        c->starts[++position] = c->count;
        scan(c, code);
        close_set(c, position);
    }
    return c->count > c->from && (begins || has_root(c));
}

haft_status haft__gbnf_match(const haft__gbnf_grammar *rules, haft_str text, bool begins,
                             bool *ret_matches, haft_error *err)
{
    chart c = {.g = rules, .starts = calloc(text.len + 3, sizeof(size_t))};
    c.no_memory = c.starts == NULL;
    if (!c.no_memory && rehash(&c, 1024)) {
        *ret_matches = run(&c, text, begins);
    }
    free(c.items);
    free(c.slots);
    free(c.starts);
    return c.no_memory ? haft__fail_no_memory(err) : HAFT_OK;
}
