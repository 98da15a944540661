/* SPDX-License-Identifier: Apache-2.0 */
/* drive_help.c - the loop of decide, perform, append. */
#include "drive_help.h"

#include "run/decide/call_wait.h"

#include "servers_help.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/artifact.h"
#include "run/binary.h"
#include "run/offer/resolve.h"
#include "run/redact/withhold.h"
#include "json/read.h"

haft_status haft__drive_init(haft__drive *drive, haft__arena *arena, const haft__spec *spec,
                             const haft__drive_options *options, haft_error *err)
{
    *drive = (haft__drive){.options = *options};
    haft__arena_init(&drive->scratch, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&drive->line, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&drive->body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__decider_init(&drive->decider, err);
    if (status == HAFT_OK) {
        status = haft__run_init(&drive->run, arena, spec, options->hash_key, err);
    }
    return status;
}

void haft__drive_finish(haft__drive *drive)
{
    haft__decider_finish(&drive->decider);
    haft__arena_finish(&drive->scratch);
    haft__buf_finish(&drive->line);
    haft__buf_finish(&drive->body);
}

static uint64_t now(const haft__drive *drive)
{
    return drive->options.clock(drive->options.clock_context);
}

static haft_status append(haft__drive *drive, haft_str run, uint64_t at_ms, haft_str body,
                          haft_error *err)
{
    if (drive->run.seq >= HAFT__LIMIT_RUN_EVENTS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d events in a run, found more",
                          HAFT__LIMIT_RUN_EVENTS);
    }
    haft__buf clean;
    haft__buf_init(&clean, HAFT__LIMIT_RUN_BYTES);
    haft_status status = HAFT_OK;
    if (drive->options.redactor != NULL) {
        status = haft__withhold_event(&drive->run, drive->options.redactor, body, &clean, err);
        body = haft__buf_str(&clean);
    }
    haft__buf_clear(&drive->line);
    haft__event_write(&drive->line, drive->run.seq + 1, at_ms, run, body);
    haft__buf_finish(&clean);
    status = status == HAFT_OK ? haft__buf_check(&drive->line, err) : status;
    haft_str line = haft__buf_str(&drive->line);
    if (status == HAFT_OK) {
        status = haft__run_fold(&drive->run, line, err);
    }
    if (status == HAFT_OK && drive->options.sink != NULL
        && !drive->options.sink(drive->options.sink_context, line)) {
        status = haft__fail(err, HAFT_IO, "", "the event could not be passed on");
    }
    return status;
}

haft_status haft__drive_append(haft__drive *drive, haft_str body, haft_error *err)
{
    return append(drive, drive->run.id, now(drive), body, err);
}

haft_status haft__drive_start(haft__drive *drive, haft_str id, haft_str thread, haft_str task,
                              haft_error *err)
{
    haft_str none = {NULL, 0};
    haft__buf_clear(&drive->body);
    haft__input_run_started(&drive->body, drive->run.spec, task, thread, none, none);
    haft_status status = haft__buf_check(&drive->body, err);
    return status == HAFT_OK ? append(drive, id, now(drive), haft__buf_str(&drive->body), err)
                             : status;
}

static haft_status append_body(haft__drive *drive, haft_error *err)
{
    haft_status status = haft__buf_check(&drive->body, err);
    return status == HAFT_OK ? haft__drive_append(drive, haft__buf_str(&drive->body), err) : status;
}

/* Asks the script. An unexpected request is a failed model call. */
static haft_status ask_script(haft__drive *drive, const haft__request *request,
                              haft__script_answer *ret_answer, haft_error *err)
{
    haft_error refused = {0};
    haft_status status =
        haft__script_ask(drive->options.script, request, &drive->scratch, ret_answer, &refused);
    if (status == HAFT_BAD_STATE) {
        haft_str text =
            haft__arena_format(&drive->scratch, "script %s: %s", refused.where, refused.message);
        *ret_answer = (haft__script_answer){.failed = true, .failure = {.message = text}};
        return text.ptr != NULL ? HAFT_OK : haft__arena_fail(&drive->scratch, err);
    }
    if (status != HAFT_OK && err != NULL) {
        *err = refused;
    }
    return status;
}

