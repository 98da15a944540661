/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - requests as JSON text: the order of members, and which tools may be called. Tests:
 * tests/model/providers/openai_chat/request_test.c. */
#include "model/providers/openai_chat/request.h"

#include "base/macros.h"
#include "base/str.h"
#include "model/model_options.h"
#include "model/model_rules.h"
#include "json/write.h"

/* Members that are written here, and that an option with the value null removes. */
#define PARALLEL       "parallel_tool_calls"
#define STREAM_OPTIONS "stream_options"
#define EFFORT         "reasoning_effort"

/* Writes a tool for a provider with rules for schemas. All such providers of this wire format have
 * OpenAI's rules. */
static void add_tool(haft__buf *buf, const haft__tool *tool)
{
    haft__conversation_write_function(buf, tool, &haft__tool_schema_openai);
}

static void add_whole_tool(haft__buf *buf, const haft__tool *tool)
{
    haft__conversation_write_function(buf, tool, NULL);
}

static haft__tool_writer *writer_for(const haft__provider *provider)
{
    return provider->capabilities.tool_schema != NULL ? add_tool : add_whole_tool;
}

haft__tool_writer *haft__chat_tool_writer(const haft__provider_conversation *chat,
                                          const haft__request *request,
                                          const haft__provider_request_options *options)
{
    (void)request;
    (void)options;
    return writer_for(chat->provider);
}

/* ---- which tools may be called ---- */

