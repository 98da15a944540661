/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_run.c - runs of the agent for an MCP client: events become progress, the answer the result, a
 * question to a person a question of the client's.
 *
 * The runs are in the store like any other. One whose client has left is cancelled and kept until
 * that is durable. Without a handshake a run that waits is let go of with the question, and taken
 * up again by the request that brings the answer. Tests: tests/cli/mcp_test.py.
 */
#include <inttypes.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/clock.h"
#include "serve/mcp_spec_int.h"
#include "json/read.h"

#define QUESTIONS_MOST 16

/* ---- what happens ---- */

static haft_str member(haft__json event, const char *key)
{
    const haft__json *value = haft__json_get(event, haft__str(key));
    return value != NULL ? haft__json_text(*value) : HAFT__LIT("");
}

static void add_event(haft__buf *line, haft__json event)
{
    haft_str kind = member(event, "kind"), tool = member(event, "tool");
    if (haft__str_equal(kind, HAFT__LIT("turn_started"))) {
        haft__buf_add_str(line, HAFT__LIT("turn "));
        haft__buf_add_str(line, member(event, "turn"));
        return;
    }
    for (size_t i = 0; i < kind.len; i++) {
        haft__buf_add_char(line, kind.ptr[i] == '_' ? ' ' : kind.ptr[i]);
    }
    if (tool.len > 0) {
        haft__buf_add_str(line, HAFT__LIT(": "));
        haft__buf_add_str(line, tool);
    }
}

/* Events are redacted before they are recorded. */
static void tell_event(haft__mcp_job *job, const haft_event *event)
{
    haft__arena scratch;
    haft__buf line;
    haft__json object;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = job->served->options.runtime->hash_key;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&line, HAFT__LIMIT_RUN_BYTES);
    if (haft__json_read(&scratch, event->json, &options, &object, NULL, NULL) == HAFT_OK) {
        add_event(&line, object);
    }
    if (line.len > 0 && haft__buf_check(&line, NULL) == HAFT_OK) {
        haft__mcp_asked_progress(job->asked, event->seq, 0, haft__buf_str(&line));
        haft__mcp_asked_log(job->asked, HAFT__MCP_DEBUG, haft__buf_str(&line));
    }
    haft__buf_finish(&line);
    haft__arena_finish(&scratch);
}

static void tell_events(haft__mcp_job *job)
{
    haft_event event;
    while (haft_run_next_event(job->run, &event)) {
        if (event.seq > 0 && job->asked != NULL) {
            tell_event(job, &event);
        }
    }
    job->run->read = false; /* what is only told is of no use here */
}

/* ---- how it ended ---- */

static void say_end(haft__mcp_job *job)
{
    const haft__run *state = &job->run->state;
    haft_str answer = haft_run_answer_text(job->run);
    bool good = state->end == HAFT__END_DONE || state->end == HAFT__END_DIRECT
                || (state->end == HAFT__END_EXHAUSTED && state->forced_final);
    if (good) {
        haft__mcp_job_say(job, answer, false);
        return;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&text, "the run %s ended: %s: %.*s", haft_run_id(job->run),
                   haft_run_end(job->run), HAFT__ARG(state->end_reason));
    if (answer.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT("\n\n"));
        haft__buf_add_str(&text, answer);
    }
    haft__mcp_job_say(job, haft__buf_str(&text), true);
    haft__buf_finish(&text);
}

static void say_error(haft__mcp_job *job, const haft_error *error)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&text, "%s%s%s%s", error->message, error->hint[0] != '\0' ? "\nhint: " : "",
                   error->hint, "");
    haft__mcp_job_say(job, haft__buf_str(&text), true);
    haft__buf_finish(&text);
}

/* ---- people ---- */

static bool is_pending(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_PAUSED;
}

static haft_str question_of(const haft__run_call *call)
{
    const haft__json *question = haft__json_get(call->arguments, HAFT__LIT("question"));
    return question != NULL ? haft__json_text(*question) : HAFT__LIT("");
}

/* How somebody can go on with a run that waits. */
static void say_waiting(haft__mcp_job *job)
{
    const haft__run *state = &job->run->state;
    const char *store = job->served->options.store;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&text, "the run %s waits for somebody:", job->run->id);
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        if (!is_pending(call)) {
            continue;
        }
        bool approval = call->pause == HAFT__PAUSE_APPROVAL;
        haft__buf_addf(&text, "\n%s of %.*s (%.*s) ", haft__pause_name(call->pause),
                       HAFT__ARG(call->name), HAFT__ARG(call->id));
        if (call->pause == HAFT__PAUSE_QUESTION) {
            haft__buf_add_str(&text, question_of(call));
        } else {
            haft__json_write(&text, call->arguments);
        }
        haft__buf_addf(&text, "\nhint: haft %s %s %.*s%s%s%s", approval ? "approve" : "answer",
                       job->run->id, HAFT__ARG(call->id), approval ? "" : " VALUE",
                       store != NULL ? " --store " : "", store != NULL ? store : "");
    }
    haft__mcp_job_say(job, haft__buf_str(&text), true);
    haft__buf_finish(&text);
}

