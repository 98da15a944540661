/* SPDX-License-Identifier: Apache-2.0 */
/* spec.c - the tools of a spec for MCP clients. Tests: tests/cli/mcp_test.py. */
#include "base/error.h"
#include "base/escape.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/secrets.h"
#include "mcp/server/tool_name.h"
#include "serve/mcp/spec_int.h"
#include "tool/builtin.h"
#include "tool/traits.h"
#include "json/object.h"
#include "json/read.h"

#define TASK_SCHEMA                                                                                \
    "{\"type\":\"object\",\"properties\":{\"task\":{\"type\":\"string\",\"minLength\":1,"          \
    "\"description\":\"What is to be done, in a sentence or more.\"}},\"required\":[\"task\"],"    \
    "\"additionalProperties\":false}"

/* ---- the tools ---- */

/* Whether the tool works without a run. */
static bool is_served(const haft__tool *tool)
{
    const haft__builtin *builtin = haft__builtin_of(tool);
    switch (tool->source) {
    case HAFT__TOOL_FUNCTION:
    case HAFT__TOOL_COMMAND:
    case HAFT__TOOL_HTTP: return true;
    case HAFT__TOOL_BUILTIN: return builtin != NULL && builtin->host == HAFT__BUILTIN_IN_EXEC;
    case HAFT__TOOL_MCP:
    case HAFT__TOOL_AGENT:
    case HAFT__TOOL_HANDOFF:
    case HAFT__TOOL_SKILL: /* its instructions are for a run with the tools of the spec */
    case HAFT__TOOL_HEADLESS:
    case HAFT__TOOL_PROVIDER: return false;
    }
    HAFT__UNREACHABLE();
}

static bool is_allowed(const haft__spec *spec, const haft__tool *tool)
{
    return tool->source != HAFT__TOOL_BUILTIN
           || haft__filter_passes(tool->name, spec->builtin_allow, spec->builtin_allow_count,
                                  spec->builtin_deny, spec->builtin_deny_count);
}

static haft_status add_entry(haft__mcp_spec_server *spec_server, haft__mcp_spec_tool entry,
                             haft_error *err)
{
    if (entry.name.ptr == NULL) {
        return haft__arena_fail(&spec_server->arena, err);
    }
    if (haft__map_get(&spec_server->by_name, entry.name) != NULL) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                        "the tool '%.*s' has the same name as the agent's tool",
                                        HAFT__ARG(entry.name));
        return haft__hint(err, status, "rename the tool or the spec");
    }
    spec_server->entries[spec_server->count] = entry;
    return haft__map_put(&spec_server->by_name, entry.name,
                         &spec_server->entries[spec_server->count++], err);
}

static haft_status add_tool(haft__mcp_spec_server *spec_server, const haft__tool *tool,
                            haft_error *err)
{
    haft__mcp_spec_tool entry = {.name = haft__mcp_tool_name(&spec_server->arena, tool->name),
                                 .tool = tool,
                                 .input = tool->input_schema};
    haft_status status = HAFT_OK;
    if (tool->output_schema.kind == HAFT__JSON_OBJECT) {
        haft__schema_options options = {.hash_key = spec_server->options.runtime->hash_key};
        status = haft__schema_compile(&spec_server->arena, tool->output_schema, &options,
                                      &entry.output, err);
        haft__error_prepend_location(err, "output_schema");
    }
    return status == HAFT_OK ? add_entry(spec_server, entry, err) : status;
}

static haft_status add_agent(haft__mcp_spec_server *spec_server, haft_error *err)
{
    const haft__spec *spec = spec_server->options.spec;
    haft_str name = spec->name.len > 0 ? spec->name : HAFT__LIT("agent");
    haft_str full = haft__arena_format(&spec_server->arena, "run_%.*s", HAFT__ARG(name));
    haft__mcp_spec_tool entry = {.name = {NULL, 0}};
    if (full.ptr != NULL) {
        entry.name = haft__mcp_tool_name(&spec_server->arena, full);
    }
    haft_status status =
        haft__json_read(&spec_server->arena, HAFT__LIT(TASK_SCHEMA), NULL, &entry.input, NULL, err);
    return status == HAFT_OK ? add_entry(spec_server, entry, err) : status;
}

