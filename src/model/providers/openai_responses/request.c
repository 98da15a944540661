/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - requests as JSON text: the order of members, which tools may be called, and options.
 * Tests: tests/model/providers/openai_responses/request_test.c. */
#include "model/providers/openai_responses/request.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/providers/openai_responses/request_int.h"
#include "json/object.h"

#define MOST_BYTES ((size_t)HAFT__LIMIT_RUN_BYTES)

/* Members that are written here, and that an option with the value null removes. */
#define PARALLEL "parallel_tool_calls"
#define INCLUDE  "include"

/* Estimated bytes of a request besides input and tools: model, choice, options. */
#define OTHER_BYTES 512

void haft__responses_text_init(haft__responses_text *text, const haft__provider *provider)
{
    *text = (haft__responses_text){.provider = provider};
    haft__buf_init(&text->model, MOST_BYTES);
    haft__buf_init(&text->input, MOST_BYTES);
    haft__declared_tools_init(&text->own);
    haft__tool_prompt_init(&text->tool_prompt);
}

void haft__responses_text_finish(haft__responses_text *text)
{
    haft__buf_finish(&text->model);
    haft__buf_finish(&text->input);
    haft__declared_tools_finish(&text->own);
    haft__tool_prompt_finish(&text->tool_prompt);
}

/* ---- kept text ---- */

static haft_status restart(haft__responses_text *text, haft_str model, const haft__format *format,
                           haft_error *err)
{
    haft__buf_clear(&text->input);
    haft__buf_clear(&text->model);
    haft__buf_add_str(&text->model, model);
    haft__tool_prompt_clear(&text->tool_prompt);
    text->done = 0;
    text->format = format;
    return haft__buf_check(&text->model, err);
}

static haft__declared_tools *tools_for(haft__responses_text *text, const haft__request *request)
{
    return haft__declared_tools_can_share(text->shared, request) ? text->shared : &text->own;
}

haft_status haft__responses_sync(haft__responses_text *text, const haft__request *request,
                                 const haft__format *format, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (format != text->format || !haft__str_equal(request->model, haft__buf_str(&text->model))) {
        status = restart(text, request->model, format, err);
    }
    if (status == HAFT_OK) {
        status = haft__responses_sync_input(text, request, err);
    }
    haft__tool_writer *write =
        text->lenient ? haft__responses_write_lenient_tool : haft__responses_write_tool;
    return status == HAFT_OK && format == NULL
               ? haft__declared_tools_sync(tools_for(text, request), request, write, err)
               : status;
}

static haft_str tools_text(const haft__responses_text *text, const haft__request *request)
{
    bool shared = haft__declared_tools_can_share(text->shared, request);
    return haft__declared_tools_text(shared ? text->shared : &text->own, request->tool_count);
}

static bool declares_tools(const haft__responses_text *text, const haft__request *request)
{
    return text->format == NULL && request->tool_count > 0;
}

size_t haft__responses_request_size(const haft__responses_text *text, const haft__request *request)
{
    size_t tools =
        declares_tools(text, request) ? tools_text(text, request).len : text->tool_prompt.text.len;
    return text->input.len + tools + request->constraint.text.len + OTHER_BYTES;
}

/* ---- which tools may be called ---- */

static void add_function(haft__json_writer *w, haft_str name)
{
    haft__json_begin_object(w);
    haft__field_text(w, "type", HAFT__LIT("function"));
    haft__json_key(w, "name");
    haft__responses_add_name(w, name);
    haft__json_end_object(w);
}

/* The names of the allowed tools; all tools stay declared, so that the provider's cache stays
 * valid. */
static void add_allowed(haft__json_writer *w, const haft__request *request, const char *mode)
{
    haft__json_begin_object(w);
    haft__field_text(w, "type", HAFT__LIT("allowed_tools"));
    haft__field_text(w, "mode", haft__str(mode));
    haft__json_key(w, "tools");
    haft__json_begin_array(w);
    for (size_t i = 0; i < request->tool_count; i++) {
        if (request->allowed[i]) {
            add_function(w, request->tools[i]->name);
        }
    }
    haft__json_end_array(w);
    haft__json_end_object(w);
}

