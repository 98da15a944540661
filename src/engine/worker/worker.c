/* SPDX-License-Identifier: Apache-2.0 */
/*
 * work.c - takes runs from the store and goes on with them, many at once on one loop.
 *
 * After each step of the loop every run is looked at. One that waits is given back only when no
 * message is there for it: who answers it must not find that nobody listens. Tests:
 * tests/engine/worker/worker_test.c, tests/cli/worker_test.py.
 */
#include "engine/worker/worker.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "engine/worker/worker_int.h"
#include "io/random.h"
#include "run/host.h"

/* How often is looked whether messages have been heard. */
#define HEARD_MS 10U

const char *haft__work_kind_name(haft__work_kind kind)
{
    static const char *const names[] = {
        [HAFT__WORK_TAKEN] = "taken", [HAFT__WORK_ENDED] = "ended",
        [HAFT__WORK_WAITS] = "waits", [HAFT__WORK_LEFT] = "left",
        [HAFT__WORK_LOST] = "lost",   [HAFT__WORK_RELEASED] = "released",
        [HAFT__WORK_KEPT] = "kept",   [HAFT__WORK_TROUBLE] = "trouble",
    };
    return names[kind];
}

static uint64_t now_of(const haft__work *work)
{
    return haft__loop_now(work->runtime->loop);
}

/* ---- telling ---- */

static haft_str name_of(const haft_run *run)
{
    return run->agent != NULL ? run->agent->spec->name : run->row.name;
}

static void tell(haft__work *work, haft__work_kind kind, haft_run *run, uint64_t retry_ms)
{
    bool failed = kind == HAFT__WORK_LEFT || kind == HAFT__WORK_LOST;
    haft__work_news news = {.kind = kind,
                            .run = run->id,
                            .name = name_of(run),
                            .end = kind == HAFT__WORK_ENDED ? haft_run_end(run) : "",
                            .turns = run->agent != NULL ? run->state.turn : 0,
                            .error = failed ? &run->error : NULL,
                            .retry_ms = retry_ms,
                            .live = run};
    work->options.tell(work->options.context, &news);
}

void haft__work_trouble(haft__work *work, const haft_error *error)
{
    haft__work_news news = {.kind = HAFT__WORK_TROUBLE,
                            .run = "",
                            .name = HAFT__LIT(""),
                            .end = "",
                            .error = error,
                            .retry_ms = work->stopping ? 0 : work->poll_ms};
    if (work->failures == 0) {
        work->options.tell(work->options.context, &news);
    }
    work->failures++;
}

/* The time that a run is left alone from. */
static uint64_t skip_from(const haft__work *work)
{
    return work->options.once ? UINT64_MAX / 2 : now_of(work); /* it never comes */
}

static void leave(haft__work *work, const char *id, haft_str name, const haft_error *error)
{
    haft__work_news news = {.kind = HAFT__WORK_LEFT,
                            .run = id,
                            .name = name,
                            .end = "",
                            .error = error,
                            .retry_ms = haft__skips_add(&work->skips, id, skip_from(work))};
    work->options.tell(work->options.context, &news);
}

void haft__work_leave(haft__work *work, const haft_error *error)
{
    char id[HAFT__ID_LENGTH + 1];
    (void)snprintf(id, sizeof(id), "%.*s", HAFT__ARG(work->taken.id));
    leave(work, id, work->taken.name, error);
}

/* ---- taking ---- */

static void on_poll(void *context)
{
    haft__work *work = context;
    work->hungry = true; /* at the end of the step */
}

/* Not at the same pace as other workers: up to a quarter more or less. */
static void poll_later(haft__work *work)
{
    work->random = work->random * 6364136223846793005U + 1442695040888963407U;
    uint64_t half = work->poll_ms / 2;
    uint64_t ms = work->poll_ms - half / 2 + (work->random >> 33) % (half + 1);
    haft_error err = {0};
    if (haft__timer_start(work->runtime->loop, &work->poll, ms, on_poll, work, &err) != HAFT_OK) {
        haft__work_trouble(work, &err);
        work->hungry = true; /* nothing else would make it ask again */
    }
}

