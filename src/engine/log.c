/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - the way of a run's events: redacted, folded, gathered, written, committed, read.
 *
 * One write is under way at a time; what is decided meanwhile is gathered and goes with the next,
 * so that a slow disk makes fewer, larger writes. Readers see an event once it is durable.
 * Tests: tests/engine/run_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "engine/runtime.h"
#include "run/host.h"
#include "run/redact/redact.h"
#include "run/redact/withhold.h"
#include "run/thread_queue.h"

/* ---- gathering ---- */

static haft_status buffer_line(haft_run *run, haft_str line, haft_error *err)
{
    if (haft__log_is_failing(run) && run->buffered.len + line.len > HAFT__LIMIT_RUN_HELD_BYTES) {
        haft_status status = haft__fail(err, HAFT_IO, run->store_error.where,
                                        "%s; more than %d bytes wait to be written",
                                        run->store_error.message, HAFT__LIMIT_RUN_HELD_BYTES);
        return haft__hint(err, status, "`haft resume %s` goes on once the store can be written to",
                          run->id);
    }
    haft__buf_add_str(&run->buffered, line);
    haft__buf_add_char(&run->buffered, '\n');
    return haft__buf_check(&run->buffered, err);
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
    return status == HAFT_OK ? buffer_line(run, haft__buf_str(&runtime->line), err) : status;
}

static haft_status add_message_id(haft__acked_messages *heard, uint64_t message, haft_error *err)
{
    haft__store_message *items =
        haft__vec_reserve(heard->items, &heard->capacity, heard->count + 1, sizeof(*items));
    if (items == NULL) {
        return haft__fail_no_memory(err);
    }
    heard->items = items;
    heard->items[heard->count++] = (haft__store_message){.id = message};
    return HAFT_OK;
}

haft_status haft__log_ack_message(haft_run *run, uint64_t message, haft_error *err)
{
    return add_message_id(&run->acked, message, err);
}

/* Those that were heard are written next. The store may just be looking for messages, and have seen
 * those that it has forgotten since. */
static haft_status swap_acked(haft_run *run, haft_error *err)
{
    haft__acked_messages forgotten = run->acked_writing;
    haft_status status = HAFT_OK;
    for (size_t i = 0;
         run->runtime->message_poll_pending && status == HAFT_OK && i < forgotten.count; i++) {
        status = add_message_id(&run->acked_earlier, forgotten.items[i].id, err);
    }
    run->acked_writing = run->acked;
    run->acked = forgotten;
    run->acked.count = 0;
    return status;
}

/* ---- writing ---- */

/* The lines of `written`, which does not change until they are committed. */
static haft_status split_lines(haft_run *run, size_t *ret_count, haft_error *err)
{
    size_t count = 0;
    haft_str rest = haft__buf_str(&run->written);
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        haft_str *lines =
            haft__vec_reserve(run->lines, &run->line_capacity, count + 1, sizeof(*lines));
        if (lines == NULL) {
            return haft__fail_no_memory(err);
        }
        run->lines = lines;
        run->lines[count++] = line;
    }
    *ret_count = count;
    return HAFT_OK;
}

/* The artifacts that have come since the last write; their content is in the calls. */
static haft_status collect_artifacts(haft_run *run, size_t *ret_count, haft_error *err)
{
    const haft__run *state = &run->state;
    size_t count = state->artifact_count - run->artifacts_written;
    haft__store_artifact *artifacts =
        count > 0
            ? haft__vec_reserve(run->artifacts, &run->artifact_capacity, count, sizeof(*artifacts))
            : run->artifacts;
    if (count > 0 && artifacts == NULL) {
        return haft__fail_no_memory(err);
    }
    run->artifacts = artifacts;
    for (size_t i = 0; i < count; i++) {
        const haft__artifact *artifact = state->artifacts[run->artifacts_written + i];
        const haft__run_call *call = haft__run_find_call(state, artifact->call);
        const haft__json *content =
            call != NULL ? haft__json_get(call->arguments, HAFT__LIT("content")) : NULL;
        run->artifacts[i] = (haft__store_artifact){
            .name = artifact->name,
            .media_type = artifact->media_type,
            .sha256 = artifact->sha256,
            .content = content != NULL ? haft__json_text(*content) : HAFT__LIT("")};
    }
    run->artifacts_written = state->artifact_count;
    *ret_count = count;
    return HAFT_OK;
}

