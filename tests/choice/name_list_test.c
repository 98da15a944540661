/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/choice/name_list.c. */
#include "choice/choice_int.h"
#include "choice_help.h"

static void list(haft__buf *buf, size_t count)
{
    haft__buf_clear(buf);
    haft__name_list names = {buf, 0, 0};
    for (size_t i = 0; i < count; i++) {
        haft__name_list_add(&names, HAFT__LIT("x"));
    }
    haft__name_list_end(&names);
}

TEST(the_length_of_a_list_is_bounded)
{
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    list(&buf, 0);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT(""), "no names");
    list(&buf, 1);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("x"), "one name");
    list(&buf, 3);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("x, x, x"), "three names");
    list(&buf, HAFT__LIMIT_CHOICE_NAMES);
    CHECK_INT(buf.len, 3 * HAFT__LIMIT_CHOICE_NAMES - 2, "length at the limit");
    list(&buf, HAFT__LIMIT_CHOICE_NAMES + 1);
    CHECK(haft__str_ends_with(haft__buf_str(&buf), HAFT__LIT("x, x and 1 more")),
          "one name past the limit");
    size_t length = buf.len;
    list(&buf, HAFT__LIMIT_CHOICE_NAMES + 9);
    CHECK_INT(buf.len, length, "length does not grow past the limit");
    haft__buf_finish(&buf);
}

TEST(names_are_wire_names)
{
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    haft__name_list names = {&buf, 0, 0};
    haft__name_list_add(&names, HAFT__LIT("docs:read"));
    haft__name_list_add(&names, HAFT__LIT("v1.read"));
    haft__name_list_end(&names);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("docs_-_read, v1_-h2eread"), "names");
    haft__buf_finish(&buf);
}

static const struct {
    const char *tools;
    uint32_t missing;
    const char *want;
} cases[] = {
    {"a:d b:d c:d", 2, "call 2 more of: a, b, c"},
    {"a:d+ b:d- c:d n:n x:c s:a", 1, "call 1 more of: c"},
    {"a:d+", 1, "call 1 more tool that you have not called yet"},
    {"", 2, "call 2 more tools that you have not called yet"},
};

TEST(only_tools_that_would_count_are_named)
{
    haft__buf buf;
    haft__buf_init(&buf, 4096);
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t count;
        const haft__choice_tool *tools = help_tools(cases[i].tools, &count);
        haft__buf_clear(&buf);
        haft__name_list_add_uncalled(&buf, cases[i].missing, tools, count);
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].want), "%s", cases[i].tools);
    }
    haft__buf_finish(&buf);
}
