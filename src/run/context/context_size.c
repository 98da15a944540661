/* SPDX-License-Identifier: Apache-2.0 */
/* context_size.c - see context_size.h. Tests: tests/run/context/context_run_test.c. */
#include "run/context/context_size.h"

#include "base/limits.h"
#include "run/context/context_view.h"
#include "run/offer/offer.h"
#include "json/write.h"

/* The observation `recent` is no longer one of the last; continues with the next one. */
static void pass_observation(haft__run *run)
{
    haft__run_context *c = &run->context;
    while (!haft__context_is_observation(run, &run->messages.items[c->recent])) {
        c->recent++;
    }
    c->old += haft__context_saved_by_stub(run, &run->messages.items[c->recent]);
    c->recent++;
    c->kept--;
}

/* The turn at `last_turns` is no longer one of the last; continues with the next one. */
static void pass_turn(haft__run *run)
{
    haft__run_context *c = &run->context;
    uint64_t size = 0;
    bool stays = false;
    while (!haft__context_begins_turn(run, c->last_turns)) {
        c->last_turns++;
    }
    do {
        const haft__message *message = &run->messages.items[c->last_turns++];
        stays = stays || message->revealed_count > 0;
        size += message->is_task ? 0 : message->tokens;
    } while (!haft__context_begins_turn(run, c->last_turns));
    c->gone += stays ? 0 : size;
    c->turns--;
}

void haft__context_measure_history(haft__run *run)
{
    haft__run_context *c = &run->context;
    uint32_t keep = run->spec->context.summarise_keep;
    for (; c->measured < run->messages.count; c->measured++) {
        haft__message *message = &run->messages.items[c->measured];
        message->tokens = haft__estimate_message(message);
        c->history += message->tokens;
        c->task = message->is_task ? c->measured + 1 : c->task;
        c->turns += haft__context_begins_turn(run, c->measured);
        if (c->turns > (keep > 0 ? keep : 1)) {
            pass_turn(run);
        }
        c->kept += haft__context_is_observation(run, message);
        if (c->kept > run->spec->context.clear_keep) {
            pass_observation(run);
        }
    }
}

void haft__context_restart_history(haft__run *run)
{
    haft__run_context *c = &run->context;
    c->measured = c->recent = c->last_turns = c->task = 0;
    c->kept = c->turns = 0;
    c->history = c->old = c->gone = 0;
}

void haft__context_forget(haft__run *run)
{
    haft__context_restart_history(run);
    run->context.factor = 0;
    run->context.summarising = run->context.answered = false;
}

/* ---- definitions ---- */

static haft_status measure_tool(const haft__tool *tool, haft__buf *schema, uint64_t *ret_size,
                                haft_error *err)
{
    haft__buf_clear(schema);
    haft__json_write(schema, tool->input_schema);
    *ret_size = HAFT__ESTIMATE_DEFINITION + haft__estimate_text(tool->name)
                + haft__estimate_text(tool->description)
                + haft__estimate_text(haft__buf_str(schema));
    return haft__buf_check(schema, err);
}

haft_status haft__context_measure_declared(haft__run *run, haft_error *err)
{
    haft__arena scratch;
    haft__buf schema;
    haft__offered offered = {.count = 0};
    run->context.declared = 0;
    if (run->spec->model.context_tokens == 0) {
        return HAFT_OK;
    }
    haft__arena_init(&scratch, 0);
    haft__buf_init(&schema, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__offer_tools(run, &scratch, &offered, err);
    size_t sent =
        offered.declared
        - offered.deferred; /* the history has the definitions of deferred tools that were found */
    for (size_t i = 0; status == HAFT_OK && i < offered.declared + offered.appended; i++) {
        haft__tool_history *history = &run->past[offered.items[i]];
        bool counts = i < sent || history->found != HAFT__TOOL_REVEAL_NONE;
        if (counts && history->size == 0) {
            status =
                measure_tool(run->tools->items[offered.items[i]], &schema, &history->size, err);
        }
        run->context.declared += counts ? history->size : 0;
    }
    haft__buf_finish(&schema);
    haft__arena_finish(&scratch);
    return status;
}

/* ---- the request ---- */

uint32_t haft__context_factor(const haft__run *run)
{
    return run->context.factor > 0 ? run->context.factor : HAFT__ESTIMATE_FACTOR;
}

static uint64_t measure_request(const haft__run *run)
{
    uint64_t correction =
        run->correction.len > 0 ? HAFT__ESTIMATE_MESSAGE + haft__estimate_text(run->correction) : 0;
    return run->context.history + run->context.declared + correction;
}

uint64_t haft__context_tokens(const haft__run *run)
{
    return haft__estimate_apply(measure_request(run), haft__context_factor(run));
}

void haft__context_calibrate(haft__run *run, uint64_t input_tokens)
{
    haft__run_context *c = &run->context;
    if (input_tokens == 0 || run->spec->model.context_tokens == 0) {
        return; /* the provider reports no usage */
    }
    c->estimated = haft__context_tokens(run);
    c->reported = input_tokens;
    c->factor = haft__estimate_calibrate(measure_request(run), input_tokens);
}

uint64_t haft__context_budget(const haft__spec *spec)
{
    uint64_t tokens = spec->model.context_tokens;
    return tokens > spec->context.reserve ? tokens - spec->context.reserve : 0;
}

haft__context_shares haft__context_measure_shares(const haft__run *run)
{
    uint32_t factor = haft__context_factor(run);
    uint64_t sum = haft__context_tokens(run), known;
    haft__context_shares found = {.definitions =
                                      haft__estimate_apply(run->context.declared, factor)};
    for (size_t i = 0; i < run->messages.count; i++) {
        const haft__message *message = &run->messages.items[i];
        bool system = message->role == HAFT__MESSAGE_SYSTEM;
        if (system || message->is_task) {
            uint64_t tokens = haft__estimate_apply(haft__estimate_message(message), factor);
            *(system ? &found.system : &found.task) += tokens;
        }
    }
    known = found.system + found.definitions + found.task;
    found.history = sum > known ? sum - known : 0;
    return found;
}
