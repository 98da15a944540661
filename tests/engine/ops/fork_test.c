/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/fork.c and fork_point.c; the command is tested by
 * tests/cli/fork_test.py. */
#include "engine/ops/fork.h"

#include "base/str.h"
#include "engine/engine_help.h"
#include "io/clock.h"

#define ASKING                                                                                     \
    "\"tools\":[{\"name\":\"pick\",\"description\":\"Picks one.\",\"headless\":true}],"            \
    "\"pauses\":{\"headless\":{\"deadline\":\"1h\",\"on_expire\":\"fail\"}}"
#define ASKING_SCRIPT                                                                              \
    "{\"replies\":[{\"calls\":[{\"name\":\"pick\",\"arguments\":{}}]},{\"text\":\"good\"}]}"

/* A run that has ended, and everything that a fork of it needs. */
typedef struct forked {
    help_host h;
    haft_agent *agent;
    haft_run *run;
    haft__arena arena;
    haft__fork_source from;
} forked;

static void forked_init(forked *f, const char *members, const char *script, bool answer)
{
    haft__arena_init(&f->arena, 0);
    help_host_init(&f->h, "memory:");
    f->agent = help_host_agent(&f->h, members, script);
    f->run = NULL;
    CHECK_INT(haft_run_start(f->agent, "go", NULL, &f->run, &f->h.err), HAFT_OK, "%s",
              f->h.err.message);
    help_host_settle(&f->h, f->run);
    if (answer) {
        CHECK_INT(haft_run_answer(f->run, "c1.1", "1", &f->h.err), HAFT_OK, "%s", f->h.err.message);
        help_host_settle(&f->h, f->run);
    }
    haft__store_request find = {
        .verb = HAFT__STORE_FIND, .name = haft__str(haft_run_id(f->run)), .arena = &f->arena};
    CHECK_INT(haft__store_submit_and_wait(f->h.runtime->store, &find, &f->h.err), HAFT_OK, "%s",
              f->h.err.message);
    f->from =
        (haft__fork_source){.name = "log",
                            .lines = haft__arena_copy(&f->arena, help_host_events(&f->h, f->run)),
                            .spec = f->agent->spec,
                            .hash_key = f->h.runtime->hash_key,
                            .row = find.found[0],
                            .runtime = f->h.runtime};
}

static void forked_finish(forked *f)
{
    haft__arena_finish(&f->arena);
    haft_run_release(f->run);
    haft_agent_release(f->agent);
    help_host_finish(&f->h);
}

/* ---- where a run is forked ---- */

typedef struct row {
    haft__fork_options options;
    haft_status status;
    haft__fork_refusal refusal;
    bool copied;
} row;

static void check_rows(forked *f, const row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        haft__fork fork;
        haft_error err = {0};
        haft_status status = haft__fork_create(&f->from, &rows[i].options, &f->arena, &fork, &err);
        CHECK_INT(status, rows[i].status, "row %zu: %s", i, err.message);
        CHECK_INT(fork.refusal, rows[i].refusal, "row %zu: %s", i, err.message);
        CHECK_INT(fork.copied, rows[i].copied, "row %zu", i);
        CHECK(status != HAFT_OK || haft__id_valid(haft__str(fork.id)), "row %zu: no id", i);
    }
}

TEST(a_run_that_has_ended_is_forked_at_a_turn_or_copied)
{
    static const row rows[] = {
        {{.point = HAFT__FORK_AT_TURN, .number = 0}, HAFT_OK, HAFT__FORK_NOT_REFUSED, false},
        {{.point = HAFT__FORK_AT_START, .task = "other"}, HAFT_OK, HAFT__FORK_NOT_REFUSED, false},
        {{.point = HAFT__FORK_AT_END}, HAFT_OK, HAFT__FORK_NOT_REFUSED, true},
        {{.point = HAFT__FORK_AT_END, .continues = true},
         HAFT_BAD_INPUT,
         HAFT__FORK_NOTHING_LEFT,
         false},
        {{.point = HAFT__FORK_AT_TURN, .number = 7}, HAFT_BAD_INPUT, HAFT__FORK_NO_TURN, false},
        {{.point = HAFT__FORK_AT_CALL, .call = "c9.9"}, HAFT_BAD_INPUT, HAFT__FORK_NO_CALL, false},
        {{.point = HAFT__FORK_AT_EVENT, .number = 2},
         HAFT_BAD_INPUT,
         HAFT__FORK_INSIDE_TURN,
         false},
        {{.point = HAFT__FORK_AT_END, .thread = "x"}, HAFT_BAD_INPUT, HAFT__FORK_BAD_THREAD, false},
    };
    forked f;
    forked_init(&f, "", "{\"replies\":[{\"text\":\"good\"}]}", false);
    check_rows(&f, rows, COUNT(rows));
    row used = {.options = {.point = HAFT__FORK_AT_END},
                .status = HAFT_BAD_INPUT,
                .refusal = HAFT__FORK_THREAD_NOT_EMPTY};
    haft_str thread = haft__arena_copy(&f.arena, f.from.row.thread);
    used.options.thread = thread.ptr;
    check_rows(&f, &used, 1);
    forked_finish(&f);
}

