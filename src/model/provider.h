/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/provider.h - servers that speak Chat Completions: where they are, and in what they differ.
 *
 * One row each. What a row says decides what haft__chat_write sends; nothing else asks for a
 * provider by name. docs/models.md has the table (a test compares the two).
 */
#ifndef HAFT_MODEL_PROVIDER_H
#define HAFT_MODEL_PROVIDER_H

#include "base/buf.h"
#include "spec/spec.h"

typedef struct haft__provider {
    const char *name;       /* as in a spec */
    const char *base_url;   /* "" when it must be given */
    const char *key_env;    /* the environment variable that has the key; "" for none */
    bool needs_key;         /* without one it answers 401 */
    bool allowed_tools;     /* tool_choice can name several tools */
    bool named_choice;      /* tool_choice can name one; else it is sent alone, as required */
    bool parallel;          /* knows parallel_tool_calls */
    bool stream_usage;      /* knows stream_options.include_usage */
    bool strict_order;      /* a user's message may not follow a tool's */
    bool short_ids;         /* ids of calls are 9 letters and digits */
    bool any_arguments;     /* arguments in the history need not be a JSON object */
    const char *must_call;  /* tool_choice for "some tool" */
    const char *max_tokens; /* what bounds the reply; "" for whatever the options say */
    const char *constraint; /* what holds a reply to a form: "grammar", "response_format", or "" */
    const char *reasoning;  /* what reasoning is sent back as, with calls; "" when it is not */
} haft__provider;

/* All rows; the last is that of haft__provider_compatible. */
const haft__provider *haft__providers(size_t *ret_count);

/* What can be relied on when nothing is known but that a server speaks Chat Completions. */
const haft__provider *haft__provider_compatible(void);

/* The row for a model: `openai` with a base_url of one's own is the compatible one. NULL for
 * providers that speak otherwise (anthropic, gemini, script ...). */
const haft__provider *haft__provider_for_model(const haft__model_spec *model);

/* Appends where requests go: the base URL, which may end in slashes, have a query or be complete
 * already, with /chat/completions. An empty `base_url` is the provider's own. BAD_INPUT when it is
 * no http or https URL. */
HAFT_MUST_USE haft_status haft__provider_url(const haft__provider *provider, haft_str base_url,
                                             haft__buf *buf, haft_error *err);

/* The same with another end, such as /embeddings. */
HAFT_MUST_USE haft_status haft__provider_endpoint_url(const haft__provider *provider,
                                                      haft_str base_url, haft_str end,
                                                      haft__buf *buf, haft_error *err);

/* The environment variable with the key; "" for none. The provider's own is used for its own host
 * alone: a key is never sent to a base_url of somebody else unless the spec names it. */
haft_str haft__provider_key_env(const haft__provider *provider, const haft__model_spec *model);

/* What a model costs, for haft__spec_options.find_price. False when it is not known for sure.
 * `context` is not used. */
bool haft__provider_price(void *context, haft_str provider, haft_str model, haft__price *ret_price);

/* How long the host waits for a model server. */
typedef struct haft__model_timeouts {
    uint64_t connect_ms, first_byte_ms, idle_ms, total_ms;
} haft__model_timeouts;

haft__model_timeouts haft__model_timeouts_default(void);

#endif
