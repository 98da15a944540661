/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL: connections that are lost at every point of a transaction. */
#include "io/clock.h"
#include "store/postgres/proxy_help.h"

/* The text that is sent together with the commit; COMMIT alone also occurs in other messages. */
#define COMMITTING "UPDATE haft.runs SET seq"

/* Opens a store behind a proxy, with `count` runs; false without a server. */
static bool begin(help_proxy *proxy, help_store *s, uint64_t runs)
{
    if (!help_proxy_start(proxy)) {
        return false;
    }
    help_proxy_open(proxy, s);
    for (uint64_t n = 1; n <= runs; n++) {
        CHECK_INT(help_create(s, n), HAFT_OK, "%s", s->error.message);
    }
    return true;
}

static void end(help_proxy *proxy, help_store *s)
{
    help_store_close(s);
    help_proxy_stop(proxy);
}

static void check_unknown(const help_store *s, haft_status status)
{
    CHECK_INT(status, HAFT_IO, "%s", s->error.message);
    CHECK(strstr(s->error.message, "read the run again to see whether it succeeded") != NULL, "%s",
          s->error.message);
}

/* Either the commit arrives and its result is lost, or the commit itself is lost: the store
 * cannot distinguish them. */
TEST(the_outcome_of_an_interrupted_commit_is_unknown)
{
    static const struct {
        help_cut fault;
        const char *events;
        haft_status again;
    } cases[] = {
        {HELP_CUT_AFTER, "1\n2\n", HAFT_BAD_STATE},
        {HELP_CUT_BEFORE, "1\n", HAFT_OK},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_proxy proxy;
        help_store s;
        if (!begin(&proxy, &s, 1)) {
            return;
        }
        help_proxy_expect(&proxy, cases[i].fault, COMMITTING);
        check_unknown(&s, help_append(&s, 1, 1, 1, "2"));
        CHECK_INT(proxy.happened, 1, "case %zu: the connection was not cut", i);
        CHECK_STR(help_read(&s, 1), haft__str(cases[i].events), "case %zu: events", i);
        CHECK_INT(help_append(&s, 1, 1, 1, "2"), cases[i].again, "case %zu: the same append again",
                  i);
        CHECK_INT(help_append(&s, 1, 1, 2, "3"), HAFT_OK, "case %zu: %s", i, s.error.message);
        end(&proxy, &s);
    }
}

/* Before the commit nothing can be stored: the request is retried, and its caller does not
 * notice. */
TEST(a_request_that_was_not_committed_is_retried)
{
    static const struct {
        help_cut fault;
        const char *words;
    } cases[] = {
        {HELP_CUT_BEFORE, "FOR UPDATE"},
        {HELP_CUT_AFTER, "FOR UPDATE"},
        {HELP_CUT_BEFORE, "BEGIN"},
    };
    help_proxy proxy;
    help_store s;
    if (!begin(&proxy, &s, 1)) {
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_proxy_expect(&proxy, cases[i].fault, cases[i].words);
        CHECK_INT(help_append(&s, 1, 1, 1 + i, "x"), HAFT_OK, "case %zu: %s", i, s.error.message);
        CHECK_INT(proxy.happened, 1 + (int)i, "case %zu: the connection was not cut", i);
    }
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\nx\nx\nx\n"), "each event is stored once");
    help_proxy_expect(&proxy, HELP_CUT_AFTER, "REPEATABLE READ");
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\nx\nx\nx\n"), "an interrupted read is retried");
    end(&proxy, &s);
}

TEST(a_connection_lost_between_requests_is_reopened)
{
    help_proxy proxy;
    help_store s;
    if (!begin(&proxy, &s, 1)) {
        return;
    }
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n"), "events");
    (void)help_pg_sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                      "datname = current_database() AND pid <> pg_backend_pid()");
    CHECK_INT(haft__loop_step(s.loop, 100, NULL), HAFT_OK, "the loop cannot step");
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_OK, "%s", s.error.message);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n2\n"), "events");
    CHECK(proxy.accepted >= 4, "there were %d connections", proxy.accepted);
    end(&proxy, &s);
}

