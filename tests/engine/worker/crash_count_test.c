/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/worker/crash_count.c and crash_guard.c; tests/cli/worker_test.py has workers
 * that crash. */
#include "base/str.h"
#include "engine/faulty_help.h"
#include "engine/run.h"
#include "engine/worker/worker_int.h"

#define SCOPE  HAFT__LIT("haft worker")
#define SLOW   "{\"replies\":[{\"text\":\"late\",\"delay\":3600}]}"
#define QUICK  "{\"replies\":[{\"text\":\"quick\"}]}"
#define SERVER "\"tools\":[],\"mcp\":{\"servers\":{\"box\":{\"command\":[\"true\"]}}}"
/* The tests below contain these numbers as text. */
_Static_assert(HAFT__LIMIT_WORK_CRASHES == 10 && HAFT__LIMIT_WORK_SUSPECT_CRASHES == 3,
               "see the rows");
#define EVENTS_BEFORE_REPLY 2U /* events of a run that waits for its model */

typedef struct worker_case {
    help_host h;
    unsigned counts[HAFT__WORKER_ERROR + 1];
    char end[32];
    haft_error error;
    haft__worker *work;
    haft__arena arena;
} worker_case;

static void on_worker_event(void *context, const haft__worker_event *worker_event)
{
    worker_case *p = context;
    p->counts[worker_event->kind]++;
    if (worker_event->end[0] != '\0') {
        (void)snprintf(p->end, sizeof(p->end), "%s", worker_event->end);
    }
    if (worker_event->error != NULL) {
        p->error = *worker_event->error;
    }
}

static void case_init(worker_case *p)
{
    *p = (worker_case){.work = NULL};
    help_faulty_init(&p->h, HAFT__LIMIT_RUN_LEASE_MS);
    haft__arena_init(&p->arena, 0);
}

static void case_finish(worker_case *p)
{
    haft__worker_destroy(p->work);
    help_faulty_finish(&p->h);
    haft__arena_finish(&p->arena);
}

static void create_worker(worker_case *p)
{
    haft__worker_options options = {
        .concurrency = 4, .poll_ms = 20, .notify = on_worker_event, .context = p};
    CHECK_INT(haft__worker_create(p->h.runtime, &options, &p->work, &p->h.err), HAFT_OK, "%s",
              p->h.err.message);
}

static void step(worker_case *p)
{
    CHECK_INT(haft__worker_step(p->work, &p->h.err), HAFT_OK, "%s", p->h.err.message);
}

static void submit(worker_case *p, haft__store_request *request)
{
    request->arena = &p->arena;
    CHECK_INT(haft__store_submit_and_wait(p->h.runtime->store, request, &p->h.err), HAFT_OK, "%s",
              p->h.err.message);
}

static haft__store_run find(worker_case *p, haft_str id)
{
    haft__store_request request = {.verb = HAFT__STORE_FIND, .name = id};
    submit(p, &request);
    return request.found[0];
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
    haft_str id = haft__arena_copy(&p->arena, haft__str(run->id));
    haft_run_release(run);
    haft_agent_release(agent);
    return id;
}

/* Simulates a crash of the owner. `before` is the crash count until then: "EVENT COUNT". */
static void abandon_run(worker_case *p, haft_str id, const char *before)
{
    haft__store_request claim = {
        .verb = HAFT__STORE_CLAIM, .run = {.id = id, .owner = HAFT__LIT("gone")}, .lease_ms = 1};
    haft__store_request remember = {
        .verb = HAFT__STORE_CACHE_PUT, .scope = SCOPE, .name = id, .text = haft__str(before)};
    submit(p, &claim);
    submit(p, &remember);
    help_faulty_wait(10);
}

static haft_str crash_count_of(worker_case *p, haft_str id)
{
    haft__store_request recall = {.verb = HAFT__STORE_CACHE_GET, .scope = SCOPE, .name = id};
    submit(p, &recall);
    return recall.text;
}

