/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - agents and runs. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "runtime.h"

/* The arguments of a function whose first is a runtime, which must be open. */
static node_runtime *get(napi_env env, napi_callback_info info, arguments *ret_given)
{
    return arguments_get(env, info, ret_given) ? runtime_get(env, ret_given->values[0]) : NULL;
}

/* ---- agents ---- */

/* (runtime, path) */
napi_value agent_load(napi_env env, napi_callback_info info)
{
    arguments given;
    haft_error error = {HAFT_OK, "", "", ""};
    haft_agent *agent = NULL;
    char *path = NULL;
    node_runtime *runtime = get(env, info, &given);
    napi_value made = NULL;
    if (runtime != NULL && text_get(env, given.values[1], &path)) {
        made = haft_agent_load(runtime->handle, path, &agent, &error) == HAFT_OK
                   ? pointer_new(env, agent)
                   : error_throw(env, &error);
        runtime_arm(runtime);
    }
    free(path);
    return made;
}

/* (agent) */
napi_value agent_release(napi_env env, napi_callback_info info)
{
    arguments given;
    if (arguments_get(env, info, &given)) {
        haft_agent_release(pointer_get(env, given.values[0]));
    }
    return NULL;
}

/* ---- beginning and end ---- */

/* [slot, id] */
static napi_value keep(napi_env env, node_runtime *runtime, haft_run *run)
{
    size_t slot = runtime_keep(runtime, run);
    if (slot == SIZE_MAX) {
        return NULL;
    }
    runtime_arm(runtime);
    napi_value values[] = {number_new(env, (double)slot),
                           text_new(env, haft_run_id(run), NAPI_AUTO_LENGTH)};
    return array_new(env, values, 2);
}

/* (runtime, agent, task, thread, user, enqueue) */
napi_value run_start(napi_env env, napi_callback_info info)
{
    arguments given;
    haft_error error = {HAFT_OK, "", "", ""};
    haft_run *run = NULL;
    char *task = NULL, *thread = NULL, *user = NULL;
    node_runtime *runtime = get(env, info, &given);
    haft_agent *agent = runtime != NULL ? pointer_get(env, given.values[1]) : NULL;
    napi_value made = NULL;
    if (agent != NULL && text_get(env, given.values[2], &task)
        && text_get(env, given.values[3], &thread) && text_get(env, given.values[4], &user)) {
        haft_run_options options = HAFT_RUN_OPTIONS_INIT;
        options.thread = thread;
        options.user = user;
        options.enqueue = bool_get(env, given.values[5]);
        made = haft_run_start(agent, task, &options, &run, &error) == HAFT_OK
                   ? keep(env, runtime, run)
                   : error_throw(env, &error);
    }
    free(task);
    free(thread);
    free(user);
    return made;
}

/* (runtime, id) */
napi_value run_open(napi_env env, napi_callback_info info)
{
    arguments given;
    haft_error error = {HAFT_OK, "", "", ""};
    haft_run *run = NULL;
    char *id = NULL;
    node_runtime *runtime = get(env, info, &given);
    napi_value made = NULL;
    if (runtime != NULL && text_get(env, given.values[1], &id)) {
        made = haft_run_open(runtime->handle, id, &run, &error) == HAFT_OK
                   ? keep(env, runtime, run)
                   : error_throw(env, &error);
    }
    free(id);
    return made;
}

/* (runtime, slot) */
napi_value run_release(napi_env env, napi_callback_info info)
{
    arguments given;
    node_runtime *runtime = get(env, info, &given);
    if (runtime != NULL) {
        haft_run *run = runtime_run(env, runtime, given.values[1]);
        haft_changes_remove(runtime->changes, (size_t)number_get(env, given.values[1]));
        haft_run_release(run);
        runtime_arm(runtime);
        int64_t total = 0;
        (void)napi_adjust_external_memory(env, -RUN_BYTES, &total);
    }
    return NULL;
}

/* ---- state and events ---- */

