/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/document/scalar.c. */
#include "spec/load/document/scalar.h"

#include "base/buf.h"
#include "base/limits.h"
#include "test.h"
#include "json/write.h"

static const struct {
    const char *text, *json;
} cases[] = {
    {"", "null"},
    {"~", "null"},
    {"null", "null"},
    {"Null", "null"},
    {"NULL", "null"},
    {"nULL", "\"nULL\""},
    {"true", "true"},
    {"True", "true"},
    {"TRUE", "true"},
    {"false", "false"},
    {"False", "false"},
    {"FALSE", "false"},
    {"tRue", "\"tRue\""},
    {"yes", "\"yes\""},
    {"No", "\"No\""},
    {"off", "\"off\""},
    {"y", "\"y\""},
    /* numbers that JSON spells the same keep their spelling */
    {"0", "0"},
    {"-0", "-0"},
    {"12345678901234567890123", "12345678901234567890123"},
    {"-1.50", "-1.50"},
    {"1E5", "1E5"},
    {"1e+05", "1e+05"},
    {"0.5e-3", "0.5e-3"},
    /* others are respelled exactly */
    {"+5", "5"},
    {"007", "7"},
    {"-007", "-7"},
    {"000", "0"},
    {"0644", "644"},
    {".5", "0.5"},
    {"-.5", "-0.5"},
    {"+.5e3", "0.5e3"},
    {"1.", "1.0"},
    {"-1.", "-1.0"},
    {"1.e2", "1.0e2"},
    {"00.50", "0.50"},
    {"0x1F", "31"},
    {"0x1f", "31"},
    {"0o17", "15"},
    {"0xFFFFFFFFFFFFFFFF", "18446744073709551615"},
    {"0o0", "0"},
    /* text that only looks like a number */
    {"0x", "\"0x\""},
    {"0xG", "\"0xG\""},
    {"0o8", "\"0o8\""},
    {"0b1", "\"0b1\""},
    {"-0x1", "\"-0x1\""},
    {"1_000", "\"1_000\""},
    {"1:30", "\"1:30\""},
    {".", "\".\""},
    {"-", "\"-\""},
    {"+", "\"+\""},
    {"e5", "\"e5\""},
    {"1e", "\"1e\""},
    {"1e+", "\"1e+\""},
    {"1.2.3", "\"1.2.3\""},
    {"--1", "\"--1\""},
    {"2001-01-01", "\"2001-01-01\""},
    {"nan", "\"nan\""},
    {"inf", "\"inf\""},
    {".iNf", "\".iNf\""},
};

TEST(plain_scalars_follow_yaml_1_2)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf buf;
    haft__buf_init(&buf, 1 << 16);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__json value;
        haft__buf_clear(&buf);
        CHECK_INT(haft__scalar_resolve(&arena, haft__str(cases[i].text), &value), HAFT__SCALAR_OK,
                  "%s", cases[i].text);
        haft__json_write(&buf, value);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].json), "%s", cases[i].text);
        bool integer = strpbrk(cases[i].json, ".eE\"tfn") == NULL;
        CHECK(value.kind != HAFT__JSON_NUMBER || (value.integer != 0) == integer, "%s",
              cases[i].text);
    }
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

TEST(values_that_json_lacks_are_distinguished)
{
    static const char *const not_finite[] = {".inf", "-.Inf", "+.INF", ".nan", ".NaN", ".NAN"};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json value;
    for (size_t i = 0; i < COUNT(not_finite); i++) {
        CHECK_INT(haft__scalar_resolve(&arena, haft__str(not_finite[i]), &value),
                  HAFT__SCALAR_NOT_FINITE, "%s", not_finite[i]);
    }
    CHECK_INT(haft__scalar_resolve(&arena, HAFT__LIT("0x10000000000000000"), &value),
              HAFT__SCALAR_TOO_LONG, "a number of 65 bits");
    haft__arena_finish(&arena);
}

TEST(out_of_memory_is_reported)
{
    static const char *const texts[] = {"+5", "0x1F"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json value;
        test_fail_allocation(0);
        CHECK_INT(haft__scalar_resolve(&arena, haft__str(texts[i]), &value), HAFT__SCALAR_NO_MEMORY,
                  "%s", texts[i]);
        CHECK(test_allow_allocations(), "%s: the failing allocation was not reached", texts[i]);
        haft__arena_finish(&arena);
    }
}
