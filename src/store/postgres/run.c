/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - creates runs and appends to them, in PostgreSQL.
 *
 * The first stage locks the rows that it reads, so that they are unchanged when the next stage
 * writes.
 * Tests: tests/store/store_test.c, tests/store/postgres/postgres_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/sha256.h"
#include "base/str.h"
#include "store/packer.h"
#include "store/postgres/postgres_int.h"

/* ---- events and artifacts ---- */

static void add_row_of_events(haft__pg_job *job, haft__pg_head *head, uint64_t seq)
{
    haft_str body = haft__buf_str(&job->connection->packed);
    haft__checksum_chain_add(&head->chain, body);
    haft__pg_args args = {0};
    haft__pg_arg(&args, head->run.id);
    haft__pg_arg_int(&args, seq);
    haft__pg_arg(&args, haft__checksum_chain_str(&head->chain));
    haft__pg_arg(&args, body);
    haft__pg_bulk_add_row(job, HAFT__PG_ADD_EVENTS, &args);
}

/* Adds the lines as one row, or as several if it gets too long. */
static haft_status add_events(haft__pg_job *job, const haft__store_request *request,
                              haft__pg_head *head, haft_error *err)
{
    haft__buf *packed = &job->connection->packed;
    haft_status status = HAFT_OK;
    haft__packer packer;
    haft__packer_init(&packer, request->run.id, head->run.seq);
    haft__buf_clear(packed);
    for (size_t i = 0; status == HAFT_OK && i < request->line_count; i++) {
        haft__packer_pack(&packer, request->lines[i], packed);
        status = haft__buf_check(packed, err);
        if (status == HAFT_OK
            && (i + 1 == request->line_count || packed->len >= HAFT__LIMIT_STORE_ROW_BYTES)) {
            add_row_of_events(job, head, packer.seq);
            haft__packer_start_row(&packer);
            haft__buf_clear(packed);
        }
    }
    if (packed->cap > 2 * HAFT__LIMIT_STORE_ROW_BYTES) {
        haft__buf_finish(packed); /* such a long row is seldom followed by others */
    }
    haft__packer_finish(&packer);
    return status;
}

static void add_artifacts(haft__pg_job *job, const haft__pg_head *head)
{
    const haft__store_request *request = job->request;
    for (size_t i = 0; i < request->artifact_count; i++) {
        const haft__store_artifact *artifact = &request->artifacts[i];
        haft__pg_args args = {0};
        haft__pg_arg(&args, request->run.id);
        haft__pg_arg_int(&args, head->run.seq + request->line_count);
        haft__pg_arg(&args, artifact->name);
        haft__pg_arg(&args, artifact->media_type);
        haft__pg_arg(&args, artifact->sha256);
        haft__pg_arg(&args, artifact->content);
        haft__pg_job_modify(job, HAFT__PG_ARTIFACT_ADD, &args);
    }
}

/* ---- CREATE ---- */

static haft__pg_step write_new;

static bool locks_thread(const haft__pg_job *job)
{
    return job->request->run.thread.len > 0 || job->request->alone;
}

/* Whether the open runs of the thread must be read: the request allows none, or the run is due only
 * if none exists. */
static bool checks_predecessors(const haft__pg_job *job)
{
    const haft__store_run *run = &job->request->run;
    return job->request->alone || (run->thread.len > 0 && run->owner.len == 0);
}

/* Whether the run's own row must be read. A retry reads it after taking the lock, because a lost
 * transaction has then ended. */
static bool checks_existing(const haft__pg_job *job)
{
    return job->tries > 0;
}

haft_status haft__pg_create(haft__pg_job *job, haft_error *err)
{
    (void)err;
    const haft__store_request *request = job->request;
    haft__pg_args args = {0};
    haft__pg_arg(&args, request->run.thread);
    if (locks_thread(job)) {
        haft__pg_job_query(job, HAFT__PG_THREAD_LOCK, &args);
    }
    if (checks_predecessors(job)) {
        haft__pg_job_query(job, HAFT__PG_OPEN_IN_THREAD, &args);
    }
    if (checks_existing(job)) {
        haft__pg_query_head(job, request->run.id);
    }
    job->next = write_new;
    return HAFT_OK;
}

