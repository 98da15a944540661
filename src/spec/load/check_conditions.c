/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_conditions.c - finds conditions of approval rules that do not do what they seem to do.
 *
 * A condition that can never hold would let calls run that need approval: an error. A condition
 * that compares incomparable values requires approval of every call: a warning.
 * run/pause/condition.h defines which values are comparable. Tests:
 * tests/spec/load/check_conditions_test.c.
 */
#include "base/str.h"
#include "base/suggestion.h"
#include "run/pause/approval.h"
#include "run/pause/condition.h"
#include "schema/lookup.h"
#include "schema/regex/pattern.h"
#include "spec/load/load_int.h"
#include "json/object.h"
#include "json/pointer.h"

/* ---- without tools ---- */

static bool is_op(haft__json when, const char *op)
{
    return haft__str_equal(haft__object_string(when, "op"), haft__str(op));
}

/* Describes the kind of value that an operator requires, for a message. NULL if this value is
 * suitable. */
static const char *required_value(haft__json when, haft__json value)
{
    bool flag = value.kind == HAFT__JSON_TRUE || value.kind == HAFT__JSON_FALSE;
    if (is_op(when, "exists")) {
        return flag ? NULL : "true or false";
    }
    if (is_op(when, "matches")) {
        return value.kind == HAFT__JSON_STRING ? NULL : "a regular expression";
    }
    if (is_op(when, "in")) {
        return value.kind == HAFT__JSON_ARRAY && value.count > 0 ? NULL : "a list of values";
    }
    bool order = is_op(when, "lt") || is_op(when, "le") || is_op(when, "gt") || is_op(when, "ge");
    bool ordered = value.kind == HAFT__JSON_NUMBER || value.kind == HAFT__JSON_STRING;
    return order && !ordered ? "a number or a text" : NULL;
}

static bool check_value(haft__loader *l, haft_str pointer, haft__json when, haft__json value)
{
    const char *required = required_value(when, value);
    if (required != NULL) {
        bool empty = value.kind == HAFT__JSON_ARRAY && value.count == 0;
        (void)haft__loader_error(l, haft__loader_pointer(l, "%.*s/value", HAFT__ARG(pointer)),
                                 HAFT__SUBJECT_VALUE, "expected %s for %.*s, found %s", required,
                                 HAFT__ARG(haft__object_string(when, "op")),
                                 empty ? "an empty list" : haft__json_kind_name(value));
    }
    return required == NULL;
}

static bool check_pattern(haft__loader *l, haft_str pointer, haft__json value)
{
    const haft__pattern *pattern = NULL;
    haft_error err = {.status = HAFT_OK};
    haft_status status = haft__pattern_compile(l->arena, haft__json_text(value), &pattern, &err);
    if (status != HAFT_OK && !haft__loader_failed(l, status)) {
        (void)haft__loader_error(l, haft__loader_pointer(l, "%.*s/value", HAFT__ARG(pointer)),
                                 HAFT__SUBJECT_VALUE, "%s%s%s", err.where,
                                 err.where[0] != '\0' ? ": " : "", err.message);
    }
    return status == HAFT_OK;
}

/* Checks that do not depend on the tools. */
bool haft__loader_check_condition(haft__loader *l, haft__json when, haft_str pointer)
{
    const haft__json *value = haft__json_get(when, HAFT__LIT("value"));
    if (value == NULL && !is_op(when, "exists")) {
        haft__spec_problem *problem = haft__loader_error(
            l, pointer, HAFT__SUBJECT_VALUE, "%.*s needs a value to compare with",
            HAFT__ARG(haft__object_string(when, "op")));
        haft__loader_hint(l, problem, "add value: with the value to compare with");
        return false;
    }
    return value == NULL
           || (check_value(l, pointer, when, *value)
               && (!is_op(when, "matches") || check_pattern(l, pointer, *value)));
}

/* ---- the result for one tool ---- */

static haft__condition_fit fits_type(haft__json schema, haft_str op, const haft__json *value)
{
    static const haft__json_kind kinds[] = {HAFT__JSON_NULL,   HAFT__JSON_TRUE,  HAFT__JSON_NUMBER,
                                            HAFT__JSON_STRING, HAFT__JSON_ARRAY, HAFT__JSON_OBJECT};
    haft__json type = haft__object_get(schema, "type");
    haft__condition_fit fit =
        type.kind == HAFT__JSON_NULL ? HAFT__CONDITION_COMPARABLE : HAFT__CONDITION_NEVER;
    for (size_t i = 0; i < COUNT(kinds) && fit != HAFT__CONDITION_COMPARABLE; i++) {
        haft__json argument = {.kind = (uint8_t)kinds[i]};
        if (haft__schema_type_accepts(type, argument)) {
            haft__condition_fit one = haft__condition_fits(op, argument, value);
            fit = one != HAFT__CONDITION_NEVER ? one : fit;
        }
    }
    return fit;
}

