/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool_call.c - calls of MCP tools: the executor.
 *
 * A call waits until its server is connected and has listed its tools again: only then can the tool
 * be compared with the one that the run was shown. The job's deadline applies from its start.
 * Tests: tests/exec/mcp/mcp_test.c, tests/mcp/servers_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/call_facts.h"
#include "exec/mcp/mcp_int.h"
#include "json/object.h"
#include "json/write.h"

/* ---- finding a call ---- */

haft__mcp_tool_call *haft__mcp_tool_call_find(haft__mcp_connection *connection, uint64_t number)
{
    for (haft__mcp_tool_call *tool_call = connection->tool_calls; tool_call != NULL;
         tool_call = tool_call->next) {
        if (tool_call->number == number && number != 0) {
            return tool_call;
        }
    }
    return NULL;
}

static void unlink_call(haft__mcp_tool_call *tool_call)
{
    haft__mcp_tool_call **at = &tool_call->connection->tool_calls;
    while (*at != NULL && *at != tool_call) {
        at = &(*at)->next;
    }
    if (*at != NULL) {
        *at = tool_call->next;
    }
}

static void link_call(haft__mcp_tool_call *tool_call)
{
    haft__mcp_tool_call **at = &tool_call->connection->tool_calls;
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = tool_call;
}

/* ---- the end of a call ---- */

static void report(haft__mcp_tool_call *tool_call, const haft__exec_result *result)
{
    haft__exec_result numbered = *result;
    numbered.list = tool_call->connection->number;
    unlink_call(tool_call);
    haft__mcp_tool_call_drop_questions(tool_call);
    haft__exec_report(tool_call->job, &numbered);
}

/* Reports that the call was not sent, so it had no effect. `text` is the message of the error,
 * possibly with more lines. */
static void report_unsent(haft__mcp_tool_call *tool_call, const haft_error *error, haft_str text)
{
    bool passes = error->status == HAFT_IO || error->status == HAFT_NO_MEMORY;
    haft__exec_result result = {.text = text,
                                .where = haft__str(error->where),
                                .hint = haft__str(error->hint),
                                .transient = passes};
    report(tool_call, &result);
}

static void report_error(haft__mcp_tool_call *tool_call, const haft_error *error)
{
    report_unsent(tool_call, error, haft__str(error->message));
}

void haft__mcp_tool_call_fail_pending(haft__mcp_connection *connection, const haft_error *error)
{
    haft_error kept = *error;
    bool failed = error == &connection->error;
    for (haft__mcp_tool_call *tool_call = connection->tool_calls, *next; tool_call != NULL;
         tool_call = next) {
        next = tool_call->next;
        if (tool_call->number == 0) {
            report_unsent(tool_call, &kept,
                          failed
                              ? haft__mcp_connection_error_text(connection, &tool_call->job->arena)
                              : haft__str(kept.message));
        }
    }
}

bool haft__mcp_tool_call_is_pending(const haft__mcp_connection *connection)
{
    const haft__mcp_tool_call *tool_call = connection->tool_calls;
    while (tool_call != NULL && tool_call->number != 0) {
        tool_call = tool_call->next;
    }
    return tool_call != NULL;
}

/* ---- sending ---- */

/* The first line of `why` is for the model, the rest for people. */
static void refuse(haft__mcp_tool_call *tool_call, const haft__mcp_tool *tool, haft_str why)
{
    haft__arena *arena = &tool_call->job->arena;
    haft__exec_result result = {.changed = true};
    result.diff = haft__arena_copy(arena, why);
    result.text = haft__str_split(&result.diff, '\n');
    result.hint =
        haft__arena_format(arena,
                           "continue without it until a person has reviewed it: haft tools "
                           "SPEC --accept %.*s",
                           HAFT__ARG(tool->name));
    if (result.text.len == 0) {
        result.text = HAFT__LIT("the tool has changed, so it was not called");
    }
    result.hint.len = result.hint.ptr != NULL ? result.hint.len : 0;
    report(tool_call, &result);
}

/* Reports the current definition to the run, which decides again. */
static void report_updated_tool(haft__mcp_tool_call *tool_call, const haft__mcp_tool *tool)
{
    haft__exec_result result = {.text = HAFT__LIT("the tool has changed since the run began")};
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__reveal_write_tool(&text, tool);
    if (haft__buf_check(&text, NULL) == HAFT_OK) {
        result.renewed = haft__arena_copy(&tool_call->job->arena, haft__buf_str(&text));
    }
    haft__buf_finish(&text);
    result.transient = result.renewed.ptr == NULL;
    result.renewed.len = result.renewed.ptr != NULL ? result.renewed.len : 0;
    report(tool_call, &result);
}

