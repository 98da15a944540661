/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite store: several events in a row, and several requests in a transaction. */
#include "base/buf.h"
#include "store/sqlite/sqlite_help.h"

/* ---- rows ---- */

/* A run of ten events in rows of 1, 2, 3 and 4. */
static void fill(help_store *s)
{
    static const haft_str lines[] = {{"1", 1}, {"2", 1}, {"3", 1}, {"4", 1}, {"5", 1},
                                     {"6", 1}, {"7", 1}, {"8", 1}, {"9", 1}, {"10", 2}};
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    for (size_t count = 2, at = 1; count <= 4; at += count++) {
        haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                      .run = {.id = help_id(1), .epoch = 1, .seq = at},
                                      .lines = lines + at,
                                      .line_count = count};
        CHECK_INT(help_do(s, &append), HAFT_OK, "%s", s->error.message);
    }
    CHECK_INT(help_raw_number(s, "SELECT count(*) FROM events"), 4, "number of rows");
}

TEST(any_part_of_a_run_can_be_read)
{
    help_store s;
    help_store_open(&s, "sqlite");
    fill(&s);
    for (uint64_t after = 0; after <= 11; after++) {
        for (uint64_t limit = 0; limit <= 11; limit++) {
            char wanted[64] = "";
            size_t length = 0, count = 0;
            for (uint64_t n = after + 1; n <= 10 && (limit == 0 || n <= after + limit); n++) {
                length +=
                    (size_t)snprintf(wanted + length, sizeof(wanted) - length, "%d\n", (int)n);
                count++;
            }
            haft__store_request read = {.verb = HAFT__STORE_READ_EVENTS,
                                        .run = {.id = help_id(1)},
                                        .after = after,
                                        .limit = limit};
            CHECK_INT(help_do(&s, &read), HAFT_OK, "%s", s.error.message);
            CHECK_STR(read.text, haft__str(wanted), "after %d, at most %d", (int)after, (int)limit);
            CHECK_INT(read.count, count, "after %d, at most %d", (int)after, (int)limit);
        }
    }
    help_store_close(&s);
}

/* Errors are found even if the checksums are right: the program that computes them may be wrong. */
TEST(impossible_rows_are_reported)
{
    static const struct {
        const char *body;
        int seq; /* of the last event, as in the row */
    } cases[] = {{"=2\n=3\n", 2},  {"=2\n=3\n", 4},     {"=2\n=3", 3},         {"=2\n3\n", 3},
                 {"", 3},          {"=2\n=3\n=4\n", 3}, {"\n\n", 3},           {"@1\n=3\n", 3},
                 {"=2\n", 3},      {"=2\n=\xff\n", 3},  {"=2\n@1\"kind\"", 3}, {"=2\n=3\n", 1},
                 {"=2\n=3\n\n", 3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_store s;
        char sql[512], hex[64] = "", sum[17] = "";
        haft__checksum_chain chain;
        help_store_open(&s, "sqlite");
        CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
        haft__checksum_chain_start(&chain, help_id(1));
        haft__checksum_chain_add(&chain, HAFT__LIT("=1\n"));
        haft__checksum_chain_add(&chain, haft__str(cases[i].body));
        for (size_t k = 0; k < strlen(cases[i].body); k++) {
            (void)snprintf(hex + 2 * k, 3, "%02x", (unsigned char)cases[i].body[k]);
        }
        for (size_t k = 0; k < HAFT__CHECKSUM_CHAIN_BYTES; k++) {
            (void)snprintf(sum + 2 * k, 3, "%02x", chain.sum[k]);
        }
        (void)snprintf(sql, sizeof(sql),
                       "INSERT OR REPLACE INTO events VALUES (1, %d, x'%s', x'%s'); "
                       "UPDATE runs SET seq = 3, checksum = x'%s'",
                       cases[i].seq, sum, hex, sum);
        help_raw(&s, sql);
        CHECK(help_read(&s, 1).ptr == NULL, "case %zu: the read succeeded", i);
        CHECK_INT(s.error.status, HAFT_BAD_INPUT, "case %zu: %s", i, s.error.message);
        help_store_close(&s);
    }
}

TEST(a_row_is_closed_when_it_is_long_enough)
{
    /* Each event has a prefix character and a trailing line feed. */
    for (int past = 0; past <= 1; past++) {
        help_store s;
        haft_str lines[3] = {help_text(HAFT__LIMIT_STORE_ROW_BYTES - 3 + (size_t)past, 'x'),
                             HAFT__LIT("2"), HAFT__LIT("3")};
        haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                      .run = {.id = help_id(1), .owner = HAFT__LIT("me")},
                                      .lines = lines,
                                      .line_count = 3};
        help_store_open(&s, "sqlite");
        CHECK_INT(help_do(&s, &create), HAFT_OK, "%s", s.error.message);
        CHECK_INT(help_raw_number(&s, "SELECT min(seq) FROM events"), past != 0 ? 1 : 2,
                  "last event of the first row");
        CHECK_INT(help_raw_number(&s, "SELECT count(*) FROM events"), 2, "number of rows");
        CHECK_INT(help_read(&s, 1).len, lines[0].len + 5, "bytes of the events");
        CHECK_INT(help_sqlite(&s)->writer.packed.len, 0, "bytes that are not written");
        help_store_close(&s);
    }
}