/* An item of the list must have the type of the value. */
static haft__condition_fit fits_items(haft__json schema, const haft__json *value)
{
    haft__json items = haft__object_get(schema, "items");
    bool several = haft__json_get(schema, HAFT__LIT("prefixItems")) != NULL;
    return several || haft__schema_has_other_keywords(items)
               ? HAFT__CONDITION_COMPARABLE
               : fits_type(items, HAFT__LIT("eq"), value);
}

/* Whether the schema of the argument alone accepts the value. */
static bool accepts(haft__loader *l, haft__json schema, haft__json value)
{
    haft__schema_options options = {.hash_key = l->options->hash_key};
    haft__schema_report report = {.valid = true};
    const haft__schema *compiled = NULL;
    bool single = value.kind != HAFT__JSON_ARRAY && value.kind != HAFT__JSON_OBJECT;
    if (!single || haft__schema_compile(l->arena, schema, &options, &compiled, NULL) != HAFT_OK) {
        return true;
    }
    haft__checker *checker = haft__checker_create();
    haft_status status = checker != NULL
                             ? haft__schema_check(compiled, checker, value, l->arena, &report, NULL)
                             : HAFT_NO_MEMORY;
    haft__checker_destroy(checker);
    return haft__loader_failed(l, status) || report.valid;
}

/* Whether the schema accepts no argument that equals the value in the condition. */
static bool accepts_none(haft__loader *l, haft__json schema, haft__json when, haft__json value)
{
    bool one = !is_op(when, "in");
    bool accepted = one && accepts(l, schema, value);
    for (uint32_t i = 0; !one && i < value.count && !accepted; i++) {
        accepted = accepts(l, schema, value.items[i]);
    }
    return (is_op(when, "eq") || is_op(when, "in")) && !accepted;
}

static haft__condition_fit check_at_schema(haft__loader *l, haft__json schema, haft__json when)
{
    const haft__json *value = haft__json_get(when, HAFT__LIT("value"));
    if (is_op(when, "exists")) {
        return HAFT__CONDITION_COMPARABLE;
    }
    haft__condition_fit fit = fits_type(schema, haft__object_string(when, "op"), value);
    if (fit == HAFT__CONDITION_COMPARABLE && accepts_none(l, schema, when, *value)) {
        return HAFT__CONDITION_NEVER;
    }
    haft__json type = haft__object_get(schema, "type");
    bool text = haft__schema_type_accepts(type, haft__json_string(HAFT__LIT("")));
    bool list = haft__schema_type_accepts(type, haft__json_array(NULL, 0));
    return is_op(when, "contains") && list && !text ? fits_items(schema, value) : fit;
}

/* ---- the rule ---- */

/* The result of a rule's condition for one tool. */
typedef struct verdict {
    const haft__tool *tool;
    haft__json when;
    haft_str at, until; /* the path of the argument; the part of the path that the schema has */
    haft__json schema;  /* the schema at `until` */
    haft__schema_lookup_result place;
    haft__condition_fit fit;
} verdict;

/* Whether a program may still replace the arguments of the tool: the spec has no implementation of
 * the tool, so a program may add a function with other arguments. */
static bool may_change(const haft__tool *tool)
{
    return !tool->typed && tool->source == HAFT__TOOL_HEADLESS
           && haft__object_get(tool->definition, "headless").kind != HAFT__JSON_TRUE;
}

static verdict check_at(haft__loader *l, haft__json when, const haft__tool *tool)
{
    verdict seen = {.tool = tool, .when = when, .at = haft__object_string(when, "at")};
    seen.place = haft__schema_lookup(tool->input_schema, seen.at, &seen.until, &seen.schema);
    if (seen.place == HAFT__LOOKUP_IMPOSSIBLE && may_change(tool)) {
        seen.place = HAFT__LOOKUP_UNRESTRICTED;
    }
    switch (seen.place) {
    case HAFT__LOOKUP_KNOWN: seen.fit = check_at_schema(l, seen.schema, when); break;
    case HAFT__LOOKUP_UNRESTRICTED: seen.fit = HAFT__CONDITION_COMPARABLE; break;
    case HAFT__LOOKUP_IMPOSSIBLE: seen.fit = HAFT__CONDITION_NEVER; break;
    }
    return seen;
}

static void report_wrong_type(haft__loader *l, size_t rule, const verdict *seen)
{
    haft__json type = haft__object_get(seen->schema, "type");
    haft_str name = type.kind == HAFT__JSON_STRING ? haft__json_text(type) : HAFT__LIT("others");
    haft__spec_problem *problem = haft__loader_warning(
        l, haft__loader_pointer(l, "/approvals/%zu/when", rule), HAFT__SUBJECT_VALUE,
        "%.*s of \"%.*s\" has a type that cannot be compared this way: %.*s", HAFT__ARG(seen->at),
        HAFT__ARG(seen->tool->name), HAFT__ARG(name));
    haft__loader_hint(l, problem,
                      "a call that cannot be compared needs approval; arguments under args are "
                      "texts, input_schema gives them types");
}

