/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/number_double.c; the C library's reader is the oracle. */
#include <float.h>
#include <math.h>

#include "test.h"
#include "json/number.h"

static uint64_t to_bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

static double from_bits(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* The tests run in the "C" locale, where the C library reads JSON numbers as they are meant. */
static double library_double(const char *text)
{
    double number = (double)NAN;
    /* strtod is banned, and there is no conversion error: the text is a number.
     * NOLINTNEXTLINE(cert-err34-c) */
    CHECK_INT(sscanf(text, "%lf", &number), 1, "the C library cannot read %s", text);
    return number;
}

static void check_double(const char *text, double wanted)
{
    double found = haft__number_to_double(haft__str(text));
    CHECK(to_bits(found) == to_bits(wanted), "%.60s: found %a, wanted %a", text, found, wanted);
}

TEST(doubles_are_the_nearest)
{
    static const struct {
        const char *text;
        double number;
    } cases[] = {
        {"0", 0.0},
        {"-0", -0.0},
        {"-0.0e99999999999999999999", -0.0},
        {"1", 1.0},
        {"-1.5", -1.5},
        {"0.1", 0.1},
        {"0.1e1", 1.0},
        {"1e22", 1e22},
        {"1e23", 1e23},
        {"9007199254740992", 0x1p53},
        /* Half way: to the even neighbour; a little more: up. */
        {"9007199254740993", 0x1p53},
        {"9007199254740993.0", 0x1p53},
        {"9007199254740993.00000000000000000000000000000000001", 0x1.0000000000001p53},
        {"9007199254740995", 0x1.0000000000002p53},
        {"9007199254740994.99999999999999999999999999999999999", 0x1.0000000000001p53},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
        /* The largest double, the last text that reads as it, and the first that does not. */
        {"1.7976931348623157e308", DBL_MAX},
        {"1.7976931348623158e308", DBL_MAX},
        {"1.797693134862315807e308", DBL_MAX},
        {"1.797693134862315808e308", HUGE_VAL},
        {"1.7976931348623159e308", HUGE_VAL},
        {"1e309", HUGE_VAL},
        {"-1e309", -HUGE_VAL},
        {"1e400", HUGE_VAL},
        {"1e99999999999999999999", HUGE_VAL},
        {"0.00001e314", HUGE_VAL},
        {"0.00001e313", 1e308},
        /* The smallest normal and denormal numbers. */
        {"2.2250738585072014e-308", 0x1p-1022},
        {"2.2250738585072011e-308", 0x0.fffffffffffffp-1022},
        {"2.2250738585072012e-308", 0x1p-1022},
        {"4.9e-324", 0x1p-1074},
        {"5e-324", 0x1p-1074},
        {"2.4703282292062327e-324", 0.0},
        {"2.4703282292062328e-324", 0x1p-1074},
        {"7.4e-324", 0x1p-1074},
        {"7.5e-324", 0x1p-1073},
        {"1e-324", 0.0},
        {"9e-325", 0.0},
        {"-1e-400", -0.0},
        {"1e-99999999999999999999", 0.0},
        {"10000000000000000000000000e-348", 1e-323},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        check_double(cases[i].text, cases[i].number);
    }
}

/* The number half way between a double and the next, in full: at most 767 digits. */
static void print_half_way(uint64_t bits, char *text, size_t size)
{
    /* Twice the precision is enough for the sum, and the C library prints every digit of it. */
    long double half = ((long double)from_bits(bits) + (long double)from_bits(bits + 1)) / 2;
    (void)snprintf(text, size, "%.1100Lf", half);
}

TEST(half_way_texts_round_to_even)
{
    /* Determined at run time, because valgrind computes long doubles as doubles. */
    volatile long double one = 1;
    if (one + LDBL_EPSILON == one || LDBL_MANT_DIG <= DBL_MANT_DIG) {
        test_skip("a long double is a double here");
        return;
    }
    static const uint64_t starts[] = {
        0,
        1,
        2,
        0xFFFFFFFFFFFFF,
        0x10000000000000,
        0x10000000000001,
        0x3FF0000000000000,
        0x3FEFFFFFFFFFFFFF,
        0x4340000000000000,
        0x0123456789ABCDEF,
        0x7FEFFFFFFFFFFFFE,
    };
    for (size_t i = 0; i < COUNT(starts); i++) {
        char text[4096];
        print_half_way(starts[i], text, sizeof(text) - 64);
        uint64_t even = starts[i] + starts[i] % 2;
        check_double(text, from_bits(even));
        size_t length = strlen(text);
        memcpy(text + length, "0000000000000000000000000000001", 32);
        check_double(text, from_bits(starts[i] + 1));
    }
}

static uint64_t random_state = 1234567890987654321U;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static uint64_t random_below(uint64_t n)
{
    return random_bits() % n;
}

/* A number of up to 40 digits (one in a hundred of up to 1000), mostly with an exponent that a
 * double can have. */
static void random_number(char *text)
{
    size_t at = 0, whole = 1 + random_below(20), fraction = random_below(20);
    if (random_below(100) == 0) {
        fraction = random_below(1000);
    }
    if (random_below(2) == 0) {
        text[at++] = '-';
    }
    whole = random_below(3) == 0 ? 1 : whole;
    for (size_t i = 0; i < whole + fraction; i++) {
        if (i == whole) {
            text[at++] = '.';
        }
        text[at++] = (char)(i == 0 && whole > 1 ? '1' + random_below(9) : '0' + random_below(10));
    }
    int exponent = random_below(3) == 0 ? (int)random_below(50) - 25 : (int)random_below(680) - 345;
    (void)snprintf(text + at, 16, "e%d", random_below(4) == 0 ? 0 : exponent);
}

TEST(reading_agrees_with_the_c_library)
{
    for (int i = 0; i < 200000; i++) {
        char text[2048];
        random_number(text);
        check_double(text, library_double(text));
    }
}

static haft_str shortest(haft__buf *buf, double number)
{
    haft__buf_clear(buf);
    haft__number_add_double(buf, number);
    CHECK_INT(buf->status, HAFT_OK, "%a", number);
    return haft__buf_str(buf);
}

TEST(doubles_are_written_with_the_fewest_digits)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0, "1"},
        {-3.0, "-3"},
        {100.0, "100"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {-1.25, "-1.25"},
        {1e20, "100000000000000000000"},
        {1e21, "1e21"},
        {1e22, "1e22"},
        {1e23, "1e23"},
        {0x1p53, "9007199254740992"},
        {0x1.0000000000001p53, "9007199254740994"},
        {0x1p52, "4503599627370496"},
        {4503599627370495.5, "4503599627370495.5"},
        {1e-6, "0.000001"},
        {1e-7, "1e-7"},
        {123456.789, "123456.789"},
        {DBL_MAX, "1.7976931348623157e308"},
        {-DBL_MAX, "-1.7976931348623157e308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {0x0.fffffffffffffp-1022, "2.225073858507201e-308"},
        {0x1p-1074, "5e-324"},
        {0x1p-1073, "1e-323"},
        {5e-324 * 3, "1.5e-323"},
        {9.5367431640625e-7, "9.5367431640625e-7"},
        {0x1p-44, "5.684341886080802e-14"}, /* a power of two: the neighbour below is nearer */
        {0x1p1023, "8.98846567431158e307"},
        {2e-44, "2e-44"},
        {985773358907051.25, "985773358907051.2"}, /* as near as ...51.3; the even one */
        {0x1p-25, "2.9802322387695312e-8"},
        {HUGE_VAL, "null"},
        {-HUGE_VAL, "null"},
        {(double)NAN, "null"},
    };
    haft__buf buf;
    haft__buf_init(&buf, 64);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(shortest(&buf, cases[i].number), haft__str(cases[i].text), "%a", cases[i].number);
    }
    haft__buf_finish(&buf);
}

