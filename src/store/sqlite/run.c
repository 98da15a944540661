/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - the life of a run in SQLite: create, append, claim, release, remove.
 *
 * All functions run in the writer's transaction, which excludes all other writers. So the rows that
 * they read do not change before they write. Tests: tests/store/store_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "store/packer.h"
#include "store/sqlite/sqlite_int.h"

/* ---- the head of a run ---- */

static void read_head(haft__sqlite_query *query, haft__sqlite_head *ret_head)
{
    haft__store_run *run = &ret_head->run;
    ret_head->number = haft__sqlite_query_int(query);
    uint64_t state = haft__sqlite_query_int(query);
    run->seq = haft__sqlite_query_int(query);
    ret_head->bytes = haft__sqlite_query_int(query);
    run->epoch = haft__sqlite_query_int(query);
    haft_str owner = haft__sqlite_query_text(query, sizeof(ret_head->owner));
    memcpy(ret_head->owner, owner.ptr, owner.len);
    run->owner = (haft_str){ret_head->owner, owner.len};
    run->lease_ms = haft__sqlite_query_int(query);
    haft_str sum = haft__sqlite_query_blob(query, HAFT__CHECKSUM_CHAIN_START_BYTES);
    query->checks.invalid =
        !haft__checksum_chain_set(&ret_head->chain, sum) || query->checks.invalid;
    query->checks.invalid =
        query->checks.invalid || state > HAFT__RUN_STATE_ENDED || run->seq > HAFT__LIMIT_RUN_EVENTS;
    run->state = (haft__run_state)(state <= HAFT__RUN_STATE_ENDED ? state : 0);
    run->damaged = query->checks.invalid;
    query->checks.invalid = false;
}

/* Reads the head of a run, even if the run is damaged. */
static haft_status read_any_head(haft__sqlite_worker *worker, haft_str id,
                                 haft__sqlite_head *ret_head, haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_HEAD);
    haft__sqlite_query_bind(&query, id);
    bool found = haft__sqlite_query_next(&query);
    ret_head->run = (haft__store_run){.id = id};
    if (found) {
        read_head(&query, ret_head);
    }
    haft_status status = haft__sqlite_query_end(&query, err);
    return status == HAFT_OK && !found ? haft__store_fail_no_run(id, err) : status;
}

haft_status haft__sqlite_read_head(haft__sqlite_worker *worker, haft_str id,
                                   haft__sqlite_head *ret_head, haft_error *err)
{
    haft_status status = read_any_head(worker, id, ret_head, err);
    return status == HAFT_OK && ret_head->run.damaged
               ? haft__sqlite_fail_run(&worker->connection, id, err)
               : status;
}

/* ---- appending ---- */

/* Writes the packed events as one row whose last event is number `seq`, and extends the checksum
 * chain. */
static haft_status add_row_of_events(haft__sqlite_worker *worker, haft__sqlite_head *head,
                                     uint64_t seq, haft_error *err)
{
    haft_status status = haft__buf_check(&worker->packed, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_str body = haft__buf_str(&worker->packed);
    haft__checksum_chain_add(&head->chain, body);
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_EVENTS_ADD);
    haft__sqlite_query_bind_int(&query, head->number);
    haft__sqlite_query_bind_int(&query, seq);
    haft__sqlite_query_bind_blob(&query, haft__checksum_chain_str(&head->chain));
    haft__sqlite_query_bind_blob(&query, body);
    return haft__sqlite_query_run(&query, err);
}

/* Writes the lines as one row, or as several if it gets too long. */
static haft_status add_events(haft__sqlite_worker *worker, const haft__store_request *request,
                              haft__sqlite_head *head, haft_error *err)
{
    haft_status status = HAFT_OK;
    haft__packer packer;
    haft__packer_init(&packer, request->run.id, head->run.seq);
    haft__buf_clear(&worker->packed);
    for (size_t i = 0; status == HAFT_OK && i < request->line_count; i++) {
        haft__packer_pack(&packer, request->lines[i], &worker->packed);
        if (i + 1 == request->line_count || worker->packed.len >= HAFT__LIMIT_STORE_ROW_BYTES) {
            status = add_row_of_events(worker, head, packer.seq, err);
            haft__packer_start_row(&packer);
            haft__buf_clear(&worker->packed);
        }
    }
    if (worker->packed.cap > 2 * HAFT__LIMIT_STORE_ROW_BYTES) {
        haft__buf_finish(&worker->packed); /* such a long row is seldom followed by others */
    }
    haft__packer_finish(&packer);
    return status;
}