static void add_function(haft__json_writer *w, haft_str name)
{
    haft__json_begin_object(w);
    haft__json_key(w, "type");
    haft__json_add_str(w, HAFT__LIT("function"));
    haft__json_key(w, "function");
    haft__json_begin_object(w);
    haft__json_key(w, "name");
    haft__conversation_add_name(w, name);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

/* The names of the allowed tools; all tools stay declared, so that the provider's cache stays
 * valid. */
static void add_allowed(haft__json_writer *w, const haft__request *request, const char *mode)
{
    haft__json_begin_object(w);
    haft__json_key(w, "type");
    haft__json_add_str(w, HAFT__LIT("allowed_tools"));
    haft__json_key(w, "allowed_tools");
    haft__json_begin_object(w);
    haft__json_key(w, "mode");
    haft__json_add_str(w, haft__str(mode));
    haft__json_key(w, "tools");
    haft__json_begin_array(w);
    for (size_t i = 0; i < request->tool_count; i++) {
        if (request->allowed[i]) {
            add_function(w, request->tools[i]->name);
        }
    }
    haft__json_end_array(w);
    haft__json_end_object(w);
    haft__json_end_object(w);
}

static size_t count_allowed(const haft__request *request)
{
    size_t count = 0;
    for (size_t i = 0; i < request->tool_count; i++) {
        count += request->allowed[i];
    }
    return count;
}

static void add_mode(const haft__provider_conversation *chat, haft__json_writer *w,
                     const haft__request *request, const haft__provider_request_options *options,
                     const char *mode)
{
    size_t allowed = count_allowed(request);
    if (allowed == 0) {
        haft__json_add_str(w, HAFT__LIT("none")); /* any call would be rejected */
    } else if (allowed < request->tool_count && chat->provider->capabilities.allowed_tools
               && haft__provider_use_member(options, HAFT__MEMBER_ALLOWED_TOOLS)) {
        add_allowed(w, request, mode);
    } else {
        haft__json_add_str(w, haft__str(mode));
    }
}

/* Whether a choice can name one tool. */
static bool can_name_tool(const haft__provider_conversation *chat,
                          const haft__provider_request_options *options)
{
    return chat->provider->capabilities.named_choice
           && haft__provider_use_member(options, HAFT__MEMBER_TOOL_CHOICE)
           && haft__provider_use_member(options, HAFT__MEMBER_NAMED_CHOICE);
}

/* The tool that is sent alone, because the provider has no way to force a tool by name; NULL if
 * all tools are sent. */
static const haft__tool *lone_tool(const haft__provider_conversation *chat,
                                   const haft__request *request,
                                   const haft__provider_request_options *options)
{
    const haft__tool *named = haft__conversation_named_tool(request);
    return named != NULL && !can_name_tool(chat, options) ? named : NULL;
}

static void add_choice(const haft__provider_conversation *chat, haft__json_writer *w,
                       const haft__request *request, const haft__provider_request_options *options)
{
    const char *must_call = chat->provider->chat.must_call;
    if (!haft__provider_use_member(options, HAFT__MEMBER_TOOL_CHOICE)) {
        return;
    }
    haft__json_key(w, "tool_choice");
    switch (request->mode) {
    case HAFT__MODE_AUTO: add_mode(chat, w, request, options, "auto"); return;
    case HAFT__MODE_ANY: add_mode(chat, w, request, options, must_call); return;
    case HAFT__MODE_NONE: haft__json_add_str(w, HAFT__LIT("none")); return;
    case HAFT__MODE_TOOL:
        if (can_name_tool(chat, options)) {
            add_function(w, request->tool);
        } else {
            haft__json_add_str(w, haft__str(must_call));
        }
        return;
    }
    HAFT__UNREACHABLE();
}

/* ---- options ---- */

static bool has_option(const haft__provider_request_options *options, const char *key)
{
    return haft__json_get(options->options, haft__str(key)) != NULL;
}

/* The limit of the reply has two names, and each provider accepts one of them. */
static haft_str option_name(const haft__provider_conversation *chat, haft_str key)
{
    const haft__option_rule *rule = haft__model_options_find(chat->provider, key);
    if (rule != NULL && rule->member != NULL) {
        return haft__str(rule->member);
    }
    bool bound = haft__str_equal(key, HAFT__LIT("max_tokens"))
                 || haft__str_equal(key, HAFT__LIT("max_completion_tokens"));
    return bound && chat->provider->chat.max_tokens[0] != '\0'
               ? haft__str(chat->provider->chat.max_tokens)
               : key;
}

static void add_options(const haft__provider_conversation *chat, haft__json_writer *w,
                        haft_str model, const haft__provider_request_options *options)
{
    haft__json given = options->options;
    for (uint32_t i = 0; given.kind == HAFT__JSON_OBJECT && i < given.count; i++) {
        haft_str key = haft__json_text(given.members[i].key);
        haft_str name = option_name(chat, key);
        bool given_too = !haft__str_equal(name, key) && haft__json_get(given, name) != NULL;
        if (!haft__provider_is_reserved_option(chat->provider, key) && !given_too
            && given.members[i].value.kind != HAFT__JSON_NULL
            && haft__model_options_why_unsent(chat->provider, model, given, key) == NULL
            && (!haft__str_equal(key, HAFT__LIT(EFFORT))
                || haft__provider_use_member(options, HAFT__MEMBER_EFFORT))) {
            haft__json_key_str(w, name);
            haft__json_add(w, given.members[i].value);
        }
    }
}

/* Some models reason by default, and accept tools only in requests that turn reasoning off. */
static void add_effort(const haft__provider_conversation *chat, haft__json_writer *w,
                       haft_str model, const haft__provider_request_options *options)
{
    if (haft__model_chat_tools(chat->provider, model) == HAFT__CHAT_TOOLS_WITHOUT_REASONING
        && !has_option(options, EFFORT)
        && haft__provider_use_member(options, HAFT__MEMBER_EFFORT)) {
        haft__json_key(w, EFFORT);
        haft__json_add_str(w, HAFT__LIT("none"));
    }
}

static void add_stream(const haft__provider_conversation *chat, haft__json_writer *w,
                       const haft__provider_request_options *options)
{
    if (!options->stream) {
        return;
    }
    haft__json_key(w, "stream");
    haft__json_add_bool(w, true);
    if (chat->provider->chat.stream_usage && !has_option(options, STREAM_OPTIONS)
        && haft__provider_use_member(options, HAFT__MEMBER_STREAM_OPTIONS)) {
        haft__json_key(w, STREAM_OPTIONS);
        haft__json_begin_object(w);
        haft__json_key(w, "include_usage");
        haft__json_add_bool(w, true);
        haft__json_end_object(w);
    }
}

/* The constraint that the server enforces on the reply. */
static void add_constraint(haft__json_writer *w, const haft__constraint *constraint)
{
    if (constraint->kind == HAFT__CONSTRAINT_GBNF) {
        haft__json_key(w, "grammar");
        haft__json_add_str(w, constraint->text);
    }
    if (constraint->kind != HAFT__CONSTRAINT_JSON_SCHEMA) {
        return;
    }
    haft__json_key(w, "response_format");
    haft__json_begin_object(w);
    haft__json_key(w, "type");
    haft__json_add_str(w, HAFT__LIT("json_schema"));
    haft__json_key(w, "json_schema");
    haft__json_begin_object(w);
    haft__json_key(w, "name");
    haft__json_add_str(w, HAFT__LIT("reply"));
    if (constraint->strict) {
        haft__json_key(w, "strict");
        haft__json_add_bool(w, true);
    }
    haft__json_key(w, "schema");
    haft__buf_add_str(w->buf, constraint->text);
    w->after_key = false;
    haft__json_end_object(w);
    haft__json_end_object(w);
}

/* ---- the request ---- */

static void add_tools(const haft__provider_conversation *chat, haft__json_writer *w,
                      const haft__request *request, const haft__provider_request_options *options)
{
    const haft__tool *lone = lone_tool(chat, request, options);
    haft__json_key(w, "tools");
    haft__buf_add_char(w->buf, '[');
    if (lone != NULL) {
        writer_for(chat->provider)(w->buf, lone);
    } else {
        haft__buf_add_str(w->buf, haft__conversation_tools(chat, request));
    }
    haft__buf_add_char(w->buf, ']');
    w->after_key = false;
}

void haft__chat_write_body(haft__provider_conversation *chat, const haft__request *request,
                           const haft__provider_request_options *options, haft_str last,
                           haft__buf *buf)
{
    haft__json_writer w;
    size_t start = buf->len;
    bool declares = chat->format == NULL && request->tool_count > 0;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "model");
    haft__json_add_str(&w, request->model);
    if (declares) {
        add_tools(chat, &w, request, options);
    }
    haft__json_key(&w, "messages");
    haft__buf_add_char(buf, '[');
    chat->stable = buf->len - start + (request->transcript ? 0 : haft__chat_stable_size(chat));
    haft__buf_add_str(buf, haft__buf_str(&chat->messages));
    haft__chat_end_with(chat, last, buf);
    haft__buf_add_char(buf, ']');
    w.after_key = false;
    if (declares) {
        add_choice(chat, &w, request, options);
        if (options->serial && chat->provider->capabilities.parallel
            && !has_option(options, PARALLEL)
            && haft__provider_use_member(options, HAFT__MEMBER_PARALLEL)) {
            haft__json_key(&w, PARALLEL);
            haft__json_add_bool(&w, false);
        }
        add_effort(chat, &w, request->model, options);
    }
    add_constraint(&w, &request->constraint);
    add_stream(chat, &w, options);
    add_options(chat, &w, request->model, options);
    haft__json_end_object(&w);
}
