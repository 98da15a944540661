/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL: one statement for the rows of many requests. */
#include "store/postgres/postgres_help.h"

#define MOST 256

/* ---- statements are counted ---- */

static haft__libpq counting;
static __typeof__(PQsendQueryParams) *really_send;
static size_t sent;

static int count_and_send(PGconn *conn, const char *sql, int count, const Oid *types,
                          const char *const *values, const int *lengths, const int *formats,
                          int format)
{
    sent++;
    return really_send(conn, sql, count, types, values, lengths, formats, format);
}

static void count_statements(help_store *s)
{
    haft__pg *pg = help_pg(s);
    counting = *pg->lib;
    really_send = counting.sendQueryParams;
    counting.sendQueryParams = count_and_send;
    pg->lib = &counting;
}

static haft__store_request append_of(uint64_t n, uint64_t seq, const haft_str *lines, size_t count)
{
    return (haft__store_request){.verb = HAFT__STORE_APPEND,
                                 .run = {.id = help_id(n), .epoch = 1, .seq = seq},
                                 .lines = lines,
                                 .line_count = count};
}

static haft__store_request create_of(uint64_t n, const haft_str *lines, size_t count)
{
    return (haft__store_request){.verb = HAFT__STORE_CREATE,
                                 .run = {.id = help_id(n), .owner = HAFT__LIT("me")},
                                 .lines = lines,
                                 .line_count = count,
                                 .lease_ms = HELP_LEASE};
}

/* The number of statements does not depend on the number of equal requests, and there is one
 * commit. */
TEST(many_requests_need_as_many_statements_as_one)
{
    static const size_t counts[] = {1, MOST / 4, MOST / 2, MOST};
    static haft__store_request requests[MOST];
    static const haft_str line = HAFT__LIT("x");
    help_store s;
    if (help_pg_url() == NULL) {
        return;
    }
    for (size_t i = 0; i < COUNT(counts); i++) {
        help_store_open(&s, "postgres");
        count_statements(&s);
        uint64_t commits = help_pg(&s)->commits;
        size_t created, appended;
        sent = 0;
        for (size_t n = 0; n < counts[i]; n++) {
            requests[n] = create_of(n + 1, &line, 1);
        }
        CHECK_INT(help_together(&s, requests, counts[i]), HAFT_OK, "%s", s.error.message);
        created = sent;
        for (size_t n = 0; n < counts[i]; n++) {
            requests[n] = append_of(n + 1, 1, &line, 1);
        }
        CHECK_INT(help_together(&s, requests, counts[i]), HAFT_OK, "%s", s.error.message);
        appended = sent - created;
        sent = 0;
        for (size_t n = 0; n < counts[i]; n++) {
            requests[n] = append_of(n + 1, 2, &line, 1);
            requests[n].run.state = HAFT__RUN_STATE_ENDED;
            requests[n].run.end = HAFT__LIT("done");
        }
        CHECK_INT(help_together(&s, requests, counts[i]), HAFT_OK, "%s", s.error.message);
        printf("# %zu requests: %zu statements to create, %zu to append, %zu to end\n", counts[i],
               created, appended, sent);
        /* Begin, settings, heads; the writes; commit. */
        CHECK_INT(created, 3 + 3 + 1, "statements to create %zu runs", counts[i]);
        CHECK_INT(appended, 3 + 2 + 1, "statements to append to %zu runs", counts[i]);
        CHECK_INT(sent, 3 + 4 + 1, "statements to end %zu runs", counts[i]);
        CHECK_INT(help_pg(&s)->commits - commits, 3, "commits for %zu runs", counts[i]);
        CHECK_STR(help_read(&s, counts[i]), HAFT__LIT("x\nx\nx\n"), "events of the last run");
        help_store_close(&s);
    }
}

/* ---- contents of rows ---- */