/* How many digits the C library needs so that the text reads back. */
static int digits_needed(double number)
{
    for (int digits = 1; digits < DBL_DECIMAL_DIG; digits++) {
        char text[64];
        (void)snprintf(text, sizeof(text), "%.*e", digits - 1, number);
        if (to_bits(library_double(text)) == to_bits(number)) {
            return digits;
        }
    }
    return DBL_DECIMAL_DIG;
}

/* Digits without zeros at both ends. */
static int count_digits(haft_str text)
{
    int count = 0, zeros = 0;
    for (size_t i = 0; i < text.len && text.ptr[i] != 'e'; i++) {
        if (text.ptr[i] == '0') {
            zeros++;
        } else if (text.ptr[i] != '.' && text.ptr[i] != '-') {
            count += 1 + (count > 0 ? zeros : 0);
            zeros = 0;
        }
    }
    return count;
}

TEST(written_doubles_read_back_and_are_shortest)
{
    haft__buf buf;
    haft__buf_init(&buf, 64);
    for (int i = 0; i < 50000; i++) {
        uint64_t bits = random_bits();
        if (i % 8 == 0) {
            bits &= ~(uint64_t)0 << 52; /* powers of two, where the neighbour below is nearer */
        }
        double number = i % 5 == 0 ? (double)(int64_t)bits / 1000.0 : from_bits(bits);
        if (!isfinite(number) || number == 0) {
            continue;
        }
        haft_str text = shortest(&buf, number);
        double back = haft__number_to_double(text);
        CHECK(to_bits(back) == to_bits(number), "%a written as %.*s", number, HAFT__ARG(text));
        /* At a power of two rounding to n digits may miss an n-digit text that reads back, so the
         * library can need more than we do. */
        CHECK(count_digits(text) <= digits_needed(number), "%a written as %.*s", number,
              HAFT__ARG(text));
    }
    haft__buf_finish(&buf);
}
