/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/tool.c. */
#include "tool/tool.h"

#include "base/limits.h"
#include "test.h"
#include "tool_help.h"

TEST(names_of_tools_are_validated)
{
    static const struct {
        const char *name, *error; /* "" for a valid name */
    } cases[] = {
        {"grep", ""},
        {"docs:search", ""},
        {"a", ""},
        {"0", ""},
        {"-", ""},
        {"v1.2/read-all_x", ""},
        {"ABCXYZ:abcxyz/0189", ""},
        {"", " | the name of a tool is empty | "},
        {"a b", " | tool name 'a b' has byte 0x20 at 1 | "
                "use letters, digits and _ . / - or server:tool"},
        {"a\x7f", " | tool name 'a\x7f' has byte 0x7f at 1 | "
                  "use letters, digits and _ . / - or server:tool"},
        {"a@b", " | tool name 'a@b' contains '@' | "
                "use letters, digits and _ . / - or server:tool"},
        {"a[", " | tool name 'a[' contains '[' | "
               "use letters, digits and _ . / - or server:tool"},
        {"caf\xc3\xa9", " | tool name 'caf\xc3\xa9' has byte 0xc3 at 3 | "
                        "use letters, digits and _ . / - or server:tool"},
        {":a", " | tool name ':a' has a ':' at its end | "
               "use one ':', between server and tool"},
        {"a:", " | tool name 'a:' has a ':' at its end | "
               "use one ':', between server and tool"},
        {"a:b:c", " | tool name 'a:b:c' has more than one ':' | "
                  "use one ':', between server and tool"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {0};
        haft_status status = haft__tool_name_check(haft__str(cases[i].name), &err);
        bool good = cases[i].error[0] == '\0';
        CHECK_INT(status, good ? HAFT_OK : HAFT_BAD_INPUT, "%s", cases[i].name);
        if (!good) {
            CHECK_STR(help_error(&err), haft__str(cases[i].error), "%s", cases[i].name);
        }
    }
}

TEST(a_name_with_a_nul_byte_is_rejected)
{
    CHECK_INT(haft__tool_name_check((haft_str){"a\0b", 3}, NULL), HAFT_BAD_INPUT,
              "a name with a NUL byte");
}

TEST(the_length_of_names_is_limited)
{
    char name[HAFT__LIMIT_TOOL_NAME_BYTES + 1];
    memset(name, 'n', sizeof(name));
    haft_error err = {0};
    CHECK_INT(haft__tool_name_check((haft_str){name, sizeof(name) - 1}, &err), HAFT_OK,
              "at the limit");
    CHECK_INT(haft__tool_name_check((haft_str){name, sizeof(name)}, &err), HAFT_TOO_BIG,
              "past the limit");
    CHECK(strstr(err.message, "has 129 bytes, more than 128") != NULL, "%s", err.message);
}

TEST(sources_and_roles_have_names)
{
    CHECK(strcmp(haft__tool_source_name(HAFT__TOOL_FUNCTION), "function") == 0, "function");
    CHECK(strcmp(haft__tool_source_name(HAFT__TOOL_PROVIDER), "provider") == 0, "provider");
    static const char *const roles[] = {"data", "neutral", "control", "artifact"};
    for (size_t i = 0; i < COUNT(roles); i++) {
        const char *found = haft__tool_role_name((haft__tool_role)i);
        CHECK(strcmp(found, roles[i]) == 0, "%s, wanted %s", found, roles[i]);
    }
}