/* The path in the arguments that was probably meant; .ptr is NULL if none is near. */
static haft_str nearest(haft__loader *l, const verdict *seen)
{
    haft__json properties = haft__object_object(seen->schema, "properties");
    haft_str rest = haft__str_skip(seen->at, seen->until.len), token;
    haft__suggestion near;
    haft__suggestion_init(&near, haft__pointer_next(&rest, &token) ? token : rest);
    for (uint32_t i = 0; i < properties.count && near.left > 0; i++) {
        haft__suggestion_offer(&near, haft__json_text(properties.members[i].key));
    }
    return near.best.ptr != NULL ? haft__loader_pointer_to_key(l, seen->until, near.best)
                                 : near.best;
}

static void report_absent(haft__loader *l, size_t rule, const verdict *seen, bool error)
{
    haft_str where = haft__loader_pointer(l, "/approvals/%zu/when/at", rule);
    bool asks = haft__condition_holds_if_missing(seen->when);
    haft__spec_problem *problem = (error && !asks ? haft__loader_error : haft__loader_warning)(
        l, where, HAFT__SUBJECT_VALUE,
        "the schema of \"%.*s\" has no argument %.*s: the condition %s holds",
        HAFT__ARG(seen->tool->name), HAFT__ARG(seen->at), asks ? "always" : "never");
    haft_str meant = nearest(l, seen);
    if (meant.ptr != NULL) {
        haft__loader_hint(l, problem, "did you mean %.*s?", HAFT__ARG(meant));
    } else if (haft__json_get(seen->schema, HAFT__LIT("properties")) != NULL) {
        haft__loader_hint(
            l, problem,
            "if the tool accepts other arguments, write additionalProperties: true in its schema");
    }
}

static void report_never_true(haft__loader *l, size_t rule, const verdict *seen, bool error)
{
    haft_str where = haft__loader_pointer(l, "/approvals/%zu/when", rule);
    haft__spec_problem *problem = (error ? haft__loader_error : haft__loader_warning)(
        l, where, HAFT__SUBJECT_VALUE,
        "the schema of \"%.*s\" excludes this value of %.*s: the condition never holds",
        HAFT__ARG(seen->tool->name), HAFT__ARG(seen->at));
    haft__loader_hint(l, problem, "no call of the tool would need approval by this rule");
}

static void report(haft__loader *l, size_t rule, const verdict *seen, bool error)
{
    switch (seen->fit) {
    case HAFT__CONDITION_COMPARABLE: return;
    case HAFT__CONDITION_INCOMPARABLE: report_wrong_type(l, rule, seen); return;
    case HAFT__CONDITION_NEVER:
        (seen->place == HAFT__LOOKUP_IMPOSSIBLE ? report_absent : report_never_true)(l, rule, seen,
                                                                                     error);
        return;
    }
    HAFT__UNREACHABLE();
}

/* Whether the rule contains the exact name of this tool, not only a pattern that matches it. */
static bool is_named_exactly(const haft__approval_rule *rule, const haft__tool *tool)
{
    bool matched = false;
    for (size_t i = 0; i < rule->tool_count; i++) {
        if (haft__str_equal(rule->tools[i], tool->name)) {
            return true;
        }
        matched = matched || haft__filter_matches(rule->tools[i], tool->name);
    }
    return !matched;
}

/* Whether the rule may apply to tools of servers, which are unknown here. */
static bool is_about_others(const haft__loader *l, const haft__approval_rule *rule)
{
    bool servers = haft__object_object(l->spec->mcp, "servers").count > 0
                   || haft__object_get(l->spec->mcp, "import").kind != HAFT__JSON_NULL;
    bool others = rule->trait_count > 0;
    for (size_t i = 0; i < rule->tool_count; i++) {
        others = others || haft__tools_find(&l->spec->tools, rule->tools[i]) == NULL;
    }
    return servers && others;
}

/* Checks the condition of a rule for its tools. A pattern may match tools without the argument, so
 * for tools that are matched by a pattern it is sufficient that the condition can hold for one
 * tool. */
static void check_tools(haft__loader *l, size_t index)
{
    const haft__approval_rule *rule = &l->spec->approvals[index];
    bool useful = is_about_others(l, rule);
    for (size_t i = 0; i < l->spec->tools.count && !useful; i++) {
        const haft__tool *tool = l->spec->tools.items[i];
        useful = haft__approval_matches(rule, tool)
                 && check_at(l, rule->when, tool).fit != HAFT__CONDITION_NEVER;
    }
    bool reported = false;
    for (size_t i = 0; i < l->spec->tools.count && !reported; i++) {
        const haft__tool *tool = l->spec->tools.items[i];
        if (!haft__approval_matches(rule, tool)) {
            continue;
        }
        verdict seen = check_at(l, rule->when, tool);
        if (!useful || seen.fit != HAFT__CONDITION_NEVER || is_named_exactly(rule, tool)) {
            report(l, index, &seen, !useful);
            reported = !useful;
        }
    }
}

void haft__loader_check_conditions(haft__loader *l)
{
    for (size_t i = 0; i < l->spec->approval_count; i++) {
        haft__json when = l->spec->approvals[i].when;
        if (when.kind == HAFT__JSON_OBJECT
            && haft__loader_check_condition(l, when,
                                            haft__loader_pointer(l, "/approvals/%zu/when", i))) {
            check_tools(l, i);
        }
    }
}
