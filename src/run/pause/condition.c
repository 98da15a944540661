/* SPDX-License-Identifier: Apache-2.0 */
/* condition.c - `when` of an approval rule. Tests: tests/run/pause/condition_test.c. */
#include "run/pause/condition.h"

#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "schema/regex/pattern.h"
#include "json/number.h"
#include "json/object.h"
#include "json/pointer.h"

/* The result of a comparison. */
typedef enum outcome {
    NO,
    YES,
    UNSURE, /* treated as yes: the call needs approval */
} outcome;

static outcome outcome_of(bool holds)
{
    return holds ? YES : NO;
}

static bool has_digit(haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (haft__ascii_is_digit(text.ptr[i])) {
            return true;
        }
    }
    return false;
}

static bool is_flag(haft__json value)
{
    return value.kind == HAFT__JSON_TRUE || value.kind == HAFT__JSON_FALSE;
}

/* Whether values of different types may be equal for the tool, because it may convert them: "100"
 * and 100, "yes" and true, 1 and true. */
static bool may_be_equal(haft__json a, haft__json b)
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
    if (a.kind != b.kind && may_be_equal(a, b)) {
        return UNSURE;
    }
    return haft__json_equal(a, b, &same, NULL) == HAFT_OK ? outcome_of(same) : UNSURE;
}

static outcome has_item(haft__json list, haft__json item)
{
    for (uint32_t i = 0; i < list.count; i++) {
        outcome found = equal(list.items[i], item);
        if (found != NO) {
            return found;
        }
    }
    return NO;
}

static outcome list_contains(haft__json list, haft__json item)
{
    if (list.count == 0) {
        return NO;
    }
    switch (haft__condition_fits_list(list, item)) {
    case HAFT__CONDITION_COMPARABLE: return has_item(list, item);
    case HAFT__CONDITION_NEVER: return NO;
    case HAFT__CONDITION_INCOMPARABLE: return UNSURE;
    }
    HAFT__UNREACHABLE();
}

static outcome contains(haft__json whole, haft__json part)
{
    if (whole.kind == HAFT__JSON_ARRAY) {
        return list_contains(whole, part);
    }
    haft_str text = haft__json_text(whole), operand = haft__json_text(part);
    for (; text.len >= operand.len; text = haft__str_skip(text, 1)) {
        if (operand.len == 0 || memcmp(text.ptr, operand.ptr, operand.len) == 0) {
            return YES;
        }
    }
    return NO;
}

