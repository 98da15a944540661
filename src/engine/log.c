/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - the events of a run: redacted, folded, buffered, written, committed, read.
 *
 * Only one write is pending at a time. Events that are recorded meanwhile are buffered for the next
 * write, so that a slow disk causes fewer and larger writes. Readers get an event when it is
 * durable. Tests: tests/engine/run_test.c.
 */
#include "engine/log.h"

#include <assert.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "engine/telemetry/telemetry.h"
#include "model/conversation.h"
#include "run/artifact.h"
#include "run/host.h"
#include "run/redact/redact.h"
#include "run/redact/withhold.h"
#include "run/thread_queue.h"

/* ---- states ---- */

static bool may_follow(haft__log_state state, haft__log_state next)
{
    switch (state) {
    case HAFT__LOG_NEW: return next == HAFT__LOG_CREATING || next == HAFT__LOG_IDLE;
    case HAFT__LOG_CREATING: return next == HAFT__LOG_NEW;
    case HAFT__LOG_IDLE: return next == HAFT__LOG_APPENDING || next == HAFT__LOG_BACKING_OFF;
    case HAFT__LOG_APPENDING: return next == HAFT__LOG_IDLE;
    case HAFT__LOG_BACKING_OFF:
        return next == HAFT__LOG_REREADING || next == HAFT__LOG_REAPPENDING
               || next == HAFT__LOG_IDLE;
    case HAFT__LOG_REREADING: return next == HAFT__LOG_BACKING_OFF;
    case HAFT__LOG_REAPPENDING: return next == HAFT__LOG_BACKING_OFF;
    }
    HAFT__UNREACHABLE();
}

static void set_state(haft__log *log, haft__log_state next)
{
    assert(next == log->state || may_follow(log->state, next));
    log->state = next;
}

/* The state before the pending request was sent. The reply decides the next state. */
static haft__log_state state_after_reply(haft__log_state state)
{
    switch (state) {
    case HAFT__LOG_NEW:
    case HAFT__LOG_CREATING: return HAFT__LOG_NEW;
    case HAFT__LOG_IDLE:
    case HAFT__LOG_APPENDING: return HAFT__LOG_IDLE;
    case HAFT__LOG_BACKING_OFF:
    case HAFT__LOG_REREADING:
    case HAFT__LOG_REAPPENDING: return HAFT__LOG_BACKING_OFF;
    }
    HAFT__UNREACHABLE();
}

bool haft__log_is_created(const haft__log *log)
{
    return log->state != HAFT__LOG_NEW && log->state != HAFT__LOG_CREATING;
}

bool haft__log_is_busy(const haft__log *log)
{
    return log->state != state_after_reply(log->state);
}

/* After a failed write it is unknown whether the store has committed it. The log reads the run's
 * row and writes the missing events again, until the lease expires. Meanwhile running calls
 * continue, and their results are buffered. */
bool haft__log_is_failing(const haft__log *log)
{
    return state_after_reply(log->state) == HAFT__LOG_BACKING_OFF;
}

bool haft__log_is_durable(const haft_run *run)
{
    const haft__log *log = &run->log;
    return !haft__log_is_busy(log) && log->buffered.len == 0 && log->durable_seq == run->state.seq;
}

void haft__log_init(haft__log *log)
{
    haft__arena_init(&log->arena, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&log->buffered, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&log->writing, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&log->reader.committed, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&log->reader.progress, HAFT__LIMIT_RUN_BYTES);
    haft__child_writes_init(&log->children);
}

void haft__log_finish(haft__log *log)
{
    haft__buf_finish(&log->buffered);
    haft__buf_finish(&log->writing);
    haft__buf_finish(&log->reader.committed);
    haft__buf_finish(&log->reader.progress);
    haft__child_writes_finish(&log->children);
    free(log->lines);
    free(log->artifacts);
    free(log->acked.items);
    free(log->acked_writing.items);
    free(log->acked_earlier.items);
    haft__arena_finish(&log->arena);
}

void haft__log_set_loaded(haft_run *run)
{
    haft__log *log = &run->log;
    set_state(log, HAFT__LOG_IDLE);
    log->durable_seq = run->state.seq;
    log->artifacts_written = run->state.artifact_count;
    haft__child_writes_set_loaded(run);
}

