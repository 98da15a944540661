/* SPDX-License-Identifier: Apache-2.0 */
/* child_pool.c - see engine/child_pool.h. Tests: tests/engine/child_pool_test.c,
 * tests/cli/children_test.py, tests/crash/children_test.py. */
#include "engine/child_pool.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "io/owner.h"
#include "run/host.h"

static void on_check(haft__task *task);
static void check_later(haft_runtime *runtime);

void haft__child_pool_init(haft_runtime *runtime)
{
    runtime->children.check.run = on_check;
    runtime->children.entries.hash_key = runtime->hash_key;
    haft__arena_init(&runtime->children.arena, HAFT__LIMIT_RUN_BYTES);
}

void haft__child_pool_finish(haft_runtime *runtime)
{
    haft__child_pool *pool = &runtime->children;
    if (runtime->loop != NULL) {
        haft__timer_stop(runtime->loop, &pool->timer);
        haft__loop_cancel_task(runtime->loop, &pool->check);
    }
    haft__child_entries_finish(&pool->entries);
    haft__arena_finish(&pool->arena);
}

static haft__child_entry *find_entry(const haft__child_pool *pool, haft_str id)
{
    return haft__child_entries_find(&pool->entries, id);
}

static void set_state(haft__child_pool *pool, haft__child_entry *entry,
                      haft__child_entry_state state)
{
    haft__child_entries_set_state(&pool->entries, entry, state);
}

static void set_kept_open(haft__child_pool *pool, haft__child_entry *entry, bool kept)
{
    pool->kept_open_count += (size_t)kept - (size_t)entry->kept_open;
    entry->kept_open = kept;
}

static void set_wants_open(haft__child_pool *pool, haft__child_entry *entry, bool wanted)
{
    pool->wants_open_count += (size_t)wanted - (size_t)entry->wants_open;
    entry->wants_open = wanted;
}

static void remove_entry(haft__child_pool *pool, haft__child_entry *entry)
{
    set_kept_open(pool, entry, false);
    set_wants_open(pool, entry, false);
    haft__child_entries_remove(&pool->entries, entry);
}

static bool is_below(const haft__child_pool *pool, const haft__child_entry *entry,
                     const haft_run *run)
{
    return haft__child_entries_is_below(&pool->entries, entry, run->id);
}

haft_run *haft__child_pool_find(const haft_runtime *runtime, haft_str id)
{
    const haft__child_entry *entry = find_entry(&runtime->children, id);
    return entry != NULL && entry->state == HAFT__CHILD_ENTRY_OPEN ? entry->run : NULL;
}

bool haft__child_pool_wake(haft_runtime *runtime, haft_str id)
{
    haft__child_entry *entry = find_entry(&runtime->children, id);
    if (entry != NULL
        && (entry->state == HAFT__CHILD_ENTRY_WAITING
            || entry->state == HAFT__CHILD_ENTRY_FAILED)) {
        set_state(&runtime->children, entry, HAFT__CHILD_ENTRY_QUEUED);
        haft__child_pool_notify(runtime);
    }
    return entry != NULL;
}

/* ---- adding ---- */

/* Returns NULL if the pool is not used, or if out of memory. The child then stays in the store, and
 * `haft resume` continues it. */
static haft__child_entry *add_entry(haft_runtime *runtime, haft_str id, haft_str parent)
{
    haft__child_pool *pool = &runtime->children;
    if (pool->disabled || runtime->closing) {
        return NULL;
    }
    return haft__child_entries_add(&pool->entries, id, parent);
}

void haft__child_pool_add(haft_run *parent, haft_str id)
{
    haft__child_pool *pool = &parent->runtime->children;
    if (find_entry(pool, id) == NULL
        && add_entry(parent->runtime, id, haft__str(parent->id)) != NULL) {
        haft__child_pool_notify(parent->runtime);
    }
}

void haft__child_pool_adopt(haft_run *run)
{
    haft__child_entry *entry = add_entry(run->runtime, haft__str(run->id), run->state.parent);
    if (entry != NULL) {
        set_state(&run->runtime->children, entry, HAFT__CHILD_ENTRY_OPEN);
        entry->run = run;
        run->runtime->children.open++;
        haft__child_pool_notify(run->runtime);
    }
}

haft_run *haft__child_pool_disown(haft_runtime *runtime, haft_str id)
{
    haft__child_entry *entry = find_entry(&runtime->children, id);
    haft_run *run = entry != NULL ? entry->run : NULL;
    if (run != NULL) {
        entry->run = NULL;
        remove_entry(&runtime->children, entry);
        runtime->children.open--;
    }
    return run;
}

