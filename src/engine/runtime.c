/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.c - the objects that runs share: the loop, the store, and messages from other processes.
 *
 * Tests: tests/engine/api_test.c and open_test.c.
 */
#include "engine/runtime.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/options.h"
#include "base/str.h"
#include "engine/run.h"
#include "engine/telemetry/telemetry.h"
#include "io/clock.h"
#include "io/environment.h"
#include "io/http/client.h"
#include "io/owner.h"
#include "io/random.h"
#include "tool/declare.h"

uint64_t haft__runtime_now(const haft_runtime *runtime)
{
    return runtime->clock();
}

/* ---- messages ---- */

static haft_run *find_run(const haft_runtime *runtime, haft_str id)
{
    for (haft_run *run = runtime->runs; run != NULL; run = run->next) {
        if (haft__str_equal(haft__str(run->id), id) && run->stage == HAFT__HANDLE_ACTIVE
            && !run->released) {
            return run;
        }
    }
    return NULL;
}

static void deliver(haft_runtime *runtime, const haft__store_message *message)
{
    haft_run *run = find_run(runtime, message->run);
    if (run == NULL || haft__log_was_acked(&run->log, message->id)
        || haft__log_is_failing(&run->log)) {
        return;
    }
    if (run->state.stage == HAFT__RUN_ENDED) {
        return; /* an ended run has no messages in the store */
    }
    haft__run_command command;
    haft_error err = {0};
    haft_status status = haft__log_ack_message(&run->log, message->id, &err);
    if (status != HAFT_OK) {
        return; /* the next poll returns it again */
    }
    status = haft__run_command_read(&runtime->message_arena, message->body, runtime->hash_key,
                                    &command, &err);
    if (status == HAFT_OK) {
        /* The sender learns the outcome from the events. */
        (void)!haft__run_perform_command(run, &command, &err);
    }
    haft__log_flush(run);
}

static void schedule_message_poll(haft_runtime *runtime);

static void on_messages(haft__store_request *request)
{
    haft_runtime *runtime = request->context;
    runtime->message_poll_pending = false;
    if (request->status == HAFT_OK) {
        for (size_t i = 0; i < request->message_count; i++) {
            deliver(runtime, &request->messages[i]);
        }
    }
    haft__child_pool_messages_read(runtime);
    if (runtime->shared) {
        schedule_message_poll(runtime);
    }
}

static void poll_messages_now(void *context)
{
    haft_runtime *runtime = context;
    if (runtime->runs == NULL) {
        return;
    }
    haft__lease_check_clock(runtime);
    for (haft_run *run = runtime->runs; run != NULL; run = run->next) {
        run->log.acked_earlier.count = 0;
    }
    runtime->message_poll_pending = true;
    haft__arena_reset(&runtime->message_arena);
    runtime->message_request = (haft__store_request){.verb = HAFT__STORE_RECEIVE,
                                                     .run.owner = haft__str(runtime->owner),
                                                     .arena = &runtime->message_arena,
                                                     .done = on_messages,
                                                     .context = runtime};
    haft__store_submit(runtime->store, &runtime->message_request);
}

static void schedule_message_poll(haft_runtime *runtime)
{
    (void)!haft__timer_start(runtime->loop, &runtime->message_timer, HAFT__LIMIT_RUN_LISTEN_MS,
                             poll_messages_now, runtime, NULL);
}

void haft__runtime_watch_run(haft_runtime *runtime)
{
    haft__lease_watch(runtime);
    if (runtime->shared && !runtime->message_poll_pending && runtime->message_timer.slot == 0) {
        schedule_message_poll(runtime);
    }
}

void haft__runtime_poll_messages(haft_runtime *runtime)
{
    if (!runtime->message_poll_pending) {
        haft__timer_stop(runtime->loop, &runtime->message_timer);
        poll_messages_now(runtime);
    }
}

/* ---- observers ---- */

void haft__runtime_observe(haft_runtime *runtime, haft__runtime_observer *observer)
{
    observer->next = runtime->observers;
    runtime->observers = observer;
}

void haft__runtime_unobserve(haft_runtime *runtime, haft__runtime_observer *observer)
{
    haft__runtime_observer **at = &runtime->observers;
    while (*at != NULL && *at != observer) {
        at = &(*at)->next;
    }
    if (*at == observer) {
        *at = observer->next;
    }
}

/* ---- the runtime ---- */

void haft__runtime_share(haft_runtime *runtime)
{
    runtime->shared = true;
}

static haft_status open_all(haft_runtime *runtime, const haft_runtime_options *options,
                            bool read_only, haft_error *err)
{
    const char *url = options->store != NULL ? options->store : "memory:";
    haft_status status = haft__lease_init(runtime, options->lease_ms, err);
    if (status == HAFT_OK) {
        status = haft__owner_make(runtime->owner, sizeof(runtime->owner), err);
    }
    if (status == HAFT_OK) {
        status = haft__decider_init(&runtime->decider, err);
    }
    if (status == HAFT_OK) {
        status = haft__loop_create(&runtime->loop, err);
    }
    if (status == HAFT_OK) {
        status = read_only ? haft__store_open_existing(runtime->loop, url, &runtime->store, err)
                           : haft__store_open(runtime->loop, url, &runtime->store, err);
    }
    if (status == HAFT_OK) {
        haft__exec_options exec = {.loop = runtime->loop,
                                   .guard = options->guard,
                                   .env = runtime->env,
                                   .threads = options->threads};
        status = haft__exec_create(&exec, &runtime->exec, err);
    }
    runtime->shared = status == HAFT_OK && haft__store_is_shared(runtime->store);
    return status;
}

