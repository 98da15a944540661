/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c - OpenAI's Responses: items message, reasoning and function_call. A stream ends with an
 * event that has the whole response, so that nothing is assembled here. Tests:
 * tests/model/native_test.c. */
#include "base/str.h"
#include "model/native_reply.h"
#include "json/object.h"

static const haft__native_reason reasons[] = {
    {"completed", HAFT__STOP_END, NULL},
    {"incomplete", HAFT__STOP_LENGTH, NULL},
    {"content_filter", HAFT__STOP_REFUSAL, NULL},
    {"failed", HAFT__STOP_END, "the model server aborted the reply"},
    {0},
};

static bool is(haft__json object, const char *type)
{
    return haft__str_equal(haft__object_string(object, "type"), haft__str(type));
}

/* The texts of an item's parts: content of a message, summary of reasoning. */
static haft_status take_parts(haft__native_reply *n, haft__json item, const char *key,
                              haft__delta_kind kind, haft_error *err)
{
    const haft__json *parts = haft__object_find_kind(item, key, HAFT__JSON_ARRAY);
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; parts != NULL && i < parts->count && status == HAFT_OK; i++) {
        haft__json part = parts->items[i];
        status = haft__native_add_text(n, kind, haft__object_string(part, "text"), err);
        if (status == HAFT_OK) {
            status = haft__native_add_text(n, kind, haft__object_string(part, "refusal"), err);
        }
    }
    return status;
}

static haft_status take_item(haft__native_reply *n, haft__json item, haft_error *err)
{
    if (is(item, "message")) {
        return take_parts(n, item, "content", HAFT__DELTA_TEXT, err);
    }
    if (is(item, "reasoning")) {
        return take_parts(n, item, "summary", HAFT__DELTA_REASONING, err);
    }
    if (!is(item, "function_call")) {
        return HAFT_OK;
    }
    haft_status status = haft__native_begin_call(n, haft__object_string(item, "call_id"),
                                                 haft__object_string(item, "name"), err);
    if (status == HAFT_OK) {
        status = haft__native_add_arguments(n, haft__object_string(item, "arguments"), err);
    }
    return status == HAFT_OK ? haft__native_end_call(n, err) : status;
}

static haft_status take_response(haft__native_reply *n, haft__json response, haft_error *err)
{
    const haft__json *items = haft__object_find_kind(response, "output", HAFT__JSON_ARRAY);
    const haft__json *why =
        haft__object_find_kind(response, "incomplete_details", HAFT__JSON_OBJECT);
    haft_status status = HAFT_OK;
    if (items == NULL) {
        return HAFT_OK; /* another kind of event */
    }
    n->has_message = true;
    for (uint32_t i = 0; i < items->count && status == HAFT_OK; i++) {
        status = take_item(n, items->items[i], err);
    }
    haft__native_set_stop(n, reasons, haft__object_string(response, "status"));
    if (why != NULL
        && haft__str_equal(haft__object_string(*why, "reason"), HAFT__LIT("content_filter"))) {
        haft__native_set_stop(n, reasons, HAFT__LIT("content_filter"));
    }
    return status;
}

/* Only the events that end a response matter: they contain all of it. */
static haft_status take(haft__native_reply *n, haft__json value, haft_error *err)
{
    const haft__json *response = haft__object_find_kind(value, "response", HAFT__JSON_OBJECT);
    if (!haft__str_starts_with(haft__object_string(value, "type"), HAFT__LIT("response."))) {
        return take_response(n, value, err);
    }
    n->has_message = true;
    bool ends = is(value, "response.completed") || is(value, "response.incomplete")
                || is(value, "response.failed");
    return ends && response != NULL ? take_response(n, *response, err) : HAFT_OK;
}

haft_status haft__responses_read(haft_str body, haft__hash_key hash_key, haft__arena *arena,
                                 haft__model_outcome *ret_answer, haft_error *err)
{
    return haft__native_read_body(body, hash_key, take, arena, ret_answer, err);
}