static haft_status add_artifacts(haft__sqlite_worker *worker, const haft__store_request *request,
                                 const haft__sqlite_head *head, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < request->artifact_count; i++) {
        const haft__store_artifact *artifact = &request->artifacts[i];
        uint64_t blob = 0;
        status = haft__sqlite_put_blob(worker, artifact->sha256, artifact->content, &blob, err);
        if (status == HAFT_OK) {
            haft__sqlite_query query =
                haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_ARTIFACT_ADD);
            haft__sqlite_query_bind_int(&query, head->number);
            haft__sqlite_query_bind_int(&query, head->run.seq + request->line_count);
            haft__sqlite_query_bind_int(&query, blob);
            haft__sqlite_query_bind(&query, artifact->name);
            haft__sqlite_query_bind(&query, artifact->media_type);
            status = haft__sqlite_query_run(&query, err);
        }
    }
    return status;
}

/* The compare-and-set: a run that has changed in the meantime is not updated. */
static haft_status update_run(haft__sqlite_worker *worker, const haft__store_request *request,
                              const haft__sqlite_head *head, haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_RUN_GROW);
    haft__sqlite_query_bind_int(&query, head->run.seq + request->line_count);
    haft__sqlite_query_bind_int(&query, head->bytes + haft__store_line_bytes(request));
    haft__sqlite_query_bind_blob(&query, haft__checksum_chain_str(&head->chain));
    haft__sqlite_query_bind_int(
        &query, request->lease_ms > 0 ? haft__store_lease_end(worker->store, request->lease_ms)
                                      : head->run.lease_ms);
    haft__sqlite_query_bind_int(&query, haft__store_now(worker->store));
    haft__sqlite_query_bind_int(&query, request->run.wake_ms);
    haft__sqlite_query_bind_int(&query, request->run.turns);
    haft__sqlite_query_bind_int(&query, request->run.calls);
    haft__sqlite_query_bind_int(&query, head->number);
    haft__sqlite_query_bind_int(&query, head->run.seq);
    haft__sqlite_query_bind_int(&query, head->run.epoch);
    haft_status status = haft__sqlite_query_run(&query, err);
    if (status == HAFT_OK && sqlite3_changes(worker->connection.db) != 1) {
        status = haft__sqlite_fail_damaged(
            &worker->connection, err, "the run %.*s has two head rows", HAFT__ARG(request->run.id));
    }
    return status;
}

static haft_status end_run(haft__sqlite_worker *worker, const haft__store_request *request,
                           uint64_t number, haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_RUN_END);
    haft__sqlite_query_bind(&query, request->run.end);
    haft__sqlite_query_bind(&query, request->run.answer);
    haft__sqlite_query_bind_int(&query, number);
    haft_status status = haft__sqlite_query_run(&query, err);
    if (status == HAFT_OK) {
        query = haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_MESSAGES_DROP);
        haft__sqlite_query_bind_int(&query, number);
        status = haft__sqlite_query_run(&query, err);
    }
    return status;
}

/* The state is indexed, so it is only written if it changes. */
static haft_status set_state(haft__sqlite_worker *worker, const haft__store_request *request,
                             const haft__sqlite_head *head, haft_error *err)
{
    if (request->run.state == head->run.state) {
        return HAFT_OK;
    }
    if (request->run.state == HAFT__RUN_STATE_ENDED) {
        return end_run(worker, request, head->number, err);
    }
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_RUN_STATE);
    haft__sqlite_query_bind_int(&query, request->run.state);
    haft__sqlite_query_bind_int(&query, head->number);
    return haft__sqlite_query_run(&query, err);
}

/* Writes everything that a request adds to a run, and its new state. */
static haft_status extend(haft__sqlite_worker *worker, const haft__store_request *request,
                          haft__sqlite_head *head, haft_error *err)
{
    haft_status status = add_events(worker, request, head, err);
    if (status == HAFT_OK) {
        status = add_artifacts(worker, request, head, err);
    }
    if (status == HAFT_OK) {
        status = update_run(worker, request, head, err);
    }
    return status == HAFT_OK ? set_state(worker, request, head, err) : status;
}

/* ---- CREATE ---- */

static haft_status add_text(haft__sqlite_worker *worker, haft_str text, uint64_t *ret_id,
                            haft_error *err)
{
    char digest[HAFT__SHA256_HEX];
    haft__sha256_hex(text, digest);
    return haft__sqlite_put_blob(worker, (haft_str){digest, sizeof(digest)}, text, ret_id, err);
}

/* No other process can add a run to the thread before the end of the transaction. */
static haft_status check_alone(haft__sqlite_worker *worker, const haft__store_request *request,
                               haft_error *err)
{
    haft__store_run open = {.state = HAFT__RUN_STATE_RUNNING};
    char id[HAFT__LIMIT_STORE_NAME_BYTES];
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_OPEN);
    haft__sqlite_query_bind(&query, request->run.thread);
    bool found = haft__sqlite_query_next(&query);
    if (found) {
        haft_str text = haft__sqlite_query_text(&query, sizeof(id));
        memcpy(id, text.ptr, text.len);
        open.id = (haft_str){id, text.len};
        open.state = haft__sqlite_query_int(&query) == HAFT__RUN_STATE_WAITING
                         ? HAFT__RUN_STATE_WAITING
                         : HAFT__RUN_STATE_RUNNING;
    }
    haft_status status = haft__sqlite_query_end(&query, err);
    return status == HAFT_OK ? haft__store_check_thread(request, found ? &open : NULL, err)
                             : status;
}

