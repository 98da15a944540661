/* SPDX-License-Identifier: Apache-2.0 */
/* The SQLite store: a damaged file is reported and never read as if it were valid. */
#include <unistd.h>

#include "base/buf.h"
#include "base/sha256.h"
#include "store/sqlite/sqlite_help.h"

#define RUNS   5
#define EVENTS 40

/* Two runs: "1", "2", "3" each, an artifact in the first, a message for the second. */
static void fill(help_store *s)
{
    haft_str content = HAFT__LIT("content");
    char digest[HAFT__SHA256_HEX];
    haft__sha256_hex(content, digest);
    haft__store_artifact artifact = {
        HAFT__LIT("a"), HAFT__LIT("text/plain"), {digest, sizeof(digest)}, content};
    for (uint64_t n = 1; n <= 2; n++) {
        CHECK_INT(help_create_in(s, n, "t", "me"), HAFT_OK, "%s", s->error.message);
        CHECK_INT(help_append(s, n, 1, 1, "2"), HAFT_OK, "%s", s->error.message);
        haft_str line = HAFT__LIT("3");
        haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                      .run = {.id = help_id(n), .epoch = 1, .seq = 2},
                                      .lines = &line,
                                      .line_count = 1,
                                      .artifacts = &artifact,
                                      .artifact_count = n == 1};
        CHECK_INT(help_do(s, &append), HAFT_OK, "%s", s->error.message);
    }
    CHECK_INT(help_send(s, 2, "hello"), HAFT_OK, "%s", s->error.message);
    haft__store_request remember = {.verb = HAFT__STORE_CACHE_PUT,
                                    .scope = HAFT__LIT("s"),
                                    .name = HAFT__LIT("n"),
                                    .text = HAFT__LIT("result")};
    CHECK_INT(help_do(s, &remember), HAFT_OK, "%s", s->error.message);
}

/* ---- edited events ---- */

