/* SPDX-License-Identifier: Apache-2.0 */
/* Every store: runs that are moved from and to another store. */
#include "base/str.h"
#include "store/move.h"
#include "store_help.h"

#define MOVE "haft migrate/0123456789abcdef/"

static haft_status create_at(help_store *s, uint64_t n, uint64_t epoch, const char *owner)
{
    haft_str line = HAFT__LIT("1");
    haft__store_request create = {
        .verb = HAFT__STORE_CREATE,
        .run = {.id = help_id(n), .owner = haft__str(owner), .epoch = epoch},
        .lines = &line,
        .line_count = 1,
        .lease_ms = HELP_LEASE};
    haft_status status = help_do(s, &create);
    if (status == HAFT_OK) {
        CHECK_INT(create.found[0].epoch, epoch > 0 ? epoch : 1, "returned epoch of run %d", (int)n);
    }
    return status;
}

/* ---- the epoch continues ---- */

STORE_TEST(a_run_begins_with_the_requested_epoch)
{
    uint64_t epoch = 0;
    static const uint64_t wanted[] = {0, 1, 2, 41, INT64_MAX - 1};
    for (uint64_t n = 1; n <= COUNT(wanted); n++) {
        uint64_t first = wanted[n - 1] > 0 ? wanted[n - 1] : 1;
        CHECK_INT(create_at(s, n, wanted[n - 1], "me"), HAFT_OK, "%s", s->error.message);
        CHECK_INT(help_run(s, n)->epoch, first, "epoch of run %d", (int)n);
        CHECK_INT(help_append(s, n, first + 1, 1, "2"), HAFT_BAD_STATE,
                  "append with a later epoch");
        CHECK_INT(help_append(s, n, first - 1, 1, "2"), HAFT_BAD_STATE,
                  "append with an earlier epoch");
        CHECK_INT(help_append(s, n, first, 1, "2"), HAFT_OK, "%s", s->error.message);
        CHECK_INT(help_claim(s, n, "you", "me", &epoch), HAFT_OK, "%s", s->error.message);
        CHECK_INT(epoch, first + 1, "the next epoch after a claim");
    }
    if (s->lasts) {
        help_store_shut(s);
        help_store_reopen(s);
        CHECK_INT(help_run(s, 4)->epoch, 42, "the requested epoch");
    }
}

STORE_TEST(runs_created_together_have_their_own_epochs)
{
    haft_str line = HAFT__LIT("1");
    haft__store_request creates[4];
    for (uint64_t n = 1; n <= COUNT(creates); n++) {
        creates[n - 1] = (haft__store_request){.verb = HAFT__STORE_CREATE,
                                               .run = {.id = help_id(n), .epoch = 10 * n},
                                               .lines = &line,
                                               .line_count = 1};
    }
    CHECK_INT(help_together(s, creates, COUNT(creates)), HAFT_OK, "%s", s->error.message);
    for (uint64_t n = 1; n <= COUNT(creates); n++) {
        CHECK_INT(help_run(s, n)->epoch, 10 * n, "epoch of run %d", (int)n);
    }
}

/* ---- claimed and removed by the epoch ---- */

static haft_status claim_at(help_store *s, uint64_t epoch, const char *owner, const char *before)
{
    haft__store_request claim = {
        .verb = HAFT__STORE_CLAIM,
        .run = {.id = help_id(1), .owner = haft__str(owner), .epoch = epoch},
        .dead_owner = haft__str(before),
        .lease_ms = HELP_LEASE};
    return help_do(s, &claim);
}

