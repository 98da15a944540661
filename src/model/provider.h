/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/provider.h - the seam between the engine and the servers of models: one row for each
 * provider, with its defaults, its capabilities and the functions of its wire format.
 *
 *     provider = haft__provider_for_model(&spec->model);
 *     api = provider->api;
 *     api->write_url(provider, &model, &url, err);                       once for each agent
 *     api->write_headers(key, arena, &headers, err);
 *     haft__conversation_create(provider, &conversation, err);           once for each run
 *     haft__conversation_write(conversation, &request, &options, &body, err);   for each turn
 *     api->init_stream(stream, &stream_options);                         once for each attempt
 *     api->feed(stream, bytes, &over, err);
 *     api->end(stream, arena, &outcome, err);
 *     api->finish_stream(stream);
 *     haft__conversation_destroy(conversation);                          model/conversation.h
 *
 * The engine, runs, prompts and choices never branch on a provider. No function here does I/O. The
 * rows are in providers.c; docs/providers.md shows them, docs/adding-a-provider.md explains them.
 */
#ifndef HAFT_MODEL_PROVIDER_H
#define HAFT_MODEL_PROVIDER_H

#include "base/buf.h"
#include "base/excerpt.h"
#include "format/format.h"
#include "model/declared_tools.h"
#include "model/model.h"
#include "model/optional_member.h"
#include "model/text_messages.h"
#include "model/tool_schema.h"
#include "schema/downlevel/downlevel.h"
#include "spec/spec.h"

typedef struct haft__provider haft__provider;

/* ---- requests ---- */

#define HAFT__PROVIDER_MAX_HEADERS 4

/* "Name: value" lines that a provider needs in addition to those of every JSON request. */
typedef struct haft__provider_headers {
    haft_str lines[HAFT__PROVIDER_MAX_HEADERS];
    size_t count;
} haft__provider_headers;

/* The requests of a run (model/conversation.h). A conversation keeps the text of the messages that
 * were sent, so that the request of a turn costs only the new text, and begins with the bytes of
 * the request before it. */
typedef struct haft__provider_conversation {
    const haft__provider *provider;
    /* Kept text. It is dropped if the format, the model or its endpoint changes. */
    const haft__format *format; /* of calls in the text; NULL: native calls */
    haft__buf model, endpoint;
    haft__buf system;              /* the text of the system prompt */
    haft__buf messages;            /* as JSON text, separated by commas */
    size_t done;                   /* messages of the run in it, the system prompt included */
    uint32_t rewrites;             /* of the request that wrote them (haft__request.rewrites) */
    haft__message_role last_role;  /* of the last of them */
    haft__declared_tools own;      /* used if the shared ones have other tools */
    haft__declared_tools *tools;   /* of the last request with native calls */
    haft__tool_prompt tool_prompt; /* of calls in the text */
    /* The last request. */
    uint64_t prefix;  /* a hash of everything before its reply; 0: unknown */
    uint32_t unsent;  /* replies of this model in it that are sent without their items */
    size_t stable;    /* leading bytes that the next one should begin with */
    uint64_t context; /* tokens of the context that it asked for; 0: none */
    bool apart;       /* its format differs, so the next request does not begin with its bytes */
} haft__provider_conversation;

typedef struct haft__provider_request_options {
    bool stream;        /* ask for a reply in pieces */
    bool serial;        /* ask for at most one call in a reply, if the provider can */
    haft__json options; /* model.options of the spec: an object, or null */
    /* Declarations that conversations with the same spec share; NULL: the conversation keeps its
     * own. */
    haft__declared_tools *shared_tools;
    haft_str continuation;    /* continues a reply that began in the response to the same request */
    haft__member_set without; /* optional members that are left out: the server rejects them */
    haft__member_set *sent;   /* receives the optional members of the request; may be NULL */
} haft__provider_request_options;

/* Whether a request may have this optional member; if so, adds it to `sent`. */
bool haft__provider_use_member(const haft__provider_request_options *options, haft__member member);

/* ---- replies ---- */

/* Receives each piece of a reply as it arrives; its texts are borrowed for the call. Calls are
 * numbered in the order in which they begin. CALL_END and STOP come last, from `end`. */
typedef void haft__provider_emit(void *context, const haft__delta *delta);

