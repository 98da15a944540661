/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.c - the state of a graph, and pictures. Tests: tests/serve/api_test.py. */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/ops/graph/graph_picture.h"
#include "engine/ops/graph/run_state.h"
#include "engine/ops/tree/run_picture.h"
#include "serve/runs/runs_int.h"

static void fail_input(haft__api_call *call, const haft_error *err)
{
    haft__api_problem(
        call, err->status == HAFT_BAD_INPUT ? 422 : haft__api_http_status(err->status), err);
}

/* ---- state ---- */

static void write_state(haft__api_call *call)
{
    const haft__loaded_run *run = haft__runs_loaded(call);
    haft_error err = {0};
    haft__buf body;
    haft__run_state_request request = {.spec = run->agent->spec,
                                       .name = "the run",
                                       .lines = run->lines,
                                       .hash_key = haft__runs_of(call)->runtime->hash_key,
                                       .diff = haft__api_query_flag(call, "diff")};
    if (!haft__api_query_number(call, "step", 0, UINT32_MAX, UINT64_MAX, &request.step)) {
        return;
    }
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    if (haft__run_state_write(&body, &request, &call->arena, &err) == HAFT_OK) {
        haft__api_reply_json(call, 200, &body);
    } else {
        fail_input(call, &err);
    }
    haft__buf_finish(&body);
}

void haft__runs_handle_run_state(haft__api_call *call)
{
    haft__runs_load_path(call, HAFT__LOAD_STATE, write_state);
}

/* ---- pictures ---- */

static haft_status write_graph(haft__api_call *call, const haft__loaded_run *run, haft__buf *body,
                               haft_error *err)
{
    const haft__spec *spec = run->agent->spec;
    haft__drawing drawing;
    if (spec->kind != HAFT__SPEC_GRAPH) {
        return haft__fail(err, HAFT_BAD_INPUT, "kind", "the run has no graph");
    }
    haft_status status = haft__graph_picture_create(&call->arena, spec, spec->graph, &drawing, err);
    if (status == HAFT_OK) {
        status = haft__drawing_layout(&call->arena, &drawing, &haft__drawing_pixels, err);
    }
    if (status == HAFT_OK) {
        haft__drawing_write_svg(&drawing, spec->name, body);
    }
    return status;
}

/* An SVG is sent so that a browser runs no script in it. */
static void send_svg(haft__api_call *call, const haft__buf *body)
{
    static const haft__http_server_field fields[] = {
        {{"Content-Security-Policy", 23}, {"default-src 'none'; style-src 'unsafe-inline'", 45}}};
    haft_error err = {0};
    haft__api_reply reply = {.status = 200,
                             .content_type = HAFT__LIT("image/svg+xml"),
                             .fields = fields,
                             .field_count = COUNT(fields)};
    if (haft__buf_check(body, &err) == HAFT_OK) {
        haft__api_reply_with(call, &reply, haft__buf_str(body));
    } else {
        haft__api_fail(call, &err);
    }
}

static void draw(haft__api_call *call)
{
    haft__runs *runs = haft__runs_of(call);
    const haft__loaded_run *run = haft__runs_loaded(call);
    haft_str kind = haft__api_query(call, "kind");
    haft_error err = {0};
    haft__buf body;
    bool is_graph = run->agent->spec->kind == HAFT__SPEC_GRAPH;
    kind = kind.ptr != NULL ? kind : is_graph ? HAFT__LIT("graph") : HAFT__LIT("waterfall");
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status;
    if (haft__str_equal(kind, HAFT__LIT("graph"))) {
        status = write_graph(call, run, &body, &err);
    } else if (haft__str_equal(kind, HAFT__LIT("waterfall"))) {
        status = haft__run_picture_write(&body, runs->runtime, &call->arena, run->lines,
                                         &run->state, runs->runtime->hash_key, &err);
    } else {
        status = haft__fail(&err, HAFT_BAD_INPUT, "kind", "expected graph or waterfall");
    }
    if (status == HAFT_OK) {
        send_svg(call, &body);
    } else {
        fail_input(call, &err);
    }
    haft__buf_finish(&body);
}

void haft__runs_handle_run_picture(haft__api_call *call)
{
    haft__runs_load_path(call, HAFT__LOAD_STATE, draw);
}
