/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/http_date.c: the three forms, and texts that only look like one. */
#include "base/http_date.h"

#include "base/time.h"
#include "test.h"

#define NOW_MS 1794711845678U /* 2026-11-15T03:04:05.678Z */

static const struct {
    const char *text, *time; /* `time` is "" if `text` is not a date */
} cases[] = {
    {"Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"},
    {"Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37.000Z"},
    {"Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37.000Z"},
    {"Sun Nov 16 08:49:37 1994", "1994-11-16T08:49:37.000Z"},
    {"Sun, 15 Nov 2026 03:04:06 GMT", "2026-11-15T03:04:06.000Z"},
    {"Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00.000Z"},
    {"Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59.000Z"},
    {"Tue, 29 Feb 2028 00:00:00 GMT", "2028-02-29T00:00:00.000Z"},
    {"Sat, 31 Dec 2016 23:59:60 GMT", "2016-12-31T23:59:59.000Z"},
    {"Mon, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"},
    /* a year of two digits is at most 50 years ahead */
    {"Monday, 01-Jun-76 00:00:00 GMT", "2076-06-01T00:00:00.000Z"},
    {"Monday, 01-Jun-77 00:00:00 GMT", "1977-06-01T00:00:00.000Z"},
    {"Wednesday, 01-Jun-00 00:00:00 GMT", "2000-06-01T00:00:00.000Z"},
    /* texts that are not dates */
    {"", ""},
    {"soon", ""},
    {"Thu, 01 Jan 1969 00:00:00 GMT", ""},
    {"Sun, 6 Nov 1994 08:49:37 GMT", ""},
    {"Sun,  6 Nov 1994 08:49:37 GMT", ""},
    {"Sun, 06 Nov 1994 08:49:37", ""},
    {"Sun, 06 Nov 1994 08:49:37 UTC", ""},
    {"Sun, 06 Nov 1994 08:49:37 GMT ", ""},
    {" Sun, 06 Nov 1994 08:49:37 GMT", ""},
    {"Sun, 06 nov 1994 08:49:37 GMT", ""},
    {"Xun, 06 Nov 1994 08:49:37 GMT", ""},
    {"Sun, 31 Nov 1994 08:49:37 GMT", ""},
    {"Mon, 29 Feb 2027 00:00:00 GMT", ""},
    {"Sun, 00 Nov 1994 08:49:37 GMT", ""},
    {"Sun, 06 Nov 1994 24:00:00 GMT", ""},
    {"Sun, 06 Nov 1994 08:60:00 GMT", ""},
    {"Sun, 06 Nov 1994 08:49:61 GMT", ""},
    {"Sun, 06 Nov 19940 08:49:37 GMT", ""},
    {"Sun, 06-Nov-94 08:49:37 GMT", ""},
    {"Sunday, 06-Nov-1994 08:49:37 GMT", ""},
    {"Sunday, 06 Nov 1994 08:49:37 GMT", ""},
    {"Sun Nov 6 08:49:37 1994", ""},
    {"Sun Nov  6 08:49:37 94", ""},
    {"Sun Nov  6 08:49:37 1994 GMT", ""},
};

TEST(http_dates_are_parsed)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint64_t ms = 7;
        char found[HAFT__TIME_SIZE] = "";
        if (haft__http_date_parse(haft__str(cases[i].text), NOW_MS, &ms)) {
            haft__time_format(ms, found);
        }
        CHECK_STR(haft__str(found), haft__str(cases[i].time), "%s", cases[i].text);
        CHECK(cases[i].time[0] != '\0' || ms == 7,
              "%s: the output was changed although parsing failed", cases[i].text);
    }
}

/* A prefix of a date is rejected, and so is a date with one byte replaced by NUL. */
TEST(incomplete_dates_are_rejected)
{
    for (size_t i = 0; i < 3; i++) {
        haft_str text = haft__str(cases[i].text);
        for (size_t at = 0; at < text.len; at++) {
            uint64_t ms;
            char changed[64];
            memcpy(changed, text.ptr, text.len);
            changed[at] = '\0';
            CHECK(!haft__http_date_parse((haft_str){text.ptr, at}, NOW_MS, &ms),
                  "the first %zu bytes were accepted", at);
            CHECK(!haft__http_date_parse((haft_str){changed, text.len}, NOW_MS, &ms),
                  "%s with a NUL at %zu was accepted", text.ptr, at);
        }
    }
}