void haft__child_pool_add_all(haft_run *run)
{
    for (size_t i = 0; i < run->state.child_count; i++) {
        if (!run->state.children[i]->finished) {
            haft__child_pool_add(run, run->state.children[i]->run);
        }
    }
}

/* ---- inspection ---- */

static void post_check(haft_runtime *runtime)
{
    haft__child_pool *pool = &runtime->children;
    if (!pool->check_posted && !runtime->closing) {
        pool->check_posted = true;
        haft__loop_post(runtime->loop, &pool->check);
    }
}

void haft__child_pool_notify(haft_runtime *runtime)
{
    runtime->children.polls_messages = true;
    post_check(runtime);
}

void haft__child_pool_run_changed(haft_run *run)
{
    if (run->runtime->children.entries.count > 0) {
        post_check(run->runtime);
    }
}

void haft__child_pool_messages_read(haft_runtime *runtime)
{
    haft__child_pool *pool = &runtime->children;
    pool->polling = false;
    if (pool->entries.count > 0) { /* the last check may have waited for these messages */
        post_check(runtime);
    }
}

static void release_entry(haft_runtime *runtime, haft__child_entry *entry,
                          haft__child_entry_state state)
{
    haft_run *run = entry->run;
    if (runtime->children.observer.observe != NULL) {
        runtime->children.observer.observe(runtime->children.observer.context, run);
    }
    entry->run = NULL;
    set_state(&runtime->children, entry, state);
    set_kept_open(&runtime->children, entry, false);
    runtime->children.open--;
    haft_run_release(run);
}

/* A child has ended, and its parent has a message. If the parent is open in this process, it polls
 * the message. If the parent waits, it is opened. */
static void end_entry(haft_runtime *runtime, haft__child_entry *entry)
{
    remove_entry(&runtime->children, entry);
    runtime->children.polls_messages = true;
    (void)haft__child_pool_wake(runtime, haft__str(entry->parent));
}

/* The state of the run without the runs below it. A run that waits only for runs below it has the
 * state WAITING, so it is released. */
static haft_state own_state(const haft_run *run)
{
    return haft__run_is_settled(run) ? (run->effect == HAFT__EFFECT_END ? HAFT_ENDED : HAFT_WAITING)
                                     : haft_run_state(run);
}

static bool has_pending_call(const haft_run *run)
{
    bool pending = false;
    for (size_t i = run->state.batch; i < run->state.call_count; i++) {
        pending = pending || run->state.calls[i].stage == HAFT__CALL_PAUSED;
    }
    return pending && haft__run_takes_answers(&run->state);
}

/* Whether the waiting run stays open, because this process gives the answer. */
static bool stays_open(haft__child_pool *pool, haft__child_entry *entry)
{
    bool answers = pool->answerer.answer != NULL && !pool->draining && has_pending_call(entry->run)
                   && pool->answerer.answer(pool->answerer.context, entry->run);
    bool room = entry->kept_open || pool->kept_open_count < HAFT__LIMIT_CHILD_KEPT;
    set_kept_open(pool, entry, answers && room);
    set_wants_open(pool, entry, answers && !room);
    return entry->kept_open;
}

static void check_waiting(haft_runtime *runtime, haft__child_entry *entry)
{
    haft__child_pool *pool = &runtime->children;
    /* Do not release the run while messages are being read: a message to the run would stay in the
     * store, and this process would not open the run again. */
    if (pool->polls_messages || pool->polling) {
        return;
    }
    /* If a running call has asked a question, only this process can deliver the answer. */
    if (!stays_open(pool, entry) && entry->run->slots == NULL && entry->run->hooks == NULL
        && own_state(entry->run) == HAFT_WAITING) { /* else the question was just answered */
        release_entry(runtime, entry, HAFT__CHILD_ENTRY_WAITING);
    }
}

static void check_open(haft_runtime *runtime, haft__child_entry *entry)
{
    haft_run *run = entry->run;
    switch (own_state(run)) {
    case HAFT_RUNNING: return;
    case HAFT_ENDED:
        release_entry(runtime, entry, HAFT__CHILD_ENTRY_OPEN);
        end_entry(runtime, entry);
        return;
    case HAFT_WAITING: check_waiting(runtime, entry); return;
    case HAFT_STOPPED:
        entry->error = run->error;
        release_entry(runtime, entry,
                      run->error.status == HAFT_BAD_STATE /* another process claimed it */
                          ? HAFT__CHILD_ENTRY_FOREIGN
                          : HAFT__CHILD_ENTRY_FAILED);
        return;
    }
    HAFT__UNREACHABLE();
}

