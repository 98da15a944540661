/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question.c - turns the pending calls of a run, and of the runs below it, into questions to the
 * MCP client, and passes its answers to these runs: questions of the model, approvals, and
 * questions of the runs' own MCP servers, which are forwarded. Tests: tests/cli/mcp_test.py,
 * tests/cli/mcp_children_test.py, tests/mcp/ask_test.py.
 */
#include <assert.h>
#include <inttypes.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/child_pool.h"
#include "engine/ops/run_tree.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "io/clock.h"
#include "run/host.h"
#include "run/pause/elicitation.h"
#include "serve/mcp/spec_int.h"
#include "json/object.h"

#define MAX_QUESTIONS 16

/* ---- pending calls ---- */

/* The run after `last` of those that are open here: the run of the job, then the runs below it that
 * wait for an answer or work. NULL at the end. */
static haft_run *next_run(const haft__mcp_spec_job *job, haft_run *last)
{
    if (last == NULL) {
        return job->run;
    }
    return haft__child_pool_next_open(job->run, last == job->run ? NULL : last);
}

static bool is_pending(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_PAUSED;
}

/* Whether a server of the run asks, not the model. */
static bool is_tool(const haft__run_call *call)
{
    return call->elicitation.kind == HAFT__JSON_OBJECT;
}

static haft_str question_of(const haft__run_call *call)
{
    const haft__json *question = haft__json_get(call->arguments, HAFT__LIT("question"));
    if (is_tool(call)) {
        return haft__elicitation_text(call, "message");
    }
    return question != NULL ? haft__json_text(*question) : HAFT__LIT("");
}

static haft__json form_of(const haft__run_call *call)
{
    const haft__json *schema = haft__json_get(call->elicitation, HAFT__LIT("schema"));
    return schema != NULL ? *schema : haft__json_null();
}

/* The question of a server, for a person who answers it elsewhere. */
static void add_asked(haft__buf *text, const haft__run_call *call)
{
    haft__buf_addf(text,
                   "the server %.*s asks: ", HAFT__ARG(haft__elicitation_text(call, "server")));
    haft__buf_add_str(text, question_of(call));
    if (haft__elicitation_is_url(call)) {
        haft__buf_addf(text, "\npage to visit: %.*s",
                       HAFT__ARG(haft__elicitation_text(call, "url")));
    } else {
        haft__buf_add_str(text, HAFT__LIT("\nthe answer is an object for this schema: "));
        haft__json_write(text, form_of(call));
    }
    if (call->pinned) {
        haft__buf_add_str(
            text, HAFT__LIT("\nthe question ends with this call and cannot be answered later"));
    }
}

static void add_store(const haft__mcp_spec_job *job, haft__buf *text)
{
    const char *store = job->spec_server->options.store;
    haft__buf_addf(text, "%s%s", store != NULL ? " --store " : "", store != NULL ? store : "");
}

static void add_pending(const haft__mcp_spec_job *job, haft__buf *text, const haft__run *state,
                        const haft__run_call *call)
{
    const haft__pause_kind *kind = haft__pause_kind_of(call->pause);
    const haft__pause_reply *reply = &kind->replies[0];
    haft__buf_addf(text, "\n%s of %.*s (", kind->name, HAFT__ARG(call->name));
    haft__run_tree_add_call(text, state, call->id);
    haft__buf_add_str(text, HAFT__LIT(") "));
    if (is_tool(call)) {
        add_asked(text, call);
    } else if (kind->prompt == HAFT__PAUSE_PROMPT_QUESTION) {
        haft__buf_add_str(text, question_of(call));
    } else {
        haft__json_write(text, call->arguments);
    }
    haft__buf_addf(text, "\nhint: haft %s %s ", reply->command, job->run->id);
    haft__run_tree_add_call(text, state, call->id);
    haft__buf_add_str(text, reply->value[0] != '\0' ? HAFT__LIT(" VALUE") : HAFT__LIT(""));
    add_store(job, text);
}

/* Replies with instructions how to continue the paused run. */
static void reply_pending(haft__mcp_spec_job *job)
{
    haft__buf text, shown;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&text, "the run %s is waiting for an answer:", job->run->id);
    for (haft_run *run = NULL; (run = next_run(job, run)) != NULL;) {
        const haft__run *state = &run->state;
        for (size_t i = state->batch; i < state->call_count; i++) {
            if (is_pending(&state->calls[i])) {
                add_pending(job, &text, state, &state->calls[i]);
            }
        }
    }
    if (job->run->runtime->children.wants_open_count
        > 0) { /* so many wait that not all are open here */
        haft__buf_addf(&text, "\nall pending calls: haft pending %s", job->run->id);
        add_store(job, &text);
    }
    haft__buf_init(&shown, HAFT__LIMIT_JSON_BYTES);
    haft__escape_add_lines(&shown, haft__buf_str(&text));
    haft__mcp_spec_job_reply(job, haft__buf_str(&shown), true);
    haft__buf_finish(&shown);
    haft__buf_finish(&text);
}

