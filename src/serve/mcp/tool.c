/* SPDX-License-Identifier: Apache-2.0 */
/* tool.c - tool calls of an MCP client: validated, approved, run, with redacted results. Tests:
 * tests/cli/mcp_test.py, tests/serve/mcp/tool_test.c. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/clock.h"
#include "run/arguments.h"
#include "run/pause/approval.h"
#include "serve/mcp/access.h"
#include "serve/mcp/spec_int.h"
#include "tool/traits.h"
#include "json/read.h"

static void fail(haft__mcp_spec_job *job, const haft_error *error)
{
    haft__mcp_spec_job_reply(job, haft__str(error->message), true);
}

/* ---- results ---- */

static haft_status read_result(haft__mcp_spec_job *job, haft_str text, haft__json *ret_value,
                               haft__schema_report *ret_report, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = job->spec_server->options.runtime->hash_key;
    haft_status status = haft__json_read(&job->arena, text, &options, ret_value, NULL, err);
    return status == HAFT_OK ? haft__schema_check(job->entry->output, job->spec_server->checker,
                                                  *ret_value, &job->arena, ret_report, err)
                             : status;
}

/* A result with a known schema is sent as JSON and as text. */
static void reply_structured(haft__mcp_spec_job *job, haft_str text)
{
    haft_error err = {0};
    haft__json value;
    haft__schema_report report = {.valid = false};
    haft__buf members, why;
    haft__buf_init(&members, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&why, HAFT__LIMIT_JSON_BYTES);
    haft_status status = read_result(job, text, &value, &report, &err);
    if (status != HAFT_OK || !report.valid) {
        haft__buf_addf(&why, "the tool's result does not match its output_schema: %s%s%s",
                       err.where, err.where[0] != '\0' ? ": " : "", err.message);
        if (status == HAFT_OK) {
            haft__schema_report_write(&why, &report);
        }
        haft__mcp_spec_job_reply(job, haft__buf_str(&why), true);
    } else {
        haft__buf_add_str(&members, HAFT__LIT("\"content\":[{\"type\":\"text\",\"text\":"));
        haft__json_write_string(&members, text);
        haft__buf_add_str(&members, HAFT__LIT("}]"));
        if (job->request->modern || value.kind == HAFT__JSON_OBJECT) {
            haft__buf_add_str(&members, HAFT__LIT(",\"structuredContent\":"));
            haft__json_write(&members, value);
        }
        haft__mcp_request *request = job->request;
        haft__mcp_spec_job_destroy(job);
        if (haft__buf_check(&members, NULL) == HAFT_OK) {
            haft__mcp_request_reply(request, haft__buf_str(&members));
        } else {
            haft__mcp_request_reply_text(
                request, HAFT__LIT("the result is too long, or out of memory"), true);
        }
    }
    haft__buf_finish(&why);
    haft__buf_finish(&members);
}

static void reply_failure(haft__mcp_spec_job *job, const haft__exec_result *result)
{
    const haft__traits *traits = &job->entry->tool->traits;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    if (result->where.len > 0) {
        haft__buf_add_str(&text, result->where);
        haft__buf_add_str(&text, HAFT__LIT(": "));
    }
    haft__buf_add_str(&text, result->text);
    bool unknown = result->started && result->timed_out && !haft__traits_are_repeatable(traits);
    haft_str hint = unknown ? HAFT__LIT("the call may or may not have had its effect: find out "
                                        "before you call the tool again")
                            : result->hint;
    if (hint.len > 0) {
        haft__buf_add_str(&text, HAFT__LIT("\nhint: "));
        haft__buf_add_str(&text, hint);
    }
    haft__mcp_spec_job_reply(job, haft__buf_str(&text), true);
    haft__buf_finish(&text);
}

static void reply_success(haft__mcp_spec_job *job, haft_str result)
{
    haft__buf clean;
    haft__buf_init(&clean, HAFT__LIMIT_JSON_BYTES);
    if (!haft__mcp_spec_redact(job->spec_server, result, &clean)) {
        haft__mcp_spec_job_reply(job, HAFT__LIT("out of memory"), true);
    } else if (job->entry->output != NULL) {
        reply_structured(job, haft__buf_str(&clean));
    } else {
        haft__mcp_spec_job_reply(job, haft__buf_str(&clean), false);
    }
    haft__buf_finish(&clean);
}

/* ---- running ---- */

static haft_status run(haft__mcp_spec_job *job, haft_error *err);

