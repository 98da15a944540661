/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_question.c - what a run of an MCP client waits for becomes questions of the client's, and its
 * answers go to the run: what the model asks, approvals, and what servers of the run ask, which is
 * passed on as it is. Tests: tests/cli/mcp_test.py, tests/mcp/ask_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "io/clock.h"
#include "run/asked.h"
#include "serve/mcp_spec_int.h"
#include "json/write.h"

#define QUESTIONS_MOST 16
#define KEY_DIGITS     12

/* ---- what waits ---- */

static bool is_pending(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_PAUSED;
}

/* Whether a server of the run asks, not the model. */
static bool is_tool(const haft__run_call *call)
{
    return call->asks.kind == HAFT__JSON_OBJECT;
}

static haft_str question_of(const haft__run_call *call)
{
    const haft__json *question = haft__json_get(call->arguments, HAFT__LIT("question"));
    if (is_tool(call)) {
        return haft__asked_text(call, "message");
    }
    return question != NULL ? haft__json_text(*question) : HAFT__LIT("");
}

static haft__json form_of(const haft__run_call *call)
{
    const haft__json *schema = haft__json_get(call->asks, HAFT__LIT("schema"));
    return schema != NULL ? *schema : haft__json_null();
}

/* What a server asks, for somebody who is to answer it elsewhere. */
static void add_asked(haft__buf *text, const haft__run_call *call)
{
    haft__buf_addf(text, "the server %.*s asks: ", HAFT__ARG(haft__asked_text(call, "server")));
    haft__buf_add_str(text, question_of(call));
    if (haft__asked_is_url(call)) {
        haft__buf_addf(text, "\npage to visit: %.*s", HAFT__ARG(haft__asked_text(call, "url")));
    } else {
        haft__buf_add_str(text, HAFT__LIT("\nthe answer is an object for this schema: "));
        haft__json_write(text, form_of(call));
    }
    if (call->pinned) {
        haft__buf_add_str(text, HAFT__LIT("\nit goes with this call: there is nobody to answer "
                                          "later"));
    }
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
        if (is_tool(call)) {
            add_asked(&text, call);
        } else if (call->pause == HAFT__PAUSE_QUESTION) {
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

/* What a server asks is passed on as it is, with who it is before it: the client's user knows us,
 * not the server. */
static void add_passed(haft__mcp_job *job, haft__buf *params, const haft__run_call *call,
                       haft_str key)
{
    haft_str server = haft__asked_text(call, "server");
    bool url = haft__asked_is_url(call);
    haft_str message = haft__arena_format(&job->arena, "The server '%.*s' asks: %.*s",
                                          HAFT__ARG(server), HAFT__ARG(question_of(call)));
    haft__json_writer w;
    haft__json_writer_init(&w, params);
    haft__json_begin_object(&w);
    haft__json_key(&w, "mode");
    haft__json_add_str(&w, url ? HAFT__LIT("url") : HAFT__LIT("form"));
    haft__json_key(&w, "message");
    haft__json_add_str(&w, message.ptr != NULL ? message : question_of(call));
    if (url) {
        haft__json_key(&w, "url");
        haft__json_add_str(&w, haft__asked_text(call, "url"));
    } else {
        haft__json_key(&w, "requestedSchema");
        haft__json_add(&w, form_of(call));
    }
    if (url && !job->asked->modern) {
        haft__json_key(&w, "elicitationId");
        haft__json_add_str(&w, key);
    }
    haft__json_end_object(&w);
}

/* The form for one call that waits; in the job's memory. */
static haft_str make_form(haft__mcp_job *job, const haft__run_call *call)
{
    haft__buf message, properties, params;
    bool approval = call->pause == HAFT__PAUSE_APPROVAL;
    haft__buf_init(&message, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&properties, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&params, HAFT__LIMIT_JSON_BYTES);
    if (is_tool(call)) {
        add_passed(job, &params, call, call->id);
    } else if (approval) {
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
    if (!is_tool(call)) {
        haft__mcp_form(&params, haft__buf_str(&message), haft__buf_str(&properties),
                       approval ? "approve" : "answer");
    }
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

/* "c1.1-9f86d081884c": the call and what is asked. An answer to something else that the call has
 * asked before has another key. */
static haft_str make_key(haft__mcp_job *job, const haft__run_call *call, haft_str form)
{
    char digest[HAFT__SHA256_HEX];
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&text, "%u ", call->attempt);
    haft__buf_add_str(&text, form);
    haft__sha256_hex(haft__buf_str(&text), digest);
    bool good = haft__buf_check(&text, NULL) == HAFT_OK;
    haft__buf_finish(&text);
    return good ? haft__arena_format(&job->arena, "%.*s-%.*s", HAFT__ARG(call->id), KEY_DIGITS,
                                     digest)
                : (haft_str){NULL, 0};
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
        bool can = (call->pause == HAFT__PAUSE_QUESTION || call->pause == HAFT__PAUSE_APPROVAL)
                   && haft__mcp_asked_can_show(job->asked, haft__asked_is_url(call));
        haft_str form = can && count < QUESTIONS_MOST ? make_form(job, call) : HAFT__LIT("");
        haft_str key = make_key(job, call, form);
        if (form.len == 0 || key.ptr == NULL) {
            return 0;
        }
        questions[count++] = (haft__mcp_question){key, HAFT__LIT("elicitation/create"), form};
    }
    return count;
}

bool haft__mcp_run_pinned(const haft__run *state)
{
    for (size_t i = state->batch; i < state->call_count; i++) {
        if (is_pending(&state->calls[i]) && state->calls[i].pinned) {
            return true;
        }
    }
    return false;
}

/* ---- asking ---- */

/* Nobody can be asked, and nobody can answer later: the servers that wait here are told so. */
static void decline(haft__mcp_job *job)
{
    const haft__run *state = &job->run->state;
    for (size_t i = state->batch, end = state->call_count; i < end && i < state->call_count; i++) {
        haft__steer said = {.kind = HAFT__STEER_REJECT,
                            .call = state->calls[i].id,
                            .value = haft__json_null(),
                            .by = HAFT__LIT("mcp"),
                            .why = HAFT__LIT("the client cannot ask anybody"),
                            .pause = haft__str(haft__pause_name(state->calls[i].pause))};
        if (is_pending(&state->calls[i]) && state->calls[i].pinned) {
            (void)!haft__live_command(job->run, &said, NULL); /* its time may be over */
        }
    }
    job->told = 0;
}

void haft__mcp_run_ask(haft__mcp_job *job)
{
    haft__mcp_question questions[QUESTIONS_MOST];
    haft__mcp_asked *asked = job->asked;
    size_t count = gather_questions(job, questions);
    if (count == 0 && haft__mcp_run_pinned(&job->run->state)) {
        decline(job);
        return;
    }
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
    job->asked = NULL;
    if (!haft__mcp_run_pinned(&job->run->state)) {
        haft__mcp_job_destroy(job); /* the run stays in the store */
    }
}

/* ---- answers ---- */

/* {action, content} of an answer, and nothing else that is in it; null when it is none. */
static haft__json answer_to_tool(haft__mcp_job *job, haft_str key)
{
    static const char *const keys[] = {"action", "content"};
    const haft__json *answer = haft__json_get(job->answers, key);
    haft__json_member *members = haft__arena_array(&job->arena, COUNT(keys), sizeof(*members));
    size_t count = 0;
    for (size_t i = 0; members != NULL && answer != NULL && i < COUNT(keys); i++) {
        const haft__json *value = haft__json_get(*answer, haft__str(keys[i]));
        if (value != NULL) {
            members[count++] = (haft__json_member){haft__json_string(haft__str(keys[i])), *value};
        } else if (i == 0) {
            return haft__json_null();
        }
    }
    return count > 0 ? haft__json_object(members, count) : haft__json_null();
}

/* What the model asked, or an approval, as it was answered; false when it was not. */
static bool say_answer(haft__mcp_job *job, const haft__run_call *call, haft_str key,
                       haft__steer *said)
{
    bool approval = call->pause == HAFT__PAUSE_APPROVAL;
    bool accepted =
        haft__mcp_accepted(job->answers, key, approval ? "approve" : "answer", &said->value);
    const haft__json *answer = haft__json_get(job->answers, key);
    const haft__json *action = answer != NULL ? haft__json_get(*answer, HAFT__LIT("action")) : NULL;
    bool declined =
        action != NULL && haft__str_equal(haft__json_text(*action), HAFT__LIT("decline"));
    if (approval) {
        bool yes = accepted && said->value.kind == HAFT__JSON_TRUE;
        said->kind = yes ? HAFT__STEER_APPROVE : HAFT__STEER_REJECT;
        said->value = haft__json_null();
        accepted = accepted || declined;
    }
    return accepted;
}

/* Gives one answer to the run; false when it was none. A server that waits here is told even that:
 * nobody will answer it later. */
static bool give(haft__mcp_job *job, const haft__run_call *call, haft_error *err)
{
    haft_str key = make_key(job, call, make_form(job, call));
    haft__steer said = {.kind = HAFT__STEER_ANSWER,
                        .call = call->id,
                        .value = haft__json_null(),
                        .by = HAFT__LIT("mcp"),
                        .why = HAFT__LIT(""),
                        .pause = haft__str(haft__pause_name(call->pause))};
    bool pinned = call->pinned, answered;
    if (is_tool(call)) { /* a no is for the server to hear, too */
        said.value = answer_to_tool(job, key);
        answered = said.value.kind == HAFT__JSON_OBJECT;
    } else {
        answered = say_answer(job, call, key, &said);
    }
    bool given = answered && haft__live_command(job->run, &said, err) == HAFT_OK;
    if (!given && pinned) {
        said.kind = HAFT__STEER_REJECT;
        said.why = HAFT__LIT("there was no answer that fits");
        given = haft__live_command(job->run, &said, err) == HAFT_OK;
    }
    return given;
}

void haft__mcp_run_give(haft__mcp_job *job)
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
        haft__mcp_run_fail(job, &err);
    } else if (!any) {
        say_waiting(job);
    }
}
