/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.c - a runtime on the event loop of Node. */
#include "runtime.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"

/* ---- what has happened ---- */

/* The items of one turn of the loop, for `dispatch`. */
typedef struct report {
    napi_env env;
    napi_value items;
    uint32_t count;
} report;

static void report_add(report *report, const napi_value *values, size_t count)
{
    (void)napi_set_element(report->env, report->items, report->count++,
                           array_new(report->env, values, count));
}

static void report_calls(report *report, node_runtime *runtime)
{
    haft_call *call;
    while ((call = haft_runtime_next_call(runtime->handle)) != NULL) {
        napi_value values[] = {text_new(report->env, "call", 4), call_new(report->env, call)};
        report_add(report, values, 2);
    }
}

static void report_changes(report *report, node_runtime *runtime)
{
    haft_change change;
    napi_env env = report->env;
    while (haft_changes_next(runtime->changes, &change)) {
        napi_value values[] = {text_new(env, change.is_event ? "event" : "state", 5),
                               number_new(env, (double)change.slot),
                               number_new(env, (double)change.event.seq),
                               text_new(env, change.event.json.ptr, change.event.json.len)};
        report_add(report, values, change.is_event ? 4 : 2);
    }
}

static void report_failure(report *report, const haft_error *error)
{
    napi_env env = report->env;
    napi_value values[] = {text_new(env, "failure", 7),
                           text_new(env, haft_status_name(error->status), NAPI_AUTO_LENGTH),
                           text_new(env, error->message, NAPI_AUTO_LENGTH),
                           text_new(env, error->where, NAPI_AUTO_LENGTH),
                           text_new(env, error->hint, NAPI_AUTO_LENGTH)};
    report_add(report, values, 5);
}

static void dispatch(const node_runtime *runtime, const report *report)
{
    napi_env env = report->env;
    napi_value function, receiver, error;
    bool thrown = false;
    if (report->count == 0 || napi_get_reference_value(env, runtime->dispatch, &function) != napi_ok
        || napi_get_global(env, &receiver) != napi_ok) {
        return;
    }
    (void)napi_make_callback(env, runtime->context, receiver, function, 1, &report->items, NULL);
    if (napi_is_exception_pending(env, &thrown) == napi_ok && thrown
        && napi_get_and_clear_last_exception(env, &error) == napi_ok) {
        (void)napi_fatal_exception(env, error);
    }
}

/* ---- the loop ---- */

static void on_timer(uv_timer_t *timer);

void runtime_arm(node_runtime *runtime)
{
    int timeout = runtime->handle != NULL ? haft_runtime_timeout(runtime->handle) : -1;
    if (timeout < 0) {
        (void)uv_timer_stop(&runtime->timer);
    } else {
        uv_update_time(runtime->timer.loop);
        (void)uv_timer_start(&runtime->timer, on_timer, (uint64_t)timeout, 0);
    }
}

static void turn(node_runtime *runtime)
{
    haft_error error = {HAFT_OK, "", "", ""};
    report made = {.env = runtime->env};
    napi_handle_scope scope;
    if (runtime->handle == NULL || napi_open_handle_scope(made.env, &scope) != napi_ok) {
        return;
    }
    if (napi_create_array(made.env, &made.items) == napi_ok) {
        if (haft_runtime_step(runtime->handle, 0, &error) != HAFT_OK) {
            (void)uv_poll_stop(&runtime->poll);
            report_failure(&made, &error);
        } else {
            report_calls(&made, runtime);
            report_changes(&made, runtime);
        }
        runtime_arm(runtime);
        dispatch(runtime, &made); /* may close the runtime */
    }
    (void)napi_close_handle_scope(made.env, scope);
}

static void on_timer(uv_timer_t *timer)
{
    turn(timer->data);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    turn(poll->data);
}

/* ---- the end ---- */

static void on_closed(uv_handle_t *handle)
{
    node_runtime *runtime = handle->data;
    if (--runtime->open_handles == 0) {
        (void)napi_remove_async_cleanup_hook(runtime->cleanup);
        free(runtime->runs);
        free(runtime);
    }
}

