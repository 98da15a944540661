/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.h - a runtime on the event loop of Node.
 *
 * The loop of Node polls haft_runtime_fd and has a timer for haft_runtime_timeout: the runtime
 * needs no thread of its own, and everything happens on the thread of JavaScript. Tools are
 * HAFT_QUEUED, so the library never calls JavaScript.
 */
#ifndef HAFT_NODE_RUNTIME_H
#define HAFT_NODE_RUNTIME_H

#include <uv.h>

#include "changes.h"
#include "values.h"

typedef struct node_runtime {
    napi_env env;
    haft_runtime *handle; /* NULL: closed */
    haft_changes *changes;
    haft_run **runs; /* by slot */
    size_t run_capacity;
    napi_ref dispatch; /* called with an array of what has happened */
    napi_async_context context;
    napi_async_cleanup_hook_handle cleanup;
    uv_poll_t poll;
    uv_timer_t timer;
    unsigned open_handles; /* of the two above */
} node_runtime;

/* After a call that may have changed the runtime's timeout. */
void runtime_arm(node_runtime *runtime);

/* The open runtime, or the run in a slot of it; NULL if an exception is pending. */
node_runtime *runtime_get(napi_env env, napi_value value);
haft_run *runtime_run(napi_env env, const node_runtime *runtime, napi_value slot);

/* The memory of a run outside JavaScript, about: so that the garbage collector runs in time. */
#define RUN_BYTES 16384

/* Keeps a run; returns its slot, or SIZE_MAX if an exception is pending. */
size_t runtime_keep(node_runtime *runtime, haft_run *run);

napi_value runtime_create(napi_env env, napi_callback_info info);
napi_value runtime_close(napi_env env, napi_callback_info info);
napi_value runtime_ref(napi_env env, napi_callback_info info);
napi_value runtime_add_tool(napi_env env, napi_callback_info info);

#endif