static void make_refuse(help_proxy *proxy, bool refuse)
{
    proxy->refuse = refuse;
    help_proxy_expect(proxy, HELP_PASS, "");
}

/* No request waits forever, and the store recovers when the server does. */
TEST(an_unreachable_server_is_reported_in_time)
{
    help_proxy proxy;
    help_store s;
    if (!begin(&proxy, &s, 1)) {
        return;
    }
    help_pg(&s)->request_ms = 1000;
    make_refuse(&proxy, true);
    uint64_t before = haft__clock_now();
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_IO, "the append succeeded");
    CHECK(strstr(s.error.message, "the database cannot be reached") != NULL, "%s", s.error.message);
    CHECK_INT(help_read(&s, 1).ptr != NULL, false, "the read succeeded");
    CHECK(haft__clock_now() - before >= 1000, "the request failed before its timeout");
    make_refuse(&proxy, false);
    help_pg(&s)->request_ms = HELP_PROXY_MS;
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_OK, "%s", s.error.message);
    make_refuse(&proxy, true);
    help_store_shut(&s); /* closing does not wait for the server either */
    make_refuse(&proxy, false);
    help_store_reopen(&s);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n2\n"), "events");
    end(&proxy, &s);
}

/* Appends to a server that falls silent at these words. On a slow machine the request may time out
 * before they are sent; then it gets more time. */
static haft_status append_into_silence(help_proxy *proxy, help_store *s, const char *words)
{
    haft_status status = HAFT_OK;
    int before = proxy->happened;
    for (uint64_t ms = 200; ms < HELP_PROXY_MS && proxy->happened == before; ms *= 2) {
        help_pg(s)->request_ms = ms;
        help_proxy_expect(proxy, HELP_SILENCE, words);
        status = help_append(s, 1, 1, 1, "2");
    }
    help_pg(s)->request_ms = HELP_PROXY_MS;
    return status;
}

TEST(a_silent_server_is_abandoned)
{
    static const struct {
        const char *words;
        bool unknown;
    } cases[] = {{"FOR UPDATE", false}, {COMMITTING, true}};
    help_proxy proxy;
    help_store s;
    if (!begin(&proxy, &s, 1)) {
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(append_into_silence(&proxy, &s, cases[i].words), HAFT_IO, "case %zu", i);
        bool unknown = strstr(s.error.message, "during a commit") != NULL;
        CHECK_INT(unknown, cases[i].unknown, "case %zu: %s", i, s.error.message);
    }
    /* The event was stored, unless the server timed out as well. */
    CHECK(help_run(&s, 1)->seq <= 2, "the event was stored twice");
    end(&proxy, &s);
}

/* Connecting does not wait forever for a server that accepts and stays silent. */
TEST(connecting_obeys_the_timeout_of_the_url)
{
    help_proxy proxy;
    haft__loop *loop = NULL;
    haft__store *store = NULL;
    haft_error err = {0};
    if (!help_proxy_start(&proxy)) {
        return;
    }
    (void)snprintf(proxy.url + strlen(proxy.url), sizeof(proxy.url) - strlen(proxy.url),
                   "&connect_timeout=1");
    help_proxy_expect(&proxy, HELP_SILENCE, "haft");
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(haft__store_open(loop, proxy.url, &store, &err), HAFT_IO, "opening succeeded");
    CHECK(strstr(err.message, "did not answer within 1000 ms") != NULL, "%s", err.message);
    haft__loop_destroy(loop);
    help_proxy_stop(&proxy);
}