static haft_status check_alone(const haft__pg_job *job, haft_error *err)
{
    haft__store_run open = {.state = HAFT__RUN_STATE_RUNNING};
    haft__pg_rows rows = haft__pg_rows_begin(job, 1);
    bool found = haft__pg_rows_next(&rows);
    if (found) {
        open.id = haft__pg_rows_text(&rows, HAFT__LIMIT_STORE_NAME_BYTES);
        open.state = haft__pg_rows_int(&rows) == HAFT__RUN_STATE_WAITING ? HAFT__RUN_STATE_WAITING
                                                                         : HAFT__RUN_STATE_RUNNING;
    }
    haft_status status = haft__pg_rows_end(&rows, err);
    return status == HAFT_OK ? haft__store_check_thread(job->request, found ? &open : NULL, err)
                             : status;
}

/* Whether a run with this id exists. Its row is in the answer after those for the thread's lock and
 * the open run. */
static bool exists(const haft__pg_job *job)
{
    const haft__store_request *request = job->request;
    unsigned index = (unsigned)locks_thread(job) + checks_predecessors(job);
    haft__pg_head head;
    return haft__pg_locked_head(job, &head, NULL) != HAFT_NOT_FOUND
           || (checks_existing(job)
               && haft__pg_read_head(job, index, request->run.id, &head, NULL) != HAFT_NOT_FOUND);
}

static haft_status check_new(const haft__pg_job *job, haft_error *err)
{
    const haft__store_request *request = job->request;
    if (exists(job)) {
        return haft__store_fail_run_exists(request->run.id, err);
    }
    haft_status status = haft__store_check_room(&job->connection->pg->store, request, 0, 0, err);
    return status == HAFT_OK && request->alone ? check_alone(job, err) : status;
}

/* Whether an open run of its thread precedes it. The process that ends that run makes this one
 * due. */
static bool has_predecessor(const haft__pg_job *job)
{
    if (!checks_predecessors(job) || job->request->run.thread.len == 0) {
        return false;
    }
    haft__pg_rows rows = haft__pg_rows_begin(job, 1);
    return haft__pg_rows_next(&rows);
}

/* Adds the due time of a new run without an owner. A run with a predecessor becomes due when the
 * predecessor has ended. */
static void arg_due(haft__pg_args *args, bool has_predecessor, const haft__store_run *run)
{
    if (has_predecessor) {
        haft__pg_arg_null(args);
    } else if (run->owner.len == 0 && run->state == HAFT__RUN_STATE_RUNNING) {
        haft__pg_arg_int(args, run->updated_ms);
    } else if (run->owner.len == 0 && run->state == HAFT__RUN_STATE_WAITING && run->wake_ms > 0) {
        haft__pg_arg_int(args, run->wake_ms);
    } else {
        haft__pg_arg_null(args);
    }
}

static void add_run(haft__pg_job *job, const haft__pg_head *head, const haft__store_run *run,
                    uint64_t bytes, bool has_predecessor)
{
    haft__pg_args args = {0};
    haft__pg_arg(&args, run->id);
    haft__pg_arg_int(&args, run->state);
    haft__pg_arg_int(&args, run->seq);
    haft__pg_arg_int(&args, bytes);
    haft__pg_arg(&args, haft__checksum_chain_str(&head->chain));
    haft__pg_arg(&args, run->owner);
    haft__pg_arg_int(&args, run->lease_ms);
    haft__pg_arg_int(&args, run->created_ms);
    haft__pg_arg_int(&args, run->updated_ms);
    haft__pg_arg_int(&args, run->state == HAFT__RUN_STATE_ENDED ? run->updated_ms : 0);
    haft__pg_arg_int(&args, run->wake_ms);
    arg_due(&args, has_predecessor, run);
    haft__pg_arg_int(&args, run->turns);
    haft__pg_arg_int(&args, run->calls);
    haft__pg_arg(&args, run->thread);
    haft__pg_arg(&args, run->parent);
    haft__pg_arg(&args, run->state == HAFT__RUN_STATE_ENDED ? run->end : HAFT__LIT(""));
    haft__pg_arg_int(&args, run->epoch);
    haft__pg_bulk_add_row(job, HAFT__PG_ADD_RUNS, &args);
}

static void add_about(haft__pg_job *job, const haft__store_run *run)
{
    char task[HAFT__SHA256_HEX], spec[HAFT__SHA256_HEX];
    haft__sha256_hex(run->task, task);
    haft__sha256_hex(run->spec, spec);
    haft__pg_args args = {0};
    haft__pg_arg(&args, run->id);
    haft__pg_arg(&args, run->user);
    haft__pg_arg(&args, run->name);
    haft__pg_arg(&args, run->spec_hash);
    haft__pg_arg(&args, run->spec_path);
    haft__pg_arg(&args, (haft_str){task, sizeof(task)});
    haft__pg_arg(&args, run->task);
    haft__pg_arg(&args, (haft_str){spec, sizeof(spec)});
    haft__pg_arg(&args, run->spec);
    haft__pg_arg(&args, run->state == HAFT__RUN_STATE_ENDED ? run->answer : HAFT__LIT(""));
    haft__pg_bulk_add_row(job, HAFT__PG_ADD_ABOUT, &args);
}

