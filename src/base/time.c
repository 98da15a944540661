/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.c - the proleptic Gregorian calendar, in whole days since 1970-01-01.
 *
 * A year begins in March, so that the leap day is its last day and the lengths of months have a
 * simple pattern. Tests: tests/base/time_test.c.
 */
#include "base/time.h"

#include <string.h>

#include "base/ascii.h"

#define DAY_MS       86400000U
#define DAYS_TO_1970 719468           /* from 0000-03-01 */
#define LAST_MS      253402300799999U /* 9999-12-31T23:59:59.999Z */

typedef struct date {
    int year, month, day;
} date;

static date date_of(int64_t days)
{
    int64_t n = days + DAYS_TO_1970;
    int64_t era = n / 146097, day_of_era = n % 146097;
    int64_t year =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * day_of_year + 2) / 153; /* from March */
    date d = {
        .year = (int)(year + era * 400 + (month >= 10)),
        .month = (int)(month < 10 ? month + 3 : month - 9),
        .day = (int)(day_of_year - (153 * month + 2) / 5 + 1),
    };
    return d;
}

static int64_t days_of(date d)
{
    int64_t year = d.year - (d.month <= 2);
    int64_t era = year / 400, year_of_era = year % 400;
    int64_t month = d.month > 2 ? d.month - 3 : d.month + 9;
    int64_t day_of_year = (153 * month + 2) / 5 + d.day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year
           - DAYS_TO_1970;
}

/* Writes `count` digits at `to`. */
static void put(char *to, unsigned number, int count)
{
    for (int i = count; i-- > 0; number /= 10) {
        to[i] = (char)('0' + number % 10);
    }
}

void haft__time_format(uint64_t ms, char to[HAFT__TIME_SIZE])
{
    ms = ms > LAST_MS ? LAST_MS : ms;
    date d = date_of((int64_t)(ms / DAY_MS));
    unsigned rest = (unsigned)(ms % DAY_MS);
    memcpy(to, "0000-00-00T00:00:00.000Z", HAFT__TIME_SIZE);
    put(to, (unsigned)d.year, 4);
    put(to + 5, (unsigned)d.month, 2);
    put(to + 8, (unsigned)d.day, 2);
    put(to + 11, rest / 3600000, 2);
    put(to + 14, rest / 60000 % 60, 2);
    put(to + 17, rest / 1000 % 60, 2);
    put(to + 20, rest % 1000, 3);
}

/* Reads the number in `count` digits at `at`; -1 if a character is not a digit. */
static int digits(haft_str text, size_t at, size_t count)
{
    int number = 0;
    for (size_t i = at; i < at + count; i++) {
        if (!haft__ascii_is_digit(text.ptr[i])) {
            return -1;
        }
        number = number * 10 + (text.ptr[i] - '0');
    }
    return number;
}

bool haft__time_parse(haft_str text, uint64_t *ret_ms)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";
    if (text.len != sizeof(form) - 1) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (form[i] != 'd' && text.ptr[i] != form[i]) {
            return false;
        }
    }
    date d = {digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)};
    int hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
    int milli = digits(text, 20, 3);
    bool in_range = d.year >= 1970 && d.month >= 1 && d.month <= 12 && d.day >= 1 && hour >= 0
                    && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60
                    && milli >= 0;
    if (!in_range) {
        return false;
    }
    int64_t days = days_of(d);
    date again = date_of(days);
    if (again.month != d.month || again.day != d.day) {
        return false; /* the day does not exist, such as the 31st of April */
    }
    *ret_ms =
        (uint64_t)days * DAY_MS + (uint64_t)(((hour * 60 + minute) * 60 + second) * 1000 + milli);
    return true;
}