/* ---- buffering ---- */

static haft_status buffer_line(haft_run *run, haft_str line, haft_error *err)
{
    haft__log *log = &run->log;
    if (haft__log_is_failing(log)
        && log->buffered.len + line.len > HAFT__LIMIT_RUN_BUFFERED_BYTES) {
        haft_status status =
            haft__fail(err, HAFT_IO, log->error.where, "%s; more than %d bytes are buffered",
                       log->error.message, HAFT__LIMIT_RUN_BUFFERED_BYTES);
        return haft__hint(err, status, "`haft resume %s` continues once the store is writable",
                          run->id);
    }
    haft__buf_add_str(&log->buffered, line);
    haft__buf_add_char(&log->buffered, '\n');
    return haft__buf_check(&log->buffered, err);
}

haft_status haft__log_append(haft_run *run, uint64_t at_ms, haft_str body, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    haft__run *state = &run->state;
    haft_status status = haft__lease_check(run, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (state->seq >= HAFT__LIMIT_RUN_EVENTS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d events in a run, found more",
                          HAFT__LIMIT_RUN_EVENTS);
    }
    haft__buf_clear(&runtime->clean);
    haft__buf_clear(&runtime->line);
    status = haft__withhold_event(state, run->agent->redactor, body, &runtime->clean, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__event_write(&runtime->line, state->seq + 1, at_ms, haft__str(run->id),
                      haft__buf_str(&runtime->clean));
    status = haft__buf_check(&runtime->line, err);
    if (status == HAFT_OK) {
        status = haft__run_fold(state, haft__buf_str(&runtime->line), err);
    }
    if (status == HAFT_OK) {
        haft__telemetry_observe(run, haft__buf_str(&runtime->line));
        status = buffer_line(run, haft__buf_str(&runtime->line), err);
    }
    return status;
}

/* ---- messages ---- */

static haft_status add_message_id(haft__acked_messages *list, uint64_t message, haft_error *err)
{
    haft__store_message *items =
        haft__vec_reserve(list->items, &list->capacity, list->count + 1, sizeof(*items));
    if (items == NULL) {
        return haft__fail_no_memory(err);
    }
    list->items = items;
    list->items[list->count++] = (haft__store_message){.id = message};
    return HAFT_OK;
}

haft_status haft__log_ack_message(haft__log *log, uint64_t message, haft_error *err)
{
    return add_message_id(&log->acked, message, err);
}

bool haft__log_was_acked(const haft__log *log, uint64_t message)
{
    const haft__acked_messages *lists[] = {&log->acked, &log->acked_writing, &log->acked_earlier};
    for (size_t k = 0; k < COUNT(lists); k++) {
        for (size_t i = 0; i < lists[k]->count; i++) {
            if (lists[k]->items[i].id == message) {
                return true;
            }
        }
    }
    return false;
}

/* Moves the acknowledged messages to the next write, which deletes them. The messages of the last
 * write stay in `acked_earlier` while a poll is pending, because the poll may still return them. */
static haft_status swap_acked(haft__log *log, bool poll_pending, haft_error *err)
{
    haft__acked_messages deleted = log->acked_writing;
    haft_status status = HAFT_OK;
    for (size_t i = 0; poll_pending && status == HAFT_OK && i < deleted.count; i++) {
        status = add_message_id(&log->acked_earlier, deleted.items[i].id, err);
    }
    log->acked_writing = log->acked;
    log->acked = deleted;
    log->acked.count = 0;
    return status;
}

/* ---- writing ---- */

/* Splits `writing` into lines. `writing` does not change until they are committed. */
static haft_status split_lines(haft__log *log, size_t *ret_count, haft_error *err)
{
    size_t count = 0;
    haft_str rest = haft__buf_str(&log->writing);
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        haft_str *lines =
            haft__vec_reserve(log->lines, &log->line_capacity, count + 1, sizeof(*lines));
        if (lines == NULL) {
            return haft__fail_no_memory(err);
        }
        log->lines = lines;
        log->lines[count++] = line;
    }
    *ret_count = count;
    return HAFT_OK;
}

