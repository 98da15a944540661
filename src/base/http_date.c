/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_date.c - the three date formats of HTTP, each described by a format string.
 *
 * The parts are converted to the form that base/time.h parses, which validates the calendar date.
 * Tests: tests/base/http_date_test.c.
 */
#include "base/http_date.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/time.h"

static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char *const days[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                   "Friday", "Saturday", "Sunday"};

typedef struct parts {
    unsigned year, month, day, hour, minute, second;
} parts;

static bool skip_text(haft_str *rest, haft_str expected)
{
    bool found = haft__str_starts_with(*rest, expected);
    *rest = found ? haft__str_skip(*rest, expected.len) : *rest;
    return found;
}

/* Reads exactly `count` digits; the first may be a space if `padded`. */
static bool read_number(haft_str *rest, size_t count, bool padded, unsigned *ret_number)
{
    unsigned number = 0;
    if (rest->len < count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        char c = rest->ptr[i];
        if (padded && i == 0 && c == ' ') {
            continue;
        }
        if (!haft__ascii_is_digit(c)) {
            return false;
        }
        number = number * 10 + (unsigned)(c - '0');
    }
    *rest = haft__str_skip(*rest, count);
    *ret_number = number;
    return true;
}

static bool skip_day_name(haft_str *rest, bool in_full)
{
    for (size_t i = 0; i < COUNT(days); i++) {
        haft_str name = haft__str(days[i]);
        name.len = in_full ? name.len : 3;
        if (skip_text(rest, name)) {
            return true;
        }
    }
    return false;
}

static bool read_month(haft_str *rest, unsigned *ret_month)
{
    for (unsigned i = 0; i < COUNT(months); i++) {
        if (skip_text(rest, haft__str(months[i]))) {
            *ret_month = i + 1;
            return true;
        }
    }
    return false;
}

/* Reads one part of a date. The letters of a form are: w, W the short or full name of the day; d
 * the day, p the padded day; m the month; y, Y the year with two or four digits; h, n, s the time.
 * Any other character matches itself. */
static bool read_piece(haft_str *rest, char piece, parts *p)
{
    switch (piece) {
    case 'w': return skip_day_name(rest, false);
    case 'W': return skip_day_name(rest, true);
    case 'd': return read_number(rest, 2, false, &p->day);
    case 'p': return read_number(rest, 2, true, &p->day);
    case 'm': return read_month(rest, &p->month);
    case 'y': return read_number(rest, 2, false, &p->year);
    case 'Y': return read_number(rest, 4, false, &p->year);
    case 'h': return read_number(rest, 2, false, &p->hour);
    case 'n': return read_number(rest, 2, false, &p->minute);
    case 's': return read_number(rest, 2, false, &p->second);
    default: return skip_text(rest, (haft_str){&piece, 1});
    }
}

static bool read_form(haft_str text, const char *form, parts *p)
{
    for (; *form != '\0'; form++) {
        if (!read_piece(&text, *form, p)) {
            return false;
        }
    }
    return text.len == 0;
}

static bool to_ms(const parts *p, uint64_t *ret_ms)
{
    char text[64];
    unsigned second = p->second == 60 ? 59 : p->second; /* a leap second */
    int length = snprintf(text, sizeof(text), "%04u-%02u-%02uT%02u:%02u:%02u.000Z", p->year,
                          p->month, p->day, p->hour, p->minute, second);
    return haft__time_parse((haft_str){text, (size_t)length}, ret_ms);
}

static unsigned year_of(uint64_t ms)
{
    char text[HAFT__TIME_SIZE];
    unsigned year = 0;
    haft__time_format(ms, text);
    haft_str rest = {text, 4};
    (void)read_number(&rest, 4, false, &year);
    return year;
}

/* The latest year with these last two digits that is at most 50 years in the future. */
static unsigned full_year(unsigned two_digits, uint64_t now_ms)
{
    unsigned last = year_of(now_ms) + 50;
    unsigned year = last - last % 100 + two_digits;
    return year > last ? year - 100 : year;
}

bool haft__http_date_parse(haft_str text, uint64_t now_ms, uint64_t *ret_ms)
{
    parts p = {0};
    if (read_form(text, "w, d m Y h:n:s GMT", &p) || read_form(text, "w m p h:n:s Y", &p)) {
        return to_ms(&p, ret_ms);
    }
    if (read_form(text, "W, d-m-y h:n:s GMT", &p)) {
        p.year = full_year(p.year, now_ms);
        return to_ms(&p, ret_ms);
    }
    return false;
}