/* Adds earlier answers of a person to the call: {state, answers} of haft__exec_call.resume. */
static void add_resume(const haft__exec_job *job, haft__json answers, haft__mcp_call *call)
{
    haft__json state = haft__object_get(job->call.resume, "state");
    haft__json text = haft__object_get(state, "state"), round = haft__object_get(state, "round");
    uint64_t count = 0;
    call->answers = answers;
    if (text.kind == HAFT__JSON_STRING) {
        call->state = haft__json_text(text);
    }
    if (haft__str_to_u64(haft__json_text(round), &count)) {
        call->round = (uint32_t)count;
    }
}

static haft_status make_call(haft__mcp_tool_call *tool_call, const haft__mcp_tool *tool,
                             haft_error *err)
{
    haft__exec_job *job = tool_call->job;
    haft__call_fact facts[HAFT__CALL_FACT_COUNT];
    haft__mcp_meta meta[HAFT__CALL_FACT_COUNT];
    haft__mcp_call call = {
        .tool = tool->remote, .arguments = job->call.arguments, .known = tool, .meta = meta};
    haft_status status =
        haft__call_facts_list(&job->call.facts, &job->arena, facts, &call.meta_count, err);
    if (status != HAFT_OK) {
        return status;
    }
    for (size_t i = 0; i < call.meta_count; i++) {
        haft_str text = facts[i].is_number ? (haft_str){NULL, 0} : facts[i].value;
        meta[i] = (haft__mcp_meta){haft__str(facts[i].meta), text, facts[i].number};
    }
    if (job->call.resume.kind == HAFT__JSON_OBJECT) {
        add_resume(job, tool_call->answers, &call);
    }
    return haft__mcp_client_call(tool_call->connection->client, &call, &tool_call->number, err);
}

/* False if the tool is not allowed; then the call has ended with an error. */
static bool is_allowed(haft__mcp_tool_call *tool_call, const haft__mcp_tool *tool)
{
    haft__buf why;
    haft_error err = {0};
    haft__mcp_pin_verdict verdict = HAFT__MCP_PIN_REJECTED;
    haft__buf_init(&why, HAFT__LIMIT_MCP_DEFINITION_BYTES);
    haft_status status = haft__mcp_pin_check(tool_call, tool, &verdict, &why, &err);
    if (status != HAFT_OK) {
        report_error(tool_call, &err);
    } else if (verdict == HAFT__MCP_PIN_REJECTED) {
        refuse(tool_call, tool, haft__buf_str(&why));
    } else if (verdict == HAFT__MCP_PIN_STALE) {
        report_updated_tool(tool_call, tool);
    }
    haft__buf_finish(&why);
    return status == HAFT_OK && verdict == HAFT__MCP_PIN_ALLOWED;
}

static void send_call(haft__mcp_tool_call *tool_call)
{
    haft__mcp_connection *connection = tool_call->connection;
    haft_error err = {0};
    const haft__mcp_tool *tool = haft__mcp_connection_find_tool(connection, tool_call->tool);
    if (tool == NULL) {
        (void)!haft__mcp_connection_fail(connection, &err, HAFT_NOT_FOUND,
                                         "no longer has the tool '%.*s'",
                                         HAFT__ARG(tool_call->tool));
        (void)!haft__hint(&err, HAFT_NOT_FOUND, "continue without it");
        report_error(tool_call, &err);
        return;
    }
    if (!is_allowed(tool_call, tool)) {
        return;
    }
    tool_call->output_schema = tool->output_schema;
    haft_status status = make_call(tool_call, tool, &err);
    if (status != HAFT_OK) {
        report_error(tool_call, &err);
    }
    connection->used = true;
    haft__mcp_connection_process_events(connection, status);
}

void haft__mcp_tool_call_send_pending(haft__mcp_connection *connection)
{
    for (haft__mcp_tool_call *tool_call = connection->tool_calls, *next; tool_call != NULL;
         tool_call = next) {
        next = tool_call->next;
        if (tool_call->number == 0 && connection->state == HAFT__MCP_CONNECTION_OPEN
            && connection->fresh) {
            send_call(tool_call);
        }
    }
}

void haft__mcp_tool_call_requeue(haft__mcp_connection *connection, uint64_t number)
{
    haft__mcp_tool_call *tool_call = haft__mcp_tool_call_find(connection, number);
    if (tool_call != NULL) {
        tool_call->number = 0; /* so that its end in the session is ignored */
        tool_call->sent = false;
    }
    (void)!haft__mcp_client_cancel(connection->client, number, HAFT__LIT(""), NULL);
}