typedef struct haft__provider_stream_options {
    const haft__tools *tools;   /* maps wire names back to the names of tools; may be NULL */
    const haft__format *format; /* of calls in the text; NULL: native calls */
    /* The format of a reply that should have been only JSON and is not; or NULL. */
    const haft__format *fallback_format;
    const haft__format_tool *format_tools; /* the tools that can be called */
    size_t format_tool_count;
    bool may_reason;          /* the text may begin with a block of reasoning, in any format */
    bool starts_in_reasoning; /* the reply begins inside that block, unless reasoning has its own
                                 field */
    bool json_only;           /* only JSON was requested: a text that begins as JSON has no block */
    uint64_t prefix;          /* of the conversation; kept with items that are bound to it */
    haft__provider_emit *emit; /* may be NULL */
    void *context;
    haft__hash_key hash_key; /* random: the text is not trusted */
    haft__cleaner cleaner;   /* of texts of the server, before a part is shown in a failure */
} haft__provider_stream_options;

/* Reads one reply. The caller provides `stream_size` bytes, aligned for any type. */
typedef struct haft__provider_stream haft__provider_stream;

/* A call that the provider ran itself. Everything is borrowed from its item. */
typedef struct haft__provider_call {
    haft_str type, id;
    haft__json arguments; /* in the provider's form; null if it does not say */
} haft__provider_call;

/* ---- the table ---- */

typedef haft_status haft__provider_write_url(const haft__provider *provider,
                                             const haft__model_spec *model, haft__buf *buf,
                                             haft_error *err);

/* The functions of a wire format. Servers that speak the same one share them. */
typedef struct haft__provider_api {
    /* Appends the URL for requests to a model. model->base_url has its variables expanded; "" is
     * the provider's own. BAD_INPUT when it is not an http or https URL. */
    haft__provider_write_url *write_url;

    /* The headers with this key, which may be empty. They live in `arena`. */
    haft_status (*write_headers)(haft_str key, haft__arena *arena,
                                 haft__provider_headers *ret_headers, haft_error *err);

    /* A conversation is a struct of this size, filled with zeros, that begins with
     * haft__provider_conversation. */
    size_t conversation_size;
    bool system_apart; /* the system prompt is not one of the messages */
    bool user_first;   /* the first message must be one of the user */

    /* Declares one tool of a request. */
    haft__tool_writer *write_tool;

    /* The function that does so in place of `write_tool`, if it depends on the row or on members
     * that the server rejects. NULL: always `write_tool`. */
    haft__tool_writer *(*tool_writer)(const haft__provider_conversation *conversation,
                                      const haft__request *request,
                                      const haft__provider_request_options *options);

    /* Appends a message of text to the kept messages. */
    void (*add_text)(haft__provider_conversation *conversation, haft__message_role role,
                     haft_str text);

    /* Appends the message at `done`, or the results of a turn that begin there, with native calls.
     * Advances `done`. */
    haft_status (*add_message)(haft__provider_conversation *conversation,
                               const haft__request *request, haft_error *err);

    /* Whether the kept messages have to be written again, because tools or system prompt are
     * others. NULL: never. */
    bool (*is_stale)(haft__provider_conversation *conversation, const haft__request *request);

    /* Appends the body of a request around the kept text, and sets `stable`. `last` ends the
     * messages of this request only; it may be empty. Of options->options, `reserved_options` are
     * not sent; one that is null removes a member that would be written otherwise. */
    void (*write_body)(haft__provider_conversation *conversation, const haft__request *request,
                       const haft__provider_request_options *options, haft_str last,
                       haft__buf *buf);

    /* Members of a request that options cannot replace; ends with NULL. */
    const char *const *reserved_options;

    /* Members of a request that can be left out if a server rejects them; the last name is NULL.
     */
    const haft__optional_member *optional_members;

    /* The member of a request with the JSON Schema of the reply; for docs/providers.md. */
    const char *schema_field;

    /* The path of the server's list of models, after its base URL; model/model_list.h. */
    const char *models_path;

    /* The query for a long list: by default some servers send only its first models. NULL: none. */
    const char *models_query;

    /* The version in the path, if the provider's own clients take base URLs without it; else "". */
    const char *version;

    size_t stream_size;
    /* The options are copied; what they point to must outlive the stream. */
    void (*init_stream)(haft__provider_stream *stream,
                        const haft__provider_stream_options *options);
    void (*finish_stream)(haft__provider_stream *stream);

    /* Takes the next bytes of the body of a 2xx response, cut anywhere. Fails only when out of
     * memory: anything wrong with the bytes becomes the failure that `end` returns. *ret_over is
     * true if the rest of the body is to be ignored. */
    haft_status (*feed)(haft__provider_stream *stream, haft_str bytes, bool *ret_over,
                        haft_error *err);

    /* The body has ended, complete or not. The outcome lives in `arena`. A reply that was cut is
     * HAFT__FAILURE_CUT; nothing of it is completed. */
    haft_status (*end)(haft__provider_stream *stream, haft__arena *arena,
                       haft__model_outcome *ret_outcome, haft_error *err);

    /* Whether the reply, whose body has ended, goes on in the response to another request: appends
     * the token for that request, haft__provider_request_options.continuation, and makes the stream
     * ready for its body. Appends nothing if it does not go on. NULL: never. */
    haft_status (*continue_reply)(haft__provider_stream *stream, haft__buf *token, haft_error *err);

    /* Whether an item of haft__reply.items is a call that the provider ran. NULL: none is. */
    bool (*read_provider_call)(haft__json item, haft__provider_call *ret_call);

    /* The failure in a response that is not 2xx. The first HAFT__LIMIT_MODEL_ERROR_BYTES of the
     * body are enough; `request_id` may be empty. The message lives in `arena`. Texts of the server
     * are redacted before they are cut. */
    haft_status (*read_failure)(uint32_t status, haft_str body, haft_str request_id,
                                haft__hash_key hash_key, haft__cleaner cleaner, haft__arena *arena,
                                haft__model_failure *ret_failure, haft_error *err);
} haft__provider_api;