/* Requests of one transaction with values, missing and empty values, bytes, and ends. */
TEST(rows_of_one_statement_stay_separate)
{
    static const haft_str first = HAFT__LIT("1"), lines[] = {HAFT__LIT("\"{},\\\""), HAFT__LIT("")};
    static haft__store_request requests[6];
    help_store s;
    if (!help_pg_open(&s)) {
        return;
    }
    for (uint64_t n = 0; n < COUNT(requests); n++) {
        requests[n] = create_of(n + 1, &first, 1);
        requests[n].run.owner = n % 2 == 0 ? HAFT__LIT("me") : HAFT__LIT("");
        requests[n].run.name = n % 3 == 0 ? HAFT__LIT("a {\"name\"}, NULL") : HAFT__LIT("");
        requests[n].run.task = n % 3 == 1 ? (haft_str){"a\0b", 3} : HAFT__LIT("");
    }
    CHECK_INT(help_together(&s, requests, COUNT(requests)), HAFT_OK, "%s", s.error.message);
    CHECK_STR(haft__str(help_pg_sql("SELECT string_agg((due IS NULL)::int::text, '' ORDER BY id) "
                                    "FROM haft.runs")),
              HAFT__LIT("101010"), "runs without an owner are due");
    requests[0] = append_of(1, 1, lines, 2);
    requests[0].lease_ms = 7 * HELP_LEASE;
    requests[1] = (haft__store_request){
        .verb = HAFT__STORE_SEND, .run.id = help_id(2), .text = HAFT__LIT("hello")};
    requests[2] = append_of(3, 1, lines, 1);
    requests[2].run.state = HAFT__RUN_STATE_ENDED;
    requests[2].run.end = HAFT__LIT("done");
    requests[2].run.answer = HAFT__LIT("42");
    requests[3] = (haft__store_request){.verb = HAFT__STORE_REMOVE, .run.id = help_id(4)};
    requests[4] = append_of(5, 1, lines + 1, 1);
    requests[4].run.state = HAFT__RUN_STATE_WAITING;
    requests[4].run.wake_ms = 77;
    requests[5] = create_of(7, lines, 2);
    uint64_t commits = help_pg(&s)->commits;
    CHECK_INT(help_together(&s, requests, COUNT(requests)), HAFT_OK, "%s", s.error.message);
    CHECK_INT(help_pg(&s)->commits - commits, 1, "number of commits");
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\n\"{},\\\"\n\n"), "events of run 1");
    CHECK_INT(help_run(&s, 1)->lease_ms, s.now_ms + 7 * HELP_LEASE, "lease of run 1");
    CHECK_STR(help_run(&s, 1)->name, HAFT__LIT("a {\"name\"}, NULL"), "name of run 1");
    CHECK_STR(help_run(&s, 2)->task, ((haft_str){"a\0b", 3}), "the task of run 2");
    CHECK_STR(help_read(&s, 3), HAFT__LIT("1\n\"{},\\\"\n"), "events of run 3");
    const haft__store_run *ended = help_run(&s, 3);
    CHECK(ended->state == HAFT__RUN_STATE_ENDED && ended->owner.len == 0 && ended->lease_ms == 0,
          "run 3 has ended");
    CHECK_STR(ended->answer, HAFT__LIT("42"), "answer of run 3");
    CHECK_STR(help_run(&s, 1)->answer, HAFT__LIT(""), "answer of run 1");
    CHECK(help_find(&s, help_id(4).ptr) == NULL, "run 4 was not removed");
    CHECK_STR(help_read(&s, 5), HAFT__LIT("1\n\n"), "events of run 5");
    CHECK_INT(help_run(&s, 5)->wake_ms, 77, "deadline of run 5");
    CHECK_STR(help_run(&s, 5)->owner, HAFT__LIT("me"), "owner of run 5");
    CHECK_STR(help_read(&s, 7), HAFT__LIT("\"{},\\\"\n\n"), "events of run 7");
    help_store_close(&s);
}

/* A statement that reaches the limit of bytes is sent, and the next one begins; the transaction
 * stays the same. */
