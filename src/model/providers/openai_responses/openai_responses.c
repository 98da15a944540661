/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openai_responses.c - the functions of OpenAI's Responses API for the table of providers.
 *
 * Tests: tests/model/providers/openai_responses/openai_responses_test.c.
 */
#include "model/providers/openai_responses/openai_responses.h"

#include "base/str.h"
#include "model/providers/openai_responses/request.h"
#include "model/providers/openai_responses/stream.h"

/* ---- endpoint and headers ---- */

static haft_status write_url(const haft__provider *provider, const haft__model_spec *model,
                             haft__buf *buf, haft_error *err)
{
    return haft__provider_join_url(provider, model->base_url, HAFT__LIT("/responses"), buf, err);
}

/* ---- requests ---- */

static const haft__optional_member optional_members[] = {
    {"allowed_tools", HAFT__MEMBER_ALLOWED_TOOLS, {"tool_choice"}},
    {"tool_choice.function", HAFT__MEMBER_NAMED_CHOICE, {"tool_choice"}},
    {"tool_choice", HAFT__MEMBER_TOOL_CHOICE, {NULL}},
    {"parallel_tool_calls", HAFT__MEMBER_PARALLEL, {NULL}},
    {"text.format", HAFT__MEMBER_SCHEMA, {"json_schema", "text"}},
    {"strict", HAFT__MEMBER_STRICT, {NULL}},
    {"include", HAFT__MEMBER_INCLUDE, {"encrypted_content"}},
    {"additional_tools", HAFT__MEMBER_DEFER, {NULL}},
    {"reasoning.effort", HAFT__MEMBER_EFFORT, {"reasoning_effort", "effort"}},
    {NULL, HAFT__MEMBER_COUNT, {NULL}},
};

/* Besides what haft writes itself: state that the server would keep, and replies that come later.
 */
static const char *const reserved_options[] = {
    "model",  "input", "instructions",         "tools",        "tool_choice",
    "stream", "store", "previous_response_id", "conversation", "background",
    NULL};

/* ---- replies ---- */

static void init_stream(haft__provider_stream *stream, const haft__provider_stream_options *options)
{
    haft__responses_stream_init((haft__responses_stream *)stream, options);
}

const haft__provider_api haft__openai_responses_api = {
    .write_url = write_url,
    .write_headers = haft__provider_write_bearer,
    .conversation_size = sizeof(haft__responses_conversation),
    .tool_writer = haft__responses_tool_writer,
    .add_text = haft__responses_add_content,
    .add_message = haft__responses_add_message,
    .is_stale = haft__responses_is_stale,
    .write_body = haft__responses_write_body,
    .schema_field = "text.format",
    .reserved_options = reserved_options,
    .optional_members = optional_members,
    .models_path = "/models",
    .version = "",
    .stream_size = sizeof(haft__responses_stream),
    .init_stream = init_stream,
    .finish_stream = haft__reply_reader_finish_stream,
    .feed = haft__reply_reader_feed_stream,
    .end = haft__reply_reader_end_stream,
    .read_provider_call = haft__responses_read_provider_call,
    .read_failure = haft__server_error_read_failure};
