/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/number.c, with slow but simple arithmetic as an oracle. */
#include "json/number.h"

#include "base/limits.h"
#include "test.h"

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

/* A number of `length` characters: `first`, then `rest` again and again. */
static haft_str long_number(char first, char rest, size_t length)
{
    char *text = test_alloc(length);
    memset(text, rest, length);
    text[0] = first;
    return (haft_str){text, length};
}

static haft_str normal(haft_str number)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    haft__number_add_normal(&buf, number);
    CHECK_INT(buf.status, HAFT_OK, "%.*s", HAFT__ARG(number));
    char *copy = test_alloc(buf.len + 1);
    memcpy(copy, buf.ptr, buf.len);
    haft_str text = {copy, buf.len};
    haft__buf_finish(&buf);
    return text;
}

static const haft__hash_key hash_key = {1, 2};

TEST(numbers_are_compared_exactly)
{
    static const struct {
        const char *a, *b;
        int order;
    } cases[] = {
        {"0", "-0", 0},
        {"0", "0.000", 0},
        {"0", "0.0e99999999999999999999", 0},
        {"0", "-0e-99999999999999999999", 0},
        {"1", "1.0", 0},
        {"1", "10e-1", 0},
        {"1", "0.1e1", 0},
        {"1", "0.1E+1", 0},
        {"100", "1e2", 0},
        {"1", "2", -1},
        {"-1", "-2", 1},
        {"-1", "1", -1},
        {"-1", "0", -1},
        {"0", "1e-400", -1},
        {"0", "-1e-400", 1},
        {"1e400", "1e401", -1},
        {"-1e400", "-1e401", 1},
        {"1e-400", "1e-401", 1},
        {"9", "10", -1},
        {"9", "10.0", -1},
        {"99.9", "100", -1},
        {"1.5", "1.50000000000000000000000000001", -1},
        {"9007199254740992", "9007199254740993", -1},
        {"9007199254740993.0", "9007199254740993", 0},
        {"999999999999999999", "1000000000000000000", -1},
        {"123456789012345678901234567890", "123456789012345678901234567891", -1},
        {"123456789012345678901234567890", "123456789012345678901234567890.0", 0},
        {"123456789012345678901234567890", "1.2345678901234567890123456789e29", 0},
        {"12.34", "12.3", 1},
        {"12.34", "1.234e1", 0},
        {"0.00012", "12e-5", 0},
        /* Past 10^15 exponents count as 10^15. */
        {"1e1000000000000000", "1e99999999999999999999", 0},
        {"1e999999999999999", "1e99999999999999999999", -1},
        {"10e999999999999999", "1e1000000000000000", 0},
        {"1e99999999999999999999", "2e99999999999999999999", -1},
        {"1e-99999999999999999999", "1e-1000000000000000", 0},
        {"1e-99999999999999999999", "1e-999999999999999", -1},
        {"0.001e1000000000000003", "1e1000000000000000", 0},
        {"0.001e1000000000000002", "1e1000000000000000", -1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str a = haft__str(cases[i].a), b = haft__str(cases[i].b);
        CHECK_INT(sign(haft__number_compare(a, b)), cases[i].order, "%s compared with %s", a.ptr,
                  b.ptr);
        CHECK_INT(sign(haft__number_compare(b, a)), -cases[i].order, "%s compared with %s", b.ptr,
                  a.ptr);
        bool equal = cases[i].order == 0;
        CHECK_INT(haft__str_equal(normal(a), normal(b)), equal, "%s and %s: spelling", a.ptr,
                  b.ptr);
        CHECK_INT(haft__number_hash(hash_key, a) == haft__number_hash(hash_key, b), equal,
                  "%s and %s: hash", a.ptr, b.ptr);
    }
}

TEST(integers_have_no_fraction)
{
    static const struct {
        const char *text;
        bool integer, fits;
        int64_t number;
    } cases[] = {
        {"0", true, true, 0},
        {"-0", true, true, 0},
        {"0.0", true, true, 0},
        {"0.0e-5", true, true, 0},
        {"-7", true, true, -7},
        {"1.0", true, true, 1},
        {"1e2", true, true, 100},
        {"1.25e2", true, true, 125},
        {"120e-1", true, true, 12},
        {"1.5", false, false, 0},
        {"15e-1", false, false, 0},
        {"1e-400", false, false, 0},
        {"1e-99999999999999999999", false, false, 0},
        {"1e99999999999999999999", true, false, 0},
        {"999999999999999999", true, true, 999999999999999999},
        {"1000000000000000000", true, true, 1000000000000000000},
        {"9223372036854775807", true, true, INT64_MAX},
        {"9223372036854775808", true, false, 0},
        {"-9223372036854775808", true, true, INT64_MIN},
        {"-9223372036854775809", true, false, 0},
        {"-9.223372036854775808e18", true, true, INT64_MIN},
        {"9223372036854775807.5", false, false, 0},
        {"18446744073709551617", true, false, 0},
        {"1e18", true, true, 1000000000000000000},
        {"1e19", true, false, 0},
        {"123456789012345678901234567890", true, false, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str text = haft__str(cases[i].text);
        CHECK_INT(haft__number_is_integer(text), cases[i].integer, "whether %s is an integer",
                  text.ptr);
        int64_t number = 0;
        CHECK_INT(haft__number_to_int64(text, &number), cases[i].fits, "whether %s fits", text.ptr);
        CHECK_INT(number, cases[i].number, "value of %s", text.ptr);
    }
}

TEST(multiples_are_exact)
{
    static const struct {
        const char *value, *divisor;
        bool multiple;
    } cases[] = {
        {"0", "3", true},
        {"-0.0", "0.01", true},
        {"9", "3", true},
        {"-9", "3", true},
        {"10", "3", false},
        {"4.35", "0.01", true},
        {"4.355", "0.01", false},
        {"0.0075", "0.0001", true},
        {"0.00751", "0.0001", false},
        {"12391239123", "1e-8", true},
        {"1.00000001", "1e-8", true},
        {"1.000000001", "1e-8", false},
        {"1e308", "0.123456789", false},
        {"1e308", "0.5", true},
        {"1e308", "1e308", true},
        {"1e307", "1e308", false},
        {"3e99999999999999999999", "3", true},
        {"1e99999999999999999999", "3", false},
        {"1e99999999999999999999", "1e-99999999999999999999", true},
        {"1e-99999999999999999999", "1", false},
        /* Each factor ten of the value cancels one factor two and one factor five of the divisor.
         */
        {"1e1", "16", false},
        {"1e3", "16", false},
        {"1e4", "16", true},
        {"3e3", "16", false},
        {"3e2", "125", false},
        {"3e3", "125", true},
        {"2e2", "625", false},
        {"1e63", "9223372036854775808", true},
        {"1e62", "9223372036854775808", false},
        {"1e62", "9223372036854775808.0", false},
        /* More than 19 digits. */
        {"123456789012345678901234567890", "10", true},
        {"123456789012345678901234567891", "10", false},
        {"123456789012345678901234567890", "123456789012345678901234567890", true},
        {"370370367037037036703703703670", "123456789012345678901234567890", true},
        {"370370367037037036703703703671", "123456789012345678901234567890", false},
        {"1.234567890123456789012345678e27", "0.000000000000000000000000000002", true},
        {"123456789012345678901234567890", "9876543210987654321098765432109", false},
        {"3", "1.00000000000000000000000000000001", false},
        {"3e32", "1.00000000000000000000000000000001", false},
        {"3e200", "1.00000000000000000000000000000001", false},
        {"100000000000000000000000000000001e5", "1.00000000000000000000000000000001", true},
        /* 2^128 and 5^40 */
        {"3e128", "340282366920938463463374607431768211456", true},
        {"3e127", "340282366920938463463374607431768211456", false},
        {"6e127", "340282366920938463463374607431768211456", true},
        {"1e40", "9094947017729282379150390625", true},
        {"1e39", "9094947017729282379150390625", false},
        {"5e39", "9094947017729282379150390625", true},
        {"7e39", "9094947017729282379150390625", false},
        {"680564733841876926926749214863536422912", "340282366920938463463374607431768211456",
         true},
        {"340282366920938463463374607431768211457", "340282366920938463463374607431768211456",
         false},
        {"170141183460469231731687303715884105728", "340282366920938463463374607431768211456",
         false},
    };
    size_t allocations = test_allocation_count();
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool multiple = !cases[i].multiple;
        haft_status status = haft__number_is_multiple(haft__str(cases[i].value),
                                                      haft__str(cases[i].divisor), &multiple, NULL);
        CHECK_INT(status, HAFT_OK, "%s / %s", cases[i].value, cases[i].divisor);
        CHECK_INT(multiple, cases[i].multiple, "%s / %s", cases[i].value, cases[i].divisor);
    }
    CHECK_INT(test_allocation_count() - allocations, 0, "number of allocations");
}

TEST(multiples_are_limited_in_digits)
{
    const size_t max = HAFT__LIMIT_JSON_DIGITS;
    haft_error err = {0};
    bool multiple = false;
    haft_str ones = long_number('1', '1', max), nines = long_number('9', '9', max);
    CHECK_INT(haft__number_is_multiple(nines, ones, &multiple, &err), HAFT_OK,
              "dividing 999.. at the limit");
    CHECK(multiple, "999.. is 9 * 111..");
    CHECK_INT(haft__number_is_multiple(ones, nines, &multiple, &err), HAFT_OK,
              "dividing 111.. at the limit");
    CHECK(!multiple, "111.. is no multiple of 999..");
    CHECK_INT(haft__number_is_multiple(nines, HAFT__LIT("7"), &multiple, &err), HAFT_OK,
              "dividing 4096 nines by 7");
    CHECK(!multiple, "10^4096 - 1 is no multiple of 7: 6 does not divide 4096");
    nines.len = max - 4; /* 4092 = 6 * 682 */
    CHECK_INT(haft__number_is_multiple(nines, HAFT__LIT("7"), &multiple, &err), HAFT_OK,
              "dividing 4092 nines by 7");
    CHECK(multiple, "10^4092 - 1 is a multiple of 7");

    haft_str longer = long_number('1', '1', max + 1);
    CHECK_INT(haft__number_is_multiple(longer, HAFT__LIT("7"), &multiple, &err), HAFT_TOO_BIG,
              "one past the limit");
    CHECK_STR(haft__str(err.message),
              HAFT__LIT("dividing takes 4097 digits, and at most 4096 are allowed"), "message");
    CHECK_INT(haft__number_is_multiple(ones, longer, &multiple, &err), HAFT_TOO_BIG,
              "a divisor past the limit");
    haft_str zeros = long_number('1', '0', max + 1);
    CHECK_INT(haft__number_is_multiple(zeros, HAFT__LIT("8"), &multiple, &err), HAFT_OK,
              "zeros at the end do not count as digits");
    CHECK(multiple, "10^4096 is a multiple of 8");
    CHECK_INT(haft__number_is_multiple(ones, HAFT__LIT("0.0"), &multiple, &err), HAFT_BAD_INPUT,
              "dividing by zero");
    CHECK_STR(haft__str(err.message), HAFT__LIT("nothing is a multiple of 0.0"), "message");
    CHECK_INT(haft__number_is_multiple(HAFT__LIT("1"), HAFT__LIT("0"), &multiple, &err),
              HAFT_BAD_INPUT, "dividing a short number by zero");
}

TEST(each_number_has_one_normal_spelling)
{
    static const struct {
        const char *text, *normal;
    } cases[] = {
        {"0", "0"},
        {"-0", "0"},
        {"-0.00e5", "0"},
        {"0.0e99999999999999999999", "0"},
        {"100", "100"},
        {"1e2", "100"},
        {"-5", "-5"},
        {"-5.0", "-5"},
        {"0.1e1", "1"},
        {"0.25", "0.25"},
        {"25e-2", "0.25"},
        {"12.50", "12.5"},
        {"1.250e1", "12.5"},
        {"1e20", "100000000000000000000"},
        {"1e21", "1e21"},
        {"123456789012345678901", "123456789012345678901"},
        {"1234567890123456789012", "1.234567890123456789012e21"},
        {"12345678901234567890.5", "12345678901234567890.5"},
        {"0.000001", "0.000001"},
        {"0.0000012", "0.0000012"},
        {"0.0000001", "1e-7"},
        {"12e-8", "1.2e-7"},
        {"1.5e300", "1.5e300"},
        {"-15E+299", "-1.5e300"},
        {"1e-400", "1e-400"},
        {"1e99999999999999999999", "1e1000000000000000"},
        {"-20e-99999999999999999999", "-2e-1000000000000000"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found = normal(haft__str(cases[i].text));
        CHECK_STR(found, haft__str(cases[i].normal), "%s", cases[i].text);
        CHECK_STR(normal(found), found, "%s: normalizing twice changes nothing", cases[i].text);
    }
}

TEST(hashes_depend_on_every_digit_the_sign_and_the_key)
{
    haft_str a = long_number('1', '1', HAFT__LIMIT_JSON_DIGITS);
    haft_str b = long_number('1', '1', HAFT__LIMIT_JSON_DIGITS);
    CHECK(haft__number_hash(hash_key, a) == haft__number_hash(hash_key, b),
          "equal numbers have equal hashes");
    b.len--;
    CHECK(haft__number_hash(hash_key, a) != haft__number_hash(hash_key, b),
          "one digit less has another hash");
    b = long_number('1', '1', (size_t)HAFT__LIMIT_JSON_DIGITS + 9);
    (void)haft__number_hash(hash_key, b); /* a sanitizer would report an overrun */
    CHECK(haft__number_hash(hash_key, HAFT__LIT("1"))
              != haft__number_hash(hash_key, HAFT__LIT("-1")),
          "another sign has another hash");
    CHECK(haft__number_hash(hash_key, a) != haft__number_hash((haft__hash_key){3, 4}, a),
          "another key gives another hash");
}

/* The oracle. */

static uint64_t random_state = 88172645463325252U;

static uint64_t random_below(uint64_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % n;
}

#define POINT  64 /* digits in front of the oracle's point, and after it */
#define ORACLE (2 * POINT)

/* A number in fixed point: digits, and its text as JSON. */
typedef struct fixed {
    unsigned char digits[ORACLE];
    bool negative;
    char text[ORACLE];
} fixed;

/* Up to 24 digits, few of them different so that equal numbers and shared prefixes are common; the
 * point anywhere among them; an exponent of up to 20 either way. */
static void random_fixed(fixed *f)
{
    memset(f, 0, sizeof(*f));
    size_t whole = 1 + random_below(12), fraction = random_below(4) == 0 ? 0 : random_below(13);
    int exponent = random_below(2) == 0 ? 0 : (int)random_below(41) - 20;
    size_t at = 0;
    f->negative = random_below(2) == 0;
    if (f->negative) {
        f->text[at++] = '-';
    }
    char first = random_below(4) == 0 ? '0' : (char)('1' + random_below(2));
    whole = first == '0' ? 1 : whole;
    for (size_t i = 0; i < whole + fraction; i++) {
        char digit = i == 0 ? first : (char)('0' + random_below(3) * random_below(4));
        if (i == whole) {
            f->text[at++] = '.';
        }
        f->text[at++] = digit;
        f->digits[(size_t)(POINT - (int)whole - exponent + (int)i)] = (unsigned char)(digit - '0');
    }
    /* Above, a positive exponent moves digits to the front of the array. */
    if (exponent != 0 || random_below(4) == 0) {
        (void)snprintf(f->text + at, sizeof(f->text) - at, "%c%s%d", random_below(2) ? 'e' : 'E',
                       exponent >= 0 && random_below(2) ? "+" : "", exponent);
    }
}

static bool is_zero(const fixed *f)
{
    for (size_t i = 0; i < ORACLE; i++) {
        if (f->digits[i] != 0) {
            return false;
        }
    }
    return true;
}

static int oracle_compare(const fixed *a, const fixed *b)
{
    int a_sign = is_zero(a) ? 0 : a->negative ? -1 : 1;
    int b_sign = is_zero(b) ? 0 : b->negative ? -1 : 1;
    if (a_sign != b_sign) {
        return a_sign < b_sign ? -1 : 1;
    }
    return a_sign * sign(memcmp(a->digits, b->digits, ORACLE));
}

TEST(compare_agrees_with_fixed_point)
{
    unsigned equal = 0;
    for (int i = 0; i < 200000; i++) {
        fixed a, b;
        random_fixed(&a);
        random_fixed(&b);
        haft_str a_text = haft__str(a.text), b_text = haft__str(b.text);
        int wanted = oracle_compare(&a, &b);
        CHECK_INT(sign(haft__number_compare(a_text, b_text)), wanted, "%s compared with %s", a.text,
                  b.text);
        bool integer = true;
        for (size_t k = POINT; k < ORACLE; k++) {
            integer = integer && a.digits[k] == 0;
        }
        CHECK_INT(haft__number_is_integer(a_text), integer, "whether %s is an integer", a.text);
        if (wanted == 0) {
            equal++;
            CHECK(haft__number_hash(hash_key, a_text) == haft__number_hash(hash_key, b_text),
                  "hashes of %s, %s", a.text, b.text);
        }
    }
    CHECK(equal > 1000, "only %u pairs were equal", equal);
}

/* Subtracts `b` from `a` if it is not greater. */
static bool take(unsigned char a[ORACLE + 1], const unsigned char b[ORACLE + 1])
{
    if (memcmp(a, b, ORACLE + 1) < 0) {
        return false;
    }
    int borrow = 0;
    for (size_t i = ORACLE + 1; i-- > 0;) {
        int digit = a[i] - b[i] - borrow;
        borrow = digit < 0;
        a[i] = (unsigned char)(digit + (borrow ? 10 : 0));
    }
    return true;
}

/* Both are integers in units of 10^-64: long division as on paper. */
static bool oracle_multiple(const fixed *value, const fixed *divisor)
{
    unsigned char rest[ORACLE + 1] = {0}, by[ORACLE + 1] = {0};
    memcpy(by + 1, divisor->digits, ORACLE);
    for (size_t i = 0; i < ORACLE; i++) {
        memmove(rest, rest + 1, ORACLE);
        rest[ORACLE] = value->digits[i];
        while (take(rest, by)) {
        }
    }
    unsigned char nothing[ORACLE + 1] = {0};
    return memcmp(rest, nothing, ORACLE + 1) == 0;
}

TEST(multiples_agree_with_division_on_paper)
{
    unsigned multiples = 0;
    for (int i = 0; i < 20000; i++) {
        fixed value, divisor;
        random_fixed(&value);
        do {
            random_fixed(&divisor);
        } while (is_zero(&divisor));
        const char *text = divisor.text + (divisor.negative ? 1 : 0);
        bool multiple = false, wanted = oracle_multiple(&value, &divisor);
        haft_status status =
            haft__number_is_multiple(haft__str(value.text), haft__str(text), &multiple, NULL);
        CHECK_INT(status, HAFT_OK, "%s / %s", value.text, text);
        CHECK_INT(multiple, wanted, "%s / %s", value.text, text);
        multiples += wanted;
    }
    CHECK(multiples > 1000, "only %u were multiples", multiples);
}

/* The digits of a * b. */
static haft_str paper_product(haft_str a, haft_str b)
{
    size_t length = a.len + b.len;
    unsigned *sums = test_alloc(length * sizeof(*sums));
    memset(sums, 0, length * sizeof(*sums));
    for (size_t i = a.len; i-- > 0;) {
        unsigned carry = 0;
        for (size_t k = b.len; k-- > 0;) {
            unsigned sum =
                sums[i + k + 1] + (unsigned)(a.ptr[i] - '0') * (unsigned)(b.ptr[k] - '0') + carry;
            sums[i + k + 1] = sum % 10;
            carry = sum / 10;
        }
        sums[i] += carry;
    }
    char *text = test_alloc(length);
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)('0' + sums[i]);
    }
    return text[0] == '0' ? (haft_str){text + 1, length - 1} : (haft_str){text, length};
}