TEST(edited_events_are_reported_with_their_number)
{
    static const struct {
        const char *sql;
        uint64_t after, limit;
        int seq; /* number of the reported event; 0 if the run can be read */
    } cases[] = {
        {"UPDATE events SET body = '2x' WHERE run = 1 AND seq = 2", 0, 0, 2},
        {"UPDATE events SET body = '2x' WHERE run = 1 AND seq = 2", 1, 0, 2},
        {"UPDATE events SET body = '2x' WHERE run = 1 AND seq = 2", 2, 0, 0},
        {"UPDATE events SET body = '2x' WHERE run = 1 AND seq = 2", 0, 1, 0},
        {"UPDATE events SET body = '2x' WHERE run = 1 AND seq = 2", 0, 2, 2},
        {"UPDATE events SET body = '1x' WHERE run = 1 AND seq = 1", 0, 0, 1},
        {"UPDATE events SET body = '3x' WHERE run = 1 AND seq = 3", 0, 0, 3},
        {"UPDATE events SET body = '3x' WHERE run = 1 AND seq = 3", 2, 1, 3},
        {"UPDATE events SET body = CAST(x'ff' AS TEXT) WHERE run = 1 AND seq = 2", 0, 0, 2},
        {"UPDATE events SET checksum = zeroblob(16) WHERE run = 1 AND seq = 2", 0, 0, 2},
        {"UPDATE events SET checksum = zeroblob(16) WHERE run = 1 AND seq = 2", 2, 0, 3},
        {"UPDATE events SET checksum = zeroblob(15) WHERE run = 1 AND seq = 2", 2, 0, 2},
        {"UPDATE events SET checksum = zeroblob(17) WHERE run = 1 AND seq = 2", 0, 0, 2},
        {"DELETE FROM events WHERE run = 1 AND seq = 1", 0, 0, 1},
        {"DELETE FROM events WHERE run = 1 AND seq = 2", 0, 0, 2},
        {"DELETE FROM events WHERE run = 1 AND seq = 2", 2, 0, 2},
        {"DELETE FROM events WHERE run = 1 AND seq = 3", 0, 0, 3},
        {"DELETE FROM events WHERE run = 1 AND seq = 3", 0, 2, 0},
        {"DELETE FROM events WHERE run = 1 AND seq = 3", 2, 0, 3},
        {"DELETE FROM events WHERE run = 1 AND seq = 3; UPDATE runs SET seq = 2 WHERE number = 1",
         0, 0, 2},
        {"UPDATE events SET seq = 5 WHERE run = 1 AND seq = 3", 0, 0, 3},
        {"INSERT INTO events SELECT 1, 4, checksum, body FROM events WHERE run = 1 AND seq = 3", 0,
         0, 4},
        {"INSERT INTO events SELECT 1, 4, checksum, body FROM events WHERE run = 1 AND seq = 3; "
         "UPDATE runs SET seq = 4 WHERE number = 1",
         0, 0, 4},
        {"UPDATE runs SET checksum = zeroblob(16) WHERE number = 1", 0, 0, 3},
        {"UPDATE runs SET checksum = zeroblob(16) WHERE number = 1", 0, 2, 0},
        {"DELETE FROM events WHERE run = 1; UPDATE events SET run = 1 WHERE run = 2; "
         "UPDATE runs SET checksum = (SELECT checksum FROM runs WHERE number = 2) "
         "WHERE number = 1",
         0, 0, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_store s;
        help_store_open(&s, "sqlite");
        fill(&s);
        help_raw(&s, cases[i].sql);
        haft__store_request read = {.verb = HAFT__STORE_READ_EVENTS,
                                    .run = {.id = help_id(1)},
                                    .after = cases[i].after,
                                    .limit = cases[i].limit};
        haft_status status = help_do(&s, &read);
        char wanted[128];
        (void)snprintf(wanted, sizeof(wanted),
                       "the database is damaged: event %d of the run %s is malformed or does not "
                       "match its checksum",
                       cases[i].seq, help_id(1).ptr);
        CHECK_INT(status, cases[i].seq > 0 ? HAFT_BAD_INPUT : HAFT_OK, "%zu: %s", i, cases[i].sql);
        CHECK_STR(haft__str(s.error.message), haft__str(cases[i].seq > 0 ? wanted : ""), "%zu: %s",
                  i, cases[i].sql);
        CHECK(cases[i].seq == 0 || read.text.ptr == NULL, "%zu: events were returned", i);
        help_store_close(&s);
    }
}

/* ---- edited rows ---- */

TEST(edited_rows_are_reported)
{
    static const haft__store_request find = {.verb = HAFT__STORE_FIND, .name = {"last", 4}};
    static const haft__store_request past = {.verb = HAFT__STORE_THREAD_HISTORY,
                                             .thread = {"t", 1}};
    static const haft__store_request mail = {.verb = HAFT__STORE_RECEIVE, .run.owner = {"me", 2}};
    static const haft__store_request recall = {
        .verb = HAFT__STORE_CACHE_GET, .scope = {"s", 1}, .name = {"n", 1}};
    haft__store_request get = {
        .verb = HAFT__STORE_READ_ARTIFACT, .run.id = help_id(1), .name = {"a", 1}};
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run = {.id = help_id(2), .seq = 3, .epoch = 1}};
    haft__store_request claim = {.verb = HAFT__STORE_CLAIM,
                                 .run = {.id = help_id(2), .owner = {"me", 2}}};
    const struct {
        const char *sql;
        const haft__store_request *request;
    } cases[] = {
        {"UPDATE runs SET state = 3", &find},
        {"UPDATE runs SET seq = -1", &append},
        {"UPDATE runs SET seq = 1000001", &append},
        {"UPDATE runs SET state = 3", &append},
        {"UPDATE runs SET checksum = x'00'", &append},
        {"UPDATE runs SET epoch = -1", &claim},
        {"UPDATE runs SET turns = 4294967296", &find},
        {"UPDATE runs SET user = CAST(x'80' AS TEXT)", &find},
        {"UPDATE runs SET user = CAST(zeroblob(4097) AS TEXT)", &find},
        {"UPDATE runs SET owner = CAST(zeroblob(4097) AS TEXT)", &append},
        {"UPDATE runs SET answer = CAST(x'80' AS TEXT)", &find},
        {"UPDATE blobs SET content = x'00'", &find},
        {"UPDATE blobs SET content = x'00'", &claim},
        {"UPDATE blobs SET content = x'00'", &get},
        {"UPDATE blobs SET sha256 = id", &find},
        {"PRAGMA foreign_keys = OFF; DELETE FROM blobs", &find},
        {"PRAGMA foreign_keys = OFF; DELETE FROM blobs", &get},
        {"UPDATE runs SET state = 2, ending = CAST(x'80' AS TEXT)", &past},
        {"UPDATE runs SET state = 2, answer = CAST(x'80' AS TEXT)", &past},
        {"UPDATE blobs SET content = x'00'; UPDATE runs SET state = 2", &past},
        {"UPDATE messages SET body = CAST(x'80' AS TEXT)", &mail},
        {"UPDATE artifacts SET media_type = CAST(x'80' AS TEXT)", &get},
        {"UPDATE cache SET result = CAST(x'80' AS TEXT)", &recall},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_store s;
        help_store_open(&s, "sqlite");
        fill(&s);
        haft__store_request request = *cases[i].request;
        CHECK_INT(help_do(&s, &request), HAFT_OK, "%zu, before the damage: %s", i, s.error.message);
        help_raw(&s, cases[i].sql);
        request = *cases[i].request;
        request.run.seq += request.verb == HAFT__STORE_APPEND && i == 2 ? 999998 : 0;
        CHECK_INT(help_do(&s, &request), HAFT_BAD_INPUT, "%zu: %s: %s", i, cases[i].sql,
                  s.error.message);
        CHECK_INT(request.found_count, 0, "%zu: a run was returned", i);
        CHECK(strncmp(s.error.message, "the database is damaged: ", 25) == 0, "%zu: %s", i,
              s.error.message);
        help_store_close(&s);
    }
}

