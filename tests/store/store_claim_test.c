/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of store: claims of free and orphaned runs, each by one process. */
#include "base/str.h"
#include "io/owner.h"
#include "store/sqlite/sqlite_help.h"
#include "store/store_help.h"

/* Creates a run with its own thread and with `owner`. */
static void make(help_store *s, uint64_t n, const char *owner)
{
    CHECK_INT(help_create_in(s, n, help_id(n + 1000).ptr, owner), HAFT_OK, "%s", s->error.message);
    s->now_ms++;
}

/* Sets the state of the run to waiting, until `wake` if that is not 0. */
static void pause_run(help_store *s, uint64_t n, uint64_t epoch, uint64_t wake)
{
    haft_str line = HAFT__LIT("2");
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run = {.id = help_id(n),
                                          .epoch = epoch,
                                          .seq = 1,
                                          .state = HAFT__RUN_STATE_WAITING,
                                          .wake_ms = wake},
                                  .lines = &line,
                                  .line_count = 1};
    CHECK_INT(help_do(s, &append), HAFT_OK, "%s", s->error.message);
    s->now_ms++;
}

static void release(help_store *s, uint64_t n, uint64_t epoch)
{
    haft__store_request request = {.verb = HAFT__STORE_RELEASE,
                                   .run = {.id = help_id(n), .epoch = epoch}};
    CHECK_INT(help_do(s, &request), HAFT_OK, "%s", s->error.message);
    CHECK_INT(request.count, 1, "the run was not released");
    s->now_ms++;
}

/* Creates a waiting run without an owner. */
static void make_waiting(help_store *s, uint64_t n, uint64_t wake)
{
    make(s, n, "me");
    pause_run(s, n, 1, wake);
    release(s, n, 1);
}

/* The number of the claimed run; 0 if none. */
static uint64_t claim_with(help_store *s, haft__store_request request)
{
    request.verb = HAFT__STORE_CLAIM_NEXT;
    request.lease_ms = HELP_LEASE;
    haft_status status = help_do(s, &request);
    if (status != HAFT_OK) {
        CHECK_INT(status, HAFT_NOT_FOUND, "%s", s->error.message);
        return 0;
    }
    CHECK_INT(request.found_count, 1, "number of claimed runs");
    CHECK_STR(request.found[0].owner, request.run.owner, "owner of the claimed run");
    CHECK_INT(request.found[0].lease_ms, s->now_ms + HELP_LEASE, "lease of the claimed run");
    CHECK_STR(request.found[0].spec, HAFT__LIT("{\"haft\":1}"), "spec of the claimed run");
    for (uint64_t n = 1; n < 500; n++) {
        if (haft__str_equal(request.found[0].id, help_id(n))) {
            return n;
        }
    }
    CHECK(false, "an unknown run");
    return 0;
}

static uint64_t claim_next(help_store *s, const char *owner)
{
    return claim_with(s, (haft__store_request){.run.owner = haft__str(owner)});
}

STORE_TEST(a_claim_reports_whether_the_last_owner_crashed)
{
    haft__store_request request = {
        .verb = HAFT__STORE_CLAIM_NEXT, .lease_ms = HELP_LEASE, .run.owner = HAFT__LIT("me")};
    make(s, 1, "");
    CHECK_INT(help_do(s, &request), HAFT_OK, "%s", s->error.message);
    CHECK(!request.lost, "the run had no owner");
    s->now_ms += HELP_LEASE + 1;
    request.run.owner = HAFT__LIT("you");
    CHECK_INT(help_do(s, &request), HAFT_OK, "%s", s->error.message);
    CHECK(request.lost, "the run had an owner");
}

