/* SPDX-License-Identifier: Apache-2.0 */
/* node_call.c - makes calls of the run for the requests of nodes, and passes their results as
 * replies. Tests: tests/graph/run/graph_run_test.c. */
#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "graph/run/function.h"
#include "graph/run/graph_run_int.h"
#include "tool/builtin.h"
#include "tool/duration.h"
#include "json/object.h"
#include "json/read.h"
#include "json/write.h"

/* ---- names ---- */

static haft_str copy_of(haft__run *run, haft_str text, haft_error *err, haft_status *io_status)
{
    haft_str kept = haft__arena_copy(run->arena, text);
    if (*io_status == HAFT_OK && kept.ptr == NULL) {
        *io_status = haft__arena_fail(run->arena, err);
    }
    return kept;
}

/* Makes the id of a call: n3.1, or n3.1.2 for the second request of the same task. */
static haft_str make_id(haft__run *run, haft__graph_task *task)
{
    uintptr_t number = (uintptr_t)task->host + 1; /* number of requests of the task */
    uint32_t step = run->graph->x->step + 1;
    task->host = (void *)number; // NOLINT(performance-no-int-to-ptr): a number in a host's pointer
    return number == 1 ? haft__arena_format(run->arena, "n%u.%u", step, task->number)
                       : haft__arena_format(run->arena, "n%u.%u.%llu", step, task->number,
                                            (unsigned long long)number);
}

/* Makes the path of a node in the step: its name, and for a worker its number. */
static haft_str make_path(haft__run *run, size_t index)
{
    const haft__graph_execution *x = run->graph->x;
    const haft__graph_task *task = &x->tasks[index];
    haft_str name = x->graph->nodes[task->node].name;
    size_t before = 0;
    for (size_t i = 0; i < index; i++) {
        before += x->tasks[i].node == task->node && x->tasks[i].has_argument;
    }
    return task->has_argument ? haft__arena_format(run->arena, "%.*s[%zu]", HAFT__ARG(name), before)
                              : name;
}

/* ---- durations ---- */

/* Reads a valid duration of the spec; 0 if it is missing. */
static uint64_t read_ms(haft__json object, const char *key)
{
    const haft__json *value = haft__object_find(object, key);
    uint64_t ms = 0;
    return value != NULL && haft__duration_read(*value, &ms, NULL) == HAFT_OK ? ms : 0;
}

/* The jitter of a wait, up to a quarter of it. It is computed from the id of the call and the start
 * of the run, so that a replay, a recovery and a fork compute the same value. */