static void open_entry(haft_runtime *runtime, haft__child_entry *entry)
{
    haft_status status =
        haft__run_open_by_name(runtime, haft__str(entry->id), false, &entry->run, &entry->error);
    set_state(&runtime->children, entry,
              status == HAFT_OK ? HAFT__CHILD_ENTRY_OPEN : HAFT__CHILD_ENTRY_FAILED);
    runtime->children.open += status == HAFT_OK;
}

static void open_queued(haft_runtime *runtime)
{
    haft__child_pool *pool = &runtime->children;
    for (haft__child_entry *entry = pool->entries.first, *next; entry != NULL; entry = next) {
        next = entry->next;
        if (pool->open >= HAFT__LIMIT_CHILD_OPEN || pool->draining) {
            return;
        }
        if (entry->state == HAFT__CHILD_ENTRY_QUEUED) {
            open_entry(runtime, entry);
        }
    }
}

/* Queues children that wait for an answer from this process, when other children have received
 * their answers. */
static void queue_wants_open(haft__child_pool *pool)
{
    for (size_t i = 0; i < pool->entries.count && pool->wants_open_count > 0 && !pool->draining
                       && pool->kept_open_count < HAFT__LIMIT_CHILD_KEPT;
         i++) {
        haft__child_entry *entry = pool->entries.items[i];
        bool reopens =
            !entry->removed && entry->wants_open && entry->state == HAFT__CHILD_ENTRY_WAITING;
        if (reopens) {
            set_kept_open(pool, entry, true);
            set_state(pool, entry, HAFT__CHILD_ENTRY_QUEUED);
        }
        set_wants_open(pool, entry, entry->wants_open && !reopens);
    }
}

/* Stops runs that cannot continue. If a run waits only for a child that cannot continue in this
 * process, it stops with the child's error. If a run cannot create a child, it stops with the error
 * when the other children have finished. */
static void stop_stuck_runs(haft_runtime *runtime)
{
    for (haft_run *run = runtime->runs, *next; run != NULL; run = next) {
        const char *id = "";
        bool waits_for_child = run->stage == HAFT__HANDLE_ACTIVE && !run->released
                               && run->state.open_children > 0 && haft__run_is_settled(run);
        const haft_error *error = waits_for_child && haft__child_pool_is_settled(run)
                                      ? haft__child_pool_error(run, &id)
                                      : NULL;
        next = run->next;
        if (haft__run_is_blocked(run)) {
            haft__run_advance(run);
            if (run->stage == HAFT__HANDLE_FAILED) {
                return; /* the list may have changed */
            }
        }
        if (error != NULL) {
            haft_error err = *error;
            haft__error_prepend_location(&err, id);
            haft__run_fail(run, &err);
            return; /* the list may have changed */
        }
    }
}

static void on_check(haft__task *task)
{
    haft_runtime *runtime = HAFT__CONTAINER(task, haft_runtime, children.check);
    haft__child_pool *pool = &runtime->children;
    pool->check_posted = false;
    for (haft__child_entry *entry = pool->entries.first, *next; entry != NULL; entry = next) {
        next = entry->next;
        if (entry->state == HAFT__CHILD_ENTRY_OPEN && entry->run != NULL) {
            check_open(runtime, entry);
        }
    }
    queue_wants_open(pool);
    open_queued(runtime);
    if (pool->polls_messages && !runtime->message_poll_pending) { /* else the check is repeated
                                                                   * after the pending poll */
        pool->polls_messages = false;
        haft__runtime_poll_messages(runtime);
        pool->polling = runtime->message_poll_pending;
    }
    if (!pool->querying) {
        haft__child_entries_sweep(&pool->entries);
    }
    stop_stuck_runs(runtime);
    check_later(runtime);
}

/* ---- changes that other processes made ---- */

static void query_next(haft_runtime *runtime);

/* Updates an entry that is not open in this process. The entry is queued if its run has not ended
 * and has no owner. A run that had another owner may have received messages since, so it is queued
 * even if it waits. */
