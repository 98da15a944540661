/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/time.c. */
#include "base/time.h"

#include "test.h"

#define DAY_MS 86400000ULL

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

static void check_time(uint64_t ms, const char *wanted)
{
    char text[HAFT__TIME_SIZE];
    uint64_t again = 1;
    haft__time_format(ms, text);
    CHECK_STR(haft__str(text), haft__str(wanted), "%llu", (unsigned long long)ms);
    CHECK(haft__time_parse(haft__str(text), &again), "%s was rejected", text);
    CHECK_INT(again, ms, "%s", text);
}

/* The expected date comes from counting days one by one. */
TEST(every_day_from_1970_to_2100_is_formatted_and_parsed)
{
    uint64_t day = 0;
    for (int year = 1970; year <= 2100; year++) {
        for (int month = 1; month <= 12; month++) {
            for (int d = 1; d <= days_in(year, month); d++, day++) {
                char wanted[64];
                uint64_t of_day = day * 7919 * 1000 % DAY_MS + day % 1000;
                unsigned s = (unsigned)(of_day / 1000);
                (void)snprintf(wanted, sizeof(wanted), "%04d-%02d-%02dT%02u:%02u:%02u.%03uZ", year,
                               month, d, s / 3600, s / 60 % 60, s % 60, (unsigned)(of_day % 1000));
                check_time(day * DAY_MS + of_day, wanted);
            }
        }
    }
}

static const struct {
    uint64_t ms;
    const char *text;
} edges[] = {
    {0, "1970-01-01T00:00:00.000Z"},
    {DAY_MS - 1, "1970-01-01T23:59:59.999Z"},
    {951782400000, "2000-02-29T00:00:00.000Z"},
    {4107542399999, "2100-02-28T23:59:59.999Z"},
    {4107542400000, "2100-03-01T00:00:00.000Z"},
    {13574563200000, "2400-02-29T00:00:00.000Z"},
    {253402300799999, "9999-12-31T23:59:59.999Z"},
};

TEST(the_first_and_last_moments_of_days_are_formatted_and_parsed)
{
    for (size_t i = 0; i < COUNT(edges); i++) {
        check_time(edges[i].ms, edges[i].text);
    }
    char text[HAFT__TIME_SIZE];
    haft__time_format(UINT64_MAX, text);
    CHECK_STR(haft__str(text), HAFT__LIT("9999-12-31T23:59:59.999Z"), "a time after the year 9999");
}

static const char *const refused[] = {
    "",
    "1970-01-01T00:00:00.000",   /* no zone */
    "1970-01-01T00:00:00.000ZZ", /* too much */
    "1970-01-01T00:00:00.000z",  /* not upper case */
    "1970-01-01t00:00:00.000Z",
    "1970-01-01 00:00:00.000Z",
    "1970-01-01T00:00:00Z",     /* no milliseconds */
    "1970-01-01T00:00:00,000Z", /* a comma */
    "1970/01/01T00:00:00.000Z",
    "1969-12-31T23:59:59.999Z", /* before 1970 */
    "0000-01-01T00:00:00.000Z",
    "1970-00-01T00:00:00.000Z",
    "1970-13-01T00:00:00.000Z",
    "1970-01-00T00:00:00.000Z",
    "1970-01-32T00:00:00.000Z",
    "1970-04-31T00:00:00.000Z", /* April has 30 days */
    "2023-02-29T00:00:00.000Z", /* no leap year */
    "2100-02-29T00:00:00.000Z",
    "2024-02-30T00:00:00.000Z",
    "1970-01-01T24:00:00.000Z",
    "1970-01-01T00:60:00.000Z",
    "1970-01-01T00:00:60.000Z", /* no leap seconds */
    "197x-01-01T00:00:00.000Z",
    "1970-0 -01T00:00:00.000Z",
    "1970-01--1T00:00:00.000Z",
    "1970-01-01T+1:00:00.000Z",
    "1970-01-01T00:-1:00.000Z",
    "1970-01-01T00:00:0a.000Z",
    "1970-01-01T00:00:00.00aZ",
};

TEST(text_that_is_not_a_time_is_rejected)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        uint64_t ms = 77;
        CHECK(!haft__time_parse(haft__str(refused[i]), &ms), "\"%s\" was accepted", refused[i]);
        CHECK_INT(ms, 77, "\"%s\" changed the result", refused[i]);
    }
}