STORE_TEST(free_runs_are_claimed_oldest_first)
{
    CHECK_INT(claim_next(s, "you"), 0, "an empty store");
    make(s, 3, "");
    make(s, 1, "");
    make(s, 2, "");
    make(s, 4, "me");
    make(s, 5, "me");
    CHECK_INT(help_end(s, 5, 1, 1, "good"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(claim_next(s, "you"), 3, "the run that was created first");
    CHECK_INT(help_run(s, 3)->epoch, 2, "a new epoch");
    CHECK_INT(help_append(s, 3, 2, 1, "2"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(claim_next(s, "you"), 1, "the run that was created second");
    release(s, 3, 2);
    CHECK_INT(claim_next(s, "you"), 2, "the run without an owner for longest");
    CHECK_INT(claim_next(s, "you"), 3, "a released run");
    CHECK_INT(claim_next(s, "you"), 0, "all other runs have an owner or have ended");
    haft__store_request nameless = {.verb = HAFT__STORE_CLAIM_NEXT};
    CHECK_INT(help_do(s, &nameless), HAFT_BAD_INPUT, "a claim without an owner name");
}

STORE_TEST(a_waiting_run_is_claimed_at_its_deadline)
{
    make_waiting(s, 1, 0);
    make_waiting(s, 2, s->now_ms + 500);
    make_waiting(s, 3, s->now_ms + 100);
    CHECK_INT(claim_next(s, "you"), 0, "no run is due");
    s->now_ms = help_run(s, 3)->wake_ms - 1;
    CHECK_INT(claim_next(s, "you"), 0, "one millisecond too early");
    s->now_ms++;
    CHECK_INT(claim_next(s, "you"), 3, "the first deadline");
    CHECK_INT(claim_next(s, "you"), 0, "the other deadline is later");
    s->now_ms += 1000;
    make(s, 4, "");
    CHECK_INT(claim_with(s, (haft__store_request){.run.owner = HAFT__LIT("you"), .quick = true}), 2,
              "the run was due before the other was created");
    CHECK_INT(claim_with(s, (haft__store_request){.run.owner = HAFT__LIT("you"), .quick = true}), 4,
              "the run was created since");
}

/* Clocks differ: a deadline has passed if either clock says so. A lease depends only on the clock
 * of the store. */
STORE_TEST(a_deadline_also_passes_by_the_clock_of_the_claimer)
{
    make_waiting(s, 1, s->now_ms + 500);
    make(s, 2, "me");
    uint64_t wake = help_run(s, 1)->wake_ms;
    haft__store_request early = {.run.owner = HAFT__LIT("you"), .now_ms = wake - 1};
    haft__store_request late = {.run.owner = HAFT__LIT("you"), .now_ms = wake + 1000000};
    CHECK_INT(claim_with(s, early), 0, "the deadline has passed by neither clock");
    CHECK_INT(claim_with(s, late), 1, "the deadline has passed by the claimer's clock");
    CHECK_INT(claim_with(s, late), 0, "the lease has not expired by the store's clock");
}

STORE_TEST(a_waiting_run_is_claimed_when_a_command_arrives)
{
    make_waiting(s, 1, 0);
    make_waiting(s, 2, 0);
    make(s, 3, "me");
    pause_run(s, 3, 1, 0);
    CHECK_INT(help_send(s, 2, "yes"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_send(s, 2, "no"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_send(s, 3, "yes"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(claim_next(s, "you"), 2, "a run with messages");
    CHECK_INT(claim_next(s, "you"), 0, "the other run has an owner, which gets the message");
    release(s, 2, 2);
    CHECK_INT(claim_next(s, "you"), 2, "the messages are still pending");
    release(s, 3, 1);
    CHECK_INT(claim_next(s, "you"), 3, "a run that was released before its message was received");
}

STORE_TEST(an_orphaned_run_is_claimed_before_all_others)
{
    make(s, 1, "");
    make(s, 2, "me");
    make(s, 3, "him");
    pause_run(s, 3, 1, 0);
    haft__store_request renew = {
        .verb = HAFT__STORE_RENEW, .run.owner = HAFT__LIT("me"), .lease_ms = HELP_LEASE};
    s->now_ms += HELP_LEASE - 10;
    CHECK_INT(help_do(s, &renew), HAFT_OK, "%s", s->error.message);
    s->now_ms += 100;
    CHECK_INT(claim_next(s, "him"), 1, "its own run is not orphaned");
    CHECK_INT(claim_next(s, "you"), 3, "a waiting run with an expired lease");
    CHECK_INT(claim_next(s, "you"), 0, "the lease of the other run was renewed");
    s->now_ms = help_run(s, 2)->lease_ms - 1;
    CHECK_INT(claim_with(s, (haft__store_request){.run.owner = HAFT__LIT("you"), .quick = true}), 0,
              "a quick claim does not look for expired leases");
    CHECK(claim_next(s, "you") != 2, "a millisecond too early");
    s->now_ms++;
    CHECK_INT(claim_next(s, "them"), 2, "the lease has expired");
    CHECK_INT(help_append(s, 2, 1, 1, "2"), HAFT_BAD_STATE, "the former owner is rejected");
}

/* The name of a process of this machine that does not exist: no PID is as large. */
static haft_str dead_owner(void)
{
    char own[128] = "", *name = test_alloc(128);
    CHECK_INT(haft__owner_make(own, sizeof(own), NULL), HAFT_OK, "make the name of this process");
    haft_str rest = haft__str(own);
    haft_str boot = haft__str_split(&rest, '/');
    (void)snprintf(name, 128, "%.*s/4194304/1/0", HAFT__ARG(boot));
    return haft__str(name);
}

/* Runs whose owner has forgotten them. */
STORE_TEST(a_process_reclaims_its_own_orphaned_runs)
{
    haft_str known = help_id(1);
    haft__store_request look = {
        .run.owner = HAFT__LIT("me"), .reclaim_own = true, .skip = &known, .skip_count = 1};
    make(s, 1, "me");
    make(s, 2, "me");
    make(s, 3, "you");
    make(s, 4, "");
    CHECK_INT(claim_with(s, (haft__store_request){.run.owner = HAFT__LIT("me"), .quick = true}), 4,
              "a quick claim skips its own runs");
    CHECK_INT(help_end(s, 4, 2, 1, ""), HAFT_OK, "%s", s->error.message);
    CHECK_INT(claim_next(s, "me"), 0, "a claim skips its own runs");
    CHECK_INT(claim_with(s, look), 2, "its own run that it does not know");
    CHECK_INT(help_run(s, 2)->epoch, 2, "a new epoch");
    CHECK_INT(help_run(s, 1)->epoch, 1, "the known run keeps its epoch");
    haft_str both[] = {help_id(1), help_id(2)};
    look.skip = both;
    look.skip_count = 2;
    CHECK_INT(claim_with(s, look), 0, "a run of another process is not reclaimed");
    s->now_ms += 2 * (uint64_t)HELP_LEASE;
    CHECK_INT(claim_with(s, look), 3, "a run of another process with an expired lease");
}

STORE_TEST(runs_of_a_dead_process_are_claimed_at_once)
{
    char own[128] = "";
    CHECK_INT(haft__owner_make(own, sizeof(own), NULL), HAFT_OK, "make the name of this process");
    haft_str dead = dead_owner();
    make(s, 1, own);
    make(s, 2, dead.ptr);
    make(s, 3, dead.ptr);
    CHECK_INT(claim_next(s, "you"), 2, "a run of the dead process, before its lease expires");
    CHECK_INT(claim_next(s, "you"), 3, "the other run of the dead process");
    CHECK_INT(claim_next(s, "you"), 0, "the owner of the last run is alive");
}

STORE_TEST(runs_of_a_thread_are_claimed_one_after_the_other)
{
    for (uint64_t n = 1; n <= 3; n++) {
        CHECK_INT(help_create_in(s, 10 - n, "talk", n == 1 ? "me" : ""), HAFT_OK, "%s",
                  s->error.message);
        s->now_ms++;
    }
    make(s, 20, "");
    CHECK_INT(claim_next(s, "you"), 20, "a run of another thread");
    CHECK_INT(claim_next(s, "you"), 0, "the first run of the thread has an owner");
    CHECK_INT(help_end(s, 9, 1, 1, "good"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(claim_next(s, "you"), 8, "the second run, by the order of creation");
    CHECK_INT(claim_next(s, "you"), 0, "only one at a time");
    pause_run(s, 8, 2, 0);
    release(s, 8, 2);
    CHECK_INT(claim_next(s, "you"), 0, "a waiting run blocks its thread");
    CHECK_INT(help_send(s, 8, "yes"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(claim_next(s, "you"), 8, "the waiting run after its message");
    CHECK_INT(help_end(s, 8, 3, 2, "good"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(claim_next(s, "you"), 7, "the last run of the thread");
}

STORE_TEST(skipped_ids_are_not_claimed)
{
    haft_str skip[] = {help_id(1), help_id(3), help_id(4), help_id(5)};
    haft__store_request request = {
        .run.owner = HAFT__LIT("you"), .skip = skip, .skip_count = COUNT(skip)};
    make(s, 1, "");
    make(s, 2, "");
    make(s, 3, "me");
    make_waiting(s, 4, s->now_ms);
    make_waiting(s, 5, 0);
    CHECK_INT(help_send(s, 5, "yes"), HAFT_OK, "%s", s->error.message);
    s->now_ms += HELP_LEASE;
    CHECK_INT(claim_with(s, request), 2, "the only run that is not skipped");
    CHECK_INT(claim_with(s, request), 0, "all other runs are skipped");
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += claim_next(s, "you");
    }
    CHECK_INT(sum, 1 + 3 + 4 + 5, "the skipped runs can be claimed");
}

/* A run whose move to another store was interrupted has no living owner. */
STORE_TEST(a_run_that_is_being_moved_is_not_claimed_before_its_long_lease_expires)
{
    haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                  .run = {.id = help_id(1), .owner = HAFT__LIT("haft migrate")},
                                  .lease_ms = HAFT__LIMIT_MIGRATE_LEASE_MS};
    CHECK_INT(help_do(s, &create), HAFT_OK, "%s", s->error.message);
    haft__store_request request = {.verb = HAFT__STORE_CLAIM_NEXT, .run.owner = HAFT__LIT("you")};
    s->now_ms += HAFT__LIMIT_MIGRATE_LEASE_MS - 1;
    CHECK_INT(help_do(s, &request), HAFT_NOT_FOUND, "before the lease expires");
    s->now_ms++;
    CHECK_INT(help_do(s, &request), HAFT_OK, "after the lease has expired: %s", s->error.message);
}

/* Two owners never claim the same run, even with other requests in between. */
STORE_TEST(each_run_is_claimed_once)
{
    enum { MANY = 60 };
    bool taken[MANY + 1] = {false};
    for (uint64_t n = 1; n <= MANY; n++) {
        make(s, n, "");
    }
    for (uint64_t i = 1; i <= MANY; i++) {
        uint64_t n = claim_next(s, i % 2 == 0 ? "you" : "me");
        CHECK(n > 0 && n <= MANY && !taken[n], "run %d", (int)n);
        taken[n] = true;
    }
    CHECK_INT(claim_next(s, "you"), 0, "all runs are claimed");
}

/* ---- the cost of a claim ---- */

static int steps_of(help_store *s)
{
    haft__sqlite_connection *connection = &help_sqlite(s)->writer.connection;
    int steps = 0;
    for (size_t i = 0; i < HAFT__SQLITE_STMT_COUNT; i++) {
        if (connection->statements[i] != NULL) {
            steps += sqlite3_stmt_status(connection->statements[i], SQLITE_STMTSTATUS_VM_STEP, 1);
        }
    }
    return steps;
}

/* The steps of a claim next to `many` runs that have ended, wait for people, wait for a deadline,
 * or have ended in the thread of the claimed run. */
static int cost(uint64_t many, uint64_t *ret_nothing)
{
    help_store s;
    help_store_open(&s, "sqlite");
    for (uint64_t n = 10; n < 10 + many; n++) {
        make(&s, n, "me");
        CHECK_INT(help_end(&s, n, 1, 1, "good"), HAFT_OK, "%s", s.error.message);
        make_waiting(&s, n + 10000, 0);
        make_waiting(&s, n + 20000, UINT32_MAX);
        CHECK_INT(help_create_in(&s, n + 30000, "talk", "me"), HAFT_OK, "%s", s.error.message);
        CHECK_INT(help_end(&s, n + 30000, 1, 1, "good"), HAFT_OK, "%s", s.error.message);
    }
    (void)steps_of(&s);
    CHECK_INT(claim_next(&s, "you"), 0, "no run can be claimed");
    *ret_nothing = (uint64_t)steps_of(&s);
    CHECK_INT(help_create_in(&s, 1, "talk", ""), HAFT_OK, "%s", s.error.message);
    (void)steps_of(&s);
    CHECK_INT(claim_next(&s, "you"), 1, "one run can be claimed");
    int steps = steps_of(&s);
    help_store_close(&s);
    return steps;
}

TEST(ended_and_waiting_runs_do_not_slow_a_claim)
{
    uint64_t nothing[3] = {0};
    int steps[3] = {cost(20, &nothing[0]), cost(40, &nothing[1]), cost(80, &nothing[2])};
    (void)printf("# steps of a take: %d, %d, %d; of one that finds nothing: %d, %d, %d\n", steps[0],
                 steps[1], steps[2], (int)nothing[0], (int)nothing[1], (int)nothing[2]);
    CHECK_INT(steps[1], steps[0], "steps with 2n runs");
    CHECK_INT(steps[2], steps[0], "steps with 4n runs");
    CHECK_INT(nothing[1], nothing[0], "steps with 2n runs, none claimed");
    CHECK_INT(nothing[2], nothing[0], "steps with 4n runs, none claimed");
}
