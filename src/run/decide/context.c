/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.c - decides before a request is sent whether it fits the context of the model, and how to
 * shorten the history if it does not fit (prompt/context.h). Tests:
 * tests/run/context/context_run_test.c.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/str.h"
#include "model/provider.h"
#include "run/context/context_size.h"
#include "run/context/context_view.h"
#include "run/decide/decide_int.h"

/* The text that replaces old turns has at most this percentage of the budget. */
#define TEXT_PERCENT 20

/* If the model rejects a request as too long, the next request has at most this percentage of its
 * size. */
#define SMALLER_PERCENT 75

/* A summary is accepted up to this percentage of its requested size. */
#define SUMMARY_PERCENT 150

typedef struct budget {
    uint64_t tokens; /* maximum tokens of the request */
    bool refused;    /* the model rejected the request as too long */
} budget;

/* ---- facts ---- */

/* The maximum size of the text that replaces old turns, before the factor. */
static uint64_t most_text(const haft__run *run, uint64_t tokens)
{
    return tokens * TEXT_PERCENT / 100 * HAFT__ESTIMATE_FACTOR / haft__context_factor(run);
}

static haft_status collect_facts(haft__decision *d, uint64_t tokens, haft__context_facts *ret_facts)
{
    const haft__run *run = d->run;
    const haft__context_spec *context = &d->spec->context;
    haft__context_part *parts = haft__context_parts(run, &d->tools->scratch, true);
    if (parts == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    d->tools->planned += run->messages.count;
    uint64_t correction =
        run->correction.len > 0 ? HAFT__ESTIMATE_MESSAGE + haft__estimate_text(run->correction) : 0;
    *ret_facts = (haft__context_facts){
        .parts = parts,
        .count = run->messages.count,
        .fixed = run->context.declared + correction,
        .factor = haft__context_factor(run),
        .budget = tokens,
        .clear = {.on = context->clear, .at = context->clear_at, .keep = context->clear_keep},
        .replace = {.on = context->summarise,
                    .at = context->summarise_at,
                    .keep = context->summarise_keep},
        .old_text = run->context.text_size,
        .most_text = most_text(run, tokens),
    };
    return HAFT_OK;
}

/* ---- context_changed ---- */

static void write_change(haft__decision *d, const char *what, uint64_t before, uint64_t after,
                         uint64_t tokens, haft_str why)
{
    haft__decision_begin(d, HAFT__EVENT_CONTEXT_CHANGED);
    haft__field_number(&d->w, "turn", d->run->turn);
    haft__field_text(&d->w, "what", haft__str(what));
    haft__field_number(&d->w, "before", before);
    haft__field_number(&d->w, "after", after);
    haft__field_number(&d->w, "budget", tokens);
    haft__field_text(&d->w, "why", why);
}

/* The reason why the history is shortened, in the decider's scratch memory. */
static haft_str reason_of(haft__decision *d, const haft__context_plan *plan, budget limit,
                          uint32_t at)
{
    return limit.refused       ? HAFT__LIT("the model says that the request is too long")
           : plan->over_budget ? HAFT__LIT("the request would not fit")
                               : haft__arena_format(&d->tools->scratch,
                                                    "more than %u %% of the budget is used", at);
}

static haft_status decide_clear(haft__decision *d, const haft__context_plan *plan, budget limit)
{
    const haft__messages *messages = &d->run->messages;
    haft_str why = reason_of(d, plan, limit, d->spec->context.clear_at);
    if (why.ptr == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    write_change(d, "cleared", plan->before, plan->after, limit.tokens, why);
    haft__json_key(&d->w, "calls");
    haft__json_begin_array(&d->w);
    for (size_t i = 0; i < messages->count; i++) {
        if (plan->cleared[i]) {
            haft__json_add_str(&d->w, messages->items[i].call);
        }
    }
    haft__json_end_array(&d->w);
    return haft__decision_commit(d);
}

/* The estimated tokens of the request after `text` has replaced old turns. */
static uint64_t tokens_after(const haft__run *run, const bool *removed, haft_str text)
{
    uint64_t before = haft__context_tokens(run);
    uint32_t factor = haft__context_factor(run);
    uint64_t gone = haft__estimate_apply(haft__context_removed_size(run, removed), factor);
    uint64_t added = haft__estimate_apply(haft__estimate_text(text), factor);
    return before + added > gone ? before + added - gone : 0;
}

/* Replaces the messages before `end` by `text`. */
static haft_status decide_text(haft__decision *d, const char *what, size_t end, const bool *removed,
                               haft_str text, uint64_t tokens, haft_str why)
{
    const haft__run *run = d->run;
    write_change(d, what, haft__context_tokens(run), tokens_after(run, removed, text), tokens, why);
    haft__field_number(&d->w, "end", end);
    haft__field_text(&d->w, "text", text);
    return haft__decision_commit(d);
}

/* Replaces the messages before `end` by the list of their calls. */
static haft_status decide_list(haft__decision *d, size_t end, uint64_t max, uint64_t tokens,
                               haft_str why)
{
    size_t count = 0;
    bool *removed = haft__context_removed(d->run, end, &d->tools->scratch, &count);
    if (removed == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    haft__context_list(&d->tools->text, d->run, removed, max);
    return decide_text(d, "cut", end, removed, haft__buf_str(&d->tools->text), tokens, why);
}

/* ---- summaries ---- */

static haft_status start_summary(haft__decision *d, const haft__context_plan *plan, budget limit,
                                 haft_str why)
{
    haft_str name =
        haft__provider_name_model(&d->tools->scratch, &d->spec->context.summariser->model);
    if (name.ptr == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    haft__decision_begin(d, HAFT__EVENT_SUMMARY_STARTED);
    haft__field_number(&d->w, "turn", d->run->turn);
    haft__field_text(&d->w, "model", name);
    haft__field_number(&d->w, "end", plan->end);
    haft__field_number(&d->w, "most", plan->text);
    haft__field_number(&d->w, "before", plan->before);
    haft__field_number(&d->w, "budget", limit.tokens);
    haft__field_text(&d->w, "why", why);
    return haft__decision_commit(d);
}

/* The reason why the summary cannot be used; NULL if it can be used. */
static const char *reject_summary(const haft__run *run, const bool *removed)
{
    const haft__run_context *c = &run->context;
    uint64_t size = haft__estimate_text(c->summary);
    return c->failure.len > 0    ? "no summary came"
           : c->summary.len == 0 ? "the summary is empty"
           : size >= haft__context_removed_size(run, removed)
               ? "the summary is longer than the turns"
           : size * 100 > c->most_text * SUMMARY_PERCENT ? "the summary is too long"
                                                         : NULL;
}

haft_status haft__decide_summary(haft__decision *d)
{
    const haft__run *run = d->run;
    const haft__run_context *c = &run->context;
    size_t count = 0;
    if (!c->answered) {
        *d->effect = (haft__effect){.kind = HAFT__EFFECT_CALL_MODEL};
        return HAFT_OK;
    }
    bool *removed = haft__context_removed(run, c->end, &d->tools->scratch, &count);
    if (removed == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    const char *rejected = reject_summary(run, removed);
    if (rejected == NULL) {
        haft__buf_add_str(&d->tools->text, c->summary);
        haft__context_add_range(&d->tools->text, run, removed);
        return decide_text(d, "summarised", c->end, removed, haft__buf_str(&d->tools->text),
                           c->budget, HAFT__LIT("a model summarised the turns"));
    }
    haft_str why = c->failure.len > 0 ? haft__arena_format(&d->tools->scratch, "%s: %.*s", rejected,
                                                           HAFT__ARG(c->failure))
                                      : haft__str(rejected);
    return why.ptr != NULL ? decide_list(d, c->end, c->most_text, c->budget, why)
                           : haft__arena_fail(&d->tools->scratch, d->err);
}

static haft_status decide_replace(haft__decision *d, const haft__context_plan *plan, budget limit)
{
    haft_str why = reason_of(d, plan, limit, d->spec->context.summarise_at);
    if (why.ptr == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    return d->spec->context.summariser != NULL
               ? start_summary(d, plan, limit, why)
               : decide_list(d, plan->end, plan->text, limit.tokens, why);
}

/* ---- a request that does not fit ---- */

/* Whether one of the next models of the spec has a larger context, or one of unknown size. */
static bool has_larger_model(const haft__spec *spec)
{
    bool larger = false;
    for (const haft__spec *at = spec->fallback; at != NULL && !larger; at = at->fallback) {
        uint64_t found = haft__context_budget(at);
        larger = found == 0 || found > haft__context_budget(spec);
    }
    return larger;
}

static haft_status decide_full(haft__decision *d, const haft__context_plan *plan)
{
    const haft__run *run = d->run;
    if (has_larger_model(d->spec)) {
        return haft__decide_next_model(d, HAFT__FAILURE_CONTEXT);
    }
    haft__context_shares found = haft__context_measure_shares(run);
    haft_error error = {0};
    haft_status status =
        haft__fail(&error, HAFT_TOO_BIG, "context",
                   "the request needs about %" PRIu64 " tokens; the context of %" PRIu64
                   " has %" PRIu64 " without the reserve for the reply: definitions %" PRIu64
                   ", system prompt %" PRIu64 ", task %" PRIu64 ", turns %" PRIu64,
                   plan->before, d->spec->model.context_tokens, haft__context_budget(d->spec),
                   found.definitions, found.system, found.task, found.history);
    (void)haft__hint(&error, status,
                     d->spec->context.clear && d->spec->context.summarise
                         ? "use a model with a larger context, or a shorter task or system prompt"
                         : "allow context.clear and context.summarise");
    return haft__decide_end(d, HAFT__END_FAILED, HAFT__LIT(""), false,
                            "the request does not fit the context of the model", &error);
}

/* ---- the decision ---- */

static haft_status decide_plan(haft__decision *d, budget limit, bool *ret_decided)
{
    haft__context_facts facts;
    haft__context_plan plan;
    haft_status status = collect_facts(d, limit.tokens, &facts);
    if (status == HAFT_OK) {
        status = haft__context_plan_request(&facts, &d->tools->scratch, &plan, d->err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    *ret_decided = plan.action != HAFT__CONTEXT_KEEP;
    switch (plan.action) {
    case HAFT__CONTEXT_KEEP: return HAFT_OK;
    case HAFT__CONTEXT_CLEAR: return decide_clear(d, &plan, limit);
    case HAFT__CONTEXT_REPLACE: return decide_replace(d, &plan, limit);
    case HAFT__CONTEXT_FULL:
        *ret_decided = !limit.refused; /* if refused, the run fails with the model's message */
        return limit.refused ? HAFT_OK : decide_full(d, &plan);
    }
    HAFT__UNREACHABLE();
}

static bool is_worthwhile(const haft__run *run, uint64_t saved, uint64_t most)
{
    uint64_t tokens = haft__estimate_apply(saved, haft__context_factor(run));
    return tokens * 100 >= most * HAFT__CONTEXT_MIN_PERCENT;
}

/* Whether a plan can change anything. The cost does not depend on the number of messages, because
 * this is computed before each request. */
static bool is_due(const haft__run *run, uint64_t tokens, uint64_t most)
{
    const haft__context_spec *context = &run->spec->context;
    const haft__run_context *c = &run->context;
    uint64_t text = 0,
             gone = haft__context_saved_by_text(c->gone, c->text_size, most_text(run, most), &text);
    bool clears = context->clear && tokens * 100 > most * context->clear_at
                  && is_worthwhile(run, c->old, most);
    bool replaces = context->summarise && tokens * 100 > most * context->summarise_at
                    && is_worthwhile(run, gone, most);
    return tokens > most || clears || replaces;
}

haft_status haft__decide_context(haft__decision *d, bool *ret_decided)
{
    const haft__run *run = d->run;
    budget limit = {.tokens = haft__context_budget(d->spec),
                    .refused = run->failed && run->failure.kind == HAFT__FAILURE_CONTEXT};
    uint64_t tokens = haft__context_tokens(run);
    *ret_decided = false;
    if (run->failed && !limit.refused) {
        return HAFT_OK;
    }
    if (limit.refused) {
        uint64_t smaller = tokens * SMALLER_PERCENT / 100;
        limit.tokens = limit.tokens > 0 && limit.tokens < smaller ? limit.tokens : smaller;
    }
    return limit.tokens > 0 && is_due(run, tokens, limit.tokens)
               ? decide_plan(d, limit, ret_decided)
               : HAFT_OK;
}
