/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/decide/media_type.c. */
#include "run/decide/media_type.h"

#include "base/str.h"
#include "test.h"

TEST(the_extension_gives_the_media_type)
{
    static const struct {
        const char *name, *type;
    } cases[] = {
        {"report.md", "text/markdown"},
        {"REPORT.MD", "text/markdown"},
        {"a/b.tar.json", "application/json"},
        {"table.csv", "text/csv"},
        {"page.html", "text/html"},
        {"x.svg", "image/svg+xml"},
        {"notes.txt", "text/plain"},
        {"notes", "text/plain"},
        {"md", "text/plain"},
        {"a.md/b", "text/plain"},
        {"x.mdx", "text/plain"},
        {"x.m", "text/plain"},
        {"x.", "text/plain"},
        {"", "text/plain"},
        {".md", "text/markdown"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(haft__media_type_of_name(haft__str(cases[i].name)), haft__str(cases[i].type),
                  "%s", cases[i].name);
    }
}
