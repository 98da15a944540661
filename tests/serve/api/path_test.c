/* SPDX-License-Identifier: Apache-2.0 */
/* path_test.c - paths and queries of requests. */
#include "serve/api/path.h"

#include "base/macros.h"
#include "base/str.h"
#include "test.h"

TEST(ambiguous_paths_are_rejected)
{
    static const struct {
        const char *path;
        bool good;
    } cases[] = {
        {"/", true},       {"/a", true},      {"/a/b", true},       {"/a/", true},
        {"/a%20b", true},  {"/%41", true},    {"/a.b", true},       {"/...", true},
        {"/.a", true},     {"", false},       {"a", false},         {"//", false},
        {"/a//b", false},  {"/.", false},     {"/..", false},       {"/a/../b", false},
        {"/a/./b", false}, {"/%2e", false},   {"/%2E%2e/b", false}, {"/.%2e", false},
        {"/a%2fb", false}, {"/a%2Fb", false}, {"/a%5cb", false},    {"/a\\b", false},
        {"/%00", false},   {"/a%1f", false},  {"/%7f", false},      {"/%", false},
        {"/%4", false},    {"/%4g", false},   {"/a b", false},      {"/a\tb", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *problem = haft__path_problem(haft__str(cases[i].path));
        CHECK_INT(problem == NULL, cases[i].good, "%s", cases[i].path);
    }
}

TEST(paths_match_patterns)
{
    static const struct {
        const char *pattern, *path;
        bool matches;
        const char *first, *second;
    } cases[] = {
        {"/ok", "/ok", true, NULL, NULL},
        {"/ok", "/ok/", false, NULL, NULL},
        {"/ok", "/okay", false, NULL, NULL},
        {"/runs/{run}", "/runs/a", true, "a", NULL},
        {"/runs/{run}", "/runs/", false, NULL, NULL},
        {"/runs/{run}", "/runs", false, NULL, NULL},
        {"/runs/{run}", "/runs/a/b", false, NULL, NULL},
        {"/runs/{run}/events", "/runs/a%20b/events", true, "a b", NULL},
        {"/runs/{run}/artifacts/{name...}", "/runs/a/artifacts/b", true, "a", "b"},
        {"/runs/{run}/artifacts/{name...}", "/runs/a/artifacts/b/c.txt", true, "a", "b/c.txt"},
        {"/runs/{run}/artifacts/{name...}", "/runs/a/artifacts", false, NULL, NULL},
        {"/runs/{run}", "/runs/%ff", false, NULL, NULL},
        {"/", "/", true, NULL, NULL},
        {"/", "/a", false, NULL, NULL},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__path_params params = {.count = 0};
        bool found = haft__path_match(cases[i].pattern, haft__str(cases[i].path), &arena, &params);
        CHECK_INT(found, cases[i].matches, "%s", cases[i].path);
        if (cases[i].first != NULL) {
            CHECK_STR(params.values[0], haft__str(cases[i].first), "%s", cases[i].path);
        }
        if (cases[i].second != NULL) {
            CHECK_STR(params.values[1], haft__str(cases[i].second), "%s", cases[i].path);
        }
    }
    haft__arena_finish(&arena);
}

TEST(parameters_of_queries_are_decoded_once)
{
    static const struct {
        const char *query, *name, *value; /* value NULL: missing */
        bool good;
    } cases[] = {
        {"", "a", NULL, true},       {"a=1", "a", "1", true},
        {"a=1&b=2", "b", "2", true}, {"a=b+c%20d", "a", "b c d", true},
        {"a", "a", "", true},        {"a=%2541", "a", "%41", true},
        {"%61=1", "a", "1", true},   {"a=1&a=2", "a", NULL, false},
        {"a=%", "a", NULL, false},   {"a=%00", "a", NULL, false},
        {"a=%ff", "a", NULL, false}, {"%zz=1", "a", NULL, false},
        {"b=%zz", "a", NULL, true},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str value = {NULL, 0};
        bool good = haft__query_find(haft__str(cases[i].query), cases[i].name, &arena, &value);
        CHECK_INT(good, cases[i].good, "%s", cases[i].query);
        CHECK_INT(value.ptr != NULL, cases[i].value != NULL, "%s", cases[i].query);
        if (cases[i].value != NULL && value.ptr != NULL) {
            CHECK_STR(value, haft__str(cases[i].value), "%s", cases[i].query);
        }
    }
    haft__arena_finish(&arena);
}
