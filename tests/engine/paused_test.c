/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine_help.h"
#include "io/clock.h"

#define LOOK                                                                                       \
    "\"tools\":[{\"name\":\"look\",\"description\":\"Look.\",\"args\":[],\"headless\":true}]"
#define SCRIPT "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"good\"}]}"

/* How many runs are active at the same time. */
#define RUNS_AT_ONCE 50

static void step(help_host *h)
{
    CHECK_INT(haft_runtime_step(h->runtime, 1000, &h->err), HAFT_OK, "%s", h->err.message);
}

/* Starts `count` runs, waits until each is paused, stores its id and releases it. */
static void start_and_pause(help_host *h, haft_agent *agent, size_t count, char (*ids)[32])
{
    haft_run *runs[RUNS_AT_ONCE] = {NULL};
    for (size_t i = 0; i < count; i++) {
        CHECK_INT(haft_run_start(agent, "go", NULL, &runs[i], &h->err), HAFT_OK, "%s",
                  h->err.message);
    }
    for (size_t i = 0; i < count; i++) {
        help_host_settle(h, runs[i]);
        CHECK_INT(haft_run_state(runs[i]), HAFT_WAITING, "%s", runs[i]->error.message);
        (void)snprintf(ids[i], sizeof(ids[i]), "%s", haft_run_id(runs[i]));
        haft_run_release(runs[i]);
    }
    while (h->runtime->runs != NULL) {
        step(h);
    }
}

static void shuffle(char (*ids)[32], size_t count)
{
    uint64_t random = 88172645463325252U;
    for (size_t i = count; i > 1; i--) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        char other[32];
        size_t at = random % i;
        memcpy(other, ids[i - 1], sizeof(other));
        memcpy(ids[i - 1], ids[at], sizeof(other));
        memcpy(ids[at], other, sizeof(other));
    }
}

/* Opens the runs, answers their questions, and checks that each run ends. */
static void open_and_answer(help_host *h, size_t count, char (*ids)[32])
{
    haft_run *runs[RUNS_AT_ONCE] = {NULL};
    for (size_t i = 0; i < count; i++) {
        CHECK_INT(haft_run_open(h->runtime, ids[i], &runs[i], &h->err), HAFT_OK, "%s: %s", ids[i],
                  h->err.message);
        CHECK_INT(haft_run_answer(runs[i], "c1.1", "1", &h->err), HAFT_OK, "%s", h->err.message);
    }
    for (size_t i = 0; i < count; i++) {
        help_host_settle(h, runs[i]);
        CHECK_STR(haft__str(haft_run_end(runs[i])), HAFT__LIT("done"), "%s", ids[i]);
        haft_run_release(runs[i]);
    }
    while (h->runtime->runs != NULL) {
        step(h);
    }
}

TEST(runs_that_wait_are_answered_after_a_restart_in_any_order)
{
    const size_t count = getenv("HAFT_LONG") != NULL ? 10000 : 300;
    char(*ids)[32] = test_alloc(count * sizeof(*ids));
    char directory[] = "/tmp/haft-paused-XXXXXX", url[128];
    CHECK(mkdtemp(directory) != NULL, "no directory");
    (void)snprintf(url, sizeof(url), "sqlite:%s/haft.db", directory);
    help_host first, second;
    help_host_init(&first, url);
    haft_agent *agent = help_host_agent(&first, LOOK, SCRIPT);
    for (size_t i = 0; i < count; i += RUNS_AT_ONCE) {
        start_and_pause(&first, agent, count - i < RUNS_AT_ONCE ? count - i : RUNS_AT_ONCE,
                        &ids[i]);
    }
    haft_agent_release(agent);
    haft_runtime_destroy(first.runtime); /* the scripts of `first` are still needed */
    first.runtime = NULL;

    char path[160];
    struct stat file = {0};
    (void)snprintf(path, sizeof(path), "%s/haft.db", directory);
    CHECK_INT(stat(path, &file), 0, "the store has no file");
    uint64_t start = haft__clock_now();
    help_host_init(&second, url);
    uint64_t opened = haft__clock_now();
    shuffle(ids, count);
    for (size_t i = 0; i < count; i += RUNS_AT_ONCE) {
        open_and_answer(&second, count - i < RUNS_AT_ONCE ? count - i : RUNS_AT_ONCE, &ids[i]);
    }
    (void)printf("# store opened in %d ms, %zu runs answered in %d ms\n", (int)(opened - start),
                 count, (int)(haft__clock_now() - opened));
    struct rusage used = {0};
    (void)getrusage(RUSAGE_SELF, &used);
    (void)printf("# %d bytes of the file for each paused run, at most %ld KB of memory\n",
                 (int)((uint64_t)file.st_size / count), used.ru_maxrss);
    haft__store_request open = {.verb = HAFT__STORE_LIST, .open_only = true};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    open.arena = &arena;
    CHECK_INT(haft__store_submit_and_wait(second.runtime->store, &open, &second.err), HAFT_OK, "%s",
              second.err.message);
    CHECK_INT(open.found_count, 0, "runs that have not ended");
    haft__arena_finish(&arena);
    help_host_finish(&second);
    help_host_finish(&first);
    (void)unlink(path);
    CHECK_INT(rmdir(directory), 0, "the directory is not empty");
}
