/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c - Gemini's generateContent: candidates with parts. In a stream every event is such a
 * value, and calls arrive whole. Tests: tests/model/native_test.c. */
#include "base/str.h"
#include "model/native_reply.h"
#include "json/object.h"

static const haft__native_reason reasons[] = {
    {"STOP", HAFT__STOP_END, NULL},
    {"MAX_TOKENS", HAFT__STOP_LENGTH, NULL},
    {"SAFETY", HAFT__STOP_REFUSAL, NULL},
    {"RECITATION", HAFT__STOP_REFUSAL, NULL},
    {"BLOCKLIST", HAFT__STOP_REFUSAL, NULL},
    {"PROHIBITED_CONTENT", HAFT__STOP_REFUSAL, NULL},
    {"SPII", HAFT__STOP_REFUSAL, NULL},
    {"MALFORMED_FUNCTION_CALL", HAFT__STOP_END, "the model wrote a malformed call"},
    {0},
};

/* Missing arguments are an empty object. */
static haft_status take_call(haft__native_reply *n, haft__json call, haft_error *err)
{
    const haft__json *args = haft__json_get(call, HAFT__LIT("args"));
    haft_status status = haft__native_begin_call(n, haft__object_string(call, "id"),
                                                 haft__object_string(call, "name"), err);
    if (status == HAFT_OK && args != NULL && args->kind != HAFT__JSON_NULL) {
        status = haft__native_add_arguments_value(n, *args, err);
    }
    return status == HAFT_OK ? haft__native_end_call(n, err) : status;
}

static haft_status take_part(haft__native_reply *n, haft__json part, haft_error *err)
{
    bool thought = haft__object_find_kind(part, "thought", HAFT__JSON_TRUE) != NULL;
    const haft__json *call = haft__object_find_kind(part, "functionCall", HAFT__JSON_OBJECT);
    haft_status status =
        haft__native_add_text(n, thought ? HAFT__DELTA_REASONING : HAFT__DELTA_TEXT,
                              haft__object_string(part, "text"), err);
    return status == HAFT_OK && call != NULL ? take_call(n, *call, err) : status;
}

/* The first of several candidates counts. */
static haft_status take(haft__native_reply *n, haft__json value, haft_error *err)
{
    const haft__json *list = haft__object_find_kind(value, "candidates", HAFT__JSON_ARRAY);
    if (list == NULL || list->count == 0) {
        return HAFT_OK;
    }
    haft__json first = list->items[0];
    const haft__json *content = haft__object_find_kind(first, "content", HAFT__JSON_OBJECT);
    const haft__json *parts =
        content != NULL ? haft__object_find_kind(*content, "parts", HAFT__JSON_ARRAY) : NULL;
    haft_status status = HAFT_OK;
    n->has_message = true;
    for (uint32_t i = 0; parts != NULL && i < parts->count && status == HAFT_OK; i++) {
        status = take_part(n, parts->items[i], err);
    }
    haft__native_set_stop(n, reasons, haft__object_string(first, "finishReason"));
    return status;
}

haft_status haft__gemini_read(haft_str body, haft__hash_key hash_key, haft__arena *arena,
                              haft__model_outcome *ret_answer, haft_error *err)
{
    return haft__native_read_body(body, hash_key, take, arena, ret_answer, err);
}