static haft_status add_all(haft__mcp_spec_server *spec_server, haft_error *err)
{
    const haft__spec *spec = spec_server->options.spec;
    haft_status status = HAFT_OK;
    spec_server->entries = haft__arena_array(&spec_server->arena, spec->tools.count + 1,
                                             sizeof(*spec_server->entries));
    if (spec_server->entries == NULL) {
        return haft__arena_fail(&spec_server->arena, err);
    }
    for (size_t i = 0; i < spec->tools.count && status == HAFT_OK; i++) {
        const haft__tool *tool = spec->tools.items[i];
        if (is_served(tool) && is_allowed(spec, tool)) {
            status = add_tool(spec_server, tool, err);
        }
    }
    return status == HAFT_OK && spec_server->options.agent != NULL ? add_agent(spec_server, err)
                                                                   : status;
}

static haft_status collect_secrets(haft__mcp_spec_server *spec_server, haft_error *err)
{
    haft_runtime *runtime = spec_server->options.runtime;
    haft_status status = haft__secrets_collect(spec_server->options.spec, &runtime->env,
                                               &spec_server->arena, &spec_server->redactor, err);
    if (status == HAFT_OK) {
        status = haft__secrets_add(spec_server->redactor, runtime->variables,
                                   runtime->variable_count, err);
    }
    return status == HAFT_OK ? haft__redactor_seal(spec_server->redactor, err) : status;
}

/* A child that waits stays open as long as the client of its request can be asked. */
static bool keeps_child(void *context, haft_run *child)
{
    const haft__mcp_spec_server *spec_server = context;
    const haft__mcp_spec_job *job = spec_server->jobs;
    while (job != NULL && !haft__mcp_run_keeps_child(job, child)) {
        job = job->next;
    }
    return job != NULL;
}

haft_status haft__mcp_spec_create(const haft__mcp_spec_options *options,
                                  haft__mcp_spec_server **ret_spec_server, haft_error *err)
{
    haft__mcp_spec_server *spec_server = calloc(1, sizeof(*spec_server));
    if (spec_server == NULL) {
        return haft__fail_no_memory(err);
    }
    spec_server->options = *options;
    spec_server->user = HAFT__LIT("mcp");
    haft__arena_init(&spec_server->arena, 0);
    haft__map_init(&spec_server->by_name, &spec_server->arena, options->runtime->hash_key);
    spec_server->checker = haft__checker_create();
    haft_status status =
        spec_server->checker != NULL ? add_all(spec_server, err) : haft__fail_no_memory(err);
    if (status == HAFT_OK) {
        status = collect_secrets(spec_server, err);
    }
    if (status != HAFT_OK) {
        haft__mcp_spec_destroy(spec_server);
        return status;
    }
    if (!options->among_others) {
        options->runtime->children.answerer = (haft__child_answerer){keeps_child, spec_server};
    }
    *ret_spec_server = spec_server;
    return HAFT_OK;
}

void haft__mcp_spec_destroy(haft__mcp_spec_server *spec_server)
{
    if (spec_server == NULL) {
        return;
    }
    if (!spec_server->options.among_others) {
        spec_server->options.runtime->children.answerer = (haft__child_answerer){.answer = NULL};
    }
    for (haft__mcp_spec_job *job = spec_server->jobs, *next; job != NULL; job = next) {
        next = job->next;
        haft__mcp_spec_job_destroy(job);
    }
    haft__checker_destroy(spec_server->checker);
    haft__arena_finish(&spec_server->arena);
    free(spec_server);
}

void haft__mcp_spec_set_user(haft__mcp_spec_server *spec_server, haft_str user)
{
    spec_server->user = user;
}

/* ---- lists ---- */

static size_t count(void *context, haft__mcp_list list)
{
    const haft__mcp_spec_server *spec_server = context;
    return list == HAFT__MCP_LIST_TOOLS ? spec_server->count : 0;
}

/* Only for declared traits and for built-ins: defaults are not a statement about the tool. */
static void add_annotations(haft__json_writer *w, const haft__tool *tool)
{
    if (!tool->traits_given && tool->source != HAFT__TOOL_BUILTIN) {
        return;
    }
    haft__json_key(w, "annotations");
    haft__json_begin_object(w);
    haft__traits_write_mcp(w, &tool->traits);
    haft__field_flag(w, "openWorldHint", tool->source != HAFT__TOOL_BUILTIN);
    haft__json_end_object(w);
}

/* Up to 2025-11-25, a structured result must be an object. */
static bool is_object_schema(haft__json schema)
{
    const haft__json *type = haft__json_get(schema, HAFT__LIT("type"));
    return type != NULL && haft__str_equal(haft__json_text(*type), HAFT__LIT("object"));
}

