/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.c - the request and the reply of a turn. Tests: tests/serve/api_test.py.
 *
 * Requests are not stored: the events up to the reply are folded, and the request is decided and
 * written again. `X-Haft-Sha256` is the hash of its bytes.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "engine/ops/event_log.h"
#include "model/conversation.h"
#include "model/provider.h"
#include "run/event.h"
#include "serve/runs/runs_int.h"

/* Finds the last reply of the turn of the path. Responds and returns false without one. */
static bool find_reply(haft__api_call *call, haft_str *ret_line, uint64_t *ret_seq)
{
    const haft__loaded_run *run = haft__runs_loaded(call);
    uint64_t wanted = 0, turn = 0;
    haft__arena scratch;
    if (!haft__str_to_u64(call->params.values[1], &wanted)) {
        haft__api_reject(call, 404, HAFT_NOT_FOUND, "expected the number of a turn");
        return false;
    }
    *ret_seq = 0;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    for (haft_str rest = run->lines; rest.len > 0;) {
        haft__event event;
        haft_str line = haft__str_split(&rest, '\n');
        haft__arena_reset(&scratch);
        if (haft__event_read(&scratch, line, haft__runs_of(call)->runtime->hash_key, &event, NULL)
            != HAFT_OK) {
            break;
        }
        if (event.kind == HAFT__EVENT_TURN_STARTED) {
            turn = haft__object_number(event.object, "turn", 0);
        } else if (event.kind == HAFT__EVENT_MODEL_REPLIED && turn == wanted) {
            *ret_line = line;
            *ret_seq = event.seq;
        }
    }
    haft__arena_finish(&scratch);
    if (*ret_seq == 0) {
        haft__api_reject(call, 404, HAFT_NOT_FOUND, "the run has no reply in this turn");
    }
    return *ret_seq > 0;
}

static void send_text(haft__api_call *call, haft_str text)
{
    char digest[HAFT__SHA256_HEX];
    haft__sha256_hex(text, digest);
    haft__http_server_field field = {HAFT__LIT("X-Haft-Sha256"), {digest, sizeof(digest)}};
    haft__api_reply reply = {.status = 200,
                             .content_type = HAFT__LIT("application/json"),
                             .fields = &field,
                             .field_count = 1};
    haft__api_reply_with(call, &reply, text);
}

/* ---- the reply ---- */

static void write_reply(haft__api_call *call)
{
    haft_str line = {NULL, 0};
    uint64_t seq = 0;
    if (find_reply(call, &line, &seq)) {
        send_text(call, line);
    }
}

void haft__runs_handle_turn_reply(haft__api_call *call)
{
    haft__runs_load_path(call, HAFT__LOAD_EVENTS, write_reply);
}

/* ---- the request ---- */

static haft_status render(const haft__run *state, haft__arena *arena, haft__buf *body,
                          haft_error *err)
{
    const haft__spec *spec = state->spec;
    const haft__provider *found = haft__provider_for_model(&spec->model);
    const haft__provider *provider = found != NULL ? found : haft__provider_compatible();
    haft__member_set sent = 0;
    haft__request request;
    haft__provider_conversation *conversation = NULL;
    haft__provider_request_options options = {.stream = found != NULL,
                                              .serial = spec->limits.parallel == 1,
                                              .options = spec->model.options,
                                              .without = state->refused,
                                              .sent = &sent};
    haft_status status = haft__decide_request(state, arena, &request, err);
    if (status == HAFT_OK && request.model.len == 0) {
        request.model = haft__provider_name_model(arena, &spec->model);
    }
    if (status == HAFT_OK) {
        sent = haft__member_of_constraint(&request);
        status = haft__conversation_create(provider, &conversation, err);
    }
    if (status == HAFT_OK) {
        status = haft__conversation_write(conversation, &request, &options, body, err);
    }
    haft__conversation_destroy(conversation);
    return status == HAFT_OK ? haft__buf_check(body, err) : status;
}

static void write_request(haft__api_call *call)
{
    const haft__loaded_run *run = haft__runs_loaded(call);
    haft_str line = {NULL, 0};
    uint64_t seq = 0;
    haft__run before;
    haft_error err = {0};
    haft__buf body;
    if (!find_reply(call, &line, &seq)) {
        return;
    }
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status =
        haft__event_log_fold(&call->arena, run->agent->spec, "events", run->lines, seq - 1,
                             haft__runs_of(call)->runtime->hash_key, &before, &err);
    if (status == HAFT_OK) {
        status = render(&before, &call->arena, &body, &err);
    }
    if (status == HAFT_OK) {
        send_text(call, haft__buf_str(&body));
    } else {
        haft__api_fail(call, &err);
    }
    haft__buf_finish(&body);
}

void haft__runs_handle_turn_request(haft__api_call *call)
{
    haft__runs_load_path(call, HAFT__LOAD_STATE, write_request);
}
