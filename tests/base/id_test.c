/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/id.c. */
#include "base/id.h"

#include "test.h"

static const uint8_t none[10] = {0};
static const uint8_t all[10] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
static const uint8_t some[10] = {0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0x0F, 0x1E};

/* The 128 bits as one number, divided by 32 again and again, digit by digit from the right. */
static void slowly(uint64_t ms, const uint8_t random[10], char to[HAFT__ID_LENGTH + 1])
{
    static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
    uint8_t bytes[16];
    for (int i = 0; i < 6; i++) {
        bytes[i] = (uint8_t)(ms >> (40 - 8 * i));
    }
    memcpy(bytes + 6, random, 10);
    for (int place = HAFT__ID_LENGTH - 1; place >= 0; place--) {
        unsigned rest = 0;
        for (int i = 0; i < 16; i++) {
            unsigned value = rest * 256 + bytes[i];
            bytes[i] = (uint8_t)(value / 32);
            rest = value % 32;
        }
        to[place] = alphabet[rest];
    }
    to[HAFT__ID_LENGTH] = '\0';
}

TEST(an_id_is_the_number_in_base_32)
{
    static const uint8_t *const randoms[] = {none, all, some};
    static const uint64_t times[] = {0, 1, 31, 32, 1794713645678, 0xFFFFFFFFFFFF};
    for (size_t i = 0; i < COUNT(randoms); i++) {
        for (size_t k = 0; k < COUNT(times); k++) {
            char found[HAFT__ID_LENGTH + 1], wanted[HAFT__ID_LENGTH + 1];
            haft__id_make(times[k], randoms[i], found);
            slowly(times[k], randoms[i], wanted);
            CHECK_STR(haft__str(found), haft__str(wanted), "time %zu, random %zu", k, i);
            CHECK(haft__id_valid(haft__str(found)), "%s is not valid", found);
        }
    }
    char id[HAFT__ID_LENGTH + 1];
    haft__id_make(0, none, id);
    CHECK_STR(haft__str(id), HAFT__LIT("00000000000000000000000000"), "the smallest id");
    haft__id_make(0xFFFFFFFFFFFF, all, id);
    CHECK_STR(haft__str(id), HAFT__LIT("7zzzzzzzzzzzzzzzzzzzzzzzzz"), "the largest id");
}

TEST(a_later_id_is_a_larger_text)
{
    char before[HAFT__ID_LENGTH + 1], after[HAFT__ID_LENGTH + 1];
    for (uint64_t ms = 1; ms < 1ULL << 47; ms = ms * 3 + 1) {
        haft__id_make(ms - 1, all, before);
        haft__id_make(ms, none, after);
        CHECK(strcmp(before, after) < 0, "%s, then %s", before, after);
    }
}

static const char *const invalid[] = {
    "",
    "0000000000000000000000000",   /* 25 */
    "000000000000000000000000000", /* 27 */
    "80000000000000000000000000",  /* more than 128 bits */
    "0000000000000000000000000A",  /* upper case */
    "0000000000000000000000000i",  /* letters that are left out */
    "0000000000000000000000000l",
    "0000000000000000000000000o",
    "0000000000000000000000000u",
    "00000000000000-00000000000",
    "0000000000000\"000000000000",
};

TEST(the_next_id_is_a_larger_text_whatever_the_clock_says)
{
    static const struct {
        uint64_t ms;
        const uint8_t *random;
    } rows[] = {{5, some}, {5, none}, {5, all}, {4, none}, {0, some}, {6, none},
                {6, all},  {9, all},  {9, all}, {9, none}, {8, all},  {10, none}};
    char before[HAFT__ID_LENGTH + 1] = "", id[HAFT__ID_LENGTH + 1];
    haft__id_last last = {0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__id_next(&last, rows[i].ms, rows[i].random, id);
        CHECK(strcmp(before, id) < 0, "row %zu: %s after %s", i, id, before);
        CHECK(haft__id_valid(haft__str(id)), "%s is not valid", id);
        memcpy(before, id, sizeof(id));
    }
}

TEST(text_that_is_not_an_id_is_rejected)
{
    for (size_t i = 0; i < COUNT(invalid); i++) {
        CHECK(!haft__id_valid(haft__str(invalid[i])), "\"%s\" was accepted", invalid[i]);
    }
    CHECK(!haft__id_valid((haft_str){"0000000000000000000000000", 26}), "a NUL was accepted");
    CHECK(haft__id_valid(HAFT__LIT("0123456789abcdefghjkmnpqrs")), "a valid id was rejected");
    CHECK(haft__id_valid(HAFT__LIT("7tvwxyz0000000000000000000")), "a valid id was rejected");
}