TEST(a_damaged_run_is_listed_skipped_and_removed)
{
    static const char *const cases[] = {
        "UPDATE runs SET turns = -1 WHERE number = 1",
        "UPDATE runs SET state = -1 WHERE number = 1",
        "UPDATE runs SET name = CAST(x'80' AS TEXT) WHERE number = 1",
        "UPDATE runs SET checksum = x'00', lease = -1, calls = -1 WHERE number = 1",
        "PRAGMA foreign_keys = OFF; UPDATE runs SET task = 99 WHERE number = 1",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_store s;
        help_store_open(&s, "sqlite");
        CHECK_INT(help_create_in(&s, 1, "one", ""), HAFT_OK, "%s", s.error.message);
        CHECK_INT(help_create_in(&s, 2, "two", ""), HAFT_OK, "%s", s.error.message);
        help_raw(&s, cases[i]);
        help_check_damaged(&s, 1, 2, strstr(cases[i], "state") == NULL, cases[i]);
        help_store_close(&s);
    }
}

/* The tables are strict, but another program may have written the file. */
TEST(values_of_the_wrong_kind_are_reported)
{
    static const char loose[] =
        "PRAGMA writable_schema = ON; "
        "UPDATE sqlite_schema SET sql = replace(sql, ' STRICT', ''); PRAGMA writable_schema = OFF";
    static const char strict[] =
        "PRAGMA writable_schema = ON; "
        "UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE type = 'table' AND name NOT GLOB "
        "'sqlite_*'; PRAGMA writable_schema = OFF";
    static const char *const cases[] = {
        "UPDATE runs SET seq = 'three'",
        "UPDATE runs SET seq = x'03'",
        "UPDATE runs SET seq = 3.5",
        "UPDATE runs SET owner = x'6d65'",
        "UPDATE runs SET checksum = 'sixteen characte'",
        "UPDATE events SET body = x'32'",
        "UPDATE events SET checksum = hex(checksum)",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_store s;
        help_store_open(&s, "sqlite");
        fill(&s);
        help_store_shut(&s);
        help_raw(&s, loose);
        help_raw(&s, cases[i]);
        help_raw(&s, strict);
        help_store_reopen(&s);
        CHECK(help_read(&s, 1).ptr == NULL, "%s: the read succeeded", cases[i]);
        CHECK_INT(s.error.status, HAFT_BAD_INPUT, "%s: %s", cases[i], s.error.message);
        help_store_close(&s);
    }
}

