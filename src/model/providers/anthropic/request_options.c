/* SPDX-License-Identifier: Apache-2.0 */
/* request_options.c - the members of a request that change from turn to turn, and the options of
 * the spec. Tests: tests/model/providers/anthropic/request_test.c. */
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/model_options.h"
#include "model/model_rules.h"
#include "model/providers/anthropic/request_int.h"
#include "json/object.h"

/* The limit of the reply, and the name that other providers have for it. */
#define MAX_TOKENS       "max_tokens"
#define OTHER_MAX_TOKENS "max_completion_tokens"

#define OUTPUT_CONFIG  "output_config"
#define STOP_SEQUENCES "stop_sequences"
#define EFFORT         "reasoning_effort"

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

/* The efforts of other providers that Anthropic does not have. */
static haft_str effort_for(haft_str effort)
{
    bool min =
        haft__str_equal(effort, HAFT__LIT("none")) || haft__str_equal(effort, HAFT__LIT("minimal"));
    return min ? HAFT__LIT("low") : effort;
}

/* output_config of the options, with the schema of the reply and an effort, which may be empty. */
static void write_output_config(haft__json_writer *w, haft__json given, haft_str effort,
                                const haft__constraint *constraint)
{
    bool constrained = constraint->kind == HAFT__CONSTRAINT_JSON_SCHEMA;
    haft__json_key(w, OUTPUT_CONFIG);
    haft__json_begin_object(w);
    for (uint32_t i = 0; given.kind == HAFT__JSON_OBJECT && i < given.count; i++) {
        haft_str key = haft__json_text(given.members[i].key);
        if (!constrained || !haft__str_equal(key, HAFT__LIT("format"))) {
            haft__json_key_str(w, key);
            haft__json_add(w, given.members[i].value);
        }
    }
    if (effort.len > 0) {
        haft__field_text(w, "effort", effort_for(effort));
    }
    if (constrained) {
        haft__json_key(w, "format");
        haft__json_begin_object(w);
        haft__field_text(w, "type", HAFT__LIT("json_schema"));
        haft__json_key(w, "schema");
        haft__buf_add_str(w->buf, constraint->text);
        w->after_key = false;
        haft__json_end_object(w);
    }
    haft__json_end_object(w);
}

/* A sequence may be given alone. */
static void write_stop(haft__json_writer *w, haft__json value)
{
    bool alone = value.kind == HAFT__JSON_STRING;
    haft__json_key(w, STOP_SEQUENCES);
    if (alone) {
        haft__json_begin_array(w);
    }
    haft__json_add(w, value);
    if (alone) {
        haft__json_end_array(w);
    }
}

static void write_option(const haft__provider *provider, haft__json_writer *w, haft_str model,
                         haft__json options, const haft__json_member *option)
{
    haft_str key = haft__json_text(option->key);
    const haft__option_rule *rule = haft__model_options_find(provider, key);
    const char *member = rule != NULL ? rule->member : NULL;
    bool twice = member != NULL && has_option(options, member);
    if (twice || option->value.kind == HAFT__JSON_NULL
        || haft__str_equal(key, HAFT__LIT(OUTPUT_CONFIG)) || haft__str_equal(key, HAFT__LIT(EFFORT))
        || haft__provider_is_reserved_option(provider, key)
        || haft__model_options_why_unsent(provider, model, options, key) != NULL) {
        return;
    }
    if (member != NULL && strcmp(member, STOP_SEQUENCES) == 0) {
        write_stop(w, option->value);
        return;
    }
    haft__json_key_str(w, member != NULL ? haft__str(member) : key);
    haft__json_add(w, option->value);
}

/* The limit of a reply whose options set none. A budget for thinking is a part of the limit and
 * must be smaller. */
static uint64_t reply_tokens(haft__json options)
{
    uint64_t budget =
        haft__object_number(haft__object_object(options, "thinking"), "budget_tokens", 0);
    uint64_t max = UINT64_MAX - HAFT__LIMIT_MODEL_REPLY_TOKENS;
    return HAFT__LIMIT_MODEL_REPLY_TOKENS + (budget < max ? budget : max);
}

void haft__anthropic_write_options(const haft__provider *provider, haft__json_writer *w,
                                   const haft__request *request,
                                   const haft__provider_request_options *options)
{
    haft__json given = options->options;
    haft__json config = haft__object_object(given, OUTPUT_CONFIG);
    haft_str effort = haft__object_string(given, EFFORT);
    bool effort_is_sent = effort.len > 0 && haft__object_find(config, "effort") == NULL
                          && haft__provider_use_member(options, HAFT__MEMBER_EFFORT);
    if (request->constraint.kind == HAFT__CONSTRAINT_JSON_SCHEMA || config.count > 0
        || effort_is_sent) {
        write_output_config(w, config, effort_is_sent ? effort : HAFT__LIT(""),
                            &request->constraint);
    }
    if (!has_option(given, MAX_TOKENS) && !has_option(given, OTHER_MAX_TOKENS)) {
        haft__field_number(w, MAX_TOKENS, reply_tokens(given));
    }
    if (options->stream) {
        haft__field_flag(w, "stream", true);
    }
    for (uint32_t i = 0; given.kind == HAFT__JSON_OBJECT && i < given.count; i++) {
        write_option(provider, w, request->model, given, &given.members[i]);
    }
}