static void add_answer_field(haft__buf *properties, const haft__run_call *call)
{
    const haft__json *choices = haft__json_get(call->arguments, HAFT__LIT("choices"));
    const haft__json *usual = haft__json_get(call->arguments, HAFT__LIT("default"));
    haft__buf_add_str(properties, HAFT__LIT("\"answer\":{\"type\":\"string\""));
    if (choices != NULL && choices->kind == HAFT__JSON_ARRAY && choices->count > 0) {
        haft__buf_add_str(properties, HAFT__LIT(",\"enum\":"));
        haft__json_write(properties, *choices);
    }
    if (usual != NULL && usual->kind == HAFT__JSON_STRING) {
        haft__buf_add_str(properties, HAFT__LIT(",\"default\":"));
        haft__json_write(properties, *usual);
    }
    haft__buf_add_char(properties, '}');
}

/* The form for one call that waits; in the job's memory. */
static haft_str make_form(haft__mcp_job *job, const haft__run_call *call)
{
    haft__buf message, properties, params;
    bool approval = call->pause == HAFT__PAUSE_APPROVAL;
    haft__buf_init(&message, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&properties, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&params, HAFT__LIMIT_JSON_BYTES);
    if (approval) {
        haft__buf_addf(&message, "May the tool '%.*s' be called with ", HAFT__ARG(call->name));
        haft__json_write(&message, call->arguments);
        haft__buf_add_char(&message, '?');
        haft__buf_add_str(&properties,
                          HAFT__LIT("\"approve\":{\"type\":\"boolean\",\"title\":\"Approve the "
                                    "call\",\"default\":false}"));
    } else {
        haft__buf_add_str(&message, question_of(call));
        add_answer_field(&properties, call);
    }
    haft__mcp_form(&params, haft__buf_str(&message), haft__buf_str(&properties),
                   approval ? "approve" : "answer");
    bool good = haft__buf_check(&message, NULL) == HAFT_OK
                && haft__buf_check(&properties, NULL) == HAFT_OK
                && haft__buf_check(&params, NULL) == HAFT_OK;
    haft_str form =
        good ? haft__arena_copy(&job->arena, haft__buf_str(&params)) : (haft_str){NULL, 0};
    haft__buf_finish(&message);
    haft__buf_finish(&properties);
    haft__buf_finish(&params);
    return form;
}

/* The calls that wait as questions; 0 when not all of them can be asked. */
static size_t gather_questions(haft__mcp_job *job, haft__mcp_question questions[QUESTIONS_MOST])
{
    const haft__run *state = &job->run->state;
    size_t count = 0;
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        if (!is_pending(call)) {
            continue;
        }
        bool can = call->pause == HAFT__PAUSE_QUESTION || call->pause == HAFT__PAUSE_APPROVAL;
        haft_str form = can && count < QUESTIONS_MOST ? make_form(job, call) : HAFT__LIT("");
        haft_str key = haft__arena_copy(&job->arena, call->id);
        if (form.len == 0 || key.ptr == NULL) {
            return 0;
        }
        questions[count++] = (haft__mcp_question){key, HAFT__LIT("elicitation/create"), form};
    }
    return count;
}

static void ask(haft__mcp_job *job)
{
    haft__mcp_question questions[QUESTIONS_MOST];
    haft__mcp_asked *asked = job->asked;
    size_t count = haft__mcp_asked_can(asked, "elicitation") ? gather_questions(job, questions) : 0;
    if (count == 0) {
        say_waiting(job);
        return;
    }
    char id[HAFT__ID_LENGTH + 1];
    memcpy(id, job->run->id, sizeof(id));
    if (!asked->modern) {
        job->answers = haft__json_null();
        haft__mcp_asked_ask(asked, questions, count, haft__str(id), haft__clock_now());
        return;
    }
    asked->user = NULL;
    haft__mcp_asked_ask(asked, questions, count, haft__str(id), haft__clock_now());
    haft__mcp_job_destroy(job); /* the run stays in the store */
}

