/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/providers/openai_responses/request.h - requests to the Responses API as JSON text.
 *
 * Every request has the whole conversation and `store: false`: the server keeps nothing. The bytes
 * of each message are written once and kept. So a request begins with exactly the bytes of the
 * request before: model, tools, input. Members that change from turn to turn follow them.
 */
#ifndef HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_REQUEST_H
#define HAFT_MODEL_PROVIDERS_OPENAI_RESPONSES_REQUEST_H

#include "format/format.h"
#include "model/model.h"
#include "model/provider.h"
#include "model/text_messages.h"

/* The text of a conversation that is kept between its requests. */
typedef struct haft__responses_text {
    const haft__provider *provider;
    const haft__format *format;   /* of calls in the text; NULL: native calls */
    haft__buf model;              /* only this model gets its own items back */
    haft__buf input;              /* the messages so far, separated by commas */
    size_t done;                  /* how many of them */
    haft__declared_tools own;     /* used if `shared` has other tools */
    haft__declared_tools *shared; /* shared by conversations with mostly the same tools; may be
                                     NULL */
    bool lenient; /* no tool is strict: the server rejects `strict`; not with `shared` */
    haft__tool_prompt tool_prompt; /* if the calls are in the text */
} haft__responses_text;

/* `provider` must outlive the text. */
void haft__responses_text_init(haft__responses_text *text, const haft__provider *provider);
void haft__responses_text_finish(haft__responses_text *text);

/* Updates the kept bytes with the messages and tools of the request. `format` is that of the
 * request: haft__format_find(request->format). */
HAFT_MUST_USE haft_status haft__responses_sync(haft__responses_text *text,
                                               const haft__request *request,
                                               const haft__format *format, haft_error *err);

/* The approximate size of the whole request. The text must be in sync with it. */
size_t haft__responses_request_size(const haft__responses_text *text, const haft__request *request);

/* Appends the whole request. The text must be in sync with it. Reserved members of options->options
 * are not sent; one that is null removes a member that would be written otherwise. Returns how many
 * bytes of it the next request should begin with. */
size_t haft__responses_write(const haft__responses_text *text, const haft__request *request,
                             const haft__provider_request_options *options, haft__buf *buf);

/* Appends the input items of one message, separated by commas; at least one. */
void haft__responses_write_message(const haft__provider *provider, haft_str model, haft__buf *buf,
                                   const haft__message *message);

/* Appends the declaration of a tool. */
void haft__responses_write_tool(haft__buf *buf, const haft__tool *tool);
/* The same without `strict`, with the tool's own schema. */
void haft__responses_write_lenient_tool(haft__buf *buf, const haft__tool *tool);

#endif
