/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "base/limits.h"
#include "base/str.h"
#include "engine/run.h"
#include "faulty_help.h"

#define TOOL(words, traits)                                                                        \
    "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"            \
    "\"command\":" words ",\"traits\":{" traits "}}]"
#define SLOW   TOOL("[\"sleep\",\"300\"]", "")
#define SCRIPT "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"good\"}]}"
#define LEASE  30000

static void step(help_host *h, int ms)
{
    CHECK_INT(haft_runtime_step(h->runtime, ms, &h->err), HAFT_OK, "%s", h->err.message);
}

/* A run whose call is running. */
static haft_run *begin(help_host *h, const char *members)
{
    haft_run *run = help_host_start(h, members, SCRIPT, "go");
    while (haft_run_state(run) == HAFT_RUNNING
           && (run->slots == NULL || haft__log_is_busy(&run->log))) {
        step(h, 1000);
    }
    return run;
}

/* The same on its own host, with leases of `lease_ms`. */
static haft_run *begin_host(help_host *h, uint64_t lease_ms, const char *members)
{
    help_faulty_init(h, lease_ms);
    return begin(h, members);
}

static void end_host(help_host *h, haft_run *run)
{
    haft_run_release(run);
    help_faulty_finish(h);
}

static void check_stopped(const haft_run *run, haft_status status, const char *says)
{
    CHECK_INT(haft_run_state(run), HAFT_STOPPED, "state");
    CHECK_INT(haft_run_error(run)->status, status, "%s", haft_run_error(run)->message);
    CHECK(strstr(haft_run_error(run)->message, says) != NULL, "%s", haft_run_error(run)->message);
    CHECK(run->slots == NULL, "its call still runs");
}

/* ---- the local clock ---- */

TEST(a_run_stops_before_its_lease_expires)
{
    static const struct {
        int64_t ms;
        bool expired;
    } rows[] = {{LEASE - LEASE / 10 - 2000, false}, {LEASE - LEASE / 10, true}, {LEASE, true}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        help_host h;
        haft_run *run = begin_host(&h, LEASE, SLOW);
        help_faulty_set(HELP_DOWN);
        help_faulty_wait(rows[i].ms);
        haft__run_advance(run); /* as after any event */
        CHECK_INT(haft_run_state(run) == HAFT_STOPPED, rows[i].expired, "after %lld ms",
                  (long long)rows[i].ms);
        if (rows[i].expired) {
            check_stopped(run, HAFT_BAD_STATE, "the lease of the run has expired");
        }
        end_host(&h, run);
    }
}

TEST(the_end_of_a_lease_is_noticed_when_nothing_else_happens)
{
    help_host h;
    haft_run *run = begin_host(&h, HAFT__LIMIT_RUN_LEASE_MIN_MS, SLOW);
    help_faulty_set(HELP_DOWN);
    help_faulty_step(&h, run, 5000);
    check_stopped(run, HAFT_BAD_STATE, "this process did not renew it");
    end_host(&h, run);
}

TEST(a_lease_that_is_renewed_does_not_end)
{
    help_host h;
    haft_run *run = begin_host(&h, HAFT__LIMIT_RUN_LEASE_MIN_MS, TOOL("[\"sleep\",\"2\"]", ""));
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "%s", haft_run_error(run)->message);
    unsigned renewals = help_faulty_count(HAFT__STORE_RENEW);
    CHECK(renewals >= 3, "%u renewals in two leases", renewals);
    end_host(&h, run);
}

TEST(a_run_that_has_ended_has_no_lease_to_lose)
{
    help_host h;
    help_faulty_init(&h, LEASE);
    haft_run *run = help_host_start(&h, "", "{\"replies\":[{\"text\":\"good\"}]}", "go");
    help_host_settle(&h, run);
    help_faulty_wait(10 * LEASE);
    CHECK_INT(haft_run_answer(run, "c1.1", "1", &h.err), HAFT_NOT_FOUND, "%s", h.err.message);
    CHECK_INT(haft_run_state(run), HAFT_ENDED, "state");
    end_host(&h, run);
}

