/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/ascii.h. */
#include "base/ascii.h"

#include <string.h>

#include "test.h"

static bool is_in(const char *set, int c)
{
    return c > 0 && c < 0x80 && strchr(set, c) != NULL;
}

TEST(each_byte_belongs_to_the_classes_that_name_it)
{
    static const char lower[] = "abcdefghijklmnopqrstuvwxyz";
    static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char digits[] = "0123456789";
    for (int c = -128; c < 0x180; c++) {
        bool letter = is_in(lower, c) || is_in(upper, c);
        CHECK_INT(haft__ascii_is_digit(c), is_in(digits, c), "is_digit of %d", c);
        CHECK_INT(haft__ascii_is_lower(c), is_in(lower, c), "is_lower of %d", c);
        CHECK_INT(haft__ascii_is_upper(c), is_in(upper, c), "is_upper of %d", c);
        CHECK_INT(haft__ascii_is_letter(c), letter, "is_letter of %d", c);
        CHECK_INT(haft__ascii_is_alphanumeric(c), letter || is_in(digits, c),
                  "is_alphanumeric of %d", c);
        CHECK_INT(haft__ascii_is_blank(c), is_in(" \t", c), "is_blank of %d", c);
        CHECK_INT(haft__ascii_is_space(c), is_in(" \t\r\n", c), "is_space of %d", c);
    }
}

TEST(only_letters_change_their_case)
{
    for (int i = 0; i < 0x100; i++) {
        char c = (char)i;
        bool upper = haft__ascii_is_upper(c), lower = haft__ascii_is_lower(c);
        CHECK_INT(haft__ascii_lower(c), upper ? c - 'A' + 'a' : c, "lower case of %d", i);
        CHECK_INT(haft__ascii_upper(c), lower ? c - 'a' + 'A' : c, "upper case of %d", i);
    }
}
