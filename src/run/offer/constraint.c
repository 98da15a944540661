/* SPDX-License-Identifier: Apache-2.0 */
/* constraint.c - see run/offer/constraint.h. Tests: tests/run/offer/constraint_test.c. */
#include "run/offer/constraint.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "format/grammar/grammar.h"
#include "model/provider.h"
#include "run/offer/offer.h"
#include "tool/wire_name.h"
#include "json/number.h"
#include "json/object.h"

/* The format for a second request to a model that calls natively, and for every JSON reply. */
#define JSON_FORMAT "purejson"

/* ---- what the server supports ---- */

bool haft__constraint_has_own(haft__json options)
{
    static const char *const keys[] = {"grammar",       "json_schema",  "response_format",
                                       "format",        "guided_json",  "structured_outputs",
                                       "guided_choice", "guided_regex", "guided_grammar"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        if (haft__json_get(options, haft__str(keys[i])) != NULL) {
            return true;
        }
    }
    haft__json config = haft__object_object(options, "generationConfig");
    return haft__object_find(config, "responseSchema") != NULL
           || haft__object_find(config, "responseJsonSchema") != NULL
           || haft__object_find(config, "responseMimeType") != NULL
           || haft__object_find(haft__object_object(options, "output_config"), "format") != NULL
           || haft__object_find(haft__object_object(options, "text"), "format") != NULL;
}

static haft__constraint_support support_of_provider(const haft__provider *provider)
{
    static const char *const why[] = {
        [HAFT__CONSTRAINT_NONE] = "its server is unknown; model.constraint can name the constraint",
        [HAFT__CONSTRAINT_GBNF] = "its provider accepts a grammar",
        [HAFT__CONSTRAINT_JSON_SCHEMA] = "its provider accepts a JSON Schema",
    };
    haft__constraint_kind kind = provider->capabilities.constraint;
    haft__constraint_support support = {.kind = kind, .why = why[kind]};
    if (kind == HAFT__CONSTRAINT_JSON_SCHEMA) {
        support.target = provider->capabilities.schema;
    }
    return support;
}

haft__constraint_support haft__constraint_detect(const haft__spec *spec)
{
    const haft__provider *provider = haft__provider_for_model(&spec->model);
    if (provider == NULL) {
        return (haft__constraint_support){.why = "the model has no server"};
    }
    if (haft__constraint_has_own(spec->model.options)) {
        return (haft__constraint_support){.why = "model.options set a constraint of their own"};
    }
    switch (spec->model.constraint) {
    case HAFT__CONSTRAIN_AUTO: return support_of_provider(provider);
    case HAFT__CONSTRAIN_NONE: return (haft__constraint_support){.why = "model.constraint is none"};
    case HAFT__CONSTRAIN_GRAMMAR:
        return (haft__constraint_support){.kind = HAFT__CONSTRAINT_GBNF,
                                          .why = "model.constraint is grammar"};
    case HAFT__CONSTRAIN_SCHEMA:
        return (haft__constraint_support){.kind = HAFT__CONSTRAINT_JSON_SCHEMA,
                                          .target = provider->capabilities.schema,
                                          .why = "model.constraint is schema"};
    }
    HAFT__UNREACHABLE();
}

haft_str haft__constraint_format(const haft__run *run)
{
    const char *why;
    bool forced = run->mode == HAFT__MODE_ANY || run->mode == HAFT__MODE_TOOL;
    if (!forced || haft__constraint_detect(run->spec).kind == HAFT__CONSTRAINT_NONE
        || (run->refused & HAFT__MEMBER_CONSTRAINTS) != 0) {
        return HAFT__LIT("");
    }
    haft_str format = haft__offer_format(run->spec, &why);
    if (haft__format_find(format) != NULL) {
        return format;
    }
    return run->violations > 0 ? HAFT__LIT(JSON_FORMAT) : HAFT__LIT("");
}

/* ---- the constraint ---- */

/* The maximum length of a string in a reply: half as many characters as the reply may have tokens.
 * Without this limit, an endless string of a small model would fill the reply. 0 (no limit) if the
 * reply is not limited, or if the limit is too large for the counters of a grammar. */
static uint32_t max_reply_chars(haft__json options)
{
    static const char *const keys[] = {"max_tokens", "max_completion_tokens", "max_output_tokens",
                                       "num_predict"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        const haft__json *value = haft__json_get(options, haft__str(keys[i]));
        int64_t tokens = 0;
        if (value != NULL && value->kind == HAFT__JSON_NUMBER
            && haft__number_to_int64(haft__json_text(*value), &tokens) && tokens > 0) {
            return tokens / 2 <= HAFT__LIMIT_GRAMMAR_REPEAT ? (uint32_t)(tokens / 2) : 0;
        }
    }
    return 0;
}

