/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/worker/worker.c and skip.c; tests/cli/worker_test.py has several processes.
 */
#include "engine/worker/worker.h"

#include <dirent.h>
#include <unistd.h>

#include "base/str.h"
#include "engine/faulty_help.h"
#include "engine/run.h"
#include "engine/worker/worker_int.h"

/* ---- skipped runs ---- */

static const char *id_of(unsigned n)
{
    char *id = test_alloc(HAFT__ID_LENGTH + 1);
    (void)snprintf(id, HAFT__ID_LENGTH + 1, "run%u", n);
    return id;
}

TEST(the_time_until_a_skipped_run_is_retried_grows)
{
    haft__skip_set *skips = test_alloc(sizeof(*skips));
    haft__skip_list *list = test_alloc(sizeof(*list));
    skips->count = 0;
    uint64_t wanted = HAFT__LIMIT_WORK_RETRY_MS;
    for (int i = 0; i < 12; i++) {
        CHECK_INT(haft__skip_set_add(skips, "a", 1000), wanted, "attempt %d", i);
        wanted =
            2 * wanted < HAFT__LIMIT_WORK_RETRY_MAX_MS ? 2 * wanted : HAFT__LIMIT_WORK_RETRY_MAX_MS;
    }
    CHECK_INT(wanted, HAFT__LIMIT_WORK_RETRY_MAX_MS, "the longest time");
    CHECK_INT(haft__skip_set_list(skips, 1000 + HAFT__LIMIT_WORK_RETRY_MAX_MS - 1, list), 1,
              "skipped runs just before the time");
    CHECK_STR(list->texts[0], HAFT__LIT("a"), "the skipped run");
    CHECK_INT(haft__skip_set_list(skips, 1000 + HAFT__LIMIT_WORK_RETRY_MAX_MS, list), 0,
              "skipped runs at the time");
    haft__skip_set_remove(skips, "a");
    haft__skip_set_remove(skips, "b");
    CHECK_INT(haft__skip_set_add(skips, "a", 0), HAFT__LIMIT_WORK_RETRY_MS,
              "the time after the run was removed from the set");
}

TEST(the_run_that_is_due_first_is_dropped_from_the_list)
{
    haft__skip_set *skips = test_alloc(sizeof(*skips));
    haft__skip_list *list = test_alloc(sizeof(*list));
    skips->count = 0;
    for (unsigned n = 0; n < HAFT__LIMIT_WORK_SKIPPED; n++) {
        (void)haft__skip_set_add(skips, id_of(n), n == 7 ? 1 : 2);
    }
    CHECK_INT(haft__skip_set_list(skips, 0, list), HAFT__LIMIT_WORK_SKIPPED, "at the limit");
    (void)haft__skip_set_add(skips, "more", 2);
    CHECK_INT(haft__skip_set_list(skips, 0, list), HAFT__LIMIT_WORK_SKIPPED, "one past the limit");
    bool more = false, seven = false;
    for (size_t i = 0; i < HAFT__LIMIT_WORK_SKIPPED; i++) {
        more = more || haft__str_equal(list->texts[i], HAFT__LIT("more"));
        seven = seven || haft__str_equal(list->texts[i], HAFT__LIT("run7"));
    }
    CHECK(more && !seven, "the wrong one made room");
}

/* ---- work ---- */

#define LOOK                                                                                       \
    "\"tools\":[{\"name\":\"look\",\"description\":\"Look.\",\"args\":[],\"headless\":true}]"
#define SLOW                                                                                       \
    "\"tools\":[{\"name\":\"look\",\"description\":\"Look.\",\"args\":[],\"command\":[\"sleep\","  \
    "\"300\"],"                                                                                    \
    "\"traits\":{\"read_only\":true}}]"
#define ASKS  "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"asked\"}]}"
#define QUICK "{\"replies\":[{\"text\":\"quick\"}]}"

