/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openai_responses.c - the functions of OpenAI's Responses API for the table of providers.
 *
 * Tests: tests/model/providers/openai_responses/openai_responses_test.c.
 */
#include "model/providers/openai_responses/openai_responses.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "model/providers/openai_responses/request.h"
#include "model/providers/openai_responses/stream.h"

/* ---- endpoint and headers ---- */

static haft_status write_url(const haft__provider *provider, const haft__model_spec *model,
                             haft__buf *buf, haft_error *err)
{
    return haft__provider_join_url(provider, model->base_url, HAFT__LIT("/responses"), buf, err);
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
    haft__responses_text text;
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
    haft__responses_text_init(&c->text, provider);
    *ret_conversation = &c->head;
    return HAFT_OK;
}

static void destroy_conversation(haft__provider_conversation *head)
{
    conversation *c = (conversation *)head;
    haft__responses_text_finish(&c->text);
    free(c);
}

/* Chooses how tools are declared. Declarations that are kept in the other form are dropped. */
static void set_strictness(haft__responses_text *text, const haft__request *request,
                           const haft__provider_request_options *options)
{
    bool lenient =
        request->tool_count > 0 && !haft__provider_use_member(options, HAFT__MEMBER_STRICT);
    text->shared = lenient ? NULL : options->shared_tools;
    if (lenient != text->lenient) {
        haft__declared_tools_finish(&text->own);
        text->lenient = lenient;
    }
}

static haft_status write_from(haft__responses_text *text, const haft__request *request,
                              const haft__format *format,
                              const haft__provider_request_options *options, haft__buf *buf,
                              size_t *ret_stable, haft_error *err)
{
    set_strictness(text, request, options);
    haft_status status = haft__responses_sync(text, request, format, err);
    if (status != HAFT_OK) {
        return status;
    }
    /* Most of the request is kept text. If the buffer cannot grow, haft__buf_check reports it
     * later. */
    (void)!haft__buf_reserve(buf, haft__responses_request_size(text, request));
    *ret_stable = haft__responses_write(text, request, options, buf);
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
    head->apart = c->text.done > 0 && format != c->text.format;
    if (!head->apart) {
        return write_from(&c->text, request, format, options, buf, &head->stable, err);
    }
    haft__responses_text single;
    haft__responses_text_init(&single, head->provider);
    haft_status status = write_from(&single, request, format, options, buf, &head->stable, err);
    haft__responses_text_finish(&single);
    return status;
}

static const haft__optional_member optional_members[] = {
    {"allowed_tools", HAFT__MEMBER_ALLOWED_TOOLS, {"tool_choice"}},
    {"tool_choice.function", HAFT__MEMBER_NAMED_CHOICE, {"tool_choice"}},
    {"tool_choice", HAFT__MEMBER_TOOL_CHOICE, {NULL}},
    {"parallel_tool_calls", HAFT__MEMBER_PARALLEL, {NULL}},
    {"text.format", HAFT__MEMBER_SCHEMA, {"json_schema", "text"}},
    {"strict", HAFT__MEMBER_STRICT, {NULL}},
    {"include", HAFT__MEMBER_INCLUDE, {"encrypted_content"}},
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
    .write_headers = write_headers,
    .create_conversation = create_conversation,
    .destroy_conversation = destroy_conversation,
    .write_request = write_request,
    .schema_field = "text.format",
    .reserved_options = reserved_options,
    .optional_members = optional_members,
    .models_path = "/models",
    .stream_size = sizeof(haft__responses_stream),
    .init_stream = init_stream,
    .finish_stream = haft__reply_reader_finish_stream,
    .feed = haft__reply_reader_feed_stream,
    .end = haft__reply_reader_end_stream,
    .read_failure = haft__server_error_read_failure};
