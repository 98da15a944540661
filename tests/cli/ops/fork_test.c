/* SPDX-License-Identifier: Apache-2.0 */
/* Forks without memory; what a fork is: tests/cli/fork_test.py. */
#include "cli/ops/fork.h"

#include <stdio.h>

#include "base/str.h"
#include "cli/ops/thread_copy.h"
#include "engine/engine_help.h"
#include "io/clock.h"

static const haft__option turn = {"turn", 0, HAFT__OPTION_NUMBER, "N", "where"};
static const haft__option call = {"call", 0, HAFT__OPTION_TEXT, "CALL", "where"};
static const haft__option task = {"task", 0, HAFT__OPTION_TEXT, "TEXT", "what else"};

/* One try; what it printed is gone. */
static haft__exit_status try_fork(const haft__fork_source *from, const haft__args *args,
                                  haft_error *err)
{
    haft__cli cli = {.out = fopen("/dev/null", "w"), .errors = fopen("/dev/null", "w")};
    CHECK(cli.out != NULL && cli.errors != NULL, "no files");
    haft__arena_init(&cli.arena, 0);
    *err = (haft_error){0};
    haft__exit_status result = haft__fork_run(&cli, args, from, err);
    haft__arena_finish(&cli.arena);
    (void)fclose(cli.out);
    (void)fclose(cli.errors);
    return result;
}

static void fail_everywhere(const haft__fork_source *from, const haft__args *args, const char *what)
{
    haft_error err = {0};
    bool failed = true;
    unsigned n = 0;
    for (; failed; n++) {
        test_fail_allocation(n);
        haft__exit_status result = try_fork(from, args, &err);
        failed = test_allow_allocations();
        bool good = result == HAFT__EXIT_DONE;
        CHECK(failed || good, "%s: %s", what, err.message);
        CHECK(good || err.status == HAFT_NO_MEMORY, "%s, %u: %d, %s", what, n, (int)err.status,
              err.message);
    }
    CHECK(n > 5, "%s: %u tries", what, n);
}

TEST(a_fork_without_memory)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(&h, "", "{\"replies\":[{\"text\":\"good\"}]}");
    haft_run *run = NULL;
    CHECK_INT(haft_run_start(agent, "go", NULL, &run, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__store_request find = {
        .verb = HAFT__STORE_FIND, .name = haft__str(haft_run_id(run)), .arena = &arena};
    CHECK_INT(haft__store_submit_and_wait(h.runtime->store, &find, &h.err), HAFT_OK, "%s",
              h.err.message);
    haft_str lines = haft__arena_copy(&arena, help_host_events(&h, run));
    const haft__args_option at_turn[] = {{&turn, "0"}}, new_task[] = {{&task, "another"}};
    haft__args args = {.given = at_turn, .given_count = 1};
    haft__fork_source from = {.name = "log",
                              .lines = lines,
                              .spec = agent->spec,
                              .hash_key = h.runtime->hash_key,
                              .row = find.found[0],
                              .runtime = h.runtime};
    fail_everywhere(&from, &args, "in a store");
    args.given_count = 0;
    fail_everywhere(&from, &args, "of a run that has ended");
    args.given_count = 1;
    from.runtime = NULL;
    fail_everywhere(&from, &args, "of a file");
    args.given = new_task;
    fail_everywhere(&from, &args, "of a file, with a new task");
    haft__arena_finish(&arena);
    haft_run_release(run);
    haft_agent_release(agent);
    help_host_finish(&h);
}

/* Its questions move to another time. */
TEST(a_fork_at_a_question_without_memory)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(
        &h,
        "\"tools\":[{\"name\":\"pick\",\"description\":\"Picks one.\",\"headless\":true}],"
        "\"pauses\":{\"headless\":{\"deadline\":\"1h\",\"on_expire\":\"fail\"}}",
        "{\"replies\":[{\"calls\":[{\"name\":\"pick\",\"arguments\":{}}]},{\"text\":\"good\"}]}");
    haft_run *run = NULL;
    CHECK_INT(haft_run_start(agent, "go", NULL, &run, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    CHECK_INT(haft_run_answer(run, "c1.1", "1", &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_str lines = haft__arena_copy(&arena, help_host_events(&h, run));
    const haft__args_option where[] = {{&call, "c1.1"}};
    haft__args args = {.given = where, .given_count = 1};
    haft__fork_source from = {
        .name = "log", .lines = lines, .spec = agent->spec, .hash_key = h.runtime->hash_key};
    for (uint64_t now = haft__clock_now(); haft__clock_now() == now;) {
    }
    fail_everywhere(&from, &args, "at a question");
    haft__arena_finish(&arena);
    haft_run_release(run);
    haft_agent_release(agent);
    help_host_finish(&h);
}

TEST(a_run_that_has_not_ended_is_not_copied)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(
        &h, "\"tools\":[{\"name\":\"pick\",\"description\":\"Picks one.\",\"headless\":true}]",
        "{\"replies\":[{\"calls\":[{\"name\":\"pick\",\"arguments\":{}}]}]}");
    haft_run *run = NULL;
    haft__cli cli = {.out = stdout, .errors = stderr};
    haft__arena_init(&cli.arena, 0);
    CHECK_INT(haft_run_start(agent, "go", NULL, &run, &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    haft_status status = haft__thread_copy_run(&cli, h.runtime, haft__str(haft_run_id(run)),
                                               HAFT__LIT("another"), NULL, &h.err);
    CHECK_INT(status, HAFT_BAD_STATE, "%s", h.err.message);
    CHECK(strstr(h.err.message, "has not ended") != NULL, "%s", h.err.message);
    haft__store_request list = {
        .verb = HAFT__STORE_LIST, .thread = HAFT__LIT("another"), .arena = &cli.arena};
    CHECK_INT(haft__store_submit_and_wait(h.runtime->store, &list, &h.err), HAFT_OK, "%s",
              h.err.message);
    CHECK_INT(list.found_count, 0, "there is something of it");
    haft__arena_finish(&cli.arena);
    haft_run_release(run);
    haft_agent_release(agent);
    help_host_finish(&h);
}
