/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.c - creates runs. Tests: tests/serve/api_test.py.
 *
 * A run that this server can work on begins immediately; any other run is only stored, and a worker
 * claims it. The response is sent when the first event is durable. A run does not end with the
 * connection of the request that created it.
 *
 * With the header Idempotency-Key the run is the first of a thread whose id is derived from the
 * key, the user and the agent, so every server of the same store finds it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "run/redact/redact.h"
#include "serve/runs/runs_int.h"
#include "json/number.h"
#include "json/write.h"

struct haft__run_creation {
    haft__runs *runs;
    haft__api_call *call; /* NULL: the client is gone */
    haft_run *run;        /* NULL: the worker owns it */
    char id[HAFT__ID_LENGTH + 1];
    haft__run_creation *next, **link;
};

/* The parts of the request; they live in the call's arena. */
typedef struct run_request {
    const haft__served_agent *served;
    haft_agent *agent;
    haft_str task, thread, user, key, traceparent;
    bool own_thread; /* the client named the thread */
    bool forbidden;  /* the token does not permit it */
} run_request;

/* ---- the end of a creation ---- */

static void finish(haft__run_creation *creation)
{
    haft__api_call *call = creation->call;
    *creation->link = creation->next;
    if (creation->next != NULL) {
        creation->next->link = creation->link;
    }
    free(creation);
    if (call != NULL) {
        call->on_gone = NULL;
        call->holds--;
        haft__api_release(call);
    }
}

static void on_gone(haft__api_call *call)
{
    haft__run_creation *creation = call->state;
    creation->call = NULL;
    call->holds--;
    haft__api_release(call);
}

static void reply_created(haft__api_call *call, const haft_run *run)
{
    char location[64];
    haft__buf body;
    haft_error err = {0};
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    (void)snprintf(location, sizeof(location), "/api/v1/runs/%s", run->id);
    haft__http_server_field field = {HAFT__LIT("Location"), haft__str(location)};
    haft__api_reply reply = {.status = 201,
                             .content_type = HAFT__LIT("application/json"),
                             .fields = &field,
                             .field_count = 1};
    call->on_gone = NULL;
    haft__runs_write_new(&body, run);
    if (haft__buf_check(&body, &err) == HAFT_OK) {
        haft__api_reply_with(call, &reply, haft__buf_str(&body));
    } else {
        haft__api_fail(call, &err);
    }
    haft__buf_finish(&body);
}

void haft__runs_creation_committed(haft__runs *runs, haft_run *run)
{
    haft__run_creation *creation = runs->creations;
    while (creation != NULL && strcmp(creation->id, run->id) != 0) {
        creation = creation->next;
    }
    if (creation == NULL) {
        return;
    }
    if (creation->call != NULL) {
        reply_created(creation->call, run);
    }
    if (creation->run == NULL) { /* else it must be released first */
        finish(creation);
    }
}

/* ---- the run of a key ---- */

static void on_existing(haft__api_call *call)
{
    run_request *request = call->state;
    const haft__loaded_run *run = haft__runs_loaded(call);
    haft__buf clean;
    haft__buf_init(&clean, HAFT__LIMIT_RUN_BYTES);
    (void)haft__redact(request->agent->redactor, request->task, &clean);
    bool same = haft__buf_check(&clean, NULL) == HAFT_OK
                && haft__str_equal(haft__buf_str(&clean), run->row.task);
    haft__buf_finish(&clean);
    if (same) {
        haft__runs_reply(call, 200, NULL);
    } else {
        haft__api_reject(call, 422, HAFT_BAD_INPUT,
                         "the Idempotency-Key belongs to a run with another task");
    }
}

static void on_key_rejected(haft__api_call *call)
{
    haft__api_reject(call, 409, HAFT_BAD_STATE,
                     "another request with this Idempotency-Key is being processed");
}

static void find_existing(haft__api_call *call);

static void on_found(haft__api_call *call)
{
    if (call->store.status != HAFT_OK) {
        haft__api_fail(call, &call->store.error);
    } else if (call->store.found_count == 0) {
        on_key_rejected(call);
    } else { /* the oldest run of the thread */
        haft__runs_load(call, call->store.found[call->store.found_count - 1].id, HAFT__LOAD_STATE,
                        on_existing);
    }
}

static void find_existing(haft__api_call *call)
{
    const run_request *request = call->state;
    call->store = (haft__store_request){
        .verb = HAFT__STORE_LIST, .thread = request->thread, .name = HAFT__LIT("")};
    haft__api_submit(call, on_found);
}