typedef struct worker_case {
    help_host h;
    char folder[64], url[128];
    unsigned counts[HAFT__WORKER_ERROR + 1];
    char last[HAFT__ID_LENGTH + 1];
    haft_error error;
    haft__worker *work;    /* the worker whose polls are recorded, or NULL */
    bool quick[3];         /* whether the first polls were quick */
    bool down_after_error; /* the store becomes unreachable after the first error */
} worker_case;

static void on_worker_event(void *context, const haft__worker_event *worker_event)
{
    worker_case *p = context;
    unsigned count = p->counts[worker_event->kind]++;
    if (p->work != NULL && worker_event->kind == HAFT__WORKER_CLAIMED && count < COUNT(p->quick)) {
        uint64_t now = haft__loop_now(p->h.runtime->loop);
        p->quick[count] = p->work->request.quick;
        /* The worker has recorded the time: the next poll is soon, the one after is late. */
        p->work->abandoned_poll_ms = count == 0 ? now : now - HAFT__LIMIT_WORK_ABANDONED_MS;
        p->work->abandoned_poll_ms += count == 0 ? HAFT__LIMIT_WORK_ABANDONED_MS : 0;
    }
    if (p->down_after_error && worker_event->kind == HAFT__WORKER_ERROR) {
        help_faulty_set(HELP_DOWN);
    }
    (void)snprintf(p->last, sizeof(p->last), "%s", worker_event->run);
    if (worker_event->error != NULL) {
        p->error = *worker_event->error;
    }
}

static void case_init(worker_case *p)
{
    *p = (worker_case){.folder = "/tmp/haft-work-XXXXXX"};
    CHECK(mkdtemp(p->folder) != NULL, "no directory");
    (void)snprintf(p->url, sizeof(p->url), "sqlite:%s/haft.db", p->folder);
    help_host_init(&p->h, p->url);
}

static void case_finish(worker_case *p)
{
    help_host_finish(&p->h);
    DIR *dir = opendir(p->folder);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[512];
        (void)snprintf(path, sizeof(path), "%s/%s", p->folder, entry->d_name);
        (void)unlink(path);
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    (void)rmdir(p->folder);
}

/* Puts a run without an owner into the store. */
static haft_str enqueue(worker_case *p, const char *members, const char *script)
{
    haft_run *run = NULL;
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    options.enqueue = true;
    haft_agent *agent = help_host_agent(&p->h, members, script);
    CHECK_INT(haft_run_start(agent, "go", &options, &run, &p->h.err), HAFT_OK, "%s",
              p->h.err.message);
    while (run->log.durable_seq == 0) {
        CHECK_INT(haft_runtime_step(p->h.runtime, 1000, &p->h.err), HAFT_OK, "no step");
    }
    char *id = test_alloc(HAFT__ID_LENGTH + 1);
    (void)snprintf(id, HAFT__ID_LENGTH + 1, "%s", run->id);
    haft_run_release(run);
    haft_agent_release(agent);
    return haft__str(id);
}

static haft__worker *create_worker(worker_case *p, size_t concurrency)
{
    haft__worker *work = NULL;
    haft__worker_options options = {
        .concurrency = concurrency, .poll_ms = 20, .notify = on_worker_event, .context = p};
    CHECK_INT(haft__worker_create(p->h.runtime, &options, &work, &p->h.err), HAFT_OK, "%s",
              p->h.err.message);
    return work;
}

static void work_until_idle(worker_case *p, haft__worker *work)
{
    while (!haft__worker_is_idle(work)) {
        CHECK_INT(haft__worker_step(work, &p->h.err), HAFT_OK, "%s", p->h.err.message);
    }
}

static haft__store_run find(worker_case *p, haft_str id, haft__arena *arena)
{
    haft__store_request request = {.verb = HAFT__STORE_FIND, .name = id, .arena = arena};
    CHECK_INT(haft__store_submit_and_wait(p->h.runtime->store, &request, &p->h.err), HAFT_OK, "%s",
              p->h.err.message);
    return request.found[0];
}