TEST(a_fork_is_paused_where_a_call_was_answered)
{
    static const row rows[] = {
        {{.point = HAFT__FORK_AT_CALL, .call = "c1.1"}, HAFT_OK, HAFT__FORK_NOT_REFUSED, false},
        {{.point = HAFT__FORK_AT_TURN, .number = 1}, HAFT_OK, HAFT__FORK_NOT_REFUSED, false},
    };
    forked f;
    forked_init(&f, ASKING, ASKING_SCRIPT, true);
    check_rows(&f, rows, COUNT(rows));
    haft__fork fork;
    CHECK_INT(haft__fork_create(&f.from, &rows[0].options, &f.arena, &fork, &f.h.err), HAFT_OK,
              "%s", f.h.err.message);
    haft_run *run = NULL;
    CHECK_INT(haft_run_open(f.h.runtime, fork.id, &run, &f.h.err), HAFT_OK, "%s", f.h.err.message);
    help_host_settle(&f.h, run);
    CHECK_INT(haft_run_state(run), HAFT_WAITING, "the fork does not wait");
    haft_run_release(run);
    forked_finish(&f);
}

/* The lines of a log up to the first that contains `text`. */
static haft_str lines_until(haft_str lines, const char *text)
{
    haft_str rest = lines;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        if (haft__str_contains_ignore_case(line, haft__str(text))) {
            return (haft_str){lines.ptr, lines.len - rest.len};
        }
    }
    return lines;
}

/* After call_started the child starts without a question, so a fork would start a second one. */
TEST(a_call_of_an_agent_that_is_about_to_start_its_child_is_not_started_twice)
{
    static const struct {
        const char *traits, *until;
        haft_status status;
    } rows[] = {
        {"", "\"paused\"", HAFT_BAD_STATE},
        {"", "\"call_started\",\"call\":\"c1.2\"", HAFT_BAD_STATE},
        {"", "\"child_started\"", HAFT_BAD_STATE},
        {",\"traits\":{\"read_only\":true}", "\"call_started\",\"call\":\"c1.2\"", HAFT_OK},
        {",\"traits\":{\"read_only\":true}", "\"child_started\"", HAFT_BAD_STATE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char members[512];
        forked f;
        (void)snprintf(members, sizeof(members),
                       "\"tools\":[{\"name\":\"pick\",\"description\":\"Picks one.\","
                       "\"headless\":true},{\"name\":\"dig\",\"agent\":\"digger\"%s}],"
                       "\"agents\":{\"digger\":{\"haft\":1,\"name\":\"digger\","
                       "\"description\":\"Digs.\",\"model\":\"script:1.json\"}}",
                       rows[i].traits);
        forked_init(&f, members,
                    "{\"replies\":[{\"calls\":[{\"name\":\"pick\",\"arguments\":{}},"
                    "{\"name\":\"dig\",\"arguments\":{\"task\":\"gold\"}}]}]}",
                    false);
        f.from.lines = lines_until(f.from.lines, rows[i].until);
        haft__fork_options end = {.point = HAFT__FORK_AT_END};
        haft__fork fork;
        haft_error err = {0};
        CHECK_INT(haft__fork_create(&f.from, &end, &f.arena, &fork, &err), rows[i].status,
                  "row %zu: %s", i, err.message);
        CHECK_INT(fork.refusal,
                  rows[i].status == HAFT_OK ? HAFT__FORK_NOT_REFUSED : HAFT__FORK_CALL_UNDER_WAY,
                  "row %zu: %s", i, err.message);
        forked_finish(&f);
    }
}

/* ---- memory ---- */

static void fail_everywhere(const haft__fork_source *from, const haft__fork_options *options,
                            const char *what)
{
    bool failed = true;
    unsigned n = 0;
    for (; failed; n++) {
        haft_error err = {0};
        haft__fork fork;
        haft__arena arena;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status = haft__fork_create(from, options, &arena, &fork, &err);
        failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK(failed || status == HAFT_OK, "%s: %s", what, err.message);
        CHECK(status == HAFT_OK || err.status == HAFT_NO_MEMORY, "%s, %u: %d, %s", what, n,
              (int)err.status, err.message);
    }
    CHECK(n > 5, "%s: %u tries", what, n);
}

TEST(a_fork_survives_failed_allocations)
{
    forked f;
    forked_init(&f, "", "{\"replies\":[{\"text\":\"good\"}]}", false);
    haft__fork_options turn = {.point = HAFT__FORK_AT_TURN};
    haft__fork_options end = {.point = HAFT__FORK_AT_END};
    haft__fork_options task = {.point = HAFT__FORK_AT_START, .task = "another"};
    fail_everywhere(&f.from, &turn, "in a store");
    fail_everywhere(&f.from, &end, "of a run that has ended");
    f.from.runtime = NULL;
    fail_everywhere(&f.from, &turn, "of a file");
    fail_everywhere(&f.from, &task, "of a file, with a new task");
    forked_finish(&f);
}

/* The events since the question move to another time. */
TEST(a_fork_at_a_question_survives_failed_allocations)
{
    forked f;
    forked_init(&f, ASKING, ASKING_SCRIPT, true);
    haft__fork_options call = {.point = HAFT__FORK_AT_CALL, .call = "c1.1"};
    f.from.runtime = NULL;
    for (uint64_t now = haft__clock_now(); haft__clock_now() == now;) {
    }
    fail_everywhere(&f.from, &call, "at a question");
    forked_finish(&f);
}
