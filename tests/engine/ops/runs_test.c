/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/run_list.c, stored_run.c and retention.c: runs of a store, read, listed
 * and removed. */
#include "engine/ops/retention.h"
#include "engine/ops/run_list.h"
#include "engine/ops/stored_run.h"

#include "base/limits.h"
#include "base/str.h"
#include "engine/engine_help.h"
#include "io/clock.h"

static const char asking[] =
    "\"tools\":[{\"name\":\"pick\",\"description\":\"Picks one.\",\"headless\":true}]";
static const char asking_script[] =
    "{\"replies\":[{\"calls\":[{\"name\":\"pick\",\"arguments\":{}}]}]}";

enum { ENDED = 3, ALL };

/* Runs that have ended, the tasks "0" to "2", and one that waits, the newest. */
typedef struct runs {
    help_host h;
    haft__arena arena;
    char ids[ALL][HAFT__ID_LENGTH + 1];
} runs;

static void runs_init(runs *r)
{
    help_host_init(&r->h, "memory:");
    haft__arena_init(&r->arena, 0);
    for (int i = 0; i < ALL; i++) {
        for (uint64_t now = haft__clock_now(); haft__clock_now() == now;) { /* ends differ */
        }
        char task[2] = {(char)('0' + i), '\0'};
        haft_run *run =
            i < ENDED ? help_host_start(&r->h, "", "{\"replies\":[{\"text\":\"good\"}]}", task)
                      : help_host_start(&r->h, asking, asking_script, task);
        help_host_settle(&r->h, run);
        (void)snprintf(r->ids[i], sizeof(r->ids[i]), "%s", haft_run_id(run));
        haft_run_release(run);
    }
}

static void runs_finish(runs *r)
{
    haft__arena_finish(&r->arena);
    help_host_finish(&r->h);
}