/* ---- choices ---- */

static void write_escaped(haft__buf *json, haft_str text)
{
    haft__buf shown;
    haft__buf_init(&shown, HAFT__LIMIT_JSON_BYTES);
    haft__escape_add(&shown, text);
    haft__json_write_string(json, haft__buf_str(&shown));
    if (shown.status != HAFT_OK) {
        haft__buf_fail(json, shown.status, shown.why);
    }
    haft__buf_finish(&shown);
}

static void add_choices(haft__buf *properties, haft__json choices)
{
    haft__buf_add_str(properties, HAFT__LIT(",\"enum\":["));
    for (uint32_t i = 0; i < choices.count; i++) {
        haft__buf_add_str(properties, i > 0 ? HAFT__LIT(",") : HAFT__LIT(""));
        write_escaped(properties, haft__json_text(choices.items[i]));
    }
    haft__buf_add_char(properties, ']');
}

static bool is_shown_as(haft_str text, haft_str shown)
{
    haft__buf escaped;
    haft__buf_init(&escaped, HAFT__LIMIT_JSON_BYTES);
    haft__escape_add(&escaped, text);
    bool same = escaped.status == HAFT_OK && haft__str_equal(haft__buf_str(&escaped), shown);
    haft__buf_finish(&escaped);
    return same;
}

/* The person sees escaped texts. The answer is the choice or the default that was shown so. */
static haft__json answer_of_shown(const haft__run_call *call, haft__json answer)
{
    const haft__json *choices = haft__json_get(call->arguments, HAFT__LIT("choices"));
    const haft__json *fallback = haft__json_get(call->arguments, HAFT__LIT("default"));
    haft_str shown = haft__json_text(answer);
    bool list = choices != NULL && choices->kind == HAFT__JSON_ARRAY;
    for (uint32_t i = 0; list && i < choices->count; i++) {
        if (is_shown_as(haft__json_text(choices->items[i]), shown)) {
            return choices->items[i];
        }
    }
    bool is_default = fallback != NULL && fallback->kind == HAFT__JSON_STRING
                      && is_shown_as(haft__json_text(*fallback), shown);
    return is_default ? *fallback : answer;
}

static void add_answer_field(haft__buf *properties, const haft__run_call *call)
{
    const haft__json *choices = haft__json_get(call->arguments, HAFT__LIT("choices"));
    const haft__json *fallback = haft__json_get(call->arguments, HAFT__LIT("default"));
    haft__buf_add_str(properties, HAFT__LIT("\"answer\":{\"type\":\"string\""));
    if (choices != NULL && choices->kind == HAFT__JSON_ARRAY && choices->count > 0) {
        add_choices(properties, *choices);
    }
    if (fallback != NULL && fallback->kind == HAFT__JSON_STRING) {
        haft__buf_add_str(properties, HAFT__LIT(",\"default\":"));
        write_escaped(properties, haft__json_text(*fallback));
    }
    haft__buf_add_char(properties, '}');
}

/* Says which agent asks, if it is below the run of the client's request. */
static void add_asker(haft__buf *message, const haft__run *state)
{
    if (state->path.len > 0) {
        haft__buf_add_str(message, HAFT__LIT("The agent '"));
        haft__escape_add(message, state->spec->name);
        haft__buf_addf(message, "' (%.*s) asks: ", HAFT__ARG(state->path));
    }
}

/* Forwards a question of a server, with the server's name before it: the client's user knows this
 * server, not the one that asks. */
static void add_passed(const haft__mcp_spec_job *job, haft__buf *params, const haft__run *state,
                       const haft__run_call *call, haft_str key)
{
    haft_str server = haft__elicitation_text(call, "server");
    bool url = haft__elicitation_is_url(call);
    haft__buf message;
    haft__json_writer w;
    haft__buf_init(&message, HAFT__LIMIT_JSON_BYTES);
    add_asker(&message, state);
    haft__buf_addf(&message, "The server '%.*s' asks: ", HAFT__ARG(server));
    haft__escape_add_lines(&message, question_of(call));
    haft__json_writer_init(&w, params);
    haft__json_begin_object(&w);
    haft__field_text(&w, "mode", url ? HAFT__LIT("url") : HAFT__LIT("form"));
    haft__field_text(&w, "message", haft__buf_str(&message));
    if (url) {
        haft__field_text(&w, "url", haft__elicitation_text(call, "url"));
    } else {
        haft__field_value(&w, "requestedSchema", form_of(call));
    }
    if (url && !job->request->modern) {
        haft__field_text(&w, "elicitationId", key);
    }
    haft__json_end_object(&w);
    if (message.status != HAFT_OK) {
        haft__buf_fail(params, message.status, message.why);
    }
    haft__buf_finish(&message);
}