static haft__work_slot *free_slot(haft__work *work)
{
    size_t at = 0;
    while (at < work->options.concurrency && work->slots[at].run != NULL) {
        at++;
    }
    return at < work->options.concurrency ? &work->slots[at] : NULL;
}

static void on_given_back(haft__store_request *request)
{
    haft__work *work = request->context;
    work->taking = false;
    if (request->status == HAFT_IO) { /* then it is looked for, like one nobody spoke of */
        work->doubted_ms = work->runtime->steady();
    }
    if (request->status == HAFT_OK && work->failures == 0) {
        work->hungry = true;
    } else {
        poll_later(work);
    }
}

/* It was taken and cannot even be looked at: for want of memory, or its lease was over when it
 * came. Others need not wait until that is found out step by step. */
void haft__work_give_back(haft__work *work)
{
    work->taking = true;
    work->take = (haft__store_request){.verb = HAFT__STORE_RELEASE,
                                       .run.id = work->taken.id,
                                       .run.epoch = work->taken.epoch,
                                       .done = on_given_back,
                                       .context = work};
    haft__store_submit(work->runtime->store, &work->take);
}

/* A run is ours now. */
void haft__work_open(haft__work *work)
{
    haft__work_slot *slot = free_slot(work);
    haft_error err = {0};
    if (haft__open_taken(work->runtime, &work->taken, work->asked_ms, &slot->run, &err)
        != HAFT_OK) {
        haft__work_trouble(work, &err);
        haft__work_give_back(work);
        return;
    }
    slot->mail = HAFT__MAIL_UNKNOWN;
    slot->seq = work->taken.seq;
    haft__work_note_loss(work, slot);
    work->busy++;
    work->hungry = true;
    tell(work, HAFT__WORK_TAKEN, slot->run, 0);
    if (work->stopping) {
        haft__live_pause(slot->run);
    }
}

/* Whether a run that is this worker's without its knowing can be told from those it knows: these
 * are left alone. Such runs would be renewed with the others for ever. */
static bool list_known(haft__work *work)
{
    bool room = true;
    haft__store_request *take = &work->take;
    for (const haft_run *run = work->runtime->runs; run != NULL && room; run = run->next) {
        room = haft__skip_list_add(&work->skipped, take->skip_count, run->id);
        take->skip_count += room;
    }
    return room;
}

/* A request that was given up may be performed yet, for as long as a lease. */
static void settle_doubt(haft__work *work, const haft__store_request *request)
{
    uint64_t since = work->runtime->steady() - work->doubted_ms;
    if (request->reclaim_own && !work->found && since > work->runtime->leases.ms) {
        work->doubted_ms = 0;
    }
}

/* The store has what it would take next and cannot read it: that one is for people, and the next is
 * asked for. */
static void pass_over(haft__work *work, const haft__store_request *request)
{
    work->failures = 0;
    work->poll_ms = work->options.poll_ms;
    work->hungry = true;
    leave(work, request->damaged, HAFT__LIT(""), &request->error);
}

static void on_taken(haft__store_request *request)
{
    haft__work *work = request->context;
    work->taking = false;
    if (request->damaged[0] != '\0') {
        pass_over(work, request);
        return;
    }
    work->found = request->status == HAFT_OK;
    work->nothing = request->status == HAFT_NOT_FOUND && !request->quick;
    work->looked_ms = request->quick ? work->looked_ms : now_of(work);
    if (work->found || request->status == HAFT_NOT_FOUND) {
        work->failures = 0;
        work->poll_ms = work->options.poll_ms;
        settle_doubt(work, request);
    } else if (request->status == HAFT_UNSUPPORTED) { /* its tables are of a later haft by now */
        work->refused = request->error;
        return;
    } else {
        work->doubted_ms = work->runtime->steady();
        haft__work_trouble(work, &request->error);
        work->poll_ms = 2 * work->poll_ms < HAFT__LIMIT_WORK_POLL_MS ? 2 * work->poll_ms
                                                                     : HAFT__LIMIT_WORK_POLL_MS;
    }
    if (work->found) {
        haft__work_look_up(work, &request->found[0], request->lost);
    } else if (!work->stopping) {
        poll_later(work);
    }
}