static void send(worker_case *p, haft_str id, haft__run_command_kind kind)
{
    haft__run_command command = {.kind = kind,
                                 .call = HAFT__LIT("c1.1"),
                                 .value = haft__json_null(),
                                 .by = HAFT__LIT("test"),
                                 .why = HAFT__LIT("")};
    haft__buf_clear(&p->h.text);
    haft__run_command_write(&p->h.text, &command);
    haft__store_request request = {
        .verb = HAFT__STORE_SEND, .run.id = id, .text = haft__buf_str(&p->h.text)};
    CHECK_INT(haft__store_submit_and_wait(p->h.runtime->store, &request, &p->h.err), HAFT_OK, "%s",
              p->h.err.message);
}

TEST(runs_continue_wait_and_are_released)
{
    worker_case p;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    case_init(&p);
    haft_str asks = enqueue(&p, LOOK, ASKS);
    for (int i = 0; i < 4; i++) {
        (void)enqueue(&p, "", QUICK);
    }
    haft__worker *work = create_worker(&p, 2);
    work_until_idle(&p, work);
    CHECK_INT(p.counts[HAFT__WORKER_CLAIMED], 5, "claimed runs");
    CHECK_INT(p.counts[HAFT__WORKER_ENDED], 4, "ended runs");
    CHECK_INT(p.counts[HAFT__WORKER_WAITING], 1, "waiting runs");
    CHECK_INT(find(&p, asks, &arena).owner.len, 0, "the waiting run has an owner");
    CHECK(p.h.runtime->runs == NULL, "a run is kept in memory");

    /* Sends a command to a run without an owner. */
    send(&p, asks, HAFT__RUN_COMMAND_ANSWER);
    while (p.counts[HAFT__WORKER_ENDED] < 5) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    CHECK_STR(haft__str(p.last), asks, "the run that ended last");
    CHECK_STR(find(&p, asks, &arena).answer, HAFT__LIT("asked"), "its answer");
    CHECK_INT(p.counts[HAFT__WORKER_SKIPPED] + p.counts[HAFT__WORKER_LEASE_LOST]
                  + p.counts[HAFT__WORKER_ERROR],
              0, "%s", p.error.message);
    haft__worker_stop(work, false);
    while (!haft__worker_is_stopped(work)) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    haft__worker_destroy(work);
    haft__worker_destroy(NULL);
    case_finish(&p);
    haft__arena_finish(&arena);
}

/* The kinds of the events of a run. */
static haft_str kinds_of(worker_case *p, haft_str id, haft__arena *arena)
{
    haft__buf kinds;
    haft__store_request request = {.verb = HAFT__STORE_READ_EVENTS, .run.id = id, .arena = arena};
    CHECK_INT(haft__store_submit_and_wait(p->h.runtime->store, &request, &p->h.err), HAFT_OK, "%s",
              p->h.err.message);
    haft__buf_init(&kinds, HAFT__LIMIT_RUN_BYTES);
    for (haft_str lines = request.text; lines.len > 0;) {
        haft__event event;
        CHECK_INT(haft__event_read(arena, haft__str_split(&lines, '\n'), (haft__hash_key){0, 0},
                                   &event, &p->h.err),
                  HAFT_OK, "%s", p->h.err.message);
        haft__buf_addf(&kinds, "%s%s", kinds.len > 0 ? " " : "", haft__event_kind_name(event.kind));
    }
    haft_str kept = haft__arena_copy(arena, haft__buf_str(&kinds));
    haft__buf_finish(&kinds);
    return kept;
}

#define ASKED "run_started turn_started model_replied call_started paused"