/* The transaction is interrupted repeatedly; the number of retries is bounded. */
TEST(a_request_is_retried_a_limited_number_of_times)
{
    help_proxy proxy;
    help_store s;
    if (!begin(&proxy, &s, 1)) {
        return;
    }
    for (int max = HAFT__LIMIT_STORE_PG_TRIES; max <= HAFT__LIMIT_STORE_PG_TRIES + 1; max++) {
        proxy.happened = 0;
        proxy.repeat = max - 1;
        help_proxy_expect(&proxy, HELP_CUT_BEFORE, "FOR UPDATE");
        haft_status status = help_append(&s, 1, 1, 1, "x");
        bool kept = max <= HAFT__LIMIT_STORE_PG_TRIES;
        CHECK_INT(status, kept ? HAFT_OK : HAFT_IO, "status after %d cuts: %s", max,
                  s.error.message);
        CHECK_INT(proxy.happened, max, "number of cuts");
        help_proxy_expect(&proxy, HELP_PASS, "");
        if (kept) {
            CHECK_INT(help_end(&s, 1, 1, 2, ""), HAFT_OK, "%s", s.error.message);
            haft__store_request remove = {.verb = HAFT__STORE_REMOVE, .run.id = help_id(1)};
            CHECK_INT(help_do(&s, &remove), HAFT_OK, "%s", s.error.message);
            CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
        }
    }
    end(&proxy, &s);
}

/* The store can check whether a run was claimed: no run is left with an owner that does not know
 * of it. */
TEST(a_run_is_claimed_once_even_if_the_commit_is_interrupted)
{
    static const help_cut cases[] = {HELP_CUT_BEFORE, HELP_CUT_AFTER, HELP_CUT_UNSEEN,
                                     HELP_CUT_LATE};
    help_proxy proxy;
    help_store s;
    if (!begin(&proxy, &s, 0)) {
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__store_request take = {
            .verb = HAFT__STORE_CLAIM_NEXT, .run.owner = HAFT__LIT("me"), .lease_ms = HELP_LEASE};
        CHECK_INT(help_create_in(&s, i + 1, "", ""), HAFT_OK, "%s", s.error.message);
        help_proxy_expect_last(&proxy, cases[i], HAFT__PG_COMMIT);
        CHECK_INT(help_do(&s, &take), HAFT_OK, "case %zu: %s", i, s.error.message);
        CHECK_INT(proxy.happened, i + 1, "the connection was not cut");
        CHECK_INT(take.found_count, 1, "case %zu: no run was claimed", i);
        CHECK_STR(take.found_count > 0 ? take.found[0].id : HAFT__LIT(""), help_id(i + 1),
                  "case %zu", i);
        CHECK_INT(help_run(&s, i + 1)->epoch, 2, "case %zu: the run is claimed once", i);
    }
    end(&proxy, &s);
}

/* The store can also check whether a run was created: the request has chosen its id. */
TEST(a_run_is_created_once_even_if_the_commit_is_interrupted)
{
    static const help_cut cases[] = {HELP_CUT_BEFORE, HELP_CUT_AFTER};
    help_proxy proxy;
    help_store s;
    if (!begin(&proxy, &s, 0)) {
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_proxy_expect_last(&proxy, cases[i], HAFT__PG_COMMIT);
        CHECK_INT(help_create(&s, i + 1), HAFT_OK, "case %zu: %s", i, s.error.message);
        CHECK_INT(proxy.happened, i + 1, "the connection was not cut");
        CHECK_STR(help_read(&s, i + 1), HAFT__LIT("1\n"), "case %zu", i);
        CHECK_INT(help_append(&s, i + 1, 1, 1, "2"), HAFT_OK, "case %zu: %s", i, s.error.message);
        CHECK_INT(help_create(&s, i + 1), HAFT_BAD_STATE, "case %zu: the same run again", i);
    }
    proxy.repeat = HAFT__LIMIT_STORE_PG_TRIES;
    help_proxy_expect_last(&proxy, HELP_CUT_BEFORE, HAFT__PG_COMMIT);
    CHECK_INT(help_create(&s, 3), HAFT_IO, "the creation succeeded");
    CHECK(strstr(s.error.message, help_id(3).ptr) != NULL, "%s", s.error.message);
    end(&proxy, &s);
}