/* The grammar permits a reasoning block only for a model that is known to reason. Otherwise a small
 * model could open a block by chance, never close it, and make no call. */
static haft__grammar_options options_for(const haft__model_spec *model, bool several)
{
    return (haft__grammar_options){.several = several,
                                   .reasoning = model->family.reasoning_open != NULL,
                                   .start_in_reasoning = model->starts_in_reasoning,
                                   .max_chars = max_reply_chars(model->options)};
}

/* Writes the schema for the target. If the target's strict mode cannot express some arguments that
 * a tool accepts, the schema is not strict: `io_target` becomes the target without strict mode.
 * Fails if there is no such target. */
static haft_status write_schema(const haft__request *request, const haft__format *format,
                                const haft__format_tool *tools, haft_str tool,
                                haft__grammar_options options, haft__schema_target *io_target,
                                haft__buf *text, haft__relax_report *report, haft_error *err)
{
    haft_error narrow = {0};
    size_t before = haft__relax_report_count(report);
    options.complete = haft__schema_target_closes_objects(*io_target);
    haft_status status =
        haft__grammar_schema(text, *io_target, format, tools, request->tool_count, request->allowed,
                             request->mode, tool, &options, report, &narrow);
    if (status != HAFT_UNSUPPORTED || !haft__schema_target_is_strict(*io_target)) {
        return status == HAFT_OK ? HAFT_OK : haft__fail(err, status, "", "%s", narrow.message);
    }
    char why[sizeof(narrow.message) + 16];
    (void)snprintf(why, sizeof(why), "off: the mode %s", narrow.message);
    haft__relax_report_truncate(report, before);
    haft__relax_report_add(report, haft__str(narrow.where), HAFT__LIT("strict mode"), why);
    options.complete = false;
    *io_target = haft__schema_target_relaxed(*io_target);
    return haft__grammar_schema(text, *io_target, format, tools, request->tool_count,
                                request->allowed, request->mode, tool, &options, report, err);
}

static haft_status write_constraint(haft__constraint_support *io_support,
                                    const haft__request *request, const haft__format *format,
                                    haft__grammar_options options, haft__arena *arena,
                                    haft__buf *text, haft__relax_report *report, haft_error *err)
{
    haft__format_tool *tools = NULL;
    haft__wire_name tool =
        haft__wire_name_encode(request->tool.len > 0 ? request->tool : HAFT__LIT("_"));
    haft_status status = haft__request_format_tools(request, arena, &tools, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (io_support->kind == HAFT__CONSTRAINT_GBNF) {
        return haft__grammar_gbnf(text, format, tools, request->tool_count, request->allowed,
                                  request->mode, haft__wire_name_str(&tool), &options, report, err);
    }
    return write_schema(request, format, tools, haft__wire_name_str(&tool), options,
                        &io_support->target, text, report, err);
}

haft_status haft__constraint_apply(const haft__spec *spec, haft_str format, bool again,
                                   haft__request *request, haft__arena *arena,
                                   haft__relax_report *report, haft_error *err)
{
    haft__constraint_support support = haft__constraint_detect(spec);
    const haft__format *found = haft__format_find(format);
    bool several = !again && request->mode == HAFT__MODE_ANY && spec->limits.parallel > 1;
    if (support.kind == HAFT__CONSTRAINT_NONE || found == NULL) {
        return HAFT_OK;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_GRAMMAR_BYTES + 1);
    haft_status status = write_constraint(
        &support, request, found, options_for(&spec->model, several), arena, &text, report, NULL);
    if (status == HAFT_OK) {
        haft_str kept = haft__arena_copy(arena, haft__buf_str(&text));
        status = kept.ptr != NULL ? HAFT_OK : HAFT_NO_MEMORY;
        bool json = support.kind == HAFT__CONSTRAINT_JSON_SCHEMA;
        request->format = format;
        request->reply_format = json ? HAFT__LIT(JSON_FORMAT) : format;
        request->constraint =
            (haft__constraint){.kind = support.kind,
                               .strict = json && haft__schema_target_is_strict(support.target),
                               .text = kept};
    }
    haft__buf_finish(&text);
    if (report != NULL && report->status == HAFT_NO_MEMORY) {
        status = HAFT_NO_MEMORY;
    }
    return status == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : HAFT_OK;
}