static haft_str random_digits(size_t length)
{
    char *text = test_alloc(length);
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)('0' + random_below(i == 0 || i + 1 == length ? 9 : 10));
    }
    text[0] = (char)(text[0] + 1);
    text[length - 1] = (char)(text[length - 1] + (length > 1 ? 1 : 0));
    return (haft_str){text, length};
}

TEST(long_products_are_multiples_and_their_neighbours_are_not)
{
    for (size_t i = 0; i < 400; i++) {
        haft_str a = random_digits(1 + random_below(i + 1)),
                 b = random_digits(20 + random_below(i + 1));
        haft_str product = paper_product(a, b);
        bool multiple = false;
        haft_status status = haft__number_is_multiple(product, b, &multiple, NULL);
        CHECK(status == HAFT_OK && multiple, "%.*s / %.*s", HAFT__ARG(product), HAFT__ARG(b));
        char *text = test_alloc(product.len);
        memcpy(text, product.ptr, product.len);
        text[product.len - 1] ^= 1; /* 0 and 1, 2 and 3 ... change places */
        haft_str next = {text, product.len};
        status = haft__number_is_multiple(next, b, &multiple, NULL);
        CHECK(status == HAFT_OK && !multiple, "%.*s / %.*s", HAFT__ARG(next), HAFT__ARG(b));
    }
}
