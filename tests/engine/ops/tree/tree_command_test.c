/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/tree/tree_command.c: commands to calls of the runs below a run. */
#include "base/str.h"
#include "engine/tree_help.h"

TEST(calls_of_runs_below_are_answered_by_their_path)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *root = help_tree_start(&h);
    static const char *const calls[] = {"c1.2/c1.1/c1.1", "c1.1/c1.1"};
    for (size_t i = 0; i < COUNT(calls); i++) {
        CHECK_INT(haft_run_state(root), HAFT_WAITING, "before %s", calls[i]);
        CHECK_INT(haft_run_answer(root, calls[i], "\"it\"", &h.err), HAFT_OK, "%s: %s", calls[i],
                  h.err.message);
        help_host_settle(&h, root);
    }
    CHECK_STR(haft__str(haft_run_end(root)), HAFT__LIT("done"), "%s",
              haft_run_error(root)->message);
    CHECK_STR(haft_run_answer_text(root), HAFT__LIT("good"), "the answer");
    CHECK_INT(root->state.child_usage.runs, 3, "all runs have ended");
    haft_run_release(root);
    help_host_finish(&h);
}

TEST(a_command_to_a_run_below_is_checked_at_once)
{
    static const struct {
        const char *call, *json; /* json NULL: an approval */
        haft_status status;
        const char *why;
    } rows[] = {
        {"c9.9/c1.1", "1", HAFT_NOT_FOUND, "has started no agent"},
        {"c1.1/c9.9", "1", HAFT_NOT_FOUND, "c9.9"},
        {"c1.1/c1.1", "not json", HAFT_BAD_INPUT, ""},
        {"c1.1/c1.1", NULL, HAFT_BAD_STATE, ""},
        {"c1.1", "1", HAFT_BAD_STATE, "not pending"},
        {"", "1", HAFT_BAD_INPUT, "several pending calls"},
    };
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *root = help_tree_start(&h);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_error err = {0};
        const char *call = rows[i].call[0] != '\0' ? rows[i].call : NULL;
        haft_status status = rows[i].json != NULL ? haft_run_answer(root, call, rows[i].json, &err)
                                                  : haft_run_approve(root, call, NULL, &err);
        CHECK_INT(status, rows[i].status, "row %zu: %s", i, err.message);
        CHECK(strstr(err.message, rows[i].why) != NULL, "row %zu: %s", i, err.message);
    }
    help_host_settle(&h, root);
    CHECK_INT(haft_run_state(root), HAFT_WAITING, "nothing was answered");
    haft_run_release(root);
    help_host_finish(&h);
}

TEST(without_an_id_the_only_pending_call_of_the_tree_is_answered)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *root = help_tree_start(&h);
    CHECK_INT(haft_run_reject(root, "c1.1/c1.1", "no", &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, root);
    CHECK_INT(haft_run_answer(root, NULL, "\"it\"", &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, root);
    CHECK_STR(haft__str(haft_run_end(root)), HAFT__LIT("done"), "%s",
              haft_run_error(root)->message);
    haft_run_release(root);
    help_host_finish(&h);
}

TEST(the_same_answer_to_a_run_below_can_be_repeated)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_run *root = help_tree_start(&h);
    CHECK_INT(haft_run_answer(root, "c1.1/c1.1", "1", &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, root);
    CHECK_INT(haft_run_answer(root, "c1.1/c1.1", "1", &h.err), HAFT_OK, "%s", h.err.message);
    CHECK_INT(haft_run_answer(root, "c1.1/c1.1", "2", &h.err), HAFT_BAD_STATE, "another answer");
    CHECK_INT(haft_run_cancel(root, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, root);
    CHECK_STR(haft__str(haft_run_end(root)), HAFT__LIT("cancelled"), "the end");
    haft_run_release(root);
    help_host_finish(&h);
}
