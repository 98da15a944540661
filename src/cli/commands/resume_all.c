/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resume_all.c - continues every run that has no owner, several at once.
 *
 * A worker claims and runs them (engine/worker/worker.h). The output of a run is printed as a whole
 * once it has ended or is pending; on a terminal a single run is followed live. A worker does not
 * claim runs that are queued after another run of their thread. They are inspected when nothing
 * else is due, and waited for as long as another process owns the run ahead of them. Tests:
 * tests/cli/resume_test.py, tests/cli/threads_test.py.
 */
#include "cli/commands/resume_all.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/str.h"
#include "cli/follow/auto_approve.h"
#include "cli/follow/follow.h"
#include "cli/follow/run_result.h"
#include "cli/interrupts.h"
#include "cli/terminal/pending.h"
#include "cli/terminal/print.h"
#include "cli/terminal/terminal_caps.h"
#include "engine/ops/stored_run.h"
#include "engine/run.h"
#include "engine/worker/worker.h"

/* The outcome of one run. */
typedef struct outcome {
    char id[HAFT__ID_LENGTH + 1];
    haft__exit_status exit;
    uint64_t shown;      /* the last event that was shown; 0: none */
    uint64_t asked;      /* the last event when a tool's question was printed */
    bool queued;         /* another run of its thread is ahead of it */
    bool may_start_soon; /* another process owns the run ahead, or may just have claimed it */
    bool seen;           /* the last check found a run ahead of it */
    bool reported;       /* that it is queued */
    char lost[HAFT__ID_LENGTH + 1]; /* the run ahead that had no owner at the last check, or "" */
    haft_str result;                /* as a line of JSON; "" if there is no result */
    haft_error failed;              /* why it was skipped, if it has no result */
} outcome;

typedef struct resume_job {
    haft__cli *cli;
    const haft__args *args;
    haft_runtime *runtime;
    haft__interrupts interrupts;
    haft__worker *work;
    haft__map outcomes;   /* in the order in which they were found */
    size_t claimed_count; /* claims so far */
    bool json, events, quiet, live;
    bool stopped, forced_stop; /* by signals */
    haft_error trouble;        /* the last error of the store */
    haft_error failed;         /* an error that a callback could not return */
    haft_error *err;
} resume_job;

/* NULL if out of memory, which is reported at the end. */
static outcome *find_outcome(resume_job *r, haft_str id)
{
    outcome *one = haft__map_get(&r->outcomes, id);
    if (one != NULL) {
        return one;
    }
    one = haft__arena_alloc(&r->cli->arena, sizeof(*one));
    if (one == NULL) {
        (void)haft__arena_fail(&r->cli->arena, &r->failed);
        return NULL;
    }
    *one = (outcome){.exit = HAFT__EXIT_DONE, .result = HAFT__LIT("")};
    (void)snprintf(one->id, sizeof(one->id), "%.*s", HAFT__ARG(id));
    haft_status status = haft__map_put(&r->outcomes, haft__str(one->id), one, &r->failed);
    return status == HAFT_OK ? one : NULL;
}

/* ---- output ---- */

/* Captures the printed result of a run, for the object at the end. */
typedef struct capture {
    FILE *out;  /* where the command printed before */
    FILE *kept; /* writes to `text` */
    char *text;
    size_t length;
} capture;

static bool begin_capture(resume_job *r, capture *c)
{
    *c = (capture){.out = r->cli->out};
    r->cli->answered = false;
    if (!r->json) {
        return true;
    }
    c->kept = open_memstream(&c->text, &c->length);
    if (c->kept == NULL) {
        (void)haft__fail_no_memory(&r->failed);
        return false;
    }
    r->cli->out = c->kept;
    return true;
}

static void end_capture(resume_job *r, capture *c, outcome *one)
{
    if (c->kept == NULL) {
        return;
    }
    r->cli->out = c->out;
    bool whole = fclose(c->kept) == 0;
    haft_str rest = {c->text, whole ? c->length : 0};
    one->result = haft__arena_copy(&r->cli->arena, haft__str_split(&rest, '\n'));
    if (!whole || one->result.ptr == NULL) {
        one->result = HAFT__LIT("");
        (void)haft__fail_no_memory(&r->failed);
    }
    free(c->text);
}

/* Reports a run that failed before it had a result; its state is read at the end. */
static void report_failure(resume_job *r, outcome *one, const haft_error *failed)
{
    (void)fprintf(r->cli->errors, "%s: ", one->id);
    haft__print_escaped(r->cli->errors, haft__str(failed->message));
    (void)fputc('\n', r->cli->errors);
    if (!r->cli->answered) {
        one->failed = *failed;
    }
}