static outcome matches(haft__arena *scratch, haft__json text, haft__json expression)
{
    const haft__pattern *pattern = NULL;
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

/* Compares numbers by value, texts by bytes. */
static int compare(haft__json a, haft__json b)
{
    return a.kind == HAFT__JSON_NUMBER
               ? haft__number_compare(haft__json_text(a), haft__json_text(b))
               : haft__str_compare(haft__json_text(a), haft__json_text(b));
}

/* The order operators and the results that satisfy them: less, equal, greater. */
typedef struct order {
    const char *op;
    bool less, same, greater;
} order;

static const order *find_order(haft_str op)
{
    static const order orders[] = {
        {"lt", true, false, false},
        {"le", true, true, false},
        {"gt", false, false, true},
        {"ge", false, true, true},
    };
    for (size_t i = 0; i < COUNT(orders); i++) {
        if (haft__str_equal(op, haft__str(orders[i].op))) {
            return &orders[i];
        }
    }
    return NULL;
}

/* ---- values that can be compared ---- */

/* Null differs from every other value. For two other values of different types, the tool's
 * conversion is unknown. */
static haft__condition_fit fits_equal(haft__json a, haft__json b)
{
    if (a.kind == b.kind || (is_flag(a) && is_flag(b))) {
        return HAFT__CONDITION_COMPARABLE;
    }
    bool null = a.kind == HAFT__JSON_NULL || b.kind == HAFT__JSON_NULL;
    return null ? HAFT__CONDITION_NEVER : HAFT__CONDITION_INCOMPARABLE;
}

haft__condition_fit haft__condition_fits_list(haft__json list, haft__json item)
{
    if (list.kind != HAFT__JSON_ARRAY || list.count == 0) {
        return HAFT__CONDITION_INCOMPARABLE;
    }
    haft__condition_fit fit = HAFT__CONDITION_NEVER;
    for (uint32_t i = 0; i < list.count && fit != HAFT__CONDITION_COMPARABLE; i++) {
        haft__condition_fit one = fits_equal(list.items[i], item);
        fit = one != HAFT__CONDITION_NEVER ? one : fit;
    }
    return fit;
}

haft__condition_fit haft__condition_fits(haft_str op, haft__json argument, const haft__json *value)
{
    if (value == NULL) {
        return HAFT__CONDITION_INCOMPARABLE;
    }
    bool texts = argument.kind == HAFT__JSON_STRING && value->kind == HAFT__JSON_STRING;
    bool numbers = argument.kind == HAFT__JSON_NUMBER && value->kind == HAFT__JSON_NUMBER;
    if (haft__str_equal(op, HAFT__LIT("in"))) {
        return haft__condition_fits_list(*value, argument);
    }
    if (haft__str_equal(op, HAFT__LIT("contains"))) {
        return texts || argument.kind == HAFT__JSON_ARRAY ? HAFT__CONDITION_COMPARABLE
                                                          : HAFT__CONDITION_INCOMPARABLE;
    }
    if (haft__str_equal(op, HAFT__LIT("matches"))) {
        return texts ? HAFT__CONDITION_COMPARABLE : HAFT__CONDITION_INCOMPARABLE;
    }
    if (find_order(op) != NULL) {
        return texts || numbers ? HAFT__CONDITION_COMPARABLE : HAFT__CONDITION_INCOMPARABLE;
    }
    haft__condition_fit fit = fits_equal(argument, *value);
    bool differs = haft__str_equal(op, HAFT__LIT("ne")) && fit == HAFT__CONDITION_NEVER;
    return differs ? HAFT__CONDITION_COMPARABLE : fit;
}

/* ---- evaluation ---- */

/* Requires values that can be compared (haft__condition_fits). */
static outcome holds_for(haft__arena *scratch, haft_str op, haft__json found, haft__json operand)
{
    const order *ordered = find_order(op);
    if (ordered != NULL) {
        int sign = compare(found, operand);
        return outcome_of(sign < 0 ? ordered->less : sign > 0 ? ordered->greater : ordered->same);
    }
    if (haft__str_equal(op, HAFT__LIT("ne"))) {
        outcome same = equal(found, operand);
        return same == UNSURE ? UNSURE : outcome_of(same == NO);
    }
    if (haft__str_equal(op, HAFT__LIT("in"))) {
        return has_item(operand, found);
    }
    if (haft__str_equal(op, HAFT__LIT("contains"))) {
        return contains(found, operand);
    }
    if (haft__str_equal(op, HAFT__LIT("matches"))) {
        return matches(scratch, found, operand);
    }
    return equal(found, operand);
}

static bool compare_needs_approval(haft__arena *scratch, haft_str op, haft__json found,
                                   const haft__json *operand)
{
    switch (haft__condition_fits(op, found, operand)) {
    case HAFT__CONDITION_COMPARABLE: return holds_for(scratch, op, found, *operand) != NO;
    case HAFT__CONDITION_NEVER: return false;
    case HAFT__CONDITION_INCOMPARABLE: return true;
    }
    HAFT__UNREACHABLE();
}

/* Whether the path to the argument is broken: it leads through a scalar, or it names a member of a
 * list. In this case the argument is not just missing. */
static bool path_is_broken(haft__json value, haft_str pointer)
{
    haft_str token;
    uint64_t index;
    while (haft__pointer_next(&pointer, &token)) {
        bool list = value.kind == HAFT__JSON_ARRAY, object = value.kind == HAFT__JSON_OBJECT;
        const haft__json *next = list     ? haft__pointer_item(value, token)
                                 : object ? haft__pointer_member(value, token)
                                          : NULL;
        if (next == NULL) {
            return list ? !haft__str_to_u64(token, &index)
                        : !object && value.kind != HAFT__JSON_NULL;
        }
        value = *next;
    }
    return pointer.len > 0;
}

bool haft__condition_holds_if_missing(haft__json when)
{
    const haft__json *op = haft__json_get(when, HAFT__LIT("op"));
    const haft__json *value = haft__json_get(when, HAFT__LIT("value"));
    haft_str name = op != NULL ? haft__json_text(*op) : HAFT__LIT("");
    bool exists = haft__str_equal(name, HAFT__LIT("exists"));
    return exists ? value != NULL && value->kind == HAFT__JSON_FALSE
                  : haft__str_equal(name, HAFT__LIT("ne"));
}

bool haft__condition_needs_approval(haft__arena *scratch, haft__json when,
                                    const haft__json *arguments)
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
    bool exists = haft__str_equal(haft__json_text(*op), HAFT__LIT("exists"));
    bool absent = haft__condition_holds_if_missing(when);
    if (found == NULL) {
        return absent || (!exists && path_is_broken(*arguments, haft__json_text(*at)));
    }
    if (exists) {
        return !absent;
    }
    return compare_needs_approval(scratch, haft__json_text(*op), *found, value);
}

/* ---- branches of a graph ---- */

static bool json_equal(haft__json a, haft__json b)
{
    bool equal_values = false;
    return haft__json_equal(a, b, &equal_values, NULL) == HAFT_OK && equal_values;
}

static bool list_has(haft__json list, haft__json item)
{
    for (uint32_t i = 0; list.kind == HAFT__JSON_ARRAY && i < list.count; i++) {
        if (json_equal(list.items[i], item)) {
            return true;
        }
    }
    return false;
}

bool haft__condition_holds(haft__arena *scratch, haft__json when, haft__json view)
{
    const haft__json *value = haft__json_get(when, HAFT__LIT("value"));
    haft_str op = haft__object_string(when, "op");
    const haft__json *found = haft__pointer_get(&view, haft__object_string(when, "at"));
    haft__json operand = value != NULL ? *value : haft__json_null();
    if (found == NULL || haft__str_equal(op, HAFT__LIT("exists"))) {
        return (found == NULL) == haft__condition_holds_if_missing(when);
    }
    if (haft__str_equal(op, HAFT__LIT("eq"))) {
        return json_equal(*found, operand);
    }
    if (haft__str_equal(op, HAFT__LIT("ne"))) {
        return !json_equal(*found, operand);
    }
    if (haft__str_equal(op, HAFT__LIT("in"))) {
        return list_has(operand, *found);
    }
    if (haft__str_equal(op, HAFT__LIT("contains")) && found->kind == HAFT__JSON_ARRAY) {
        return list_has(*found, operand);
    }
    return haft__condition_fits(op, *found, value) == HAFT__CONDITION_COMPARABLE
           && holds_for(scratch, op, *found, operand) == YES;
}