/* Collects the artifacts that were added since the last write. */
static haft_status collect_artifacts(haft__log *log, const haft__run *state, size_t *ret_count,
                                     haft_error *err)
{
    size_t count = state->artifact_count - log->artifacts_written;
    haft__store_artifact *artifacts =
        count > 0
            ? haft__vec_reserve(log->artifacts, &log->artifact_capacity, count, sizeof(*artifacts))
            : log->artifacts;
    if (count > 0 && artifacts == NULL) {
        return haft__fail_no_memory(err);
    }
    log->artifacts = artifacts;
    for (size_t i = 0; i < count; i++) {
        const haft__artifact *artifact = state->artifacts[log->artifacts_written + i];
        log->artifacts[i] =
            (haft__store_artifact){.name = artifact->name,
                                   .media_type = artifact->media_type,
                                   .sha256 = artifact->sha256,
                                   .content = haft__artifact_content(state, artifact)};
    }
    log->artifacts_written = state->artifact_count;
    *ret_count = count;
    return HAFT_OK;
}

/* The columns that change with each write. */
static haft__store_run row_of(const haft_run *run)
{
    const haft__run *state = &run->state;
    bool ended = state->stage == HAFT__RUN_ENDED;
    bool waiting = run->effect == HAFT__EFFECT_WAIT;
    return (haft__store_run){
        .id = haft__str(run->id),
        .state = ended     ? HAFT__RUN_STATE_ENDED
                 : waiting ? HAFT__RUN_STATE_WAITING
                           : HAFT__RUN_STATE_RUNNING,
        .end = ended ? haft__str(haft__end_name(state->end)) : HAFT__LIT(""),
        .answer = ended ? state->answer : HAFT__LIT(""),
        .seq = run->log.durable_seq,
        .epoch = run->lease.epoch,
        .owner = haft__str(run->runtime->owner),
        .created_ms = state->started_ms,
        .updated_ms = state->last_ms,
        .wake_ms = waiting ? haft__run_deadline(state) : 0,
        .turns = state->turn,
        .calls = state->usage.calls,
    };
}

/* All columns, for the request that creates the run. Later requests omit columns that never change,
 * because the store checks every text. */
static haft__store_run first_row_of(const haft_run *run)
{
    const haft__spec *spec = run->agent->spec;
    haft__store_run row = row_of(run);
    row.thread = run->state.thread;
    row.parent = run->state.parent;
    row.user = run->user;
    row.name = spec->name;
    row.task = run->state.task;
    row.spec_hash = spec->hash;
    row.spec = run->agent->spec_text;
    row.spec_path = spec->path;
    return row;
}

/* Whether the run may only be created if no other run of its thread is open. */
static bool requires_exclusive(const haft_run *run)
{
    return !haft__log_is_created(&run->log) && haft__queue_is_queued(&run->queue)
           && (run->queue.exclusive
               || haft__queue_requires_exclusive(haft__multitask_of(run->agent->spec->multitask)));
}

static void on_written(haft__store_request *request);

static void submit_request(haft_run *run, haft__log_state state, haft__store_request *request)
{
    set_state(&run->log, state);
    run->log.requested_ms = run->runtime->monotonic_clock();
    haft__arena_reset(&run->log.arena);
    haft__store_submit(run->runtime->store, request);
}

static void submit_append(haft_run *run, size_t lines, size_t artifacts)
{
    haft__log *log = &run->log;
    bool created = haft__log_is_created(log);
    log->append = (haft__store_request){
        .verb = created ? HAFT__STORE_APPEND : HAFT__STORE_CREATE,
        .run = created ? row_of(run) : first_row_of(run),
        .lines = log->lines,
        .line_count = lines,
        .artifacts = log->artifacts,
        .artifact_count = artifacts,
        .messages = log->acked_writing.items,
        .message_count = log->acked_writing.count,
        .children = log->children.children,
        .child_count = log->children.child_count,
        .outgoing = log->children.outgoing,
        .outgoing_count = log->children.outgoing_count,
        .alone = requires_exclusive(run),
        .lease_ms = run->runtime->leases.ms,
        .now_ms = haft__runtime_now(run->runtime),
        .arena = &log->arena,
        .done = on_written,
        .context = run,
    };
    log->writing_seq = run->state.seq;
    submit_request(run, created ? HAFT__LOG_APPENDING : HAFT__LOG_CREATING, &log->append);
}