static haft__store_request creation(haft_str id, const haft_str *line, bool alone,
                                    const char *owner)
{
    return (haft__store_request){
        .verb = HAFT__STORE_CREATE,
        .run = {.id = id, .thread = HAFT__LIT("t"), .owner = haft__str(owner)},
        .lines = line,
        .line_count = 1,
        .alone = alone,
        .lease_ms = HELP_LEASE};
}

/* The commit succeeds while the retry already waits for the lock of the thread: the run that the
 * retry finds there is its own. */
TEST(an_exclusive_run_is_not_rejected_because_of_itself)
{
    help_proxy proxy;
    help_store s;
    haft_str line = HAFT__LIT("1");
    if (!begin(&proxy, &s, 0)) {
        return;
    }
    haft__store_request create = creation(help_id(1), &line, true, "me");
    help_proxy_expect_last(&proxy, HELP_CUT_LATE, HAFT__PG_COMMIT);
    CHECK_INT(help_do(&s, &create), HAFT_OK, "%s", s.error.message);
    CHECK_INT(proxy.happened, 1, "the connection was not cut");
    CHECK_INT(create.found_count, 1, "the created run is returned");
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n"), "the event is stored once");
    haft__store_request other = creation(help_id(2), &line, true, "me");
    CHECK_INT(help_do(&s, &other), HAFT_BAD_STATE, "a second exclusive run is rejected");
    end(&proxy, &s);
}

static void note_end(haft__store_request *request)
{
    *(bool *)request->context = true;
}

/* Submits the request and steps until its commit is cut off. */
static void submit_and_cut(help_proxy *proxy, help_store *s, haft__store_request *request)
{
    int before = proxy->happened;
    help_proxy_expect_last(proxy, HELP_CUT_BEFORE, HAFT__PG_COMMIT);
    haft__store_submit(s->store, request);
    for (int i = 0; i < 300000 && proxy->happened == before; i++) {
        CHECK_INT(haft__loop_step(s->loop, 1, NULL), HAFT_OK, "the loop cannot step");
    }
    CHECK_INT(proxy->happened, before + 1, "the connection was not cut");
}

/* After an interrupted commit another session holds the lock of the thread, as the interrupted
 * transaction may do while it waits for its standby. The error must not claim that nothing
 * was changed. */
TEST(an_unknown_creation_is_not_reported_as_a_lock)
{
    help_proxy proxy;
    help_store s;
    help_session other;
    haft_str line = HAFT__LIT("1");
    if (!begin(&proxy, &s, 0)) {
        return;
    }
    help_session_open(&other);
    for (uint64_t n = 1; n <= 2; n++) {
        bool over = false, unlocks = n == 1;
        haft__store_request create = creation(help_id(n), &line, false, "me");
        create.done = note_end;
        create.context = &over;
        help_pg(&s)->request_ms = unlocks ? 30000 : 4 * HAFT__LIMIT_STORE_BUSY_MS / 3;
        submit_and_cut(&proxy, &s, &create);
        help_session_do(&other, "BEGIN");
        help_session_do(&other, "SELECT pg_advisory_xact_lock(" HAFT__PG_THREAD("'t'") ")");
        uint64_t before = haft__clock_now(), locked_ms = HAFT__LIMIT_STORE_BUSY_MS + 200;
        while (!over) {
            if (unlocks && haft__clock_now() - before > locked_ms) {
                unlocks = false;
                help_session_do(&other, "COMMIT");
            }
            CHECK_INT(haft__loop_step(s.loop, 100, NULL), HAFT_OK, "the loop cannot step");
        }
        CHECK_INT(create.status, n == 1 ? HAFT_OK : HAFT_IO, "%s", create.error.message);
        if (n == 2) {
            CHECK(strstr(create.error.message, "check whether the run") != NULL
                      && strstr(create.error.message, help_id(2).ptr) != NULL,
                  "%s", create.error.message);
            help_session_do(&other, "ROLLBACK");
        }
    }
    help_session_close(&other);
    end(&proxy, &s);
}
