/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - agents and runs. A run is named by its slot in the runtime. */
#ifndef HAFT_NODE_RUN_H
#define HAFT_NODE_RUN_H

#include "values.h"

napi_value agent_load(napi_env env, napi_callback_info info);
napi_value agent_release(napi_env env, napi_callback_info info);
napi_value run_start(napi_env env, napi_callback_info info);
napi_value run_open(napi_env env, napi_callback_info info);
napi_value run_state(napi_env env, napi_callback_info info);
napi_value run_result(napi_env env, napi_callback_info info);
napi_value run_next_event(napi_env env, napi_callback_info info);
napi_value run_want_events(napi_env env, napi_callback_info info);
napi_value run_command(napi_env env, napi_callback_info info);
napi_value run_release(napi_env env, napi_callback_info info);

#endif