/* Whether a write can be sent now. */
static bool may_write(const haft__log *log)
{
    return log->state == HAFT__LOG_NEW || log->state == HAFT__LOG_IDLE;
}

/* Sends all buffered events. */
static haft_status flush(haft_run *run, haft_error *err)
{
    haft__log *log = &run->log;
    haft__buf written = log->writing;
    log->writing = log->buffered;
    log->buffered = written;
    haft__buf_clear(&log->buffered);
    size_t lines = 0, artifacts = 0;
    haft_status status = swap_acked(log, run->runtime->message_poll_pending, err);
    if (status == HAFT_OK) {
        status = split_lines(log, &lines, err);
    }
    if (status == HAFT_OK) {
        status = collect_artifacts(log, &run->state, &artifacts, err);
    }
    if (status == HAFT_OK) {
        status = haft__child_writes_collect(run, err);
    }
    if (status == HAFT_OK) {
        submit_append(run, lines, artifacts);
    }
    return status;
}

void haft__log_flush(haft_run *run)
{
    haft__log *log = &run->log;
    haft_error err = {0};
    bool empty = log->buffered.len == 0 && log->acked.count == 0;
    if (!may_write(log) || empty || run->stage != HAFT__HANDLE_ACTIVE) {
        return;
    }
    if (flush(run, &err) != HAFT_OK) {
        haft__run_fail(run, &err);
    }
}

/* Whether the last write of a failed run can be sent now. A run whose last event could not be
 * folded must not be stored as ended, and no events are written after the lease has expired. */
static bool may_write_rest(const haft_run *run)
{
    const haft__log *log = &run->log;
    return log->flush_rest && log->state == HAFT__LOG_IDLE && log->buffered.len > 0
           && run->state.stage != HAFT__RUN_ENDED && haft__lease_check(run, NULL) == HAFT_OK;
}

void haft__log_flush_rest(haft_run *run)
{
    run->log.flush_rest = true;
    if (may_write_rest(run)) {
        (void)flush(run, NULL);
    }
}

/* ---- readers ---- */

/* Passes lines to observers and readers. Clears the buffer when all its lines have been read, so
 * that a fast reader costs no memory. */
static void publish(haft_run *run, haft_str lines)
{
    haft__log_reader *reader = &run->log.reader;
    for (const haft__runtime_observer *o = run->runtime->observers; o != NULL; o = o->next) {
        o->published(o->context, run, lines);
    }
    if (reader->discards) {
        return;
    }
    if (reader->position == reader->committed.len) {
        haft__buf_clear(&reader->committed);
        reader->position = 0;
    }
    haft__buf_add_str(&reader->committed, lines);
}

/* The number after the first ':' of a line: the seq of an event, or of the event that precedes a
 * progress line. */
static uint64_t seq_of_line(haft_str line)
{
    uint64_t number = 0;
    (void)haft__str_split(&line, ':');
    (void)haft__str_to_u64(haft__str_split(&line, ','), &number);
    return number;
}

/* Publishes the progress lines up to the event after `seq`. */
static void publish_progress(haft_run *run, uint64_t seq)
{
    haft__buf *progress = &run->log.reader.progress;
    haft_str rest = haft__buf_str(progress);
    size_t ready_bytes = 0;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        if (seq_of_line(line) > seq) {
            break;
        }
        ready_bytes += line.len + 1;
    }
    if (ready_bytes > 0) {
        publish(run, (haft_str){progress->ptr, ready_bytes});
        memmove(progress->ptr, progress->ptr + ready_bytes, progress->len - ready_bytes);
        progress->len -= ready_bytes;
    }
}

/* Publishes events that have become durable, with the progress lines between them. */
static void publish_events(haft_run *run, haft_str lines)
{
    while (lines.len > 0 && run->log.reader.progress.len > 0) {
        haft_str line = haft__str_split(&lines, '\n');
        publish(run, (haft_str){line.ptr, line.len + 1});
        publish_progress(run, seq_of_line(line));
    }
    if (lines.len > 0) {
        publish(run, lines);
    }
}

