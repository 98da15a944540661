/* SPDX-License-Identifier: Apache-2.0 */
/*
 * context.c - applies events about the context: stubs replace observations, and a text replaces old
 * turns. The whole results stay in the calls of the run. Tests:
 * tests/run/context/context_run_test.c.
 */
#include "base/str.h"
#include "run/context/context_size.h"
#include "run/context/context_view.h"
#include "run/fold/fold_int.h"
#include "json/object.h"

/* After the history has changed, the next request is measured and written again as a whole. */
static void reset_request(haft__run *run)
{
    haft__context_restart_history(run);
    run->context.rewrites++;
    run->failed = false; /* a request that was too long is repeated */
}

/* ---- observations ---- */

static haft_status clear(haft__run *run, haft__message *message, haft_error *err)
{
    haft_str stub = haft__context_stub(run, message, run->arena);
    if (stub.ptr == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    message->text = stub;
    message->cleared = true;
    message->tokens = 0;
    run->context.cleared++;
    return HAFT_OK;
}

/* Clears the observations of the event. Its calls are in the order of the messages. */
static haft_status clear_observations(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__json calls = haft__object_array(event->object, "calls");
    haft_status status = HAFT_OK;
    uint32_t next = 0;
    for (size_t i = 0; i < run->messages.count && next < calls.count && status == HAFT_OK; i++) {
        haft__message *message = &run->messages.items[i];
        bool named = message->role == HAFT__MESSAGE_TOOL && message->call.len > 0
                     && haft__str_equal(message->call, haft__json_text(calls.items[next]));
        if (named && message->cleared) {
            return haft__fold_fail(event, "an observation was cleared already", err);
        }
        if (named) {
            status = clear(run, message, err);
            next++;
        }
    }
    if (status == HAFT_OK && (next < calls.count || calls.count == 0)) {
        status = haft__fold_fail(event, "it names no observation of the history", err);
    }
    return status;
}

/* ---- turns ---- */

static haft_status keep_message(haft__run *run, haft__message message, haft_str text,
                                haft_error *err)
{
    if (message.is_task) {
        message.text = haft__context_task(run, text, run->arena);
        message.tokens = 0;
        if (message.text.ptr == NULL) {
            return haft__arena_fail(run->arena, err);
        }
    }
    return haft__messages_add(&run->messages, message, err);
}

static haft_status replace_turns(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__arena scratch;
    haft__messages before = run->messages;
    haft_str text = {NULL, 0};
    uint64_t end = 0;
    size_t count = 0;
    bool *removed = NULL;
    haft_status status = haft__event_text(event, "text", &text, err);
    haft__arena_init(&scratch, 0);
    if (status == HAFT_OK) {
        status = haft__event_number(event, "end", &end, err);
    }
    if (status == HAFT_OK) {
        removed = haft__context_removed(run, (size_t)end, &scratch, &count);
        status = removed != NULL ? HAFT_OK : haft__arena_fail(&scratch, err);
    }
    if (status == HAFT_OK && (count == 0 || end >= before.count)) {
        status = haft__fold_fail(event, "it replaces no turns, or all of them", err);
    }
    haft__messages_init(&run->messages, run->arena);
    for (size_t i = 0; i < before.count && status == HAFT_OK; i++) {
        if (!removed[i]) {
            status = keep_message(run, before.items[i], text, err);
        }
    }
    haft__arena_finish(&scratch);
    run->context.text = text;
    run->context.text_size = haft__estimate_text(text);
    run->context.replaced += (uint32_t)count;
    return status;
}

/* ---- the events ---- */

/* Ends the request for a summary; the next request is to the model of the run. */
static haft_status end_summary(haft__run *run, haft_error *err)
{
    haft__run_context *c = &run->context;
    if (!c->summarising) {
        return HAFT_OK;
    }
    c->summarising = c->answered = false;
    run->refused = c->refused;
    run->sent_again = false;
    return run->specs.summarise != NULL ? run->specs.summarise(run->specs.context, false, err)
                                        : HAFT_OK;
}

haft_status haft__fold_context_changed(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_str what = {NULL, 0};
    haft_status status =
        haft__fold_expect_stage(run, event, HAFT__RUN_AWAITING_REPLY, "no request is open", err);
    if (status == HAFT_OK) {
        status = haft__event_text(event, "what", &what, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    bool clears = haft__str_equal(what, HAFT__LIT("cleared"));
    bool summarised = haft__str_equal(what, HAFT__LIT("summarised"));
    if (!clears && !summarised && !haft__str_equal(what, HAFT__LIT("cut"))) {
        return haft__fold_fail(event, "the value of \"what\" is not known", err);
    }
    if (clears && run->context.summarising) {
        return haft__fold_fail(event, "the request for a summary is still open", err);
    }
    if (summarised && !run->context.answered) {
        return haft__fold_fail(event, "no summary has arrived", err);
    }
    status = clears ? clear_observations(run, event, err) : replace_turns(run, event, err);
    reset_request(run);
    return status == HAFT_OK ? end_summary(run, err) : status;
}

haft_status haft__fold_summary_started(haft__run *run, const haft__event *event, haft_error *err)
{
    haft__run_context *c = &run->context;
    uint64_t end = 0;
    haft_status status =
        haft__fold_expect_stage(run, event, HAFT__RUN_AWAITING_REPLY, "no request is open", err);
    if (status == HAFT_OK && (c->summarising || run->spec->context.summariser == NULL)) {
        status = haft__fold_fail(event, "no model can be asked for a summary", err);
    }
    if (status == HAFT_OK) {
        status = haft__event_number(event, "end", &end, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_number(event, "most", &c->most_text, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_number(event, "budget", &c->budget, err);
    }
    if (status == HAFT_OK && end >= run->messages.count) {
        status = haft__fold_fail(event, "its end is not in the history", err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    c->summarising = true;
    c->answered = false;
    c->end = (size_t)end;
    c->refused = run->refused; /* of the model of the run */
    run->refused = 0;
    run->sent_again = run->failed = false;
    return run->specs.summarise != NULL ? run->specs.summarise(run->specs.context, true, err)
                                        : HAFT_OK;
}
