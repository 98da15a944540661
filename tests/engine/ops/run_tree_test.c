/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/run_tree.c. */
#include "engine/ops/run_tree.h"

#include "base/str.h"
#include "engine/tree_help.h"

TEST(a_tree_has_each_run_before_the_runs_below_it)
{
    static const char *const paths[] = {"c1.1", "c1.2", "c1.2/c1.1"};
    help_host h;
    haft__run_tree tree;
    help_host_init(&h, "memory:");
    haft_run *root = help_tree_start(&h);
    for (int open_only = 0; open_only <= 1; open_only++) {
        CHECK_INT(haft__run_tree_read(h.runtime, &root->state, open_only != 0, &tree, &h.err),
                  HAFT_OK, "%s", h.err.message);
        CHECK_INT(tree.count, COUNT(paths), "runs below the root");
        for (size_t i = 0; i < tree.count && i < COUNT(paths); i++) {
            CHECK_STR(tree.runs[i]->state.path, haft__str(paths[i]), "run %zu", i);
        }
        haft__run_tree_finish(&tree);
    }
    CHECK_INT(haft_run_answer(root, "c1.1/c1.1", "\"it\"", &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, root);
    CHECK_INT(haft__run_tree_read(h.runtime, &root->state, true, &tree, &h.err), HAFT_OK, "%s",
              h.err.message);
    CHECK_INT(tree.count, 2, "open runs after one has ended");
    haft__run_tree_finish(&tree);
    CHECK_INT(haft__run_tree_read(h.runtime, &root->state, false, &tree, &h.err), HAFT_OK, "%s",
              h.err.message);
    CHECK_INT(tree.count, 3, "all runs");
    haft__run_tree_finish(&tree);
    haft_run_release(root);
    help_host_finish(&h);
}

TEST(a_path_names_a_call_of_a_run_below)
{
    static const struct {
        const char *call;
        haft_status status;
        const char *path, *found; /* the run and the call; or a part of the message and hint */
    } rows[] = {
        {"c1.1", HAFT_OK, "", "c1.1"},
        {"c1.1/c1.1", HAFT_OK, "c1.1", "c1.1"},
        {"c1.2/c1.1", HAFT_OK, "c1.2", "c1.1"},
        {"c1.2/c1.1/c1.1", HAFT_OK, "c1.2/c1.1", "c1.1"},
        {"c1.2/c1.1/c9.9", HAFT_OK, "c1.2/c1.1", "c9.9"}, /* the run itself says that it has none */
        {"c9.9/c1.1", HAFT_NOT_FOUND, "c9.9 of the run", "has started no agent"},
        {"c1.1/c1.1/c1.1", HAFT_NOT_FOUND, "c1.1 of the run", "has started no agent"},
        {"/c1.1", HAFT_NOT_FOUND, "the call ", "has started no agent"},
        {"", HAFT_BAD_INPUT, "several pending calls",
         "pending: c1.1/c1.1 (headless of pick), c1.2/c1.1/c1.1 (headless of pick)"},
    };
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *root = help_tree_start(&h);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft_str run = {NULL, 0}, call = {NULL, 0};
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        haft_status status = haft__run_tree_resolve_call(
            h.runtime, &arena, haft__str(root->id), haft__str(rows[i].call), &run, &call, &err);
        CHECK_INT(status, rows[i].status, "row %zu: %s", i, err.message);
        if (status == HAFT_OK) {
            haft_run *found = NULL;
            CHECK_INT(haft__run_tree_open(h.runtime, run, &found, &err), HAFT_OK, "%s",
                      err.message);
            CHECK_STR(found->state.path, haft__str(rows[i].path), "row %zu: the run", i);
            CHECK_STR(call, haft__str(rows[i].found), "row %zu: the call", i);
            haft_run_release(found);
        } else {
            CHECK(strstr(err.message, rows[i].path) != NULL, "row %zu: %s", i, err.message);
            CHECK(strstr(err.message, rows[i].found) != NULL
                      || strstr(err.hint, rows[i].found) != NULL,
                  "row %zu: %s; %s", i, err.message, err.hint);
        }
        haft__arena_finish(&arena);
    }
    haft_run_release(root);
    help_host_finish(&h);
}

TEST(an_empty_path_is_the_only_pending_call_of_the_tree)
{
    help_host h;
    haft__arena arena;
    haft_str run = {NULL, 0}, call = {NULL, 0};
    help_host_init(&h, "memory:");
    haft__arena_init(&arena, 0);
    haft_run *root = help_tree_start(&h);
    CHECK_INT(haft_run_answer(root, "c1.2/c1.1/c1.1", "\"it\"", &h.err), HAFT_OK, "%s",
              h.err.message);
    help_host_settle(&h, root);
    CHECK_INT(haft__run_tree_resolve_call(h.runtime, &arena, haft__str(root->id), HAFT__LIT(""),
                                          &run, &call, &h.err),
              HAFT_OK, "%s", h.err.message);
    CHECK_STR(run, help_tree_child(&root->state, "c1.1"), "the run");
    CHECK_STR(call, HAFT__LIT("c1.1"), "the call");
    CHECK_INT(haft__run_tree_resolve_call(h.runtime, &arena, HAFT__LIT("nosuch"), HAFT__LIT(""),
                                          &run, &call, &h.err),
              HAFT_NOT_FOUND, "a run that does not exist");
    haft__arena_finish(&arena);
    haft_run_release(root);
    help_host_finish(&h);
}

TEST(the_root_of_a_run_is_found)
{
    help_host h;
    haft__arena arena;
    haft__run_tree tree;
    haft_str found = {NULL, 0};
    help_host_init(&h, "memory:");
    haft__arena_init(&arena, 0);
    haft_run *root = help_tree_start(&h);
    CHECK_INT(haft__run_tree_read(h.runtime, &root->state, false, &tree, &h.err), HAFT_OK, "%s",
              h.err.message);
    for (size_t i = 0; i < tree.count; i++) {
        CHECK_INT(haft__run_tree_find_root(h.runtime, &arena, haft__str(tree.runs[i]->id), &found,
                                           &h.err),
                  HAFT_OK, "%s", h.err.message);
        CHECK_STR(found, haft__str(root->id), "run %zu", i);
    }
    haft__run_tree_finish(&tree);
    CHECK_INT(haft__run_tree_find_root(h.runtime, &arena, haft__str(root->id), &found, &h.err),
              HAFT_OK, "%s", h.err.message);
    CHECK_STR(found, haft__str(root->id), "a root is its own");
    haft__arena_finish(&arena);
    haft_run_release(root);
    help_host_finish(&h);
}