/* ---- while a call is open ---- */

static void notify_progress(haft__mcp_tool_call *tool_call, haft__buf *json)
{
    if (haft__buf_check(json, NULL) == HAFT_OK && tool_call->job->call.progress != NULL
        && !tool_call->job->reported) {
        tool_call->job->call.progress(tool_call->job->context, haft__buf_str(json));
    }
}

void haft__mcp_tool_call_progress(haft__mcp_tool_call *tool_call,
                                  const haft__mcp_progress *progress)
{
    haft__buf json;
    haft__json_writer w;
    haft__buf_init(&json, HAFT__LIMIT_EXEC_PROGRESS_BYTES);
    haft__json_writer_init(&w, &json);
    haft__json_begin_object(&w);
    haft__field_value(&w, "progress", progress->progress);
    haft__field_value(&w, "total", progress->total);
    haft__field_text(&w, "message", progress->message);
    haft__json_end_object(&w);
    notify_progress(tool_call, &json);
    haft__buf_finish(&json);
}

static haft_str run_of(const haft__mcp_tool_call *tool_call)
{
    const char *run = tool_call->job->call.facts.run;
    return haft__str(run != NULL ? run : "");
}

haft__mcp_tool_call *haft__mcp_tool_call_of_message(haft__mcp_connection *connection, uint64_t call)
{
    haft__mcp_tool_call *found = haft__mcp_tool_call_find(connection, call);
    if (found != NULL) {
        return found;
    }
    for (haft__mcp_tool_call *tool_call = connection->tool_calls; tool_call != NULL;
         tool_call = tool_call->next) {
        if (tool_call->number == 0) {
            continue;
        }
        haft_str run = run_of(tool_call);
        if (found != NULL && (run.len == 0 || !haft__str_equal(run, run_of(found)))) {
            return NULL;
        }
        found = found != NULL ? found : tool_call;
    }
    return found;
}

static void notify_log(haft__mcp_tool_call *tool_call, const haft__mcp_log *log)
{
    haft__buf json;
    haft__json_writer w;
    haft__buf_init(&json, HAFT__LIMIT_EXEC_PROGRESS_BYTES);
    haft__json_writer_init(&w, &json);
    haft__json_begin_object(&w);
    haft__field_text(&w, "server", tool_call->connection->server.name);
    haft__field_text(&w, "level", log->level);
    haft__field_text(&w, "logger", log->logger);
    haft__field_text(&w, "message", log->text);
    haft__json_end_object(&w);
    notify_progress(tool_call, &json);
    haft__buf_finish(&json);
}

void haft__mcp_tool_call_warn(haft__mcp_tool_call *tool_call, haft_str text)
{
    const haft__mcp_log log = {
        .level = HAFT__LIT("warning"), .logger = HAFT__LIT("haft"), .text = text};
    notify_log(tool_call, &log);
}

/* Warns every call once that a message arrived, without its content. */
static void notify_all(haft__mcp_connection *connection)
{
    const haft__mcp_log log = {
        .level = HAFT__LIT("notice"),
        .logger = HAFT__LIT("haft"),
        .text = HAFT__LIT("a log message of the server is not shown: calls of several runs are in "
                          "progress, and it does not say which one it belongs to")};
    for (haft__mcp_tool_call *tool_call = connection->tool_calls; tool_call != NULL;
         tool_call = tool_call->next) {
        if (tool_call->number != 0 && !tool_call->log_warned) {
            tool_call->log_warned = true;
            notify_log(tool_call, &log);
        }
    }
}

void haft__mcp_tool_call_log(haft__mcp_connection *connection, const haft__mcp_log *log)
{
    haft__mcp_tool_call *tool_call = haft__mcp_tool_call_of_message(connection, log->call);
    if (tool_call != NULL) {
        notify_log(tool_call, log);
    } else {
        notify_all(connection);
    }
}

void haft__mcp_tool_call_done(haft__mcp_tool_call *tool_call, const haft__mcp_call_done *done)
{
    haft__exec_result result;
    if (tool_call->job->reported) { /* by its deadline */
        unlink_call(tool_call);
        haft__mcp_tool_call_drop_questions(tool_call);
        return;
    }
    if (done->outcome == HAFT__MCP_OUTCOME_RETRY
        && !tool_call->resent) { /* once the tools are listed again */
        tool_call->resent = true;
        tool_call->sent = false;
        tool_call->number = 0;
        haft__mcp_connection_list_tools(tool_call->connection);
        return;
    }
    if (done->outcome == HAFT__MCP_OUTCOME_INPUT_REQUIRED
        && haft__mcp_tool_call_suspend(tool_call, done)) {
        unlink_call(tool_call);
        return;
    }
    haft__mcp_tool_call_result(tool_call, done, &result);
    report(tool_call, &result);
}

