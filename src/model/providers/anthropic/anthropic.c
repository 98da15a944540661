/* SPDX-License-Identifier: Apache-2.0 */
/*
 * anthropic.c - the functions of Anthropic's Messages API for the table of providers.
 *
 * Tests: tests/model/providers/anthropic/anthropic_test.c.
 */
#include "model/providers/anthropic/anthropic.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "model/providers/anthropic/request.h"
#include "model/providers/anthropic/stream.h"

/* The version of the API that the requests and replies of this folder follow. */
#define VERSION "anthropic-version: 2026-10-21"

/* ---- endpoint and headers ---- */

/* Anthropic's own clients take a base URL without /v1, other programs one with it. */
static haft_status write_url(const haft__provider *provider, const haft__model_spec *model,
                             haft__buf *buf, haft_error *err)
{
    haft_str start = haft__str_trim(model->base_url);
    start = haft__str_split(&start, '?');
    while (haft__str_ends_with(start, HAFT__LIT("/"))) {
        start.len--;
    }
    bool has_version = start.len == 0 || haft__str_ends_with(start, HAFT__LIT("/v1"))
                       || haft__str_ends_with(start, HAFT__LIT("/messages"));
    return haft__provider_join_url(provider, model->base_url,
                                   has_version ? HAFT__LIT("/messages") : HAFT__LIT("/v1/messages"),
                                   buf, err);
}

static haft_status write_headers(haft_str key, haft__arena *arena,
                                 haft__provider_headers *ret_headers, haft_error *err)
{
    *ret_headers = (haft__provider_headers){.lines = {HAFT__LIT(VERSION)}, .count = 1};
    return haft__provider_add_bearer(ret_headers, key, arena, err);
}

/* ---- requests ---- */

typedef struct conversation {
    haft__provider_conversation head;
    haft__anthropic_chat chat;
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
    haft__anthropic_chat_init(&c->chat, provider);
    *ret_conversation = &c->head;
    return HAFT_OK;
}

static void destroy_conversation(haft__provider_conversation *head)
{
    conversation *c = (conversation *)head;
    haft__anthropic_chat_finish(&c->chat);
    free(c);
}

/* A request may be in another format than its conversation: it does not use the kept text then,
 * which stays for the next request. */
static haft_status write_request(haft__provider_conversation *head, const haft__request *request,
                                 const haft__provider_request_options *options, haft__buf *buf,
                                 haft_error *err)
{
    conversation *c = (conversation *)head;
    const haft__format *format = haft__format_find(request->format);
    head->apart = c->chat.done > 0 && format != c->chat.format;
    if (!head->apart) {
        haft_status written =
            haft__anthropic_chat_write(&c->chat, request, options, buf, head, err);
        head->unsent = c->chat.unsent;
        return written;
    }
    head->unsent = 0;
    haft__anthropic_chat single;
    haft__anthropic_chat_init(&single, head->provider);
    haft_status status = haft__anthropic_chat_write(&single, request, options, buf, head, err);
    haft__anthropic_chat_finish(&single);
    return status;
}

static const haft__optional_member optional_members[] = {
    {"tool_choice", HAFT__MEMBER_TOOL_CHOICE, {NULL}},
    {"disable_parallel_tool_use", HAFT__MEMBER_PARALLEL, {NULL}},
    {"output_config.format", HAFT__MEMBER_SCHEMA, {"output_config", "output_format"}},
    {"cache_control", HAFT__MEMBER_CACHE, {NULL}},
    {NULL, HAFT__MEMBER_COUNT, {NULL}},
};

static const char *const reserved_options[] = {"model",       "system", "messages", "tools",
                                               "tool_choice", "stream", NULL};

/* ---- replies ---- */

static void init_stream(haft__provider_stream *stream, const haft__provider_stream_options *options)
{
    haft__anthropic_stream_init((haft__anthropic_stream *)stream, options);
}

const haft__provider_api haft__anthropic_api = {.write_url = write_url,
                                                .write_headers = write_headers,
                                                .create_conversation = create_conversation,
                                                .destroy_conversation = destroy_conversation,
                                                .write_request = write_request,
                                                .reserved_options = reserved_options,
                                                .optional_members = optional_members,
                                                .schema_field = "output_config.format",
                                                .models_path = "/models",
                                                .stream_size = sizeof(haft__anthropic_stream),
                                                .init_stream = init_stream,
                                                .finish_stream = haft__reply_reader_finish_stream,
                                                .feed = haft__reply_reader_feed_stream,
                                                .end = haft__reply_reader_end_stream,
                                                .read_failure = haft__server_error_read_failure};