/* Runs that lost their owner are looked for when there is nothing else to do, and now and then. */
static bool is_quick(const haft__work *work)
{
    return work->doubted_ms == 0 && work->found
           && now_of(work) < work->looked_ms + HAFT__LIMIT_WORK_LOST_MS;
}

/* So many could not go on here that the next might be one that was tried before. */
static bool is_fed_up(const haft__work *work)
{
    return work->options.once && work->skips.count == HAFT__LIMIT_WORK_SKIPPED;
}

static void list_postponed(haft__work *work)
{
    haft__store_request *take = &work->take;
    for (size_t i = 0; i < work->postponed_count; i++) {
        take->skip_count +=
            haft__skip_list_add(&work->skipped, take->skip_count, work->postponed[i]);
    }
}

static void take_more(haft__work *work)
{
    bool full = work->busy == work->options.concurrency;
    if (!work->hungry || work->taking || work->stopping || full || is_fed_up(work)) {
        return;
    }
    haft__timer_stop(work->runtime->loop, &work->poll);
    work->hungry = work->nothing = false;
    haft__arena_reset(&work->arena);
    work->taking = true;
    work->asked_ms = work->runtime->steady();
    work->take = (haft__store_request){
        .verb = HAFT__STORE_CLAIM_NEXT,
        .run.owner = haft__str(work->runtime->owner),
        .lease_ms = work->runtime->leases.ms,
        .now_ms = work->options.own_clock ? haft__runtime_now(work->runtime) : 0,
        .quick = is_quick(work),
        .skip = work->skipped.texts,
        .skip_count = haft__skips_list(&work->skips, now_of(work), &work->skipped),
        .arena = &work->arena,
        .done = on_taken,
        .context = work};
    list_postponed(work);
    work->take.reclaim_own = work->doubted_ms != 0 && list_known(work);
    haft__store_submit(work->runtime->store, &work->take);
}

/* ---- giving back ---- */

static void let_go(haft__work_slot *slot)
{
    haft_run_release(slot->run);
    haft__timer_stop(slot->work->runtime->loop, &slot->again);
    slot->run = NULL;
    slot->mail = HAFT__MAIL_UNKNOWN;
    slot->work->busy--;
    slot->work->hungry = true; /* there is room, and the next of its thread may begin */
    slot->work->nothing = false;
}

static void on_received(haft__store_request *request)
{
    haft__work_slot *slot = request->context;
    bool none = request->status == HAFT_OK && request->message_count == 0;
    slot->mail = none ? HAFT__MAIL_NONE : HAFT__MAIL_SOME;
}

static void ask_for_mail(haft__work_slot *slot)
{
    haft_runtime *runtime = slot->work->runtime;
    slot->mail = HAFT__MAIL_ASKED;
    haft__arena_reset(&slot->arena);
    slot->receive = (haft__store_request){.verb = HAFT__STORE_RECEIVE,
                                          .run.id = haft__str(slot->run->id),
                                          .arena = &slot->arena,
                                          .done = on_received,
                                          .context = slot};
    haft__store_submit(runtime->store, &slot->receive);
}

static void on_again(void *context)
{
    haft__work_slot *slot = context;
    slot->mail = HAFT__MAIL_UNKNOWN;
}

/* What was said to it is heard first, and it may go on because of that. */
static void wait_until_heard(haft__work_slot *slot)
{
    haft__runtime_listen(slot->work->runtime);
    if (slot->again.slot == 0
        && haft__timer_start(slot->work->runtime->loop, &slot->again, HEARD_MS, on_again, slot,
                             NULL)
               != HAFT_OK) {
        slot->mail = HAFT__MAIL_UNKNOWN;
    }
}

/* A deadline that the store's clock says has come, and ours does not: it is not asked for again and
 * again meanwhile. */
static void give_back_waiting(haft__work_slot *slot)
{
    haft__work *work = slot->work;
    const haft__run *state = &slot->run->state;
    if (haft__run_deadline(state) != 0 && state->seq == slot->seq) {
        (void)haft__skips_add(&work->skips, slot->run->id, skip_from(work));
    } else {
        haft__skips_forget(&work->skips, slot->run->id);
    }
    tell(work, HAFT__WORK_WAITS, slot->run, 0);
    let_go(slot);
}