/* (runtime, slot): ["running"], ["waiting"] or ["ended", end, answer]; throws if it is stopped */
napi_value run_state(napi_env env, napi_callback_info info)
{
    arguments given;
    node_runtime *runtime = get(env, info, &given);
    if (runtime == NULL) {
        return NULL;
    }
    haft_run *run = runtime_run(env, runtime, given.values[1]);
    haft_state state = haft_run_state(run);
    if (state == HAFT_STOPPED) {
        return error_throw(env, haft_run_error(run));
    }
    const char *name = state == HAFT_ENDED     ? "ended"
                       : state == HAFT_WAITING ? "waiting"
                                               : "running";
    haft_str answer = haft_run_answer_text(run);
    napi_value values[] = {text_new(env, name, NAPI_AUTO_LENGTH),
                           text_new(env, haft_run_end(run), NAPI_AUTO_LENGTH),
                           text_new(env, answer.ptr, answer.len)};
    return array_new(env, values, 3);
}

/* (runtime, slot): the result as JSON text */
napi_value run_result(napi_env env, napi_callback_info info)
{
    arguments given;
    haft_error error = {HAFT_OK, "", "", ""};
    char *json = NULL;
    node_runtime *runtime = get(env, info, &given);
    if (runtime == NULL) {
        return NULL;
    }
    haft_run *run = runtime_run(env, runtime, given.values[1]);
    if (haft_run_result(run, &json, &error) != HAFT_OK) {
        return error_throw(env, &error);
    }
    napi_value made = text_new(env, json, NAPI_AUTO_LENGTH);
    haft_free(json);
    runtime_arm(runtime);
    return made;
}

/* (runtime, slot): [seq, JSON text], or undefined if there is none at present */
napi_value run_next_event(napi_env env, napi_callback_info info)
{
    arguments given;
    haft_event event;
    node_runtime *runtime = get(env, info, &given);
    if (runtime == NULL
        || !haft_run_next_event(runtime_run(env, runtime, given.values[1]), &event)) {
        return NULL;
    }
    napi_value values[] = {number_new(env, (double)event.seq),
                           text_new(env, event.json.ptr, event.json.len)};
    return array_new(env, values, 2);
}

/* (runtime, slot, whether) */
napi_value run_want_events(napi_env env, napi_callback_info info)
{
    arguments given;
    node_runtime *runtime = get(env, info, &given);
    if (runtime != NULL) {
        haft_changes_want_events(runtime->changes, (size_t)number_get(env, given.values[1]),
                                 bool_get(env, given.values[2]));
    }
    return NULL;
}

/* ---- commands ---- */

static haft_status cancel(haft_run *run, const char *call, const char *text, haft_error *err)
{
    (void)call;
    (void)text;
    return haft_run_cancel(run, err);
}

static haft_status again(haft_run *run, const char *call, const char *text, haft_error *err)
{
    (void)text;
    return haft_run_again(run, call, err);
}

static const struct {
    const char *name;
    haft_status (*run)(haft_run *run, const char *call, const char *text, haft_error *err);
} commands[] = {{"answer", haft_run_answer},
                {"approve", haft_run_approve},
                {"reject", haft_run_reject},
                {"again", again},
                {"cancel", cancel}};

/* (runtime, slot, command, call, text) */
napi_value run_command(napi_env env, napi_callback_info info)
{
    arguments given;
    haft_error error = {HAFT_OK, "", "", ""};
    char *name = NULL, *call = NULL, *text = NULL;
    node_runtime *runtime = get(env, info, &given);
    if (runtime != NULL && text_get(env, given.values[2], &name)
        && text_get(env, given.values[3], &call) && text_get(env, given.values[4], &text)) {
        size_t i = 0;
        while (strcmp(commands[i].name, name) != 0) {
            i++;
        }
        haft_run *run = runtime_run(env, runtime, given.values[1]);
        if (commands[i].run(run, call, text, &error) != HAFT_OK) {
            (void)error_throw(env, &error);
        }
        haft_changes_expect(runtime->changes, (size_t)number_get(env, given.values[1]));
        runtime_arm(runtime);
    }
    free(name);
    free(call);
    free(text);
    return NULL;
}