TEST(memory_for_a_long_event_is_released)
{
    help_store s;
    haft_str line = help_text(1 << 20, 'x');
    haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                  .run = {.id = help_id(1), .owner = HAFT__LIT("me")},
                                  .lines = &line,
                                  .line_count = 1};
    help_store_open(&s, "sqlite");
    CHECK_INT(help_do(&s, &create), HAFT_OK, "%s", s.error.message);
    CHECK_INT(help_sqlite(&s)->writer.packed.cap, 0, "capacity of the buffer");
    CHECK_INT(help_read(&s, 1).len, (1 << 20) + 1, "bytes of the events");
    help_store_close(&s);
}

/* ---- transactions ---- */

#define AT_ONCE 64
#define ROUNDS  10

typedef struct crowd {
    haft__store_request requests[AT_ONCE];
    size_t done, failed;
} crowd;

static void note(haft__store_request *request)
{
    crowd *c = request->context;
    c->done++;
    c->failed += request->status != HAFT_OK;
}

static void submit(help_store *s, crowd *c, size_t at, haft__store_request request)
{
    c->requests[at] = request;
    c->requests[at].done = note;
    c->requests[at].context = c;
    haft__store_submit(s->store, &c->requests[at]);
}

static void wait_for_all(help_store *s, crowd *c, size_t wanted)
{
    while (c->done < wanted) {
        CHECK_INT(haft__loop_step(s->loop, 10000, NULL), HAFT_OK, "the loop cannot step");
    }
    c->done = 0;
}

static haft__store_request append_to(uint64_t run, uint64_t seq, const haft_str *line)
{
    return (haft__store_request){.verb = HAFT__STORE_APPEND,
                                 .run = {.id = help_id(run), .epoch = 1, .seq = seq},
                                 .lines = line,
                                 .line_count = 1};
}

/* Sixty-four runs append at once: the appends of a round share a transaction and a sync. */
TEST(runs_that_append_at_once_share_a_sync)
{
    static const haft_str line = {"event", 5};
    help_store s;
    crowd *c = test_alloc(sizeof(*c));
    c->done = c->failed = 0;
    help_faults_start();
    help_store_open(&s, "sqlite");
    for (size_t i = 0; i < AT_ONCE; i++) {
        CHECK_INT(help_create(&s, i), HAFT_OK, "%s", s.error.message);
    }
    uint64_t commits = help_sqlite(&s)->writer.commits;
    int syncs = help_count_syncs();
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        for (size_t i = 0; i < AT_ONCE; i++) {
            submit(&s, c, i, append_to(i, round, &line));
        }
        wait_for_all(&s, c, AT_ONCE);
    }
    CHECK_INT(c->failed, 0, "number of failed requests");
    CHECK_INT(help_sqlite(&s)->writer.commits - commits, ROUNDS, "number of transactions");
    syncs = help_count_syncs() - syncs;
    CHECK(syncs >= ROUNDS && syncs < AT_ONCE, "%d syncs for %d appends", syncs, ROUNDS * AT_ONCE);
    help_store_close(&s);
    help_faults_stop();
}