static void add_mode(haft__json_writer *w, const haft__request *request,
                     const haft__provider_request_options *options, const char *mode)
{
    size_t allowed = 0;
    for (size_t i = 0; i < request->tool_count; i++) {
        allowed += request->allowed[i];
    }
    if (allowed == 0) {
        haft__json_add_str(w, HAFT__LIT("none")); /* any call would be rejected */
    } else if (allowed < request->tool_count
               && haft__provider_use_member(options, HAFT__MEMBER_ALLOWED_TOOLS)) {
        add_allowed(w, request, mode);
    } else {
        haft__json_add_str(w, haft__str(mode));
    }
}

static void add_choice(haft__json_writer *w, const haft__request *request,
                       const haft__provider_request_options *options)
{
    if (!haft__provider_use_member(options, HAFT__MEMBER_TOOL_CHOICE)) {
        return;
    }
    haft__json_key(w, "tool_choice");
    switch (request->mode) {
    case HAFT__MODE_AUTO: add_mode(w, request, options, "auto"); return;
    case HAFT__MODE_ANY: add_mode(w, request, options, "required"); return;
    case HAFT__MODE_NONE: haft__json_add_str(w, HAFT__LIT("none")); return;
    case HAFT__MODE_TOOL:
        if (haft__provider_use_member(options, HAFT__MEMBER_NAMED_CHOICE)) {
            add_function(w, request->tool);
        } else {
            add_mode(w, request, options, "required");
        }
        return;
    }
    HAFT__UNREACHABLE();
}

/* ---- options ---- */

static bool has_option(const haft__provider_request_options *options, const char *key)
{
    return haft__object_find(options->options, key) != NULL;
}

static bool is_any(haft_str key, const char *first, const char *second)
{
    return haft__str_equal(key, haft__str(first)) || haft__str_equal(key, haft__str(second));
}

/* Options of Chat Completions that have another name here. */
static haft_str option_name(haft_str key)
{
    return is_any(key, "max_tokens", "max_completion_tokens")    ? HAFT__LIT("max_output_tokens")
           : haft__str_equal(key, HAFT__LIT("reasoning_effort")) ? HAFT__LIT("reasoning")
                                                                 : key;
}

static void add_option(haft__json_writer *w, haft_str key, haft__json value)
{
    haft__json_key_str(w, option_name(key));
    if (haft__str_equal(key, HAFT__LIT("reasoning_effort"))) {
        haft__json_begin_object(w);
        haft__field_value(w, "effort", value);
        haft__json_end_object(w);
    } else {
        haft__json_add(w, value);
    }
}

/* Whether the option is written by add_text(), or given under its own name too. */
static bool is_replaced(haft__json given, haft_str key, const haft__request *request)
{
    haft_str name = option_name(key);
    bool formatted = request->constraint.kind == HAFT__CONSTRAINT_JSON_SCHEMA;
    return (formatted && haft__str_equal(key, HAFT__LIT("text")))
           || (!haft__str_equal(name, key) && haft__json_get(given, name) != NULL)
           || (haft__str_equal(key, HAFT__LIT("max_tokens"))
               && haft__object_find(given, "max_completion_tokens") != NULL);
}

static void add_options(const haft__responses_text *text, haft__json_writer *w,
                        const haft__request *request, haft__json given)
{
    for (uint32_t i = 0; given.kind == HAFT__JSON_OBJECT && i < given.count; i++) {
        haft_str key = haft__json_text(given.members[i].key);
        haft__json value = given.members[i].value;
        if (!haft__provider_is_reserved_option(text->provider, key)
            && !is_replaced(given, key, request) && value.kind != HAFT__JSON_NULL) {
            add_option(w, key, value);
        }
    }
}

