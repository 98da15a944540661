/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.c - a run that goes on here: what is decided is recorded, what is asked for is performed.
 *
 * A call with effects starts only when all before it is durable; asking a model, and calls that
 * may be repeated, do not wait for the disk. Tests: tests/engine/live_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/runtime.h"
#include "model/provider.h"

/* ---- its life ---- */

haft_status haft__live_create(haft_runtime *runtime, haft_run **ret_run, haft_error *err)
{
    haft_run *run = calloc(1, sizeof(*run));
    if (run == NULL) {
        return haft__fail_no_memory(err);
    }
    run->runtime = runtime;
    run->stage = HAFT__LIVE_OPENING;
    run->user = HAFT__LIT("");
    haft__arena_init(&run->arena, HAFT__LIMIT_RUN_BYTES);
    haft__arena_init(&run->write_arena, HAFT__LIMIT_RUN_BYTES);
    haft__arena_init(&run->loaded, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&run->gathered, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&run->written, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&run->committed, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&run->told, HAFT__LIMIT_RUN_BYTES);
    haft__messages_init(&run->earlier, &run->arena);
    run->next = runtime->runs;
    run->link = &runtime->runs;
    if (run->next != NULL) {
        run->next->link = &run->next;
    }
    runtime->runs = run;
    *ret_run = run;
    return HAFT_OK;
}

haft_status haft__live_join(haft_run *run, haft_agent *agent, haft_error *err)
{
    haft__agent_hold(agent);
    run->agent = agent;
    haft__chat_init(&run->chat,
                    agent->provider != NULL ? agent->provider : haft__provider_compatible(),
                    &agent->tools_text);
    haft_status status =
        haft__run_init(&run->state, &run->arena, agent->spec, run->runtime->hash_key, err);
    if (status == HAFT_OK && agent->scripted) {
        status = haft__script_start(&agent->script, &run->arena, &run->script, err);
    }
    run->state.scratch = &run->runtime->scratch;
    haft__run_follow(&run->state, &run->earlier);
    return status;
}

void haft__live_destroy(haft_run *run)
{
    *run->link = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
    haft__chat_finish(&run->chat);
    haft__buf_finish(&run->gathered);
    haft__buf_finish(&run->written);
    haft__buf_finish(&run->committed);
    haft__buf_finish(&run->told);
    free(run->lines);
    free(run->artifacts);
    free(run->heard.items);
    free(run->heard_written.items);
    haft__arena_finish(&run->write_arena);
    haft__arena_finish(&run->loaded);
    haft__arena_finish(&run->arena);
    haft_agent_release(run->agent);
    free(run);
}

void haft__live_stop_work(haft_run *run)
{
    haft__ask_stop(run);
    haft__catalogue_stop(run);
    haft__calls_stop(run);
    haft__timer_stop(run->runtime->loop, &run->alarm);
}

void haft__live_fail(haft_run *run, const haft_error *error)
{
    if (run->stage == HAFT__LIVE_FAILED) {
        return;
    }
    run->stage = HAFT__LIVE_FAILED;
    run->error = *error;
    if (run->agent != NULL) {
        haft__live_stop_work(run);
    }
}

void haft__live_pause(haft_run *run)
{
    run->held = true;
    if (run->agent != NULL) {
        haft__ask_stop(run);
        haft__catalogue_stop(run);
        haft__calls_stop_repeatable(run);
        haft__timer_stop(run->runtime->loop, &run->alarm);
    }
}

bool haft__live_paused(const haft_run *run)
{
    bool opening = run->stage == HAFT__LIVE_OPENING;
    return !opening
           && (run->stage != HAFT__LIVE_ON || (run->slots == NULL && haft__log_durable(run)));
}

bool haft__live_settled(const haft_run *run)
{
    bool rests = run->effect == HAFT__EFFECT_WAIT || run->effect == HAFT__EFFECT_END;
    return run->stage == HAFT__LIVE_ON && rests && haft__log_durable(run);
}

/* ---- performing ---- */

static void on_alarm(void *context)
{
    haft__live_go_on(context);
}