/* The new run, without reading it again; its texts are those of the request. */
static haft__store_run new_run(const haft__pg_job *job, const haft__store_request *request)
{
    const haft__store *store = &job->connection->pg->store;
    haft__store_run run = request->run;
    run.seq = request->line_count;
    run.epoch = haft__store_first_epoch(request);
    run.lease_ms = run.owner.len > 0 ? haft__store_lease_end(store, request->lease_ms) : 0;
    run.updated_ms = haft__store_now(store);
    run.created_ms = run.created_ms > 0 ? run.created_ms : run.updated_ms;
    haft_str *texts[] = {&run.thread, &run.parent, &run.user,      &run.name,
                         &run.task,   &run.spec,   &run.spec_hash, &run.spec_path,
                         &run.end,    &run.answer, &run.owner};
    for (size_t i = 0; i < COUNT(texts); i++) {
        *texts[i] = texts[i]->ptr != NULL ? *texts[i] : HAFT__LIT("");
    }
    if (run.state == HAFT__RUN_STATE_ENDED) {
        run.owner = HAFT__LIT("");
        run.lease_ms = 0;
    }
    return run;
}

static haft_status return_new(haft__pg_job *job, const haft__store_run *run, haft_error *err)
{
    haft__arena *arena = job->request->arena;
    haft__store_run *found = arena != NULL ? haft__arena_alloc(arena, sizeof(*found)) : NULL;
    if (found == NULL) {
        return arena != NULL ? haft__arena_fail(arena, err) : HAFT_OK;
    }
    *found = *run;
    job->request->found = found;
    job->request->found_count = 1;
    return HAFT_OK;
}

/* Adds all rows of a new run. */
static haft_status add_new(haft__pg_job *job, const haft__store_request *request,
                           const haft__store_run *run, bool has_predecessor, haft_error *err)
{
    haft__pg_head head = {.run = {.id = run->id}};
    haft__checksum_chain_start(&head.chain, run->id);
    haft_status status = add_events(job, request, &head, err);
    if (status == HAFT_OK) {
        add_run(job, &head, run, haft__store_line_bytes(request), has_predecessor);
        add_about(job, run);
    }
    return status;
}