/* The form for one paused call; .ptr is NULL when out of memory. */
static haft_str make_form(const haft__mcp_spec_job *job, haft__arena *arena, const haft__run *state,
                          const haft__run_call *call, haft_str key)
{
    haft__buf message, properties, params;
    const haft__pause_kind *kind = haft__pause_kind_of(call->pause);
    haft__buf_init(&message, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&properties, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&params, HAFT__LIMIT_JSON_BYTES);
    if (is_tool(call)) {
        add_passed(job, &params, state, call, key);
    } else if (kind->prompt == HAFT__PAUSE_PROMPT_CALL) {
        add_asker(&message, state);
        haft__buf_addf(&message, "May the tool '%.*s' be called with ", HAFT__ARG(call->name));
        haft__json_write(&message, call->arguments);
        haft__buf_add_char(&message, '?');
        haft__buf_add_str(&properties,
                          HAFT__LIT("\"approve\":{\"type\":\"boolean\",\"title\":\"Approve the "
                                    "call\",\"default\":false}"));
    } else {
        add_asker(&message, state);
        haft__buf_add_str(&message, question_of(call));
        add_answer_field(&properties, call);
    }
    if (!is_tool(call)) {
        haft__mcp_form_write(&params, haft__buf_str(&message), haft__buf_str(&properties),
                             kind->replies[0].command);
    }
    bool good = haft__buf_check(&message, NULL) == HAFT_OK
                && haft__buf_check(&properties, NULL) == HAFT_OK
                && haft__buf_check(&params, NULL) == HAFT_OK;
    haft_str form = good ? haft__arena_copy(arena, haft__buf_str(&params)) : (haft_str){NULL, 0};
    haft__buf_finish(&message);
    haft__buf_finish(&properties);
    haft__buf_finish(&params);
    return form;
}

/* "c1.1-17", or "c3.1/c1.1-17" of a run below: the call, and the event at which it paused. An
 * earlier question of the same call has another key. */
static haft_str make_key(haft__arena *arena, const haft__run *state, const haft__run_call *call)
{
    haft__buf key;
    haft__buf_init(&key, HAFT__LIMIT_RUN_BYTES);
    haft__run_tree_add_call(&key, state, call->id);
    haft__buf_addf(&key, "-%" PRIu64, call->paused_seq);
    haft_str copy = haft__arena_copy(arena, haft__buf_str(&key));
    bool good = haft__buf_check(&key, NULL) == HAFT_OK;
    haft__buf_finish(&key);
    return good ? copy : (haft_str){NULL, 0};
}

/* Whether the client can ask its user. */
static bool is_question(const haft__run_call *call)
{
    haft__pause_prompt prompt = haft__pause_kind_of(call->pause)->prompt;
    return is_pending(call) && prompt != HAFT__PAUSE_PROMPT_NONE
           && prompt != HAFT__PAUSE_PROMPT_OUTCOME;
}

/* Collects the pending calls of one run; false if one of them cannot be asked. The client gets at
 * most MAX_QUESTIONS at once, the others when these are answered. */
static bool gather_of_run(const haft__mcp_spec_job *job, haft__arena *arena, const haft__run *state,
                          haft__mcp_server_question questions[MAX_QUESTIONS], size_t *io_count)
{
    for (size_t i = state->batch; i < state->call_count && *io_count < MAX_QUESTIONS; i++) {
        const haft__run_call *call = &state->calls[i];
        if (!is_pending(call)) {
            continue;
        }
        bool can =
            is_question(call)
            && haft__mcp_request_client_can_elicit(job->request, haft__elicitation_is_url(call));
        haft_str key = make_key(arena, state, call);
        haft_str form =
            can && key.ptr != NULL ? make_form(job, arena, state, call, key) : (haft_str){NULL, 0};
        if (form.ptr == NULL) {
            return false;
        }
        questions[(*io_count)++] =
            (haft__mcp_server_question){key, HAFT__LIT("elicitation/create"), form};
    }
    return true;
}

