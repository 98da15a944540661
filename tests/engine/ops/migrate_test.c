/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/migrate.c, migrate_runs.c and run_snapshot.c: one run into another file.
 * Moves that are interrupted, and workers at the same time, are in tests/cli/migrate_test.py. */
#include "engine/ops/migrate_runs.h"

#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "engine/engine_help.h"
#include "engine/ops/run_snapshot.h"

typedef struct seen {
    size_t runs, failures;
    haft__migration_report last;
} seen;

static void on_run(void *context, const char *id, const haft__migration_report *run)
{
    seen *s = context;
    (void)id;
    s->runs++;
    s->last = *run;
}

static void on_failure(void *context, const char *id, const haft_error *error)
{
    seen *s = context;
    (void)id;
    (void)error;
    s->failures++;
}

static bool never(void *context)
{
    (void)context;
    return false;
}

typedef struct stores {
    char directory[64], from[96], to[96], run[HAFT__ID_LENGTH + 1];
} stores;

/* A store with one run: ended, or waiting for an answer. */
static void stores_init(stores *s, bool ended)
{
    help_host h;
    *s = (stores){.directory = "/tmp/haft-migrate-XXXXXX"};
    CHECK(mkdtemp(s->directory) != NULL, "no directory");
    (void)snprintf(s->from, sizeof(s->from), "sqlite:%s/from.db", s->directory);
    (void)snprintf(s->to, sizeof(s->to), "sqlite:%s/to.db", s->directory);
    help_host_init(&h, s->from);
    haft_run *run = help_host_start(
        &h, "\"tools\":[{\"name\":\"pick\",\"description\":\"Picks one.\",\"headless\":true}]",
        ended ? "{\"replies\":[{\"text\":\"good\"}]}"
              : "{\"replies\":[{\"calls\":[{\"name\":\"pick\",\"arguments\":{}}]}]}",
        "go");
    help_host_settle(&h, run);
    (void)snprintf(s->run, sizeof(s->run), "%s", haft_run_id(run));
    haft_run_release(run);
    help_host_finish(&h);
}

static void stores_finish(const stores *s)
{
    static const char *const names[] = {"from.db", "from.db-wal", "from.db-shm",
                                        "to.db",   "to.db-wal",   "to.db-shm"};
    char path[128];
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", s->directory, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(s->directory);
}