haft_status haft_runtime_create(const haft_runtime_options *options, haft_runtime **ret_runtime,
                                haft_error *err)
{
    return haft__runtime_create(options, NULL, ret_runtime, err);
}

haft_status haft__runtime_create(const haft_runtime_options *options, const haft__runtime_env *env,
                                 haft_runtime **ret_runtime, haft_error *err)
{
    haft_runtime_options own = HAFT_RUNTIME_OPTIONS_INIT;
    if (ret_runtime == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected ret_runtime, found NULL");
    }
    if (options != NULL) {
        haft_status status = haft__options_copy(&own, sizeof(own), sizeof(own.struct_size), options,
                                                "HAFT_RUNTIME_OPTIONS_INIT", err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    haft_runtime *runtime = calloc(1, sizeof(*runtime));
    if (runtime == NULL) {
        return haft__fail_no_memory(err);
    }
    runtime->clock = haft__clock_now;
    runtime->monotonic_clock = haft__clock_monotonic;
    runtime->servers = (haft__runtime_servers){haft__exec_catalogue, haft__catalogue_cancel,
                                               haft__exec_server_listing};
    runtime->hash_key = haft__random_hash_key();
    runtime->env = (haft__spec_env){haft__environment_get, NULL};
    if (env != NULL) {
        runtime->env = env->env;
        runtime->key_env = env->key_env;
        runtime->variables = env->variables;
        runtime->variable_count = env->variable_count;
        runtime->prices = env->prices;
    }
    haft__arena_init(&runtime->arena, 0);
    haft__arena_init(&runtime->schema_arena, 0);
    haft__arena_init(&runtime->message_arena, HAFT__LIMIT_RUN_BYTES);
    haft__child_pool_init(runtime);
    haft__arena_init(&runtime->scratch, 0);
    haft__buf_init(&runtime->line, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&runtime->body, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&runtime->clean, HAFT__LIMIT_RUN_BYTES);
    haft_status status = open_all(runtime, &own, env != NULL && env->read_only_store, err);
    if (status != HAFT_OK) {
        haft_runtime_destroy(runtime);
        return status;
    }
    *ret_runtime = runtime;
    return HAFT_OK;
}

/* Releases all runs. If the last store request of a released run has failed, the run is idle;
 * releasing it again destroys it, because a closing runtime retries no requests. */
static void release_runs(haft_runtime *runtime)
{
    haft_run *run = runtime->runs;
    while (run != NULL) {
        bool idle = run->released && !run->query.pending && !haft__log_is_busy(&run->log);
        bool release = !run->released || idle;
        if (release) {
            haft_run_release(run);
        }
        run = release ? runtime->runs : run->next; /* the list has changed */
    }
}

void haft_runtime_destroy(haft_runtime *runtime)
{
    if (runtime == NULL) {
        return;
    }
    runtime->closing = true;
    release_runs(runtime);
    bool stepped = true; /* until the pending store requests of released runs are done */
    while (
        stepped
        && (runtime->runs != NULL || runtime->cache_requests > 0 || runtime->children.querying)) {
        stepped = haft__loop_step(runtime->loop, -1, NULL) == HAFT_OK;
    }
    haft__telemetry_finish(runtime->telemetry);
    haft__store_close(runtime->store);
    haft__exec_destroy(runtime->exec);
    haft__http_client_destroy(runtime->http);
    haft__member_memory_free(runtime->member_memory);
    haft__model_server_free(runtime->model_servers);
    haft__lease_finish(runtime);
    haft__child_pool_finish(runtime);
    if (runtime->loop != NULL) {
        haft__timer_stop(runtime->loop, &runtime->message_timer);
    }
    haft__loop_destroy(runtime->loop);
    haft__index_cache_finish(&runtime->index_cache);
    haft__decider_finish(&runtime->decider);
    haft__arena_finish(&runtime->message_arena);
    haft__arena_finish(&runtime->scratch);
    haft__arena_finish(&runtime->arena);
    haft__arena_finish(&runtime->schema_arena);
    haft__buf_finish(&runtime->line);
    haft__buf_finish(&runtime->body);
    haft__buf_finish(&runtime->clean);
    free(runtime);
}

haft_status haft_runtime_step(haft_runtime *runtime, int timeout_ms, haft_error *err)
{
    return runtime != NULL ? haft__loop_step(runtime->loop, timeout_ms, err)
                           : haft__fail(err, HAFT_BAD_INPUT, "", "expected a runtime, found NULL");
}

int haft_runtime_fd(const haft_runtime *runtime)
{
    return runtime != NULL ? haft__loop_fd(runtime->loop) : -1;
}

int haft_runtime_timeout(const haft_runtime *runtime)
{
    return runtime != NULL ? haft__loop_timeout(runtime->loop) : -1;
}