static bool gather_questions(const haft__mcp_spec_job *job, haft__arena *arena,
                             haft__mcp_server_question questions[MAX_QUESTIONS], size_t *ret_count)
{
    bool can = true;
    *ret_count = 0;
    for (haft_run *run = NULL; can && (run = next_run(job, run)) != NULL;) {
        can = gather_of_run(job, arena, &run->state, questions, ret_count);
    }
    return can;
}

/* ---- asking ---- */

/* {action: cancel}: nobody has answered. Only a person declines. */
static haft__json_member cancel_member(void)
{
    return (haft__json_member){haft__json_string(HAFT__LIT("action")),
                               haft__json_string(HAFT__LIT("cancel"))};
}

static void cancel_of_run(haft_run *run)
{
    const haft__run *state = &run->state;
    haft__json_member cancel = cancel_member();
    for (size_t i = state->batch, end = state->call_count; i < end && i < state->call_count; i++) {
        haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER,
                                     .call = state->calls[i].id,
                                     .value = haft__json_object(&cancel, 1),
                                     .by = HAFT__LIT("mcp"),
                                     .why = HAFT__LIT(""),
                                     .pause = haft__str(haft__pause_name(state->calls[i].pause))};
        if (is_pending(&state->calls[i]) && state->calls[i].pinned) {
            (void)!haft__run_perform_command(run, &command, NULL); /* its deadline may be over */
        }
    }
}

/* Nobody can be asked now or later: cancels the questions that wait in this process. */
static void cancel_questions(haft__mcp_spec_job *job)
{
    for (haft_run *run = NULL; (run = next_run(job, run)) != NULL;) {
        cancel_of_run(run);
    }
}

/* Whether the client has answered every question, and no answer was usable. */
static bool all_answered(const haft__mcp_spec_job *job, const haft__mcp_server_question *questions,
                         size_t count)
{
    size_t i = 0;
    while (i < count && haft__json_get(job->request->answers, questions[i].key) != NULL) {
        i++;
    }
    return i == count;
}

static void ask(haft__mcp_spec_job *job, const haft__mcp_server_question *questions, size_t count)
{
    haft__mcp_request *request = job->request;
    char id[HAFT__ID_LENGTH + 1];
    assert(job->run != NULL); /* the questions are those of its run */
    memcpy(id, job->run->id, sizeof(id));
    if (!request->modern) { /* may free the job */
        haft__mcp_request_ask(request, questions, count, haft__str(id), haft__clock_now());
        return;
    }
    request->user = NULL;
    haft__mcp_request_ask(request, questions, count, haft__str(id), haft__clock_now());
    job->request = NULL;
    if (!haft__mcp_run_waits_here(job)) {
        haft__mcp_spec_job_destroy(job); /* the run stays in the store */
    }
}

/* `err` is the error of a rejected answer, if any. */
static void ask_pending(haft__mcp_spec_job *job, bool waits, const haft_error *err)
{
    haft__mcp_server_question questions[MAX_QUESTIONS];
    haft__arena scratch;
    size_t count;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    bool can = gather_questions(job, &scratch, questions, &count);
    if (!can && haft__mcp_run_waits_here(job)) {
        cancel_questions(job);
    } else if (waits && err->status != HAFT_OK && all_answered(job, questions, count)) {
        haft__mcp_run_fail(job, err);
    } else if (waits && (!can || all_answered(job, questions, count))) {
        reply_pending(job);
    } else if (can) {
        ask(job, questions, count);
    }
    haft__arena_finish(&scratch);
}

/* ---- answers ---- */

/* {action, content} of an answer without other members; null if it is invalid. */
static haft__json answer_to_tool(haft__mcp_spec_job *job, haft_str key)
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

/* Reads the answer to a question of the model, or to an approval; false if there is none. */
static bool give_answer(haft__mcp_spec_job *job, const haft__run_call *call, haft_str key,
                        haft__run_command *command)
{
    const haft__pause_kind *kind = haft__pause_kind_of(call->pause);
    bool accepted =
        haft__mcp_form_accepted(job->answers, key, kind->replies[0].command, &command->value);
    const haft__json *answer = haft__json_get(job->answers, key);
    const haft__json *action = answer != NULL ? haft__json_get(*answer, HAFT__LIT("action")) : NULL;
    bool declined =
        action != NULL && haft__str_equal(haft__json_text(*action), HAFT__LIT("decline"));
    if (kind->prompt == HAFT__PAUSE_PROMPT_CALL) {
        bool approved = accepted && command->value.kind == HAFT__JSON_TRUE;
        command->kind = approved ? HAFT__RUN_COMMAND_APPROVE : HAFT__RUN_COMMAND_REJECT;
        command->value = haft__json_null();
        accepted = accepted || declined;
    } else if (accepted && command->value.kind == HAFT__JSON_STRING) {
        command->value = answer_of_shown(call, command->value);
    }
    return accepted;
}

