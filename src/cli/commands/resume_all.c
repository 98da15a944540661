/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resume_all.c - continues every run that has no owner, several at once.
 *
 * A worker claims and runs them (engine/worker/worker.h). The output of a run is printed as a whole
 * once it has ended or is pending; on a terminal a single run is followed live. A worker does not
 * claim runs that are queued after another run of their thread. The command inspects queued runs
 * when no other run is due. It waits for a queued run while another process owns the run ahead.
 * Tests: tests/cli/resume_test.py, tests/cli/threads_test.py.
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
    uint64_t shown_seq;   /* the last event that was printed; 0: none */
    uint64_t asked_seq;   /* the last event when a tool's question was printed */
    bool queued;          /* another run of its thread is ahead of it */
    bool may_start_soon;  /* another process owns the run ahead, or may just have claimed it */
    bool still_queued;    /* the last check found a run ahead of it */
    bool queued_reported; /* a line was printed that the run is queued */
    char unowned_ahead[HAFT__ID_LENGTH
                       + 1]; /* run ahead without an owner at the last check, or "" */
    haft_str result;         /* a line of JSON; "" if there is no result */
    haft_error failed;       /* the reason if there is no result */
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
    haft_error store_error;    /* the last error of the store */
    haft_error failed;         /* an error that a callback could not return */
    haft_error *err;
} resume_job;

/* Finds or adds the outcome of a run. Returns NULL if out of memory; r->failed has the error. */
static outcome *find_outcome(resume_job *r, haft_str id)
{
    outcome *entry = haft__map_get(&r->outcomes, id);
    if (entry != NULL) {
        return entry;
    }
    entry = haft__arena_alloc(&r->cli->arena, sizeof(*entry));
    if (entry == NULL) {
        (void)haft__arena_fail(&r->cli->arena, &r->failed);
        return NULL;
    }
    *entry = (outcome){.exit = HAFT__EXIT_DONE, .result = HAFT__LIT("")};
    (void)snprintf(entry->id, sizeof(entry->id), "%.*s", HAFT__ARG(id));
    haft_status status = haft__map_put(&r->outcomes, haft__str(entry->id), entry, &r->failed);
    return status == HAFT_OK ? entry : NULL;
}

/* ---- output ---- */

/* Captures the printed result of a run, for the object at the end. */
typedef struct capture {
    FILE *out;    /* the original output of the command */
    FILE *stream; /* writes to `text` */
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
    c->stream = open_memstream(&c->text, &c->length);
    if (c->stream == NULL) {
        (void)haft__fail_no_memory(&r->failed);
        return false;
    }
    r->cli->out = c->stream;
    return true;
}

static void end_capture(resume_job *r, capture *c, outcome *entry)
{
    if (c->stream == NULL) {
        return;
    }
    r->cli->out = c->out;
    bool whole = fclose(c->stream) == 0;
    haft_str rest = {c->text, whole ? c->length : 0};
    entry->result = haft__arena_copy(&r->cli->arena, haft__str_split(&rest, '\n'));
    if (!whole || entry->result.ptr == NULL) {
        entry->result = HAFT__LIT("");
        (void)haft__fail_no_memory(&r->failed);
    }
    free(c->text);
}

/* Reports a run that failed before it had a result; its state is read at the end. */
static void report_failure(resume_job *r, outcome *entry, const haft_error *failed)
{
    (void)fprintf(r->cli->errors, "%s: ", entry->id);
    haft__print_escaped(r->cli->errors, haft__str(failed->message));
    (void)fputc('\n', r->cli->errors);
    if (!r->cli->answered) {
        entry->failed = *failed;
    }
}

/* Follows the run while it is running, and prints its result. */
static void show(resume_job *r, outcome *entry, haft_run *run)
{
    haft_error failed = {0};
    capture c;
    if (!begin_capture(r, &c)) {
        return;
    }
    entry->exit = haft__follow_run(r->cli, r->args, run, &failed);
    entry->shown_seq = run->state.seq;
    if (failed.message[0] != '\0') {
        report_failure(r, entry, &failed);
    }
    end_capture(r, &c, entry);
}

/* Handles a run that stopped here. If another process claimed the run before this process wrote an
 * event, prints nothing. */
static void show_stopped(resume_job *r, outcome *entry, const haft__worker_event *worker_event)
{
    capture c;
    if (worker_event->handle != NULL
        && worker_event->handle->state.seq > worker_event->handle->opening.row.seq) {
        show(r, entry, worker_event->handle);
        return;
    }
    entry->exit = HAFT__EXIT_DONE;
    if (worker_event->kind == HAFT__WORKER_SKIPPED && begin_capture(r, &c)) {
        haft_error failed = *worker_event->error;
        bool stored = haft__session_is_store_error(r->cli, r->args, &failed);
        entry->exit = stored ? HAFT__EXIT_FAILED : haft__session_exit_status(failed.status);
        report_failure(r, entry, &failed);
        end_capture(r, &c, entry);
    }
}

