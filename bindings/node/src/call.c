/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - calls of tools that JavaScript performs. */
#include "call.h"

#include <stdlib.h>

napi_value call_new(napi_env env, haft_call *call)
{
    const haft_call_facts *facts = haft_call_info(call);
    napi_value made = NULL;
    (void)napi_create_object(env, &made);
    const struct {
        const char *name;
        napi_value value;
    } members[] = {
        {"handle", pointer_new(env, call)},
        {"tool", text_new(env, facts->tool, NAPI_AUTO_LENGTH)},
        {"arguments", text_new(env, facts->arguments.ptr, facts->arguments.len)},
        {"id", text_new(env, facts->call, NAPI_AUTO_LENGTH)},
        {"run", text_new(env, facts->run, NAPI_AUTO_LENGTH)},
        {"thread", text_new(env, facts->thread, NAPI_AUTO_LENGTH)},
        {"user", text_new(env, facts->user, NAPI_AUTO_LENGTH)},
        {"idempotencyKey", text_new(env, facts->idempotency_key, NAPI_AUTO_LENGTH)},
        {"attempt", number_new(env, facts->attempt)},
        {"remainingTurns", number_new(env, facts->remaining_turns)},
        {"epoch", number_new(env, (double)facts->epoch)},
    };
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        (void)napi_set_named_property(env, made, members[i].name, members[i].value);
    }
    return made;
}

/* (call, kind, text): the call is invalid afterwards, unless this throws */
napi_value call_finish(napi_env env, napi_callback_info info)
{
    arguments given;
    haft_error error = {HAFT_OK, "", "", ""};
    char *text = NULL;
    haft_call *call = arguments_get(env, info, &given) ? pointer_get(env, given.values[0]) : NULL;
    if (call != NULL && text_get(env, given.values[2], &text)
        && haft_call_finish(call, (haft_reply_kind)number_get(env, given.values[1]), text, &error)
               != HAFT_OK) {
        (void)error_throw(env, &error);
    }
    free(text);
    return NULL;
}

napi_value call_cancelled(napi_env env, napi_callback_info info)
{
    arguments given;
    haft_call *call = arguments_get(env, info, &given) ? pointer_get(env, given.values[0]) : NULL;
    return call != NULL ? bool_new(env, haft_cancelled(call)) : NULL;
}

/* (call, JSON text) */
napi_value call_emit(napi_env env, napi_callback_info info)
{
    arguments given;
    char *text = NULL;
    haft_call *call = arguments_get(env, info, &given) ? pointer_get(env, given.values[0]) : NULL;
    if (call != NULL && text_get(env, given.values[1], &text) && text != NULL) {
        haft_emit(call, text);
    }
    free(text);
    return NULL;
}
