/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Properties of numbers. The input is two numbers with a space between them; input that is not a
 * JSON number is skipped.
 *   - comparison is antisymmetric;
 *   - numbers are equal if and only if they have the same normal form; the normal form is equal to
 *     the number and is its own normal form; equal numbers have equal hashes;
 *   - a larger number has no smaller double, and a written double reads back unchanged;
 *   - exactly the integers are multiples of 1; no multiple except 0 is smaller than its divisor;
 *   - a number that fits an int64_t is equal to the digits of that integer.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>

#include "base/str.h"
#include "fuzz.h"
#include "json/number.h"
#include "json/read.h"

static const haft__hash_key hash_key = {1, 2};

/* `longer`: by how much the text may exceed the limit; normal forms may be longer. */
static bool is_number(haft_str text, size_t longer)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.max_number_bytes += (uint32_t)longer;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    bool good = haft__json_read(&arena, text, &options, &value, NULL, NULL) == HAFT_OK
                && value.kind == HAFT__JSON_NUMBER && value.count == text.len;
    haft__arena_finish(&arena);
    return good;
}

static bool is_multiple(haft_str value, haft_str divisor)
{
    bool multiple = false;
    haft_status status = haft__number_is_multiple(value, divisor, &multiple, NULL);
    REQUIREF(status == HAFT_OK, "is_multiple fails: %d", status);
    return multiple;
}

static void check_spelling(haft_str a, haft__buf *normal)
{
    haft__buf again;
    haft__buf_init(normal, 1 << 16);
    haft__buf_init(&again, 1 << 16);
    haft__number_add_normal(normal, a);
    haft_str text = haft__buf_str(normal);
    REQUIREF(normal->status == HAFT_OK && is_number(text, 8), "the normal form is not a number");
    REQUIREF(text.len <= a.len + 8 || text.len <= 28, "it is %zu characters longer",
             text.len - a.len);
    REQUIREF(haft__number_compare(a, text) == 0, "the normal form is another number");
    haft__number_add_normal(&again, text);
    REQUIREF(haft__str_equal(text, haft__buf_str(&again)), "the normal form is not its own");
    haft__buf_finish(&again);
}

static void check_integer(haft_str a)
{
    bool integer = haft__number_is_integer(a);
    REQUIREF(integer == is_multiple(a, HAFT__LIT("1")), "an integer, or not a multiple of 1?");
    int64_t number;
    if (haft__number_to_int64(a, &number)) {
        char text[32];
        (void)snprintf(text, sizeof(text), "%" PRId64, number);
        REQUIREF(integer && haft__number_compare(a, haft__str(text)) == 0, "it is not %s", text);
    } else {
        REQUIREF(!integer || haft__number_compare(a, HAFT__LIT("-9223372036854775808")) < 0
                     || haft__number_compare(a, HAFT__LIT("9223372036854775807")) > 0,
                 "an int64_t should hold it");
    }
}

static void check_double(haft_str a)
{
    double number = haft__number_to_double(a);
    haft__buf text;
    haft__buf_init(&text, 64);
    haft__number_add_double(&text, number);
    REQUIREF(text.status == HAFT_OK, "a long text for a double");
    if (isfinite(number)) {
        double back = haft__number_to_double(haft__buf_str(&text));
        REQUIREF(back == number && signbit(back) == signbit(number), "%a reads back as %a", number,
                 back);
    }
    haft__buf_finish(&text);
}

static void check_pair(haft_str a, haft_str b, bool same_spelling)
{
    int order = haft__number_compare(a, b);
    REQUIREF(order == -haft__number_compare(b, a), "comparing depends on the order");
    REQUIREF((order == 0) == same_spelling, "equal, but spelled differently, or the reverse");
    if (order == 0) {
        REQUIREF(haft__number_hash(hash_key, a) == haft__number_hash(hash_key, b), "hashes");
    }
    double x = haft__number_to_double(a), y = haft__number_to_double(b);
    REQUIREF(order == 0 ? x == y : order < 0 ? x <= y : x >= y, "%a and %a in wrong order", x, y);
    if (haft__number_compare(b, HAFT__LIT("0")) > 0 && is_multiple(a, b)) {
        REQUIREF(haft__number_compare(a, HAFT__LIT("0")) == 0 || (x < 0 ? -x : x) >= y,
                 "a multiple is not smaller");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    haft_str b = {(const char *)data, size};
    haft_str a = haft__str_split(&b, ' ');
    if (!is_number(a, 0) || !is_number(b, 0)) {
        return 0;
    }
    haft__buf a_normal, b_normal;
    check_spelling(a, &a_normal);
    check_spelling(b, &b_normal);
    check_integer(a);
    check_double(a);
    check_pair(a, b, haft__str_equal(haft__buf_str(&a_normal), haft__buf_str(&b_normal)));
    haft__buf_finish(&a_normal);
    haft__buf_finish(&b_normal);
    return 0;
}