/* Releases the runs, which a durable store keeps. The struct stays until the loop has closed its
 * handles. */
static void close_now(node_runtime *runtime)
{
    if (runtime->handle == NULL) {
        return;
    }
    haft_runtime_destroy(runtime->handle);
    haft_changes_destroy(runtime->changes);
    runtime->handle = NULL;
    (void)napi_delete_reference(runtime->env, runtime->dispatch);
    (void)napi_async_destroy(runtime->env, runtime->context);
    uv_close((uv_handle_t *)&runtime->poll, on_closed);
    uv_close((uv_handle_t *)&runtime->timer, on_closed);
}

/* The process exits, or the worker ends. */
static void on_env_exit(napi_async_cleanup_hook_handle hook, void *context)
{
    (void)hook;
    close_now(context);
}

napi_value runtime_close(napi_env env, napi_callback_info info)
{
    arguments given;
    node_runtime *runtime =
        arguments_get(env, info, &given) ? pointer_get(env, given.values[0]) : NULL;
    if (runtime != NULL) {
        close_now(runtime);
    }
    return NULL;
}

/* ---- the beginning ---- */

/* libcurl and libpq use the system's OpenSSL, and Node exports the functions of its own, which is
 * another version. Loaded like this, they find their own; haft gets the same libraries when it
 * loads them. A missing library is reported when it is needed. */
static void load_with_own_openssl(const char *store)
{
    (void)dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
    if (store != NULL && strncmp(store, "postgres", 8) == 0) {
        (void)dlopen("libpq.so.5", RTLD_LAZY | RTLD_LOCAL | RTLD_DEEPBIND);
    }
}

/* Connects a new runtime with the loop; false if the loop does not take its handles. */
static bool start(node_runtime *runtime, napi_value dispatch)
{
    napi_env env = runtime->env;
    uv_loop_t *loop = NULL;
    napi_value name = text_new(env, "haft", 4);
    if (napi_get_uv_event_loop(env, &loop) != napi_ok
        || napi_create_reference(env, dispatch, 1, &runtime->dispatch) != napi_ok
        || napi_async_init(env, NULL, name, &runtime->context) != napi_ok
        || uv_poll_init(loop, &runtime->poll, haft_runtime_fd(runtime->handle)) != 0) {
        return false;
    }
    (void)uv_timer_init(loop, &runtime->timer);
    runtime->poll.data = runtime->timer.data = runtime;
    runtime->open_handles = 2;
    (void)uv_poll_start(&runtime->poll, UV_READABLE, on_readable);
    uv_unref((uv_handle_t *)&runtime->poll);
    uv_unref((uv_handle_t *)&runtime->timer);
    (void)napi_add_async_cleanup_hook(env, on_env_exit, runtime, &runtime->cleanup);
    runtime_arm(runtime);
    return true;
}

static node_runtime *create(napi_env env, const haft_runtime_options *options, haft_error *error)
{
    node_runtime *made = calloc(1, sizeof(*made));
    haft_changes *changes = haft_changes_create();
    haft_status status = HAFT_NO_MEMORY;
    if (made != NULL && changes != NULL) {
        *made = (node_runtime){.env = env, .changes = changes};
        status = haft_runtime_create(options, &made->handle, error);
    }
    if (status != HAFT_OK) {
        error->status = status;
        haft_changes_destroy(changes);
        free(made);
        return NULL;
    }
    return made;
}

/* (store, guard, lease in ms, dispatch) */
napi_value runtime_create(napi_env env, napi_callback_info info)
{
    arguments given;
    haft_error error = {HAFT_NO_MEMORY, "", "out of memory", ""};
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    char *store = NULL, *guard = NULL;
    napi_value made = NULL;
    if (arguments_get(env, info, &given) && text_get(env, given.values[0], &store)
        && text_get(env, given.values[1], &guard)) {
        options.store = store;
        options.guard = guard;
        options.lease_ms = (uint64_t)number_get(env, given.values[2]);
        load_with_own_openssl(store);
        node_runtime *created = create(env, &options, &error);
        if (created == NULL) {
            (void)error_throw(env, &error);
        } else if (!start(created, given.values[3])) {
            haft_runtime_destroy(created->handle);
            haft_changes_destroy(created->changes);
            free(created);
            (void)error_throw_text(env, HAFT_IO, "the loop of Node does not take another handle");
        } else {
            made = pointer_new(env, created);
        }
    }
    free(store);
    free(guard);
    return made;
}