static haft_str lane_of(const haft__mcp_spec_job *job)
{
    return job->entry->tool != NULL ? job->entry->tool->traits.lane : HAFT__LIT("");
}

/* Calls of one lane never overlap. */
static bool is_lane_busy(const haft__mcp_spec_job *job)
{
    haft_str lane = lane_of(job);
    for (const haft__mcp_spec_job *other = job->spec_server->jobs; lane.len > 0 && other != NULL;
         other = other->next) {
        if (other != job && other->job != NULL && haft__str_equal(lane_of(other), lane)) {
            return true;
        }
    }
    return false;
}

/* The list is newest first, so the last match has waited longest. */
static haft__mcp_spec_job *find_waiting(const haft__mcp_spec_server *spec_server, haft_str lane)
{
    haft__mcp_spec_job *oldest = NULL;
    for (haft__mcp_spec_job *job = spec_server->jobs; lane.len > 0 && job != NULL;
         job = job->next) {
        if (job->waiting && haft__str_equal(lane_of(job), lane)) {
            oldest = job;
        }
    }
    return oldest;
}

/* If a call cannot start, tries the next one: nothing else would wake it. */
static void wake_lane(haft__mcp_spec_server *spec_server, haft_str lane)
{
    haft__mcp_spec_job *oldest = find_waiting(spec_server, lane);
    haft_error err = {0};
    while (oldest != NULL && run(oldest, &err) != HAFT_OK) {
        fail(oldest, &err);
        oldest = find_waiting(spec_server, lane);
    }
}

static void on_done(void *context, const haft__exec_result *result)
{
    haft__mcp_spec_job *job = context;
    haft__mcp_spec_server *spec_server = job->spec_server;
    haft_str lane = lane_of(job);
    haft_error err = {0};
    bool again = !result->ok && result->transient
                 && haft__traits_allow_retry(&job->entry->tool->traits, job->attempt);
    job->job = NULL;
    if (again && run(job, &err) == HAFT_OK) {
        return;
    }
    if (result->ok && result->blob_count > 0 && job->entry->output == NULL) {
        haft__mcp_spec_reply_blobs(job, result);
    } else if (result->ok) {
        reply_success(job, result->text);
    } else {
        reply_failure(job, result);
    }
    wake_lane(spec_server, lane);
}

static void on_progress(void *context, haft_str json)
{
    haft__mcp_spec_job *job = context;
    haft__buf clean;
    haft__buf_init(&clean, HAFT__LIMIT_TOOL_RESULT_BYTES);
    if (haft__mcp_spec_redact(job->spec_server, json, &clean)) {
        haft__mcp_request_progress(job->request, ++job->progress_count, 0, haft__buf_str(&clean));
    }
    haft__buf_finish(&clean);
}

static haft_status run(haft__mcp_spec_job *job, haft_error *err)
{
    haft_runtime *runtime = job->spec_server->options.runtime;
    job->waiting = is_lane_busy(job);
    if (job->waiting) {
        return HAFT_OK;
    }
    job->attempt++;
    haft__exec_call call = {.spec = job->spec_server->options.spec,
                            .tool = job->entry->tool,
                            .arguments = job->arguments,
                            .facts = {.struct_size = sizeof(haft_call_facts),
                                      .call = job->id,
                                      .run = "",
                                      .thread = "",
                                      .user = "",
                                      .idempotency_key = job->key.ptr,
                                      .epoch = job->epoch,
                                      .attempt = job->attempt},
                            .timeout_ms = job->entry->tool->traits.timeout_ms,
                            .progress = on_progress};
    return haft__exec_start(runtime->exec, &call, on_done, job, &job->job, err);
}

/* ---- checks before a call ---- */

/* Converts the client's arguments for the tool. Returns false if the client got an error. */
static bool convert_arguments(haft__mcp_spec_job *job, haft_error *err)
{
    haft__buf raw, why;
    haft__arguments arguments = {.good = false};
    haft__buf_init(&raw, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&why, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&raw, job->request->arguments);
    haft_status status = haft__buf_check(&raw, err);
    haft_str kept = haft__arena_copy(&job->arena, haft__buf_str(&raw));
    if (status == HAFT_OK && kept.ptr == NULL) {
        status = haft__arena_fail(&job->arena, err);
    }
    if (status == HAFT_OK) {
        status = haft__arguments_read(job->entry->tool, kept, job->spec_server->checker,
                                      &job->arena, job->spec_server->options.runtime->hash_key,
                                      &arguments, &why, err);
    }
    job->arguments = arguments.value;
    if (status != HAFT_OK) {
        fail(job, err);
    } else if (!arguments.good) {
        haft__mcp_spec_job_reply(job, haft__buf_str(&why), true);
    }
    haft__buf_finish(&raw);
    haft__buf_finish(&why);
    return status == HAFT_OK && arguments.good;
}

