/* SPDX-License-Identifier: Apache-2.0 */
/* number.c - integers between two bounds, digit by digit. Tests:
 * tests/schema/grammar/gbnf_test.c. */
#include <stdio.h>

#include "schema/grammar/gbnf_writer.h"
#include "json/number.h"
#include "json/object.h"

#define MAX_DIGITS 20 /* of any integer: without a limit, a model may write digits without end */

typedef struct bounds {
    int64_t min, max;
    bool has_least, has_most;
} bounds;

/* ---- digits ---- */

static void add_digits(haft__buf *body, size_t count)
{
    if (count == 1) {
        haft__buf_add_str(body, HAFT__LIT("[0-9] "));
    } else if (count > 1) {
        haft__buf_addf(body, "[0-9]{%zu} ", count);
    }
}

static void add_span(haft__buf *body, char first, char last)
{
    if (first == last) {
        haft__buf_addf(body, "\"%c\" ", first);
    } else {
        haft__buf_addf(body, "[%c-%c] ", first, last);
    }
}

static bool all(const char *digits, size_t count, char digit)
{
    for (size_t i = 0; i < count; i++) {
        if (digits[i] != digit) {
            return false;
        }
    }
    return true;
}

/* Adds the numbers of `count` digits from `low` to `high`. The recursion is at most 20 deep. */
static void add_between(haft__buf *body, const char *low, const char *high, size_t count)
{
    static const char nines[] = "99999999999999999999", zeros[] = "00000000000000000000";
    if (count == 0) {
        return;
    }
    if (all(low, count, '0') && all(high, count, '9')) {
        add_digits(body, count);
        return;
    }
    if (low[0] == high[0]) {
        add_span(body, low[0], low[0]);
        add_between(body, low + 1, high + 1, count - 1);
        return;
    }
    bool low_whole = all(low + 1, count - 1, '0'), high_whole = all(high + 1, count - 1, '9');
    char first = (char)(low[0] + (low_whole ? 0 : 1)),
         last = (char)(high[0] - (high_whole ? 0 : 1));
    const char * or = "";
    haft__buf_add_str(body, HAFT__LIT("( "));
    if (!low_whole) {
        add_span(body, low[0], low[0]);
        add_between(body, low + 1, nines, count - 1);
        or = "| ";
    }
    if (first <= last) {
        haft__buf_addf(body, "%s", or);
        add_span(body, first, last);
        add_digits(body, count - 1);
        or = "| ";
    }
    if (!high_whole) {
        haft__buf_addf(body, "%s", or);
        add_span(body, high[0], high[0]);
        add_between(body, zeros, high + 1, count - 1);
    }
    haft__buf_add_str(body, HAFT__LIT(") "));
}

/* ---- ranges ---- */

static uint64_t ten_to(size_t power)
{
    uint64_t number = 1;
    for (size_t i = 0; i < power; i++) {
        number *= 10;
    }
    return number;
}

static size_t count_digits(uint64_t number)
{
    size_t count = 1;
    while (number >= 10) {
        number /= 10;
        count++;
    }
    return count;
}

/* Adds the numbers from low to high, which both have `digits` digits. */
static void add_length(haft__buf *body, uint64_t low, uint64_t high, size_t digits)
{
    char from[MAX_DIGITS + 1], to[MAX_DIGITS + 1];
    (void)snprintf(from, sizeof from, "%0*llu", (int)digits, (unsigned long long)low);
    (void)snprintf(to, sizeof to, "%0*llu", (int)digits, (unsigned long long)high);
    haft__gbnf_add_or(body);
    add_between(body, from, to, digits);
}

/* Adds the numbers from low to high without a sign. They are at most 2^63, so 19 digits are
 * enough. */
static void add_magnitudes(haft__buf *body, uint64_t low, uint64_t high, bool open)
{
    size_t first = count_digits(low), last = open ? first : count_digits(high);
    for (size_t digits = first; digits <= last; digits++) {
        uint64_t min = digits == 1 ? 0 : ten_to(digits - 1), max = ten_to(digits) - 1;
        min = min > low ? min : low;
        max = open || max < high ? max : high;
        add_length(body, min, max, digits);
    }
    if (open) {
        haft__gbnf_add_or(body);
        haft__buf_addf(body, "[1-9] [0-9]{%zu,%d} ", first, MAX_DIGITS - 1);
    }
}

static uint64_t magnitude(int64_t number)
{
    return number < 0 ? (uint64_t)0 - (uint64_t)number : (uint64_t)number;
}

