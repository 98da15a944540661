/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "store/sqlite/sqlite_help.h"
#include "store/store_help.h"

/* Creates a run, ended or not. */
static void make(help_store *s, uint64_t n, const char *thread, const char *end, const char *parent)
{
    haft_str line = HAFT__LIT("1");
    haft__store_request create = {
        .verb = HAFT__STORE_CREATE,
        .run = {.id = help_id(n),
                .thread = haft__str(thread),
                .parent = haft__str(parent),
                .task = HAFT__LIT("do it"),
                .spec = HAFT__LIT("{}"),
                .end = haft__str(end),
                .state = end[0] != '\0' ? HAFT__RUN_STATE_ENDED : HAFT__RUN_STATE_WAITING},
        .lines = &line,
        .line_count = 1};
    CHECK_INT(help_do(s, &create), HAFT_OK, "run %d: %s", (int)n, s->error.message);
    s->now_ms += 10;
}

/* The existing runs, newest first. */
static void check_left(help_store *s, const char *wanted, const char *what)
{
    haft__store_request list = {.verb = HAFT__STORE_LIST};
    CHECK_INT(help_do(s, &list), HAFT_OK, "%s: %s", what, s->error.message);
    char found[64];
    for (size_t i = 0; i < list.found_count; i++) {
        found[i] = list.found[i].id.ptr[9];
    }
    CHECK_STR(((haft_str){found, list.found_count}), haft__str(wanted), "%s", what);
}

static void collect(help_store *s, haft__store_request gc, uint64_t count, const char *left,
                    const char *what)
{
    gc.verb = HAFT__STORE_GC;
    gc.now_ms = s->now_ms;
    CHECK_INT(help_do(s, &gc), HAFT_OK, "%s: %s", what, s->error.message);
    CHECK_INT(gc.count, count, "%s", what);
    check_left(s, left, what);
}

STORE_TEST(runs_are_removed_by_age_end_and_number)
{
    static const haft_str failed[] = {{"failed", 6}, {"expired", 7}};
    uint64_t begin = s->now_ms;
    for (uint64_t n = 1; n <= 9; n++) { /* run n ended at begin + 10 * (n - 1) */
        char thread[2] = {(char)('a' + n), '\0'};
        make(s, n, thread, n % 3 == 0 ? "failed" : n == 7 ? "" : "done", "");
    }
    const uint64_t ever = INT64_MAX;
    collect(s, (haft__store_request){.before_ms = 0}, 0, "987654321", "none is wanted");
    collect(s, (haft__store_request){.before_ms = begin}, 0, "987654321", "none is so old");
    collect(s, (haft__store_request){.before_ms = ever, .keep = 8}, 0, "987654321", "8 have ended");
    collect(s, (haft__store_request){.before_ms = ever, .keep = 9}, 0, "987654321", "more");
    collect(s, (haft__store_request){.before_ms = begin + 1, .dry_run = true}, 1, "987654321",
            "only looking");
    collect(s, (haft__store_request){.before_ms = begin + 1}, 1, "98765432", "by age");
    collect(s, (haft__store_request){.before_ms = ever, .keep = 6, .dry_run = true}, 1, "98765432",
            "only looking");
    collect(s, (haft__store_request){.before_ms = ever, .keep = 6}, 1, "9876543", "by number");
    collect(s, (haft__store_request){.before_ms = begin + 60, .ends = failed, .end_count = 2}, 2,
            "98754", "by age and end");
    collect(s, (haft__store_request){.before_ms = begin + 31, .keep = 1}, 1, "9875",
            "by age and number");
    collect(s, (haft__store_request){.before_ms = ever, .ends = failed, .end_count = 2}, 1, "875",
            "by end");
    collect(s, (haft__store_request){.before_ms = ever}, 2, "7", "all that have ended");
    collect(s, (haft__store_request){.before_ms = ever}, 0, "7", "again");
}

STORE_TEST(runs_that_ended_at_the_same_time_are_kept_together)
{
    make(s, 1, "a", "done", "");
    uint64_t then = s->now_ms;
    make(s, 2, "b", "done", "");
    s->now_ms = then;
    make(s, 3, "c", "done", "");
    collect(s, (haft__store_request){.before_ms = INT64_MAX, .keep = 1}, 1, "32", "two are newest");
}

STORE_TEST(a_thread_is_removed_as_a_whole)
{
    static const haft_str failed[] = {{"failed", 6}};
    make(s, 1, "live", "done", "");
    make(s, 2, "live", "", "");
    make(s, 3, "mixed", "failed", "");
    make(s, 4, "mixed", "done", "");
    uint64_t later = s->now_ms;
    make(s, 5, "young", "done", "");
    make(s, 6, "old", "failed", "");
    s->now_ms = later + 1000;
    make(s, 7, "young", "done", "");
    collect(s, (haft__store_request){.before_ms = later + 500, .ends = failed, .end_count = 1}, 1,
            "754321", "one of the thread ended otherwise");
    collect(s, (haft__store_request){.before_ms = later + 500}, 2, "7521",
            "one has not ended, one is young");
    collect(s, (haft__store_request){.before_ms = INT64_MAX, .keep = 1}, 0, "7521", "one is kept");
    collect(s, (haft__store_request){.before_ms = INT64_MAX}, 2, "21", "the live one stays");
    haft__store_request claim = {.verb = HAFT__STORE_CLAIM,
                                 .run = {.id = help_id(2), .owner = HAFT__LIT("me")},
                                 .lease_ms = HELP_LEASE};
    CHECK_INT(help_do(s, &claim), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_end(s, 2, 2, 1, "x"), HAFT_OK, "%s", s->error.message);
    collect(s, (haft__store_request){.before_ms = INT64_MAX}, 2, "", "until it has ended");
}