static uint64_t jitter_of(const haft__run *run, haft_str id, uint64_t wait)
{
    char text[64], digest[HAFT__SHA256_HEX];
    int length = snprintf(text, sizeof(text), "%llu %.*s", (unsigned long long)run->started_ms,
                          HAFT__ARG(id));
    uint64_t number = 0;
    haft__sha256_hex(
        (haft_str){text, (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1},
        digest);
    for (size_t i = 0; i < 8; i++) { /* 32 bits */
        char c = digest[i];
        number = number * 16 + (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return wait * number >> 34;
}

/* The earliest start of the call for a further attempt. */
static uint64_t attempt_at(const haft__run *run, const haft__graph_task *task, haft_str id)
{
    const haft__graph_run *graph = run->graph;
    haft__json retry = haft__object_object(graph->graph->nodes[task->node].source, "retry");
    uint64_t wait = read_ms(retry, "backoff"), max = read_ms(retry, "max_backoff");
    if (task->failures == 0 || wait == 0 || task->handling) {
        return 0;
    }
    max = max > 0 ? max : HAFT__LIMIT_GRAPH_BACKOFF_MS;
    for (uint32_t i = 1; i < task->failures && wait < max; i++) {
        wait *= 2;
    }
    wait = wait < max ? wait : max;
    return graph->now_ms + wait - jitter_of(run, id, wait);
}

static haft__json read_on_expire(haft__json ask)
{
    const haft__json *given = haft__object_find(ask, "on_expire");
    return given != NULL && given->kind == HAFT__JSON_OBJECT
               ? *given
               : haft__json_string(HAFT__LIT("reject")); /* the node fails */
}

/* ---- arguments ---- */

static bool replaces(haft__json channel)
{
    haft_str reducer = haft__object_string(channel, "reducer");
    haft_str lifetime = haft__object_string(channel, "lifetime");
    return (reducer.len == 0 || haft__str_equal(reducer, HAFT__LIT("replace")))
           && !haft__str_equal(lifetime, HAFT__LIT("step"));
}

/* Finds the source of the graph that a request names. */
static haft__json find_graph(const haft__spec *spec, haft_str name)
{
    const haft__json *own = haft__json_get(spec->graphs, name);
    for (size_t i = 0; own == NULL && i < spec->agent_count; i++) {
        if (haft__str_equal(spec->agents[i].name, name)) {
            return spec->agents[i].spec->graph;
        }
    }
    return own != NULL ? *own : haft__json_null();
}

/* Writes the input of an inner graph: channels that it has, and, without `in`, that it replaces and
 * that its input may set. */
static void write_input(haft__json_writer *w, haft__json source, const haft__graph_request *request)
{
    haft__json channels = haft__object_object(source, "channels"), given = request->value;
    const haft__json *accepted = haft__object_find_kind(source, "input", HAFT__JSON_ARRAY);
    haft__json_begin_object(w);
    for (uint32_t i = 0; given.kind == HAFT__JSON_OBJECT && i < given.count; i++) {
        haft_str name = haft__json_text(given.members[i].key);
        const haft__json *channel = haft__json_get(channels, name);
        bool usual = channel != NULL && replaces(*channel)
                     && (accepted == NULL || haft__array_has_text(*accepted, name));
        if (channel != NULL && (request->mapped || usual)) {
            haft__json_key_str(w, name);
            haft__json_add(w, given.members[i].value);
        }
    }
    haft__json_end_object(w);
}

/* Writes {task: the input as JSON}. */
static void write_graph_task(haft__json_writer *w, const haft__spec *spec,
                             const haft__graph_request *request)
{
    haft__buf input;
    haft__json_writer inner;
    haft__buf_init(&input, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    haft__json_writer_init(&inner, &input);
    write_input(&inner, find_graph(spec, request->name), request);
    if (input.status != HAFT_OK) {
        haft__buf_fail(w->buf, input.status, "the input of the graph is too long");
    }
    haft__json_begin_object(w);
    haft__field_text(w, "task", haft__buf_str(&input));
    haft__json_end_object(w);
    haft__buf_finish(&input);
}

static void write_question(haft__json_writer *w, haft__json ask)
{
    static const char *const keys[] = {"question", "choices", "default"};
    haft__json_begin_object(w);
    if (ask.kind == HAFT__JSON_STRING) {
        haft__json_key(w, "question");
        haft__json_add(w, ask);
    }
    for (size_t i = 0; i < COUNT(keys); i++) {
        const haft__json *value = haft__object_find(ask, keys[i]);
        if (value != NULL) {
            haft__json_key(w, keys[i]);
            haft__json_add(w, *value);
        }
    }
    haft__json_end_object(w);
}

static void write_arguments(haft__json_writer *w, const haft__run *run,
                            const haft__graph_request *request)
{
    switch (request->kind) {
    case HAFT__REQUEST_ASK: write_question(w, request->value); return;
    case HAFT__REQUEST_CALL: write_graph_task(w, run->spec, request); return;
    case HAFT__REQUEST_AGENT:
        haft__json_begin_object(w);
        haft__field_text(w, "task", haft__json_text(request->value));
        haft__json_end_object(w);
        return;
    case HAFT__REQUEST_TOOL: haft__json_add(w, request->value); return;
    default: haft__json_begin_object(w); haft__json_end_object(w);
    }
}

static haft_str make_arguments(haft__run *run, const haft__graph_request *request, haft_error *err,
                               haft_status *io_status)
{
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_GRAPH_TEXT_BYTES);
    haft__json_writer_init(&w, &text);
    write_arguments(&w, run, request);
    *io_status = *io_status == HAFT_OK ? haft__buf_check(&text, err) : *io_status;
    haft_str kept = copy_of(run, haft__buf_str(&text), err, io_status);
    haft__buf_finish(&text);
    return kept;
}

/* ---- calls ---- */

/* The tool whose call serves the request. */
static haft_str make_tool(haft__run *run, const haft__graph_task *task,
                          const haft__graph_request *request)
{
    const haft__graph_node *node = &run->graph->graph->nodes[task->node];
    bool own = node->kind != HAFT__NODE_DO && !task->handling; /* else the request of an
                                                                * operation */
    switch (request->kind) {
    case HAFT__REQUEST_ASK: return haft__str("request_user_input");
    case HAFT__REQUEST_PAUSE:
        return haft__arena_format(run->arena, HAFT__GRAPH_PAUSE_TOOL "%.*s", HAFT__ARG(node->name));
    case HAFT__REQUEST_AGENT:
    case HAFT__REQUEST_CALL:
        return own ? haft__arena_format(run->arena, HAFT__GRAPH_NODE_TOOL "%.*s",
                                        HAFT__ARG(node->name))
                   : haft__arena_format(run->arena, HAFT__GRAPH_CALL_TOOL "%.*s",
                                        HAFT__ARG(request->name));
    case HAFT__REQUEST_FUNCTION:
        return haft__arena_format(run->arena, HAFT__GRAPH_FUNCTION_TOOL "%.*s",
                                  HAFT__ARG(request->name));
    default: return haft__arena_copy(run->arena, request->name);
    }
}

haft_status haft__graph_add_call(haft__run *run, size_t index, const haft__graph_request *request,
                                 haft_error *err)
{
    haft__graph_run *graph = run->graph;
    haft__graph_task *task = &graph->x->tasks[index];
    haft__json source = graph->graph->nodes[task->node].source;
    haft__node_call *node = haft__arena_array(run->arena, 1, sizeof(*node));
    haft_str id = make_id(run, task), tool = make_tool(run, task, request);
    haft_status status = HAFT_OK;
    if (node == NULL || id.ptr == NULL || tool.ptr == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    bool asks = request->kind == HAFT__REQUEST_ASK;
    uint64_t timeout = task->handling ? 0 : read_ms(source, "timeout");
    uint64_t deadline = asks ? read_ms(request->value, "deadline") : 0;
    *node =
        (haft__node_call){.path = make_path(run, index),
                          .only_approval = request->kind == HAFT__REQUEST_PAUSE,
                          .reads_state = request->kind == HAFT__REQUEST_FUNCTION,
                          .not_before_ms = attempt_at(run, task, id),
                          .timeout_ms = timeout < UINT32_MAX ? (uint32_t)timeout : UINT32_MAX,
                          .deadline_ms = deadline > 0 ? deadline
                                         : asks       ? timeout
                                                      : 0,
                          .on_expire = asks ? read_on_expire(request->value) : haft__json_null()};
    haft_str raw = make_arguments(run, request, err, &status);
    if (status == HAFT_OK && request->kind == HAFT__REQUEST_TOOL) {
        status = haft__graph_set_call_cache(run, &graph->graph->nodes[task->node], node, err);
    }
    if (status == HAFT_OK && node->path.ptr == NULL) {
        status = haft__arena_fail(run->arena, err);
    }
    return status == HAFT_OK ? haft__run_add_node_call(run, id, tool, raw, node, err) : status;
}

haft_status haft__graph_add_pause_after(haft__run *run, haft_str name, haft_error *err)
{
    haft__node_call *node = haft__arena_array(run->arena, 1, sizeof(*node));
    haft_str id = haft__arena_format(run->arena, "n%u.after", run->graph->x->step);
    haft_str tool = haft__arena_format(run->arena, HAFT__GRAPH_PAUSE_TOOL "%.*s", HAFT__ARG(name));
    if (node == NULL || id.ptr == NULL || tool.ptr == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    *node = (haft__node_call){.path = name, .only_approval = true};
    return haft__run_add_node_call(run, id, tool, HAFT__LIT("{}"), node, err);
}

/* ---- results ---- */

/* The place of the task with that number; the number of tasks if it does not exist. Only after an
 * edit is it another place than that of the number. */
static size_t find_numbered(const haft__graph_execution *x, uint64_t number)
{
    size_t at = number > 0 && number <= x->task_count ? (size_t)number - 1 : 0;
    if (at < x->task_count && x->tasks[at].number == number) {
        return at;
    }
    for (at = 0; at < x->task_count && x->tasks[at].number != number; at++) {
    }
    return at;
}

bool haft__graph_find_request(const haft__graph_run *graph, haft_str id, size_t *ret_task)
{
    const haft__graph_execution *x = graph->x;
    uint64_t step = 0, task = 0, number = 1;
    haft_str first = haft__str_skip(haft__str_split(&id, '.'), 1);
    haft_str second = haft__str_split(&id, '.');
    if (!haft__str_to_u64(first, &step) || !haft__str_to_u64(second, &task)
        || (id.len > 0 && !haft__str_to_u64(id, &number)) || step != (uint64_t)x->step + 1) {
        return false;
    }
    *ret_task = find_numbered(x, task);
    return *ret_task < x->task_count && x->tasks[*ret_task].state == HAFT__TASK_BUSY
           && (uintptr_t)x->tasks[*ret_task].host == number;
}

haft_status haft__graph_make_input(haft__run *run, const haft__run_call *call, haft__arena *arena,
                                   haft__json *ret_input, haft_error *err)
{
    size_t task;
    if (call->node->reduces > 0) {
        return haft__graph_execution_reduction(run->graph->x, call->node->reduces - 1, arena,
                                               ret_input, err);
    }
    return haft__graph_find_request(run->graph, call->id, &task)
               ? haft__graph_execution_view(run->graph->x, task, arena, ret_input, err)
               : haft__fail(err, HAFT_BAD_STATE, "", "the call %.*s is not of the open step",
                            HAFT__ARG(call->id));
}

/* The content of the answer if it is one fenced block of Markdown, as models often write JSON; else
 * the answer. */
static haft_str without_fence(haft_str answer)
{
    haft_str mark = HAFT__LIT("```"), rest = haft__str_trim(answer);
    if (!haft__str_starts_with(rest, mark)) {
        return answer;
    }
    haft_str language = haft__str_trim(haft__str_skip(haft__str_split(&rest, '\n'), mark.len));
    bool json = language.len == 0 || haft__str_equal(language, HAFT__LIT("json"))
                || haft__str_equal(language, HAFT__LIT("JSON"));
    if (!json || !haft__str_ends_with(rest, mark)) {
        return answer;
    }
    rest.len -= mark.len;
    return rest; /* another fence in it is no JSON */
}

/* Reads the result of a call. A text that is a JSON object or list is parsed, for an agent also in
 * a fenced block; if the tool declares its output, any JSON is parsed. */
static haft_status read_result(const haft__run *run, const haft__run_call *call,
                               haft__arena *scratch, haft__json *ret_result, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json value;
    options.hash_key = run->hash_key;
    *ret_result = haft__json_string(call->result);
    haft_str text =
        call->tool->source == HAFT__TOOL_AGENT ? without_fence(call->result) : call->result;
    haft_status status = haft__json_read(scratch, text, &options, &value, NULL, NULL);
    bool taken = status == HAFT_OK
                 && (value.kind == HAFT__JSON_OBJECT || value.kind == HAFT__JSON_ARRAY
                     || call->tool->output != NULL);
    *ret_result = taken ? value : *ret_result;
    return status == HAFT_NO_MEMORY ? haft__arena_fail(scratch, err) : HAFT_OK;
}

/* Passes the failure of a child run that did not end as done. */
static haft_status pass_child_failure(haft__graph_run *graph, size_t task, const haft__child *child,
                                      haft__arena *scratch, haft_error *err)
{
    static const struct {
        const char *end;
        haft__graph_code code;
    } codes[] = {{"exhausted", HAFT__GRAPH_CHILD_EXHAUSTED},
                 {"incomplete", HAFT__GRAPH_CHILD_INCOMPLETE}};
    haft_str prefix = HAFT__LIT("node_failed: ");
    haft__graph_code code = HAFT__GRAPH_CHILD_FAILED;
    if (haft__str_starts_with(child->reason, prefix)) {
        return haft__graph_execution_reply_error(graph->x, task, HAFT__GRAPH_NODE_FAILED,
                                                 haft__str_skip(child->reason, prefix.len), err);
    }
    for (size_t i = 0; i < COUNT(codes); i++) {
        code = haft__str_equal(child->end, haft__str(codes[i].end)) ? codes[i].code : code;
    }
    haft_str message =
        haft__arena_format(scratch, "the inner graph ended as %.*s%s%.*s", HAFT__ARG(child->end),
                           child->reason.len > 0 ? ": " : "", HAFT__ARG(child->reason));
    return message.ptr != NULL
               ? haft__graph_execution_reply_error(graph->x, task, code, message, err)
               : haft__arena_fail(scratch, err);
}

static haft__graph_failure_kind failure_kind(const haft__run_call *call)
{
    haft__graph_failure_kind kind = HAFT__GRAPH_FAILURE_ERROR;
    while (kind < HAFT__GRAPH_FAILURE_KINDS
           && !haft__str_equal(call->failure, haft__str(haft__graph_failure_name(kind)))) {
        kind++;
    }
    return call->overdue                       ? HAFT__GRAPH_FAILURE_TIMEOUT
           : call->stage == HAFT__CALL_REFUSED ? HAFT__GRAPH_FAILURE_REFUSED
           : kind == HAFT__GRAPH_FAILURE_KINDS ? HAFT__GRAPH_FAILURE_ERROR
                                               : kind;
}

/* A rejection by a person, not by a deadline. */
static bool is_rejected(const haft__run_call *call)
{
    return haft__str_equal(call->verdict, HAFT__LIT("reject")) && !call->overdue
           && call->elicitation.kind != HAFT__JSON_OBJECT;
}

static haft_status pass_failure(haft__graph_run *graph, size_t task, const haft__run_call *call,
                                haft_error *err)
{
    haft_str text = call->stage == HAFT__CALL_REFUSED ? call->shown : call->result;
    haft_str prefix = HAFT__LIT("Error: ");
    haft__graph_failure failure = {
        .code = HAFT__GRAPH_NODE_FAILED,
        .message = haft__str_skip(text, haft__str_starts_with(text, prefix) ? prefix.len : 0),
        .kind = failure_kind(call),
        .final = is_rejected(call)};
    return haft__graph_execution_reply_failure(graph->x, task, failure, err);
}

static haft_status pass_result(haft__run *run, size_t task, const haft__run_call *call,
                               haft__arena *scratch, haft_error *err)
{
    haft__graph_run *graph = run->graph;
    haft__graph_request_kind kind = graph->x->tasks[task].request.kind;
    const haft__child *child = kind == HAFT__REQUEST_CALL ? call->child : NULL;
    haft__json result = haft__json_null();
    haft_status status = HAFT_OK;
    if (child != NULL && child->finished && !haft__str_equal(child->end, HAFT__LIT("done"))) {
        return pass_child_failure(graph, task, child, scratch, err);
    }
    if (call->stage == HAFT__CALL_REFUSED || !call->ok) {
        return pass_failure(graph, task, call, err);
    }
    if (kind == HAFT__REQUEST_ASK) {
        result = call->answers[HAFT__PAUSE_QUESTION].value;
    } else if (child != NULL) {
        result = child->result;
    } else if (kind != HAFT__REQUEST_PAUSE) {
        status = read_result(run, call, scratch, &result, err);
    }
    return status != HAFT_OK ? status
           : call->command   ? haft__graph_execution_reply_command(graph->x, task, result, err)
                             : haft__graph_execution_reply(graph->x, task, result, err);
}

haft_status haft__graph_take_result(haft__run *run, const haft__run_call *call, haft_error *err)
{
    haft__graph_run *graph = run->graph;
    haft__arena scratch;
    size_t task;
    if (!haft__graph_find_request(graph, call->id, &task)) { /* the pause after a step */
        if (call->stage == HAFT__CALL_REFUSED) {
            graph->x->end = HAFT__GRAPH_FAILED;
            graph->x->failure =
                (haft__graph_failure){.code = HAFT__GRAPH_NODE_FAILED, .message = call->shown};
            graph->x->failed_nodes = &call->node->path;
            graph->x->failed_node_count = 1;
        } else {
            haft__graph_execution_reopen(graph->x, 0);
        }
        return HAFT_OK;
    }
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft_status status = pass_result(run, task, call, &scratch, err);
    haft__arena_finish(&scratch);
    return status;
}