/* ---- waking up ---- */

TEST(the_result_of_a_call_is_not_recorded_after_the_lease)
{
    static const char *const traits[] = {"", "\"read_only\":true",
                                         "\"read_only\":true,\"cache\":\"thread\""};
    for (size_t i = 0; i < COUNT(traits); i++) {
        char members[512];
        (void)snprintf(members, sizeof(members), TOOL("[\"echo\",\"late\"]", "%s"), traits[i]);
        help_host h;
        haft_run *run = begin_host(&h, LEASE, members);
        size_t at = run->state.seq;
        help_faulty_wait(LEASE);
        help_faulty_step(&h, run, 10000);
        check_stopped(run, HAFT_BAD_STATE, "the lease of the run has expired");
        CHECK_INT(run->state.seq, at, "its result was recorded");
        CHECK_INT(help_faulty_count(HAFT__STORE_CACHE_PUT), 0, "its result was cached");
        end_host(&h, run);
    }
}

/* Replies of the model and lists of servers are recorded by this function. */
TEST(nothing_is_logged_after_the_lease)
{
    help_host h;
    haft_run *run = begin_host(&h, LEASE, SLOW);
    size_t at = run->state.seq;
    help_faulty_wait(LEASE);
    haft__run_record_input(run, HAFT__LIT("\"kind\":\"cancel_asked\",\"by\":\"x\",\"why\":\"\"}"));
    check_stopped(run, HAFT_BAD_STATE, "the lease of the run has expired");
    CHECK_INT(run->state.seq, at, "an event was recorded");
    end_host(&h, run);
}

TEST(nothing_starts_after_the_lease)
{
    char mark[] = "/tmp/haft-lease-XXXXXX", members[512];
    CHECK(mkdtemp(mark) != NULL, "no directory");
    CHECK_INT(rmdir(mark), 0, "the directory cannot be removed");
    (void)snprintf(members, sizeof(members), TOOL("[\"mkdir\",\"%s\"]", ""), mark);
    help_host h;
    help_faulty_init(&h, LEASE);
    haft_run *run = help_host_start(
        &h, members, "{\"replies\":[{\"calls\":[{\"name\":\"look\"}],\"delay\":0.1}]}", "go");
    while (haft_run_state(run) == HAFT_RUNNING
           && (run->model_call == NULL || haft__log_is_busy(&run->log))) {
        step(&h, 1000);
    }
    help_faulty_set(HELP_STOPPED); /* with the write of call_started */
    help_faulty_step(&h, run, 10000);
    check_stopped(run, HAFT_BAD_STATE, "the lease of the run has expired");
    CHECK(rmdir(mark) != 0, "the call ran");
    end_host(&h, run);
}

TEST(an_answer_after_the_lease_is_rejected)
{
    help_host h;
    help_faulty_init(&h, LEASE);
    haft_run *run = help_host_start(&h,
                                    "\"tools\":[{\"name\":\"look\",\"description\":\"Look.\","
                                    "\"args\":[],\"headless\":true}]",
                                    SCRIPT, "go");
    help_host_settle(&h, run);
    help_faulty_wait(LEASE);
    CHECK_INT(haft_run_answer(run, "c1.1", "1", &h.err), HAFT_BAD_STATE, "%s", h.err.message);
    check_stopped(run, HAFT_BAD_STATE, "the lease of the run has expired");
    end_host(&h, run);
}

/* ---- owners ---- */

TEST(a_run_that_stopped_has_no_owner)
{
    help_host h;
    haft_run *run = begin_host(&h, LEASE, SLOW);
    help_faulty_wait(LEASE);
    help_faulty_step(&h, run, 10000);
    check_stopped(run, HAFT_BAD_STATE, "has expired");
    while (run->query.pending) {
        step(&h, 1000);
    }
    CHECK_STR(help_faulty_find(&h, run).owner, HAFT__LIT(""), "the owner");
    end_host(&h, run);
}

