/* SPDX-License-Identifier: Apache-2.0 */
/* approval.c - rules about approvals, and the conditions in them. Tests: tests/run/approval_test.c.
 */
#include "run/approval.h"

#include <string.h>

#include "base/macros.h"
#include "base/str.h"
#include "schema/pattern.h"
#include "json/number.h"
#include "json/pointer.h"

/* What a condition came to. */
typedef enum outcome {
    NO,
    YES,
    UNSURE, /* counts as yes: rather ask than not */
} outcome;

static outcome of(bool holds)
{
    return holds ? YES : NO;
}

static bool has_digit(haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] >= '0' && text.ptr[i] <= '9') {
            return true;
        }
    }
    return false;
}

static bool is_flag(haft__json value)
{
    return value.kind == HAFT__JSON_TRUE || value.kind == HAFT__JSON_FALSE;
}

/* Whether the two may mean the same though they are of different kinds: "100" and 100, "yes" and
 * true, 1 and true. The tool may take one for the other. */
static bool may_mean_the_same(haft__json a, haft__json b)
{
    if (b.kind == HAFT__JSON_STRING || (is_flag(a) && !is_flag(b))) {
        haft__json swapped = a;
        a = b;
        b = swapped;
    }
    bool text = a.kind == HAFT__JSON_STRING;
    return (text && b.kind == HAFT__JSON_NUMBER && has_digit(haft__json_text(a)))
           || ((text || a.kind == HAFT__JSON_NUMBER) && is_flag(b));
}

static outcome equal(haft__json a, haft__json b)
{
    bool same = false;
    if (a.kind != b.kind && may_mean_the_same(a, b)) {
        return UNSURE;
    }
    return haft__json_equal(a, b, &same, NULL) == HAFT_OK ? of(same) : UNSURE;
}

/* Numbers by value, texts by their bytes; nothing else has an order. False when they have none. */
static bool compare(haft__json a, haft__json b, int *ret_order)
{
    if (a.kind != b.kind || (a.kind != HAFT__JSON_NUMBER && a.kind != HAFT__JSON_STRING)) {
        return false;
    }
    *ret_order = a.kind == HAFT__JSON_NUMBER
                     ? haft__number_compare(haft__json_text(a), haft__json_text(b))
                     : haft__str_compare(haft__json_text(a), haft__json_text(b));
    return true;
}

static outcome has_item(haft__json list, haft__json item)
{
    if (list.kind != HAFT__JSON_ARRAY) {
        return UNSURE;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        outcome found = equal(list.items[i], item);
        if (found != NO) {
            return found;
        }
    }
    return NO;
}

static outcome contains(haft__json whole, haft__json part)
{
    if (whole.kind != HAFT__JSON_STRING || part.kind != HAFT__JSON_STRING) {
        return has_item(whole, part);
    }
    haft_str text = haft__json_text(whole), wanted = haft__json_text(part);
    for (; text.len >= wanted.len; text = haft__str_skip(text, 1)) {
        if (wanted.len == 0 || memcmp(text.ptr, wanted.ptr, wanted.len) == 0) {
            return YES;
        }
    }
    return NO;
}

static outcome matches(haft__arena *scratch, haft__json text, haft__json expression)
{
    const haft__pattern *pattern = NULL;
    if (text.kind != HAFT__JSON_STRING || expression.kind != HAFT__JSON_STRING) {
        return UNSURE;
    }
    if (haft__pattern_compile(scratch, haft__json_text(expression), &pattern, NULL) != HAFT_OK) {
        return UNSURE;
    }
    haft__pattern_scratch *work = haft__pattern_scratch_create();
    if (work == NULL) {
        return UNSURE;
    }
    haft__pattern_result result = haft__pattern_match(pattern, work, haft__json_text(text));
    haft__pattern_scratch_destroy(work);
    return result == HAFT__PATTERN_NO ? NO : result == HAFT__PATTERN_YES ? YES : UNSURE;
}

/* Orders and what they must come to: less, equal, greater. */
static const struct {
    const char *op;
    bool less, same, greater;
} orders[] = {
    {"lt", true, false, false},
    {"le", true, true, false},
    {"gt", false, false, true},
    {"ge", false, true, true},
};

static outcome holds(haft__arena *scratch, haft_str op, haft__json found, haft__json wanted)
{
    for (size_t i = 0; i < COUNT(orders); i++) {
        int order;
        if (haft__str_equal(op, haft__str(orders[i].op))) {
            if (!compare(found, wanted, &order)) {
                return UNSURE;
            }
            return of(order < 0 ? orders[i].less : order > 0 ? orders[i].greater : orders[i].same);
        }
    }
    if (haft__str_equal(op, HAFT__LIT("ne"))) {
        outcome same = equal(found, wanted);
        return same == UNSURE ? UNSURE : of(same == NO);
    }
    if (haft__str_equal(op, HAFT__LIT("in"))) {
        return has_item(wanted, found);
    }
    if (haft__str_equal(op, HAFT__LIT("contains"))) {
        return contains(found, wanted);
    }
    if (haft__str_equal(op, HAFT__LIT("matches"))) {
        return matches(scratch, found, wanted);
    }
    return equal(found, wanted);
}

static bool applies(haft__arena *scratch, haft__json when, const haft__json *arguments)
{
    if (when.kind != HAFT__JSON_OBJECT || arguments == NULL) {
        return true;
    }
    const haft__json *at = haft__json_get(when, HAFT__LIT("at"));
    const haft__json *op = haft__json_get(when, HAFT__LIT("op"));
    const haft__json *value = haft__json_get(when, HAFT__LIT("value"));
    if (at == NULL || op == NULL) {
        return true;
    }
    const haft__json *found = haft__pointer_get(arguments, haft__json_text(*at));
    if (haft__str_equal(haft__json_text(*op), HAFT__LIT("exists"))) {
        bool wanted = value == NULL || value->kind != HAFT__JSON_FALSE;
        return (found != NULL) == wanted;
    }
    if (found == NULL) {
        return haft__str_equal(haft__json_text(*op), HAFT__LIT("ne"));
    }
    return holds(scratch, haft__json_text(*op), *found, value != NULL ? *value : haft__json_null())
           != NO;
}

static bool names_tool(const haft__approval_rule *rule, haft_str name)
{
    for (size_t i = 0; i < rule->tool_count; i++) {
        if (haft__filter_matches(rule->tools[i], name)) {
            return true;
        }
    }
    return false;
}

static bool names_trait(const haft__approval_rule *rule, const haft__traits *traits)
{
    const struct {
        const char *name;
        bool held;
    } known[] = {
        {"read_only", traits->read_only},
        {"idempotent", traits->idempotent},
        {"destructive", traits->destructive},
        {"return_direct", traits->return_direct},
    };
    for (size_t i = 0; i < rule->trait_count; i++) {
        for (size_t k = 0; k < COUNT(known); k++) {
            if (known[k].held && haft__str_equal(rule->traits[i], haft__str(known[k].name))) {
                return true;
            }
        }
    }
    return false;
}

bool haft__approval_wanted(const haft__spec *spec, const haft__tool *tool,
                           const haft__json *arguments, haft__arena *scratch,
                           const haft__approval_rule **ret_rule)
{
    *ret_rule = NULL;
    for (size_t i = 0; i < spec->approval_count; i++) {
        const haft__approval_rule *rule = &spec->approvals[i];
        if ((names_tool(rule, tool->name) || names_trait(rule, &tool->traits))
            && applies(scratch, rule->when, arguments)) {
            *ret_rule = rule;
            return true;
        }
    }
    return tool->traits.needs_approval;
}