/* A cancelled run starts nothing, with any other commands in any order. */
TEST(a_cancel_is_applied_before_a_claimed_run_does_anything)
{
    static const struct {
        const char *what;
        bool begun;
        haft__run_command_kind commands[2]; /* in this order */
        const char *wanted;
    } rows[] = {
        {"answered, cancelled",
         true,
         {HAFT__RUN_COMMAND_ANSWER, HAFT__RUN_COMMAND_CANCEL},
         ASKED " cancel_asked run_finished"},
        {"cancelled, answered",
         true,
         {HAFT__RUN_COMMAND_CANCEL, HAFT__RUN_COMMAND_ANSWER},
         ASKED " cancel_asked run_finished"},
        {"not begun",
         false,
         {HAFT__RUN_COMMAND_CANCEL, HAFT__RUN_COMMAND_CANCEL},
         "run_started cancel_asked run_finished"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        worker_case p;
        haft__arena arena;
        haft__arena_init(&arena, 0);
        case_init(&p);
        haft_str id = enqueue(&p, LOOK, ASKS);
        haft__worker *work = create_worker(&p, 1);
        if (rows[i].begun) {
            work_until_idle(&p, work);
        }
        for (size_t k = 0; k < COUNT(rows[i].commands); k++) {
            send(&p, id, rows[i].commands[k]);
        }
        while (p.counts[HAFT__WORKER_ENDED] == 0) {
            CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
        }
        CHECK_STR(find(&p, id, &arena).end, HAFT__LIT("cancelled"), "%s: the end of the run",
                  rows[i].what);
        CHECK_STR(kinds_of(&p, id, &arena), haft__str(rows[i].wanted), "%s: the events",
                  rows[i].what);
        haft__worker_destroy(work);
        case_finish(&p);
        haft__arena_finish(&arena);
    }
}

/* An unreadable message is dropped, so that its run is not claimed again and again. */
TEST(an_unreadable_message_is_delivered_once)
{
    worker_case p;
    case_init(&p);
    haft_str asks = enqueue(&p, LOOK, ASKS);
    haft__worker *work = create_worker(&p, 1);
    work_until_idle(&p, work);
    haft__store_request request = {
        .verb = HAFT__STORE_SEND, .run.id = asks, .text = HAFT__LIT("{}")};
    CHECK_INT(haft__store_submit_and_wait(p.h.runtime->store, &request, &p.h.err), HAFT_OK, "%s",
              p.h.err.message);
    while (p.counts[HAFT__WORKER_WAITING] < 2) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    work_until_idle(&p, work);
    CHECK_INT(p.counts[HAFT__WORKER_CLAIMED], 2, "claimed runs");
    haft__worker_destroy(work);
    case_finish(&p);
}

TEST(a_destroyed_worker_releases_its_runs)
{
    worker_case p;
    haft__arena arena;
    haft__arena_init(&arena, 0);
    case_init(&p);
    haft_str one = enqueue(&p, LOOK, ASKS);
    haft__worker *work = create_worker(&p, 3);
    while (p.counts[HAFT__WORKER_CLAIMED] == 0) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    haft__worker_destroy(work);
    work = create_worker(&p, 3); /* while the runs of the first one are still being released */
    haft__worker_destroy(work);
    while (p.h.runtime->runs != NULL) {
        CHECK_INT(haft_runtime_step(p.h.runtime, 1000, NULL), HAFT_OK, "no step");
    }
    CHECK_INT(find(&p, one, &arena).owner.len, 0, "the run has an owner");
    case_finish(&p);
    haft__arena_finish(&arena);
}

TEST(abandoned_runs_are_polled_less_often)
{
    worker_case p;
    case_init(&p);
    for (int i = 0; i < 3; i++) {
        (void)enqueue(&p, "", QUICK);
    }
    p.work = create_worker(&p, 3);
    work_until_idle(&p, p.work);
    CHECK_INT(p.counts[HAFT__WORKER_ENDED], 3, "ended runs");
    CHECK(!p.quick[0], "the first poll was quick");
    CHECK(p.quick[1], "the second poll was not quick");
    CHECK(!p.quick[2], "the third poll, much later, was quick");
    haft__worker_destroy(p.work);
    case_finish(&p);
}

/* The store claimed a run for this worker, and the reply was lost: the worker finds the run and
 * continues it. */
TEST(a_run_that_was_claimed_without_a_reply_is_found)
{
    worker_case p = {.folder = ""};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    help_faulty_init(&p.h, 3 * HAFT__LIMIT_RUN_LEASE_MIN_MS);
    haft_str asks = enqueue(&p, LOOK, ASKS);
    help_faulty_set(HELP_CLAIMED);
    haft__worker *work = create_worker(&p, 2);
    while (p.counts[HAFT__WORKER_ERROR] == 0) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    CHECK_INT(p.counts[HAFT__WORKER_CLAIMED], 0, "the worker knows that it claimed the run");
    CHECK(find(&p, asks, &arena).owner.len > 0, "the run has no owner");
    while (p.counts[HAFT__WORKER_WAITING] == 0) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    CHECK_STR(haft__str(p.last), asks, "the run that waits");
    CHECK(work->strays_since_ms != 0, "the worker stopped looking before the lost claim expired");
    help_faulty_wait(3 * HAFT__LIMIT_RUN_LEASE_MIN_MS + 1);
    while (work->strays_since_ms != 0) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    CHECK_INT(p.counts[HAFT__WORKER_CLAIMED], 1, "claimed runs");
    haft__worker_destroy(work);
    help_faulty_finish(&p.h);
    haft__arena_finish(&arena);
}

/* The worker polls again, but a worker that is to stop does not poll for ever. */
TEST(a_worker_reports_an_unreachable_store_after_some_polls)
{
    worker_case p = {.folder = ""};
    help_faulty_init(&p.h, HAFT__LIMIT_RUN_LEASE_MIN_MS);
    haft_str quick = enqueue(&p, "", QUICK);
    help_faulty_set(HELP_DOWN);
    unsigned takes = help_faulty_count(HAFT__STORE_CLAIM_NEXT);
    haft__worker *work = create_worker(&p, 2);
    while (!haft__worker_store_unreachable(work)) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    CHECK_INT(help_faulty_count(HAFT__STORE_CLAIM_NEXT) - takes, HAFT__LIMIT_WORK_POLL_FAILURES,
              "polls");
    CHECK_INT(p.counts[HAFT__WORKER_ERROR], 1, "reported errors");
    CHECK(!haft__worker_is_idle(work),
          "the worker is idle, but does not know whether there is work");
    help_faulty_set(HELP_FINE);
    while (p.counts[HAFT__WORKER_ENDED] == 0) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    CHECK_STR(haft__str(p.last), quick, "the run that ended after the store was back");
    CHECK(!haft__worker_store_unreachable(work), "the store is still unreachable");
    haft__worker_destroy(work);
    help_faulty_finish(&p.h);
}

/* If the lease expires before the store reports the claim, the run is released at once. */
TEST(a_run_that_was_claimed_too_slowly_is_released)
{
    worker_case p = {.folder = ""};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    help_faulty_init(&p.h, HAFT__LIMIT_RUN_LEASE_MIN_MS);
    haft_str quick = enqueue(&p, "", QUICK);
    help_faulty_set(HELP_CLAIMED_LATE);
    haft__worker *work = create_worker(&p, 2);
    unsigned reads = help_faulty_count(HAFT__STORE_READ_EVENTS);
    unsigned releases = help_faulty_count(HAFT__STORE_RELEASE);
    while (help_faulty_count(HAFT__STORE_RELEASE) == releases || work->request_pending) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    CHECK_INT(p.counts[HAFT__WORKER_ERROR], 1, "reported errors");
    CHECK_INT(p.counts[HAFT__WORKER_CLAIMED], 0, "claimed runs");
    CHECK_INT(help_faulty_count(HAFT__STORE_READ_EVENTS) - reads, 0, "reads of the run");
    CHECK(find(&p, quick, &arena).owner.len == 0, "the run has an owner");
    while (p.counts[HAFT__WORKER_ENDED] == 0) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    CHECK_STR(haft__str(p.last), quick, "the run that ended");
    haft__worker_destroy(work);
    help_faulty_finish(&p.h);
    haft__arena_finish(&arena);
}

/* If the release failed too, this worker owns the run without knowing it: it finds the run. */
TEST(a_run_that_was_claimed_too_slowly_and_not_released_is_found)
{
    worker_case p = {.folder = "", .down_after_error = true};
    help_faulty_init(&p.h, HAFT__LIMIT_RUN_LEASE_MIN_MS);
    haft_str quick = enqueue(&p, "", QUICK);
    help_faulty_set(HELP_CLAIMED_LATE);
    haft__worker *work = create_worker(&p, 2);
    while (p.counts[HAFT__WORKER_ERROR] == 0 || work->request_pending) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    CHECK(work->strays_since_ms != 0, "the worker does not look for the run");
    help_faulty_set(HELP_FINE);
    for (int i = 0; i < 30000 && p.counts[HAFT__WORKER_ENDED] == 0; i++) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    CHECK_STR(haft__str(p.last), quick, "the run that ended");
    haft__worker_destroy(work);
    help_faulty_finish(&p.h);
}

/* A run that is active here is not a stray, whatever the store was asked before. */
TEST(runs_that_are_active_here_are_not_claimed_again)
{
    worker_case p = {.folder = ""};
    help_faulty_init(&p.h, HAFT__LIMIT_RUN_LEASE_MS);
    (void)enqueue(&p, SLOW, ASKS);
    haft__worker *work = create_worker(&p, 2);
    work->strays_since_ms = 1;
    while (work->busy == 0 || work->slots[0].run->slots == NULL || !work->store_empty) {
        CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    }
    CHECK_INT(p.counts[HAFT__WORKER_CLAIMED], 1, "claimed runs");
    CHECK_INT(p.counts[HAFT__WORKER_LEASE_LOST] + p.counts[HAFT__WORKER_SKIPPED], 0, "%s",
              p.error.message);
    haft__worker_destroy(work);
    help_faulty_finish(&p.h);
}

/* If a list is full, the caller knows it, so no active run is mistaken for a stray. */
TEST(a_skip_list_is_bounded)
{
    haft__skip_list *list = test_alloc(sizeof(*list));
    CHECK(haft__skip_list_add(list, HAFT__SKIP_LIST_CAPACITY - 1, "a"),
          "the last worker_case is full");
    CHECK(!haft__skip_list_add(list, HAFT__SKIP_LIST_CAPACITY, "a"),
          "a run past the capacity was added");
}

/* Whichever allocation fails, the worker continues, or another one ends the runs that it skipped.
 */
TEST(a_worker_without_memory_loses_no_run)
{
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        worker_case p = {.folder = ""};
        haft__arena arena;
        haft__arena_init(&arena, 0);
        help_faulty_init(&p.h, HAFT__LIMIT_RUN_LEASE_MS);
        haft_str id = enqueue(&p, "", QUICK);
        haft__worker *work = create_worker(&p, 1);
        test_fail_allocation(n);
        for (int i = 0;
             i < 200 && p.counts[HAFT__WORKER_ENDED] + p.counts[HAFT__WORKER_SKIPPED] == 0; i++) {
            (void)!haft__worker_step(work, NULL);
        }
        failed = test_allow_allocations();
        CHECK(failed || p.counts[HAFT__WORKER_ENDED] == 1, "%u: %s", n, p.error.message);
        haft__worker_destroy(work);
        work = create_worker(&p, 1);
        for (int i = 0; i < 30000 && p.counts[HAFT__WORKER_ENDED] == 0; i++) {
            CHECK_INT(haft__worker_step(work, &p.h.err), HAFT_OK, "%u: %s", n, p.h.err.message);
        }
        CHECK_STR(find(&p, id, &arena).end, HAFT__LIT("done"), "allocation %u", n);
        haft__worker_destroy(work);
        help_faulty_finish(&p.h);
        haft__arena_finish(&arena);
    }
}

