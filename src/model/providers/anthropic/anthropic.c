/* SPDX-License-Identifier: Apache-2.0 */
/*
 * anthropic.c - the functions of Anthropic's Messages API for the table of providers.
 *
 * Tests: tests/model/providers/anthropic/anthropic_test.c.
 */
#include "model/providers/anthropic/anthropic.h"

#include "base/str.h"
#include "model/providers/anthropic/items.h"
#include "model/providers/anthropic/request.h"
#include "model/providers/anthropic/stream.h"

/* The version of the API that the requests and replies of this folder follow. */
#define VERSION "anthropic-version: 2026-10-21"

/* ---- endpoint and headers ---- */

static haft_status write_url(const haft__provider *provider, const haft__model_spec *model,
                             haft__buf *buf, haft_error *err)
{
    haft_str path = HAFT__LIT("/messages");
    bool has_version = haft__provider_version(provider, model->base_url, path).len == 0;
    return haft__provider_join_url(provider, model->base_url,
                                   has_version ? path : HAFT__LIT("/v1/messages"), buf, err);
}

static haft_status write_headers(haft_str key, haft__arena *arena,
                                 haft__provider_headers *ret_headers, haft_error *err)
{
    *ret_headers = (haft__provider_headers){.lines = {HAFT__LIT(VERSION)}, .count = 1};
    return haft__provider_add_bearer(ret_headers, key, arena, err);
}

/* ---- requests ---- */

static const haft__optional_member optional_members[] = {
    {"tool_choice", HAFT__MEMBER_TOOL_CHOICE, {NULL}},
    {"disable_parallel_tool_use", HAFT__MEMBER_PARALLEL, {NULL}},
    {"output_config.effort", HAFT__MEMBER_EFFORT, {"effort"}},
    {"output_config.format", HAFT__MEMBER_SCHEMA, {"output_config", "output_format"}},
    {"output_config.effort", HAFT__MEMBER_EFFORT, {"output_config"}},
    {"cache_control", HAFT__MEMBER_CACHE, {NULL}},
    {"defer_loading", HAFT__MEMBER_DEFER, {"tool_reference"}},
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
                                                .conversation_size = sizeof(haft__anthropic_chat),
                                                .system_apart = true,
                                                .user_first = true,
                                                .write_tool = haft__anthropic_write_tool,
                                                .add_text = haft__anthropic_add_text,
                                                .add_message = haft__anthropic_add_message,
                                                .is_stale = haft__anthropic_is_stale,
                                                .write_body = haft__anthropic_write_body,
                                                .reserved_options = reserved_options,
                                                .optional_members = optional_members,
                                                .schema_field = "output_config.format",
                                                .models_path = "/models",
                                                .models_query = "limit=1000",
                                                .version = "/v1",
                                                .stream_size = sizeof(haft__anthropic_stream),
                                                .init_stream = init_stream,
                                                .finish_stream = haft__reply_reader_finish_stream,
                                                .feed = haft__reply_reader_feed_stream,
                                                .end = haft__reply_reader_end_stream,
                                                .read_provider_call =
                                                    haft__anthropic_read_provider_call,
                                                .read_failure = haft__server_error_read_failure};