/* Follows the run while it is running, and prints its result. */
static void show(resume_job *r, outcome *one, haft_run *run)
{
    haft_error failed = {0};
    capture c;
    if (!begin_capture(r, &c)) {
        return;
    }
    one->exit = haft__follow_run(r->cli, r->args, run, &failed);
    one->shown = run->state.seq;
    if (failed.message[0] != '\0') {
        report_failure(r, one, &failed);
    }
    end_capture(r, &c, one);
}

/* The run stopped here. If another process claimed it before this one did anything, nothing is
 * printed. */
static void show_stopped(resume_job *r, outcome *one, const haft__worker_event *worker_event)
{
    capture c;
    if (worker_event->handle != NULL
        && worker_event->handle->state.seq > worker_event->handle->opening.row.seq) {
        show(r, one, worker_event->handle);
        return;
    }
    one->exit = HAFT__EXIT_DONE;
    if (worker_event->kind == HAFT__WORKER_SKIPPED && begin_capture(r, &c)) {
        haft_error failed = *worker_event->error;
        bool stored = haft__session_is_store_error(r->cli, r->args, &failed);
        one->exit = stored ? HAFT__EXIT_FAILED : haft__session_exit_status(failed.status);
        report_failure(r, one, &failed);
        end_capture(r, &c, one);
    }
}

/* A signal arrived, and the run was released. haft__follow_run may have reported that already. */
static void show_released(resume_job *r, outcome *one, haft_run *run)
{
    capture c;
    haft_error stopped = {0};
    bool reported = one->exit == HAFT__EXIT_CANCELLED && one->shown > 0;
    one->exit = HAFT__EXIT_CANCELLED;
    if (reported || !begin_capture(r, &c)) {
        return;
    }
    haft_status status = haft__fail(&stopped, HAFT_BAD_STATE, one->id, "stopped by a signal");
    (void)haft__hint(&stopped, status, "continue: haft resume %s", one->id);
    if (r->events) {
        (void)!haft__follow_print_events(r->cli, run, &r->failed);
    }
    if (r->json) {
        (void)!haft__run_result_print(r->cli, run->runtime, &run->state, &stopped, NULL);
    } else {
        (void)fprintf(r->cli->errors, "%s paused; %s\n", one->id, stopped.hint);
    }
    end_capture(r, &c, one);
}

/* ---- worker events ---- */

static void note_claimed(resume_job *r, outcome *one)
{
    r->claimed_count++;
    one->queued = one->may_start_soon = false;
    one->exit = HAFT__EXIT_DONE;
    one->failed = (haft_error){0};
}

static void on_progress(void *context, const haft__worker_event *worker_event)
{
    resume_job *r = context;
    if (worker_event->kind == HAFT__WORKER_ERROR) {
        r->trouble = *worker_event->error;
        return;
    }
    outcome *one = find_outcome(r, haft__str(worker_event->run));
    if (one == NULL) {
        return;
    }
    switch (worker_event->kind) {
    case HAFT__WORKER_CLAIMED: note_claimed(r, one); return;
    case HAFT__WORKER_ENDED:
    case HAFT__WORKER_WAITING:
        if (one->shown != worker_event->handle->state.seq) {
            show(r, one, worker_event->handle);
        }
        return;
    case HAFT__WORKER_SKIPPED:
    case HAFT__WORKER_LEASE_LOST: show_stopped(r, one, worker_event); return;
    case HAFT__WORKER_RELEASED:
    case HAFT__WORKER_RELEASE_UNCONFIRMED: show_released(r, one, worker_event->handle); return;
    case HAFT__WORKER_ERROR: return;
    }
}

/* Handles a pending run before it is released: applies --yes and standing approvals; asks or prints
 * the question of a tool that runs in this process, which cannot be answered after the process has
 * ended. */
static bool answer_waiting(void *context, haft_run *run)
{
    resume_job *r = context;
    bool did = false;
    if (haft__auto_approve_call(r->cli, r->args, run, &did, NULL) == HAFT_OK && did) {
        return true;
    }
    outcome *one = run->slots != NULL ? find_outcome(r, haft__str(run->id)) : NULL;
    if (one == NULL || one->asked == run->state.seq) {
        return false;
    }
    one->asked = run->state.seq;
    if (r->live) {
        show(r, one, run); /* asks the person at the terminal */
    } else if (!r->quiet) {
        haft__pending_print(r->cli->errors, r->args, run);
        (void)fflush(r->cli->errors);
    }
    return false;
}

/* The first signal stops gracefully, the second immediately. */
static void handle_signals(resume_job *r)
{
    unsigned signals = r->interrupts.sigint_count + r->interrupts.sigterm_count;
    if (signals > 0 && !r->stopped) {
        r->stopped = true;
        haft__worker_stop(r->work, false);
    }
    if (signals > 1 && !r->forced_stop) {
        r->forced_stop = true;
        haft__worker_stop(r->work, true);
    }
}