void haft__log_notify(haft_run *run, haft_str body)
{
    haft__log_reader *reader = &run->log.reader;
    haft__buf line;
    haft__buf_init(&line, HAFT__LIMIT_RUN_BYTES);
    haft__buf *clean = &run->runtime->clean;
    haft__buf_clear(clean);
    (void)haft__redact(run->agent->redactor, body, clean);
    haft__event_write_progress(&line, run->state.seq, haft__runtime_now(run->runtime),
                               haft__str(run->id), haft__buf_str(clean));
    haft__buf_add_char(&line, '\n');
    size_t unread = reader->committed.len - reader->position + reader->progress.len;
    bool room = unread + line.len <= HAFT__LIMIT_RUN_UNREAD_BYTES;
    if (room && haft__buf_check(clean, NULL) == HAFT_OK
        && haft__buf_check(&line, NULL) == HAFT_OK) { /* else the progress line is dropped */
        haft__buf_add_str(&reader->progress, haft__buf_str(&line));
        publish_progress(run, run->log.durable_seq);
    }
    haft__buf_finish(&line);
}

bool haft__log_read_line(haft_run *run, haft_str *ret_line)
{
    haft__log_reader *reader = &run->log.reader;
    haft_str rest = haft__str_skip(haft__buf_str(&reader->committed), reader->position);
    reader->attached = true;
    if (rest.len == 0) {
        if (haft__run_is_settled(run)) { /* the next event may be much later */
            haft__buf_finish(&reader->committed);
            reader->position = 0;
        }
        return false;
    }
    *ret_line = haft__str_split(&rest, '\n');
    reader->position += ret_line->len + 1;
    return true;
}

/* ---- committed ---- */

/* Frees memory of a run that may wait for people for days. The memory is built again when the run
 * continues. The state stays, because commands are checked against it. */
static void free_idle_memory(haft_run *run)
{
    haft__log *log = &run->log;
    haft__conversation_destroy(run->conversation);
    run->conversation = NULL;
    haft__cache_audit_shrink(&run->cache_audit);
    haft__buf_finish(&log->buffered);
    haft__buf_finish(&log->writing);
    haft__arena_finish(&log->arena);
    haft__arena_finish(&log->children.arena);
    free(log->lines);
    free(log->artifacts);
    log->lines = NULL;
    log->artifacts = NULL;
    log->line_capacity = log->artifact_capacity = 0;
}

/* The pending write is durable. */
static void commit(haft_run *run)
{
    haft__log *log = &run->log;
    bool first = !haft__log_is_created(log);
    set_state(log, HAFT__LOG_IDLE);
    log->durable_seq = log->writing_seq;
    log->error = (haft_error){0};
    log->failed_writes = 0;
    haft__lease_extend(run, log->requested_ms);
    publish_events(run, haft__buf_str(&log->writing));
    haft__telemetry_store_commit(run->runtime, run->runtime->monotonic_clock() - log->requested_ms);
    haft__telemetry_commit(run);
    haft__child_writes_commit(run);
    if (first && haft__queue_is_queued(&run->queue)) {
        haft__queue_enter(run);
    }
    haft__run_advance(run);
    if (run->effect == HAFT__EFFECT_END && haft__run_is_settled(run)) {
        haft__queue_wake(run->runtime, run->state.thread);
    }
    if (run->effect == HAFT__EFFECT_WAIT && haft__run_is_settled(run)) {
        haft__telemetry_pause(run);
        free_idle_memory(run);
    }
    haft__child_pool_run_changed(run);
}

/* ---- a store that fails ---- */

static void on_reread(haft__store_request *request);

static void reread(void *context)
{
    haft_run *run = context;
    run->log.reread = (haft__store_request){.verb = HAFT__STORE_FIND,
                                            .name = haft__str(run->id),
                                            .arena = &run->log.arena,
                                            .done = on_reread,
                                            .context = run};
    submit_request(run, HAFT__LOG_REREADING, &run->log.reread);
}

static void schedule_retry(haft_run *run, const haft_error *why)
{
    haft__log *log = &run->log;
    haft_error err = {0};
    set_state(log, HAFT__LOG_BACKING_OFF);
    log->error = *why;
    log->failed_writes++;
    if (haft__timer_start(run->runtime->loop, &log->retry, haft__run_backoff_ms(log->failed_writes),
                          reread, run, &err)
        != HAFT_OK) {
        haft__run_fail(run, &err);
    }
}