STORE_TEST(children_of_an_open_run_are_not_removed)
{
    make(s, 1, "a", "", "");
    make(s, 2, "b", "done", help_id(1).ptr);
    make(s, 3, "b", "done", "");
    make(s, 4, "c", "done", help_id(3).ptr);
    make(s, 5, "d", "done", "no such run");
    collect(s, (haft__store_request){.before_ms = INT64_MAX}, 2, "321", "children");
}

/* A run whose thread is its own id: a child. */
static void make_child(help_store *s, uint64_t n, const char *end, uint64_t parent)
{
    char above[HAFT__ID_LENGTH + 1], own[HAFT__ID_LENGTH + 1];
    (void)snprintf(above, sizeof(above), "%s", help_id(parent).ptr);
    (void)snprintf(own, sizeof(own), "%s", help_id(n).ptr);
    make(s, n, own, end, above);
}

/* Two trees: 1 has failed and has the child 3, which has the child 5; 2 is done and has 4. */
static void make_trees(help_store *s)
{
    make_child(s, 5, "done", 3);
    make_child(s, 3, "done", 1);
    make_child(s, 4, "failed", 2);
    make(s, 1, "a", "failed", "");
    make(s, 2, "b", "done", "");
}

STORE_TEST(gc_by_end_removes_the_tree_of_a_run_and_no_part_of_another)
{
    static const haft_str failed[] = {{"failed", 6}};
    const haft__store_request gc = {.before_ms = INT64_MAX, .ends = failed, .end_count = 1};
    make_trees(s);
    collect(s, gc, 1, "5432", "the root that failed");
    collect(s, gc, 1, "542", "its child, which is done");
    collect(s, gc, 1, "42", "the child of that");
    collect(s, gc, 0, "42", "a failed child stays with its root");
}

STORE_TEST(gc_by_number_counts_trees)
{
    make_trees(s);
    collect(s, (haft__store_request){.before_ms = INT64_MAX, .keep = 2}, 0, "54321", "both");
    collect(s, (haft__store_request){.before_ms = INT64_MAX, .keep = 1}, 1, "5432", "the older");
}

STORE_TEST(long_threads_and_many_runs_are_removed_in_parts)
{
    /* More runs than one transaction removes, mixed with runs that stay. */
    const uint64_t many = 3 * HAFT__LIMIT_STORE_GC_RUNS + 7;
    char name[101] = ""; /* longer than the cached part of a thread */
    memset(name, 'n', sizeof(name) - 1);
    for (uint64_t n = 1; n <= many; n++) {
        bool stays = n % 3 == 0;
        make(s, n, stays ? "live" : n % 3 == 1 ? "gone" : name, "done", "");
    }
    make(s, many + 1, "live", "", "");
    haft__store_request gc = {.verb = HAFT__STORE_GC, .before_ms = INT64_MAX};
    CHECK_INT(help_do(s, &gc), HAFT_OK, "%s", s->error.message);
    CHECK_INT(gc.count, many - many / 3, "number of removed runs");
    haft__store_request list = {.verb = HAFT__STORE_LIST, .thread = HAFT__LIT("live")};
    CHECK_INT(help_do(s, &list), HAFT_OK, "%s", s->error.message);
    CHECK_INT(list.found_count, many / 3 + 1, "runs of the thread that are left");
}

/* The number of pages that SQLite reads to remove `removed` runs from a store with `kept` more. */
static uint64_t cost(uint64_t removed, uint64_t kept)
{
    help_store s;
    help_store_open(&s, "sqlite");
    for (uint64_t n = 1; n <= removed + kept; n++) {
        char thread[32];
        (void)snprintf(thread, sizeof(thread), "%d", (int)n);
        make(&s, n, thread, "done", "");
    }
    int calls = 0, high = 0;
    sqlite3 *db = help_sqlite(&s)->writer.connection.db;
    (void)sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_HIT, &calls, &high, 1);
    haft__store_request gc = {.verb = HAFT__STORE_GC, .before_ms = 1000000 + 10 * removed};
    CHECK_INT(help_do(&s, &gc), HAFT_OK, "%s", s.error.message);
    CHECK_INT(gc.count, removed, "number of removed runs");
    (void)sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_HIT, &calls, &high, 0);
    help_store_close(&s);
    return (uint64_t)calls;
}

TEST(the_cost_of_gc_depends_only_on_the_removed_runs)
{
    uint64_t one = cost(200, 0), two = cost(400, 0), four = cost(800, 0),
             with_kept = cost(200, 800);
    (void)printf("# pages read: 200 runs %d, 400 %d, 800 %d; 200 with 800 kept %d\n", (int)one,
                 (int)two, (int)four, (int)with_kept);
    CHECK(two < 3 * one && four < 6 * one, "more than in proportion: %d, %d, %d", (int)one,
          (int)two, (int)four);
    CHECK(with_kept < 3 * one, "kept runs are read: %d, %d", (int)one, (int)with_kept);
}