/* Handles a run that was released because of a signal. Prints nothing if haft__follow_run has
 * reported the signal. */
static void show_released(resume_job *r, outcome *entry, haft_run *run)
{
    capture c;
    haft_error stopped = {0};
    bool reported = entry->exit == HAFT__EXIT_CANCELLED && entry->shown_seq > 0;
    entry->exit = HAFT__EXIT_CANCELLED;
    if (reported || !begin_capture(r, &c)) {
        return;
    }
    haft_status status = haft__fail(&stopped, HAFT_BAD_STATE, entry->id, "stopped by a signal");
    (void)haft__hint(&stopped, status, "continue: haft resume %s", entry->id);
    if (r->events) {
        (void)!haft__follow_print_events(r->cli, run, &r->failed);
    }
    if (r->json) {
        (void)!haft__run_result_print(r->cli, run->runtime, &run->state, &stopped, NULL);
    } else {
        (void)fprintf(r->cli->errors, "%s paused; %s\n", entry->id, stopped.hint);
    }
    end_capture(r, &c, entry);
}

/* ---- worker events ---- */

static void note_claimed(resume_job *r, outcome *entry)
{
    r->claimed_count++;
    entry->queued = entry->may_start_soon = false;
    entry->exit = HAFT__EXIT_DONE;
    entry->failed = (haft_error){0};
}

static void on_progress(void *context, const haft__worker_event *worker_event)
{
    resume_job *r = context;
    if (worker_event->kind == HAFT__WORKER_ERROR) {
        r->store_error = *worker_event->error;
        return;
    }
    outcome *entry = find_outcome(r, haft__str(worker_event->run));
    if (entry == NULL) {
        return;
    }
    switch (worker_event->kind) {
    case HAFT__WORKER_CLAIMED: note_claimed(r, entry); return;
    case HAFT__WORKER_ENDED:
    case HAFT__WORKER_WAITING:
        if (entry->shown_seq != worker_event->handle->state.seq) {
            show(r, entry, worker_event->handle);
        }
        return;
    case HAFT__WORKER_SKIPPED:
    case HAFT__WORKER_LEASE_LOST: show_stopped(r, entry, worker_event); return;
    case HAFT__WORKER_RELEASED:
    case HAFT__WORKER_RELEASE_UNCONFIRMED: show_released(r, entry, worker_event->handle); return;
    case HAFT__WORKER_ERROR: return;
    }
}

/* Handles a pending run before it is released: applies --yes and standing approvals; asks or prints
 * the question of a tool that runs in this process, which cannot be answered after the process has
 * ended. */