/* A run that waits. One that asks on behalf of a call which is under way here is kept: nobody else
 * could give the answer to that call. */
static void look_at_waiting(haft__work_slot *slot)
{
    const haft__work_options *options = &slot->work->options;
    if (options->speak != NULL && options->speak(options->context, slot->run)) {
        slot->mail = HAFT__MAIL_UNKNOWN;
        return;
    }
    if (slot->run->slots != NULL) {
        return;
    }
    switch (slot->mail) {
    case HAFT__MAIL_UNKNOWN: ask_for_mail(slot); return;
    case HAFT__MAIL_ASKED: return;
    case HAFT__MAIL_SOME: wait_until_heard(slot); return;
    case HAFT__MAIL_NONE: give_back_waiting(slot); return;
    }
    HAFT__UNREACHABLE();
}

static void look_at_stopped(haft__work_slot *slot)
{
    haft__work *work = slot->work;
    haft_status status = slot->run->error.status;
    bool lost = status == HAFT_BAD_STATE || status == HAFT_NOT_FOUND;
    uint64_t retry = haft__skips_add(&work->skips, slot->run->id, skip_from(work));
    tell(work, lost ? HAFT__WORK_LOST : HAFT__WORK_LEFT, slot->run, retry);
    let_go(slot);
}

/* Whether nothing of it is to be waited for. A call that asks somebody something may do so for
 * days: it is ended. What the store could not be told is found out by who goes on with it. */
static bool may_go(const haft__work_slot *slot, haft_state state)
{
    bool unknown = haft__log_lost(slot->run) && slot->run->slots == NULL;
    if (state == HAFT_STOPPED) {
        return slot->run->error.status == HAFT_IO; /* else it is told why */
    }
    return slot->work->at_once || haft__live_paused(slot->run) || state == HAFT_WAITING || unknown;
}

static void on_left(haft_run *run, bool others)
{
    haft__work *work = run->left_context;
    work->leaving--;
    tell(work, others ? HAFT__WORK_RELEASED : HAFT__WORK_KEPT, run, 0);
}

/* That it was given back is told when the store has said so. Who goes on with what is there once
 * tells its own end of it, and reads the run for that. A store that did not answer is not waited
 * for as long again. */
static void release(haft__work_slot *slot)
{
    if (haft__log_lost(slot->run) || slot->run->error.status == HAFT_IO) {
        haft__store_set_timeout(slot->work->runtime->store, HAFT__LIMIT_WORK_HURRY_MS);
    }
    if (slot->work->options.once) {
        tell(slot->work, HAFT__WORK_RELEASED, slot->run, 0);
    } else {
        slot->work->leaving++;
        slot->run->on_left = on_left;
        slot->run->left_context = slot->work;
    }
    let_go(slot);
}

static void look_at(haft__work_slot *slot)
{
    haft__work *work = slot->work;
    haft_state state = haft_run_state(slot->run);
    if (state == HAFT_ENDED) {
        haft__skips_forget(&work->skips, slot->run->id);
        tell(work, HAFT__WORK_ENDED, slot->run, 0);
        let_go(slot);
    } else if (work->stopping && may_go(slot, state)) {
        release(slot);
    } else if (state == HAFT_STOPPED) {
        look_at_stopped(slot);
    } else if (state == HAFT_WAITING) {
        look_at_waiting(slot);
    } else if (slot->mail == HAFT__MAIL_NONE) {
        slot->mail = HAFT__MAIL_UNKNOWN; /* it goes on, and may wait again later */
    }
}

/* ---- from outside ---- */

haft_status haft__work_step(haft__work *work, haft_error *err)
{
    take_more(work);
    haft_status status = haft_runtime_step(work->runtime, -1, err);
    for (size_t i = 0; status == HAFT_OK && i < work->options.concurrency; i++) {
        haft__work_slot *slot = &work->slots[i];
        if (slot->run != NULL && slot->mail != HAFT__MAIL_ASKED) {
            look_at(slot);
        }
    }
    haft__work_look_at_suspect(work);
    if (status == HAFT_OK && work->refused.status != HAFT_OK) {
        status = work->refused.status;
        if (err != NULL) {
            *err = work->refused;
        }
    }
    return status;
}