/* ---- its parts ---- */

node_runtime *runtime_get(napi_env env, napi_value value)
{
    return pointer_get(env, value);
}

haft_run *runtime_run(napi_env env, const node_runtime *runtime, napi_value slot)
{
    (void)env;
    return runtime->runs[(size_t)number_get(env, slot)];
}

size_t runtime_keep(node_runtime *runtime, haft_run *run)
{
    size_t slot = haft_changes_add(runtime->changes, run);
    if (slot != SIZE_MAX && slot >= runtime->run_capacity) {
        size_t capacity = 2 * slot + 16;
        haft_run **runs = realloc(runtime->runs, capacity * sizeof(haft_run *));
        if (runs == NULL) {
            haft_changes_remove(runtime->changes, slot);
            slot = SIZE_MAX;
        } else {
            runtime->runs = runs;
            runtime->run_capacity = capacity;
        }
    }
    if (slot == SIZE_MAX) {
        haft_run_release(run);
        (void)error_throw_text(runtime->env, HAFT_NO_MEMORY, "out of memory");
    } else {
        int64_t total = 0;
        runtime->runs[slot] = run;
        (void)napi_adjust_external_memory(runtime->env, RUN_BYTES, &total);
    }
    return slot;
}

/* (runtime, whether it keeps the process alive) */
napi_value runtime_ref(napi_env env, napi_callback_info info)
{
    arguments given;
    node_runtime *runtime =
        arguments_get(env, info, &given) ? runtime_get(env, given.values[0]) : NULL;
    if (runtime == NULL || runtime->handle == NULL) {
        return NULL;
    }
    uv_handle_t *handles[] = {(uv_handle_t *)&runtime->poll, (uv_handle_t *)&runtime->timer};
    for (size_t i = 0; i < 2; i++) {
        if (bool_get(env, given.values[1])) {
            uv_ref(handles[i]);
        } else {
            uv_unref(handles[i]);
        }
    }
    return NULL;
}

/* (runtime, {name, description, inputSchema, outputSchema, lane, traits, timeoutMs, cacheMs,
 * retries}); schemas are JSON text */
napi_value runtime_add_tool(napi_env env, napi_callback_info info)
{
    static const char *const names[] = {"name", "description", "inputSchema", "outputSchema",
                                        "lane"};
    arguments given;
    haft_error error = {HAFT_OK, "", "", ""};
    char *texts[5] = {NULL};
    node_runtime *runtime =
        arguments_get(env, info, &given) ? runtime_get(env, given.values[0]) : NULL;
    bool good = runtime != NULL;
    for (size_t i = 0; i < 5 && good; i++) {
        good = text_get(env, member_get(env, given.values[1], names[i]), &texts[i]);
    }
    if (good) {
        haft_tool tool = HAFT_TOOL_INIT;
        tool.name = texts[0];
        tool.description = texts[1];
        tool.input_schema = texts[2];
        tool.output_schema = texts[3];
        tool.lane = texts[4];
        tool.traits = (uint32_t)number_get(env, member_get(env, given.values[1], "traits"));
        tool.timeout_ms = (uint32_t)number_get(env, member_get(env, given.values[1], "timeoutMs"));
        tool.cache_ms = (uint32_t)number_get(env, member_get(env, given.values[1], "cacheMs"));
        tool.retries = (uint32_t)number_get(env, member_get(env, given.values[1], "retries"));
        if (haft_tool_add(runtime->handle, &tool, &error) != HAFT_OK) {
            (void)error_throw(env, &error);
        }
    }
    for (size_t i = 0; i < 5; i++) {
        free(texts[i]);
    }
    return NULL;
}