static void on_found(haft__store_request *request)
{
    haft_runtime *runtime = request->context;
    haft__child_pool *pool = &runtime->children;
    haft__child_entry *entry =
        pool->next_query < pool->entries.count ? pool->entries.items[pool->next_query] : NULL;
    pool->querying = false;
    if (entry != NULL && !entry->removed && request->status == HAFT_OK
        && entry->state != HAFT__CHILD_ENTRY_OPEN) {
        const haft__store_run *row = &request->found[0];
        bool owned = row->owner.len > 0 && row->lease_ms > haft__store_now(runtime->store)
                     && !haft__owner_is_dead(row->owner);
        if (row->state == HAFT__RUN_STATE_ENDED) {
            end_entry(runtime, entry);
            haft__child_pool_notify(runtime);
        } else if (!owned
                   && (row->state == HAFT__RUN_STATE_RUNNING
                       || entry->state == HAFT__CHILD_ENTRY_FOREIGN)) {
            set_state(pool, entry, HAFT__CHILD_ENTRY_QUEUED);
            haft__child_pool_notify(runtime);
        } else {
            set_state(pool, entry, owned ? HAFT__CHILD_ENTRY_FOREIGN : HAFT__CHILD_ENTRY_WAITING);
        }
    } else if (entry != NULL && request->status == HAFT_NOT_FOUND) {
        remove_entry(pool, entry);
    }
    pool->next_query++;
    query_next(runtime);
}

/* Queries the entries that are not open in this process, one after the other. Each round queries at
 * most HAFT__LIMIT_CHILD_POLL_COUNT entries. */
static void query_next(haft_runtime *runtime)
{
    haft__child_pool *pool = &runtime->children;
    const haft__child_entries *entries = &pool->entries;
    while (pool->next_query < entries->count
           && (entries->items[pool->next_query]->removed
               || entries->items[pool->next_query]->state == HAFT__CHILD_ENTRY_OPEN
               || entries->items[pool->next_query]->state == HAFT__CHILD_ENTRY_QUEUED)) {
        pool->next_query++;
    }
    if (pool->next_query >= entries->count || pool->query_count >= HAFT__LIMIT_CHILD_POLL_COUNT
        || runtime->closing) {
        check_later(runtime);
        return;
    }
    pool->query_count++;
    haft__arena_reset(&pool->arena);
    pool->querying = true;
    pool->request = (haft__store_request){.verb = HAFT__STORE_FIND,
                                          .name = haft__str(entries->items[pool->next_query]->id),
                                          .arena = &pool->arena,
                                          .done = on_found,
                                          .context = runtime};
    haft__store_submit(runtime->store, &pool->request);
}

static void on_timer(void *context)
{
    haft_runtime *runtime = context;
    if (!runtime->children.querying) {
        haft__child_pool *pool = &runtime->children;
        haft__child_entries_sweep(&pool->entries);
        pool->query_count = 0;
        pool->next_query = pool->next_query < pool->entries.count ? pool->next_query : 0;
        query_next(runtime);
    }
}

/* Starts the timer for the next round. Only a shared store needs it, because other processes can
 * change its runs. */
static void check_later(haft_runtime *runtime)
{
    haft__child_pool *pool = &runtime->children;
    bool any = false;
    for (size_t i = 0; i < pool->entries.count && !any; i++) {
        const haft__child_entry *entry = pool->entries.items[i];
        any = !entry->removed
              && (entry->state == HAFT__CHILD_ENTRY_WAITING
                  || entry->state == HAFT__CHILD_ENTRY_FOREIGN);
    }
    if (any && runtime->shared && !pool->querying && pool->timer.slot == 0 && !runtime->closing) {
        (void)!haft__timer_start(runtime->loop, &pool->timer, HAFT__LIMIT_CHILD_POLL_MS, on_timer,
                                 runtime, NULL);
    }
}

/* ---- trees ---- */

/* Whether an open child waits for an answer. */
static bool waits_for_answer(const haft__child_entry *entry)
{
    return entry->state == HAFT__CHILD_ENTRY_OPEN && entry->run != NULL
           && own_state(entry->run) == HAFT_WAITING && has_pending_call(entry->run);
}

/* Whether no run below the run can continue. Queued children cannot continue while all open
 * children wait for answers and the limit of open children is reached. */
static bool all_wait(const haft__child_pool *pool, const haft_run *run)
{
    size_t waiting = 0;
    bool queued = false;
    for (const haft__child_entry *entry = pool->entries.first; entry != NULL; entry = entry->next) {
        bool waits = waits_for_answer(entry);
        waiting += waits;
        if (!waits && is_below(pool, entry, run)) {
            if (entry->state != HAFT__CHILD_ENTRY_QUEUED) {
                return false;
            }
            queued = true;
        }
    }
    return !queued || (pool->open >= HAFT__LIMIT_CHILD_OPEN && waiting >= pool->open);
}

