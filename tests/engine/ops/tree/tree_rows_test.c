/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/tree/tree_rows.c. */
#include "engine/ops/tree/tree_rows.h"

#include "base/str.h"
#include "test.h"

/* Runs are written as "b<a": the run b is a child of a. A run alone is a root. */
static size_t read_runs(haft_str text, haft__store_run *runs)
{
    size_t count = 0;
    while (text.len > 0) {
        haft_str parent = haft__str_split(&text, ' ');
        haft_str id = haft__str_split(&parent, '<');
        runs[count++] = (haft__store_run){
            .id = id, .parent = parent, .thread = parent.len > 0 ? id : HAFT__LIT("thread")};
    }
    return count;
}

TEST(runs_are_arranged_as_trees)
{
    static const struct {
        const char *runs; /* the newest first */
        uint64_t roots;
        const char *arranged; /* each with its depth */
    } rows[] = {
        {"", 9, ""},
        {"c b a", 9, "c0 b0 a0 "},
        {"c<a b<a a", 9, "a0 b1 c1 "},
        {"e<b d c<b b<a a", 9, "d0 a0 b1 c2 e2 "},
        {"f<a e<d d c<a b a", 9, "d0 e1 b0 a0 c1 f1 "},
        {"e<d d c<a b a", 2, "d0 e1 b0 "},
        {"c<x b<c a", 9, "c0 b0 a0 "}, /* no parent here; a parent that is newer */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__store_run runs[8];
        haft__run_list list = {.items = runs}, arranged;
        const uint32_t *depths = NULL;
        haft_error err = {0};
        haft__buf text;
        haft__arena_init(&arena, 0);
        haft__buf_init(&text, 256);
        list.count = read_runs(haft__str(rows[i].runs), runs);
        CHECK_INT(haft__tree_rows_arrange(&arena, &list, rows[i].roots, &arranged, &depths, &err),
                  HAFT_OK, "row %zu", i);
        for (size_t k = 0; k < arranged.count; k++) {
            haft__buf_addf(&text, "%.*s%u ", HAFT__ARG(arranged.items[k].id), depths[k]);
        }
        CHECK_STR(haft__buf_str(&text), haft__str(rows[i].arranged), "row %zu", i);
        haft__buf_finish(&text);
        haft__arena_finish(&arena);
    }
}
