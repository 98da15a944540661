/* SPDX-License-Identifier: Apache-2.0 */
/* values.c - values between C and JavaScript, and errors. */
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool arguments_get(napi_env env, napi_callback_info info, arguments *ret_arguments)
{
    size_t count = MOST_ARGUMENTS; /* those that are missing become undefined */
    return napi_get_cb_info(env, info, &count, ret_arguments->values, NULL, NULL) == napi_ok;
}

bool text_get(napi_env env, napi_value value, char **ret_text)
{
    napi_valuetype type = napi_undefined;
    size_t length = 0;
    *ret_text = NULL;
    (void)napi_typeof(env, value, &type);
    if (type == napi_undefined || type == napi_null) {
        return true;
    }
    if (napi_get_value_string_utf8(env, value, NULL, 0, &length) != napi_ok) {
        (void)error_throw_text(env, HAFT_BAD_INPUT, "expected a string");
        return false;
    }
    char *text = malloc(length + 1);
    if (text == NULL
        || napi_get_value_string_utf8(env, value, text, length + 1, &length) != napi_ok) {
        free(text);
        (void)error_throw_text(env, HAFT_NO_MEMORY, "out of memory");
        return false;
    }
    if (strlen(text) != length) {
        free(text);
        (void)error_throw_text(env, HAFT_BAD_INPUT, "expected a string without NUL characters");
        return false;
    }
    *ret_text = text;
    return true;
}

bool bool_get(napi_env env, napi_value value)
{
    bool found = false;
    (void)napi_get_value_bool(env, value, &found);
    return found;
}

double number_get(napi_env env, napi_value value)
{
    double found = 0;
    (void)napi_get_value_double(env, value, &found);
    return found;
}

napi_value member_get(napi_env env, napi_value object, const char *name)
{
    napi_value value = NULL;
    if (napi_get_named_property(env, object, name, &value) != napi_ok) {
        (void)napi_get_undefined(env, &value);
    }
    return value;
}

void *pointer_get(napi_env env, napi_value value)
{
    void *pointer = NULL;
    if (napi_get_value_external(env, value, &pointer) != napi_ok) {
        (void)error_throw_text(env, HAFT_BAD_INPUT, "expected an object of this module");
    }
    return pointer;
}

napi_value text_new(napi_env env, const char *text, size_t length)
{
    napi_value value = NULL;
    (void)napi_create_string_utf8(env, text != NULL ? text : "", length, &value);
    return value;
}

napi_value number_new(napi_env env, double number)
{
    napi_value value = NULL;
    (void)napi_create_double(env, number, &value);
    return value;
}

napi_value bool_new(napi_env env, bool given)
{
    napi_value value = NULL;
    (void)napi_get_boolean(env, given, &value);
    return value;
}

napi_value pointer_new(napi_env env, void *pointer)
{
    napi_value value = NULL;
    (void)napi_create_external(env, pointer, NULL, NULL, &value);
    return value;
}

napi_value array_new(napi_env env, const napi_value *items, size_t count)
{
    napi_value array = NULL;
    if (napi_create_array_with_length(env, count, &array) == napi_ok) {
        for (size_t i = 0; i < count; i++) {
            (void)napi_set_element(env, array, (uint32_t)i, items[i]);
        }
    }
    return array;
}

napi_value error_throw(napi_env env, const haft_error *error)
{
    addon *own = NULL;
    napi_value class = NULL, made = NULL;
    const char *texts[] = {haft_status_name(error->status), error->message, error->where,
                           error->hint};
    napi_value values[4];
    for (size_t i = 0; i < 4; i++) {
        values[i] = text_new(env, texts[i], NAPI_AUTO_LENGTH);
    }
    bool known = napi_get_instance_data(env, (void **)&own) == napi_ok && own != NULL
                 && own->error_class != NULL
                 && napi_get_reference_value(env, own->error_class, &class) == napi_ok
                 && napi_new_instance(env, class, 4, values, &made) == napi_ok;
    (void)(known ? napi_throw(env, made) : napi_throw_error(env, texts[0], error->message));
    return NULL;
}

napi_value error_throw_text(napi_env env, haft_status status, const char *message)
{
    haft_error error = {.status = status};
    (void)snprintf(error.message, sizeof(error.message), "%s", message);
    return error_throw(env, &error);
}
