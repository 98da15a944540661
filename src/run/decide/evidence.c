/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence.c - collects the facts of choice.evidence_first (choice/evidence.c) from the run.
 * Tests: tests/run/decide/decide_test.c (scenarios evidence-...).
 */
#include "base/macros.h"
#include "base/str.h"
#include "run/decide/decide_int.h"
#include "json/object.h"

/* The arguments that may name a file, in order of preference. */
static const char *const path_keys[] = {"path", "file"};

static haft_str find_path(haft__json arguments)
{
    for (size_t i = 0; i < COUNT(path_keys); i++) {
        haft_str path = haft__object_text(arguments, path_keys[i]);
        if (path.len > 0) {
            return path;
        }
    }
    return HAFT__LIT("");
}

static bool is_cheap(const haft__tool *tool)
{
    return tool != NULL && tool->role == HAFT__ROLE_DATA && tool->traits.cost != HAFT__COST_HEAVY;
}

/* Adds the allowed data tools of that cost. Returns their new number. */
static size_t add_names(const haft__run *run, haft__tool_cost cost, haft_str *names, size_t count)
{
    for (size_t i = 0; i < run->tools->count; i++) {
        const haft__tool *tool = run->tools->items[i];
        if (run->allowed[i] && is_cheap(tool) && tool->traits.cost == cost) {
            names[count++] = tool->name;
        }
    }
    return count;
}

/* The results of earlier calls of cheaper tools. Calls of the same reply do not count: the model
 * has not read their results. */
static size_t add_results(const haft__run *run, haft_str *results)
{
    size_t count = 0;
    for (size_t i = 0; i < run->batch; i++) {
        const haft__run_call *call = &run->calls[i];
        if (call->stage == HAFT__CALL_FINISHED && call->ok && is_cheap(call->tool)) {
            results[count++] = call->result;
        }
    }
    return count;
}

haft_status haft__decide_evidence(haft__decision *d, const haft__run_call *call,
                                  haft__json arguments, bool repeated, const char **ret_why)
{
    const haft__run *run = d->run;
    haft__arena *scratch = &d->tools->scratch;
    haft_str *names = haft__arena_array(scratch, run->tools->count, sizeof(*names));
    haft_str *results = haft__arena_array(scratch, run->batch, sizeof(*results));
    if (names == NULL || results == NULL) {
        return haft__arena_fail(scratch, d->err);
    }
    size_t free_count = add_names(run, HAFT__COST_FREE, names, 0);
    size_t count = add_names(run, HAFT__COST_LIGHT, names, free_count);
    haft__evidence_facts facts = {.tool = call->name,
                                  .cost = call->tool->traits.cost,
                                  .forced = run->mode == HAFT__MODE_TOOL,
                                  .cheaper = count > 0,
                                  .repeated = repeated,
                                  .path = find_path(arguments),
                                  .task = run->task,
                                  .results = results,
                                  .result_count = add_results(run, results),
                                  .cost_used = run->usage.cost_units,
                                  .cost_budget = d->spec->choice.cost_budget};
    haft__evidence_verdict verdict = haft__evidence_judge(&facts);
    /* If the budget is exceeded, only tools without cost are certain to be allowed. */
    haft__evidence_explain(&d->tools->text, &facts, verdict, names,
                           verdict == HAFT__EVIDENCE_OVER_BUDGET ? free_count : count);
    *ret_why = verdict == HAFT__EVIDENCE_FINE      ? NULL
               : verdict == HAFT__EVIDENCE_MISSING ? "no_evidence"
                                                   : "over_limit";
    return HAFT_OK;
}