/* ---- failures ---- */

static void fail_creation(haft__run_creation *creation, const haft_error *error, bool rejected)
{
    haft__api_call *call = creation->call;
    if (call != NULL) {
        run_request *request = call->loaded; /* kept there while `state` is the creation */
        call->on_gone = NULL;
        call->state = request;
        if (rejected && request->key.len > 0) {
            haft__api_continue(call, find_existing);
        } else {
            haft__api_fail(call, error);
        }
    }
    finish(creation);
}

void haft__runs_creation_failed(haft__runs *runs, const char *run, const haft_error *error,
                                bool rejected)
{
    for (haft__run_creation *one = runs->creations; one != NULL; one = one->next) {
        if (strcmp(one->id, run) == 0 && one->run == NULL) {
            fail_creation(one, error, rejected);
            return;
        }
    }
}

static void on_released(haft_run *run, bool available)
{
    haft__runs *runs = run->released_context;
    if (available && runs->worker != NULL) {
        haft__worker_poll_now(runs->worker);
    }
}

/* Whether this process must still work on a run that is only to be stored: until it is durable, and
 * until an open run of its thread was cancelled, if its spec says so. */
static bool is_busy(const haft_run *run)
{
    bool waits = haft__queue_is_queued(&run->queue) && !haft__queue_is_waiting(run);
    return run->log.durable_seq == 0 || (waits && haft_run_state(run) != HAFT_ENDED);
}

void haft__runs_creations_update(haft__runs *runs)
{
    for (haft__run_creation *one = runs->creations, *next; one != NULL; one = next) {
        haft_run *run = one->run;
        next = one->next;
        if (run == NULL) {
            continue;
        }
        if (run->stage == HAFT__HANDLE_FAILED) {
            haft_error err = run->error;
            bool rejected = run->queue.state == HAFT__THREAD_QUEUE_REJECTED;
            haft_run_release(run);
            fail_creation(one, &err, rejected);
        } else if (!is_busy(run)) {
            run->on_released = on_released;
            run->released_context = runs;
            haft_run_release(run);
            finish(one);
        }
    }
}

void haft__runs_creations_destroy(haft__runs *runs)
{
    while (runs->creations != NULL) {
        haft__run_creation *creation = runs->creations;
        haft_run *run = creation->run;
        finish(creation);
        haft_run_release(run);
    }
}

/* ---- the start ---- */

static haft_status start_run(const run_request *request, haft__run_creation *creation,
                             haft_error *err)
{
    haft__runs *runs = creation->runs;
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    haft_run *run = NULL;
    bool keyed = request->key.len > 0;
    bool here = runs->worker != NULL && !request->own_thread && haft__worker_has_room(runs->worker);
    options.thread = request->thread.len > 0 ? request->thread.ptr : NULL;
    options.user = request->user.len > 0 ? request->user.ptr : NULL;
    options.enqueue = !here;
    options.traceparent = request->traceparent.len > 0 ? request->traceparent.ptr : NULL;
    haft_status status = haft_run_start(request->agent, request->task.ptr, &options, &run, err);
    if (status != HAFT_OK) {
        return status;
    }
    run->queue.exclusive = keyed;
    run->log.reader.discards = true;
    memcpy(creation->id, run->id, sizeof(creation->id));
    creation->run = here && haft__worker_adopt(runs->worker, run) ? NULL : run;
    return HAFT_OK;
}

static void create(haft__api_call *call)
{
    run_request *request = call->state;
    haft__runs *runs = haft__runs_of(call);
    haft_error err = {0};
    haft__run_creation *creation = calloc(1, sizeof(*creation));
    haft_status status = creation != NULL ? HAFT_OK : haft__fail_no_memory(&err);
    if (status == HAFT_OK) {
        creation->runs = runs;
        request->traceparent = haft__arena_copy(
            &call->arena, haft__str_trim(haft__http_server_header(call->request, "traceparent")));
        status = start_run(request, creation, &err);
    }
    if (status != HAFT_OK) {
        free(creation);
        haft__api_problem(call, status == HAFT_BAD_INPUT ? 422 : haft__api_http_status(status),
                          &err);
        return;
    }
    creation->call = call;
    creation->link = &runs->creations;
    creation->next = runs->creations;
    if (runs->creations != NULL) {
        runs->creations->link = &creation->next;
    }
    runs->creations = creation;
    call->loaded = request;
    call->state = creation;
    call->holds++;
    call->on_gone = on_gone;
}

