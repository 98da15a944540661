/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number_double.c - decimal text to double and back, without the C library, whose functions depend
 * on the locale and differ in rounding.
 *
 * Both directions are exact arithmetic on fractions of big integers. Reading divides bit by bit,
 * then rounds once. Writing finds the shortest digits in the interval of numbers that read back as
 * the same double (Steele and White 1990; Burger and Dybvig 1996). Tests:
 * tests/json/number_double_test.c.
 */
#include <assert.h>
#include <float.h>
#include <string.h>

#include "base/str.h"
#include "json/bigint.h"
#include "json/decimal.h"
#include "json/number.h"

#define MANTISSA_BITS 52
#define ONE_BIT       ((uint64_t)1 << MANTISSA_BITS) /* the leading 1 that is not stored */
#define INFINITE      ((uint64_t)0x7FF << MANTISSA_BITS)
#define SIGN_BIT      ((uint64_t)1 << 63)
#define EXPONENT_BIAS 1023
#define MIN_POWER     (-1074) /* of two: the last bit of the smallest numbers */
#define MAX_DECIMAL   308     /* 1e309 is too large for a double */
#define MIN_DECIMAL   (-324)  /* 9e-325 is nearer to 0 than to the smallest double */

/* The midpoint of two neighbouring doubles has at most 767 digits. One more digit decides on which
 * side a number is; any further digits only mean "a little above". */
#define DIGITS_THAT_COUNT 768

/* Bits of the quotient: 53 to keep and one to round by. The remainder of the division breaks ties.
 */
#define QUOTIENT_BITS 54

static double from_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

static uint64_t to_bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

/* quotient * 2^power, slightly more if `sticky`, as the bits of the nearest double. The quotient
 * has QUOTIENT_BITS bits. */
static uint64_t round_to_bits(uint64_t quotient, int power, bool sticky)
{
    int drop = QUOTIENT_BITS - MANTISSA_BITS - 1;
    if (power + drop < MIN_POWER) {
        drop = MIN_POWER - power; /* the smallest numbers have fewer bits */
    }
    if (drop > QUOTIENT_BITS) {
        return 0;
    }
    uint64_t kept = quotient >> drop, half = (uint64_t)1 << (drop - 1);
    uint64_t rest = quotient & (2 * half - 1);
    if (rest > half || (rest == half && (sticky || kept % 2 == 1))) {
        kept++; /* may carry into the exponent, which is correct */
    }
    if (kept < ONE_BIT) {
        return kept;
    }
    int exponent = power + drop + MANTISSA_BITS + EXPONENT_BIAS;
    uint64_t bits = kept - ONE_BIT + ((uint64_t)exponent << MANTISSA_BITS);
    return exponent > 0x7FE ? INFINITE : bits;
}

/* above / below * 2^power as the bits of a double. Neither is 0; both are overwritten. */
static uint64_t divide(haft__bigint *above, haft__bigint *below, int power)
{
    int shift = (int)haft__bigint_bits(below) - (int)haft__bigint_bits(above);
    haft__bigint_shift_left(above, shift > 0 ? (uint32_t)shift : 0);
    haft__bigint_shift_left(below, shift < 0 ? (uint32_t)-shift : 0);
    power -= shift;
    if (haft__bigint_compare(above, below) < 0) {
        haft__bigint_shift_left(above, 1);
        power--;
    }
    uint64_t quotient = 0; /* from here on above / below is less than 2; at first, at least 1 */
    for (int i = 0; i < QUOTIENT_BITS; i++) {
        bool bit = haft__bigint_compare(above, below) >= 0;
        if (bit) {
            haft__bigint_subtract(above, below);
        }
        haft__bigint_shift_left(above, 1);
        quotient = quotient << 1 | bit;
    }
    return round_to_bits(quotient, power - QUOTIENT_BITS + 1, above->count > 0);
}

static uint64_t to_bits_exactly(const haft__decimal *d)
{
    haft__bigint above, below;
    haft__bigint_set(&above, 0);
    haft__bigint_set(&below, 1);
    size_t count = haft__decimal_count(d);
    bool cut = count > DIGITS_THAT_COUNT;
    count = cut ? DIGITS_THAT_COUNT : count;
    for (size_t i = 0; i < count; i++) {
        haft__bigint_multiply_add(&above, 10, haft__decimal_digit(d, i));
    }
    if (cut) {
        haft__bigint_multiply_add(&above, 10, 1);
        count++;
    }
    int power = (int)(d->exponent - (int64_t)count + 1);
    haft__bigint_multiply_5(power < 0 ? &below : &above, (uint32_t)(power < 0 ? -power : power));
    return divide(&above, &below, power);
}

/* Multiplying or dividing two exact doubles rounds only once. */
static bool to_double_quickly(const haft__decimal *d, double *ret_number)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int64_t power = haft__decimal_last_power(d);
    if (FLT_EVAL_METHOD != 0 || haft__decimal_count(d) > 19 || power >= (int64_t)COUNT(powers)
        || -power >= (int64_t)COUNT(powers)) {
        return false;
    }
    uint64_t digits = haft__decimal_to_u64(d);
    if (digits > 2 * ONE_BIT) {
        return false;
    }
    *ret_number = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    return true;
}

double haft__number_to_double(haft_str a)
{
    haft__decimal d = haft__decimal_parse(a);
    double number = 0;
    if (haft__decimal_count(&d) > 0 && !to_double_quickly(&d, &number)) {
        uint64_t bits = d.exponent > MAX_DECIMAL   ? INFINITE
                        : d.exponent < MIN_DECIMAL ? 0
                                                   : to_bits_exactly(&d);
        number = from_bits(bits);
    }
    return d.negative ? -number : number;
}