static void add_output(haft__json_writer *w, const haft__mcp_spec_tool *entry, bool modern)
{
    if (entry->output != NULL && (modern || is_object_schema(entry->tool->output_schema))) {
        haft__field_value(w, "outputSchema", entry->tool->output_schema);
    }
}

static void write_entry(void *context, haft__mcp_list list, size_t index, bool modern,
                        haft__buf *buf)
{
    const haft__mcp_spec_server *spec_server = context;
    const haft__mcp_spec_tool *entry = &spec_server->entries[index];
    const haft__spec *spec = spec_server->options.spec;
    haft__json_writer w;
    (void)list;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "name", entry->name);
    haft__json_key(&w, "description");
    if (entry->tool == NULL) {
        haft__json_add_str(&w, spec->description.len > 0
                                   ? spec->description
                                   : HAFT__LIT("Runs the agent on a task and returns its answer."));
    } else {
        haft__json_add_str(&w, entry->tool->description);
    }
    haft__field_value(&w, "inputSchema", entry->input);
    if (entry->tool != NULL) {
        add_output(&w, entry, modern);
        add_annotations(&w, entry->tool);
    }
    haft__json_end_object(&w);
}

static const haft__json *schema(void *context, haft_str tool)
{
    const haft__mcp_spec_server *spec_server = context;
    const haft__mcp_spec_tool *entry = haft__map_get(&spec_server->by_name, tool);
    return entry != NULL ? &entry->input : NULL;
}

/* ---- requests ---- */

/* No arguments here can be completed; the request is still validated. */
static void complete(haft__mcp_request *request)
{
    const haft__json *ref = haft__json_get(request->params, HAFT__LIT("ref"));
    const haft__json *argument = haft__json_get(request->params, HAFT__LIT("argument"));
    if (ref == NULL || ref->kind != HAFT__JSON_OBJECT || argument == NULL
        || argument->kind != HAFT__JSON_OBJECT) {
        haft__mcp_request_fail(request, HAFT__RPC_PARAMS,
                               HAFT__LIT("expected objects in \"ref\" and \"argument\""),
                               HAFT__LIT(""));
        return;
    }
    haft__mcp_request_reply(
        request, HAFT__LIT("\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}"));
}

static void begin(void *context, haft__mcp_request *request)
{
    haft__mcp_spec_server *spec_server = context;
    if (request->verb != HAFT__MCP_METHOD_CALL) {
        complete(request);
        return;
    }
    const haft__mcp_spec_tool *entry = haft__map_get(&spec_server->by_name, request->name);
    haft__mcp_spec_job *job = haft__mcp_spec_job_create(spec_server, request, entry);
    if (job == NULL) {
        return;
    }
    if (entry->tool != NULL) {
        haft__mcp_tool_begin(job);
    } else {
        haft__mcp_run_begin(job);
    }
}

static void resume(void *context, haft__mcp_request *request)
{
    (void)context;
    haft__mcp_spec_job *job = request->user;
    if (job->entry->tool != NULL) {
        haft__mcp_tool_begin(job);
    } else {
        haft__mcp_run_resume(job);
    }
}

static void drop(void *context, haft__mcp_request *request)
{
    (void)context;
    haft__mcp_spec_job *job = request->user;
    if (job == NULL) {
        return;
    }
    if (job->entry->tool != NULL) {
        haft__mcp_tool_cancel(job);
    } else {
        haft__mcp_run_cancel(job);
    }
}

const haft__mcp_server_handlers haft__mcp_spec_handlers = {
    .completions = true,
    .logging = true,
    .count = count,
    .write = write_entry,
    .schema = schema,
    .begin = begin,
    .resume = resume,
    .drop = drop,
};

/* ---- jobs ---- */

haft__mcp_spec_job *haft__mcp_spec_job_create(haft__mcp_spec_server *spec_server,
                                              haft__mcp_request *request,
                                              const haft__mcp_spec_tool *entry)
{
    haft__mcp_spec_job *job = calloc(1, sizeof(*job));
    if (job == NULL) {
        haft__mcp_request_fail(request, HAFT__RPC_INTERNAL, HAFT__LIT("out of memory"),
                               HAFT__LIT(""));
        return NULL;
    }
    *job = (haft__mcp_spec_job){.spec_server = spec_server,
                                .request = request,
                                .entry = entry,
                                .next = spec_server->jobs,
                                .link = &spec_server->jobs};
    haft__arena_init(&job->arena, HAFT__LIMIT_RUN_BYTES);
    if (job->next != NULL) {
        job->next->link = &job->next;
    }
    spec_server->jobs = job;
    job->user = haft__arena_copy(&job->arena, spec_server->user);
    request->user = job;
    return job;
}

