/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/files/scan.c. */
#include "exec/files/scan.h"

#include "base/macros.h"
#include "base/str.h"
#include "test.h"

TEST(line_feeds_are_counted)
{
    static char text[20000];
    memset(text, 'x', sizeof(text));
    CHECK_INT((long long)haft__scan_line_feeds((haft_str){NULL, 0}), 0, "an empty text");
    for (size_t length = 0; length < 70; length++) {
        size_t wanted = 0;
        for (size_t i = 0; i < length; i++) {
            text[i] = i % 3 == 0 ? '\n' : 'x';
            wanted += text[i] == '\n';
        }
        text[length] = '\n'; /* not counted */
        CHECK_INT((long long)haft__scan_line_feeds((haft_str){text, length}), (long long)wanted,
                  "%zu bytes", length);
    }
    memset(text, '\n', sizeof(text));
    CHECK_INT((long long)haft__scan_line_feeds((haft_str){text, sizeof(text)}), sizeof(text),
              "more line feeds than a byte can count");
}

/* Each needle at each position of texts of each length, after partial matches. */
TEST(needles_are_found_wherever_they_are)
{
    static const char *const patterns[] = {"Z", "ab", "needle", "0123456789abcdef", "(?i)aB-c"};
    static const char *const found[] = {"Z", "ab", "needle", "0123456789abcdef", "Ab-C"};
    for (size_t p = 0; p < COUNT(patterns); p++) {
        haft__literals literals;
        size_t size = strlen(found[p]);
        CHECK(haft__literals_extract(haft__str(patterns[p]), &literals), "%s", patterns[p]);
        for (size_t length = 0; length < 100; length++) {
            char *text = malloc(length + 1); /* exact size: a read past its end is detected */
            for (size_t at = 0; text != NULL && at + size <= length; at++) {
                memset(text, 'n', length);
                haft_str whole = {text, length};
                CHECK_INT((long long)haft__scan_literals(&literals, whole, 0), (long long)length,
                          "%s is not in %zu", found[p], length);
                memcpy(text + at, found[p], size);
                CHECK_INT((long long)haft__scan_literals(&literals, whole, 0), (long long)at,
                          "%s at %zu of %zu", found[p], at, length);
                CHECK_INT((long long)haft__scan_literals(&literals, whole, at), (long long)at,
                          "%s from its position", found[p]);
                CHECK_INT((long long)haft__scan_literals(&literals, whole, at + 1),
                          (long long)length, "%s after its position", found[p]);
            }
            free(text);
        }
    }
}

TEST(the_first_of_several_needles_is_found)
{
    haft__literals literals;
    CHECK(haft__literals_extract(HAFT__LIT("last|first|other"), &literals), "no needles");
    haft_str text = HAFT__LIT("................................first...............last....");
    CHECK_INT((long long)haft__scan_literals(&literals, text, 0), 32, "the position of 'first'");
    CHECK_INT((long long)haft__scan_literals(&literals, text, 33), 52, "the position of 'last'");
    CHECK_INT((long long)haft__scan_literals(&literals, text, 53), (long long)text.len,
              "after the last needle");
}

TEST(case_matters_by_default)
{
    haft__literals literals;
    CHECK(haft__literals_extract(HAFT__LIT("Abc"), &literals), "no needles");
    CHECK_INT((long long)haft__scan_literals(&literals, HAFT__LIT("abc ABC Abc"), 0), 8,
              "a needle in exact case");
    CHECK(haft__literals_extract(HAFT__LIT("(?i)@bc"), &literals), "no needles");
    CHECK_INT((long long)haft__scan_literals(&literals, HAFT__LIT("`bc @BC"), 0), 4,
              "@ and ` are not the same letter");
}
