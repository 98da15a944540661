/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/shown_name.c: names of files as results of glob and grep show them. */
#include "base/shown_name.h"

#include "base/macros.h"
#include "test.h"

static const struct {
    const char *shown, *name;
} names[] = {
    {"src/a.c", "src/a.c"},
    {"a\\nb.c", "a\nb.c"},
    {"a\\tb\\rc", "a\tb\rc"},
    {"a\\\\x2db.slice", "a\\x2db.slice"}, /* systemd has such names */
    {"\\u001b[2J.c", "\x1b[2J.c"},
    {"\\u202e", "\xE2\x80\xAE"},
    {"\\xff.c", "\xFF.c"},
    {"\\q\\", "\\q\\"}, /* no escapes */
    {"\\ud800", "\\ud800"},
    {"\\x2", "\\x2"},
    {"", ""},
};

TEST(a_shown_name_is_read_as_the_name_of_the_file)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        char plain[32];
        size_t length = 0;
        haft_str shown = haft__str(names[i].shown), name = haft__str(names[i].name);
        CHECK_STR(haft__shown_name_read(shown, plain, sizeof(plain)), name, "%s", names[i].shown);
        CHECK(haft__shown_name_is_prefix(shown, name, &length), "%s", names[i].shown);
        CHECK_INT(length, shown.len, "%s", names[i].shown);
    }
}

TEST(a_name_that_is_too_long_is_empty)
{
    char plain[3];
    CHECK_STR(haft__shown_name_read(HAFT__LIT("a\\nb"), plain, 3), HAFT__LIT("a\nb"), "exactly");
    CHECK_STR(haft__shown_name_read(HAFT__LIT("a\\nbc"), plain, 3), HAFT__LIT(""), "one more");
}

TEST(another_name_is_not_a_prefix)
{
    size_t length = 0;
    CHECK(haft__shown_name_is_prefix(HAFT__LIT("a\\nb:12:x"), HAFT__LIT("a\nb"), &length), "line");
    CHECK_INT(length, 4, "its shown form");
    CHECK(!haft__shown_name_is_prefix(HAFT__LIT("anb"), HAFT__LIT("a\nb"), &length), "other");
    CHECK(!haft__shown_name_is_prefix(HAFT__LIT("a\\n"), HAFT__LIT("a\nb"), &length), "shorter");
    CHECK(!haft__shown_name_is_prefix(HAFT__LIT("\\u202e"), HAFT__LIT("\xE2"), &length), "a part");
}
