/* SPDX-License-Identifier: Apache-2.0 */
/* request.c - requests as JSON text: the order of members, which tools may be called, and options.
 * Tests: tests/model/providers/openai_responses/request_test.c. */
#include "model/providers/openai_responses/request.h"

#include "base/macros.h"
#include "base/str.h"
#include "model/model_options.h"
#include "json/object.h"

/* Members that are written here, and that an option with the value null removes. */
#define PARALLEL "parallel_tool_calls"
#define INCLUDE  "include"

#define TEXT      "text"
#define VERBOSITY "verbosity"
#define EFFORT    "reasoning_effort"

static void write_message(const haft__provider_conversation *text, haft__buf *buf, bool first,
                          const haft__message *message)
{
    haft__buf_add_str(buf, first ? HAFT__LIT("") : HAFT__LIT(","));
    haft__responses_write_message(text, buf, message);
}

/* The system prompt is the first item of the input, not `instructions`: a text format teaches the
 * tools in it, and all that the model reads is then in one list. */
void haft__responses_add_content(haft__provider_conversation *text, haft__message_role role,
                                 haft_str content)
{
    write_message(text, &text->messages, text->messages.len == 0,
                  &(haft__message){.role = role, .text = content});
}

haft_status haft__responses_add_message(haft__provider_conversation *text,
                                        const haft__request *request, haft_error *err)
{
    (void)err;
    write_message(text, &text->messages, text->messages.len == 0,
                  &request->messages->items[text->done++]);
    haft__responses_add_revealed_tools(text, request);
    return HAFT_OK;
}

/* The history declares tools, too: they are left out or written differently if the server rejects
 * that form. */
bool haft__responses_is_stale(haft__provider_conversation *text, const haft__request *request)
{
    haft__responses_conversation *c = (haft__responses_conversation *)text;
    bool stale = c->appended > 0
                 && (request->appended_count < c->appended || c->write_tool != text->tools->write);
    c->appended = request->appended_count;
    c->write_tool = text->tools->write;
    return stale;
}

haft__tool_writer *haft__responses_tool_writer(const haft__provider_conversation *text,
                                               const haft__request *request,
                                               const haft__provider_request_options *options)
{
    (void)text;
    bool strict =
        request->tool_count == 0 || haft__provider_use_member(options, HAFT__MEMBER_STRICT);
    return strict ? haft__responses_write_tool : haft__responses_write_lenient_tool;
}

/* ---- which tools may be called ---- */

/* Those of the list of tools, and those that the history declares. */
static size_t count_tools(const haft__request *request)
{
    return request->tool_count + request->appended_count;
}

static void add_function(haft__json_writer *w, haft_str name)
{
    haft__json_begin_object(w);
    haft__field_text(w, "type", HAFT__LIT("function"));
    haft__json_key(w, "name");
    haft__conversation_add_name(w, name);
    haft__json_end_object(w);
}

/* The names of the allowed tools; all tools stay declared, so that the provider's cache stays
 * valid. */
