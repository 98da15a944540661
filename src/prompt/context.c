/* SPDX-License-Identifier: Apache-2.0 */
/* context.c - see context.h. Tests: tests/prompt/context_test.c. */
#include "prompt/context.h"

#include "prompt/estimate.h"

/* A request that must become shorter gets at most this part of the budget, if possible: otherwise
 * the next request would have to become shorter again. */
#define SHORTER_PERCENT (100 - HAFT__CONTEXT_MIN_PERCENT)

typedef haft__context_facts facts;
typedef haft__context_plan plan;

static uint64_t tokens_of(const facts *f, uint64_t raw)
{
    return haft__estimate_apply(raw, f->factor);
}

static uint64_t sum_of(const facts *f)
{
    uint64_t sum = f->fixed;
    for (size_t i = 0; i < f->count; i++) {
        sum += f->parts[i].tokens;
    }
    return sum;
}

static bool rule_applies(const facts *f, const plan *p, haft__context_rule rule)
{
    return rule.on && (p->over_budget || p->before * 100 > f->budget * rule.at);
}

/* Whether the change saves enough tokens to justify invalidating the cache. */
static bool is_worthwhile(const facts *f, const plan *p, uint64_t saved)
{
    return saved > 0
           && (p->over_budget
               || tokens_of(f, saved) * 100 >= f->budget * HAFT__CONTEXT_MIN_PERCENT);
}

static uint64_t saved_by_stub(const haft__context_part *part)
{
    return part->tokens > part->stub_tokens ? part->tokens - part->stub_tokens : 0;
}

/* ---- observations ---- */

/* Marks old observations. Returns the tokens that their stubs save. */
static uint64_t mark_old(const facts *f, bool *cleared)
{
    uint64_t saved = 0;
    uint32_t kept = 0;
    for (size_t i = f->count; i-- > 0;) {
        const haft__context_part *part = &f->parts[i];
        if (!part->is_observation) {
            continue;
        }
        bool old = kept >= f->clear.keep && !part->is_spared && saved_by_stub(part) > 0;
        if (kept < f->clear.keep) {
            kept++;
        }
        cleared[i] = old;
        saved += old ? saved_by_stub(part) : 0;
    }
    return saved;
}

/* The tokens that stubs of all observations save that save at least `least` each. */
static uint64_t saved_by_large(const facts *f, const bool *cleared, uint64_t least)
{
    uint64_t saved = 0;
    for (size_t i = 0; i < f->count; i++) {
        uint64_t part = saved_by_stub(&f->parts[i]);
        bool candidate = f->parts[i].is_observation && !cleared[i];
        saved += candidate && part >= least ? part : 0;
    }
    return saved;
}

/* Marks the largest observations until the request fits. Returns the tokens that their stubs save.
 * Searches for the size from which on observations are cleared, so the cost is linear in their
 * number. */
static uint64_t mark_largest(const facts *f, uint64_t sum, bool *cleared)
{
    uint64_t low = 1, high = sum + 1, saved = 0;
    while (low + 1 < high) { /* `low` saves enough, if that is possible; `high` saves too little */
        uint64_t middle = low + (high - low) / 2;
        bool fits = tokens_of(f, sum - saved_by_large(f, cleared, middle)) <= f->budget;
        *(fits ? &low : &high) = middle;
    }
    for (int pass = 0; pass < 2; pass++) { /* first all that are larger, then some of this size */
        for (size_t i = 0; i < f->count; i++) {
            uint64_t part = saved_by_stub(&f->parts[i]);
            bool candidate = f->parts[i].is_observation && !cleared[i];
            if (candidate && part >= low + (pass == 0) && tokens_of(f, sum - saved) > f->budget) {
                cleared[i] = true;
                saved += part;
            }
        }
    }
    return saved;
}

/* ---- turns ---- */

/* The end of the turn that begins at `first`. */
static size_t end_of_turn(const haft__context_part *parts, size_t count, size_t first)
{
    size_t end = first + 1;
    while (end < count && !parts[end].begins_turn && !parts[end].is_head) {
        end++;
    }
    return end;
}