static haft_status write_new(haft__pg_job *job, haft_error *err)
{
    haft__store_run run = new_run(job, job->request);
    haft__pg_head head = {.run = {.id = run.id}};
    if (job->commit_uncertain && exists(job)) {
        return return_new(job, &run, err); /* the commit whose answer was lost took effect */
    }
    haft_status status = check_new(job, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = add_new(job, job->request, &run, has_predecessor(job), err);
    if (status == HAFT_OK) {
        add_artifacts(job, &head);
        status = return_new(job, &run, err);
    }
    return status;
}

/* ---- APPEND ---- */

/* Writes the ids of the consumed messages as an SQL array to the scratch buffer. */
static const char *list_messages(const haft__pg_job *job)
{
    const haft__store_request *request = job->request;
    haft__buf *list = &job->connection->packed;
    haft__buf_clear(list);
    for (size_t i = 0; i < request->message_count; i++) {
        uint64_t id = request->messages[i].id;
        haft__buf_add_char(list, i == 0 ? '{' : ',');
        haft__buf_add_int(list, id < INT64_MAX ? (int64_t)id : INT64_MAX);
    }
    haft__buf_add(list, "}", 2);
    return list->status == HAFT_OK ? list->ptr : NULL;
}

static haft_status query_messages(haft__pg_job *job, bool consume, haft_error *err)
{
    const char *list = list_messages(job);
    if (list == NULL) {
        return haft__buf_check(&job->connection->packed, err);
    }
    haft__pg_args args = {0};
    haft__pg_arg(&args, job->request->run.id);
    haft__pg_arg_literal(&args, list);
    if (consume) {
        haft__pg_job_modify(job, HAFT__PG_MESSAGES_USED, &args);
    } else {
        haft__pg_job_query(job, HAFT__PG_MESSAGES_MISSING, &args);
    }
    return HAFT_OK;
}

static haft__pg_step write_append;

haft_status haft__pg_append(haft__pg_job *job, haft_error *err)
{
    job->next = write_append;
    return job->request->message_count > 0 ? query_messages(job, false, err) : HAFT_OK;
}

static haft_status check_messages(const haft__pg_job *job, haft_error *err)
{
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    if (haft__pg_rows_next(&rows)) {
        return haft__store_fail_no_message(haft__pg_rows_int(&rows), job->request->run.id, err);
    }
    return HAFT_OK;
}

static haft_status check_append(const haft__pg_job *job, haft__pg_head *ret_head, haft_error *err)
{
    const haft__store_request *request = job->request;
    haft_status status = haft__pg_locked_head(job, ret_head, err);
    if (status == HAFT_OK) {
        status = haft__store_check_append(request, &ret_head->run, err);
    }
    if (status == HAFT_OK) {
        status = haft__store_check_room(&job->connection->pg->store, request, ret_head->run.seq,
                                        ret_head->bytes, err);
    }
    return status == HAFT_OK && request->message_count > 0 ? check_messages(job, err) : status;
}

/* Adds the update of the run's row: its id, the expected event and epoch, the new values. */
static void update_run(haft__pg_job *job, const haft__pg_head *head)
{
    const haft__store_request *request = job->request;
    const haft__store *store = &job->connection->pg->store;
    bool ends = request->run.state == HAFT__RUN_STATE_ENDED;
    uint64_t lease = request->lease_ms > 0 ? haft__store_lease_end(store, request->lease_ms)
                                           : head->run.lease_ms;
    haft__pg_args args = {0};
    haft__pg_arg(&args, request->run.id);
    haft__pg_arg_int(&args, head->run.seq);
    haft__pg_arg_int(&args, head->run.epoch);
    haft__pg_arg_int(&args, head->run.seq + request->line_count);
    haft__pg_arg_int(&args, haft__store_line_bytes(request));
    haft__pg_arg_int(&args, haft__store_now(store));
    haft__pg_arg_int(&args, request->run.wake_ms);
    haft__pg_arg_int(&args, request->run.turns);
    haft__pg_arg_int(&args, request->run.calls);
    haft__pg_arg_int(&args, ends ? 0 : lease);
    haft__pg_arg_int(&args, request->run.state);
    haft__pg_arg(&args, haft__checksum_chain_str(&head->chain));
    haft__pg_arg(&args, ends ? request->run.end : HAFT__LIT(""));
    haft__pg_bulk_add_row(job, HAFT__PG_UPDATE_RUNS, &args);
}

/* Ends the run: stores its answer and deletes the messages that it did not consume. */
static void end_run(haft__pg_job *job, const haft__pg_head *head)
{
    haft__pg_args args = {0};
    haft__pg_arg(&args, job->request->run.id);
    haft__pg_bulk_add_row(job, HAFT__PG_DROP_MESSAGES, &args);
    haft__pg_arg(&args, job->request->run.answer);
    haft__pg_bulk_add_row(job, HAFT__PG_SET_ANSWERS, &args);
    haft__pg_wake_next_in_thread(job, head);
}

static haft_status create_children(haft__pg_job *job, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < job->request->child_count; i++) {
        haft__store_request child = haft__store_child_request(&job->request->children[i]);
        haft__store_run run = new_run(job, &child);
        status = haft__store_check_room(&job->connection->pg->store, &child, 0, 0, err);
        status = status == HAFT_OK ? add_new(job, &child, &run, false, err) : status;
    }
    return status;
}

static void send_outgoing(haft__pg_job *job)
{
    for (size_t i = 0; i < job->request->outgoing_count; i++) {
        const haft__store_message *message = &job->request->outgoing[i];
        haft__pg_args add = {0}, wake = {0};
        haft__pg_arg(&add, message->run);
        haft__pg_arg(&add, message->body);
        haft__pg_bulk_add_row(job, HAFT__PG_ADD_MESSAGES, &add);
        haft__pg_arg(&wake, message->run);
        haft__pg_arg_int(&wake, haft__store_now(&job->connection->pg->store));
        haft__pg_bulk_add_row(job, HAFT__PG_WAKE_RUNS, &wake);
    }
}

static haft_status write_append(haft__pg_job *job, haft_error *err)
{
    const haft__store_request *request = job->request;
    bool ends = request->run.state == HAFT__RUN_STATE_ENDED;
    haft__pg_head head;
    haft_status status = check_append(job, &head, err);
    if (status == HAFT_OK && request->message_count > 0 && !ends) {
        status = query_messages(job, true, err);
    }
    if (status == HAFT_OK) {
        status = add_events(job, request, &head, err);
    }
    if (status == HAFT_OK) {
        status = create_children(job, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    add_artifacts(job, &head);
    update_run(job, &head);
    if (ends) {
        end_run(job, &head);
    }
    send_outgoing(job);
    return HAFT_OK;
}
