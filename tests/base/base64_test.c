/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/base64.c. */
#include "base/base64.h"

#include "base/macros.h"
#include "base/str.h"
#include "test.h"

static const struct {
    haft_str bytes;
    const char *text;
} rows[] = {
    /* the first seven are the examples of RFC 4648 */
    {{"", 0}, ""},
    {{"f", 1}, "Zg=="},
    {{"fo", 2}, "Zm8="},
    {{"foo", 3}, "Zm9v"},
    {{"foob", 4}, "Zm9vYg=="},
    {{"fooba", 5}, "Zm9vYmE="},
    {{"foobar", 6}, "Zm9vYmFy"},
    {{"\0\0\0", 3}, "AAAA"},
    {{"\xff\xff\xff", 3}, "////"},
    {{"\xfb\xef\xbe", 3}, "++++"},
};

TEST(bytes_are_written_and_read_back)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__buf buf;
        char bytes[16];
        size_t length = 99;
        haft__buf_init(&buf, 64);
        haft__base64_add(&buf, rows[i].bytes);
        CHECK_STR(haft__buf_str(&buf), haft__str(rows[i].text), "row %zu, encoded", i);
        CHECK(haft__base64_decode(haft__str(rows[i].text), bytes, &length),
              "row %zu cannot be decoded", i);
        CHECK_STR(((haft_str){bytes, length}), rows[i].bytes, "row %zu, decoded", i);
        haft__buf_finish(&buf);
    }
}

TEST(other_texts_are_refused)
{
    static const char *const bad[] = {
        "A",    "AA",   "AAA",      "AAAAA", "A===", "====",    "=AAA",
        "AA=A", "AA A", "AA==AAAA", "AA-_",  "AAA ", "AAAA\n\n"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        char bytes[16];
        size_t length = 0;
        CHECK(!haft__base64_decode(haft__str(bad[i]), bytes, &length), "%s was decoded", bad[i]);
    }
}