/* A number and the interval around it, all with a common factor: value / scale, from (value -
 * below) / scale to (value + above) / scale. */
typedef struct interval {
    haft__bigint value, scale, below, above;
    bool inclusive; /* the ends themselves read back as the same double */
} interval;

/* mantissa * 2^power, and half of the distance to the neighbouring doubles. */
static void interval_init(interval *in, uint64_t mantissa, int power)
{
    /* Below a power of two, doubles are twice as dense, so the lower half distance is half as long.
     */
    bool lopsided = mantissa == ONE_BIT && power > MIN_POWER;
    uint32_t extra = lopsided ? 2 : 1;
    in->inclusive = mantissa % 2 == 0;
    haft__bigint_set(&in->value, mantissa);
    haft__bigint_set(&in->scale, 1);
    haft__bigint_set(&in->below, 1);
    haft__bigint_set(&in->above, lopsided ? 2 : 1);
    haft__bigint_shift_left(&in->value, extra);
    haft__bigint_shift_left(&in->scale, extra);
    uint32_t shift = (uint32_t)(power < 0 ? -power : power);
    if (power < 0) {
        haft__bigint_shift_left(&in->scale, shift);
        return;
    }
    haft__bigint_shift_left(&in->value, shift);
    haft__bigint_shift_left(&in->below, shift);
    haft__bigint_shift_left(&in->above, shift);
}

static void multiply_numbers(interval *in, uint32_t power)
{
    haft__bigint_multiply_10(&in->value, power);
    haft__bigint_multiply_10(&in->below, power);
    haft__bigint_multiply_10(&in->above, power);
}

/* Whether the upper end of the interval reaches the scale. */
static bool reaches_scale(const interval *in)
{
    haft__bigint sum;
    haft__bigint_copy(&sum, &in->value);
    haft__bigint_add(&sum, &in->above);
    int order = haft__bigint_compare(&sum, &in->scale);
    return in->inclusive ? order >= 0 : order > 0;
}

/* Scales the interval so that its upper end is between 1/10 and 1. Returns the exponent that was
 * taken out. `two` is the power of two of the number's first bit. */
static int normalise(interval *in, int two)
{
    /* Not greater than the true exponent, and at most one less: 1233 / 4096 is slightly more than
     * log10(2), and rounding towards minus infinity compensates for that. */
    int ten = (two * 1233 - (two < 0 ? 4095 : 0)) / 4096;
    if (ten > 0) {
        haft__bigint_multiply_10(&in->scale, (uint32_t)ten);
    } else {
        multiply_numbers(in, (uint32_t)-ten);
    }
    while (reaches_scale(in)) {
        haft__bigint_multiply_10(&in->scale, 1);
        ten++;
    }
    return ten;
}

/* Writes the digits after the point of the scaled interval. Returns their number. */
static size_t shortest_digits(interval *in, char *digits)
{
    for (size_t count = 0;;) {
        multiply_numbers(in, 1);
        char digit = '0';
        while (haft__bigint_compare(&in->value, &in->scale) >= 0) {
            haft__bigint_subtract(&in->value, &in->scale);
            digit++;
        }
        int order = haft__bigint_compare(&in->value, &in->below);
        bool down = in->inclusive ? order <= 0 : order < 0; /* the remainder may be dropped */
        bool up = reaches_scale(in);                        /* or rounded up */
        if (down && up) {
            haft__bigint_shift_left(&in->value, 1); /* the nearer one, or the even one */
            up = haft__bigint_compare(&in->value, &in->scale) >= (digit % 2 == 0 ? 1 : 0);
        }
        assert(count < DBL_DECIMAL_DIG);
        digits[count++] = (char)(digit + (up ? 1 : 0));
        if (down || up) {
            return count;
        }
    }
}

/* The digits and exponent of a positive number, from its bits. */
static haft__decimal to_decimal(uint64_t bits, char digits[HAFT__DECIMAL_U64_MAX])
{
    double number = from_bits(bits);
    if (number < (double)ONE_BIT && number == (double)(uint64_t)number) {
        size_t length = haft__decimal_from_u64((uint64_t)number, digits);
        return haft__decimal_parse((haft_str){digits, length});
    }
    uint64_t mantissa = bits & (ONE_BIT - 1);
    int power = MIN_POWER;
    if (bits >= ONE_BIT) {
        mantissa |= ONE_BIT;
        power += (int)(bits >> MANTISSA_BITS) - 1;
    }
    interval in;
    interval_init(&in, mantissa, power);
    int exponent = normalise(&in, power + 63 - __builtin_clzll(mantissa)) - 1;
    size_t count = shortest_digits(&in, digits);
    return (haft__decimal){.head = {digits, count}, .tail = {digits, 0}, .exponent = exponent};
}

void haft__number_add_double(haft__buf *buf, double number)
{
    uint64_t bits = to_bits(number);
    bool negative = (bits & SIGN_BIT) != 0;
    bits &= ~SIGN_BIT;
    if (bits >= INFINITE) {
        haft__buf_add(buf, "null", 4);
    } else if (bits == 0) {
        haft__buf_add_str(buf, negative ? HAFT__LIT("-0") : HAFT__LIT("0"));
    } else {
        char digits[HAFT__DECIMAL_U64_MAX];
        haft__decimal d = to_decimal(bits, digits);
        d.negative = negative;
        haft__decimal_add(buf, &d);
    }
}
