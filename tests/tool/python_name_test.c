/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/python_name.c. */
#include "tool/python_name.h"

#include "base/str.h"
#include "test.h"

TEST(names_of_tools_become_identifiers)
{
    static const struct {
        const char *name, *python;
    } cases[] = {{"read", "read"},
                 {"docs:search", "docs___search"},
                 {"a-b", "a_b"},
                 {"import", "import_"},
                 {"gather", "gather_"},
                 {"1st", "__h31st"},
                 {"v1.read", "v1__h2eread"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf found;
        haft__buf_init(&found, 256);
        haft__python_name_add(&found, haft__str(cases[i].name));
        CHECK_STR(haft__buf_str(&found), haft__str(cases[i].python), "%s", cases[i].name);
        haft__buf_finish(&found);
    }
}
