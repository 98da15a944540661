/* SPDX-License-Identifier: Apache-2.0 */
/* addon.c - the module haft.node, which index.js wraps. */
#include <stdlib.h>

#include "call.h"
#include "run.h"
#include "runtime.h"

static const struct {
    const char *name;
    napi_callback function;
} functions[] = {
    {"runtimeCreate", runtime_create},
    {"runtimeClose", runtime_close},
    {"runtimeRef", runtime_ref},
    {"runtimeAddTool", runtime_add_tool},
    {"agentLoad", agent_load},
    {"agentRelease", agent_release},
    {"runStart", run_start},
    {"runOpen", run_open},
    {"runState", run_state},
    {"runNextEvent", run_next_event},
    {"runWantEvents", run_want_events},
    {"runCommand", run_command},
    {"runRelease", run_release},
    {"runResult", run_result},
    {"callFinish", call_finish},
    {"callCancelled", call_cancelled},
    {"callEmit", call_emit},
};

static const struct {
    const char *name;
    unsigned value;
} constants[] = {
    {"READ_ONLY", HAFT_READ_ONLY},
    {"IDEMPOTENT", HAFT_IDEMPOTENT},
    {"DESTRUCTIVE", HAFT_DESTRUCTIVE},
    {"RETURN_DIRECT", HAFT_RETURN_DIRECT},
    {"NEEDS_APPROVAL", HAFT_NEEDS_APPROVAL},
    {"COST_HEAVY", HAFT_COST_HEAVY},
    {"CACHE_RUN", HAFT_CACHE_RUN},
    {"CACHE_THREAD", HAFT_CACHE_THREAD},
    {"CACHE_GLOBAL", HAFT_CACHE_GLOBAL},
    {"POLLS", HAFT_POLLS},
    {"QUEUED", HAFT_QUEUED},
    {"TEXT", HAFT_REPLY_TEXT},
    {"JSON", HAFT_REPLY_JSON},
    {"ERROR", HAFT_REPLY_ERROR},
    {"COMMAND", HAFT_REPLY_COMMAND},
};

static void forget(napi_env env, void *data, void *hint)
{
    addon *own = data;
    (void)hint;
    if (own->error_class != NULL) {
        (void)napi_delete_reference(env, own->error_class);
    }
    free(own);
}

/* (the class HaftError, path of the word vectors) */
static napi_value set_up(napi_env env, napi_callback_info info)
{
    arguments given;
    addon *own = NULL;
    char *vectors = NULL;
    if (arguments_get(env, info, &given) && napi_get_instance_data(env, (void **)&own) == napi_ok
        && text_get(env, given.values[1], &vectors)) {
        (void)napi_create_reference(env, given.values[0], 1, &own->error_class);
        if (vectors != NULL) {
            (void)setenv("HAFT_VECTORS", vectors, 0); /* a variable of the user comes first */
        }
    }
    free(vectors);
    return NULL;
}

static void add_function(napi_env env, napi_value exports, const char *name, napi_callback function)
{
    napi_value value;
    if (napi_create_function(env, name, NAPI_AUTO_LENGTH, function, NULL, &value) == napi_ok) {
        (void)napi_set_named_property(env, exports, name, value);
    }
}

NAPI_MODULE_INIT()
{
    addon *own = calloc(1, sizeof(*own));
    if (own == NULL || napi_set_instance_data(env, own, forget, NULL) != napi_ok) {
        free(own);
        return NULL;
    }
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        add_function(env, exports, functions[i].name, functions[i].function);
    }
    add_function(env, exports, "setUp", set_up);
    for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
        (void)napi_set_named_property(env, exports, constants[i].name,
                                      number_new(env, constants[i].value));
    }
    (void)napi_set_named_property(env, exports, "version",
                                  text_new(env, haft_version(), NAPI_AUTO_LENGTH));
    return exports;
}
