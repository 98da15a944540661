/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/follow/artifact_name.c. */
#include "cli/follow/artifact_name.h"

#include "base/str.h"
#include "test.h"

#define TEN   "0123456789"
#define FIFTY TEN TEN TEN TEN TEN

TEST(names_become_names_of_files)
{
    static const struct {
        const char *name, *file;
    } rows[] = {
        {"report.md", "report.md"},
        {"", "_"},
        {".hidden", "_hidden"},
        {"-dash", "_dash"},
        {"../../etc/passwd", "_._.._etc_passwd"},
        {"a\nb\x7f.md", "a_b_.md"},
        {"\xC3\xA9.md", "\xC3\xA9.md"},
        {FIFTY FIFTY FIFTY FIFTY, FIFTY FIFTY FIFTY FIFTY},
        {FIFTY FIFTY FIFTY FIFTY "x", FIFTY FIFTY FIFTY FIFTY},
        {FIFTY FIFTY FIFTY FIFTY FIFTY ".md", FIFTY FIFTY FIFTY TEN TEN TEN TEN "0123456.md"},
        {FIFTY FIFTY FIFTY TEN TEN TEN TEN "012345\xC3\xA9" FIFTY ".md",
         FIFTY FIFTY FIFTY TEN TEN TEN TEN "012345.md"},
        {FIFTY FIFTY FIFTY FIFTY "." FIFTY, FIFTY FIFTY FIFTY FIFTY},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char file[HAFT__ARTIFACT_NAME_BYTES + 1];
        haft__artifact_name_clean(haft__str(rows[i].name), file);
        CHECK_STR(haft__str(file), haft__str(rows[i].file), "%s", rows[i].name);
    }
}

TEST(numbers_are_before_the_extension)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK_STR(haft__artifact_name_number(&arena, "a.tar.gz", 2), HAFT__LIT("a.tar-2.gz"),
              "a name with two extensions");
    CHECK_STR(haft__artifact_name_number(&arena, "a", 12), HAFT__LIT("a-12"),
              "a name without an extension");
    CHECK_STR(haft__artifact_name_number(&arena, "a.md", 1), HAFT__LIT("a.md"),
              "the first file has no number");
    haft__arena_finish(&arena);
}

TEST(names_that_a_file_system_may_treat_as_one_have_one_key)
{
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {
        {"a.md", "A.MD", true},
        {"a.md", "b.md", false},
        {"\xC3\xA9.md", "\xC3\x89.md", true},                /* e and E with an accent */
        {"\xC3\xA9.md", "e\xCC\x81.md", true},               /* decomposed */
        {"a\xC3\xA9.md", "ae\xCC\x81.md", true},             /* after a letter */
        {"\xE1\xBA\xB9\xCC\x81", "e\xCC\xA3\xCC\x81", true}, /* two marks */
        {"\xC3\xA9.md", "e.md", false},
        {"K.txt", "\xE2\x84\xAA.txt", true},                /* the Kelvin sign */
        {"\xC3\x9F", "SS", true},                           /* sharp s */
        {"\xEF\xAC\x81", "fi", true},                       /* a ligature */
        {"\xE2\x89\xA0", "=\xCC\xB8", true},                /* not equal */
        {"\xEA\xB0\x80", "\xE1\x84\x80\xE1\x85\xA1", true}, /* a Hangul syllable */
        {"\xC3\xA9.md", "\xC3\xB6.md", true},               /* differ only outside ASCII */
        {"\xC3\xA9.md", "\xC3\xA9.txt", false},
        {"\xFF", "a", false},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str a = haft__artifact_name_key(&arena, haft__str(rows[i].a));
        haft_str b = haft__artifact_name_key(&arena, haft__str(rows[i].b));
        CHECK_INT(haft__str_equal(a, b), rows[i].same, "%s and %s", rows[i].a, rows[i].b);
    }
    haft__arena_finish(&arena);
}