static void ask_approval(haft__mcp_spec_job *job)
{
    haft__buf message, params, clean;
    haft__buf_init(&message, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&params, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&clean, HAFT__LIMIT_JSON_BYTES);
    haft__buf_addf(&message, "May the tool '%.*s' be called with ",
                   HAFT__ARG(job->entry->tool->name));
    haft__json_write(&message, job->arguments);
    haft__buf_add_char(&message, '?');
    bool good = haft__mcp_spec_redact(job->spec_server, haft__buf_str(&message), &clean);
    haft__mcp_form_write(
        &params, haft__buf_str(&clean),
        HAFT__LIT("\"approve\":{\"type\":\"boolean\",\"title\":\"Approve the call\","
                  "\"default\":false}"),
        "approve");
    haft__mcp_server_question question = {HAFT__LIT("approval"), HAFT__LIT("elicitation/create"),
                                          haft__buf_str(&params)};
    haft__mcp_request *request = job->request;
    if (!good || haft__buf_check(&params, NULL) != HAFT_OK) {
        haft__mcp_spec_job_reply(job, HAFT__LIT("out of memory"), true);
    } else {
        if (request->modern) { /* the request ends with the question */
            haft__mcp_spec_job_destroy(job);
            request->user = NULL;
        }
        haft__mcp_request_ask(request, &question, 1, HAFT__LIT("approval"), haft__clock_now());
    }
    haft__buf_finish(&clean);
    haft__buf_finish(&params);
    haft__buf_finish(&message);
}

/* Whether the call may run now. If not, asks the client for approval or replies with the reason.
 * Without a handshake, an answer counts only together with the state that haft has sealed. */
static bool is_approved(haft__mcp_spec_job *job)
{
    const haft__approval_rule *rule = NULL;
    haft__json approved = haft__json_null();
    if (!haft__approval_is_required(job->spec_server->options.spec, job->entry->tool,
                                    &job->arguments, &job->arena, &rule)) {
        return true;
    }
    bool answered = haft__str_equal(job->request->state, HAFT__LIT("approval"))
                    && job->request->answers.kind == HAFT__JSON_OBJECT;
    if (answered
        && haft__mcp_form_accepted(job->request->answers, HAFT__LIT("approval"), "approve",
                                   &approved)
        && approved.kind == HAFT__JSON_TRUE) {
        return true;
    }
    if (answered) {
        haft__mcp_spec_job_reply(job, HAFT__LIT("the call was not approved, and did not run"),
                                 true);
    } else if (haft__mcp_request_client_supports(job->request, "elicitation")) {
        ask_approval(job);
    } else {
        haft__mcp_spec_job_reply(
            job,
            HAFT__LIT("this call needs a person's approval, and this client cannot ask for it; it "
                      "did not run\nhint: use a client with elicitation, or haft run, which asks "
                      "at the terminal"),
            true);
    }
    return false;
}

/* A call without a key gets a generated one. */
static haft_status choose_key(haft__mcp_spec_job *job, haft_error *err)
{
    haft_status status = haft__mcp_idempotency_read_key(job, err);
    if (status == HAFT_OK && job->key.len == 0) {
        job->key = haft__arena_format(&job->arena, HAFT__MCP_GENERATED_KEY_PREFIX "%s", job->id);
        status = job->key.ptr != NULL ? HAFT_OK : haft__arena_fail(&job->arena, err);
    }
    return status;
}

void haft__mcp_tool_begin(haft__mcp_spec_job *job)
{
    haft_error err = {0};
    if (!convert_arguments(job, &err) || !is_approved(job)) {
        return;
    }
    haft_status status = haft__runtime_make_id(job->spec_server->options.runtime, job->id, &err);
    status = status == HAFT_OK ? choose_key(job, &err) : status;
    status = status == HAFT_OK ? run(job, &err) : status;
    if (status != HAFT_OK) {
        fail(job, &err);
    }
}

void haft__mcp_tool_cancel(haft__mcp_spec_job *job)
{
    haft__mcp_spec_server *spec_server = job->spec_server;
    haft_str lane = lane_of(job);
    if (job->job != NULL) {
        haft__exec_cancel(job->job);
    }
    haft__mcp_spec_job_destroy(job);
    wake_lane(spec_server, lane);
}