TEST(a_run_with_an_invalid_spec_is_skipped)
{
    worker_case p;
    case_init(&p);
    haft_str line = HAFT__LIT("{}");
    char id[HAFT__ID_LENGTH + 1];
    CHECK_INT(haft__runtime_make_id(p.h.runtime, id, NULL), HAFT_OK, "no id");
    haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                  .run = {.id = haft__str(id), .spec = HAFT__LIT("nothing")},
                                  .lines = &line,
                                  .line_count = 1};
    CHECK_INT(haft__store_submit_and_wait(p.h.runtime->store, &create, &p.h.err), HAFT_OK, "%s",
              p.h.err.message);
    haft__worker *work = create_worker(&p, 2);
    work_until_idle(&p, work);
    CHECK_INT(p.counts[HAFT__WORKER_SKIPPED], 1, "skipped runs");
    CHECK_INT(p.counts[HAFT__WORKER_CLAIMED], 1, "claimed runs");
    CHECK(p.error.message[0] != '\0', "the event has no error");
    haft__worker_destroy(work);
    case_finish(&p);
}

TEST(options_outside_their_limits_are_rejected)
{
    static const struct {
        size_t concurrency;
        uint64_t poll_ms;
        haft_status wanted;
    } cases[] = {
        {0, 1, HAFT_BAD_INPUT},
        {HAFT__LIMIT_WORK_RUNS + 1, 1, HAFT_BAD_INPUT},
        {1, 0, HAFT_BAD_INPUT},
        {1, HAFT__LIMIT_WORK_POLL_MS + 1, HAFT_BAD_INPUT},
        {HAFT__LIMIT_WORK_RUNS, HAFT__LIMIT_WORK_POLL_MS, HAFT_OK},
        {HAFT__LIMIT_RESUME_RUNS, HAFT__LIMIT_RUN_LISTEN_MS, HAFT_OK}, /* of `resume --all` */
    };
    worker_case p;
    case_init(&p);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__worker *work = NULL;
        haft__worker_options options = {.concurrency = cases[i].concurrency,
                                        .poll_ms = cases[i].poll_ms,
                                        .notify = on_worker_event};
        CHECK_INT(haft__worker_create(p.h.runtime, &options, &work, &p.h.err), cases[i].wanted,
                  "case %zu", i);
        haft__worker_destroy(work);
    }
    case_finish(&p);
    help_host h;
    haft__worker *work = NULL;
    haft__worker_options options = {.concurrency = 1, .poll_ms = 1, .notify = on_worker_event};
    help_host_init(&h, "memory:");
    CHECK_INT(haft__worker_create(h.runtime, &options, &work, &h.err), HAFT_UNSUPPORTED,
              "a store in memory");
    help_host_finish(&h);
}