/* On a terminal, follows the run live if it is the only one. */
static void follow_only_run(resume_job *r)
{
    haft_run *run = r->live && !r->stopped ? haft__worker_only_run(r->work) : NULL;
    bool on =
        run != NULL && run->stage == HAFT__HANDLE_ACTIVE && haft_run_state(run) == HAFT_RUNNING;
    outcome *one = on ? find_outcome(r, haft__str(run->id)) : NULL;
    if (one != NULL) {
        show(r, one, run);
        haft__worker_poll_now(r->work); /* nothing else may wake the loop */
    }
}

static haft_status work(resume_job *r)
{
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && !haft__worker_is_idle(r->work)
           && !haft__worker_is_stopped(r->work)) {
        status = haft__worker_step(r->work, r->err);
        handle_signals(r);
        follow_only_run(r);
        if (status == HAFT_OK && haft__worker_store_unreachable(r->work)) {
            *r->err = r->trouble;
            status = r->trouble.status;
        }
        if (status == HAFT_OK && r->failed.status != HAFT_OK) {
            *r->err = r->failed;
            status = r->failed.status;
        }
    }
    return status;
}

/* ---- queued runs ---- */

/* Finds the run ahead, and whether another process owns it. A run without an owner may have become
 * due just now, and another process may be faster to claim it: it is checked once more. */
static haft_status check_run_ahead(resume_job *r, outcome *one, haft__arena *arena)
{
    haft__store_request ahead = {
        .verb = HAFT__STORE_PREDECESSORS, .run.id = haft__str(one->id), .limit = 1, .arena = arena};
    haft_status status = haft__store_submit_and_wait(r->runtime->store, &ahead, r->err);
    if (status == HAFT_NOT_FOUND) { /* the run was removed */
        *r->err = (haft_error){0};
        status = HAFT_OK;
    }
    one->seen = status == HAFT_OK && ahead.found_count > 0;
    if (!one->seen) {
        return status;
    }
    const haft__store_run *first = &ahead.found[0];
    bool lost = !haft__stored_run_is_owned(r->runtime, first);
    bool still_lost = lost && haft__str_equal(first->id, haft__str(one->lost));
    haft_str unowned = lost ? first->id : HAFT__LIT("");
    (void)snprintf(one->lost, sizeof(one->lost), "%.*s", HAFT__ARG(unowned));
    one->may_start_soon = first->state != HAFT__RUN_STATE_WAITING && !still_lost;
    one->exit = HAFT__EXIT_WAITING;
    one->queued = true;
    if (!one->reported && (!lost || !one->may_start_soon)) {
        one->reported = true;
        haft__follow_report_run_ahead(r->cli, one->id, first->id, first->state, lost);
    }
    return status;
}

/* Skips runs that another process owns. */
static haft_status check_queued_run(resume_job *r, const haft__store_run *row, haft__arena *arena)
{
    if (haft__stored_run_is_owned(r->runtime, row)) {
        return HAFT_OK;
    }
    outcome *one = find_outcome(r, row->id);
    if (one == NULL) {
        *r->err = r->failed;
        return HAFT_NO_MEMORY;
    }
    return check_run_ahead(r, one, arena);
}

/* Checks all such runs, page by page. */
static haft_status check_queued_runs(resume_job *r)
{
    haft__arena page;
    haft__arena_init(&page, HAFT__LIMIT_RUN_BYTES);
    haft_status status = HAFT_OK;
    char last[HAFT__ID_LENGTH + 1] = "";
    size_t found = HAFT__LIMIT_STORE_LIST;
    while (status == HAFT_OK && found == HAFT__LIMIT_STORE_LIST) {
        haft__arena_reset(&page);
        haft__store_request list = {.verb = HAFT__STORE_LIST,
                                    .blocked_only = true,
                                    .name = haft__str(last),
                                    .arena = &page};
        status = haft__store_submit_and_wait(r->runtime->store, &list, r->err);
        found = status == HAFT_OK ? list.found_count : 0;
        for (size_t i = 0; status == HAFT_OK && i < found; i++) {
            (void)snprintf(last, sizeof(last), "%.*s", HAFT__ARG(list.found[i].id));
            status = check_queued_run(r, &list.found[i], &page);
        }
    }
    haft__arena_finish(&page);
    return status;
}

/* *ret_soon: some run may become due because another process works on the run ahead of it. A run
 * with no run ahead any more has another owner, or will be claimed here. */
static haft_status update_queued_runs(resume_job *r, bool *ret_soon)
{
    for (uint32_t i = 0; i < r->outcomes.count; i++) {
        ((outcome *)r->outcomes.entries[i].value)->seen = false;
    }
    haft_status status = check_queued_runs(r);
    *ret_soon = false;
    for (uint32_t i = 0; status == HAFT_OK && i < r->outcomes.count; i++) {
        outcome *one = r->outcomes.entries[i].value;
        if (one->queued && !one->seen) {
            one->queued = one->may_start_soon = one->reported = false;
            one->exit = HAFT__EXIT_DONE;
        }
        *ret_soon = *ret_soon || one->may_start_soon;
    }
    return status;
}