/* How a server finds the beginning of a request in its cache of prompts. */
typedef enum haft__provider_cache {
    HAFT__CACHE_PREFIX, /* by itself: a request that begins with the same bytes */
    HAFT__CACHE_MARKS,  /* up to blocks with a mark, which haft sets */
} haft__provider_cache;

/* A tool that runs at the provider (model/provider_tool.h). */
typedef struct haft__provider_tool {
    const char *type; /* in a spec */
    const char *wire; /* its name in the provider's requests */
} haft__provider_tool;

/* An option of a spec that the provider has under another name, or not at all. The names are those
 * of Chat Completions, so that a spec has the same options for every provider. */
typedef struct haft__option_rule {
    const char *option; /* in model.options; NULL ends a list */
    const char *member; /* its place in a request; NULL: the provider rejects it, it is not sent */
} haft__option_rule;

/* Capabilities of a provider, independent of its wire format. docs/providers.md shows them. */
typedef struct haft__provider_capabilities {
    bool allowed_tools; /* a choice can name several tools */
    bool named_choice;  /* a choice can name one; else that tool is sent alone, as required */
    bool parallel;      /* parallel calls can be switched off */
    bool
        strict_tools; /* tools are declared with strict schemas: an optional argument may be null */
    haft__constraint_kind constraint;           /* the constraint that it can enforce on a reply */
    haft__schema_target schema;                 /* the variant of JSON Schema that it accepts */
    const haft__tool_schema_rules *tool_schema; /* of declared tools; NULL: any JSON Schema */
    /* Names of tools: their maximum length, and the characters after a first letter or "_"; 0 and
     * NULL: any name. haft sends names of tool/wire_name.h, which fit every row. */
    uint16_t name_bytes;
    const char *name_chars;
    uint16_t max_tools;       /* declared in one request; 0: no limit is known */
    bool no_forced_thinking;  /* a choice that forces a call is rejected while the model thinks */
    bool choice_breaks_cache; /* another choice invalidates the cache of messages */
    haft__provider_cache cache;
    haft__deferral deferred_tools;    /* for models that it applies to: haft__model_deferral */
    const haft__provider_tool *tools; /* that it runs itself; the last type is NULL; NULL: none */
    bool named_tools;                 /* those have their type as name, as other tools have names */
    const haft__option_rule *options; /* model/model_options.h; NULL: all are sent as they are */
    bool fixed_sampling;              /* some of its models reject temperature: haft__model_rules */
    /* The price of a token that is written to the cache, for minutes and for an hour, in percent of
     * the price of input; 0: as much as any other. */
    uint16_t cache_write_percent, cache_write_1h_percent;
} haft__provider_capabilities;

