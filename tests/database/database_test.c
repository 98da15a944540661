/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/database/database.c. */
#include "base/limits.h"
#include "database/database.h"
#include "test.h"

TEST(urls_of_databases_have_an_engine)
{
    static const struct {
        const char *url;
        haft_status status;
        haft__database_engine engine;
        const char *rest;
    } cases[] = {
        {"sqlite:a.db", HAFT_OK, HAFT__DATABASE_SQLITE, "a.db"},
        {"sqlite:/x/a.db", HAFT_OK, HAFT__DATABASE_SQLITE, "/x/a.db"},
        {"postgres://h/d", HAFT_OK, HAFT__DATABASE_POSTGRES, "postgres://h/d"},
        {"postgresql://h/d", HAFT_OK, HAFT__DATABASE_POSTGRES, "postgresql://h/d"},
        {"sqlite:", HAFT_BAD_INPUT, 0, ""},
        {"mysql://h/d", HAFT_BAD_INPUT, 0, ""},
        {"a.db", HAFT_BAD_INPUT, 0, ""},
        {"", HAFT_BAD_INPUT, 0, ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__database_engine engine = HAFT__DATABASE_SQLITE;
        haft_str rest = HAFT__LIT("");
        haft_error err = {0};
        CHECK_INT(haft__database_read_url(haft__str(cases[i].url), &engine, &rest, &err),
                  cases[i].status, "%s", cases[i].url);
        CHECK_STR(rest, haft__str(cases[i].rest), "%s", cases[i].url);
        CHECK_INT(engine, cases[i].engine, "%s", cases[i].url);
        CHECK((err.hint[0] != '\0') == (cases[i].status != HAFT_OK), "%s: %s", cases[i].url,
              err.hint);
    }
}

#define FILTER(...)                                                                                \
    {                                                                                              \
        (const haft_str[]){__VA_ARGS__}, sizeof((haft_str[]){__VA_ARGS__}) / sizeof(haft_str)      \
    }
#define L(text) HAFT__LIT(text)

TEST(filters_include_and_exclude)
{
    const struct {
        haft__database_filter filter;
        const char *text;
        bool passes;
    } cases[] = {
        {{NULL, 0}, "a", true},
        {FILTER(L("a")), "a", true},
        {FILTER(L("a")), "b", false},
        {FILTER(L("a")), "A", true},
        {FILTER(L("A*")), "abc", true},
        {FILTER(L("!a")), "a", false},
        {FILTER(L("!a")), "A", false},
        {FILTER(L("!a")), "b", true},
        {FILTER(L("a*"), L("!ab")), "ab", false},
        {FILTER(L("!ab"), L("a*")), "ab", false},
        {FILTER(L("a*"), L("!ab")), "ac", true},
        {FILTER(L("a*"), L("!ab")), "b", false},
        {FILTER(L("!*")), "b", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__database_filter_passes(&cases[i].filter, haft__str(cases[i].text)),
                  cases[i].passes, "case %zu: %s", i, cases[i].text);
    }
}

TEST(a_name_that_no_pattern_can_match_passes_no_filter)
{
    char name[HAFT__LIMIT_TOOL_NAME_BYTES + 2];
    memset(name, 'a', sizeof(name));
    haft_str longest = {name, HAFT__LIMIT_TOOL_NAME_BYTES}, longer = {name, longest.len + 1};
    const haft__database_filter excludes = FILTER(L("!b")), all = {NULL, 0};
    CHECK(haft__database_filter_passes(&excludes, longest), "the longest name");
    CHECK(!haft__database_filter_passes(&excludes, longer), "a longer name");
    CHECK(haft__database_filter_passes(&all, longer), "without a filter");
}

TEST(columns_are_named_with_their_table)
{
    const haft__database database = {.tables = FILTER(L("!log_*")),
                                     .columns = FILTER(L("!*.password"), L("!users.email"))};
    CHECK(!haft__database_shows_table(&database, L("Log_2024")), "a table");
    CHECK(haft__database_shows_table(&database, L("users")), "a table");
    CHECK(!haft__database_shows_column(&database, L("users"), L("PASSWORD")), "a column");
    CHECK(!haft__database_shows_column(&database, L("users"), L("email")), "a column");
    CHECK(haft__database_shows_column(&database, L("shops"), L("email")), "a column");
    CHECK(haft__database_hides(&database), "it hides something");
    char name[HAFT__LIMIT_TOOL_NAME_BYTES];
    memset(name, 'a', sizeof(name));
    haft_str both = {name, sizeof(name)};
    CHECK(!haft__database_shows_column(&database, both, L("x")), "names that are too long");
    const haft__database open = {.columns = {NULL, 0}};
    CHECK(haft__database_shows_column(&open, both, L("x")), "without a filter");
    CHECK(!haft__database_hides(&open), "it hides nothing");
}

TEST(engines_have_names)
{
    CHECK_STR(haft__str(haft__database_engine_name(HAFT__DATABASE_SQLITE)), L("SQLite"), "name");
    CHECK_STR(haft__str(haft__database_engine_name(HAFT__DATABASE_POSTGRES)), L("PostgreSQL"),
              "name");
}