uint64_t haft__live_deadline(const haft_run *run)
{
    const haft__run *state = &run->state;
    uint64_t first = 0;
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        bool pending = call->stage == HAFT__CALL_PAUSED && call->deadline_ms > 0;
        if (pending && (first == 0 || call->deadline_ms < first)) {
            first = call->deadline_ms;
        }
    }
    return first;
}

/* Pauses may have deadlines while other calls still run. */
static haft_status set_alarm(haft_run *run, haft_error *err)
{
    uint64_t deadline = haft__live_deadline(run), now = haft__runtime_now(run->runtime);
    if (deadline == 0) {
        haft__timer_stop(run->runtime->loop, &run->alarm);
        return HAFT_OK;
    }
    return haft__timer_start(run->runtime->loop, &run->alarm, deadline > now ? deadline - now : 0,
                             on_alarm, run, err);
}

static haft_status perform(haft_run *run, haft_error *err)
{
    if (run->effect != HAFT__EFFECT_ASK) {
        haft__ask_stop(run);
    }
    switch (run->effect) {
    case HAFT__EFFECT_ASK: return run->ask == NULL ? haft__ask_start(run, err) : HAFT_OK;
    case HAFT__EFFECT_CATALOGUE:
        return run->catalogue == NULL ? haft__catalogue_start(run, err) : HAFT_OK;
    case HAFT__EFFECT_RUN: {
        haft_status status = haft__calls_start(run, err);
        return status == HAFT_OK ? set_alarm(run, err) : status;
    }
    case HAFT__EFFECT_WAIT: return set_alarm(run, err);
    case HAFT__EFFECT_END: haft__live_stop_work(run); return HAFT_OK;
    case HAFT__EFFECT_EVENT: return HAFT_OK; /* never left: it has been recorded */
    }
    HAFT__UNREACHABLE();
}

/* ---- deciding ---- */

/* One decision, recorded; sets the effect when it is none that can be recorded. */
static haft_status decide(haft_run *run, bool *ret_more, haft_error *err)
{
    uint64_t now = haft__runtime_now(run->runtime);
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    haft_status status = haft__calls_stand_in(run, ret_more, err);
    if (status != HAFT_OK || *ret_more) {
        return status;
    }
    status = haft__decide(&run->runtime->decider, &run->state, now, &effect, err);
    *ret_more = status == HAFT_OK && effect.kind == HAFT__EFFECT_EVENT;
    if (*ret_more) {
        return haft__log_append(run, now, effect.body, err);
    }
    run->effect = effect.kind;
    return status;
}

void haft__live_go_on(haft_run *run)
{
    if (run->stage != HAFT__LIVE_ON) {
        return;
    }
    haft_error err = {0};
    haft_status status = HAFT_OK;
    for (bool more = !run->held; more && status == HAFT_OK;) {
        status = decide(run, &more, &err);
    }
    if (status == HAFT_OK && run->created && !run->held) {
        status = perform(run, &err); /* not before the store knows of the run at all */
    }
    if (status != HAFT_OK) {
        haft__live_fail(run, &err);
        return;
    }
    haft__log_flush(run);
}

void haft__live_take(haft_run *run, haft_str body)
{
    haft_error err = {0};
    haft_status status = haft__log_append(run, haft__runtime_now(run->runtime), body, &err);
    if (status != HAFT_OK) {
        haft__live_fail(run, &err);
        return;
    }
    haft__live_go_on(run);
}

haft_status haft__live_command(haft_run *run, const haft__steer *command, haft_error *err)
{
    if (run->stage == HAFT__LIVE_OPENING && command->kind == HAFT__STEER_CANCEL) {
        run->cancel_early = true; /* done once it is there */
        return HAFT_OK;
    }
    if (run->stage != HAFT__LIVE_ON) {
        if (err != NULL) {
            *err = run->error;
        }
        return run->stage == HAFT__LIVE_FAILED
                   ? run->error.status
                   : haft__fail(err, HAFT_BAD_STATE, "",
                                run->stage == HAFT__LIVE_SEEN ? "the run has ended, or is another's"
                                                              : "the run is not there yet");
    }
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__steer_apply(&run->state, command, &body, err);
    if (status == HAFT_OK && body.len > 0) {
        haft__live_take(run, haft__buf_str(&body));
    }
    haft__buf_finish(&body);
    return status;
}