/* The differences between servers of Chat Completions; empty in rows of other wire formats. */
typedef struct haft__provider_chat_variant {
    bool stream_usage;      /* knows stream_options.include_usage */
    bool strict_order;      /* a user's message must not follow a tool's */
    bool short_ids;         /* ids of calls are 9 letters and digits */
    bool any_arguments;     /* arguments in the history need not be a JSON object */
    bool limits_tools;      /* some of its models take tools only without reasoning, or never */
    const char *must_call;  /* tool_choice for "some tool" */
    const char *max_tokens; /* the member that bounds a reply; "": as the options name it */
    const char *reasoning;  /* the member for reasoning that is sent back with calls; "": none */
    bool needs_reasoning;   /* that member must be present, even if it is empty */
} haft__provider_chat_variant;

struct haft__provider {
    const char *name;         /* as in a spec */
    const char *base_url;     /* "" when the spec must have one */
    const char *base_url_env; /* the variable for a spec without a base_url; "" for none */
    const char *key_env;      /* the variable with the key; "" for none */
    const char
        *local_key_env; /* the variable with a key for servers on this machine; "" for none */
    bool needs_key;     /* without a key it answers 401 */
    bool compatible_elsewhere; /* with another host, its row is haft__provider_compatible() */
    const haft__provider_api *api;
    haft__provider_capabilities capabilities;
    haft__provider_chat_variant chat;
};

/* All rows; the last one is haft__provider_compatible. */
const haft__provider *haft__providers(size_t *ret_count);

/* The row for a server of which only the wire format, Chat Completions, is known. */
const haft__provider *haft__provider_compatible(void);

/* The row for a model: `openai` and `openai-chat` at another host, which base_url or a variable
 * names, have the compatible one. NULL for models without a row (offline, script ...). */
const haft__provider *haft__provider_for_model(const haft__model_spec *model);

/* The variable that can name another server for the model, if the model's row then differs; "" for
 * none. The spec has no base_url. */
haft_str haft__provider_server_variable(const haft__model_spec *model);

/* Whether the URL has another host than the provider's own. False for an empty URL. */
bool haft__provider_is_other_host(const haft__model_spec *model, haft_str url);

/* Whether replies are requested in pieces: unless the option `stream` is false. */
bool haft__provider_wants_stream(const haft__model_spec *model);

/* Whether the model is `offline`: it has no server (model/rules/). */
bool haft__provider_is_offline(const haft__model_spec *model);

/* Whether the model runs in this process: `offline`, also as the default,
 * `script` and `replay`. */
bool haft__provider_is_local(const haft__model_spec *model);

/* The model as provider:model, in `arena`. .ptr is NULL when out of memory. */
haft_str haft__provider_name_model(haft__arena *arena, const haft__model_spec *model);

/* Appends `base_url`, or the provider's own if that is empty, with `path`. The base URL may end in
 * slashes, have a query, or end in `path` already. BAD_INPUT when it is not an http or https URL.
 */
HAFT_MUST_USE haft_status haft__provider_join_url(const haft__provider *provider, haft_str base_url,
                                                  haft_str path, haft__buf *buf, haft_error *err);

/* The version that belongs between a base URL and a path: api->version, or "" if the base URL ends
 * in a version, or in `path` itself. */
haft_str haft__provider_version(const haft__provider *provider, haft_str base_url, haft_str path);

/* Adds the line "Authorization: Bearer KEY", unless the key is empty. It lives in `arena`. */
HAFT_MUST_USE haft_status haft__provider_add_bearer(haft__provider_headers *headers, haft_str key,
                                                    haft__arena *arena, haft_error *err);

/* A write_headers for APIs that need no other headers of their own. */
HAFT_MUST_USE haft_status haft__provider_write_bearer(haft_str key, haft__arena *arena,
                                                      haft__provider_headers *ret_headers,
                                                      haft_error *err);

/* The environment variable with the key; "" for none. The provider's own variable is used only for
 * its own host: a key is never sent to another host unless the spec names it. */
haft_str haft__provider_key_env(const haft__provider *provider, const haft__model_spec *model);

/* Whether an option of the spec is not sent, because the request has that member itself. */
bool haft__provider_is_reserved_option(const haft__provider *provider, haft_str key);

/* The optional member with this name in any wire format. False if no wire format has it. */
bool haft__provider_find_member(haft_str name, haft__member *ret_member);

/* The timeouts of a spec, with the default in place of each 0. */
haft__model_timeouts haft__model_timeouts_resolve(haft__model_timeouts given);

#endif
