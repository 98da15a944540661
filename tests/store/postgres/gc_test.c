/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL: the cost of removing old runs, and concurrent removals. */
#include "store/postgres/postgres_help.h"

#define MANY (5 * HAFT__LIMIT_STORE_GC_RUNS)

/* Creates ended runs in threads of equal length. */
static void add_ended(int count, int each)
{
    char sql[1024];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO haft.runs (id, state, seq, bytes, checksum, epoch, owner, lease, "
                   "created, updated, ended, wake, due, turns, calls, thread, parent, ending) "
                   "SELECT 'x' || n, 2, 0, 0, '', 1, '', 0, n, n, n, 0, NULL, 0, 0, "
                   "'t' || n / %d, 'p' || n, 'done' FROM generate_series(1, %d) n",
                   each, count);
    (void)help_pg_sql(sql);
    (void)help_pg_sql("VACUUM ANALYZE haft.runs");
}

/* The pages that a search for old runs reads next to `many` other candidates. */
static int pages(int many, int each)
{
    help_store s;
    help_store_open(&s, "postgres");
    add_ended(many, each);
    int found = help_pg_pages("(bigint, text[], bigint, bigint, bigint) AS " HAFT__PG_RUNS_NEXT,
                              "EXECUTE q (1000000, '{}', 0, 0, 100)");
    help_store_close(&s);
    return found;
}

TEST(finding_old_runs_does_not_read_all_runs)
{
    if (help_pg_url() == NULL) {
        return;
    }
    for (int each = 1; each <= 5; each += 4) {
        int found[3] = {pages(4000, each), pages(8000, each), pages(16000, each)};
        (void)printf("# pages of a look, %d in a thread: %d, %d, %d\n", each, found[0], found[1],
                     found[2]);
        CHECK(found[1] <= found[0] + found[0] / 2 && found[2] <= found[0] + found[0] / 2,
              "pages read: %d, %d, %d", found[0], found[1], found[2]);
    }
}

/* A thread is checked once, and not once for each of its runs. */
TEST(a_long_thread_is_checked_once)
{
    if (help_pg_url() == NULL) {
        return;
    }
    int all = pages(4000, 4001);
    (void)printf("# pages of a look in a thread of 4000: %d\n", all);
    CHECK(all <= 3 * 4000, "%d pages: more than a few for each run",
          all); /* a search reads 100 of them */
}

static void note(haft__store_request *request)
{
    ++*(int *)request->context;
}

static haft__store_request collection(int *done)
{
    return (haft__store_request){.verb = HAFT__STORE_GC,
                                 .now_ms = 1000000,
                                 .before_ms = 1000000,
                                 .done = note,
                                 .context = done};
}

TEST(two_concurrent_removals_count_only_their_own_runs)
{
    help_store s, other = {.now_ms = 1000000};
    if (!help_pg_open(&s)) {
        return;
    }
    memcpy(other.url, s.url, sizeof(other.url));
    haft__arena_init(&other.arena, 0);
    help_store_reopen(&other);
    for (int each = 1; each <= 5; each += 4) {
        int done = 0;
        add_ended(MANY, each);
        haft__store_request one = collection(&done), two = collection(&done);
        haft__store_submit(s.store, &one);
        haft__store_submit(other.store, &two);
        for (int i = 0; i < 100000 && done < 2; i++) {
            CHECK_INT(haft__loop_step(s.loop, 1, NULL), HAFT_OK, "the loop cannot step");
            CHECK_INT(haft__loop_step(other.loop, 1, NULL), HAFT_OK, "the loop cannot step");
        }
        CHECK_INT(one.status, HAFT_OK, "%s", one.error.message);
        CHECK_INT(two.status, HAFT_OK, "%s", two.error.message);
        CHECK_INT(one.count + two.count, MANY, "removed by the two: %llu and %llu",
                  (unsigned long long)one.count, (unsigned long long)two.count);
        CHECK_STR(haft__str(help_pg_sql("SELECT count(*) FROM haft.runs")), HAFT__LIT("0"),
                  "runs that are left");
    }
    help_store_close(&other);
    help_store_close(&s);
}

/* A locked run is left for the next collection. */
TEST(a_locked_run_does_not_prevent_the_removal_of_others)
{
    help_store s;
    help_session locker;
    int done = 0;
    if (!help_pg_open(&s)) {
        return;
    }
    add_ended(3, 1);
    help_session_open(&locker);
    help_session_do(&locker, "BEGIN");
    help_session_do(&locker, "SELECT 1 FROM haft.runs WHERE id = 'x2' FOR UPDATE");
    for (uint64_t wanted = 2; wanted >= 1; wanted--) {
        haft__store_request gc = collection(&done);
        CHECK_INT(help_do(&s, &gc), HAFT_OK, "%s", s.error.message);
        CHECK_INT(gc.count, wanted, "number of removed runs");
        if (wanted == 2) {
            help_session_do(&locker, "ROLLBACK");
        }
    }
    help_session_close(&locker);
    help_store_close(&s);
}