static haft_status check_new(haft__sqlite_worker *worker, const haft__store_request *request,
                             haft_error *err)
{
    haft__sqlite_head head;
    haft_status status = haft__sqlite_read_head(worker, request->run.id, &head, err);
    if (status != HAFT_NOT_FOUND) {
        return status == HAFT_OK ? haft__store_fail_run_exists(request->run.id, err) : status;
    }
    status = haft__store_check_room(worker->store, request, 0, 0, err);
    return status == HAFT_OK && request->alone ? check_alone(worker, request, err) : status;
}

/* Adds a run without events and state. */
static haft_status add_row(haft__sqlite_worker *worker, const haft__store_request *request,
                           uint64_t task, uint64_t spec, haft__sqlite_head *ret_head,
                           haft_error *err)
{
    const haft__store_run *run = &request->run;
    uint64_t now = haft__store_now(worker->store);
    *ret_head =
        (haft__sqlite_head){.run = {.id = run->id, .epoch = haft__store_first_epoch(request)}};
    ret_head->run.lease_ms =
        run->owner.len > 0 ? haft__store_lease_end(worker->store, request->lease_ms) : 0;
    haft__checksum_chain_start(&ret_head->chain, run->id);
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_RUN_ADD);
    haft__sqlite_query_bind(&query, run->id);
    haft__sqlite_query_bind_blob(&query, haft__checksum_chain_str(&ret_head->chain));
    haft__sqlite_query_bind_int(&query, ret_head->run.epoch);
    haft__sqlite_query_bind(&query, run->owner);
    haft__sqlite_query_bind_int(&query, ret_head->run.lease_ms);
    haft__sqlite_query_bind_int(&query, run->created_ms > 0 ? run->created_ms : now);
    haft__sqlite_query_bind_int(&query, task);
    haft__sqlite_query_bind_int(&query, spec);
    haft__sqlite_query_bind(&query, run->thread);
    haft__sqlite_query_bind(&query, run->parent);
    haft__sqlite_query_bind(&query, run->user);
    haft__sqlite_query_bind(&query, run->name);
    haft__sqlite_query_bind(&query, run->spec_hash);
    haft__sqlite_query_bind(&query, run->spec_path);
    haft_status status = haft__sqlite_query_run(&query, err);
    ret_head->number = (uint64_t)sqlite3_last_insert_rowid(worker->connection.db);
    return status;
}

/* Returns the new run without reading it again; its texts are those of the request. */
static haft_status return_new(const haft__sqlite_worker *worker, haft__store_request *request,
                              const haft__sqlite_head *head, haft_error *err)
{
    if (request->arena == NULL) {
        return HAFT_OK;
    }
    haft__store_run *run = haft__arena_alloc(request->arena, sizeof(*run));
    if (run == NULL) {
        return haft__arena_fail(request->arena, err);
    }
    *run = request->run;
    run->seq = request->line_count;
    run->epoch = head->run.epoch;
    run->lease_ms = head->run.lease_ms;
    run->updated_ms = haft__store_now(worker->store);
    run->created_ms = run->created_ms > 0 ? run->created_ms : run->updated_ms;
    haft_str *texts[] = {&run->thread, &run->parent, &run->user,      &run->name,
                         &run->task,   &run->spec,   &run->spec_hash, &run->spec_path,
                         &run->end,    &run->answer, &run->owner};
    for (size_t i = 0; i < COUNT(texts); i++) {
        *texts[i] = texts[i]->ptr != NULL ? *texts[i] : HAFT__LIT("");
    }
    request->found = run;
    request->found_count = 1;
    return HAFT_OK;
}

haft_status haft__sqlite_create(haft__sqlite_worker *worker, haft__store_request *request,
                                haft_error *err)
{
    uint64_t task = 0, spec = 0;
    haft__sqlite_head head;
    haft_status status = check_new(worker, request, err);
    if (status == HAFT_OK) {
        status = add_text(worker, request->run.task, &task, err);
    }
    if (status == HAFT_OK) {
        status = add_text(worker, request->run.spec, &spec, err);
    }
    if (status == HAFT_OK) {
        status = add_row(worker, request, task, spec, &head, err);
    }
    if (status == HAFT_OK) {
        status = extend(worker, request, &head, err);
    }
    return status == HAFT_OK ? return_new(worker, request, &head, err) : status;
}

/* ---- APPEND ---- */