void haft__work_stop(haft__work *work, bool at_once)
{
    work->stopping = true;
    work->at_once = work->at_once || at_once;
    haft__timer_stop(work->runtime->loop, &work->poll);
    haft__store_set_timeout(work->runtime->store,
                            work->at_once ? HAFT__LIMIT_WORK_HURRY_MS : HAFT__LIMIT_WORK_STOP_MS);
    for (size_t i = 0; i < work->options.concurrency; i++) {
        if (work->slots[i].run != NULL) {
            haft__live_pause(work->slots[i].run);
        }
    }
}

bool haft__work_done(const haft__work *work)
{
    return work->stopping && !work->taking && work->busy == 0 && work->leaving == 0;
}

bool haft__work_idle(const haft__work *work)
{
    bool nothing = (!work->hungry && work->nothing) || is_fed_up(work);
    return !work->taking && nothing && work->busy == 0;
}

void haft__work_again(haft__work *work)
{
    work->hungry = true;
}

haft_run *haft__work_only(const haft__work *work)
{
    if (work->busy != 1 || work->taking || work->hungry || !work->nothing) {
        return NULL;
    }
    size_t at = 0;
    while (work->slots[at].run == NULL) {
        at++;
    }
    return work->slots[at].run;
}

bool haft__work_stuck(const haft__work *work)
{
    return !work->taking && work->failures >= HAFT__LIMIT_WORK_TRIES && work->busy == 0;
}

static haft_status check_options(const haft_runtime *runtime, const haft__work_options *options,
                                 haft_error *err)
{
    if (options->concurrency == 0 || options->concurrency > HAFT__LIMIT_WORK_RUNS) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "a worker has 1 to %d runs at once, found %zu",
                          HAFT__LIMIT_WORK_RUNS, options->concurrency);
    }
    if (options->poll_ms == 0 || options->poll_ms > HAFT__LIMIT_WORK_POLL_MS) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "a worker looks again after 1 to %d milliseconds, found %llu",
                          HAFT__LIMIT_WORK_POLL_MS, (unsigned long long)options->poll_ms);
    }
    if (!runtime->shared) {
        haft_status status =
            haft__fail(err, HAFT_UNSUPPORTED, "", "nobody else can put runs into this store");
        return haft__hint(
            err, status,
            "--store sqlite:PATH or postgres://... names one that several processes have");
    }
    return HAFT_OK;
}

haft_status haft__work_create(haft_runtime *runtime, const haft__work_options *options,
                              haft__work **ret_work, haft_error *err)
{
    haft_status status = check_options(runtime, options, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__work *work = calloc(1, sizeof(*work));
    haft__work_slot *slots = calloc(options->concurrency, sizeof(*slots));
    if (work == NULL || slots == NULL) {
        free(work);
        free(slots);
        return haft__fail_no_memory(err);
    }
    work->runtime = runtime;
    work->options = *options;
    work->poll_ms = options->poll_ms;
    work->hungry = true;
    work->slots = slots;
    haft__arena_init(&work->arena, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; i < options->concurrency; i++) {
        slots[i].work = work;
        haft__arena_init(&slots[i].arena, HAFT__LIMIT_RUN_BYTES);
    }
    if (!haft__random_bytes(&work->random, sizeof(work->random))) {
        work->random = haft__runtime_now(runtime);
    }
    *ret_work = work;
    return HAFT_OK;
}

/* Whether the store still works for it. */
static bool is_asking(const haft__work *work)
{
    bool asking = work->taking || work->leaving > 0;
    for (size_t i = 0; i < work->options.concurrency; i++) {
        asking = asking || work->slots[i].mail == HAFT__MAIL_ASKED;
    }
    return asking;
}

void haft__work_destroy(haft__work *work)
{
    if (work == NULL) {
        return;
    }
    haft__work_stop(work, true);
    while (is_asking(work) && haft_runtime_step(work->runtime, -1, NULL) == HAFT_OK) {
    }
    for (size_t i = 0; i < work->options.concurrency; i++) {
        if (work->slots[i].run != NULL) {
            let_go(&work->slots[i]);
        }
        haft__arena_finish(&work->slots[i].arena);
    }
    haft__arena_finish(&work->arena);
    free(work->slots);
    free(work);
}