/* What changes as the run goes on. */
static haft__store_run row_of(const haft_run *run)
{
    const haft__run *state = &run->state;
    bool ended = state->stage == HAFT__RUN_ENDED;
    bool waits = run->effect == HAFT__EFFECT_WAIT;
    return (haft__store_run){
        .id = haft__str(run->id),
        .state = ended   ? HAFT__RUN_STATE_ENDED
                 : waits ? HAFT__RUN_STATE_WAITING
                         : HAFT__RUN_STATE_RUNNING,
        .end = ended ? haft__str(haft__end_name(state->end)) : HAFT__LIT(""),
        .answer = ended ? state->answer : HAFT__LIT(""),
        .seq = run->durable_seq,
        .epoch = run->epoch,
        .owner = haft__str(run->runtime->owner),
        .created_ms = state->started_ms,
        .updated_ms = state->last_ms,
        .wake_ms = waits ? haft__run_deadline(state) : 0,
        .turns = state->turn,
        .calls = state->usage.calls,
    };
}

/* What the store is to know of a new run without reading its events. Only its first request has
 * it, since the store checks every text it is given. */
static haft__store_run first_row_of(const haft_run *run)
{
    const haft__spec *spec = run->agent->spec;
    haft__store_run row = row_of(run);
    row.thread = run->state.thread;
    row.parent = HAFT__LIT("");
    row.user = run->user;
    row.name = spec->name;
    row.task = run->state.task;
    row.spec_hash = spec->hash;
    row.spec = run->agent->spec_text;
    row.spec_path = spec->path;
    return row;
}

/* Whether it is only to be begun when no other run of its thread is open. */
static bool requires_exclusive(const haft_run *run)
{
    return !run->created && run->queued
           && (run->exclusive
               || haft__queue_requires_exclusive(haft__multitask_of(run->agent->spec->multitask)));
}

static void on_written(haft__store_request *request);

static void submit_request(haft_run *run, haft__store_request *request)
{
    run->appending = true;
    run->appending_ms = run->runtime->steady();
    haft__arena_reset(&run->write_arena);
    haft__store_submit(run->runtime->store, request);
}

static void submit_append(haft_run *run, size_t lines, size_t artifacts)
{
    run->append = (haft__store_request){
        .verb = run->created ? HAFT__STORE_APPEND : HAFT__STORE_CREATE,
        .run = run->created ? row_of(run) : first_row_of(run),
        .lines = run->lines,
        .line_count = lines,
        .artifacts = run->artifacts,
        .artifact_count = artifacts,
        .messages = run->acked_writing.items,
        .message_count = run->acked_writing.count,
        .alone = requires_exclusive(run),
        .lease_ms = run->runtime->leases.ms,
        .now_ms = haft__runtime_now(run->runtime),
        .arena = &run->write_arena,
        .done = on_written,
        .context = run,
    };
    run->writing_seq = run->state.seq;
    run->repeated = false;
    submit_request(run, &run->append);
}

void haft__log_flush(haft_run *run)
{
    bool idle = run->buffered.len == 0 && run->acked.count == 0;
    if (run->appending || idle || run->stage != HAFT__HANDLE_ACTIVE || haft__log_is_failing(run)) {
        return;
    }
    haft__buf empty = run->written;
    run->written = run->buffered;
    run->buffered = empty;
    haft__buf_clear(&run->buffered);
    haft_error err = {0};
    size_t lines = 0, artifacts = 0;
    haft_status status = swap_acked(run, &err);
    if (status == HAFT_OK) {
        status = split_lines(run, &lines, &err);
    }
    if (status == HAFT_OK) {
        status = collect_artifacts(run, &artifacts, &err);
    }
    if (status != HAFT_OK) {
        haft__run_fail(run, &err);
        return;
    }
    submit_append(run, lines, artifacts);
}

