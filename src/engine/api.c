/* SPDX-License-Identifier: Apache-2.0 */
/* api.c - the public functions of tools and runs. Tests: tests/engine/api_test.c. */
#include "base/error.h"
#include "base/limits.h"
#include "base/options.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "engine/agent.h"
#include "engine/ops/client_tools.h"
#include "engine/ops/run_tree.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "graph/run/graph_run.h"
#include "io/clock.h"
#include "io/random.h"
#include "prompt/initial_messages.h"
#include "run/result.h"
#include "run/trace.h"
#include "tool/declare.h"
#include "json/read.h"

/* ---- tools ---- */

/* The name must be valid and unused. */
static haft_status check_name(const haft_runtime *runtime, haft_str name, haft_error *err)
{
    haft_status status = haft__tool_name_check(name, err);
    for (size_t i = 0; i < runtime->function_count && status == HAFT_OK; i++) {
        if (haft__str_equal(runtime->functions[i]->name, name)) {
            status = haft__fail(
                err, HAFT_BAD_INPUT, "/name",
                "a tool '%.*s' already exists: it was added twice, or two tools have the same name",
                HAFT__ARG(name));
        }
    }
    return status;
}

haft_status haft_tool_add(haft_runtime *runtime, const haft_tool *tool, haft_error *err)
{
    if (runtime == NULL || tool == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a runtime and a tool, found NULL");
    }
    const haft__tool **all = haft__vec_reserve_in(
        &runtime->arena, runtime->functions, runtime->function_count, &runtime->function_capacity,
        runtime->function_count + 1, sizeof(*runtime->functions));
    if (all == NULL) {
        return haft__arena_fail(&runtime->arena, err);
    }
    runtime->functions = all;
    haft__tool *declared = haft__arena_alloc(&runtime->arena, sizeof(*declared));
    if (declared == NULL) {
        return haft__arena_fail(&runtime->arena, err);
    }
    haft_status status = haft__declare_tool(&runtime->arena, tool, declared, err);
    if (status == HAFT_OK) {
        status = check_name(runtime, declared->name, err);
    }
    if (status == HAFT_OK) {
        runtime->functions[runtime->function_count++] = declared;
    }
    return status;
}

haft_call *haft_runtime_next_call(haft_runtime *runtime)
{
    return runtime != NULL ? haft__exec_next_call(runtime->exec) : NULL;
}

/* ---- start ---- */

haft_status haft__runtime_make_id(haft_runtime *runtime, char id[HAFT__ID_LENGTH + 1],
                                  haft_error *err)
{
    uint8_t random[10];
    if (!haft__random_bytes(random, sizeof(random))) {
        return haft__fail(err, HAFT_IO, "", "the system has no random bytes");
    }
    haft__id_last first = {0}, *last = runtime != NULL ? &runtime->last_id : &first;
    haft__id_next(last, runtime != NULL ? haft__runtime_now(runtime) : haft__clock_now(), random,
                  id);
    return HAFT_OK;
}

static void begin_run(haft_run *run)
{
    haft_str none = {NULL, 0};
    haft__buf *body = &run->runtime->body;
    haft_error err = {0};
    haft__spec_origin origin = run->agent->origin;
    origin.variables = run->agent->variables.names;
    origin.variable_count = run->agent->variables.count;
    origin.messages = run->start.messages.kind == HAFT__JSON_ARRAY ? &run->start.messages : NULL;
    origin.traceparent = run->start.traceparent;
    haft__buf_clear(body);
    haft__input_run_started_from(body, run->agent->spec, run->start.task, run->start.thread, none,
                                 run->user, &origin);
    haft_status status = haft__buf_check(body, &err);
    if (status != HAFT_OK) {
        haft__run_fail(run, &err);
        return;
    }
    run->stage = HAFT__HANDLE_ACTIVE;
    haft__runtime_watch_run(run->runtime);
    haft__run_record_input(run, haft__buf_str(body));
    if (run->start.cancelled) {
        (void)!haft_run_cancel(run, NULL);
    }
}

/* The name of the user gets into the log, into lines for people and into the environment of tools.
 */