void haft__log_stop_retry(haft_run *run)
{
    haft__timer_stop(run->runtime->loop, &run->log.retry);
}

/* Handles the reply of the store. Returns false if the handle was released or the run has failed
 * meanwhile. */
static bool is_still_active(haft_run *run)
{
    set_state(&run->log, state_after_reply(run->log.state));
    if (run->released) {
        haft__run_dispose(run);
        return false;
    }
    if (run->stage != HAFT__HANDLE_ACTIVE) {
        (void)haft__lease_release(run);
        return false;
    }
    return true;
}

static void fail_owner_changed(haft_run *run)
{
    haft_error err = {0};
    haft_status status =
        haft__fail(&err, HAFT_BAD_STATE, "",
                   "another process claimed the run while the store was not writable");
    (void)haft__hint(&err, status, "`haft runs show %s` shows its state", run->id);
    haft__lease_drop(&run->lease);
    haft__telemetry_lease_lost(run->runtime);
    haft__run_fail(run, &err);
}

static void on_reread(haft__store_request *request)
{
    haft_run *run = request->context;
    haft__log *log = &run->log;
    if (!is_still_active(run)) {
        return;
    }
    if (request->status == HAFT_IO) {
        schedule_retry(run, &request->error);
        return;
    }
    const haft__store_run *row = request->status == HAFT_OK ? &request->found[0] : NULL;
    bool ended = log->append.run.state == HAFT__RUN_STATE_ENDED; /* an ended run has no owner in the
                                                                  * store */
    bool owned = row != NULL && row->epoch == run->lease.epoch
                 && (ended || haft__str_equal(row->owner, haft__str(run->runtime->owner)));
    if (owned && row->seq == log->writing_seq) {
        log->requested_ms = run->lease.requested_ms; /* the time at which the write set the lease is
                                                      * unknown */
        commit(run);
    } else if (owned && row->seq == log->durable_seq && log->append.status == HAFT_IO) {
        log->append.now_ms = haft__runtime_now(run->runtime);
        submit_request(run, HAFT__LOG_REAPPENDING, &log->append);
    } else if (owned && row->seq == log->durable_seq) {
        haft__run_fail(run, &log->append.error);
    } else if (request->status != HAFT_OK) {
        haft__run_fail(run, &request->error);
    } else {
        fail_owner_changed(run);
    }
}

static void on_written(haft__store_request *request)
{
    haft_run *run = request->context;
    haft__log *log = &run->log;
    bool created = haft__log_is_created(log), repeated = log->state == HAFT__LOG_REAPPENDING;
    if (request->status == HAFT_OK && !created && request->found_count > 0) {
        haft__lease_acquire(&run->lease, request->found[0].epoch);
        haft__arena_finish(&log->arena); /* later writes return no rows */
    }
    if (request->status == HAFT_IO && !created) {
        haft__lease_acquire(&run->lease, 1); /* the run may have been created; release its lease */
    }
    if (request->status == HAFT_OK && created && log->flush_rest) {
        set_state(log, HAFT__LOG_IDLE);
        log->durable_seq = log->writing_seq;
        publish_events(run, haft__buf_str(&log->writing));
        haft__telemetry_commit(run);
        if (may_write_rest(run) && flush(run, NULL) == HAFT_OK) {
            return; /* this function also handles the reply of that write */
        }
    }
    if (!is_still_active(run)) {
        return;
    }
    if (request->status == HAFT_OK) {
        run->stalled = run->stalled && request->low; /* only the commit advances this run */
        haft__runtime_set_low_space(run->runtime, request->low);
        commit(run);
    } else if (request->status == HAFT_IO && created) {
        schedule_retry(run, &request->error);
    } else if (request->status == HAFT_BAD_STATE && repeated) {
        reread(run); /* the first attempt may have been committed */
    } else {
        if (request->alone && request->status == HAFT_BAD_STATE) {
            haft__queue_reject(&run->queue);
        }
        haft__run_fail(run, &request->error);
    }
}