/* ---- the executor ---- */

static haft_status find_server(haft__exec_job *job, haft_str name,
                               haft__mcp_connection **ret_connection, haft_error *err)
{
    haft__mcp_server_configs servers;
    haft_status status =
        haft__mcp_server_configs_read(&job->arena, job->call.spec->mcp, &servers, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__mcp_server_config *server = haft__mcp_server_configs_find(&servers, name);
    if (server == NULL || !server->enabled) {
        status = haft__fail(err, HAFT_NOT_FOUND, "", "the spec has no server '%.*s'%s",
                            HAFT__ARG(name), server != NULL ? " that is enabled" : "");
        return haft__hint(err, status, "continue without its tools");
    }
    return haft__mcp_connection_pool_get(job->exec, job->call.spec, server, ret_connection, err);
}

static haft_status start(haft__exec_job *job, haft_error *err)
{
    haft__mcp_tool_call *tool_call = haft__arena_array(&job->arena, 1, sizeof(*tool_call));
    if (tool_call == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    haft_str server = haft__json_text(haft__object_get(job->call.tool->definition, "server"));
    *tool_call = (haft__mcp_tool_call){
        .job = job,
        .shown = *job->call.tool,
        .tool = haft__json_text(haft__object_get(job->call.tool->definition, "tool")),
        .hash = haft__json_text(haft__object_get(job->call.tool->definition, "hash")),
        .answers = haft__json_null(),
        .output_schema = haft__json_null()};
    job->state = tool_call;
    bool has_question = false;
    haft_status status = haft__mcp_tool_call_resume(tool_call, &has_question, err);
    if (status != HAFT_OK || has_question) {
        return status; /* the call is sent when its last question is answered */
    }
    status = find_server(job, server, &tool_call->connection, err);
    if (status != HAFT_OK) {
        return status;
    }
    link_call(tool_call);
    if (tool_call->connection->state == HAFT__MCP_CONNECTION_OPEN && tool_call->connection->fresh) {
        send_call(tool_call);
    } else if (tool_call->connection->state == HAFT__MCP_CONNECTION_OPEN) {
        haft__mcp_connection_list_tools(tool_call->connection);
    } else {
        haft__mcp_connection_connect(tool_call->connection);
    }
    return HAFT_OK;
}

/* For a call that timed out: names the server and what the call waited for. */
static void explain(haft__mcp_tool_call *tool_call, const char *why, const char *hint)
{
    haft__exec_job *job = tool_call->job;
    job->subject = haft__arena_format(&job->arena, " of the MCP server '%.*s'",
                                      HAFT__ARG(tool_call->connection->server.name));
    job->why = haft__arena_format(&job->arena, "%s%s", why[0] != '\0' ? ": " : "", why);
    job->advice = haft__arena_format(&job->arena, "%s", hint);
}

static bool abandon(haft__exec_job *job)
{
    haft__mcp_tool_call *tool_call = job->state;
    char why[512] = "";
    if (tool_call == NULL || tool_call->connection == NULL) {
        return false;
    }
    haft__mcp_connection *connection = tool_call->connection;
    uint64_t number = tool_call->number;
    if (haft__mcp_http_transport_recall_unsent(connection, number, why, sizeof(why))) {
        tool_call->sent = false;
        explain(tool_call, why, "check that it is running and that `url` is correct");
    } else if (number == 0) {
        explain(tool_call, connection->error.message, connection->error.hint);
    } else {
        explain(tool_call, "", "");
    }
    job->waiting = !tool_call->sent;
    unlink_call(tool_call);
    if (number != 0) {
        haft__mcp_connection_process_events(
            connection, haft__mcp_client_cancel(connection->client, number,
                                                HAFT__LIT("the call is no longer needed"), NULL));
    }
    haft__mcp_tool_call_drop_questions(
        tool_call); /* messages that the session could not assign to a call */
    return false;
}

static void answer(haft__exec_job *job, haft__json value)
{
    haft__mcp_tool_call_answer(job->state, value);
}

const haft__executor haft__executor_mcp = {.start = start, .abandon = abandon, .answer = answer};
