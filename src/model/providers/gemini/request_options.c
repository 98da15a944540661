/* SPDX-License-Identifier: Apache-2.0 */
/* request_options.c - the members of a request that change from turn to turn, and the options of
 * the spec. Tests: tests/model/providers/gemini/request_test.c. */
#include "base/macros.h"
#include "base/str.h"
#include "model/model_options.h"
#include "model/model_rules.h"
#include "model/providers/gemini/request_int.h"
#include "json/object.h"

#define CONFIG   "generationConfig"
#define THINKING "thinkingConfig"

/* ---- the choice ---- */

static size_t count_allowed(const haft__request *request)
{
    size_t count = 0;
    for (size_t i = 0; i < request->tool_count; i++) {
        count += request->allowed[i] ? 1 : 0;
    }
    return count;
}

static void add_names(haft__json_writer *w, const haft__request *request)
{
    haft__json_key(w, "allowedFunctionNames");
    haft__json_begin_array(w);
    if (request->mode == HAFT__MODE_TOOL) {
        haft__conversation_add_name(w, request->tool);
    }
    for (size_t i = 0; request->mode != HAFT__MODE_TOOL && i < request->tool_count; i++) {
        if (request->allowed[i]) {
            haft__conversation_add_name(w, request->tools[i]->name);
        }
    }
    haft__json_end_array(w);
}

/* All tools stay declared, so that the provider's cache stays valid. AUTO accepts no names: a
 * subset of which none is required needs VALIDATED. */
void haft__gemini_write_choice(haft__json_writer *w, const haft__request *request,
                               const haft__provider_request_options *options)
{
    size_t allowed = count_allowed(request);
    bool none = request->mode == HAFT__MODE_NONE || allowed == 0;
    bool hosted = request->provider_tool_count > 0;
    bool chooses =
        request->tool_count > 0 && haft__provider_use_member(options, HAFT__MEMBER_TOOL_CHOICE);
    if (!chooses && !hosted) {
        return;
    }
    bool subset = chooses && !none
                  && (request->mode == HAFT__MODE_TOOL || allowed < request->tool_count)
                  && haft__provider_use_member(options, HAFT__MEMBER_ALLOWED_TOOLS);
    const char *mode = none                               ? "NONE"
                       : request->mode != HAFT__MODE_AUTO ? "ANY"
                       : subset                           ? "VALIDATED"
                                                          : "AUTO";
    haft__json_key(w, "toolConfig");
    haft__json_begin_object(w);
    if (chooses) {
        haft__json_key(w, "functionCallingConfig");
        haft__json_begin_object(w);
        haft__field_text(w, "mode", haft__str(mode));
        if (subset) {
            add_names(w, request);
        }
        haft__json_end_object(w);
    }
    if (hosted) { /* the calls that Gemini runs are parts of its reply */
        haft__field_flag(w, "includeServerSideToolInvocations", true);
    }
    haft__json_end_object(w);
}

/* ---- options ---- */

/* The member of generationConfig for an option; NULL: none. */
static const char *member_of(const haft__provider *provider, haft_str option)
{
    const haft__option_rule *rule = haft__model_options_find(provider, option);
    return rule != NULL && rule->member != NULL ? rule->member + strlen(CONFIG ".") : NULL;
}

/* Whether an option before `index`, or generationConfig itself, sets the same member. */
static bool is_set(const haft__provider *provider, haft__json options, uint32_t index,
                   const char *member)
{
    bool found = haft__object_find(haft__object_object(options, CONFIG), member) != NULL;
    for (uint32_t i = 0; i < index && !found; i++) {
        const char *other = member_of(provider, haft__json_text(options.members[i].key));
        found = other != NULL && strcmp(other, member) == 0
                && options.members[i].value.kind != HAFT__JSON_NULL;
    }
    return found;
}

/* Efforts as levels, or as budgets in tokens, for models that have no levels. */
static const struct {
    const char *effort, *level;
    unsigned budget;
} efforts[] = {
    {"none", "MINIMAL", 0},     {"minimal", "MINIMAL", 1024}, {"low", "LOW", 1024},
    {"medium", "MEDIUM", 8192}, {"high", "HIGH", 24576},      {"xhigh", "HIGH", 24576},
    {"max", "HIGH", 24576},
};

