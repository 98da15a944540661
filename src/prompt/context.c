/* SPDX-License-Identifier: Apache-2.0 */
/* context.c - see context.h. Tests: tests/prompt/context_test.c. */
#include "prompt/context.h"

#include "prompt/estimate.h"

/* A change must save at least this percentage of the budget, because each change invalidates the
 * provider's cache. */
#define MIN_PERCENT 10

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
    return saved > 0 && (p->over_budget || tokens_of(f, saved) * 100 >= f->budget * MIN_PERCENT);
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

/* Marks the largest observations until the request fits. Returns the tokens that their stubs
 * save. */
static uint64_t mark_largest(const facts *f, uint64_t sum, bool *cleared)
{
    uint64_t saved = 0;
    while (tokens_of(f, sum - saved) > f->budget) {
        size_t largest = f->count;
        for (size_t i = 0; i < f->count; i++) {
            const haft__context_part *part = &f->parts[i];
            bool candidate = part->is_observation && !cleared[i] && saved_by_stub(part) > 0;
            if (candidate
                && (largest == f->count
                    || saved_by_stub(part) > saved_by_stub(&f->parts[largest]))) {
                largest = i;
            }
        }
        if (largest == f->count) {
            break;
        }
        cleared[largest] = true;
        saved += saved_by_stub(&f->parts[largest]);
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

/* The maximum size of the text that replaces messages of `gone` tokens: half of it, so that the
 * change saves something, but no less than the current text has and no more than most_text. */
static uint64_t max_text_size(const facts *f, uint64_t gone)
{
    uint64_t size = gone / 2 > f->old_text ? gone / 2 : f->old_text;
    return size < f->most_text ? size : f->most_text;
}

/* The tokens that replacing the messages before `end` saves; 0 if no message can be replaced. */
static uint64_t saved_before(const facts *f, size_t end, bool *removed, uint64_t *ret_text)
{
    uint64_t gone = f->old_text;
    size_t number = haft__context_mark_removed(f->parts, f->count, end, removed);
    for (size_t i = 0; number > 0 && i < f->count; i++) {
        gone += removed[i] ? f->parts[i].tokens : 0;
    }
    *ret_text = max_text_size(f, gone);
    return number > 0 && gone > *ret_text ? gone - *ret_text : 0;
}

/* The beginning of the last `keep` turns. */
static size_t begin_of_last(const facts *f, uint32_t keep)
{
    size_t at = f->count;
    for (size_t i = f->count; i-- > 0 && keep > 0;) {
        if (f->parts[i].begins_turn) {
            at = i;
            keep--;
        }
    }
    return at;
}

/* Decides how many turns stay: the last `keep` turns, or fewer if the request would not fit. The
 * last turn always stays. */
static uint64_t find_end(const facts *f, plan *p, uint64_t sum, bool *removed)
{
    uint64_t saved = 0;
    uint32_t keep = f->replace.keep > 0 ? f->replace.keep : 1;
    for (bool fits = false; keep > 0 && !fits; keep--) {
        p->end = begin_of_last(f, keep);
        saved = p->end < f->count ? saved_before(f, p->end, removed, &p->text) : 0;
        fits = !p->over_budget || tokens_of(f, sum - saved) <= f->budget;
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
    saved = rule_applies(f, &p, f->replace) ? find_end(f, &p, sum, removed) : 0;
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
