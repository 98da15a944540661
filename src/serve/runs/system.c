/* SPDX-License-Identifier: Apache-2.0 */
/* system.c - agents in detail, their models, and the server. Tests: tests/serve/api_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/time.h"
#include "engine/ops/explain.h"
#include "engine/ops/run_list.h"
#include "engine/ops/tool_list.h"
#include "engine/spec_path.h"
#include "io/clock.h"
#include "io/file.h"
#include "serve/runs/runs_int.h"

/* ---- agents ---- */

/* The agent of the path; responds and returns NULL if it cannot be used. */
static const haft__served_agent *find_agent(haft__api_call *call)
{
    const haft__served_agent *one = NULL;
    haft_error err = {0};
    if (haft__served_agents_find(&haft__runs_of(call)->agents, call->params.values[0], &one, &err)
        == HAFT_OK) {
        return one;
    }
    haft__api_fail(call, &err);
    return NULL;
}

static void write_problems(haft__json_writer *w, const haft__spec_report *report)
{
    haft__json_begin_array(w);
    for (size_t i = 0; i < report->count; i++) {
        const haft__spec_problem *problem = &report->problems[i];
        haft__json_begin_object(w);
        haft__field_number(w, "line", problem->line);
        haft__field_number(w, "column", problem->column);
        haft__field_number(w, "length", problem->extent);
        haft__field_text(w, "where", problem->pointer);
        haft__field_text(w, "severity",
                         problem->warning ? HAFT__LIT("warning") : HAFT__LIT("error"));
        haft__field_text(w, "message", problem->message);
        haft__field_text(w, "hint", problem->hint);
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
}

static void reply_check(haft__api_call *call, const haft__spec *spec,
                        const haft__spec_report *report)
{
    haft__buf body;
    haft__json_writer w;
    haft__buf_init(&body, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &body);
    haft__json_begin_object(&w);
    haft__field_flag(&w, "valid", spec != NULL);
    haft__json_key(&w, "problems");
    write_problems(&w, report);
    haft__json_end_object(&w);
    haft__api_reply_json(call, 200, &body);
    haft__buf_finish(&body);
}

static void check_file(haft__api_call *call, const haft__served_agent *one)
{
    haft_str text = {NULL, 0}, path = haft__file_absolute(&call->arena, one->path);
    const haft__spec *spec = NULL;
    haft__spec_report report = {.count = 0};
    haft_error err = {0};
    haft_status status =
        path.ptr != NULL
            ? haft__file_read_arena(&call->arena, one->path, HAFT__LIMIT_SPEC_BYTES, &text, &err)
            : haft__arena_fail(&call->arena, &err);
    if (status == HAFT_OK) {
        haft__spec_options options = haft__agent_spec_options(haft__runs_of(call)->runtime, path);
        options.find_program = haft__spec_path_find_program;
        options.has_directory = haft__spec_path_has_directory;
        status = haft__spec_load(&call->arena, text, &options, &spec, &report, &err);
    }
    if (status == HAFT_OK) {
        reply_check(call, spec, &report);
    } else {
        haft__api_fail(call, &err);
    }
}

/* Also of an agent whose spec cannot be used. */
void haft__runs_handle_agent_check(haft__api_call *call)
{
    haft__runs *runs = haft__runs_of(call);
    haft__served_agents_refresh(&runs->agents);
    for (const haft__served_agent *one = runs->agents.first; one != NULL; one = one->next) {
        if (haft__str_equal(one->name, call->params.values[0])) {
            check_file(call, one);
            return;
        }
    }
    haft__api_reject(call, 404, HAFT_NOT_FOUND, "no agent with this name is served here");
}

void haft__runs_handle_agent_tools(haft__api_call *call)
{
    const haft__served_agent *one = find_agent(call);
    haft__mcp_refresh_result refreshed = {.count = 0};
    haft__tool_list list;
    haft_error err = {0};
    haft__buf body;
    haft__json_writer w;
    if (one == NULL) {
        return;
    }
    haft__buf_init(&body, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &body);
    haft_status status =
        haft__tool_list_read(&call->arena, one->agent->spec, &refreshed, &list, &err);
    if (status == HAFT_OK) {
        status = haft__tool_list_write(&w, &call->arena, &list, &err);
    }
    if (status == HAFT_OK) {
        haft__api_reply_json(call, 200, &body);
    } else {
        haft__api_fail(call, &err);
    }
    haft__buf_finish(&body);
}

void haft__runs_handle_agent_explain(haft__api_call *call)
{
    const haft__served_agent *one = find_agent(call);
    haft__refusals none = {.count = 0};
    haft__explanation explanation;
    haft_error err = {0};
    haft__buf body;
    if (one == NULL) {
        return;
    }
    if (one->agent->spec->kind == HAFT__SPEC_GRAPH) {
        haft__api_reject(call, 422, HAFT_BAD_INPUT, "a graph calls no model itself; its agents do");
        return;
    }
    haft__buf_init(&body, HAFT__LIMIT_JSON_BYTES);
    haft_status status = haft__explain(
        &call->arena, one->agent->spec, haft__object_string(call->body, "task"), &none,
        haft__clock_now(), haft__runs_of(call)->runtime->hash_key, &explanation, &err);
    if (status == HAFT_OK) {
        haft__explain_write(&call->arena, &body, &explanation);
        haft__api_reply_json(call, 200, &body);
    } else {
        haft__api_fail(call, &err);
    }
    haft__explain_finish(&explanation);
    haft__buf_finish(&body);
}

/* ---- models ---- */

static bool same_model(const haft__served_agent *a, const haft__served_agent *b)
{
    return a->agent != NULL && b->agent != NULL
           && haft__str_equal(a->agent->spec->model.provider, b->agent->spec->model.provider)
           && haft__str_equal(a->agent->spec->model.model, b->agent->spec->model.model);
}

static void write_model(haft__json_writer *w, const haft__served_agent *first)
{
    const haft__model_spec *model = &first->agent->spec->model;
    haft__json_begin_object(w);
    haft__field_text(w, "provider", model->provider);
    haft__field_text(w, "model", model->model);
    haft__json_key(w, "agents");
    haft__json_begin_array(w);
    for (const haft__served_agent *one = first; one != NULL; one = one->next) {
        if (same_model(one, first)) {
            haft__json_add_str(w, one->name);
        }
    }
    haft__json_end_array(w);
    haft__json_end_object(w);
}

void haft__runs_handle_models(haft__api_call *call)
{
    haft__runs *runs = haft__runs_of(call);
    haft__buf body;
    haft__json_writer w;
    haft__buf_init(&body, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &body);
    haft__json_begin_object(&w);
    haft__json_key(&w, "models");
    haft__json_begin_array(&w);
    haft__served_agents_refresh(&runs->agents);
    for (const haft__served_agent *one = runs->agents.first; one != NULL; one = one->next) {
        const haft__served_agent *first = runs->agents.first;
        while (first != one && !same_model(first, one)) {
            first = first->next;
        }
        if (first == one && one->agent != NULL) {
            write_model(&w, one);
        }
    }
    haft__json_end_array(&w);
    haft__json_end_object(&w);
    haft__api_reply_json(call, 200, &body);
    haft__buf_finish(&body);
}

/* ---- the server ---- */

static void write_counts(haft__json_writer *w, const haft__store_request *list)
{
    static const char *const states[] = {"queued", "running", "waiting"};
    uint64_t oldest_ms = 0;
    haft__json_key(w, "runs");
    haft__json_begin_object(w);
    for (size_t k = 0; k < 3; k++) {
        uint64_t count = 0;
        for (size_t i = 0; i < list->found_count; i++) {
            count += haft__str_equal(haft__run_list_state(&list->found[i]), haft__str(states[k]));
        }
        haft__field_number(w, states[k], count);
    }
    haft__json_end_object(w);
    for (size_t i = 0; i < list->found_count; i++) {
        const haft__store_run *row = &list->found[i];
        bool waits = row->state == HAFT__RUN_STATE_WAITING && !row->damaged;
        bool older = oldest_ms == 0 || row->updated_ms < oldest_ms;
        oldest_ms = waits && older ? row->updated_ms : oldest_ms;
    }
    char at[HAFT__TIME_SIZE];
    haft__time_format(oldest_ms, at);
    haft__field_string(w, "oldest_waiting", oldest_ms > 0 ? at : NULL);
}

static void write_system(haft__api_call *call)
{
    haft__runs *runs = haft__runs_of(call);
    haft__buf body;
    haft__json_writer w;
    if (call->store.status != HAFT_OK) {
        haft__api_fail(call, &call->store.error);
        return;
    }
    const char *url = runs->options.store;
    haft_str shown =
        url != NULL ? haft__store_display_url(url, &call->arena) : HAFT__LIT("default");
    haft__buf_init(&body, HAFT__LIMIT_JSON_BYTES);
    haft__json_writer_init(&w, &body);
    haft__json_begin_object(&w);
    haft__field_string(&w, "version", HAFT_VERSION);
    haft__field_text(&w, "store", shown);
    haft__field_number(&w, "uptime_ms", haft__clock_monotonic() - runs->started_ms);
    haft__field_number(&w, "streams", haft__runs_stream_count(runs));
    haft__json_key(&w, "work");
    if (runs->worker != NULL) {
        haft__json_begin_object(&w);
        haft__field_number(&w, "runs", haft__worker_run_count(runs->worker));
        haft__json_end_object(&w);
    } else {
        haft__json_add_null(&w);
    }
    write_counts(&w, &call->store);
    haft__json_end_object(&w);
    haft__api_reply_json(call, 200, &body);
    haft__buf_finish(&body);
}

void haft__runs_handle_system(haft__api_call *call)
{
    call->store = (haft__store_request){.verb = HAFT__STORE_LIST,
                                        .thread = HAFT__LIT(""),
                                        .name = HAFT__LIT(""),
                                        .open_only = true};
    haft__api_submit(call, write_system);
}