TEST(a_stopping_worker_shortens_the_timeout_of_its_store)
{
    help_host h;
    haft__worker *work = NULL;
    haft__worker_options options = {.concurrency = 1, .poll_ms = 1, .notify = on_worker_event};
    help_faulty_init(&h, 60000);
    CHECK_INT(haft__worker_create(h.runtime, &options, &work, &h.err), HAFT_OK, "%s",
              h.err.message);
    CHECK_INT(help_faulty_hurry(), 0, "the timeout before a signal");
    haft__worker_stop(work, false);
    CHECK_INT(help_faulty_hurry(), HAFT__LIMIT_WORK_STOP_MS, "the timeout after a first signal");
    haft__worker_stop(work, true);
    CHECK_INT(help_faulty_hurry(), HAFT__LIMIT_WORK_FAST_STOP_MS,
              "the timeout after a second signal");
    haft__worker_destroy(work);
    help_faulty_finish(&h);
}

TEST(worker_events_have_names)
{
    static const char *const names[] = {"taken", "ended",    "waits", "left",
                                        "lost",  "released", "kept",  "trouble"};
    for (int i = 0; i <= HAFT__WORKER_ERROR; i++) {
        CHECK_STR(haft__str(haft__worker_event_name((haft__worker_event_kind)i)),
                  haft__str(names[i]), "%d", i);
    }
}