TEST(a_migration_counts_its_runs_also_when_repeated)
{
    static const struct {
        const char *what;
        bool ended, move, dry_run;
        haft__migrate_totals first, again; /* the totals of the first and of the second migration */
    } rows[] = {
        {"copy", true, false, false, {.copied = 1}, {.already_there = 1}},
        {"move", true, true, false, {.copied = 1}, {0}},
        {"dry run", true, false, true, {.copied = 1}, {.copied = 1}},
        {"copy of a waiting run", false, false, false, {.skipped = 1}, {.skipped = 1}},
        {"move of a waiting run", false, true, false, {.copied = 1}, {0}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        stores s;
        stores_init(&s, rows[i].ended);
        for (int k = 0; k < 2; k++) {
            seen found = {0};
            haft_error err = {0};
            haft__migrate_totals totals, wanted = k == 0 ? rows[i].first : rows[i].again;
            haft__migrate_runs_options options = {
                .on_run = on_run, .on_failure = on_failure, .stop = never, .context = &found};
            haft__migration m = {.move = rows[i].move, .dry_run = rows[i].dry_run};
            CHECK_INT(haft__migration_open(&m, s.from, s.to, &err), HAFT_OK, "%s: %s", rows[i].what,
                      err.message);
            CHECK_INT(haft__migrate_runs(&m, &options, &totals, &err), HAFT_OK, "%s: %s",
                      rows[i].what, err.message);
            CHECK(totals.copied == wanted.copied && totals.already_there == wanted.already_there
                      && totals.skipped == wanted.skipped && totals.failed == wanted.failed,
                  "%s, migration %d: %zu copied, %zu already there, %zu skipped, %zu failed",
                  rows[i].what, k, totals.copied, totals.already_there, totals.skipped,
                  totals.failed);
            CHECK_INT(found.failures, 0, "%s: failures", rows[i].what);
            CHECK(found.runs == 0 || found.last.removed == rows[i].move, "%s: removed",
                  rows[i].what);
            haft__migration_close(&m);
        }
        stores_finish(&s);
    }
}

TEST(a_copy_equals_its_original)
{
    stores s;
    haft_error err = {0};
    haft__migration_report report;
    haft__run_snapshot one, other;
    haft__migration m = {.move = false};
    stores_init(&s, true);
    CHECK_INT(haft__migration_open(&m, s.from, s.to, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__migration_run(&m, haft__str(s.run), &report, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__run_snapshot_read(m.from, &m.arena, m.hash_key, haft__str(s.run), &one, &err),
              HAFT_OK, "%s", err.message);
    CHECK_INT(haft__run_snapshot_read(m.to, &m.arena, m.hash_key, haft__str(s.run), &other, &err),
              HAFT_OK, "%s", err.message);
    CHECK_INT(one.event_count, report.events, "copied events");
    CHECK_INT(haft__run_snapshot_compare(&one, &other, true, &err), HAFT_OK, "%s", err.message);
    other.row.task = HAFT__LIT("another");
    CHECK_INT(haft__run_snapshot_compare(&one, &other, true, &err), HAFT_BAD_STATE,
              "runs with different tasks are equal");
    CHECK(strstr(err.message, "the task differs") != NULL, "%s", err.message);
    haft__migration_close(&m);
    stores_finish(&s);
}

TEST(a_different_run_in_the_new_store_is_a_problem)
{
    stores s;
    haft_error err = {0};
    haft__migration_report report;
    haft__run_snapshot run;
    haft__migration m = {.move = false};
    stores_init(&s, true);
    CHECK_INT(haft__migration_open(&m, s.from, s.to, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__run_snapshot_read(m.from, &m.arena, m.hash_key, haft__str(s.run), &run, &err),
              HAFT_OK, "%s", err.message);
    haft_str rest = run.events, line = haft__str_split(&rest, '\n');
    haft__store_request create = {
        .verb = HAFT__STORE_CREATE, .run = run.row, .lines = &line, .line_count = 1};
    create.run.owner = HAFT__LIT("");
    CHECK_INT(haft__run_snapshot_execute(m.to, &m.arena, &create, &err), HAFT_OK, "%s",
              err.message);
    CHECK_INT(haft__migration_run(&m, haft__str(s.run), &report, &err), HAFT_BAD_STATE, "%s",
              err.message);
    CHECK_INT(m.problem, HAFT__MIGRATION_RUNS_DIFFER, "%s", err.message);
    CHECK_STR(haft__str(err.hint), HAFT__LIT(""), "hint");
    CHECK_INT(haft__migration_run(&m, HAFT__LIT("zzzz"), &report, &err), HAFT_NOT_FOUND, "%s",
              err.message);
    CHECK_INT(m.problem, HAFT__MIGRATION_OTHER_PROBLEM, "%s", err.message);
    haft__migration_close(&m);
    stores_finish(&s);
}

TEST(invalid_store_names_are_rejected)
{
    stores s;
    haft_error err = {0};
    haft__migrate_totals totals;
    const char *name = "zzzz";
    stores_init(&s, true);
    haft__migration same = {.move = false};
    CHECK_INT(haft__migration_open(&same, s.from, s.from, &err), HAFT_BAD_INPUT,
              "both names are the same store");
    CHECK(same.same_store, "%s", err.message);
    haft__migration_close(&same);
    haft__migration m = {.move = false};
    haft__migrate_runs_options options = {
        .names = &name, .name_count = 1, .on_run = on_run, .on_failure = on_failure, .stop = never};
    CHECK_INT(haft__migration_open(&m, s.from, s.to, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(haft__migrate_runs(&m, &options, &totals, &err), HAFT_NOT_FOUND, "%s", err.message);
    haft__migration_close(&m);
    stores_finish(&s);
}
