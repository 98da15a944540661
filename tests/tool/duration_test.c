/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/duration.c. */
#include "tool/duration.h"

#include <inttypes.h>

#include "test.h"
#include "tool_help.h"

static const char *const how = "write it like 250ms, 10s, 5m, 2h or 1d";

TEST(durations_are_parsed)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } cases[] = {
        {"250ms", 250},
        {"10s", 10000},
        {"5m", 300000},
        {"2h", 7200000},
        {"1d", 86400000},
        {"10", 10000},
        {"0", 0},
        {"0s", 0},
        {"0.0", 0},
        {"007s", 7000},
        {"1.5s", 1500},
        {"1.50000000000000000000000000000s", 1500},
        {"0.25m", 15000},
        {"0.0009765625d", 84375},
        {"1.001", 1001},
        {"18446744073709551615ms", UINT64_MAX},
        {"18446744073709551.615s", UINT64_MAX},
        {"213503982334d", 18446744073657600000U},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t ms = 1;
        haft_error err = {0};
        haft_status status = haft__duration_parse(haft__str(cases[i].text), &ms, &err);
        CHECK_INT(status, HAFT_OK, "%s: %s", cases[i].text, err.message);
        CHECK(ms == cases[i].ms, "%s: %" PRIu64, cases[i].text, ms);
    }
}

TEST(invalid_durations_are_rejected)
{
    static const struct {
        const char *text;
        haft_status status;
        const char *message;
    } cases[] = {
        {"", HAFT_BAD_INPUT, "'' is not a duration"},
        {"s", HAFT_BAD_INPUT, "'s' is not a duration"},
        {"-1s", HAFT_BAD_INPUT, "'-1s' is negative"},
        {"+1s", HAFT_BAD_INPUT, "'+1s' is not a duration"},
        {"1 s", HAFT_BAD_INPUT, "'1 s' is not a duration"},
        {"1w", HAFT_BAD_INPUT, "'1w' is not a duration"},
        {"1S", HAFT_BAD_INPUT, "'1S' is not a duration"},
        {"1ss", HAFT_BAD_INPUT, "'1ss' is not a duration"},
        {".5s", HAFT_BAD_INPUT, "'.5s' is not a duration"},
        {"1.s", HAFT_BAD_INPUT, "'1.s' is not a duration"},
        {"1.2.3s", HAFT_BAD_INPUT, "'1.2.3s' is not a duration"},
        {"1e3s", HAFT_BAD_INPUT, "'1e3s' is not a duration"},
        {"1h30m", HAFT_BAD_INPUT, "'1h30m' is not a duration"},
        {"0.5ms", HAFT_BAD_INPUT, "'0.5ms' is not a whole number of milliseconds"},
        {"1.0001s", HAFT_BAD_INPUT, "'1.0001s' is not a whole number of milliseconds"},
        {"0.00048828125d", HAFT_BAD_INPUT,
         "'0.00048828125d' is not a whole number of milliseconds"},
        {"0.3333333333333333333333d", HAFT_BAD_INPUT,
         "'0.3333333333333333333333d' is not a whole number of milliseconds"},
        {"18446744073709551616ms", HAFT_TOO_BIG,
         "'18446744073709551616ms' is too long for a duration"},
        {"18446744073709551.616s", HAFT_TOO_BIG,
         "'18446744073709551.616s' is too long for a duration"},
        {"213503982335d", HAFT_TOO_BIG, "'213503982335d' is too long for a duration"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t ms = 77;
        haft_error err = {0};
        haft_status status = haft__duration_parse(haft__str(cases[i].text), &ms, &err);
        CHECK_INT(status, cases[i].status, "%s", cases[i].text);
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "%s", cases[i].text);
        CHECK(ms == 77, "%s: the output was written", cases[i].text);
        bool hinted = strstr(err.message, "whole") == NULL && status == HAFT_BAD_INPUT;
        CHECK_STR(haft__str(err.hint), haft__str(hinted ? how : ""), "%s", cases[i].text);
    }
}

TEST(durations_are_read_from_json)
{
    static const struct {
        const char *json;
        haft_status status;
        uint64_t ms;
    } cases[] = {
        {"\"10s\"", HAFT_OK, 10000},
        {"10", HAFT_OK, 10000},
        {"1.5", HAFT_OK, 1500},
        {"1e3", HAFT_OK, 1000000},
        {"1E+3", HAFT_OK, 1000000},
        {"25e-2", HAFT_OK, 250},
        {"0.0000025e5", HAFT_OK, 250},
        {"1.25e1", HAFT_OK, 12500},
        {"0e999999999999", HAFT_OK, 0},
        {"0.000e-99999", HAFT_OK, 0},
        {"5e-4", HAFT_BAD_INPUT, 0},
        {"1e-999999999999", HAFT_BAD_INPUT, 0},
        {"1e999999999999", HAFT_TOO_BIG, 0},
        {"1e17", HAFT_TOO_BIG, 0},
        {"-1", HAFT_BAD_INPUT, 0},
        {"true", HAFT_BAD_INPUT, 0},
        {"null", HAFT_BAD_INPUT, 0},
        {"[]", HAFT_BAD_INPUT, 0},
        {"\"soon\"", HAFT_BAD_INPUT, 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        uint64_t ms = 0;
        haft_error err = {0};
        haft_status status = haft__duration_read(help_json(&arena, cases[i].json), &ms, &err);
        CHECK_INT(status, cases[i].status, "%s: %s", cases[i].json, err.message);
        CHECK(ms == cases[i].ms, "%s: %" PRIu64, cases[i].json, ms);
        haft__arena_finish(&arena);
    }
    haft_error err = {0};
    uint64_t ms = 0;
    CHECK_INT(haft__duration_read(haft__json_bool(true), &ms, &err), HAFT_BAD_INPUT, "true");
    CHECK_STR(haft__str(err.message), HAFT__LIT("expected a duration, found boolean"), "%s",
              err.message);
    CHECK_STR(haft__str(err.hint), haft__str(how), "%s", err.hint);
}

TEST(written_durations_are_read_back)
{
    static const struct {
        uint64_t ms;
        const char *text;
    } cases[] = {
        {0, "0s"},
        {1, "1ms"},
        {250, "250ms"},
        {1000, "1s"},
        {1001, "1001ms"},
        {90000, "90s"},
        {60000, "1m"},
        {5400000, "90m"},
        {86400000, "1d"},
        {90000000, "25h"},
        {UINT64_MAX, "18446744073709551615ms"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[HAFT__DURATION_BYTES];
        uint64_t ms = 1;
        haft_str found = haft__duration_text(cases[i].ms, text);
        CHECK_STR(found, haft__str(cases[i].text), "%s", cases[i].text);
        CHECK_INT(haft__duration_parse(found, &ms, NULL), HAFT_OK, "%s", cases[i].text);
        CHECK(ms == cases[i].ms, "%s: %" PRIu64, cases[i].text, ms);
    }
}
