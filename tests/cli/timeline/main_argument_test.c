/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/cli/timeline/main_argument.c. */
#include "cli/timeline/main_argument.h"

#include "test.h"
#include "json/read.h"

TEST(the_main_argument_is_the_first_readable_one)
{
    static const struct {
        const char *arguments, *shown;
    } cases[] = {
        {"{}", ""},
        {"{\"path\":\"a.c\",\"offset\":3}", "a.c"},
        {"{\"offset\":3,\"path\":\"a.c\"}", "a.c"},
        {"{\"path\":\"\",\"name\":\"b\"}", "b"},
        {"{\"id\":1042,\"all\":true}", "1042"},
        {"{\"all\":true,\"more\":null,\"of\":{\"a\":\"b\"}}", ""},
        {"{\"paths\":[\"a\",{},\"b\",3]}", "a, b, 3"},
        {"{\"pattern\":\"src/**/*.[ch]\"}", "src/**/*.[ch]"},
        {"{\"pattern\":\"(?:[Hh]aft|HAFT)|(?:[Mm]odel|MODEL)\",\"path\":\"docs\"}", "docs"},
        {"{\"pattern\":\"(?:[Hh]aft|HAFT)|(?:[Mm]odel|MODEL)\"}", "a pattern of 35 bytes"},
        {"{\"query\":\"Which orders are late, and why? (All of them.)\"}",
         "Which orders are late, and why? (All of them.)"},
        {"[\"a\"]", ""},
        {"\"a\"", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__buf shown;
        haft__json arguments;
        haft__arena_init(&arena, 0);
        haft__buf_init(&shown, 1000);
        CHECK_INT(
            haft__json_read(&arena, haft__str(cases[i].arguments), NULL, &arguments, NULL, NULL),
            HAFT_OK, "case %zu", i);
        haft__main_argument_add(&shown, arguments);
        CHECK_STR(haft__buf_str(&shown), haft__str(cases[i].shown), "case %zu", i);
        haft__buf_finish(&shown);
        haft__arena_finish(&arena);
    }
}