static haft_status ask(haft__drive *drive, haft_error *err)
{
    haft__request request;
    haft__script_answer answer = {0};
    uint64_t start = now(drive);
    haft__arena_reset(&drive->scratch);
    haft__buf_clear(&drive->body);
    haft_status status = haft__decide_request(&drive->run, &drive->scratch, &request, err);
    if (status == HAFT_OK && drive->options.on_request != NULL) {
        drive->options.on_request(drive->options.request_context, &request);
    }
    if (status == HAFT_OK) {
        status = ask_script(drive, &request, &answer, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (answer.delay_ms > 0 && drive->options.wait != NULL) {
        drive->options.wait(drive->options.clock_context, answer.delay_ms);
    }
    uint64_t taken = now(drive) - start;
    const haft__optional_member *refused =
        answer.failed ? haft__input_find_refused(&drive->run, &request, &answer.failure) : NULL;
    if (refused != NULL) {
        haft__input_option_refused(&drive->body, refused, &answer.failure, false, taken);
    } else if (answer.failed) {
        haft__input_model_failed(&drive->body, &answer.failure, taken);
    } else {
        haft__input_model_replied(&drive->body, &drive->run, &answer.reply, taken);
    }
    return append_body(drive, err);
}

/* Whether the tool asks now: it has neither an answer nor was it called again with one. */
static bool asks(const haft__drive *drive, const haft__run_call *call)
{
    return haft__str_equal(call->name, drive->options.asks) && !call->answer_due
           && call->resume.kind != HAFT__JSON_OBJECT;
}

static haft_status ask_person(haft__drive *drive, const haft__run_call *call, haft_error *err)
{
    static const char question[] =
        "{\"message\":\"How many?\",\"mode\":\"form\",\"schema\":{\"type\":\"object\","
        "\"properties\":{\"n\":{\"type\":\"integer\"},\"m\":{\"type\":\"integer\",\"default\":"
        "3}},\"required\":[\"n\"]},\"url\":null,\"server\":\"docs\"}";
    haft__elicitation asked = {.durable = drive->options.durable,
                               .state = haft__json_string(HAFT__LIT("back")),
                               .within_ms = drive->options.durable ? 0 : 5000};
    haft__arena_reset(&drive->scratch);
    haft__buf_clear(&drive->body);
    haft_status status =
        haft__json_read(&drive->scratch, haft__str(question), NULL, &asked.question, NULL, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__input_call_asked(&drive->body, call->id, &asked);
    return append_body(drive, err);
}

/* The result of the tool `chart` is binary: its bytes, twice, become artifacts. */
static haft_status store_results(haft__drive *drive, const haft__run_call *call,
                                 haft__outcome *io_outcome, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__buf lines;
    haft__buf_init(&lines, HAFT__LIMIT_RUN_BYTES);
    for (int i = 0; i < 2 && status == HAFT_OK; i++) {
        haft_str type = haft__binary_media_type(io_outcome->text, HAFT__LIT(""));
        haft_str name = haft__artifact_choose_name(&drive->run, call->name, type, &drive->scratch);
        haft__buf_clear(&drive->body);
        haft__input_artifact_stored(&drive->body, call->id, name, type, io_outcome->text);
        haft__artifact_describe(&lines, HAFT__ARTIFACT_STORED, io_outcome->text.len, type, name);
        haft__buf_add_str(&lines, i == 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
        status = append_body(drive, err);
    }
    io_outcome->text = haft__arena_copy(&drive->scratch, haft__buf_str(&lines));
    haft__buf_finish(&lines);
    haft__buf_clear(&drive->body);
    return status;
}

static haft_status run_call(haft__drive *drive, const haft__run_call *call, haft_error *err)
{
    if (asks(drive, call)) {
        return ask_person(drive, call, err);
    }
    haft__outcome outcome = {
        .ok = false,
        .text = HAFT__LIT("this tool has no implementation here"),
        .where = HAFT__LIT(""),
        .hint = HAFT__LIT("give it results in the script"),
    };
    haft__arena_reset(&drive->scratch);
    haft__buf_clear(&drive->body);
    if (haft__script_has_results(drive->options.script, call->name)) {
        haft__script_result result;
        haft_status status = haft__script_result_of(drive->options.script, call->name,
                                                    &drive->scratch, &result, err);
        if (status != HAFT_OK) {
            return status;
        }
        outcome.ok = result.ok;
        outcome.text = result.text;
        outcome.hint = result.hint;
    }
    if (outcome.ok && haft__str_equal(call->name, HAFT__LIT("chart"))) {
        haft_status status = store_results(drive, call, &outcome, err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    haft__input_call_finished(&drive->body, &drive->run, call, &outcome);
    return append_body(drive, err);
}

/* With the task, or for a call. */
static haft_status search(haft__drive *drive, const haft__run_call *call, haft_error *err)
{
    haft__arena_reset(&drive->scratch);
    haft__buf_clear(&drive->body);
    haft_status status =
        help_search(&drive->run, call, drive->options.listings, drive->options.listing_count,
                    &drive->scratch, drive->options.hash_key, &drive->body, err);
    return status == HAFT_OK ? append_body(drive, err) : status;
}

/* Runs the first call that has started; the others follow in the next rounds. */
static haft_status run_next(haft__drive *drive, haft_error *err)
{
    for (size_t i = drive->run.batch; i < drive->run.call_count; i++) {
        const haft__run_call *call = &drive->run.calls[i];
        if (call->stage == HAFT__CALL_STARTED) {
            return haft__resolve_is_search_tool(call->tool) ? search(drive, call, err)
                                                            : run_call(drive, call, err);
        }
    }
    /* A call waits for the delay of its tool: time passes at each decision. */
    return haft__call_wait_next_poll(&drive->run, drive->run.last_ms) > 0
               ? HAFT_OK
               : haft__fail(err, HAFT_BAD_STATE, "", "expected a started call, found none");
}

haft_status haft__drive_on(haft__drive *drive, haft_error *err)
{
    for (;;) {
        haft__effect effect = {.kind = HAFT__EFFECT_END};
        uint64_t at_ms = now(drive); /* a decision is recorded with the time it was made for */
        haft_status status = haft__decide(&drive->decider, &drive->run, at_ms, &effect, err);
        if (status == HAFT_OK) {
            switch (effect.kind) {
            case HAFT__EFFECT_EVENT:
                status = append(drive, drive->run.id, at_ms, effect.body, err);
                break;
            case HAFT__EFFECT_CALL_MODEL: status = ask(drive, err); break;
            case HAFT__EFFECT_SEARCH_TOOLS: status = search(drive, NULL, err); break;
            case HAFT__EFFECT_RUN_CALLS: status = run_next(drive, err); break;
            case HAFT__EFFECT_READ_THREAD:
            case HAFT__EFFECT_WAIT:
            case HAFT__EFFECT_END: return HAFT_OK;
            }
        }
        if (status != HAFT_OK) {
            return status;
        }
    }
}