/* ---- committed ---- */

/* Readers that keep up cost nothing: what has been read is forgotten when all has. */
static void publish(haft_run *run, haft_str lines)
{
    if (run->committed_at == run->committed.len) {
        haft__buf_clear(&run->committed);
        run->committed_at = 0;
    }
    haft__buf_add_str(&run->committed, lines);
}

/* The number behind the first ':' of a line: its own, or that of the event it was told after. */
static uint64_t seq_of_line(haft_str line)
{
    uint64_t number = 0;
    (void)haft__str_split(&line, ':');
    (void)haft__str_to_u64(haft__str_split(&line, ','), &number);
    return number;
}

/* What was told after the event `seq` or before it. */
static void publish_progress(haft_run *run, uint64_t seq)
{
    haft_str rest = haft__buf_str(&run->progress);
    size_t due = 0;
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        if (seq_of_line(line) > seq) {
            break;
        }
        due += line.len + 1;
    }
    if (due > 0) {
        publish(run, (haft_str){run->progress.ptr, due});
        memmove(run->progress.ptr, run->progress.ptr + due, run->progress.len - due);
        run->progress.len -= due;
    }
}

/* Events have become durable: readers get them with what was told among them. */
static void publish_events(haft_run *run, haft_str lines)
{
    while (lines.len > 0 && run->progress.len > 0) {
        haft_str line = haft__str_split(&lines, '\n');
        publish(run, (haft_str){line.ptr, line.len + 1});
        publish_progress(run, seq_of_line(line));
    }
    if (lines.len > 0) {
        publish(run, lines);
    }
}

/* A run may wait for people for days. Memory that only serves to continue it is freed, and
 * allocated again then. Its state stays: commands are checked against it. */
static void free_idle_memory(haft_run *run)
{
    haft__provider_conversation_destroy(run->conversation);
    run->conversation = NULL;
    haft__buf_finish(&run->buffered);
    haft__buf_finish(&run->written);
    haft__arena_finish(&run->write_arena);
    free(run->lines);
    free(run->artifacts);
    run->lines = NULL;
    run->artifacts = NULL;
    run->line_capacity = run->artifact_capacity = 0;
}

/* What was written is durable. */
static void commit(haft_run *run)
{
    bool first = !run->created;
    run->created = true;
    run->durable_seq = run->writing_seq;
    run->store_error = (haft_error){0};
    run->attempts = 0;
    haft__lease_set(run, run->appending_ms);
    publish_events(run, haft__buf_str(&run->written));
    if (first && run->queued) {
        haft__queue_enter(run);
    }
    haft__run_advance(run);
    if (run->effect == HAFT__EFFECT_END && haft__run_is_settled(run)) {
        haft__queue_wake(run->runtime, run->state.thread);
    }
    if (run->effect == HAFT__EFFECT_WAIT && haft__run_is_settled(run)) {
        free_idle_memory(run);
    }
}

/* ---- a store that fails ---- */

/* It is not known whether the store has what was written: it is read, and what is not there is
 * written again, until the lease is over. Meanwhile nothing is begun; what runs goes on, and what
 * comes of it is gathered. */
bool haft__log_is_failing(const haft_run *run)
{
    return run->store_error.status != HAFT_OK;
}

static void on_reread(haft__store_request *request);

static void reread(void *context)
{
    haft_run *run = context;
    run->reread = (haft__store_request){.verb = HAFT__STORE_FIND,
                                        .name = haft__str(run->id),
                                        .arena = &run->write_arena,
                                        .done = on_reread,
                                        .context = run};
    submit_request(run, &run->reread);
}

static void schedule_retry(haft_run *run, const haft_error *why)
{
    haft_error err = {0};
    run->store_error = *why;
    run->attempts++;
    if (haft__timer_start(run->runtime->loop, &run->retry, haft__run_backoff_ms(run->attempts),
                          reread, run, &err)
        != HAFT_OK) {
        haft__run_fail(run, &err);
    }
}