/* Gives one answer to the run; false when it was none. */
static bool give(haft__mcp_job *job, const haft__run_call *call, haft_error *err)
{
    haft__json value = haft__json_null();
    bool approval = call->pause == HAFT__PAUSE_APPROVAL;
    bool accepted =
        haft__mcp_accepted(job->answers, call->id, approval ? "approve" : "answer", &value);
    const haft__json *answer = haft__json_get(job->answers, call->id);
    const haft__json *action = answer != NULL ? haft__json_get(*answer, HAFT__LIT("action")) : NULL;
    bool declined =
        action != NULL && haft__str_equal(haft__json_text(*action), HAFT__LIT("decline"));
    haft__steer said = {.kind = HAFT__STEER_ANSWER,
                        .call = call->id,
                        .value = value,
                        .by = HAFT__LIT("mcp"),
                        .why = HAFT__LIT("")};
    if (approval) {
        bool yes = accepted && value.kind == HAFT__JSON_TRUE;
        said.kind = yes ? HAFT__STEER_APPROVE : HAFT__STEER_REJECT;
        said.value = haft__json_null();
        accepted = accepted || declined;
    }
    return accepted && haft__live_command(job->run, &said, err) == HAFT_OK;
}

/* Gives the run what was answered. What nobody answered stays open: it says how to go on. */
static void give_all(haft__mcp_job *job)
{
    const haft__run *state = &job->run->state;
    haft_error err = {0};
    bool any = false;
    for (size_t i = state->batch, end = state->call_count; i < end; i++) {
        if (i < state->call_count && is_pending(&state->calls[i])) {
            any = give(job, &state->calls[i], &err) || any;
        }
    }
    job->answers = haft__json_null();
    if (!any && err.status != HAFT_OK) {
        say_error(job, &err);
    } else if (!any) {
        say_waiting(job);
    }
}

/* ---- its course ---- */

void haft__mcp_run_look(haft__mcp_job *job)
{
    tell_events(job);
    haft_state state = haft_run_state(job->run);
    bool asking = job->told > 0;
    switch (state) {
    case HAFT_RUNNING: return;
    case HAFT_ENDED:
    case HAFT_STOPPED:
        if (job->asked == NULL) {
            haft__mcp_job_destroy(job);
        } else if (state == HAFT_ENDED) {
            say_end(job);
        } else {
            say_error(job, haft_run_error(job->run));
        }
        return;
    case HAFT_WAITING:
        if (job->asked == NULL) {
            haft__mcp_job_destroy(job);
        } else if (job->answers.kind == HAFT__JSON_OBJECT) {
            give_all(job);
        } else if (!asking) {
            job->told = 1; /* until it is answered */
            ask(job);
        }
        return;
    }
}

void haft__mcp_run_go_on(haft__mcp_job *job)
{
    job->told = 0;
    job->answers = job->asked->answers;
}

/* The request brings answers for a run that waits in the store. */
static haft_status take_up(haft__mcp_job *job, haft_error *err)
{
    job->answers = job->asked->answers;
    return haft__open_start(job->served->options.runtime, job->asked->state, false, &job->run, err);
}

static haft_status start(haft__mcp_job *job, haft_error *err)
{
    const haft__json *task = haft__json_get(job->asked->arguments, HAFT__LIT("task"));
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    options.user = "mcp";
    if (task == NULL || task->kind != HAFT__JSON_STRING || task->count == 0
        || job->asked->arguments.count != 1) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "expected one argument, \"task\", with a text that is not empty");
    }
    haft_str kept = haft__arena_copy(&job->arena, haft__json_text(*task));
    if (kept.ptr == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    if (strlen(kept.ptr) != kept.len) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "the task has a character U+0000");
    }
    return haft_run_start(job->served->options.agent, kept.ptr, &options, &job->run, err);
}

void haft__mcp_run_begin(haft__mcp_job *job)
{
    haft_error err = {0};
    bool again = job->asked->state.len > 0;
    haft_status status = again ? take_up(job, &err) : start(job, &err);
    if (status != HAFT_OK) {
        say_error(job, &err);
        return;
    }
    if (!again) {
        haft__buf line;
        haft__buf_init(&line, HAFT__LIMIT_MCP_MESSAGE_BYTES);
        haft__buf_addf(&line, "run %s has started", haft_run_id(job->run));
        haft__mcp_asked_log(job->asked, HAFT__MCP_INFO, haft__buf_str(&line));
        haft__buf_finish(&line);
    }
}

void haft__mcp_run_drop(haft__mcp_job *job)
{
    job->asked = NULL;
    if (job->run != NULL) {
        (void)!haft_run_cancel(job->run, NULL); /* it may have ended meanwhile */
    }
}
