/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crash_count.c - counts how often the owners of a run crashed at the same event.
 *
 * The count is stored in the cache of the store, with the seq of the event. A worker writes the
 * count before it reads the run, so that any crash of the worker is counted. A crash counts for
 * every run that the process owned. To find the run that caused the crashes, a worker continues
 * suspects one at a time. (A suspect is a run with more than HAFT__LIMIT_WORK_SUSPECT_CRASHES
 * crashes.) Tests: tests/engine/worker/crash_count_test.c, tests/cli/worker_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "engine/worker/worker_int.h"

#define SCOPE HAFT__LIT("haft worker")
/* A run is created with epoch 1; its first claim makes it 2. */
#define FIRST_EPOCH 2U

/* Parses "SEQ COUNT". Returns 0 if the run has progressed to another event since. */
static uint32_t parse_count(haft_str text, uint64_t seq)
{
    uint64_t at = 0, count = 0;
    bool valid = haft__str_to_u64(haft__str_split(&text, ' '), &at)
                 && haft__str_to_u64(text, &count) && at == seq && count < UINT32_MAX;
    return valid ? (uint32_t)count : 0;
}

static void submit_request(haft__worker *worker, haft__store_verb verb,
                           void (*done)(haft__store_request *request))
{
    worker->request_pending = true;
    worker->request = (haft__store_request){.verb = verb,
                                            .scope = SCOPE,
                                            .name = worker->claimed.id,
                                            .text = haft__str(worker->crash_text),
                                            .now_ms = haft__runtime_now(worker->runtime),
                                            .arena = &worker->arena,
                                            .done = done,
                                            .context = worker};
    haft__store_submit(worker->runtime->store, &worker->request);
}

/* Whether the request succeeded. If not, releases the run for another worker. */
static bool request_succeeded(haft__worker *worker, const haft__store_request *request)
{
    bool done = request->status == HAFT_OK
                || (request->verb == HAFT__STORE_CACHE_GET && request->status == HAFT_NOT_FOUND);
    worker->request_pending = false;
    if (!done) {
        haft__worker_report_error(worker, &request->error);
        haft__worker_release_claimed(worker);
    }
    return done;
}

static void on_count_saved(haft__store_request *request)
{
    haft__worker *worker = request->context;
    if (request_succeeded(worker, request)) {
        haft__worker_open_claimed(worker);
    }
}

/* Skips the run, because a worker that tried to end the run also crashed. */
static void skip_unendable_run(haft__worker *worker)
{
    haft_error err = {0};
    haft_status status = haft__fail(&err, HAFT_BAD_STATE, "",
                                    "%u processes in a row stopped while they owned the run; the "
                                    "last process was ending the run",
                                    worker->crash_count - 1);
    (void)haft__hint(&err, status,
                     "`haft resume %.*s` tries once more, `haft runs rm` removes the run",
                     HAFT__ARG(worker->claimed.id));
    haft__worker_skip_run(worker, &err);
    haft__worker_release_claimed(worker);
}

/* Whether the claimed suspect must wait. Suspects are continued one at a time, so that a crash
 * identifies its cause. */
static bool must_postpone(const haft__worker *worker)
{
    return worker->crash_count > HAFT__LIMIT_WORK_SUSPECT_CRASHES && worker->suspect != NULL
           && worker->postponed_run_count < COUNT(worker->postponed);
}

static void postpone(haft__worker *worker)
{
    (void)snprintf(worker->postponed[worker->postponed_run_count++], sizeof(worker->postponed[0]),
                   "%.*s", HAFT__ARG(worker->claimed.id));
    haft__worker_release_claimed(worker);
}

static void on_count_read(haft__store_request *request)
{
    haft__worker *worker = request->context;
    if (!request_succeeded(worker, request)) {
        return;
    }
    uint32_t before =
        request->status == HAFT_OK ? parse_count(request->text, worker->claimed.seq) : 0;
    worker->crash_count = worker->abandoned || before > 0 ? before + 1 : 0;
    if (worker->crash_count == 0) {
        haft__worker_open_claimed(worker);
    } else if (worker->crash_count > HAFT__LIMIT_WORK_CRASHES + 1) {
        skip_unendable_run(worker);
    } else if (must_postpone(worker)) {
        postpone(worker);
    } else {
        (void)snprintf(worker->crash_text, sizeof(worker->crash_text), "%llu %u",
                       (unsigned long long)worker->claimed.seq, worker->crash_count);
        submit_request(worker, HAFT__STORE_CACHE_PUT, on_count_saved);
    }
}

void haft__worker_check_crashes(haft__worker *worker, const haft__store_run *row, bool abandoned)
{
    worker->claimed = *row;
    worker->abandoned = abandoned;
    worker->crash_count = 0;
    worker->crash_text[0] = '\0';
    if (abandoned || row->epoch > FIRST_EPOCH) {
        submit_request(worker, HAFT__STORE_CACHE_GET, on_count_read);
    } else {
        haft__worker_open_claimed(worker);
    }
}

void haft__worker_note_crash_count(haft__worker *worker, haft__worker_slot *slot)
{
    slot->run->crash_count = worker->crash_count;
    if (worker->crash_count > HAFT__LIMIT_WORK_SUSPECT_CRASHES && worker->suspect == NULL) {
        worker->suspect = slot;
    }
}

void haft__worker_update_suspect(haft__worker *worker)
{
    const haft__worker_slot *slot = worker->suspect;
    if (slot != NULL && (slot->run == NULL || slot->run->log.durable_seq > slot->seq)) {
        worker->suspect = NULL;
        worker->needs_poll = worker->needs_poll || worker->postponed_run_count > 0;
        worker->postponed_run_count = 0;
    }
}