TEST(a_statement_has_a_limit_of_bytes)
{
    static haft__store_request requests[8];
    static const haft_str first = HAFT__LIT("1");
    help_store s;
    if (!help_pg_open(&s)) {
        return;
    }
    for (uint64_t n = 0; n < COUNT(requests); n++) {
        requests[n] = create_of(n + 1, &first, 1);
    }
    CHECK_INT(help_together(&s, requests, COUNT(requests)), HAFT_OK, "%s", s.error.message);
    count_statements(&s);
    /* Compressible or not, a row has at least half of the maximum length. */
    for (size_t half = 1; half <= 2; half++) {
        haft_str line = help_text(half * HAFT__LIMIT_STORE_ROW_BYTES / 2, 'x');
        for (uint64_t n = 0; n < COUNT(requests); n++) {
            requests[n] = append_of(n + 1, half, &line, 1);
        }
        uint64_t commits = help_pg(&s)->commits;
        sent = 0;
        CHECK_INT(help_together(&s, requests, COUNT(requests)), HAFT_OK, "%s", s.error.message);
        CHECK_INT(help_pg(&s)->commits - commits, 1, "number of commits");
        CHECK_INT(sent, 3 + COUNT(requests) * half / 2 + 1 + 1, "statements for rows of %zu halves",
                  half);
    }
    for (uint64_t n = 1; n <= COUNT(requests); n++) {
        CHECK_INT(help_read(&s, n).len, 2 + 3 * HAFT__LIMIT_STORE_ROW_BYTES / 2 + 2, "run %llu",
                  (unsigned long long)n);
    }
    help_store_close(&s);
}

/* ---- concurrent processes ---- */

static void count_done(haft__store_request *request)
{
    ++*(size_t *)request->context;
}

static void submit_to(help_store *s, haft__store_request request, haft__store_request *to,
                      size_t *done)
{
    *to = request;
    to->done = count_done;
    to->context = done;
    haft__store_submit(s->store, to);
}

static void open_other(const help_store *s, help_store *other)
{
    *other = (help_store){.now_ms = s->now_ms};
    haft__arena_init(&other->arena, 0);
    memcpy(other->url, s->url, sizeof(other->url));
    help_store_reopen(other);
}

/* Two processes claim the same runs in different orders: one waits and is then rejected. A
 * deadlock would cost one commit for each request. */
TEST(runs_are_locked_in_one_order)
{
    enum { RUNS = 100, ROUNDS = 20 };
    static haft__store_request ours[RUNS], theirs[RUNS];
    static const haft_str line = HAFT__LIT("x");
    help_store s, other;
    if (!help_pg_open(&s)) {
        return;
    }
    for (uint64_t n = 0; n < RUNS; n++) {
        ours[n] = create_of(n + 1, &line, 1);
    }
    CHECK_INT(help_together(&s, ours, RUNS), HAFT_OK, "%s", s.error.message);
    open_other(&s, &other);
    help_pg_be_patient(&s); /* otherwise a store would retry if the other were slow */
    help_pg_be_patient(&other);
    uint64_t commits = help_pg(&s)->commits + help_pg(&other)->commits;
    for (uint64_t seq = 1; seq <= ROUNDS; seq++) {
        size_t done = 0, good = 0;
        for (uint64_t n = 0; n < RUNS; n++) {
            submit_to(&s, append_of(n + 1, seq, &line, 1), &ours[n], &done);
            submit_to(&other, append_of(RUNS - n, seq, &line, 1), &theirs[n], &done);
        }
        for (int i = 0; i < 300000 && done < COUNT(ours) + COUNT(theirs); i++) {
            CHECK_INT(haft__loop_step(s.loop, 1, NULL), HAFT_OK, "the loop cannot step");
            CHECK_INT(haft__loop_step(other.loop, 1, NULL), HAFT_OK, "the loop cannot step");
        }
        for (uint64_t n = 0; n < RUNS; n++) {
            good += (ours[n].status == HAFT_OK) + (theirs[n].status == HAFT_OK);
        }
        CHECK_INT(good, RUNS, "each event was appended once");
    }
    CHECK_INT(help_pg(&s)->commits + help_pg(&other)->commits - commits, 2 * ROUNDS,
              "number of commits");
    CHECK_INT(help_run(&s, RUNS)->seq, ROUNDS + 1, "number of events");
    help_store_close(&other);
    help_store_close(&s);
}