TEST(a_release_that_failed_is_repeated_later)
{
    for (int released = 0; released < 2; released++) {
        help_host h;
        help_faulty_init(&h, HAFT__LIMIT_RUN_LEASE_MIN_MS);
        haft_run *run = begin(&h, SLOW), *other = begin(&h, SLOW);
        char id[HAFT__ID_LENGTH + 1];
        memcpy(id, run->id, sizeof(id));
        help_faulty_set(HELP_DOWN);
        haft_error stop = {.status = HAFT_BAD_STATE};
        haft__run_fail(run, &stop);
        if (released) {
            haft_run_release(run);
        }
        for (int i = 0; i < 5; i++) {
            step(&h, 20);
        }
        uint64_t start = haft__loop_now(h.runtime->loop);
        while (h.runtime->leases.failures == 0 && haft__loop_now(h.runtime->loop) - start < 5000) {
            step(&h, 20);
        }
        CHECK_INT(h.runtime->leases.expected, 2, "the leases that the store still has");
        help_faulty_set(HELP_FINE);
        start = haft__loop_now(h.runtime->loop);
        haft_str owner = HAFT__LIT("?");
        while (owner.len > 0 && haft__loop_now(h.runtime->loop) - start < 5000) {
            haft_run named = {.runtime = h.runtime};
            memcpy(named.id, id, sizeof(id));
            step(&h, 20);
            owner = help_faulty_find(&h, &named).owner;
        }
        CHECK_STR(owner, HAFT__LIT(""), "the owner");
        CHECK_INT(haft_run_state(other), HAFT_RUNNING, "%s", haft_run_error(other)->message);
        haft_run_release(other);
        if (!released) {
            haft_run_release(run);
        }
        help_faulty_finish(&h);
    }
}

TEST(the_next_renewal_notices_that_another_process_owns_the_run)
{
    help_host h;
    help_faulty_init(&h, 3 * HAFT__LIMIT_RUN_LEASE_MIN_MS);
    haft_run *lost = begin(&h, SLOW), *kept = begin(&h, SLOW), *also = begin(&h, SLOW);
    help_faulty_take(&h, lost);
    uint64_t start = haft__loop_now(h.runtime->loop);
    while (haft_run_state(lost) == HAFT_RUNNING && haft__loop_now(h.runtime->loop) - start < 2000) {
        step(&h, 20);
    }
    check_stopped(lost, HAFT_BAD_STATE, "another process claimed the run");
    help_faulty_step(&h, kept, 3500); /* the other runs keep their owner */
    CHECK_INT(haft_run_state(kept), HAFT_RUNNING, "%s", haft_run_error(kept)->message);
    CHECK_INT(haft_run_state(also), HAFT_RUNNING, "%s", haft_run_error(also)->message);
    CHECK_STR(help_faulty_find(&h, lost).owner, HAFT__LIT("another"), "the owner");
    haft_run_release(lost);
    haft_run_release(kept);
    haft_run_release(also);
    help_faulty_finish(&h);
}

/* This process still owns a run whose lease could not be renewed: it tries again, and the lease is
 * not extended. */
TEST(a_run_with_a_locked_row_is_renewed_later_or_stops)
{
    help_host h;
    haft_run *run = begin_host(&h, HAFT__LIMIT_RUN_LEASE_MIN_MS, SLOW);
    help_faulty_set(HELP_PASSED);
    while (help_faulty_count(HAFT__STORE_RENEW) < 2) { /* twice within one lease */
        step(&h, 20);
    }
    CHECK_INT(haft_run_state(run), HAFT_RUNNING, "%s", haft_run_error(run)->message);
    help_faulty_set(HELP_FINE);
    help_faulty_step(&h, run, 2 * HAFT__LIMIT_RUN_LEASE_MIN_MS);
    CHECK_INT(haft_run_state(run), HAFT_RUNNING, "%s", haft_run_error(run)->message);
    help_faulty_set(HELP_PASSED);
    help_faulty_step(&h, run, 5000);
    check_stopped(run, HAFT_BAD_STATE, "the lease of the run has expired");
    end_host(&h, run);
}