/* ---- the thread ---- */

static void on_thread(haft__api_call *call)
{
    const haft__store_request *found = &call->store;
    run_request *request = call->state;
    if (found->status != HAFT_OK) {
        haft__api_fail(call, &found->error);
    } else if (found->found_count > 0 && request->key.len > 0) {
        on_found(call);
    } else if (found->found_count > 0 && !haft__principal_owns(&call->who, found->found[0].user)) {
        haft__api_reject(call, 404, HAFT_NOT_FOUND, "no thread with this id");
    } else {
        create(call);
    }
}

static void make_thread(const run_request *request, char thread[HAFT__ID_LENGTH + 1])
{
    uint8_t digest[HAFT__SHA256_BYTES];
    haft__sha256 hash;
    uint64_t ms = 0;
    haft_str parts[] = {request->user, request->agent->spec->name, request->key};
    haft__sha256_init(&hash);
    for (size_t i = 0; i < COUNT(parts); i++) {
        haft__sha256_add(&hash, parts[i]);
        haft__sha256_add(&hash, (haft_str){"", 1}); /* a NUL, which no part has */
    }
    haft__sha256_end(&hash, digest);
    for (size_t i = 0; i < 6; i++) { /* the timestamp part of other ids */
        ms = ms << 8 | digest[i];
    }
    haft__id_make(ms, digest + 6, thread);
}

static bool is_valid_key(haft_str key)
{
    for (size_t i = 0; i < key.len; i++) {
        if (key.ptr[i] <= ' ' || key.ptr[i] > '~') {
            return false;
        }
    }
    return key.len > 0 && key.len <= HAFT__LIMIT_SERVE_KEY_BYTES;
}

/* Reads Idempotency-Key; responds and returns false if it cannot be used. */
static bool read_key(haft__api_call *call, run_request *request)
{
    haft_str key = haft__str_trim(haft__http_server_header(call->request, "idempotency-key"));
    char thread[HAFT__ID_LENGTH + 1];
    request->key = HAFT__LIT("");
    if (key.ptr == NULL) {
        return true;
    }
    if (!is_valid_key(key) || request->own_thread) {
        haft__api_reject(call, 422, HAFT_BAD_INPUT,
                         request->own_thread
                             ? "Idempotency-Key and \"thread\" cannot be combined"
                             : "expected 1 to 256 visible ASCII characters in Idempotency-Key");
        return false;
    }
    request->key = haft__arena_copy(&call->arena, key);
    make_thread(request, thread);
    request->thread = haft__arena_copy(&call->arena, haft__str(thread));
    return true;
}

/* ---- the body ---- */

static haft_status write_set(haft__arena *arena, const char *path, haft__json value,
                             const char **ret_set, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SERVE_BODY_BYTES);
    haft__buf_addf(&text, "%s=", path);
    haft__json_write(&text, value);
    haft_str copy = haft__arena_copy(arena, haft__buf_str(&text));
    haft_status status = haft__buf_check(&text, err);
    haft__buf_finish(&text);
    *ret_set = copy.ptr;
    return status == HAFT_OK && copy.ptr == NULL ? haft__arena_fail(arena, err) : status;
}

/* The overrides of the spec: model and limits. */
static haft_status read_sets(haft__api_call *call, const char ***ret_sets, size_t *ret_count,
                             haft_error *err)
{
    const haft__json *model = haft__object_find(call->body, "model");
    haft__json limits = haft__object_object(call->body, "limits");
    const char **sets = haft__arena_array(&call->arena, (size_t)limits.count + 1, sizeof(*sets));
    size_t count = 0;
    haft_status status = sets != NULL ? HAFT_OK : haft__arena_fail(&call->arena, err);
    if (status == HAFT_OK && model != NULL && model->kind != HAFT__JSON_NULL) {
        status = write_set(&call->arena, "model", *model, &sets[count++], err);
    }
    for (uint32_t i = 0; status == HAFT_OK && i < limits.count; i++) {
        haft_str path = haft__arena_format(&call->arena, "limits.%.*s",
                                           HAFT__ARG(haft__json_text(limits.members[i].key)));
        status = path.ptr != NULL ? write_set(&call->arena, path.ptr, limits.members[i].value,
                                              &sets[count++], err)
                                  : haft__arena_fail(&call->arena, err);
    }
    *ret_sets = sets;
    *ret_count = count;
    return status;
}

