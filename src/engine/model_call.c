/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ask.c - asks the model of a run: a script, the planner of rules, or a server (ask_http.c).
 *
 * Tests: tests/engine/model_call_test.c.
 */
#include "engine/model_call.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/rules/offline.h"

/* ---- its life ---- */

static void destroy(haft__ask *ask)
{
    haft__timer_stop(ask->run->runtime->loop, &ask->timer);
    haft__ask_http_stop(ask);
    haft__teller_finish(&ask->teller);
    haft__arena_finish(&ask->arena);
    free(ask);
}

void haft__ask_stop(haft_run *run)
{
    if (run->ask != NULL) {
        destroy(run->ask);
        run->ask = NULL;
    }
}

void haft__ask_fail(haft__ask *ask, const haft_error *error)
{
    haft__live_fail(ask->run, error); /* which stops the asking */
}

void haft__ask_finish(haft__ask *ask, const haft__model_outcome *answer)
{
    haft_run *run = ask->run;
    haft_runtime *runtime = run->runtime;
    uint64_t taken = haft__loop_now(runtime->loop) - ask->started_ms;
    haft_error err = {0};
    haft__buf_clear(&runtime->body);
    bool refused = answer->failed && !ask->stream.emitted
                   && haft__constraint_may_be_refused(&ask->request, &answer->failure);
    if (refused) {
        haft__input_constraint_refused(&runtime->body, &answer->failure, taken);
    } else if (answer->failed) {
        haft__input_model_failed(&runtime->body, &answer->failure, taken);
    } else {
        haft__input_model_replied(&runtime->body, &run->state, &answer->reply, taken);
    }
    haft_status status = haft__buf_check(&runtime->body, &err);
    haft__ask_stop(run);
    if (status == HAFT_OK) {
        haft__live_take(run, haft__buf_str(&runtime->body));
    } else {
        haft__live_fail(run, &err);
    }
}

/* ---- models that are part of this program ---- */

static void on_due(void *context)
{
    haft__ask *ask = context;
    const haft__reply *reply = &ask->answer.reply;
    haft__delta thought = {.kind = HAFT__DELTA_REASONING, .text = reply->reasoning};
    haft__delta said = {.kind = HAFT__DELTA_TEXT, .text = reply->content};
    if (!ask->answer.failed) {
        haft__teller_add(&ask->teller, &thought);
        haft__teller_add(&ask->teller, &said);
        haft__teller_tell(&ask->teller, true);
    }
    haft__ask_finish(ask, &ask->answer);
}

/* A request that the script does not expect is a model call that failed. */
static haft_status ask_script(haft__ask *ask, uint64_t *ret_delay, haft_error *err)
{
    haft_error refused = {0};
    haft__script_answer answer = {0};
    haft_status status =
        haft__script_ask(&ask->run->script, &ask->request, &ask->arena, &answer, &refused);
    ask->answer = (haft__model_outcome){
        .failed = answer.failed, .reply = answer.reply, .failure = answer.failure};
    *ret_delay = answer.delay_ms;
    if (status == HAFT_BAD_STATE) {
        haft_str text =
            haft__arena_format(&ask->arena, "script %s: %s", refused.where, refused.message);
        ask->answer = (haft__model_outcome){.failed = true, .failure = {.message = text}};
        return text.ptr != NULL ? HAFT_OK : haft__arena_fail(&ask->arena, err);
    }
    if (status != HAFT_OK && err != NULL) {
        *err = refused;
    }
    return status;
}

static haft_status ask_here(haft__ask *ask, haft_error *err)
{
    haft_run *run = ask->run;
    uint64_t delay = 0;
    haft_status status = run->agent->scripted ? ask_script(ask, &delay, err)
                                              : haft__offline_ask(&ask->request, &ask->arena,
                                                                  &ask->answer.reply, err);
    return status == HAFT_OK
               ? haft__timer_start(run->runtime->loop, &ask->timer, delay, on_due, ask, err)
               : status;
}

/* ---- starting ---- */

haft_status haft__ask_start(haft_run *run, haft_error *err)
{
    if (haft__loss_waits(run)) {
        return HAFT_OK;
    }
    if (haft__loss_is_hopeless(run)) {
        return haft__loss_end(run, err);
    }
    haft__ask *ask = calloc(1, sizeof(*ask));
    if (ask == NULL) {
        return haft__fail_no_memory(err);
    }
    ask->run = run;
    ask->started_ms = haft__loop_now(run->runtime->loop);
    haft__arena_init(&ask->arena, HAFT__LIMIT_RUN_BYTES);
    haft__teller_init(&ask->teller, run);
    haft__buf_init(&ask->body, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&ask->refusal, HAFT__LIMIT_RUN_BYTES);
    run->ask = ask;
    haft_status status = haft__decide_request(&run->state, &ask->arena, &ask->request, err);
    if (status != HAFT_OK) {
        return status; /* who asked stops it */
    }
    return run->agent->provider != NULL ? haft__ask_http_start(ask, err) : ask_here(ask, err);
}