static bool answer_waiting(void *context, haft_run *run)
{
    resume_job *r = context;
    bool approved = false;
    if (haft__auto_approve_call(r->cli, r->args, run, &approved, NULL) == HAFT_OK && approved) {
        return true;
    }
    outcome *entry = run->slots != NULL ? find_outcome(r, haft__str(run->id)) : NULL;
    if (entry == NULL || entry->asked_seq == run->state.seq) {
        return false;
    }
    entry->asked_seq = run->state.seq;
    if (r->live) {
        show(r, entry, run); /* asks the person at the terminal */
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

/* On a terminal, follows a run live if the worker has no other run. */
static void follow_only_run(resume_job *r)
{
    haft_run *run = r->live && !r->stopped ? haft__worker_only_run(r->work) : NULL;
    bool running =
        run != NULL && run->stage == HAFT__HANDLE_ACTIVE && haft_run_state(run) == HAFT_RUNNING;
    outcome *entry = running ? find_outcome(r, haft__str(run->id)) : NULL;
    if (entry != NULL) {
        show(r, entry, run);
        haft__worker_poll_now(r->work); /* maybe no other event wakes the loop */
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
            *r->err = r->store_error;
            status = r->store_error.status;
        }
        if (status == HAFT_OK && r->failed.status != HAFT_OK) {
            *r->err = r->failed;
            status = r->failed.status;
        }
    }
    return status;
}

/* ---- queued runs ---- */

/* Finds the run ahead of a queued run, and whether another process owns it. If the run ahead has no
 * owner, it may just have become due, and another process may claim it soon. The queued run
 * therefore counts as `may_start_soon` until a second check finds the same run without an owner. */
static haft_status check_run_ahead(resume_job *r, outcome *entry, haft__arena *arena)
{
    haft__store_request ahead = {.verb = HAFT__STORE_PREDECESSORS,
                                 .run.id = haft__str(entry->id),
                                 .limit = 1,
                                 .arena = arena};
    haft_status status = haft__store_submit_and_wait(r->runtime->store, &ahead, r->err);
    if (status == HAFT_NOT_FOUND) { /* the run was removed */
        *r->err = (haft_error){0};
        status = HAFT_OK;
    }
    entry->still_queued = status == HAFT_OK && ahead.found_count > 0;
    if (!entry->still_queued) {
        return status;
    }
    const haft__store_run *first = &ahead.found[0];
    bool unowned = !haft__stored_run_is_owned(r->runtime, first);
    bool unowned_twice = unowned && haft__str_equal(first->id, haft__str(entry->unowned_ahead));
    haft_str unowned_id = unowned ? first->id : HAFT__LIT("");
    (void)snprintf(entry->unowned_ahead, sizeof(entry->unowned_ahead), "%.*s",
                   HAFT__ARG(unowned_id));
    entry->may_start_soon = first->state != HAFT__RUN_STATE_WAITING && !unowned_twice;
    entry->exit = HAFT__EXIT_WAITING;
    entry->queued = true;
    if (!entry->queued_reported && (!unowned || !entry->may_start_soon)) {
        entry->queued_reported = true;
        haft__follow_report_run_ahead(r->cli, entry->id, first->id, first->state, unowned);
    }
    return status;
}

/* Checks a queued run, unless another process owns it. */
static haft_status check_queued_run(resume_job *r, const haft__store_run *row, haft__arena *arena)
{
    if (haft__stored_run_is_owned(r->runtime, row)) {
        return HAFT_OK;
    }
    outcome *entry = find_outcome(r, row->id);
    if (entry == NULL) {
        *r->err = r->failed;
        return HAFT_NO_MEMORY;
    }
    return check_run_ahead(r, entry, arena);
}

/* Checks all queued runs of the store, page by page. */
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

/* Checks all queued runs. Sets *ret_soon if a run may become due, because another process works on
 * the run ahead of it. A run that is no longer queued has another owner or will be claimed here. */
static haft_status update_queued_runs(resume_job *r, bool *ret_soon)
{
    for (uint32_t i = 0; i < r->outcomes.count; i++) {
        ((outcome *)r->outcomes.entries[i].value)->still_queued = false;
    }
    haft_status status = check_queued_runs(r);
    *ret_soon = false;
    for (uint32_t i = 0; status == HAFT_OK && i < r->outcomes.count; i++) {
        outcome *entry = r->outcomes.entries[i].value;
        if (entry->queued && !entry->still_queued) {
            entry->queued = entry->may_start_soon = entry->queued_reported = false;
            entry->exit = HAFT__EXIT_DONE;
        }
        *ret_soon = *ret_soon || entry->may_start_soon;
    }
    return status;
}

/* ---- the job ---- */

/* Works until no run is due. Checks the queued runs first and then polls once more, so that it does
 * not miss a run that becomes due during the check. */
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

/* Returns the worst exit status, in the order of docs/commands.md. */
static haft__exit_status find_worst(const resume_job *r)
{
    static const haft__exit_status order[] = {
        HAFT__EXIT_FAILED,  HAFT__EXIT_USAGE,   HAFT__EXIT_CANCELLED, HAFT__EXIT_VIOLATED,
        HAFT__EXIT_REFUSED, HAFT__EXIT_EXPIRED, HAFT__EXIT_EXHAUSTED, HAFT__EXIT_WAITING};
    size_t worst = COUNT(order);
    for (uint32_t k = 0; k < r->outcomes.count; k++) {
        const outcome *entry = r->outcomes.entries[k].value;
        for (size_t i = 0; i < worst; i++) {
            worst = entry->exit == order[i] ? i : worst;
        }
    }
    return worst < COUNT(order) ? order[worst] : HAFT__EXIT_DONE;
}

/* Adds the stored state of runs without a result. */
static void collect_unreported(resume_job *r)
{
    for (uint32_t i = 0; i < r->outcomes.count; i++) {
        outcome *entry = r->outcomes.entries[i].value;
        capture c;
        if (entry->result.len == 0 && entry->failed.message[0] != '\0' && begin_capture(r, &c)) {
            haft__run_result_print_stored(r->cli, r->runtime, entry->id, &entry->failed);
            end_capture(r, &c, entry);
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
    if (runtime->shared) { /* otherwise the store does not exist yet and has no runs */
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