/* A run without an owner that waits for its model. */
static haft_str make_unowned_run(worker_case *p)
{
    haft_str id = enqueue(p, "", SLOW);
    create_worker(p);
    while (find(p, id).seq < EVENTS_BEFORE_REPLY) {
        step(p);
    }
    haft__worker_destroy(p->work);
    p->work = NULL;
    while (p->h.runtime->runs != NULL) {
        CHECK_INT(haft_runtime_step(p->h.runtime, 1000, NULL), HAFT_OK, "no step");
    }
    memset(p->counts, 0, sizeof(p->counts));
    return id;
}

static void step_until_busy_or_ended(worker_case *p)
{
    while (p->counts[HAFT__WORKER_ENDED] + p->counts[HAFT__WORKER_SKIPPED] == 0
           && (p->work->busy == 0 || p->work->slots[0].run->model_call == NULL)) {
        step(p);
    }
}

TEST(a_run_with_too_many_crashes_fails)
{
    static const struct {
        const char *before, *counted;
        bool ends, skipped;
    } rows[] = {
        {"2 9", "2 10", false, false}, /* at the limit */
        {"2 10", "2 11", true, false}, /* one above it */
        {"2 11", "2 11", false, true}, /* the worker that was to end it crashed */
        {"1 10", "2 1", false, false}, /* it has made progress since */
        {"2 x", "2 1", false, false},           {"", "2 1", false, false},
        {"2 99999999999", "2 1", false, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        worker_case p;
        case_init(&p);
        haft_str id = make_unowned_run(&p);
        abandon_run(&p, id, rows[i].before);
        unsigned reads = help_faulty_count(HAFT__STORE_READ_EVENTS);
        create_worker(&p);
        step_until_busy_or_ended(&p);
        CHECK_STR(crash_count_of(&p, id), haft__str(rows[i].counted), "row %zu: the crash count",
                  i);
        CHECK_INT(p.counts[HAFT__WORKER_ENDED], rows[i].ends, "row %zu: runs that ended", i);
        CHECK_INT(p.counts[HAFT__WORKER_SKIPPED], rows[i].skipped,
                  "row %zu: runs that were skipped", i);
        CHECK_INT(help_faulty_count(HAFT__STORE_READ_EVENTS) > reads, !rows[i].skipped,
                  "row %zu: the events were read", i);
        if (rows[i].ends) {
            CHECK_STR(haft__str(p.end), HAFT__LIT("failed"), "row %zu: the end of the run", i);
        }
        if (rows[i].skipped) {
            CHECK(strstr(p.error.message, "11 processes") != NULL, "%s", p.error.message);
            step(&p);
            CHECK_INT(find(&p, id).owner.len, 0, "row %zu: the skipped run has an owner", i);
        }
        case_finish(&p);
    }
}

TEST(runs_without_a_crash_are_not_counted)
{
    worker_case p;
    case_init(&p);
    unsigned recalls = help_faulty_count(HAFT__STORE_CACHE_GET);
    haft_str id = make_unowned_run(&p);
    CHECK_INT(help_faulty_count(HAFT__STORE_CACHE_GET), recalls,
              "a run that is claimed for the first time");
    create_worker(&p);
    step_until_busy_or_ended(&p);
    CHECK_INT(help_faulty_count(HAFT__STORE_CACHE_GET), recalls + 1,
              "a run that is claimed for the second time");
    CHECK_INT(help_faulty_count(HAFT__STORE_CACHE_PUT), 0, "crash counts that were written");
    CHECK_INT(p.work->slots[0].run->crash_count, 0, "the crash count");
    CHECK(find(&p, id).owner.len > 0, "the run has no owner");
    case_finish(&p);
}

/* Returns how many of two runs with this crash count are active at the same time. */
static size_t resume_two(worker_case *p, const char *before, haft_str ids[2])
{
    case_init(p);
    for (int i = 0; i < 2; i++) {
        ids[i] = make_unowned_run(p);
    }
    for (int i = 0; i < 2; i++) {
        abandon_run(p, ids[i], before);
    }
    create_worker(p);
    while (!haft__worker_is_idle(p->work) && !(p->work->store_empty && !p->work->request_pending)) {
        step(p);
    }
    return p->work->busy;
}

TEST(suspects_are_continued_one_at_a_time)
{
    worker_case p;
    haft_str ids[2];
    CHECK_INT(resume_two(&p, "2 2", ids), 2, "active runs if the crash counts are at the limit");
    CHECK(p.work->suspect == NULL, "a run at the limit is a suspect");
    case_finish(&p);
    CHECK_INT(resume_two(&p, "2 3", ids), 1,
              "active runs if the crash counts are one above the limit");
    CHECK_INT(p.work->postponed_run_count, 1, "postponed runs");
    haft_run *first = p.work->slots[0].run;
    bool second = haft__str_equal(haft__str(first->id), ids[1]);
    haft_str other = ids[second ? 0 : 1];
    CHECK_INT(find(&p, other).owner.len, 0, "the postponed run has an owner");
    CHECK_STR(crash_count_of(&p, other), HAFT__LIT("2 3"), "the crash count of the postponed run");
    haft__run_command cancel = {.kind = HAFT__RUN_COMMAND_CANCEL,
                                .call = HAFT__LIT(""),
                                .value = haft__json_null(),
                                .by = HAFT__LIT("me"),
                                .why = HAFT__LIT("")};
    CHECK_INT(haft__run_perform_command(first, &cancel, &p.h.err), HAFT_OK, "%s", p.h.err.message);
    while (p.counts[HAFT__WORKER_CLAIMED] < 2) {
        step(&p);
    }
    CHECK_INT(p.counts[HAFT__WORKER_ENDED], 1, "runs that ended");
    CHECK_STR(haft__str(p.work->suspect->run->id), other, "the other run continues");
    CHECK_STR(crash_count_of(&p, other), HAFT__LIT("2 4"), "the crash count of the other run");
    case_finish(&p);
}

TEST(a_run_that_made_progress_is_no_suspect)
{
    worker_case p;
    case_init(&p);
    haft_str id = enqueue(&p, "", QUICK);
    abandon_run(&p, id, "1 10");
    create_worker(&p);
    while (p.counts[HAFT__WORKER_ENDED] == 0) {
        step(&p);
    }
    CHECK_STR(haft__str(p.end), HAFT__LIT("done"), "the end of the run");
    CHECK(p.work->suspect == NULL, "the run is a suspect");
    case_finish(&p);
}

TEST(a_run_that_crashes_while_servers_are_asked_is_ended)
{
    worker_case p;
    case_init(&p);
    haft_str id = enqueue(&p, SERVER, QUICK);
    abandon_run(&p, id, "1 10");
    create_worker(&p);
    while (p.counts[HAFT__WORKER_ENDED] == 0) {
        step(&p);
    }
    CHECK_STR(haft__str(p.end), HAFT__LIT("cancelled"), "the end of the run");
    case_finish(&p);
}

TEST(a_run_is_released_if_its_crashes_cannot_be_counted)
{
    worker_case p;
    case_init(&p);
    haft_str id = make_unowned_run(&p);
    abandon_run(&p, id, "2 1");
    help_faulty_set(HELP_FORGETS);
    create_worker(&p);
    while (p.counts[HAFT__WORKER_ERROR] == 0 || p.work->request_pending) {
        step(&p);
    }
    CHECK_INT(p.counts[HAFT__WORKER_CLAIMED], 0, "the run was reported as claimed");
    CHECK_INT(find(&p, id).owner.len, 0, "the run has an owner");
    help_faulty_set(HELP_FINE);
    step_until_busy_or_ended(&p);
    CHECK_STR(crash_count_of(&p, id), HAFT__LIT("2 2"), "the crash count");
    case_finish(&p);
}