/* ---- flipped bits ---- */

static haft_str big_line(size_t run, size_t seq)
{
    /* Texts of one page and of several pages. */
    size_t length = 20 + (run * 7919 + seq * 104729) % 60 * 100;
    char *text = test_alloc(length + 32);
    int head = snprintf(text, 32, "%zu/%zu ", run, seq);
    memset(text + head, (int)('a' + (run + seq) % 26), length);
    return (haft_str){text, (size_t)head + length};
}

static void fill_much(help_store *s)
{
    for (uint64_t n = 0; n < RUNS; n++) {
        haft_str lines[EVENTS];
        for (size_t i = 0; i < EVENTS; i++) {
            lines[i] = big_line(n, i);
        }
        haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                      .run = {.id = help_id(n), .owner = HAFT__LIT("me")},
                                      .lines = lines,
                                      .line_count = EVENTS};
        CHECK_INT(help_do(s, &create), HAFT_OK, "%s", s->error.message);
    }
}

static haft_str expected(size_t run)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; i < EVENTS; i++) {
        haft__buf_add_str(&buf, big_line(run, i));
        haft__buf_add_char(&buf, '\n');
    }
    char *text = test_alloc(buf.len);
    memcpy(text, buf.ptr, buf.len);
    haft_str whole = {text, buf.len};
    haft__buf_finish(&buf);
    return whole;
}

typedef struct tally {
    int refused, failed, right;
} tally;

/* Opens the rest of a database and reads everything: whatever can be read is correct. */
static void check_damaged(help_store *s, const haft_str wanted[RUNS], tally *t, const char *what)
{
    haft_error err = {0};
    CHECK_INT(haft__loop_create(&s->loop, NULL), HAFT_OK, "cannot create the loop");
    s->store = NULL;
    if (haft__store_open(s->loop, s->url, &s->store, &err) != HAFT_OK) {
        CHECK(err.status == HAFT_BAD_INPUT || err.status == HAFT_UNSUPPORTED, "%s: %s: %s", what,
              haft_status_name(err.status), err.message);
        t->refused++;
        help_store_shut(s);
        return;
    }
    bool failed = false;
    haft__store_request list = {.verb = HAFT__STORE_LIST};
    failed = help_do(s, &list) != HAFT_OK || failed;
    failed = help_find(s, "last") == NULL || failed;
    for (uint64_t n = 0; n < RUNS; n++) {
        haft_str text = help_read(s, n);
        failed = text.ptr == NULL || failed;
        CHECK(text.ptr == NULL || haft__str_equal(text, wanted[n]), "%s: run %d has other events",
              what, (int)n);
        CHECK(text.ptr != NULL || s->error.message[0] != '\0', "%s: the error has no message",
              what);
        failed = help_append(s, n, 1, EVENTS, "more") != HAFT_OK || failed;
    }
    t->failed += failed;
    t->right += !failed;
    help_store_shut(s);
    haft__arena_finish(&s->arena);
    haft__arena_init(&s->arena, 0);
}

