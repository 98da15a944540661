/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/open.c: two runtimes that open the same run. */
#include <unistd.h>

#include "base/str.h"
#include "engine_help.h"

#define LOOK         "{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"
#define PICK         "\"tools\":[" LOOK "\"headless\":true}]"
#define SLOW(traits) "\"tools\":[" LOOK "\"command\":[\"sleep\",\"300\"],\"traits\":{" traits "}}]"
#define SCRIPT       "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"good\"}]}"

/* Two runtimes over one file, like those of two processes. */
typedef struct pair {
    help_host first, second;
    char directory[64], url[128];
} pair;

static void pair_init(pair *p)
{
    (void)snprintf(p->directory, sizeof(p->directory), "/tmp/haft-open-XXXXXX");
    CHECK(mkdtemp(p->directory) != NULL, "no directory");
    (void)snprintf(p->url, sizeof(p->url), "sqlite:%s/haft.db", p->directory);
    help_host_init(&p->first, p->url);
    help_host_init(&p->second, p->url);
}

static void pair_finish(pair *p)
{
    static const char *const names[] = {"haft.db", "haft.db-wal", "haft.db-shm"};
    char path[128];
    help_host_finish(&p->second);
    help_host_finish(&p->first);
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", p->directory, names[i]);
        (void)unlink(path);
    }
    CHECK_INT(rmdir(p->directory), 0, "the directory is not empty");
}

TEST(two_processes_never_own_the_same_run)
{
    pair p;
    pair_init(&p);
    haft_run *run = help_host_start(&p.first, PICK, SCRIPT, "go"), *other = NULL;
    help_host_settle(&p.first, run);
    CHECK_INT(haft_run_open(p.second.runtime, haft_run_id(run), &other, &p.second.err),
              HAFT_BAD_STATE, "%s", p.second.err.message);
    haft_run_release(run);
    CHECK_INT(haft_runtime_step(p.first.runtime, 1000, NULL), HAFT_OK, "step");
    pair_finish(&p);
}

TEST(another_process_continues_after_a_release)
{
    pair p;
    pair_init(&p);
    haft_run *run = help_host_start(&p.first, PICK, SCRIPT, "go"), *other = NULL;
    help_host_settle(&p.first, run);
    char id[32];
    (void)snprintf(id, sizeof(id), "%s", haft_run_id(run));
    haft_run_release(run);
    while (p.first.runtime->runs != NULL) {
        CHECK_INT(haft_runtime_step(p.first.runtime, 1000, NULL), HAFT_OK, "step");
    }
    CHECK_INT(haft_run_open(p.second.runtime, id, &other, &p.second.err), HAFT_OK, "%s",
              p.second.err.message);
    help_host_settle(&p.second, other);
    CHECK_INT(haft_run_state(other), HAFT_WAITING, "state");
    haft_run_release(other);
    pair_finish(&p);
}

TEST(a_message_reaches_the_owner_of_the_run)
{
    pair p;
    pair_init(&p);
    haft_run *run = help_host_start(&p.first, PICK, SCRIPT, "go");
    help_host_settle(&p.first, run);
    static const char *const texts[] = {
        "no command", "{\"command\":\"dance\"}",
        "{\"command\":\"answer\",\"call\":\"c9.1\",\"value\":1,\"by\":\"b\",\"why\":\"\"}",
        "{\"command\":\"answer\",\"call\":\"\",\"value\":\"it\",\"by\":\"b\",\"why\":\"\"}"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        haft__store_request request = {.verb = HAFT__STORE_SEND,
                                       .run.id = haft__str(haft_run_id(run)),
                                       .text = haft__str(texts[i])};
        CHECK_INT(haft__store_submit_and_wait(p.second.runtime->store, &request, &p.second.err),
                  HAFT_OK, "%s", p.second.err.message);
    }
    uint64_t start = haft__loop_now(p.first.runtime->loop);
    while (haft_run_state(run) != HAFT_ENDED
           && haft__loop_now(p.first.runtime->loop) - start < 10000) {
        CHECK_INT(haft_runtime_step(p.first.runtime, 100, NULL), HAFT_OK, "step");
    }
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    haft_run_release(run);
    pair_finish(&p);
}