/* Passes one answer to the run; false if it was not usable. A server that waits in this process
 * gets even that: nobody will answer it later. */
static bool give(haft__mcp_spec_job *job, haft_run *run, const haft__run_call *call, haft_str key,
                 haft_error *err)
{
    haft__run_command command = {.kind = HAFT__RUN_COMMAND_ANSWER,
                                 .call = call->id,
                                 .value = haft__json_null(),
                                 .by = HAFT__LIT("mcp"),
                                 .why = HAFT__LIT(""),
                                 .pause = haft__str(haft__pause_name(call->pause))};
    bool pinned = call->pinned, answered;
    if (is_tool(call)) { /* the server must get a refusal too */
        command.value = answer_to_tool(job, key);
        answered = command.value.kind == HAFT__JSON_OBJECT;
    } else {
        answered = give_answer(job, call, key, &command);
    }
    bool given = answered && haft__run_perform_command(run, &command, err) == HAFT_OK;
    if (!given && pinned) {
        haft__json_member cancel = cancel_member();
        command.kind = HAFT__RUN_COMMAND_ANSWER;
        command.value = haft__json_object(&cancel, 1);
        given = haft__run_perform_command(run, &command, err) == HAFT_OK;
    }
    return given;
}

static bool give_to_run(haft__mcp_spec_job *job, haft_run *run, haft_error *err)
{
    const haft__run *state = &run->state;
    bool any = false;
    for (size_t i = state->batch, end = state->call_count; i < end && i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        haft_str key = is_question(call) ? make_key(&job->arena, state, call) : (haft_str){NULL, 0};
        if (key.ptr != NULL && haft__json_get(job->answers, key) != NULL) {
            any = give(job, run, call, key, err) || any;
        }
    }
    return any;
}

/* Whether any answer was usable; `err` is the error of one that was not. */
static bool give_answers(haft__mcp_spec_job *job, haft_error *err)
{
    bool any = false;
    for (haft_run *run = NULL; (run = next_run(job, run)) != NULL;) {
        any = give_to_run(job, run, err) || any;
    }
    job->answers = haft__json_null();
    return any;
}

/* ---- questions and answers ---- */

bool haft__mcp_run_waits_here(const haft__mcp_spec_job *job)
{
    haft_run *run = next_run(job, NULL);
    while (run != NULL && haft__run_local_question_seq(&run->state) == 0) {
        run = next_run(job, run);
    }
    return run != NULL;
}

static bool has_open_question(const haft__mcp_spec_job *job)
{
    haft_run *run = next_run(job, NULL);
    while (run != NULL && !haft__run_has_open_question(run)) {
        run = next_run(job, run);
    }
    return run != NULL;
}

bool haft__mcp_run_keeps_child(const haft__mcp_spec_job *job, const haft_run *child)
{
    haft_run *run = job->request != NULL && job->run != NULL ? next_run(job, job->run) : NULL;
    while (run != NULL && run != child) {
        run = next_run(job, run);
    }
    return run != NULL;
}

/* A number for the state of the run and the pending calls below it: another state has another one.
 */
static uint64_t mark_of(const haft__mcp_spec_job *job)
{
    uint64_t mark = job->run->state.seq;
    for (haft_run *run = job->run; (run = next_run(job, run)) != NULL;) {
        const haft__run *state = &run->state;
        uint64_t id = haft__hash(run->runtime->hash_key, haft__str(run->id));
        for (size_t i = state->batch; i < state->call_count; i++) {
            mark += is_pending(&state->calls[i]) ? id * state->calls[i].paused_seq : 0;
        }
    }
    return mark;
}

void haft__mcp_run_handle_questions(haft__mcp_spec_job *job, bool waits)
{
    uint64_t mark = mark_of(job);
    bool due = waits || has_open_question(job);
    bool answered = due && job->answers.kind == HAFT__JSON_OBJECT;
    bool seen = job->handled_mark == mark && job->handled_while_paused == waits && !answered;
    haft_error err = {0};
    if ((answered && give_answers(job, &err)) || seen) {
        return; /* the run continues */
    }
    if (due || haft__mcp_request_open_questions(job->request) > 0) {
        job->handled_mark = mark;
        job->handled_while_paused = waits;
        ask_pending(job, waits, &err);
    }
}
