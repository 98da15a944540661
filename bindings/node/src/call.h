/* SPDX-License-Identifier: Apache-2.0 */
/* call.h - calls of tools that JavaScript performs. */
#ifndef HAFT_NODE_CALL_H
#define HAFT_NODE_CALL_H

#include "values.h"

/* The facts of a call as an object; `handle` in it is the call itself. */
napi_value call_new(napi_env env, haft_call *call);

napi_value call_finish(napi_env env, napi_callback_info info);
napi_value call_cancelled(napi_env env, napi_callback_info info);
napi_value call_emit(napi_env env, napi_callback_info info);

#endif
