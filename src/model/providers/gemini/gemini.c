/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemini.c - the functions of Gemini's generateContent for the table of providers.
 *
 * Tests: tests/model/providers/gemini/gemini_test.c.
 */
#include "model/providers/gemini/gemini.h"

#include "base/ascii.h"
#include "base/str.h"
#include "model/providers/gemini/request.h"
#include "model/providers/gemini/stream.h"

/* ---- endpoint and headers ---- */

/* A name may begin with its collection: models/NAME, tunedModels/NAME. */
static void add_model(haft__buf *path, haft_str model)
{
    bool has_collection = memchr(model.ptr, '/', model.len) != NULL;
    haft__buf_add_str(path, has_collection ? HAFT__LIT("/") : HAFT__LIT("/models/"));
    for (size_t i = 0; i < model.len; i++) {
        char c = model.ptr[i];
        if (haft__ascii_is_alphanumeric(c) || memchr("-._~/", c, 5) != NULL) {
            haft__buf_add_char(path, c);
        } else {
            haft__buf_addf(path, "%%%02X", (unsigned char)c);
        }
    }
}

/* A reply in pieces has its own method. Without alt=sse its pieces would be one JSON array. */
static haft_status write_url(const haft__provider *provider, const haft__model_spec *model,
                             haft__buf *buf, haft_error *err)
{
    bool stream = haft__provider_wants_stream(model);
    haft__buf path;
    haft__buf_init(&path, buf->max);
    haft__buf_add_str(&path, haft__provider_version(provider, model->base_url, HAFT__LIT("?")));
    add_model(&path, model->model);
    haft__buf_add_str(&path,
                      stream ? HAFT__LIT(":streamGenerateContent") : HAFT__LIT(":generateContent"));
    haft_status status = haft__buf_check(&path, err);
    if (status == HAFT_OK) {
        status = haft__provider_join_url(provider, model->base_url, haft__buf_str(&path), buf, err);
    }
    if (status == HAFT_OK && stream) {
        bool has_query = memchr(buf->ptr, '?', buf->len) != NULL;
        haft__buf_add_str(buf, has_query ? HAFT__LIT("&alt=sse") : HAFT__LIT("?alt=sse"));
        status = haft__buf_check(buf, err);
    }
    haft__buf_finish(&path);
    return status;
}

static haft_status write_headers(haft_str key, haft__arena *arena,
                                 haft__provider_headers *ret_headers, haft_error *err)
{
    *ret_headers = (haft__provider_headers){.count = 0};
    if (key.len == 0) {
        return HAFT_OK;
    }
    haft_str line = haft__arena_format(arena, "x-goog-api-key: %.*s", HAFT__ARG(key));
    if (line.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    ret_headers->lines[ret_headers->count++] = line;
    return HAFT_OK;
}

/* ---- requests ---- */

static const haft__optional_member optional_members[] = {
    {"allowedFunctionNames", HAFT__MEMBER_ALLOWED_TOOLS, {"allowed_function_names", "VALIDATED"}},
    {"toolConfig", HAFT__MEMBER_TOOL_CHOICE, {"tool_config", "function_calling_config"}},
    {"generationConfig.responseJsonSchema",
     HAFT__MEMBER_SCHEMA,
     {"response_json_schema", "response_mime_type", "responseJsonSchema"}},
    {"generationConfig.thinkingConfig",
     HAFT__MEMBER_EFFORT,
     {"thinkingConfig", "thinking_config", "thinking_level", "thinking_budget", "Thinking"}},
    {NULL, HAFT__MEMBER_COUNT, {NULL}},
};

/* Besides what haft writes itself: contents that the server keeps, which replace the tools. */
static const char *const reserved_options[] = {
    "model",      "contents",    "systemInstruction", "system_instruction", "tools",
    "toolConfig", "tool_config", "cachedContent",     "cached_content",     "continuationToken",
    "stream",     NULL};

/* ---- replies ---- */

static void init_stream(haft__provider_stream *stream, const haft__provider_stream_options *options)
{
    haft__gemini_stream_init((haft__gemini_stream *)stream, options);
}

const haft__provider_api haft__gemini_api = {.write_url = write_url,
                                             .write_headers = write_headers,
                                             .conversation_size =
                                                 sizeof(haft__provider_conversation),
                                             .system_apart = true,
                                             .user_first = true,
                                             .write_tool = haft__gemini_write_tool,
                                             .add_text = haft__gemini_add_text,
                                             .add_message = haft__gemini_add_message,
                                             .write_body = haft__gemini_write_body,
                                             .reserved_options = reserved_options,
                                             .optional_members = optional_members,
                                             .schema_field = "generationConfig.responseJsonSchema",
                                             .models_path = "/models",
                                             .models_query = "pageSize=1000",
                                             .version = "/v1beta",
                                             .stream_size = sizeof(haft__gemini_stream),
                                             .init_stream = init_stream,
                                             .finish_stream = haft__reply_reader_finish_stream,
                                             .feed = haft__reply_reader_feed_stream,
                                             .end = haft__reply_reader_end_stream,
                                             .continue_reply = haft__gemini_continue_reply,
                                             .read_provider_call = haft__gemini_read_provider_call,
                                             .read_failure = haft__server_error_read_failure};