void haft__mcp_spec_job_destroy(haft__mcp_spec_job *job)
{
    *job->link = job->next;
    if (job->next != NULL) {
        job->next->link = job->link;
    }
    haft__mcp_idempotency_cancel(job);
    haft_run_release(job->run);
    haft__arena_finish(&job->arena);
    free(job);
}

bool haft__mcp_spec_redact(const haft__mcp_spec_server *spec_server, haft_str text, haft__buf *out)
{
    (void)haft__redact(spec_server->redactor, text, out);
    return haft__buf_check(out, NULL) == HAFT_OK;
}

void haft__mcp_spec_job_reply(haft__mcp_spec_job *job, haft_str text, bool is_error)
{
    haft__mcp_request *request = job->request;
    haft__buf clean;
    haft__buf_init(&clean, HAFT__LIMIT_JSON_BYTES);
    bool good = haft__mcp_spec_redact(job->spec_server, text, &clean);
    haft__mcp_spec_job_destroy(job);
    if (request != NULL) {
        haft__mcp_request_reply_text(
            request, good ? haft__buf_str(&clean) : HAFT__LIT("out of memory"), is_error || !good);
    }
    haft__buf_finish(&clean);
}

/* Resumes requests that wait for a run of another request. Restarts the search after each one,
 because a resumed job may free others. */
static void resume_blocked(haft__mcp_spec_server *spec_server)
{
    haft__mcp_spec_job *job = spec_server->jobs;
    while (job != NULL) {
        haft_error err = {0};
        bool waited = job->blocking_run[0] != '\0';
        haft_status status = waited ? haft__mcp_idempotency_resume(job, &err) : HAFT_OK;
        bool moved = waited && (status != HAFT_OK || job->blocking_run[0] == '\0');
        if (status != HAFT_OK) {
            haft__mcp_run_fail(job, &err);
        }
        job = moved ? spec_server->jobs : job->next;
    }
}

void haft__mcp_spec_update_runs(haft__mcp_spec_server *spec_server)
{
    for (haft__mcp_spec_job *job = spec_server->jobs, *next; job != NULL; job = next) {
        next = job->next;
        if (job->run != NULL) {
            haft__mcp_run_update(job);
        }
    }
    resume_blocked(spec_server);
}

void haft__mcp_spec_shutdown(haft__mcp_spec_server *spec_server)
{
    for (haft__mcp_spec_job *job = spec_server->jobs, *next; job != NULL; job = next) {
        next = job->next;
        if (job->run != NULL && job->request == NULL) {
            haft__mcp_run_cancel(job);
        }
    }
}

bool haft__mcp_spec_busy(const haft__mcp_spec_server *spec_server)
{
    const haft__mcp_spec_job *job = spec_server->jobs;
    while (job != NULL && job->run == NULL) {
        job = job->next;
    }
    return job != NULL;
}

/* ---- forms ---- */

bool haft__mcp_form_accepted(haft__json answers, haft_str key, const char *field,
                             haft__json *ret_value)
{
    const haft__json *answer = haft__json_get(answers, key);
    const haft__json *action = answer != NULL ? haft__json_get(*answer, HAFT__LIT("action")) : NULL;
    const haft__json *content =
        answer != NULL ? haft__json_get(*answer, HAFT__LIT("content")) : NULL;
    const haft__json *value = content != NULL ? haft__json_get(*content, haft__str(field)) : NULL;
    if (action == NULL || !haft__str_equal(haft__json_text(*action), HAFT__LIT("accept"))
        || value == NULL) {
        return false;
    }
    *ret_value = *value;
    return true;
}

void haft__mcp_form_write(haft__buf *params, haft_str message, haft_str properties,
                          const char *required)
{
    haft__buf shown;
    haft__buf_init(&shown, HAFT__LIMIT_JSON_BYTES);
    haft__escape_add_lines(&shown, message);
    haft__buf_add_str(params, HAFT__LIT("{\"mode\":\"form\",\"message\":"));
    haft__json_write_string(params, haft__buf_str(&shown));
    if (shown.status != HAFT_OK) {
        haft__buf_fail(params, shown.status, shown.why);
    }
    haft__buf_finish(&shown);
    haft__buf_add_str(params,
                      HAFT__LIT(",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"));
    haft__buf_add_str(params, properties);
    haft__buf_addf(params, "},\"required\":[\"%s\"]}}", required);
}