static void add_allowed(haft__json_writer *w, const haft__request *request, const char *mode)
{
    bool must_call = request->mode != HAFT__MODE_AUTO;
    haft__json_begin_object(w);
    haft__field_text(w, "type", HAFT__LIT("allowed_tools"));
    haft__field_text(w, "mode", haft__str(mode));
    haft__json_key(w, "tools");
    haft__json_begin_array(w);
    for (size_t i = 0; i < count_tools(request); i++) {
        if (request->allowed[i]) {
            add_function(w, request->tools[i]->name);
        }
    }
    for (size_t i = 0; !must_call && i < request->provider_tool_count; i++) {
        haft__json_begin_object(w);
        haft__field_text(w, "type", haft__provider_tool_type(request->provider_tools[i]));
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
    haft__json_end_object(w);
}

static void add_mode(haft__json_writer *w, const haft__request *request,
                     const haft__provider_request_options *options, const char *mode)
{
    size_t allowed = 0;
    for (size_t i = 0; i < count_tools(request); i++) {
        allowed += request->allowed[i];
    }
    if (allowed == 0) {
        haft__json_add_str(w, HAFT__LIT("none")); /* any call would be rejected */
    } else if (allowed < count_tools(request)
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

/* The member of the request that an option of Chat Completions is a part of. */
static haft_str option_name(const haft__provider *provider, haft_str key)
{
    const haft__option_rule *rule = haft__model_options_find(provider, key);
    haft_str path = rule != NULL && rule->member != NULL ? haft__str(rule->member) : key;
    return haft__str_split(&path, '.');
}

static void add_option(haft__json_writer *w, haft_str name, haft_str key, haft__json value)
{
    haft__json_key_str(w, name);
    if (haft__str_equal(key, HAFT__LIT(EFFORT))) {
        haft__json_begin_object(w);
        haft__field_value(w, "effort", value);
        haft__json_end_object(w);
    } else {
        haft__json_add(w, value);
    }
}

/* Whether the option is written by add_text(), or given under its own name too. */
static bool is_replaced(haft__json given, haft_str key, haft_str name)
{
    return haft__str_equal(name, HAFT__LIT(TEXT))
           || (!haft__str_equal(name, key) && haft__json_get(given, name) != NULL)
           || (haft__str_equal(key, HAFT__LIT("max_tokens"))
               && haft__object_find(given, "max_completion_tokens") != NULL);
}

static void add_options(const haft__provider_conversation *text, haft__json_writer *w,
                        const haft__request *request, const haft__provider_request_options *options)
{
    haft__json given = options->options;
    for (uint32_t i = 0; given.kind == HAFT__JSON_OBJECT && i < given.count; i++) {
        haft_str key = haft__json_text(given.members[i].key);
        haft_str name = option_name(text->provider, key);
        haft__json value = given.members[i].value;
        if (!haft__provider_is_reserved_option(text->provider, key)
            && !is_replaced(given, key, name) && value.kind != HAFT__JSON_NULL
            && haft__model_options_why_unsent(text->provider, request->model, given, key) == NULL
            && (!haft__str_equal(key, HAFT__LIT(EFFORT))
                || haft__provider_use_member(options, HAFT__MEMBER_EFFORT))) {
            add_option(w, name, key, value);
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
    haft__json given = haft__object_object(options, TEXT);
    haft_str verbosity = haft__object_string(options, VERBOSITY);
    bool constrained = constraint->kind == HAFT__CONSTRAINT_JSON_SCHEMA;
    if (!constrained && given.count == 0 && verbosity.len == 0) {
        return;
    }
    haft__json_key(w, TEXT);
    haft__json_begin_object(w);
    for (uint32_t i = 0; i < given.count; i++) {
        haft_str key = haft__json_text(given.members[i].key);
        if (!constrained || !haft__str_equal(key, HAFT__LIT("format"))) {
            haft__json_key_str(w, key);
            haft__json_add(w, given.members[i].value);
        }
    }
    if (verbosity.len > 0 && haft__object_find(given, VERBOSITY) == NULL) {
        haft__field_text(w, VERBOSITY, verbosity);
    }
    if (constrained) {
        add_format(w, constraint);
    }
    haft__json_end_object(w);
}

/* ---- the request ---- */

static void write_provider_tool(haft__json_writer *w, const haft__provider_tool *row,
                                const haft__tool *tool)
{
    haft__json_begin_object(w);
    haft__field_string(w, "type", row->wire);
    haft__provider_tool_add_members(w, tool);
    haft__json_end_object(w);
}

/* Sets the end of the messages that the next request repeats. */
static void add_input(haft__provider_conversation *text, haft__json_writer *w,
                      const haft__request *request, haft_str last, size_t start)
{
    haft__json_key(w, "input");
    haft__buf_add_char(w->buf, '[');
    text->stable = w->buf->len - start + (request->transcript ? 0 : text->messages.len);
    haft__buf_add_str(w->buf, haft__buf_str(&text->messages));
    if (last.len > 0) {
        write_message(text, w->buf, text->messages.len == 0,
                      &(haft__message){.role = HAFT__MESSAGE_USER, .text = last});
    }
    haft__buf_add_char(w->buf, ']');
    w->after_key = false;
}

void haft__responses_write_body(haft__provider_conversation *text, const haft__request *request,
                                const haft__provider_request_options *options, haft_str last,
                                haft__buf *buf)
{
    haft__json_writer w;
    size_t start = buf->len;
    haft_str tools = haft__conversation_tools(text, request);
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "model", request->model);
    haft__field_flag(&w, "store", false);
    (void)haft__conversation_add_tools(text, &w, request, write_provider_tool, HAFT__LIT(""),
                                       HAFT__LIT(""));
    add_input(text, &w, request, last, start);
    if (request->appended_count > 0) {
        (void)haft__provider_use_member(options, HAFT__MEMBER_DEFER);
    }
    if (tools.len > 0) {
        add_choice(&w, request, options);
    }
    if (tools.len > 0 && options->serial && !has_option(options, PARALLEL)
        && haft__provider_use_member(options, HAFT__MEMBER_PARALLEL)) {
        haft__field_flag(&w, PARALLEL, false);
    }
    add_text(&w, &request->constraint, options->options);
    add_include(&w, options);
    if (options->stream) {
        haft__field_flag(&w, "stream", true);
    }
    add_options(text, &w, request, options);
    haft__json_end_object(&w);
}