/* A request that fails after a change is undone alone; the others are not affected. */
TEST(a_request_that_is_rejected_late_is_undone_alone)
{
    static const haft_str line = {"event", 5};
    static const haft__store_message gone[2] = {{.id = 1}, {.id = 99}};
    help_store s;
    crowd *c = test_alloc(sizeof(*c));
    c->done = c->failed = 0;
    help_store_open(&s, "sqlite");
    for (uint64_t n = 0; n < 3; n++) {
        CHECK_INT(help_create(&s, n), HAFT_OK, "%s", s.error.message);
    }
    CHECK_INT(help_send(&s, 1, "hello"), HAFT_OK, "%s", s.error.message);
    for (uint64_t n = 0; n < 3; n++) {
        haft__store_request append = append_to(n, 1, &line);
        append.messages = n == 1 ? gone : NULL;
        append.message_count =
            n == 1 ? 2 : 0; /* the first is consumed, the second does not exist */
        submit(&s, c, n, append);
    }
    wait_for_all(&s, c, 3);
    CHECK_INT(c->failed, 1, "number of failed requests");
    CHECK_INT(c->requests[1].status, HAFT_BAD_STATE, "%s", c->requests[1].error.message);
    CHECK_INT(help_run(&s, 0)->seq, 2, "events of the run before");
    CHECK_INT(help_run(&s, 1)->seq, 1, "events of the rejected run");
    CHECK_INT(help_run(&s, 2)->seq, 2, "events of the run after");
    CHECK_INT(help_raw_number(&s, "SELECT count(*) FROM messages"), 1, "number of messages");
    CHECK_INT(help_append(&s, 1, 1, 1, "2"), HAFT_OK, "%s", s.error.message);
    help_store_close(&s);
}

/* Removed messages are counted once, even if another request makes the transaction start again. */
TEST(removed_messages_are_counted_once)
{
    static const haft_str line = {"event", 5};
    static const haft__store_message gone[2] = {{.id = 1}, {.id = 99}};
    help_store s;
    crowd *c = test_alloc(sizeof(*c));
    c->done = c->failed = 0;
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 0), HAFT_OK, "%s", s.error.message);
    CHECK_INT(help_send(&s, 0, "hello"), HAFT_OK, "%s", s.error.message);
    for (uint64_t n = 1; n < HAFT__LIMIT_STORE_GC_RUNS + 10; n++) {
        CHECK_INT(help_create(&s, n), HAFT_OK, "%s", s.error.message);
        CHECK_INT(help_end(&s, n, 1, 1, "good"), HAFT_OK, "%s", s.error.message);
    }
    haft__store_request late = append_to(0, 1, &line);
    late.messages = gone;
    late.message_count = 2;
    submit(&s, c, 0, (haft__store_request){.verb = HAFT__STORE_GC, .before_ms = UINT64_MAX});
    submit(&s, c, 1, late);
    wait_for_all(&s, c, 2);
    CHECK_INT(c->requests[0].status, HAFT_OK, "%s", c->requests[0].error.message);
    CHECK_INT(c->requests[0].count, HAFT__LIMIT_STORE_GC_RUNS + 9, "number of removed runs");
    CHECK_INT(c->requests[1].status, HAFT_BAD_STATE, "%s", c->requests[1].error.message);
    CHECK_INT(help_run(&s, 0)->seq, 1, "number of events");
    help_store_close(&s);
}

/* Requests that were submitted but not yet handed over are performed when the store is closed. */
TEST(requests_submitted_before_close_are_performed)
{
    static const haft_str line = {"event", 5};
    help_store s;
    crowd *c = test_alloc(sizeof(*c));
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    submit(&s, c, 0, append_to(1, 1, &line));
    help_store_shut(&s);
    help_store_reopen(&s);
    CHECK_STR(help_read(&s, 1), HAFT__LIT("1\nevent\n"), "events");
    help_store_close(&s);
}
