/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/decimal.c; number_test.c tests the meaning of numbers. */
#include "json/decimal.h"

#include "test.h"

TEST(a_number_is_split_into_sign_digits_and_exponent)
{
    static const struct {
        const char *text, *digits;
        int64_t exponent;
        bool negative;
    } cases[] = {
        {"0", "", 0, false},
        {"-0.000e17", "", 0, true},
        {"7", "7", 0, false},
        {"-700", "7", 2, true},
        {"705", "705", 2, false},
        {"12.34", "1234", 1, false},
        {"120.00", "12", 2, false},
        {"100.5", "1005", 2, false},
        {"0.0012", "12", -3, false},
        {"0.0012e3", "12", 0, false},
        {"1E+5", "1", 5, false},
        {"1e-05", "1", -5, false},
        {"1e999999999999999", "1", 999999999999999, false},
        {"1e00000000000000000000000000000000002", "1", 2, false},
        {"1e99999999999999999999999999999999999", "1", HAFT__DECIMAL_EXPONENT_MAX, false},
        {"1e-99999999999999999999999999999999999", "1", -HAFT__DECIMAL_EXPONENT_MAX, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__decimal d = haft__decimal_parse(haft__str(cases[i].text));
        char digits[64];
        size_t count = haft__decimal_count(&d);
        for (size_t k = 0; k < count && k < sizeof(digits); k++) {
            digits[k] = (char)('0' + haft__decimal_digit(&d, k));
        }
        CHECK_STR(((haft_str){digits, count}), haft__str(cases[i].digits), "digits of %s",
                  cases[i].text);
        CHECK_INT(d.exponent, cases[i].exponent, "exponent of %s", cases[i].text);
        CHECK_INT(d.negative, cases[i].negative, "sign of %s", cases[i].text);
        CHECK_INT(haft__decimal_last_power(&d), cases[i].exponent - (int64_t)count + 1,
                  "last power of %s", cases[i].text);
    }
}

TEST(text_that_is_not_a_number_is_harmless)
{
    static const char *const texts[] = {"", "-", ".", "1.", "-e", "1e", "1e+", "e5"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__decimal d = haft__decimal_parse(haft__str(texts[i]));
        CHECK(haft__decimal_count(&d) <= 1, "'%s' has more than one digit", texts[i]);
    }
}

TEST(u64_values_are_written_and_read_back)
{
    static const struct {
        uint64_t number;
        const char *text;
    } cases[] = {
        {0, "0"},
        {9, "9"},
        {10, "10"},
        {9999999999999999999U, "9999999999999999999"},
        {UINT64_MAX, "18446744073709551615"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[HAFT__DECIMAL_U64_MAX];
        haft_str found = {text, haft__decimal_from_u64(cases[i].number, text)};
        CHECK_STR(found, haft__str(cases[i].text), "%s", cases[i].text);
    }
    haft__decimal d = haft__decimal_parse(HAFT__LIT("9.99999999999999999900"));
    CHECK(haft__decimal_to_u64(&d) == 9999999999999999999U, "a number of 19 digits");
}
