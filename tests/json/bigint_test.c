/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/json/bigint.c. */
#include "json/bigint.h"

#include "test.h"

__extension__ typedef unsigned __int128 wide;

static haft__bigint make(uint64_t high, uint64_t low)
{
    haft__bigint a;
    haft__bigint_set(&a, high);
    haft__bigint_shift_left(&a, 64);
    haft__bigint b;
    haft__bigint_set(&b, low);
    haft__bigint_add(&a, &b);
    return a;
}

static void check_value(const haft__bigint *a, wide wanted, const char *what)
{
    uint32_t count = wanted == 0 ? 0 : wanted >> 64 == 0 ? 1 : 2;
    CHECK_INT(a->count, count, "%s: words", what);
    for (uint32_t i = 0; i < count && i < a->count; i++) {
        CHECK(a->words[i] == (uint64_t)(wanted >> (64 * i)), "%s: word %u is %llx", what, i,
              (unsigned long long)a->words[i]);
    }
}

TEST(bigint_carries_and_borrows)
{
    static const uint64_t words[] = {0, 1, 2, 5, 0x8000000000000000, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < COUNT(words) * COUNT(words) * COUNT(words); i++) {
        uint64_t high = words[i % COUNT(words)] / 4, low = words[i / COUNT(words) % COUNT(words)];
        uint64_t more = words[i / COUNT(words) / COUNT(words)];
        wide value = (wide)high << 64 | low;
        haft__bigint a = make(high, low), b = make(0, more);
        check_value(&a, value, "the value that was made");
        haft__bigint_add(&a, &b);
        check_value(&a, value + more, "sum");
        haft__bigint_subtract(&a, &b);
        check_value(&a, value, "difference");
        CHECK_INT(haft__bigint_compare(&a, &b), (value > more) - (value < more), "order");
        a = make(0, low);
        haft__bigint_multiply_add(&a, more, high);
        check_value(&a, (wide)low * more + high, "product");
        haft__bigint c = make(high, low);
        haft__bigint_add(&b, &c);
        check_value(&b, value + more, "sum with a longer number");
    }
}

TEST(bigint_shifts_left_and_right_again)
{
    for (uint32_t bits = 0; bits < 300; bits++) {
        haft__bigint a = make(0x123456789, 0xABCDEF0123456789);
        uint32_t before = haft__bigint_bits(&a);
        haft__bigint_shift_left(&a, bits);
        CHECK_INT(haft__bigint_bits(&a), before + bits, "length after a shift by %u bits", bits);
        CHECK_INT(haft__bigint_trailing_zeros(&a), bits, "trailing zeros after a shift by %u bits",
                  bits);
        haft__bigint_shift_right(&a, bits);
        check_value(&a, (wide)0x123456789 << 64 | 0xABCDEF0123456789,
                    "shifted left and right again");
        haft__bigint_shift_right(&a, before - 1);
        check_value(&a, 1, "shifted until one bit is left");
        haft__bigint_shift_right(&a, 1 + bits);
        check_value(&a, 0, "shifted until no bit is left");
        haft__bigint_shift_left(&a, bits);
        CHECK_INT(haft__bigint_bits(&a), 0, "zero stays zero");
    }
}

TEST(bigint_powers_of_ten_can_be_divided_out_again)
{
    for (uint32_t power = 0; power < 200; power++) {
        haft__bigint a = make(0, 7);
        haft__bigint_multiply_10(&a, power);
        CHECK_INT(haft__bigint_trailing_zeros(&a), power, "7 * 10^%u", power);
        haft__bigint_shift_right(&a, power);
        haft__bigint b;
        haft__bigint_copy(&b, &a);
        haft__bigint_remove_fives(&b, power / 2);
        haft__bigint c = make(0, 7);
        haft__bigint_multiply_5(&c, power - power / 2);
        CHECK_INT(haft__bigint_compare(&b, &c), 0, "half of %u fives are removed", power);
        haft__bigint_remove_fives(&a, 1000);
        check_value(&a, 7, "all fives are removed");
    }
}

TEST(bigint_multiples_are_recognised)
{
    for (uint32_t power = 0; power < 200; power++) {
        haft__bigint a, b = make(3, 0x8000000000000001);
        haft__bigint_multiply_5(&b, power);
        haft__bigint_shift_left(&b, power % 70);
        haft__bigint_copy(&a, &b);
        haft__bigint_multiply_add(&a, 0xFFFFFFFFFFFFFFFF, 0);
        haft__bigint c = a, d = b;
        CHECK(haft__bigint_is_multiple(&c, &d), "power %u: a multiple", power);
        c = a, d = b;
        haft__bigint_multiply_add(&c, 1, 1);
        CHECK(!haft__bigint_is_multiple(&c, &d), "power %u: one more than a multiple", power);
        c = a, d = b;
        haft__bigint_shift_left(&d, 1);
        CHECK(!haft__bigint_is_multiple(&c, &d), "power %u: twice the divisor does not divide it",
              power);
        c = make(0, 0), d = b;
        CHECK(haft__bigint_is_multiple(&c, &d), "zero is a multiple");
    }
}