static void add_negative(haft__gbnf_writer *g, haft__buf *body, const bounds *b)
{
    if (b->has_least && b->min >= 0) {
        return;
    }
    haft__buf inner;
    haft__gbnf_body_init(&inner);
    uint64_t low = b->has_most && b->max < 0 ? magnitude(b->max) : 1;
    add_magnitudes(&inner, low, b->has_least ? magnitude(b->min) : 0, !b->has_least);
    haft__gbnf_add_or(body);
    haft__buf_add_str(body, HAFT__LIT("\"-\" ( "));
    haft__buf_add_str(body, haft__buf_str(&inner));
    haft__buf_add_str(body, HAFT__LIT(") "));
    haft__gbnf_release_body(g, &inner);
}

static void add_positive(haft__buf *body, const bounds *b)
{
    if (b->has_most && b->max < 0) {
        return;
    }
    uint64_t low = b->has_least && b->min > 0 ? magnitude(b->min) : 0;
    add_magnitudes(body, low, b->has_most ? magnitude(b->max) : 0, !b->has_most);
}

/* ---- keywords ---- */

/* Reads a bound; with `exclusive`, moves it inwards by one. False, with a report, if it is not an
 * integer. */
static bool read_bound(haft__gbnf_writer *g, haft__json schema, const char *key, int64_t inwards,
                       int64_t *ret_bound)
{
    const haft__json *value = haft__object_find(schema, key);
    if (value == NULL) {
        return false;
    }
    bool good = value->kind == HAFT__JSON_NUMBER
                && haft__number_to_int64(haft__json_text(*value), ret_bound)
                && *ret_bound > INT64_MIN + 1 && *ret_bound < INT64_MAX;
    if (!good) {
        haft__gbnf_relax(g, schema, key, "no bound");
        return false;
    }
    *ret_bound += inwards;
    return true;
}

static bounds read_bounds(haft__gbnf_writer *g, haft__json schema)
{
    bounds b = {0};
    int64_t number;
    b.has_least = read_bound(g, schema, "minimum", 0, &b.min);
    b.has_most = read_bound(g, schema, "maximum", 0, &b.max);
    if (read_bound(g, schema, "exclusiveMinimum", 1, &number)) {
        b.min = b.has_least && b.min > number ? b.min : number;
        b.has_least = true;
    }
    if (read_bound(g, schema, "exclusiveMaximum", -1, &number)) {
        b.max = b.has_most && b.max < number ? b.max : number;
        b.has_most = true;
    }
    return b;
}

static void relax_multiples(haft__gbnf_writer *g, haft__json schema, bool integer)
{
    const haft__json *multiple = haft__object_find(schema, "multipleOf");
    bool one = multiple != NULL && multiple->kind == HAFT__JSON_NUMBER
               && haft__number_compare(haft__json_text(*multiple), HAFT__LIT("1")) == 0;
    if (!integer || !one) {
        haft__gbnf_relax(g, schema, "multipleOf", "any number");
    }
}

haft__gbnf_rule_name haft__gbnf_schema_integer(haft__gbnf_writer *g, haft__json schema)
{
    bounds b = read_bounds(g, schema);
    relax_multiples(g, schema, true);
    if (b.has_least && b.has_most && b.min > b.max) {
        haft__gbnf_report_relaxed(g, "a minimum above the maximum", "any integer");
        b.has_least = b.has_most = false;
    }
    if (!b.has_least && !b.has_most) {
        return haft__gbnf_shared_rule(g, HAFT__GBNF_INTEGER);
    }
    haft__buf body;
    haft__gbnf_body_init(&body);
    add_negative(g, &body, &b);
    add_positive(&body, &b);
    return haft__gbnf_add_rule(g, &body);
}

/* The rule for a number. A grammar can only constrain its sign. */
haft__gbnf_rule_name haft__gbnf_schema_number(haft__gbnf_writer *g, haft__json schema)
{
    relax_multiples(g, schema, false);
    const haft__json *min = haft__object_find(schema, "minimum");
    bool number = min != NULL && min->kind == HAFT__JSON_NUMBER;
    int order = number ? haft__number_compare(haft__json_text(*min), HAFT__LIT("0")) : -1;
    if (order != 0) {
        haft__gbnf_relax(g, schema, "minimum", order > 0 ? "at least 0" : "any number");
    }
    haft__gbnf_relax(g, schema, "maximum", "any number");
    haft__gbnf_relax(g, schema, "exclusiveMinimum", "any number");
    haft__gbnf_relax(g, schema, "exclusiveMaximum", "any number");
    if (order < 0) {
        return haft__gbnf_shared_rule(g, HAFT__GBNF_NUMBER);
    }
    haft__buf body;
    haft__gbnf_body_init(&body);
    haft__buf_addf(&body, "( \"0\" | [1-9] [0-9]{0,19} ) ( \".\" [0-9]{1,20} )? "
                          "( [eE] [\\x2B\\x2D]? [0-9]{1,2} )? ");
    return haft__gbnf_add_rule(g, &body);
}
