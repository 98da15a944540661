/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/store/move.c. */
#include "store/move.h"

#include "base/str.h"
#include "test.h"

#define ID "0123456789abcdef"

TEST(the_owner_name_of_a_move_is_written_and_parsed)
{
    static const struct {
        haft__move_step step;
        const char *store, *wanted;
    } cases[] = {
        {HAFT__MOVE_TO, "sqlite:/a/b c.db", "haft migrate/" ID "/to/sqlite:/a/b c.db"},
        {HAFT__MOVE_DONE, "postgres://h/d", "haft migrate/" ID "/moved/postgres://h/d"},
        {HAFT__MOVE_FROM, "", "haft migrate/" ID "/from/"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[128];
        haft__move move = {HAFT__LIT(ID), cases[i].step, haft__str(cases[i].store)}, read;
        haft_str owner = haft__move_format_owner(&move, text, sizeof(text));
        CHECK_STR(owner, haft__str(cases[i].wanted), "case %zu", i);
        CHECK(haft__move_parse_owner(owner, &read), "case %zu is not a move", i);
        CHECK_STR(read.id, move.id, "case %zu", i);
        CHECK_STR(read.store, move.store, "case %zu", i);
        CHECK_INT(read.step, move.step, "case %zu", i);
    }
}

TEST(other_owner_names_are_not_moves)
{
    static const char *const owners[] = {
        "",
        "me",
        "haft migrate",
        "haft migrate/" ID,
        "haft migrate/" ID "/",
        "haft migrate/" ID "/away/x",
        "haft migrate/0123/to/x",
        "haft migrate/" ID "0/to/x",
        "haft migrater/" ID "/to/x",
        "0c0ffee0-1111-2222-3333-444444444444.4026531836/17/99/0123456789abcdef",
    };
    for (size_t i = 0; i < COUNT(owners); i++) {
        haft__move move;
        CHECK(!haft__move_parse_owner(haft__str(owners[i]), &move), "'%s'", owners[i]);
    }
}

TEST(a_long_store_url_is_truncated)
{
    char text[40];
    haft__move move = {HAFT__LIT(ID), HAFT__MOVE_TO, HAFT__LIT("sqlite:/a/long/way")}, read;
    haft_str owner = haft__move_format_owner(&move, text, sizeof(text));
    CHECK_INT(owner.len, sizeof(text) - 1, "length");
    CHECK(haft__move_parse_owner(owner, &read), "the name is not a move");
    CHECK_STR(read.store, HAFT__LIT("sqlite"), "the truncated URL");
}

TEST(a_move_in_progress_is_reported_with_its_target)
{
    haft_error err;
    haft__move move = {HAFT__LIT(ID), HAFT__MOVE_DONE, HAFT__LIT("sqlite:/x")};
    CHECK_INT(haft__move_fail(HAFT__LIT("r"), &move, &err), HAFT_BAD_STATE,
              "the status of a moved run");
    CHECK_STR(haft__str(err.message), HAFT__LIT("the run r has been moved to sqlite:/x"),
              "error message");
    CHECK_STR(haft__str(err.hint),
              HAFT__LIT("the move did not finish: repeat the same `haft migrate --move`"),
              "hint of the error");
}