STORE_TEST(a_claim_with_an_epoch_needs_that_epoch_and_owner)
{
    CHECK_INT(create_at(s, 1, 5, "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(claim_at(s, 4, "moved", "me"), HAFT_BAD_STATE, "claim with an earlier epoch");
    CHECK_INT(claim_at(s, 6, "moved", "me"), HAFT_BAD_STATE, "claim with a later epoch");
    CHECK_INT(claim_at(s, 5, "moved", "you"), HAFT_BAD_STATE, "claim from another owner");
    CHECK_INT(claim_at(s, 5, "moved", ""), HAFT_BAD_STATE, "another process owns it");
    s->now_ms += HELP_LEASE;
    CHECK_INT(claim_at(s, 5, "moved", "you"), HAFT_BAD_STATE,
              "claim from another owner after the lease expired");
    CHECK_INT(claim_at(s, 5, "moved", "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_run(s, 1)->epoch, 6, "a new epoch");
    CHECK_INT(claim_at(s, 5, "moved", "me"), HAFT_OK, "repeat the successful claim: %s",
              s->error.message);
    haft__store_request release = {.verb = HAFT__STORE_RELEASE,
                                   .run = {.id = help_id(1), .epoch = 7}};
    CHECK_INT(help_do(s, &release), HAFT_OK, "%s", s->error.message);
    CHECK_INT(release.count, 1, "released");
    CHECK_INT(claim_at(s, 7, "moved", ""), HAFT_BAD_STATE,
              "a run without an owner, no owner expected");
    CHECK_INT(claim_at(s, 7, "moved", "me"), HAFT_BAD_STATE,
              "a run without an owner, an owner expected");
    CHECK_INT(claim_at(s, 0, "you", ""), HAFT_OK, "claim without an epoch: %s", s->error.message);
}

static haft_status remove_at(help_store *s, uint64_t epoch, const char *owner)
{
    haft__store_request away = {
        .verb = HAFT__STORE_REMOVE,
        .run = {.id = help_id(1), .owner = haft__str(owner), .epoch = epoch}};
    return help_do(s, &away);
}

STORE_TEST(a_removal_with_an_epoch_needs_that_epoch_and_owner)
{
    CHECK_INT(create_at(s, 1, 5, "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(remove_at(s, 4, "me"), HAFT_BAD_STATE, "remove with an earlier epoch");
    CHECK_INT(remove_at(s, 6, "me"), HAFT_BAD_STATE, "remove with a later epoch");
    CHECK_INT(remove_at(s, 5, "you"), HAFT_BAD_STATE, "remove as another owner");
    s->now_ms += HELP_LEASE;
    CHECK_INT(remove_at(s, 5, "you"), HAFT_BAD_STATE,
              "remove as another owner after the lease expired");
    haft__store_request release = {.verb = HAFT__STORE_RELEASE,
                                   .run = {.id = help_id(1), .epoch = 5}};
    CHECK_INT(help_do(s, &release), HAFT_OK, "%s", s->error.message);
    CHECK_INT(remove_at(s, 5, "me"), HAFT_BAD_STATE, "remove a released run");
    CHECK_INT(remove_at(s, 5, ""), HAFT_BAD_STATE, "remove without an owner");
    CHECK_INT(claim_at(s, 0, "me", ""), HAFT_OK, "%s", s->error.message);
    CHECK_INT(remove_at(s, 5, "me"), HAFT_BAD_STATE, "remove with the epoch before the last claim");
    CHECK_INT(remove_at(s, 6, "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(remove_at(s, 6, "me"), HAFT_NOT_FOUND, "remove a removed run");
}

/* ---- during a move ---- */

/* A message that arrives after the copied ones would be lost. */
STORE_TEST(a_run_that_is_being_moved_accepts_no_commands)
{
    static const char *const owners[] = {MOVE "to/sqlite:/b", MOVE "moved/sqlite:/b",
                                         MOVE "from/sqlite:/a"};
    for (uint64_t n = 1; n <= COUNT(owners); n++) {
        CHECK_INT(create_at(s, n, 1, owners[n - 1]), HAFT_OK, "%s", s->error.message);
        haft__store_request send = {
            .verb = HAFT__STORE_SEND, .run = {.id = help_id(n)}, .text = HAFT__LIT("hello")};
        CHECK_INT(help_do(s, &send), HAFT_BAD_STATE, "send a command to a moving run");
        CHECK(strstr(s->error.message, n == 3 ? "moved here from sqlite:/a" : "moved to sqlite:/b")
                  != NULL,
              "%s", s->error.message);
        CHECK(strstr(s->error.hint, "haft migrate --move") != NULL, "%s", s->error.hint);
        CHECK_INT(help_claim(s, n, "you", "", NULL), HAFT_BAD_STATE, "claim a moving run");
        CHECK(strstr(s->error.message, "sqlite:/") != NULL, "%s", s->error.message);
        s->now_ms += HELP_LEASE;
        CHECK_INT(help_do(s, &send), HAFT_BAD_STATE, "send a command after the lease expired");
        send.run.owner = haft__str(owners[n - 1]);
        CHECK_INT(help_do(s, &send), HAFT_OK, "a command of the moving process: %s",
                  s->error.message);
        CHECK_INT(help_claim(s, n, "you", "", NULL), HAFT_OK, "%s", s->error.message);
        CHECK_INT(help_send(s, n, "hello"), HAFT_OK, "%s", s->error.message);
    }
}

/* A copy has no owner until it is released. */
STORE_TEST(a_lease_can_be_infinite)
{
    haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                  .run = {.id = help_id(1), .owner = HAFT__LIT(MOVE "from/x")},
                                  .lease_ms = INT64_MAX};
    haft__store_request take = {.verb = HAFT__STORE_CLAIM_NEXT, .run.owner = HAFT__LIT("you")};
    CHECK_INT(help_do(s, &create), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_run(s, 1)->lease_ms, INT64_MAX, "end of the lease");
    s->now_ms += (uint64_t)100 * 365 * 24 * 3600 * 1000;
    CHECK_INT(help_do(s, &take), HAFT_NOT_FOUND, "claim after a hundred years");
    CHECK_INT(help_claim(s, 1, "you", "", NULL), HAFT_BAD_STATE, "the claim succeeded");
}