size_t haft__context_mark_removed(const haft__context_part *parts, size_t count, size_t end,
                                  bool *removed)
{
    size_t marked = 0;
    for (size_t i = 0; i < count;) {
        size_t next = end_of_turn(parts, count, i);
        bool stays = parts[i].is_head || i >= end;
        for (size_t k = i; k < next; k++) {
            stays = stays || parts[k].is_pinned;
        }
        for (; i < next; i++) {
            removed[i] = !stays;
            marked += removed[i];
        }
    }
    return marked;
}

/* The text has at most half of the size of the turns, and at least the size of the current text. */
uint64_t haft__context_saved_by_text(uint64_t gone, uint64_t old_text, uint64_t most_text,
                                     uint64_t *ret_text)
{
    uint64_t all = gone + old_text;
    uint64_t text = all / 2 > old_text ? all / 2 : old_text;
    *ret_text = text < most_text ? text : most_text;
    return gone > 0 && all > *ret_text ? all - *ret_text : 0;
}

/* The number of turns. */
static size_t count_turns(const facts *f)
{
    size_t turns = 0;
    for (size_t i = 0; i < f->count; i++) {
        turns += f->parts[i].begins_turn;
    }
    return turns;
}

/* Whether the history may begin with the message `i` and the heads before it: at a turn, or at the
 * task if no turn follows it. */
static bool may_begin_with(const facts *f, size_t i, size_t turns_left)
{
    return i > 0 && (f->parts[i].begins_turn || (f->parts[i].is_head && turns_left == 0));
}

/* Decides how many turns stay: the last `keep` turns. If the request would not fit, fewer turns
 * stay, so that there is room for further turns. The last turn of the run always stays. Reads each
 * message once. Returns the saved tokens. */
static uint64_t find_end(const facts *f, plan *p, uint64_t sum, const bool *removed)
{
    uint64_t gone = 0, saved = 0;
    size_t turns = count_turns(f);
    uint32_t keep = f->replace.keep > 0 ? f->replace.keep : 1;
    bool done = false;
    for (size_t i = 0; i < f->count && !done; i++) {
        if (may_begin_with(f, i, turns) && turns <= keep) {
            p->end = i;
            saved = haft__context_saved_by_text(gone, f->old_text, f->most_text, &p->text);
            done =
                !p->over_budget || tokens_of(f, sum - saved) * 100 <= f->budget * SHORTER_PERCENT;
        }
        turns -= f->parts[i].begins_turn;
        gone += removed[i] ? f->parts[i].tokens : 0;
    }
    return saved;
}

/* ---- the plan ---- */

haft_status haft__context_plan_request(const facts *f, haft__arena *arena, plan *ret_plan,
                                       haft_error *err)
{
    uint64_t sum = sum_of(f);
    plan p = {.before = tokens_of(f, sum)};
    p.over_budget = p.before > f->budget;
    *ret_plan = p;
    if (!rule_applies(f, &p, f->clear) && !rule_applies(f, &p, f->replace) && !p.over_budget) {
        return HAFT_OK;
    }
    p.cleared = haft__arena_array(arena, f->count, sizeof(*p.cleared));
    bool *removed = haft__arena_array(arena, f->count, sizeof(*removed));
    if (p.cleared == NULL || removed == NULL) {
        return haft__arena_fail(arena, err);
    }
    uint64_t saved = rule_applies(f, &p, f->clear) ? mark_old(f, p.cleared) : 0;
    if (is_worthwhile(f, &p, saved)) {
        p.action = HAFT__CONTEXT_CLEAR;
        p.after = tokens_of(f, sum - saved);
        *ret_plan = p;
        return HAFT_OK;
    }
    if (rule_applies(f, &p, f->replace)) {
        (void)haft__context_mark_removed(f->parts, f->count, f->count, removed);
        saved = find_end(f, &p, sum, removed);
    } else {
        saved = 0;
    }
    if (is_worthwhile(f, &p, saved)) {
        p.action = HAFT__CONTEXT_REPLACE;
        *ret_plan = p;
        return HAFT_OK;
    }
    if (p.over_budget) {
        saved = f->clear.on ? mark_largest(f, sum, p.cleared) : 0;
        p.after = tokens_of(f, sum - saved);
        p.action = saved > 0 && p.after <= f->budget ? HAFT__CONTEXT_CLEAR : HAFT__CONTEXT_FULL;
    }
    *ret_plan = p;
    return HAFT_OK;
}
