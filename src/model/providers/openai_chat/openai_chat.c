/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openai_chat.c - the functions of Chat Completions for the table of providers.
 *
 * OpenAI and all compatible servers share them; the rows differ in data (haft__provider.chat).
 * Tests: tests/model/providers/openai_chat/openai_chat_test.c.
 */
#include "model/providers/openai_chat/openai_chat.h"

#include "base/str.h"
#include "model/providers/openai_chat/request.h"
#include "model/providers/openai_chat/stream.h"

/* ---- endpoint and headers ---- */

static haft_status write_url(const haft__provider *provider, const haft__model_spec *model,
                             haft__buf *buf, haft_error *err)
{
    return haft__provider_join_url(provider, model->base_url, HAFT__LIT("/chat/completions"), buf,
                                   err);
}

/* ---- requests ---- */

static const haft__optional_member optional_members[] = {
    {"allowed_tools", HAFT__MEMBER_ALLOWED_TOOLS, {"tool_choice"}},
    {"tool_choice.function", HAFT__MEMBER_NAMED_CHOICE, {"tool_choice"}},
    {"tool_choice", HAFT__MEMBER_TOOL_CHOICE, {NULL}},
    {"parallel_tool_calls", HAFT__MEMBER_PARALLEL, {NULL}},
    {"stream_options", HAFT__MEMBER_STREAM_OPTIONS, {"include_usage"}},
    {"grammar", HAFT__MEMBER_GRAMMAR, {NULL}},
    {"response_format", HAFT__MEMBER_SCHEMA, {"json_schema", "strict"}},
    {"reasoning_effort", HAFT__MEMBER_EFFORT, {"effort"}},
    {NULL, HAFT__MEMBER_COUNT, {NULL}},
};

static const char *const reserved_options[] = {"model",       "messages", "tools",
                                               "tool_choice", "stream",   NULL};

/* ---- replies ---- */

static void init_stream(haft__provider_stream *stream, const haft__provider_stream_options *options)
{
    haft__openai_stream_init((haft__openai_stream *)stream, options);
}

const haft__provider_api haft__openai_chat_api = {.write_url = write_url,
                                                  .write_headers = haft__provider_write_bearer,
                                                  .conversation_size =
                                                      sizeof(haft__provider_conversation),
                                                  .tool_writer = haft__chat_tool_writer,
                                                  .add_text = haft__chat_add_text,
                                                  .add_message = haft__chat_add_message,
                                                  .write_body = haft__chat_write_body,
                                                  .reserved_options = reserved_options,
                                                  .optional_members = optional_members,
                                                  .schema_field = "response_format",
                                                  .models_path = "/models",
                                                  .version = "",
                                                  .stream_size = sizeof(haft__openai_stream),
                                                  .init_stream = init_stream,
                                                  .finish_stream = haft__reply_reader_finish_stream,
                                                  .feed = haft__reply_reader_feed_stream,
                                                  .end = haft__reply_reader_end_stream,
                                                  .read_failure = haft__server_error_read_failure};
