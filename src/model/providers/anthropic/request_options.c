/* SPDX-License-Identifier: Apache-2.0 */
/* request_options.c - the members of a request that change from turn to turn, and the options of
 * the spec. Tests: tests/model/providers/anthropic/request_test.c. */
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/model_rules.h"
#include "model/providers/anthropic/request_int.h"
#include "json/object.h"

/* The limit of the reply, and the name that other providers have for it. */
#define MAX_TOKENS       "max_tokens"
#define OTHER_MAX_TOKENS "max_completion_tokens"

#define OUTPUT_CONFIG "output_config"

/* ---- the choice ---- */

static size_t find_allowed(const haft__request *request, haft_str *ret_only)
{
    size_t count = 0;
    for (size_t i = 0; i < request->tool_count; i++) {
        if (request->allowed[i]) {
            *ret_only = request->tools[i]->name;
            count++;
        }
    }
    return count;
}

/* Some models reject a forced call, and all do while they think. */
static bool can_force(const haft__provider *provider, const haft__request *request,
                      const haft__provider_request_options *options)
{
    return haft__model_force_rule(provider, request->model, options->options, options->without)
               == HAFT__FORCE_NATIVE
           && haft__provider_use_member(options, HAFT__MEMBER_TOOL_CHOICE);
}

/* The type of the choice. A choice cannot name several tools: haft rejects a call of another one.
 * *ret_tool: the tool of the type "tool". */
static const char *choice_type(const haft__provider *provider, const haft__request *request,
                               const haft__provider_request_options *options, haft_str *ret_tool)
{
    haft_str only = {NULL, 0};
    size_t allowed = find_allowed(request, &only);
    if (allowed == 0 || request->mode == HAFT__MODE_NONE) {
        return "none"; /* any call would be rejected */
    }
    if (request->mode == HAFT__MODE_AUTO || !can_force(provider, request, options)) {
        return "auto";
    }
    bool one = request->mode == HAFT__MODE_TOOL || (allowed == 1 && request->tool_count > 1);
    *ret_tool = request->mode == HAFT__MODE_TOOL ? request->tool : only;
    return one ? "tool" : "any";
}

void haft__anthropic_write_choice(const haft__provider *provider, haft__json_writer *w,
                                  const haft__request *request,
                                  const haft__provider_request_options *options)
{
    haft_str tool = {NULL, 0};
    const char *type = choice_type(provider, request, options, &tool);
    haft__json_key(w, "tool_choice");
    haft__json_begin_object(w);
    haft__field_text(w, "type", haft__str(type));
    if (strcmp(type, "tool") == 0) {
        haft__json_key(w, "name");
        haft__conversation_add_name(w, tool);
    }
    if (options->serial && strcmp(type, "none") != 0
        && haft__provider_use_member(options, HAFT__MEMBER_PARALLEL)) {
        haft__field_flag(w, "disable_parallel_tool_use", true);
    }
    haft__json_end_object(w);
}

/* ---- options ---- */

static bool has_option(haft__json options, const char *key)
{
    const haft__json *value = haft__object_find(options, key);
    return value != NULL && value->kind != HAFT__JSON_NULL;
}

/* output_config of the options, with the schema of the reply. */
static void write_output_config(haft__json_writer *w, haft__json given, haft_str schema)
{
    haft__json_key(w, OUTPUT_CONFIG);
    haft__json_begin_object(w);
    for (uint32_t i = 0; given.kind == HAFT__JSON_OBJECT && i < given.count; i++) {
        haft_str key = haft__json_text(given.members[i].key);
        if (!haft__str_equal(key, HAFT__LIT("format"))) {
            haft__json_key_str(w, key);
            haft__json_add(w, given.members[i].value);
        }
    }
    haft__json_key(w, "format");
    haft__json_begin_object(w);
    haft__field_text(w, "type", HAFT__LIT("json_schema"));
    haft__json_key(w, "schema");
    haft__buf_add_str(w->buf, schema);
    w->after_key = false;
    haft__json_end_object(w);
    haft__json_end_object(w);
}

static void write_given(const haft__provider *provider, haft__json_writer *w, haft__json options,
                        bool constrained)
{
    for (uint32_t i = 0; options.kind == HAFT__JSON_OBJECT && i < options.count; i++) {
        haft_str key = haft__json_text(options.members[i].key);
        bool renamed = haft__str_equal(key, HAFT__LIT(OTHER_MAX_TOKENS));
        bool skip = (renamed && has_option(options, MAX_TOKENS))
                    || (constrained && haft__str_equal(key, HAFT__LIT(OUTPUT_CONFIG)))
                    || options.members[i].value.kind == HAFT__JSON_NULL
                    || haft__provider_is_reserved_option(provider, key);
        if (!skip) {
            haft__json_key_str(w, renamed ? HAFT__LIT(MAX_TOKENS) : key);
            haft__json_add(w, options.members[i].value);
        }
    }
}

void haft__anthropic_write_options(const haft__provider *provider, haft__json_writer *w,
                                   const haft__request *request,
                                   const haft__provider_request_options *options)
{
    haft__json given = options->options;
    bool constrained = request->constraint.kind == HAFT__CONSTRAINT_JSON_SCHEMA;
    if (constrained) {
        write_output_config(w, haft__object_object(given, OUTPUT_CONFIG), request->constraint.text);
    }
    if (!has_option(given, MAX_TOKENS) && !has_option(given, OTHER_MAX_TOKENS)) {
        haft__field_number(w, MAX_TOKENS, HAFT__LIMIT_MODEL_REPLY_TOKENS);
    }
    if (options->stream) {
        haft__field_flag(w, "stream", true);
    }
    write_given(provider, w, given, constrained);
}
