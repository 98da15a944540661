/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/hex.c. */
#include "base/hex.h"

#include <string.h>

#include "base/macros.h"
#include "base/str.h"
#include "test.h"

TEST(digits_have_their_values)
{
    static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
    for (int c = -128; c < 0x180; c++) {
        const char *in_lower = c > 0 && c < 0x80 ? strchr(lower, c) : NULL;
        const char *in_upper = c > 0 && c < 0x80 ? strchr(upper, c) : NULL;
        int value = in_lower != NULL ? (int)(in_lower - lower) : -1;
        CHECK_INT(haft__hex_value_lower(c), value, "lower-case value of %d", c);
        value = in_upper != NULL ? (int)(in_upper - upper) : value;
        CHECK_INT(haft__hex_value(c), value, "value of %d", c);
    }
    for (unsigned i = 0; i < 16; i++) {
        CHECK_INT(haft__hex_digit(i), lower[i], "digit of %u", i);
    }
}

TEST(bytes_are_written_and_read_back)
{
    static const unsigned char bytes[] = {0x00, 0x0f, 0xf0, 0xff, 0x1a};
    char digits[2 * sizeof(bytes)];
    unsigned char back[sizeof(bytes)];
    haft__hex_write(digits, bytes, sizeof(bytes));
    CHECK_STR(((haft_str){digits, sizeof(digits)}), HAFT__LIT("000ff0ff1a"), "the digits");
    CHECK(haft__hex_read((haft_str){digits, sizeof(digits)}, back), "the digits are accepted");
    CHECK(memcmp(bytes, back, sizeof(bytes)) == 0, "the same bytes");
}

TEST(only_pairs_of_lower_case_digits_are_read)
{
    static const char *const wrong[] = {"0", "000", "0g", "g0", "0A", " 0"};
    unsigned char to[4];
    CHECK(haft__hex_read(HAFT__LIT(""), to), "no bytes");
    for (size_t i = 0; i < COUNT(wrong); i++) {
        CHECK(!haft__hex_read(haft__str(wrong[i]), to), "%s was accepted", wrong[i]);
    }
}

TEST(number_of_64_bits_has_16_lower_case_digits)
{
    static const struct {
        const char *text;
        bool valid;
        uint64_t number;
    } cases[] = {
        {"0000000000000000", true, 0},
        {"000000000000000f", true, 15},
        {"ffffffffffffffff", true, UINT64_MAX},
        {"0123456789abcdef", true, 0x0123456789abcdef},
        {"0123456789ABCDEF", false, 0},
        {"0123456789abcde", false, 0},
        {"0123456789abcdef0", false, 0},
        {"0123456789abcdeg", false, 0},
        {"", false, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t number = 1;
        CHECK(haft__hex_read_u64(haft__str(cases[i].text), &number) == cases[i].valid, "%s",
              cases[i].text);
        CHECK(number == (cases[i].valid ? cases[i].number : 1), "the number of %s", cases[i].text);
    }
}
