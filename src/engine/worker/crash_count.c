/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work_loss.c - how often a run was lost without having got on, before it is gone on with.
 *
 * The store remembers that beside its runs, with the event they were at; it is written down before
 * anything of the run is read, so that whatever ends this process is counted. Others that were lost
 * with the one that is to blame are told from it by going on one at a time, once there is a doubt.
 * Tests: tests/engine/worker/crash_count_test.c, tests/cli/worker_test.py.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/worker/worker_int.h"

#define SCOPE HAFT__LIT("haft worker")
/* The epoch of a run that is taken for the first time. */
#define FIRST_EPOCH 2U

/* "SEQ COUNT" is of the event that the run was at; it has got on when that is another. */
static uint32_t read_count(haft_str text, uint64_t seq)
{
    uint64_t at = 0, count = 0;
    bool good = haft__str_to_u64(haft__str_split(&text, ' '), &at) && haft__str_to_u64(text, &count)
                && at == seq && count < UINT32_MAX;
    return good ? (uint32_t)count : 0;
}

static void ask(haft__work *work, haft__store_verb verb, void (*done)(haft__store_request *request))
{
    work->taking = true;
    work->take = (haft__store_request){.verb = verb,
                                       .scope = SCOPE,
                                       .name = work->taken.id,
                                       .text = haft__str(work->loss_text),
                                       .now_ms = haft__runtime_now(work->runtime),
                                       .arena = &work->arena,
                                       .done = done,
                                       .context = work};
    haft__store_submit(work->runtime->store, &work->take);
}

/* Whether the store has done it; else somebody else is to try. */
static bool is_done(haft__work *work, const haft__store_request *request)
{
    bool done = request->status == HAFT_OK
                || (request->verb == HAFT__STORE_CACHE_GET && request->status == HAFT_NOT_FOUND);
    work->taking = false;
    if (!done) {
        haft__work_trouble(work, &request->error);
        haft__work_give_back(work);
    }
    return done;
}

static void on_counted(haft__store_request *request)
{
    haft__work *work = request->context;
    if (is_done(work, request)) {
        haft__work_open(work);
    }
}

/* It was lost once more than whoever wanted to end it needed. */
static void leave(haft__work *work)
{
    haft_error err = {0};
    haft_status status = haft__fail(
        &err, HAFT_BAD_STATE, "",
        "%u processes in a row ended while they had the run, the last while it was to be ended",
        work->losses - 1);
    (void)haft__hint(&err, status,
                     "`haft resume %.*s` tries it once more, `haft runs rm` removes it",
                     HAFT__ARG(work->taken.id));
    haft__work_leave(work, &err);
    haft__work_give_back(work);
}

/* One at a time: which of them it is shows when that one is lost alone. */
static bool has_to_wait(const haft__work *work)
{
    return work->losses > HAFT__LIMIT_WORK_DOUBTS && work->suspect != NULL
           && work->postponed_count < COUNT(work->postponed);
}

static void postpone(haft__work *work)
{
    (void)snprintf(work->postponed[work->postponed_count++], sizeof(work->postponed[0]), "%.*s",
                   HAFT__ARG(work->taken.id));
    haft__work_give_back(work);
}

static void on_recalled(haft__store_request *request)
{
    haft__work *work = request->context;
    if (!is_done(work, request)) {
        return;
    }
    uint32_t before = request->status == HAFT_OK ? read_count(request->text, work->taken.seq) : 0;
    work->losses = work->lost || before > 0 ? before + 1 : 0;
    if (work->losses == 0) {
        haft__work_open(work);
    } else if (work->losses > HAFT__LIMIT_WORK_LOSSES + 1) {
        leave(work);
    } else if (has_to_wait(work)) {
        postpone(work);
    } else {
        (void)snprintf(work->loss_text, sizeof(work->loss_text), "%llu %u",
                       (unsigned long long)work->taken.seq, work->losses);
        ask(work, HAFT__STORE_CACHE_PUT, on_counted);
    }
}

void haft__work_look_up(haft__work *work, const haft__store_run *row, bool lost)
{
    work->taken = *row;
    work->lost = lost;
    work->losses = 0;
    work->loss_text[0] = '\0';
    if (lost || row->epoch > FIRST_EPOCH) {
        ask(work, HAFT__STORE_CACHE_GET, on_recalled);
    } else {
        haft__work_open(work);
    }
}

void haft__work_note_loss(haft__work *work, haft__work_slot *slot)
{
    slot->run->losses = work->losses;
    if (work->losses > HAFT__LIMIT_WORK_DOUBTS && work->suspect == NULL) {
        work->suspect = slot;
    }
}

void haft__work_look_at_suspect(haft__work *work)
{
    const haft__work_slot *slot = work->suspect;
    if (slot != NULL && (slot->run == NULL || slot->run->durable_seq > slot->seq)) {
        work->suspect = NULL;
        work->hungry = work->hungry || work->postponed_count > 0;
        work->postponed_count = 0;
    }
}