/* Nobody wants it any more, or it has stopped meanwhile. */
static bool is_no_longer_active(haft_run *run)
{
    run->appending = false;
    if (run->released) {
        haft__run_dispose(run);
        return true;
    }
    if (run->stage != HAFT__HANDLE_ACTIVE) {
        (void)haft__lease_release(run);
        return true;
    }
    return false;
}

static void fail_owner_changed(haft_run *run)
{
    haft_error err = {0};
    haft_status status = haft__fail(&err, HAFT_BAD_STATE, "",
                                    "another process has taken the run while the store could not "
                                    "be written to");
    (void)haft__hint(&err, status, "`haft runs show %s` says how it goes on there", run->id);
    run->epoch = 0; /* it is not ours to give back */
    haft__run_fail(run, &err);
}

static void on_reread(haft__store_request *request)
{
    haft_run *run = request->context;
    if (is_no_longer_active(run)) {
        return;
    }
    if (request->status == HAFT_IO) {
        schedule_retry(run, &request->error);
        return;
    }
    const haft__store_run *row = request->status == HAFT_OK ? &request->found[0] : NULL;
    bool ended = run->append.run.state == HAFT__RUN_STATE_ENDED;
    bool ours = row != NULL && row->epoch == run->epoch
                && (ended || haft__str_equal(row->owner, haft__str(run->runtime->owner)));
    if (ours && row->seq == run->writing_seq) {
        run->appending_ms = run->leased_ms; /* when it set the lease is not known */
        commit(run);
    } else if (ours && row->seq == run->durable_seq && run->append.status == HAFT_IO) {
        run->repeated = true;
        run->append.now_ms = haft__runtime_now(run->runtime);
        submit_request(run, &run->append);
    } else if (ours && row->seq == run->durable_seq) {
        haft__run_fail(run, &run->append.error);
    } else if (request->status != HAFT_OK) {
        haft__run_fail(run, &request->error);
    } else {
        fail_owner_changed(run);
    }
}

static void on_written(haft__store_request *request)
{
    haft_run *run = request->context;
    if (request->status == HAFT_OK && !run->created && request->found_count > 0) {
        run->epoch = request->found[0].epoch;
        haft__arena_finish(&run->write_arena); /* nothing is read of what follows */
    }
    if (request->status == HAFT_IO && !run->created) {
        run->epoch = 1; /* it may be there: then it is nobody's, once it can be given back */
    }
    if (is_no_longer_active(run)) {
        return;
    }
    if (request->status == HAFT_OK) {
        haft__runtime_set_low_space(run->runtime, request->low);
        commit(run);
    } else if (request->status == HAFT_IO && run->created) {
        schedule_retry(run, &request->error);
    } else if (request->status == HAFT_BAD_STATE && run->repeated) {
        reread(run); /* what was written before may have been kept after all */
    } else {
        run->thread_busy = request->alone && request->status == HAFT_BAD_STATE;
        haft__run_fail(run, &request->error);
    }
}

bool haft__log_is_durable(const haft_run *run)
{
    return !run->appending && run->buffered.len == 0 && run->durable_seq == run->state.seq;
}

void haft__log_notify(haft_run *run, haft_str body)
{
    haft__buf line;
    haft__buf_init(&line, HAFT__LIMIT_RUN_BYTES);
    haft__buf *clean = &run->runtime->clean;
    haft__buf_clear(clean);
    (void)haft__redact(run->agent->redactor, body, clean);
    haft__event_write_progress(&line, run->state.seq, haft__runtime_now(run->runtime),
                               haft__str(run->id), haft__buf_str(clean));
    haft__buf_add_char(&line, '\n');
    size_t unread = run->committed.len - run->committed_at + run->progress.len;
    bool room = unread + line.len <= HAFT__LIMIT_RUN_UNREAD_BYTES;
    if (room && haft__buf_check(clean, NULL) == HAFT_OK
        && haft__buf_check(&line, NULL) == HAFT_OK) {
        haft__buf_add_str(&run->progress, haft__buf_str(&line)); /* else it is lost, as it may be */
        publish_progress(run, run->durable_seq);
    }
    haft__buf_finish(&line);
}