TEST(flipped_bits_are_never_read_as_events)
{
    help_store s;
    haft_str wanted[RUNS];
    tally t = {0};
    uint64_t random = 11;
    help_store_open(&s, "sqlite");
    fill_much(&s);
    help_store_shut(&s);
    for (size_t i = 0; i < RUNS; i++) {
        wanted[i] = expected(i);
    }
    haft_str good = help_load(help_path(&s));
    char *bad = test_alloc(good.len);
    int rounds = help_rounds(150);
    for (int round = 0; round < rounds; round++) {
        char what[64];
        /* A third of the bits is in the first pages, where the header and the tables are. */
        size_t at = help_random(&random) % (round % 3 == 0 ? 3 * 4096 : good.len);
        unsigned bit = help_random(&random) % 8;
        memcpy(bad, good.ptr, good.len);
        bad[at] = (char)(bad[at] ^ 1 << bit);
        (void)snprintf(what, sizeof(what), "bit %u of byte %zu", bit, at);
        help_save(help_path(&s), (haft_str){bad, good.len});
        check_damaged(&s, wanted, &t, what);
    }
    printf("# %d flips: %d refused, %d reported when read, %d harmless\n", rounds, t.refused,
           t.failed, t.right);
    CHECK(rounds < 100 || (t.refused > 0 && t.failed > 0), "no damage was detected");
    help_save(help_path(&s), good);
    help_store_reopen(&s);
    help_store_close(&s);
}

TEST(a_truncated_file_is_reported)
{
    help_store s;
    haft_str wanted[RUNS];
    tally t = {0};
    help_store_open(&s, "sqlite");
    fill_much(&s);
    help_store_shut(&s);
    for (size_t i = 0; i < RUNS; i++) {
        wanted[i] = expected(i);
    }
    haft_str good = help_load(help_path(&s));
    for (size_t i = 0; i < 40; i++) {
        char what[64];
        size_t length = good.len - 1 - i * good.len / 41;
        (void)snprintf(what, sizeof(what), "cut to %zu bytes", length);
        help_save(help_path(&s), (haft_str){good.ptr, length});
        check_damaged(&s, wanted, &t, what);
    }
    CHECK_INT(t.right, 0, "truncations that were not detected");
    help_save(help_path(&s), good);
    help_store_reopen(&s);
    help_store_close(&s);
}

/* ---- the log ---- */

/* If the log is truncated anywhere, the run has a prefix of its events. */
TEST(a_truncated_log_gives_an_older_state)
{
    help_store s;
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    for (uint64_t seq = 1; seq < 30; seq++) {
        CHECK_INT(help_append(&s, 1, 1, seq, "x"), HAFT_OK, "%s", s.error.message);
    }
    char log[PATH_MAX + 8];
    (void)snprintf(log, sizeof(log), "%s-wal", help_path(&s));
    haft_str file = help_load(help_path(&s)), whole = help_load(log);
    help_store_shut(&s);
    uint64_t seen = 0, random = 5;
    int kinds = 0;
    for (int round = 0; round < 60; round++) {
        size_t length = whole.len - (size_t)round * whole.len / 60;
        char *part = test_alloc(length + 1);
        memcpy(part, whole.ptr, length);
        if (round % 2 == 1) { /* the start of a frame that was never finished */
            memset(part + length - length % 512, (int)help_random(&random), length % 512);
        }
        help_save(help_path(&s), file);
        help_save(log, (haft_str){part, length});
        help_store_reopen(&s);
        haft_str text = help_read(&s, 1);
        const haft__store_run *run = help_run(&s, 1);
        CHECK(text.ptr != NULL || s.error.status == HAFT_NOT_FOUND, "%s", s.error.message);
        CHECK(text.ptr == NULL || text.len == 2 * run->seq, "cut to %zu: %zu bytes, %d events",
              length, text.len, run != NULL ? (int)run->seq : 0);
        kinds += text.len != seen;
        seen = text.len;
        CHECK(run == NULL || help_append(&s, 1, 1, run->seq, "y") == HAFT_OK, "%s",
              s.error.message);
        help_store_shut(&s);
    }
    CHECK(kinds > 10, "only %d different states", kinds);
    help_store_reopen(&s);
    help_store_close(&s);
}
