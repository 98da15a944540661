/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http.c - HTTP tools. The deadline of the call applies to the request; cancelling the call aborts
 * the request. Tests: tests/exec/http/http_test.c.
 */
#include "exec/http/http.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

typedef struct http_call {
    haft__http_transfer *transfer;
    haft__buf body; /* of the response */
} http_call;

/* One client reaches only the public network, the other every address; each is created on first
 * use. Both ignore proxies: the address check must apply to the address of the connection. */
static haft_status find_client(haft__exec_job *job, haft__http_client **ret_http, haft_error *err)
{
    haft__exec *exec = job->exec;
    const haft__json *allow = haft__http_tool_definition(job, "allow_private");
    bool private = allow != NULL && allow->kind == HAFT__JSON_TRUE;
    haft__http_client **client = private ? &exec->private_http : &exec->public_http;
    haft_status status = HAFT_OK;
    if (*client == NULL) {
        haft__http_client_options options = {.public_only = !private};
        status = haft__http_client_create(exec->options.loop, &options, client, err);
    }
    *ret_http = *client;
    return status;
}

static bool on_body(void *context, haft_str bytes)
{
    haft__exec_job *job = context;
    http_call *call = job->state;
    haft__buf_add_str(&call->body, bytes);
    return call->body.status == HAFT_OK;
}

static void on_done(void *context, const haft__http_result *response)
{
    haft__exec_job *job = context;
    http_call *call = job->state;
    haft__exec_result result = {.text = HAFT__LIT("out of memory"), .started = response->sent};
    if (call->body.status == HAFT_OK) {
        haft__http_tool_result(job, response, haft__buf_str(&call->body), &result);
    }
    haft__exec_report(job, &result);
    haft__buf_finish(&call->body);
}

static haft_status start(haft__exec_job *job, haft_error *err)
{
    static const haft__http_handlers handlers = {.body = on_body, .done = on_done};
    http_call *call = haft__arena_array(&job->arena, 1, sizeof(*call));
    haft__http_request request;
    haft__http_client *http = NULL;
    if (call == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    job->state = call;
    haft__buf_init(&call->body, HAFT__LIMIT_TOOL_RESULT_BYTES);
    haft_status status = haft__http_tool_request(job, &request, err);
    if (status == HAFT_OK) {
        status = find_client(job, &http, err);
    }
    return status == HAFT_OK
               ? haft__http_transfer_start(http, &request, &handlers, job, &call->transfer, err)
               : status;
}

static bool abandon(haft__exec_job *job)
{
    http_call *call = job->state;
    job->waiting = !haft__http_transfer_is_sent(call->transfer);
    haft__http_transfer_cancel(call->transfer);
    haft__buf_finish(&call->body);
    return false;
}

const haft__executor haft__executor_http = {.start = start, .abandon = abandon};
