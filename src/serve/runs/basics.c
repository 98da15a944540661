/* SPDX-License-Identifier: Apache-2.0 */
/* basics.c - one run, its artifacts, and the state of the server. Tests: tests/serve/api_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/ops/store_access.h"
#include "serve/api/openapi.h"
#include "serve/runs/runs_int.h"

/* ---- one run ---- */

static void on_state(haft__api_call *call)
{
    haft__runs_reply(call, 200, NULL);
}

void haft__runs_handle_run_get(haft__api_call *call)
{
    haft__runs_load_path(call, HAFT__LOAD_STATE, on_state);
}

static void on_removed(haft__api_call *call)
{
    if (call->store.status == HAFT_OK) {
        haft__api_reply_empty(call);
    } else {
        haft__api_fail(call, &call->store.error);
    }
}

/* A run that somebody works on is not removed. */
static void remove_run(haft__api_call *call)
{
    const haft__store_run *row = &haft__runs_loaded(call)->row;
    if (row->state == HAFT__RUN_STATE_RUNNING) {
        haft_error err = {0};
        haft_status status = haft__fail(&err, HAFT_BAD_STATE, "", "the run has not ended");
        (void)haft__hint(&err, status, "cancel it first");
        haft__api_fail(call, &err);
        return;
    }
    call->store = (haft__store_request){.verb = HAFT__STORE_REMOVE, .run.id = row->id};
    haft__api_submit(call, on_removed);
}

void haft__runs_handle_run_delete(haft__api_call *call)
{
    haft__runs_load_path(call, HAFT__LOAD_ROW, remove_run);
}

/* ---- artifacts ---- */

static void write_artifacts(haft__api_call *call)
{
    const haft__run *state = &haft__runs_loaded(call)->state;
    haft__buf body;
    haft__json_writer w;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &body);
    haft__json_begin_object(&w);
    haft__json_key(&w, "artifacts");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < state->artifact_count; i++) {
        const haft__artifact *artifact = state->artifacts[i];
        haft__json_begin_object(&w);
        haft__field_text(&w, "name", artifact->name);
        haft__field_text(&w, "media_type", artifact->media_type);
        haft__field_number(&w, "bytes", artifact->bytes);
        haft__field_text(&w, "sha256", artifact->sha256);
        haft__json_end_object(&w);
    }
    haft__json_end_array(&w);
    haft__json_end_object(&w);
    haft__api_reply_json(call, 200, &body);
    haft__buf_finish(&body);
}

void haft__runs_handle_run_artifacts(haft__api_call *call)
{
    haft__runs_load_path(call, HAFT__LOAD_STATE, write_artifacts);
}

/* The content is data of a model: a browser must not run it as a page of this server. */
static void send_artifact(haft__api_call *call)
{
    const haft__store_artifact *artifact = &call->store.artifact;
    static const haft__http_server_field fields[] = {
        {{"Content-Disposition", 19}, {"attachment", 10}},
        {{"Content-Security-Policy", 23}, {"default-src 'none'; sandbox", 27}},
    };
    haft__api_reply reply = {.status = 200, .fields = fields, .field_count = COUNT(fields)};
    if (call->store.status != HAFT_OK) {
        haft__api_fail(call, &call->store.error);
        return;
    }
    reply.content_type =
        artifact->media_type.len > 0 ? artifact->media_type : HAFT__LIT("application/octet-stream");
    haft__api_reply_with(call, &reply, artifact->content);
}

static void read_artifact(haft__api_call *call)
{
    call->store = (haft__store_request){.verb = HAFT__STORE_READ_ARTIFACT,
                                        .run.id = haft__runs_loaded(call)->row.id,
                                        .name = call->params.values[1]};
    haft__api_submit(call, send_artifact);
}

void haft__runs_handle_run_artifact(haft__api_call *call)
{
    haft__runs_load_path(call, HAFT__LOAD_ROW, read_artifact);
}

/* ---- the server ---- */

static void reply_text(haft__api_call *call, uint32_t status, const char *json)
{
    haft__api_reply reply = {.status = status, .content_type = HAFT__LIT("application/json")};
    haft__api_reply_with(call, &reply, haft__str(json));
}

void haft__runs_handle_ok(haft__api_call *call)
{
    reply_text(call, 200, "{\"ok\":true}");
}

static void on_store_read(haft__api_call *call)
{
    bool ready = call->store.status == HAFT_OK;
    reply_text(call, ready ? 200 : 503, ready ? "{\"ready\":true}" : "{\"ready\":false}");
}

/* Ready: the store answers, and the server does not stop. */
void haft__runs_handle_ready(haft__api_call *call)
{
    if (haft__api_gateway_is_draining(call->gateway)) {
        reply_text(call, 503, "{\"ready\":false}");
        return;
    }
    call->store = (haft__store_request){
        .verb = HAFT__STORE_LIST, .thread = HAFT__LIT(""), .name = HAFT__LIT(""), .limit = 1};
    haft__api_submit(call, on_store_read);
}

void haft__runs_handle_version(haft__api_call *call)
{
    reply_text(call, 200, "{\"name\":\"haft\",\"version\":\"" HAFT_VERSION "\",\"api\":1}");
}

void haft__runs_handle_openapi(haft__api_call *call)
{
    const haft__api_gateway_options *options = haft__api_gateway_options_of(call->gateway);
    haft__buf body;
    haft_error err = {0};
    haft__buf_init(&body, HAFT__LIMIT_SERVE_OPENAPI_BYTES);
    if (haft__openapi_write(&body, options->tables, options->table_count, &err) == HAFT_OK) {
        haft__api_reply_json(call, 200, &body);
    } else {
        haft__api_fail(call, &err);
    }
    haft__buf_finish(&body);
}