/* ---- the job ---- */

/* Inspects the queued runs before it polls once more for due runs, so that a run that becomes due
 * in between is not missed. */
static haft_status resume_until_idle(resume_job *r)
{
    bool may_start_soon = false;
    haft_status status = work(r);
    for (size_t claimed_count = r->claimed_count + 1;
         status == HAFT_OK && !r->stopped
         && (may_start_soon || claimed_count != r->claimed_count);) {
        claimed_count = r->claimed_count;
        status = update_queued_runs(r, &may_start_soon);
        if (status == HAFT_OK && may_start_soon) {
            status = haft_runtime_step(r->runtime, HAFT__LIMIT_RUN_LISTEN_MS, r->err);
        }
        if (status == HAFT_OK) {
            handle_signals(r);
            haft__worker_poll_now(r->work);
            status = work(r);
        }
    }
    return status;
}

/* The worst exit status, in the order of docs/commands.md. */
static haft__exit_status find_worst(const resume_job *r)
{
    static const haft__exit_status order[] = {
        HAFT__EXIT_FAILED,  HAFT__EXIT_USAGE,   HAFT__EXIT_CANCELLED, HAFT__EXIT_VIOLATED,
        HAFT__EXIT_REFUSED, HAFT__EXIT_EXPIRED, HAFT__EXIT_EXHAUSTED, HAFT__EXIT_WAITING};
    size_t worst = COUNT(order);
    for (uint32_t k = 0; k < r->outcomes.count; k++) {
        const outcome *one = r->outcomes.entries[k].value;
        for (size_t i = 0; i < worst; i++) {
            worst = one->exit == order[i] ? i : worst;
        }
    }
    return worst < COUNT(order) ? order[worst] : HAFT__EXIT_DONE;
}

/* Adds the state of runs without a result, as the store has it now. */
static void collect_unreported(resume_job *r)
{
    for (uint32_t i = 0; i < r->outcomes.count; i++) {
        outcome *one = r->outcomes.entries[i].value;
        capture c;
        if (one->result.len == 0 && one->failed.message[0] != '\0' && begin_capture(r, &c)) {
            haft__run_result_print_stored(r->cli, r->runtime, one->id, &one->failed);
            end_capture(r, &c, one);
        }
    }
}

static void print_results(resume_job *r)
{
    bool first = true;
    collect_unreported(r);
    (void)fputs("{\"runs\":[", r->cli->out);
    for (uint32_t i = 0; i < r->outcomes.count; i++) {
        haft_str result = ((const outcome *)r->outcomes.entries[i].value)->result;
        if (result.len > 0) {
            (void)fprintf(r->cli->out, "%s%.*s", first ? "" : ",", HAFT__ARG(result));
            first = false;
        }
    }
    (void)fputs("]}\n", r->cli->out);
    r->cli->answered = true;
}

static haft_status start(resume_job *r)
{
    haft__worker_options options = {.concurrency = HAFT__LIMIT_RESUME_RUNS,
                                    .poll_ms = HAFT__LIMIT_RUN_LISTEN_MS,
                                    .once = true,
                                    .use_local_clock = true,
                                    .notify = on_progress,
                                    .answer_waiting = answer_waiting,
                                    .context = r};
    haft_status status = haft__worker_create(r->runtime, &options, &r->work, r->err);
    return status == HAFT_OK ? haft__interrupts_watch(&r->interrupts, r->runtime->loop, r->err)
                             : status;
}

haft__exit_status haft__resume_all(haft__cli *cli, const haft__args *args, haft_runtime *runtime,
                                   haft_error *err)
{
    resume_job r = {.cli = cli,
                    .args = args,
                    .runtime = runtime,
                    .json = haft__args_has(args, "json"),
                    .events = haft__args_has(args, "events"),
                    .quiet = haft__args_has(args, "quiet"),
                    .err = err};
    r.live = !r.json && !r.events && !r.quiet
             && haft__terminal_caps_detect(cli->errors, haft__config_is_plain(cli, args)).live;
    haft__map_init(&r.outcomes, &cli->arena, runtime->hash_key);
    haft_status status = HAFT_OK;
    if (runtime->shared) { /* otherwise the store does not exist yet */
        status = start(&r);
        status = status == HAFT_OK ? resume_until_idle(&r) : status;
        haft__worker_destroy(r.work);
        haft__interrupts_release(&r.interrupts);
    }
    if (r.json) {
        print_results(&r);
    }
    return status == HAFT_OK ? find_worst(&r) : HAFT__EXIT_FAILED;
}
