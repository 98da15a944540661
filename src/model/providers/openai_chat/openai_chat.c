/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openai_chat.c - the functions of Chat Completions for the table of providers.
 *
 * OpenAI and all compatible servers share them; the rows differ in data (haft__provider.chat).
 * Tests: tests/model/providers/openai_chat/openai_chat_test.c.
 */
#include "model/providers/openai_chat/openai_chat.h"

#include <stdlib.h>

#include "base/error.h"
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

static haft_status write_headers(haft_str key, haft__arena *arena,
                                 haft__provider_headers *ret_headers, haft_error *err)
{
    *ret_headers = (haft__provider_headers){.count = 0};
    return haft__provider_add_bearer(ret_headers, key, arena, err);
}

/* ---- requests ---- */

typedef struct conversation {
    haft__provider_conversation head;
    haft__chat chat;
} conversation;

static haft_status create_conversation(const haft__provider *provider,
                                       haft__provider_conversation **ret_conversation,
                                       haft_error *err)
{
    conversation *c = calloc(1, sizeof(*c));
    if (c == NULL) {
        return haft__fail_no_memory(err);
    }
    c->head.provider = provider;
    haft__chat_init(&c->chat, provider);
    *ret_conversation = &c->head;
    return HAFT_OK;
}

static void destroy_conversation(haft__provider_conversation *head)
{
    conversation *c = (conversation *)head;
    haft__chat_finish(&c->chat);
    free(c);
}

static haft_status write_chat(haft__chat *chat, const haft__request *request,
                              const haft__format *format,
                              const haft__provider_request_options *options, haft__buf *buf,
                              size_t *ret_stable, haft_error *err)
{
    haft_status status = haft__chat_sync_as(chat, request, format, err);
    if (status != HAFT_OK) {
        return status;
    }
    /* Most of the request is kept text. If the buffer cannot grow, haft__buf_check reports it
     * later. */
    (void)!haft__buf_reserve(buf, haft__chat_request_size(chat, request));
    *ret_stable = haft__chat_write(chat, request, options, buf);
    return haft__buf_check(buf, err);
}

/* A request may be in another format than its conversation: it does not use the kept text then,
 * which stays for the next request. */
static haft_status write_request(haft__provider_conversation *head, const haft__request *request,
                                 const haft__provider_request_options *options, haft__buf *buf,
                                 haft_error *err)
{
    conversation *c = (conversation *)head;
    const haft__format *format = haft__format_find(request->format);
    c->chat.shared = options->shared_tools;
    head->apart = c->chat.done > 0 && format != c->chat.format;
    if (!head->apart) {
        return write_chat(&c->chat, request, format, options, buf, &head->stable, err);
    }
    haft__chat single;
    haft__chat_init(&single, head->provider);
    haft_status status = write_chat(&single, request, format, options, buf, &head->stable, err);
    haft__chat_finish(&single);
    return status;
}

static const haft__optional_member optional_members[] = {
    {"allowed_tools", HAFT__MEMBER_ALLOWED_TOOLS, {"tool_choice"}},
    {"tool_choice.function", HAFT__MEMBER_NAMED_CHOICE, {"tool_choice"}},
    {"tool_choice", HAFT__MEMBER_TOOL_CHOICE, {NULL}},
    {"parallel_tool_calls", HAFT__MEMBER_PARALLEL, {NULL}},
    {"stream_options", HAFT__MEMBER_STREAM_OPTIONS, {"include_usage"}},
    {"grammar", HAFT__MEMBER_GRAMMAR, {NULL}},
    {"response_format", HAFT__MEMBER_SCHEMA, {"json_schema", "strict"}},
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
                                                  .write_headers = write_headers,
                                                  .create_conversation = create_conversation,
                                                  .destroy_conversation = destroy_conversation,
                                                  .write_request = write_request,
                                                  .reserved_options = reserved_options,
                                                  .optional_members = optional_members,
                                                  .schema_field = "response_format",
                                                  .models_path = "/models",
                                                  .stream_size = sizeof(haft__openai_stream),
                                                  .init_stream = init_stream,
                                                  .finish_stream = haft__reply_reader_finish_stream,
                                                  .feed = haft__reply_reader_feed_stream,
                                                  .end = haft__reply_reader_end_stream,
                                                  .read_failure = haft__server_error_read_failure};