bool haft__child_pool_is_settled(const haft_run *run)
{
    const haft__child_pool *pool = &run->runtime->children;
    if (pool->disabled || run->state.open_children == 0) {
        return true;
    }
    /* A posted check may stop the run with the error of a child. */
    return !pool->polls_messages && !run->runtime->message_poll_pending && !pool->check_posted
           && all_wait(pool, run);
}

static haft_run *next_open(const haft_run *run, const haft_run *last, bool waiting)
{
    const haft__child_pool *pool = &run->runtime->children;
    bool after = last == NULL;
    for (const haft__child_entry *entry = pool->entries.first; entry != NULL; entry = entry->next) {
        if (after && entry->run != NULL && is_below(pool, entry, run)
            && (!waiting || waits_for_answer(entry))) {
            return entry->run;
        }
        after = after || entry->run == last;
    }
    return NULL;
}

haft_run *haft__child_pool_next_waiting(const haft_run *run, const haft_run *last)
{
    return next_open(run, last, true);
}

haft_run *haft__child_pool_next_open(const haft_run *run, const haft_run *last)
{
    return next_open(run, last, false);
}

void haft__child_pool_observe(const haft_run *run)
{
    const haft__child_pool *pool = &run->runtime->children;
    const haft__child_entry *entry = pool->entries.first;
    for (; entry != NULL && pool->observer.observe != NULL; entry = entry->next) {
        if (entry->run != NULL && is_below(pool, entry, run)) {
            pool->observer.observe(pool->observer.context, entry->run);
        }
    }
}

void haft__child_pool_drain(const haft_run *run)
{
    haft__child_pool *pool = &run->runtime->children;
    pool->draining = true;
    for (haft__child_entry *entry = pool->entries.first; entry != NULL; entry = entry->next) {
        if (entry->run != NULL && is_below(pool, entry, run)) {
            haft__run_drain(entry->run);
        }
    }
}

bool haft__child_pool_is_drained(const haft_run *run)
{
    const haft__child_pool *pool = &run->runtime->children;
    bool drained = true;
    for (haft__child_entry *entry = pool->entries.first; entry != NULL; entry = entry->next) {
        drained = drained
                  && (entry->run == NULL || !is_below(pool, entry, run)
                      || haft__run_is_drained(entry->run));
    }
    return drained;
}

void haft__child_pool_undrain(haft_runtime *runtime)
{
    runtime->children.draining = false;
    haft__child_pool_notify(runtime);
}

const haft_error *haft__child_pool_error(const haft_run *run, const char **ret_id)
{
    const haft__child_pool *pool = &run->runtime->children;
    for (size_t i = 0; i < pool->entries.count; i++) {
        const haft__child_entry *entry = pool->entries.items[i];
        if (!entry->removed && entry->state == HAFT__CHILD_ENTRY_FAILED
            && is_below(pool, entry, run)) {
            *ret_id = entry->id;
            return &entry->error;
        }
    }
    return NULL;
}

static void release_below(haft_run *run)
{
    haft__child_pool *pool = &run->runtime->children;
    haft__child_entries *entries = &pool->entries;
    for (size_t i = 0; i < entries->count; i++) {
        haft__child_entry *entry = entries->items[i];
        entry->releasing = !entry->removed && is_below(pool, entry, run);
    }
    pool->releasing = true;
    for (size_t i = 0; i < entries->count; i++) {
        haft__child_entry *entry = entries->items[i];
        if (entry->releasing) {
            remove_entry(pool, entry);
            if (entry->run != NULL) {
                release_entry(run->runtime, entry, entry->state);
            }
        }
    }
    pool->releasing = false;
}

void haft__child_pool_release(haft_run *run)
{
    haft__child_pool *pool = &run->runtime->children;
    bool is_entry = find_entry(pool, haft__str(run->id)) != NULL;
    /* A read-only handle may belong to a run that this process also has open for writing. */
    bool reads = run->stage == HAFT__HANDLE_READ_ONLY || run->opening.mode == HAFT__OPEN_READ_ONLY;
    if (!reads && !is_entry && !pool->releasing) { /* a released child keeps the runs below it */
        release_below(run);
    }
}