TEST(a_removed_run_is_lost)
{
    help_host h;
    haft_run *run = begin_host(&h, HAFT__LIMIT_RUN_LEASE_MIN_MS, SLOW);
    haft__store_request release = {
        .verb = HAFT__STORE_RELEASE, .run.id = haft__str(run->id), .run.epoch = run->lease.epoch};
    haft__store_request removal = {.verb = HAFT__STORE_REMOVE, .run.id = haft__str(run->id)};
    CHECK_INT(haft__store_submit_and_wait(h.runtime->store, &release, &h.err), HAFT_OK, "%s",
              h.err.message);
    CHECK_INT(haft__store_submit_and_wait(h.runtime->store, &removal, &h.err), HAFT_OK, "%s",
              h.err.message);
    help_faulty_step(&h, run, 5000);
    check_stopped(run, HAFT_BAD_STATE, "another process claimed the run");
    end_host(&h, run);
}

/* ---- the wall clock ---- */

/* Other processes use the wall clock. If it is set forward, all leases seem to have expired, so
 * they are renewed at once. If it is set back, they last longer for others, and not longer here. */
TEST(setting_the_clock_does_not_end_a_lease)
{
    static const int64_t jumps[] = {3600000, -3600000, 86400000, -86400000};
    for (size_t i = 0; i < COUNT(jumps); i++) {
        help_host h;
        haft_run *run = begin_host(&h, LEASE, SLOW);
        help_faulty_jump(jumps[i]);
        help_faulty_step(&h, run, 3 * HAFT__LIMIT_RUN_LISTEN_MS);
        CHECK_INT(haft_run_state(run), HAFT_RUNNING, "%s", haft_run_error(run)->message);
        CHECK(help_faulty_find(&h, run).lease_ms > haft__runtime_now(h.runtime),
              "clock set by %lld: the lease has expired", (long long)jumps[i]);
        CHECK_INT(help_faulty_count(HAFT__STORE_RENEW), jumps[i] > 0, "clock set by %lld: renewals",
                  (long long)jumps[i]);
        help_faulty_wait(LEASE);
        help_faulty_step(&h, run, 1000);
        check_stopped(run, HAFT_BAD_STATE, "has expired");
        end_host(&h, run);
    }
}

/* ---- durations ---- */

TEST(a_lease_has_a_minimum_and_a_maximum)
{
    static const struct {
        uint64_t given, is;
    } rows[] = {{0, HAFT__LIMIT_RUN_LEASE_MS},
                {HAFT__LIMIT_RUN_LEASE_MIN_MS, HAFT__LIMIT_RUN_LEASE_MIN_MS},
                {HAFT__LIMIT_RUN_LEASE_MIN_MS - 1, 0},
                {HAFT__LIMIT_RUN_LEASE_MAX_MS, HAFT__LIMIT_RUN_LEASE_MAX_MS},
                {HAFT__LIMIT_RUN_LEASE_MAX_MS + 1, 0}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
        haft_runtime *runtime = NULL;
        haft_error err = {0};
        options.lease_ms = rows[i].given;
        CHECK_INT(haft_runtime_create(&options, &runtime, &err),
                  rows[i].is > 0 ? HAFT_OK : HAFT_BAD_INPUT, "%zu: %s", i, err.message);
        CHECK(runtime == NULL || runtime->leases.ms == rows[i].is, "row %zu: the lease", i);
        haft_runtime_destroy(runtime);
    }
}

TEST(the_retry_delay_doubles)
{
    static const struct {
        uint32_t failures;
        uint64_t ms;
    } rows[] = {{0, HAFT__LIMIT_RUN_RETRY_MS},     {1, HAFT__LIMIT_RUN_RETRY_MS},
                {2, 2 * HAFT__LIMIT_RUN_RETRY_MS}, {5, 16 * HAFT__LIMIT_RUN_RETRY_MS},
                {6, HAFT__LIMIT_RUN_RETRY_MAX_MS}, {UINT32_MAX, HAFT__LIMIT_RUN_RETRY_MAX_MS}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_INT(haft__run_backoff_ms(rows[i].failures), rows[i].ms, "%u failures",
                  rows[i].failures);
    }
}