static void release_agent(void *agent)
{
    haft_agent_release(agent);
}

static haft_status load_agent(haft__api_call *call, run_request *request, haft_error *err)
{
    haft__runs *runs = haft__runs_of(call);
    const char **sets = NULL;
    size_t count = 0;
    haft_status status = read_sets(call, &sets, &count, err);
    request->agent = request->served->agent;
    if (status == HAFT_OK && count > 0) {
        if ((call->who.roles & HAFT__ROLE_ADMIN) == 0) {
            request->forbidden = true;
            return haft__fail(err, HAFT_BAD_STATE, "",
                              "only a token with the role admin may change the model or limits");
        }
        status = haft__agent_load_file(runs->runtime, request->served->path, sets, count,
                                       &request->agent, err);
    } else if (status == HAFT_OK) {
        haft__agent_retain(request->agent);
    }
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__arena_on_release(&call->arena, release_agent, request->agent, err);
    if (status != HAFT_OK) {
        haft_agent_release(request->agent);
    }
    return status;
}

/* The user of the run is that of the token; only a token for all users may name another one. */
static haft_status read_user(haft__api_call *call, run_request *request, haft_error *err)
{
    haft_str named = haft__object_string(call->body, "user");
    request->user = call->who.user;
    if (named.len == 0 || haft__str_equal(named, call->who.user)) {
        return HAFT_OK;
    }
    if (!call->who.all_users) {
        request->forbidden = true;
        return haft__fail(err, HAFT_BAD_STATE, "/user", "the token acts for the user '%.*s' only",
                          HAFT__ARG(call->who.user));
    }
    request->user = haft__arena_copy(&call->arena, named);
    return request->user.ptr != NULL ? HAFT_OK : haft__arena_fail(&call->arena, err);
}

static haft_status read_task(haft__api_call *call, run_request *request, haft_error *err)
{
    const haft__json *input = haft__object_find(call->body, "input");
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    if (input != NULL && input->kind != HAFT__JSON_NULL) {
        haft__json_write(&text, *input);
    } else {
        haft__buf_add_str(&text, haft__object_string(call->body, "task"));
    }
    haft_status status = haft__buf_check(&text, err);
    request->task = haft__arena_copy(&call->arena, haft__buf_str(&text));
    haft__buf_finish(&text);
    return status == HAFT_OK && request->task.ptr == NULL ? haft__arena_fail(&call->arena, err)
                                                          : status;
}

static haft_status read_request(haft__api_call *call, run_request *request, haft_error *err)
{
    haft__runs *runs = haft__runs_of(call);
    haft_str thread = haft__object_string(call->body, "thread");
    request->own_thread = thread.len > 0;
    request->thread = haft__arena_copy(&call->arena, thread);
    haft_status status = haft__served_agents_find(
        &runs->agents, haft__object_string(call->body, "agent"), &request->served, err);
    if (status == HAFT_OK) {
        status = read_user(call, request, err);
    }
    if (status == HAFT_OK) {
        status = read_task(call, request, err);
    }
    return status == HAFT_OK ? load_agent(call, request, err) : status;
}

/* 403 for what the token does not permit, 422 for what the spec does not accept. */
static uint32_t http_status_of(const run_request *request, haft_status status)
{
    bool forbidden = request != NULL && request->forbidden;
    return forbidden ? 403 : status == HAFT_BAD_INPUT ? 422 : haft__api_http_status(status);
}

void haft__runs_handle_run_create(haft__api_call *call)
{
    haft_error err = {0};
    run_request *request = haft__arena_array(&call->arena, 1, sizeof(*request));
    haft_status status =
        request != NULL ? read_request(call, request, &err) : haft__arena_fail(&call->arena, &err);
    if (status != HAFT_OK) {
        haft__api_problem(call, http_status_of(request, status), &err);
        return;
    }
    call->state = request;
    if (!read_key(call, request)) {
        return;
    }
    if (request->thread.len == 0) {
        create(call);
        return;
    }
    if (!haft__id_valid(request->thread)) {
        haft__api_reject(call, 422, HAFT_BAD_INPUT,
                         "expected an id of 26 lower-case letters and digits as \"thread\"");
        return;
    }
    call->store = (haft__store_request){
        .verb = HAFT__STORE_LIST, .thread = request->thread, .name = HAFT__LIT("")};
    haft__api_submit(call, on_thread);
}