static haft_status check_user(haft_str user, haft_error *err)
{
    if (user.len > HAFT__LIMIT_RUN_USER_BYTES) {
        return haft__fail(err, HAFT_TOO_BIG, "user",
                          "expected a name of at most %d bytes, found %zu",
                          HAFT__LIMIT_RUN_USER_BYTES, user.len);
    }
    bool good = haft__utf8_valid(user);
    for (size_t i = 0; i < user.len && good; i++) {
        unsigned char c = (unsigned char)user.ptr[i];
        good = c >= 0x20 && c != 0x7F;
    }
    return good ? HAFT_OK
                : haft__fail(err, HAFT_BAD_INPUT, "user",
                             "expected a name in UTF-8 without control characters");
}

/* Copies the texts of the caller. */
static haft_status copy_texts(haft_run *run, const char *task, const haft_run_options *options,
                              haft_error *err)
{
    char own[HAFT__ID_LENGTH + 1];
    bool given = options->thread != NULL;
    haft_status status = given ? HAFT_OK : haft__runtime_make_id(run->runtime, own, err);
    if (given && !haft__id_valid(haft__str(options->thread))) {
        status = haft__fail(err, HAFT_BAD_INPUT, "",
                            "expected an id of %d lower-case letters and digits, found \"%.64s\"",
                            HAFT__ID_LENGTH, options->thread);
    }
    if (status == HAFT_OK && options->user != NULL) {
        status = check_user(haft__str(options->user), err);
    }
    if (status == HAFT_OK) {
        status = haft__runtime_make_id(run->runtime, run->id, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    run->start.task = haft__arena_copy(&run->arena, haft__str(task));
    run->start.thread = haft__arena_copy(&run->arena, haft__str(given ? options->thread : own));
    haft__trace_context caller;
    char traceparent[HAFT__TRACE_PARENT_LENGTH + 1] = "";
    if (options->traceparent != NULL
        && haft__trace_parse(haft__str(options->traceparent), &caller)) {
        haft__trace_write(&caller, traceparent);
    }
    run->start.traceparent = haft__arena_copy(&run->arena, haft__str(traceparent));
    run->user =
        haft__arena_copy(&run->arena, haft__str(options->user != NULL ? options->user : ""));
    bool kept = run->start.task.ptr != NULL && run->start.thread.ptr != NULL
                && run->user.ptr != NULL && run->start.traceparent.ptr != NULL;
    return kept ? HAFT_OK : haft__arena_fail(&run->arena, err);
}

/* Reads JSON of the caller into `arena`, without pointers into `text`. */
static haft_status read_json(haft_runtime *runtime, haft__arena *arena, const char *text,
                             const char *where, haft__json *ret_value, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft_error why = {0};
    options.hash_key = runtime->hash_key;
    haft_str own = haft__arena_copy(arena, haft__str(text));
    if (own.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = haft__json_read(arena, own, &options, ret_value, NULL, &why);
    return status == HAFT_OK ? HAFT_OK
                             : haft__fail(err, status, where, "%s: %s", why.where, why.message);
}

/* Reads the conversation that the run begins with. */
static haft_status read_messages(haft_run *run, const char *text, haft_error *err)
{
    haft__json messages = haft__json_null();
    haft_error why = {0};
    if (run->agent->spec->kind == HAFT__SPEC_GRAPH) {
        return haft__fail(err, HAFT_BAD_INPUT, "messages",
                          "a graph has no conversation to begin with; pass the task alone");
    }
    haft_status status = read_json(run->runtime, &run->arena, text, "messages", &messages, err);
    if (status == HAFT_OK && run->start.task.len > 0 && messages.kind == HAFT__JSON_ARRAY) {
        status = haft__initial_messages_append(&run->arena, run->start.task, &messages, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__initial_messages_check(messages, &why);
    if (status != HAFT_OK) {
        char where[sizeof(err->where)];
        (void)snprintf(where, sizeof(where), "messages%.80s", why.where);
        return haft__fail(err, status, where, "%s", why.message);
    }
    run->start.messages = messages;
    run->start.task = haft__initial_messages_task(messages);
    return HAFT_OK;
}

/* The agent of the run, owned by the caller: `agent`, or one that also has the client's tools. */
static haft_status find_agent(haft_agent *agent, const char *tools, haft_agent **ret_agent,
                              haft_error *err)
{
    if (tools == NULL) {
        haft__agent_retain(agent);
        *ret_agent = agent;
        return HAFT_OK;
    }
    haft__arena scratch;
    haft__arena_init(&scratch, 0);
    haft__json list = haft__json_null();
    haft_status status = read_json(agent->runtime, &scratch, tools, "tools", &list, err);
    if (status == HAFT_OK) {
        status = haft__agent_add_client_tools(agent, list, ret_agent, err);
    }
    haft__arena_finish(&scratch);
    return status;
}

static void on_begin(haft__task *task)
{
    haft_run *run = HAFT__CONTAINER(task, haft_run, start.posted);
    run->query.pending = false;
    if (run->released) {
        haft__run_destroy(run);
    } else {
        begin_run(run);
    }
}

haft_status haft_run_start(haft_agent *agent, const char *task, const haft_run_options *options,
                           haft_run **ret_run, haft_error *err)
{
    haft_run_options own = HAFT_RUN_OPTIONS_INIT;
    haft_run *run = NULL;
    haft_status status = HAFT_OK;
    if (agent == NULL || task == NULL || ret_run == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected an agent and a task, found NULL");
    }
    if (options != NULL) {
        status = haft__options_copy(&own, sizeof(own), sizeof(own.struct_size), options,
                                    "HAFT_RUN_OPTIONS_INIT", err);
    }
    if (status == HAFT_OK && agent->spec->graph_rules != NULL) {
        status =
            haft__graph_check_task(agent->spec, haft__str(task), agent->runtime->hash_key, err);
    }
    if (status == HAFT_OK) {
        status = haft__run_create(agent->runtime, &run, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    run->suspended = own.enqueue;
    if (own.thread != NULL) {
        haft__queue_set_unknown(&run->queue);
    }
    haft_agent *used = NULL;
    status = copy_texts(run, task, &own, err);
    if (status == HAFT_OK) {
        status = find_agent(agent, own.tools, &used, err);
    }
    if (status == HAFT_OK) {
        status = haft__run_attach_agent(run, used, err);
        haft_agent_release(used); /* the run has its own reference */
    }
    if (status == HAFT_OK && own.messages != NULL) {
        status = read_messages(run, own.messages, err);
    }
    if (status != HAFT_OK) {
        haft__run_destroy(run);
        return status;
    }
    run->start.posted.run = on_begin; /* runs on the loop, like all callbacks */
    run->query.pending = true;
    haft__loop_post(agent->runtime->loop, &run->start.posted);
    *ret_run = run;
    return HAFT_OK;
}

haft_status haft_run_open(haft_runtime *runtime, const char *run_id, haft_run **ret_run,
                          haft_error *err)
{
    haft_run *run = NULL;
    if (runtime == NULL || run_id == NULL || ret_run == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a runtime and an id, found NULL");
    }
    haft_status status = haft__run_open_by_name(runtime, haft__str(run_id), false, &run, err);
    while (status == HAFT_OK && run->stage == HAFT__HANDLE_OPENING) {
        status = haft__loop_step(runtime->loop, -1, err);
    }
    if (status == HAFT_OK && run->stage == HAFT__HANDLE_FAILED) {
        status = run->error.status;
        if (err != NULL) {
            *err = run->error;
        }
    }
    if (status != HAFT_OK) {
        haft_run_release(run);
        return status;
    }
    *ret_run = run;
    return HAFT_OK;
}

/* ---- inspection ---- */

bool haft_run_next_event(haft_run *run, haft_event *ret_event)
{
    if (run == NULL || ret_event == NULL) {
        return false;
    }
    haft_str line;
    if (!haft__log_read_line(run, &line)) {
        return false;
    }
    haft_str number = line;
    *ret_event = (haft_event){.json = line};
    if (haft__str_starts_with(line, HAFT__LIT("{\"seq\":"))) {
        number = haft__str_skip(number, 7);
        (void)haft__str_to_u64(haft__str_split(&number, ','), &ret_event->seq);
    }
    return true;
}

static haft_state read_only_state(const haft_run *run)
{
    if (run->state.stage == HAFT__RUN_ENDED) {
        return HAFT_ENDED;
    }
    return run->opening.row.state == HAFT__RUN_STATE_WAITING ? HAFT_WAITING : HAFT_RUNNING;
}

haft_state haft_run_state(const haft_run *run)
{
    if (run == NULL) {
        return HAFT_STOPPED;
    }
    switch (run->stage) {
    case HAFT__HANDLE_OPENING: return HAFT_RUNNING;
    case HAFT__HANDLE_READ_ONLY: return read_only_state(run);
    case HAFT__HANDLE_FAILED: return HAFT_STOPPED;
    case HAFT__HANDLE_ACTIVE:
        if (!haft__run_is_settled(run) || !haft__child_pool_is_settled(run)) {
            return HAFT_RUNNING;
        }
        return run->effect == HAFT__EFFECT_END ? HAFT_ENDED : HAFT_WAITING;
    }
    HAFT__UNREACHABLE();
}

const char *haft_run_id(const haft_run *run)
{
    return run != NULL ? run->id : "";
}

const char *haft_run_end(const haft_run *run)
{
    return haft_run_state(run) == HAFT_ENDED ? haft__end_name(run->state.end) : "waiting";
}

haft_str haft_run_answer_text(const haft_run *run)
{
    return haft_run_state(run) == HAFT_ENDED ? run->state.answer : HAFT__LIT("");
}

/* The states of the runs of a tree, in `arena`; NULL if out of memory. */
static const haft__run **states_of(haft__arena *arena, const haft__run_tree *tree)
{
    const haft__run **states = haft__arena_array(arena, tree->count + 1, sizeof(*states));
    for (size_t i = 0; states != NULL && i < tree->count; i++) {
        states[i] = &tree->runs[i]->state;
    }
    return states;
}

static haft_status write_result(const haft_run *run, const haft__run_tree *tree, char **ret_json,
                                haft_error *err)
{
    haft__arena arena;
    haft__buf text;
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    const haft__run **below = states_of(&arena, tree);
    haft_status status = below != NULL ? HAFT_OK : haft__arena_fail(&arena, err);
    if (status == HAFT_OK) {
        const haft_error *why = run->error.status != HAFT_OK ? &run->error : NULL;
        haft__result_write_tree(&text, &run->state, below, tree->count, why);
        status = haft__buf_check(&text, err);
    }
    if (status == HAFT_OK) {
        char *copy = haft__str_duplicate(haft__buf_str(&text));
        status = copy != NULL ? HAFT_OK : haft__fail_no_memory(err);
        *ret_json = copy != NULL ? copy : *ret_json;
    }
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
    return status;
}

haft_status haft_run_result(haft_run *run, char **ret_json, haft_error *err)
{
    if (run == NULL || ret_json == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a run, found NULL");
    }
    haft__run_tree tree = {.runs = NULL};
    bool open = run->state.stage != HAFT__RUN_ENDED && run->state.open_children > 0;
    haft_status status =
        open ? haft__run_tree_read(run->runtime, &run->state, true, &tree, err) : HAFT_OK;
    if (status == HAFT_OK) {
        status = write_result(run, &tree, ret_json, err);
    }
    haft__run_tree_finish(&tree);
    return status;
}

const haft_error *haft_run_error(const haft_run *run)
{
    static const haft_error nothing = {
        .status = HAFT_BAD_INPUT, .message = "expected a run, found NULL", .hint = ""};
    return run != NULL ? &run->error : &nothing;
}

/* ---- release ---- */

void haft__run_dispose(haft_run *run)
{
    if (haft__log_is_busy(&run->log) || run->query.pending) {
        return; /* the callback of the pending request calls this function again */
    }
    if (!haft__lease_release(run)) { /* else the callback of the release destroys the run */
        haft__run_destroy(run);
    }
}

void haft_run_release(haft_run *run)
{
    if (run == NULL) {
        return;
    }
    run->released = true;
    haft__child_pool_release(run);
    haft__log_stop_retry(run);
    if (run->agent != NULL) {
        haft__run_stop_operations(run);
    }
    haft__run_dispose(run);
}