/* OpenAI encrypts reasoning for later requests by itself. Servers that do not are asked for it if
 * the model is known to reason; a model that does not reason would reject the request. */
static void add_include(haft__json_writer *w, const haft__provider_request_options *options)
{
    bool reasons = has_option(options, "reasoning") || has_option(options, "reasoning_effort");
    if (reasons && !has_option(options, INCLUDE)
        && haft__provider_use_member(options, HAFT__MEMBER_INCLUDE)) {
        haft__json_key(w, INCLUDE);
        haft__json_begin_array(w);
        haft__json_add_str(w, HAFT__LIT("reasoning.encrypted_content"));
        haft__json_end_array(w);
    }
}

/* ---- the constraint ---- */

static void add_format(haft__json_writer *w, const haft__constraint *constraint)
{
    haft__json_key(w, "format");
    haft__json_begin_object(w);
    haft__field_text(w, "type", HAFT__LIT("json_schema"));
    haft__field_text(w, "name", HAFT__LIT("reply"));
    haft__field_flag(w, "strict", constraint->strict);
    haft__json_key(w, "schema");
    haft__buf_add_str(w->buf, constraint->text);
    w->after_key = false;
    haft__json_end_object(w);
}

/* The schema that the server enforces on the reply is a member of `text`, next to other settings
 * of the options. */
static void add_text(haft__json_writer *w, const haft__constraint *constraint, haft__json options)
{
    haft__json given = haft__object_object(options, "text");
    if (constraint->kind != HAFT__CONSTRAINT_JSON_SCHEMA) {
        return;
    }
    haft__json_key(w, "text");
    haft__json_begin_object(w);
    for (uint32_t i = 0; i < given.count; i++) {
        haft_str key = haft__json_text(given.members[i].key);
        if (!haft__str_equal(key, HAFT__LIT("format"))) {
            haft__json_key_str(w, key);
            haft__json_add(w, given.members[i].value);
        }
    }
    add_format(w, constraint);
    haft__json_end_object(w);
}

/* ---- the request ---- */

static void add_tools(const haft__responses_text *text, haft__json_writer *w,
                      const haft__request *request)
{
    haft__json_key(w, "tools");
    haft__buf_add_char(w->buf, '[');
    haft__buf_add_str(w->buf, tools_text(text, request));
    haft__buf_add_char(w->buf, ']');
    w->after_key = false;
}

/* Returns the end of the messages that the next request repeats. */
static size_t add_input(const haft__responses_text *text, haft__json_writer *w,
                        const haft__request *request)
{
    haft__json_key(w, "input");
    haft__buf_add_char(w->buf, '[');
    size_t stable = w->buf->len + (request->transcript ? 0 : text->input.len);
    haft__responses_write_input(text, w->buf, request);
    haft__buf_add_char(w->buf, ']');
    w->after_key = false;
    return stable;
}

size_t haft__responses_write(const haft__responses_text *text, const haft__request *request,
                             const haft__provider_request_options *options, haft__buf *buf)
{
    haft__json_writer w;
    size_t start = buf->len;
    bool declares = declares_tools(text, request);
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "model", request->model);
    haft__field_flag(&w, "store", false);
    if (declares) {
        add_tools(text, &w, request);
    }
    size_t stable = add_input(text, &w, request);
    if (declares) {
        add_choice(&w, request, options);
    }
    if (declares && options->serial && !has_option(options, PARALLEL)
        && haft__provider_use_member(options, HAFT__MEMBER_PARALLEL)) {
        haft__field_flag(&w, PARALLEL, false);
    }
    add_text(&w, &request->constraint, options->options);
    add_include(&w, options);
    if (options->stream) {
        haft__field_flag(&w, "stream", true);
    }
    add_options(text, &w, request, options->options);
    haft__json_end_object(&w);
    return stable - start;
}