static void add_effort(haft__json_writer *w, haft_str effort, bool has_levels)
{
    haft__json_begin_object(w);
    for (size_t i = 0; i < COUNT(efforts); i++) {
        if (!haft__str_equal(effort, haft__str(efforts[i].effort))) {
            continue;
        }
        if (has_levels) {
            haft__field_string(w, "thinkingLevel", efforts[i].level);
        } else {
            haft__field_number(w, "thinkingBudget", efforts[i].budget);
        }
    }
    haft__json_end_object(w);
}

static void add_member(haft__json_writer *w, const char *member, haft__json value, bool has_levels)
{
    bool text = value.kind == HAFT__JSON_STRING;
    haft__json_key(w, member);
    if (text && strcmp(member, THINKING) == 0) {
        add_effort(w, haft__json_text(value), has_levels);
    } else if (text && strcmp(member, "stopSequences") == 0) {
        haft__json_begin_array(w);
        haft__json_add(w, value);
        haft__json_end_array(w);
    } else {
        haft__json_add(w, value);
    }
}

static bool sets_format(haft_str member)
{
    static const char *const names[] = {"responseMimeType", "responseSchema", "responseJsonSchema"};
    return haft__str_is_one_of(member, names, COUNT(names));
}

static void add_given(haft__json_writer *w, haft__json given, bool constrained)
{
    for (uint32_t i = 0; i < given.count; i++) {
        haft_str key = haft__json_text(given.members[i].key);
        if (!(constrained && sets_format(key))) {
            haft__json_key_str(w, key);
            haft__json_add(w, given.members[i].value);
        }
    }
}

/* Whether the server accepts the member. */
static bool is_accepted(const haft__provider_request_options *options, const char *member)
{
    return strcmp(member, THINKING) != 0 || haft__provider_use_member(options, HAFT__MEMBER_EFFORT);
}

static bool has_members(const haft__provider *provider,
                        const haft__provider_request_options *request_options)
{
    haft__json options = request_options->options;
    bool found = haft__object_object(options, CONFIG).count > 0;
    for (uint32_t i = 0; options.kind == HAFT__JSON_OBJECT && i < options.count; i++) {
        const char *member = member_of(provider, haft__json_text(options.members[i].key));
        found = found
                || (member != NULL && options.members[i].value.kind != HAFT__JSON_NULL
                    && is_accepted(request_options, member));
    }
    return found;
}

static void add_config(const haft__provider *provider, haft__json_writer *w,
                       const haft__request *request,
                       const haft__provider_request_options *request_options)
{
    haft__json options = request_options->options;
    const haft__constraint *constraint = &request->constraint;
    bool constrained = constraint->kind == HAFT__CONSTRAINT_JSON_SCHEMA;
    bool has_levels = !haft__model_rules_find(request->model)->thinks_by_budget;
    if (!constrained && !has_members(provider, request_options)) {
        return;
    }
    haft__json_key(w, CONFIG);
    haft__json_begin_object(w);
    add_given(w, haft__object_object(options, CONFIG), constrained);
    for (uint32_t i = 0; options.kind == HAFT__JSON_OBJECT && i < options.count; i++) {
        const char *member = member_of(provider, haft__json_text(options.members[i].key));
        if (member != NULL && options.members[i].value.kind != HAFT__JSON_NULL
            && !is_set(provider, options, i, member) && is_accepted(request_options, member)) {
            add_member(w, member, options.members[i].value, has_levels);
        }
    }
    if (constrained) {
        haft__field_text(w, "responseMimeType", HAFT__LIT("application/json"));
        haft__json_key(w, "responseJsonSchema");
        haft__buf_add_str(w->buf, constraint->text);
        w->after_key = false;
    }
    haft__json_end_object(w);
}

void haft__gemini_write_options(const haft__provider *provider, haft__json_writer *w,
                                const haft__request *request,
                                const haft__provider_request_options *request_options)
{
    haft__json options = request_options->options;
    add_config(provider, w, request, request_options);
    for (uint32_t i = 0; options.kind == HAFT__JSON_OBJECT && i < options.count; i++) {
        haft_str key = haft__json_text(options.members[i].key);
        bool skip = haft__model_options_find(provider, key) != NULL
                    || haft__str_equal(key, HAFT__LIT(CONFIG))
                    || options.members[i].value.kind == HAFT__JSON_NULL
                    || haft__provider_is_reserved_option(provider, key);
        if (!skip) {
            haft__json_key_str(w, key);
            haft__json_add(w, options.members[i].value);
        }
    }
}