static haft_status consume(haft__sqlite_worker *worker, const haft__store_request *request,
                           uint64_t number, haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < request->message_count; i++) {
        haft__sqlite_query query =
            haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_MESSAGE_DROP);
        haft__sqlite_query_bind_int(&query, request->messages[i].id);
        haft__sqlite_query_bind_int(&query, number);
        status = haft__sqlite_query_run(&query, err);
        if (status == HAFT_OK && sqlite3_changes(worker->connection.db) != 1) {
            status = haft__store_fail_no_message(request->messages[i].id, request->run.id, err);
        }
    }
    return status;
}

static haft_status create_children(haft__sqlite_worker *worker, const haft__store_request *request,
                                   haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < request->child_count; i++) {
        haft__store_request child = haft__store_child_request(&request->children[i]);
        status = haft__sqlite_create(worker, &child, err);
    }
    return status;
}

static haft_status send_outgoing(haft__sqlite_worker *worker, const haft__store_request *request,
                                 haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; status == HAFT_OK && i < request->outgoing_count; i++) {
        const haft__store_message *message = &request->outgoing[i];
        haft__sqlite_head head = {.number = 0};
        status = haft__sqlite_read_head(worker, message->run, &head, err);
        if (status == HAFT_OK && head.run.state != HAFT__RUN_STATE_ENDED) {
            status = haft__sqlite_add_message(worker, head.number, message->body, err);
        } else if (status == HAFT_NOT_FOUND) {
            *err = (haft_error){0};
            status = HAFT_OK;
        }
    }
    return status;
}

haft_status haft__sqlite_append(haft__sqlite_worker *worker, haft__store_request *request,
                                haft_error *err)
{
    haft__sqlite_head head;
    haft_status status = haft__sqlite_read_head(worker, request->run.id, &head, err);
    if (status == HAFT_OK) {
        status = haft__store_check_append(request, &head.run, err);
    }
    if (status == HAFT_OK) {
        status = haft__store_check_room(worker->store, request, head.run.seq, head.bytes, err);
    }
    if (status == HAFT_OK) {
        status = consume(worker, request, head.number, err);
    }
    if (status == HAFT_OK) {
        status = create_children(worker, request, err);
    }
    if (status == HAFT_OK) {
        status = send_outgoing(worker, request, err);
    }
    return status == HAFT_OK ? extend(worker, request, &head, err) : status;
}

/* ---- CLAIM, RENEW and RELEASE ---- */

haft_status haft__sqlite_claim(haft__sqlite_worker *worker, haft__store_request *request,
                               haft_error *err)
{
    haft__sqlite_head head;
    haft_status status = haft__sqlite_read_head(worker, request->run.id, &head, err);
    if (status == HAFT_OK) {
        status = haft__store_check_claim(worker->store, request, &head.run, err);
    }
    if (status == HAFT_OK) {
        haft__sqlite_query query =
            haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_CLAIM);
        haft__sqlite_query_bind(&query, request->run.owner);
        haft__sqlite_query_bind_int(&query,
                                    haft__store_lease_end(worker->store, request->lease_ms));
        haft__sqlite_query_bind_int(&query, head.number);
        status = haft__sqlite_query_run(&query, err);
    }
    return status == HAFT_OK ? haft__sqlite_return_run(worker, request, err) : status;
}

haft_status haft__sqlite_renew(haft__sqlite_worker *worker, haft__store_request *request,
                               haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_RENEW);
    haft__sqlite_query_bind_int(&query, haft__store_lease_end(worker->store, request->lease_ms));
    haft__sqlite_query_bind(&query, request->run.owner);
    haft_status status = haft__sqlite_query_run(&query, err);
    request->count = status == HAFT_OK ? (uint64_t)sqlite3_changes(worker->connection.db) : 0;
    return status;
}

haft_status haft__sqlite_release(haft__sqlite_worker *worker, haft__store_request *request,
                                 haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_RELEASE);
    haft__sqlite_query_bind_int(&query, haft__store_now(worker->store));
    haft__sqlite_query_bind(&query, request->run.id);
    haft__sqlite_query_bind_int(&query, request->run.epoch);
    haft_status status = haft__sqlite_query_run(&query, err);
    request->count = status == HAFT_OK ? (uint64_t)sqlite3_changes(worker->connection.db) : 0;
    return status;
}

/* ---- REMOVE ---- */

haft_status haft__sqlite_remove(haft__sqlite_worker *worker, haft__store_request *request,
                                haft_error *err)
{
    haft__sqlite_head head;
    haft_status status = read_any_head(worker, request->run.id, &head, err);
    if (status == HAFT_OK) {
        status = haft__store_check_remove(worker->store, request, &head.run, err);
    }
    return status == HAFT_OK ? haft__sqlite_delete_run(worker, head.number, err) : status;
}
