/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c - Anthropic's Messages: a reply with its blocks, or message_start, content_block_start,
 * _delta, _stop, message_delta and message_stop. Tests: tests/model/native_test.c. */
#include "base/str.h"
#include "model/native_reply.h"
#include "json/object.h"

static const haft__native_reason reasons[] = {
    {"end_turn", HAFT__STOP_END, NULL},
    {"stop_sequence", HAFT__STOP_END, NULL},
    {"tool_use", HAFT__STOP_CALLS, NULL},
    {"max_tokens", HAFT__STOP_LENGTH, NULL},
    {"refusal", HAFT__STOP_REFUSAL, NULL},
    {"pause_turn", HAFT__STOP_END, NULL},
    {"model_context_window_exceeded", HAFT__STOP_LENGTH, NULL},
    {0},
};

static bool is(haft__json object, const char *type)
{
    return haft__str_equal(haft__object_string(object, "type"), haft__str(type));
}

/* In a stream the block's input is empty and arrives in pieces. */
static haft_status take_block(haft__native_reply *n, haft__json block, bool whole, haft_error *err)
{
    haft_status status =
        haft__native_add_text(n, HAFT__DELTA_TEXT, haft__object_string(block, "text"), err);
    if (status == HAFT_OK) {
        status = haft__native_add_text(n, HAFT__DELTA_REASONING,
                                       haft__object_string(block, "thinking"), err);
    }
    if (status != HAFT_OK || !is(block, "tool_use")) {
        return status;
    }
    status = haft__native_begin_call(n, haft__object_string(block, "id"),
                                     haft__object_string(block, "name"), err);
    const haft__json *input = haft__json_get(block, HAFT__LIT("input"));
    if (status == HAFT_OK && input != NULL && input->kind != HAFT__JSON_NULL
        && (whole || input->count > 0)) {
        status = haft__native_add_arguments_value(n, *input, err);
    }
    return status == HAFT_OK && whole ? haft__native_end_call(n, err) : status;
}

static haft_status take_delta(haft__native_reply *n, haft__json delta, haft_error *err)
{
    haft_status status =
        haft__native_add_text(n, HAFT__DELTA_TEXT, haft__object_string(delta, "text"), err);
    if (status == HAFT_OK) {
        status = haft__native_add_text(n, HAFT__DELTA_REASONING,
                                       haft__object_string(delta, "thinking"), err);
    }
    return status == HAFT_OK
               ? haft__native_add_arguments(n, haft__object_string(delta, "partial_json"), err)
               : status;
}

static haft_status take_message(haft__native_reply *n, haft__json message, haft_error *err)
{
    const haft__json *blocks = haft__object_find_kind(message, "content", HAFT__JSON_ARRAY);
    haft_status status = HAFT_OK;
    if (blocks == NULL) {
        return haft__native_add_text(n, HAFT__DELTA_TEXT, haft__object_string(message, "content"),
                                     err);
    }
    n->has_message = true;
    for (uint32_t i = 0; i < blocks->count && status == HAFT_OK; i++) {
        status = take_block(n, blocks->items[i], true, err);
    }
    haft__native_set_stop(n, reasons, haft__object_string(message, "stop_reason"));
    return status;
}

/* Blocks are consecutive, so the end of a block that is a call ends the last call. */
static haft_status take_event(haft__native_reply *n, haft__json value, haft_error *err)
{
    const haft__json *block = haft__object_find_kind(value, "content_block", HAFT__JSON_OBJECT);
    const haft__json *delta = haft__object_find_kind(value, "delta", HAFT__JSON_OBJECT);
    if (is(value, "content_block_start") && block != NULL) {
        n->in_call = is(*block, "tool_use");
        return take_block(n, *block, false, err);
    }
    if (is(value, "content_block_delta") && delta != NULL) {
        return take_delta(n, *delta, err);
    }
    if (is(value, "content_block_stop") && n->in_call) {
        n->in_call = false;
        return haft__native_end_call(n, err);
    }
    if (is(value, "message_delta") && delta != NULL) {
        haft__native_set_stop(n, reasons, haft__object_string(*delta, "stop_reason"));
    }
    return HAFT_OK;
}

static haft_status take(haft__native_reply *n, haft__json value, haft_error *err)
{
    bool whole = haft__json_get(value, HAFT__LIT("content")) != NULL;
    return whole ? take_message(n, value, err) : take_event(n, value, err);
}

haft_status haft__anthropic_read(haft_str body, haft__hash_key hash_key, haft__arena *arena,
                                 haft__model_outcome *ret_answer, haft_error *err)
{
    return haft__native_read_body(body, hash_key, take, arena, ret_answer, err);
}
