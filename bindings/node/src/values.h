/* SPDX-License-Identifier: Apache-2.0 */
/* values.h - values between C and JavaScript, and errors. */
#ifndef HAFT_NODE_VALUES_H
#define HAFT_NODE_VALUES_H

#include <haft.h>
#include <node_api.h>

/* The data of this module for one thread of Node: its main thread, or a worker. */
typedef struct addon {
    napi_ref error_class; /* HaftError */
} addon;

/* The most arguments of a function of the module. */
#define MOST_ARGUMENTS 6

/* The arguments of a call from JavaScript; those that are missing are undefined. */
typedef struct arguments {
    napi_value values[MOST_ARGUMENTS];
} arguments;

bool arguments_get(napi_env env, napi_callback_info info, arguments *ret_arguments);

/* A text with a terminating NUL, which the caller frees; NULL for undefined and null. On failure an
 * exception is pending. */
bool text_get(napi_env env, napi_value value, char **ret_text);

bool bool_get(napi_env env, napi_value value);
double number_get(napi_env env, napi_value value);

/* The member of an object. */
napi_value member_get(napi_env env, napi_value object, const char *name);

/* The pointer of an external value. NULL for another value; then an exception is pending. */
void *pointer_get(napi_env env, napi_value value);

napi_value text_new(napi_env env, const char *text, size_t length);
napi_value number_new(napi_env env, double number);
napi_value bool_new(napi_env env, bool value);
napi_value pointer_new(napi_env env, void *pointer);
napi_value array_new(napi_env env, const napi_value *items, size_t count);

/* Throws a HaftError. Returns NULL, so that a function can return it. */
napi_value error_throw(napi_env env, const haft_error *error);
napi_value error_throw_text(napi_env env, haft_status status, const char *message);

#endif