/* Opens a run whose call was running when its owner stopped. Returns whether the call runs again or
 * a person is asked, and the number of its attempt. */
static haft_str reopen(const char *spec)
{
    static char end[32];
    pair p;
    pair_init(&p);
    haft_run *run = help_host_start(&p.first, spec, SCRIPT, "go"), *other = NULL;
    while (run->slots == NULL) {
        CHECK_INT(haft_runtime_step(p.first.runtime, 1000, NULL), HAFT_OK, "step");
    }
    char id[32];
    (void)snprintf(id, sizeof(id), "%s", haft_run_id(run));
    haft_run_release(run);
    while (p.first.runtime->runs != NULL) {
        CHECK_INT(haft_runtime_step(p.first.runtime, 1000, NULL), HAFT_OK, "step");
    }
    CHECK_INT(haft_run_open(p.second.runtime, id, &other, &p.second.err), HAFT_OK, "%s",
              p.second.err.message);
    while (haft_run_state(other) == HAFT_RUNNING && other->slots == NULL) {
        CHECK_INT(haft_runtime_step(p.second.runtime, 1000, NULL), HAFT_OK, "step");
    }
    (void)snprintf(end, sizeof(end), "%s %u",
                   haft_run_state(other) == HAFT_WAITING ? "asks" : "runs",
                   other->state.calls[0].attempt);
    haft_run_release(other);
    pair_finish(&p);
    return haft__str(end);
}

TEST(an_interrupted_call_runs_again_only_if_it_may_be_repeated)
{
    CHECK_STR(reopen(SLOW("\"read_only\":true")), HAFT__LIT("runs 2"), "may be repeated");
    CHECK_STR(reopen(SLOW("\"read_only\":false")), HAFT__LIT("asks 1"), "may not be repeated");
}

TEST(a_call_in_its_poll_delay_is_not_lost)
{
    pair p;
    pair_init(&p);
    haft_run *run = help_host_start(
        &p.first,
        "\"tools\":[" LOOK "\"command\":[\"date\",\"+%s%3N\"],\"traits\":{\"read_only\":true,"
        "\"polls\":true,\"poll_delay\":\"400ms\"}}]",
        "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"calls\":[{\"name\":\"look\"}]},{"
        "\"text\":\"good\"}]}",
        "go");
    while (run->state.call_count < 2 && haft_run_state(run) != HAFT_ENDED) {
        CHECK_INT(haft_runtime_step(p.first.runtime, 10, &p.first.err), HAFT_OK, "step");
    }
    CHECK_INT(run->state.calls[1].stage, HAFT__CALL_ARRIVED,
              "the second call did not wait for its delay");
    char id[32];
    (void)snprintf(id, sizeof(id), "%s", haft_run_id(run));
    haft_run_release(run);
    while (p.first.runtime->runs != NULL) {
        CHECK_INT(haft_runtime_step(p.first.runtime, 1000, NULL), HAFT_OK, "step");
    }
    haft_run *other = NULL;
    CHECK_INT(haft_run_open(p.second.runtime, id, &other, &p.second.err), HAFT_OK, "%s",
              p.second.err.message);
    help_host_settle(&p.second, other);
    const haft__run_call *calls = other->state.calls;
    uint64_t ran_ms = 0; /* the tool prints the time at which it runs */
    CHECK_STR(haft__str(haft_run_end(other)), HAFT__LIT("done"), "%s", other->error.message);
    CHECK(calls[1].ok && haft__str_to_u64(haft__str_trim(calls[1].result), &ran_ms),
          "the second call did not run");
    CHECK_INT(calls[1].attempt, 1, "attempts");
    CHECK(ran_ms >= calls[0].finished_ms + 400,
          "the second call did not wait for the rest of its delay");
    haft_run_release(other);
    pair_finish(&p);
}
