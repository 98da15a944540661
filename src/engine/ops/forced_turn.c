/* SPDX-License-Identifier: Apache-2.0 */
/* forced_turn.c - see forced_turn.h. Tests: tests/cli/formats_test.py. */
#include "engine/ops/forced_turn.h"

#include "base/str.h"
#include "format/format.h"
#include "model/provider.h"
#include "run/offer/offer.h"
#include "json/object.h"

/* Returns the means that forces a call. A constraint forces calls in text; the provider forces
 * native calls, if it can. A model inside this process reads the choice directly. */
static const char *find_means(const haft__spec *spec, const haft__forced_turn *forced,
                              haft__member_set refused)
{
    static const char *const constraints[] = {[HAFT__CONSTRAINT_NONE] = "local",
                                              [HAFT__CONSTRAINT_GBNF] = "grammar",
                                              [HAFT__CONSTRAINT_JSON_SCHEMA] = "schema"};
    const haft__provider *provider = haft__provider_for_model(&spec->model);
    if (!forced->second_request_only) {
        return constraints[forced->kind];
    }
    if (forced->rule != HAFT__FORCE_NATIVE) {
        return "local";
    }
    bool subset = (refused & HAFT__MEMBER_BIT(HAFT__MEMBER_ALLOWED_TOOLS)) == 0;
    if (provider == NULL || (provider->capabilities.allowed_tools && subset)) {
        return "subset";
    }
    return provider->capabilities.named_choice || provider->chat.must_call[0] != '\0' ? "choice"
                                                                                      : "local";
}

/* Whether the server is known to reject the constraint. */
static bool is_refused(haft__constraint_kind kind, haft__member_set refused)
{
    return (kind == HAFT__CONSTRAINT_GBNF
            && (refused & HAFT__MEMBER_BIT(HAFT__MEMBER_GRAMMAR)) != 0)
           || (kind == HAFT__CONSTRAINT_JSON_SCHEMA
               && (refused & HAFT__MEMBER_BIT(HAFT__MEMBER_SCHEMA)) != 0);
}

haft_status haft__forced_turn_inspect(const haft__spec *spec, const haft__request *request,
                                      const haft__refusals *refusals, uint64_t now_ms,
                                      haft__arena *arena, haft__forced_turn *ret_forced,
                                      haft_error *err)
{
    const char *why;
    haft__constraint_support force = haft__constraint_detect(spec);
    haft__request turn = *request;
    haft__member_texts texts = haft__member_texts_of(request, HAFT__LIT(""));
    haft__member_set refused = haft__refusals_of(refusals, &texts, now_ms);
    haft_str format = haft__offer_format(spec, &why);
    bool second_request_only = haft__format_find(format) == NULL;
    const haft__model_spec *model = &spec->model;
    const haft__provider *provider = haft__provider_for_model(model);
    haft__force_rule rule =
        provider != NULL ? haft__model_force_rule(provider, model->model, model->options, refused)
                         : HAFT__FORCE_NATIVE;
    turn.allowed = NULL; /* all tools that the model sees are allowed */
    turn.tool_count -= turn.deferred_count;
    turn.deferred_count = 0;
    turn.mode = HAFT__MODE_ANY;
    turn.constraint = (haft__constraint){.kind = HAFT__CONSTRAINT_NONE};
    *ret_forced =
        (haft__forced_turn){.why = force.why,
                            .rule = rule,
                            .second_request_only = second_request_only,
                            .format = second_request_only ? HAFT__LIT("purejson") : format};
    haft__relax_report_init(&ret_forced->relaxed, arena);
    haft_status status = haft__constraint_apply(spec, ret_forced->format, second_request_only,
                                                &turn, arena, &ret_forced->relaxed, err);
    ret_forced->kind = turn.constraint.kind;
    ret_forced->bytes = turn.constraint.text.len;
    if (force.kind != HAFT__CONSTRAINT_NONE && ret_forced->kind == HAFT__CONSTRAINT_NONE) {
        ret_forced->why = request->tool_count > 0 ? "the tools cannot be expressed as a constraint"
                                                  : "there is no tool to call";
    }
    texts = haft__member_texts_of(&turn, HAFT__LIT(""));
    if (is_refused(ret_forced->kind, haft__refusals_of(refusals, &texts, now_ms))) {
        ret_forced->kind = HAFT__CONSTRAINT_NONE;
        ret_forced->bytes = 0;
        ret_forced->why = "the server refused it in an earlier run";
    }
    ret_forced->means = find_means(spec, ret_forced, refused);
    return status;
}

static haft_str line_of(haft__arena *arena, const haft__relaxation *item)
{
    haft_str line = haft__arena_format(arena, "%.*s: %.*s became %.*s", HAFT__ARG(item->where),
                                       HAFT__ARG(item->what), HAFT__ARG(item->became));
    return line.ptr != NULL ? line : HAFT__LIT("");
}

void haft__forced_turn_write(haft__json_writer *w, haft__arena *arena,
                             const haft__forced_turn *forced)
{
    haft__json_key(w, "forced");
    haft__json_begin_object(w);
    haft__field_string(w, "means", forced->means);
    haft__field_string(w, "constraint", haft__constraint_name(forced->kind));
    haft__field_string(w, "reason", forced->why);
    haft__json_key(w, "choice");
    if (forced->second_request_only) {
        haft__json_add_str(w, haft__str(haft__force_rule_text(forced->rule)));
    } else {
        haft__json_add_null(w);
    }
    haft__field_text(w, "when",
                     forced->second_request_only ? HAFT__LIT("asked again") : HAFT__LIT("always"));
    haft__field_text(w, "format", forced->format);
    haft__field_number(w, "bytes", forced->bytes);
    haft__json_key(w, "relaxed");
    haft__json_begin_array(w);
    for (size_t i = 0; i < forced->relaxed.count; i++) {
        haft__json_add_str(w, line_of(arena, &forced->relaxed.items[i]));
    }
    haft__json_end_array(w);
    haft__field_number(w, "relaxed_left_off", forced->relaxed.left_off);
    haft__json_end_object(w);
}