TEST(runs_are_listed_by_a_filter)
{
    runs r;
    runs_init(&r);
    const struct {
        haft__run_list_filter filter;
        const char *tasks; /* the newest first */
    } rows[] = {
        {{.limit = 0}, "3210"},
        {{.limit = 2}, "32"},
        {{.before = haft__str(r.ids[2])}, "10"},
        {{.before = haft__str(r.ids[2]), .limit = 1}, "1"},
        {{.open_only = true}, "3"},
        {{.thread = HAFT__LIT("nobody")}, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__run_list list;
        haft__buf tasks;
        haft__buf_init(&tasks, 64);
        CHECK_INT(haft__run_list_read(r.h.runtime, &r.arena, &rows[i].filter, &list, &r.h.err),
                  HAFT_OK, "%s", r.h.err.message);
        for (size_t k = 0; k < list.count; k++) {
            haft__buf_add_str(&tasks, list.items[k].task);
        }
        CHECK_STR(haft__buf_str(&tasks), haft__str(rows[i].tasks), "row %zu", i);
        haft__buf_finish(&tasks);
    }
    runs_finish(&r);
}

TEST(the_state_of_a_listed_run_comes_from_its_row)
{
    static const struct {
        haft__store_run row;
        const char *state;
    } rows[] = {
        {{.state = HAFT__RUN_STATE_RUNNING, .seq = 1}, "queued"},
        {{.state = HAFT__RUN_STATE_RUNNING, .seq = 2}, "running"},
        {{.state = HAFT__RUN_STATE_WAITING, .seq = 1}, "waiting"},
        {{.state = HAFT__RUN_STATE_ENDED, .seq = 9}, "ended"},
        {{.state = HAFT__RUN_STATE_ENDED, .seq = 9, .damaged = true}, "damaged"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_STR(haft__run_list_state(&rows[i].row), haft__str(rows[i].state), "row %zu", i);
    }
}

TEST(a_run_is_owned_while_its_lease_lasts)
{
    runs r;
    runs_init(&r);
    uint64_t now = haft__runtime_now(r.h.runtime);
    const struct {
        haft__store_run row;
        bool owned;
    } rows[] = {
        {{.owner = HAFT__LIT("elsewhere"), .lease_ms = now + 60000}, true},
        {{.owner = HAFT__LIT("elsewhere"), .lease_ms = now - 1}, false},
        {{.owner = HAFT__LIT(""), .lease_ms = now + 60000}, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK(haft__stored_run_is_owned(r.h.runtime, &rows[i].row) == rows[i].owned, "row %zu", i);
    }
    runs_finish(&r);
}

TEST(a_listed_run_is_written_as_json)
{
    haft__store_run row = {.id = HAFT__LIT("r"),
                           .thread = HAFT__LIT("t"),
                           .name = HAFT__LIT("n"),
                           .task = HAFT__LIT("go"),
                           .end = HAFT__LIT(""),
                           .state = HAFT__RUN_STATE_WAITING,
                           .turns = 1,
                           .calls = 2,
                           .seq = 3,
                           .epoch = 4};
    haft__run_list list = {.items = &row, .count = 1};
    haft__buf text;
    haft__json_writer w;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_writer_init(&w, &text);
    haft__run_list_write(&w, &list);
    CHECK_STR(haft__buf_str(&text),
              HAFT__LIT("{\"runs\":[{\"run\":\"r\",\"thread\":\"t\",\"parent\":null,\"name\":\"n\","
                        "\"task\":\"go\","
                        "\"state\":\"waiting\",\"end\":null,"
                        "\"created\":\"1970-01-01T00:00:00.000Z\","
                        "\"updated\":\"1970-01-01T00:00:00.000Z\","
                        "\"turns\":1,\"calls\":2,\"seq\":3,\"epoch\":4}]}"),
              "json");
    haft__buf_finish(&text);
}

TEST(a_run_is_read_and_folded)
{
    runs r;
    runs_init(&r);
    static const struct {
        const char *name;
        haft_status status;
        haft__run_stage stage;
    } rows[] = {
        {"last", HAFT_OK, HAFT__RUN_CALLING},
        {"zzzz", HAFT_NOT_FOUND, HAFT__RUN_IDLE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__stored_run stored;
        haft__run state;
        haft_error err = {0};
        haft_status status = haft__stored_run_read(r.h.runtime, &r.arena, haft__str(rows[i].name),
                                                   true, &stored, &err);
        CHECK_INT(status, rows[i].status, "row %zu: %s", i, err.message);
        if (status == HAFT_OK) {
            CHECK_INT(haft__stored_run_fold(r.h.runtime, &r.arena, &stored, "", &state, &err),
                      HAFT_OK, "%s", err.message);
            CHECK_INT(state.stage, rows[i].stage, "row %zu", i);
            CHECK_INT(state.seq, stored.row.seq, "row %zu", i);
        }
        haft__stored_run_finish(&stored);
    }
    runs_finish(&r);
}

TEST(retention_removes_the_runs_that_its_rules_select)
{
    static const haft_str done[] = {{"done", 4}}, failed[] = {{"failed", 6}};
    static const struct {
        haft__retention_rules rules;
        uint64_t count;
    } rows[] = {
        {{.dry_run = true}, 0},
        {{.dry_run = true, .has_age = true, .age_ms = 3600000}, 0},
        {{.dry_run = true, .has_keep = true, .keep = 1}, ENDED - 1},
        {{.dry_run = true, .ends = failed, .end_count = 1}, 0},
        {{.dry_run = true, .ends = done, .end_count = 1}, ENDED},
        {{.has_keep = true, .keep = 1}, ENDED - 1},
        {{.has_keep = true, .keep = 1}, 0},
    };
    runs r;
    runs_init(&r);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t count = 99;
        CHECK_INT(haft__retention_apply(r.h.runtime, &r.arena, &rows[i].rules, &count, &r.h.err),
                  HAFT_OK, "%s", r.h.err.message);
        CHECK_INT(count, rows[i].count, "row %zu", i);
    }
    CHECK(haft__retention_is_end(HAFT__LIT("done")), "done");
    CHECK(!haft__retention_is_end(HAFT__LIT("waiting")), "waiting");
    runs_finish(&r);
}

TEST(a_run_is_removed_by_its_name)
{
    runs r;
    haft_error err = {0};
    runs_init(&r);
    haft_str id = haft__str(r.ids[0]);
    CHECK_INT(haft__retention_remove_run(r.h.runtime, &r.arena, id, &err), HAFT_OK, "%s",
              err.message);
    CHECK_INT(haft__retention_remove_run(r.h.runtime, &r.arena, id, &err), HAFT_NOT_FOUND, "%s",
              err.message);
    runs_finish(&r);
}
