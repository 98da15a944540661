/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - reads events, messages, artifacts and cached results from SQLite.
 *
 * Events are returned only if they are intact: their numbers have no gaps, each row matches the
 * checksum chain, and the last row has the checksum in the row of the run.
 * Tests: tests/store/store_find_test.c, tests/store/sqlite/damage_test.c.
 */
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "store/event_reader.h"
#include "store/packer.h"
#include "store/sqlite/sqlite_int.h"

/* ---- events ---- */

static haft_status fail_event(const haft__sqlite_worker *worker, const haft__store_request *request,
                              uint64_t seq, haft_error *err)
{
    return haft__sqlite_fail_damaged(
        &worker->connection, err,
        "event %llu of the run %.*s is malformed or does not match its checksum",
        (unsigned long long)seq, HAFT__ARG(request->run.id));
}

/* Reads the row before the range: the row that ends with event number `after`, or the previous one
 * if that event is in the middle of a row. */
static haft_status read_start(haft__sqlite_worker *worker, const haft__store_request *request,
                              uint64_t number, haft__event_reader *reader, haft_error *err)
{
    if (reader->after == 0) {
        return HAFT_OK;
    }
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_EVENTS_SUM);
    haft__sqlite_query_bind_int(&query, number);
    haft__sqlite_query_bind_int(&query, reader->after);
    bool valid = true;
    if (haft__sqlite_query_next(&query)) {
        reader->from.seq = haft__sqlite_query_int(&query);
        valid = haft__checksum_chain_set(
            &reader->chain, haft__sqlite_query_blob(&query, HAFT__CHECKSUM_CHAIN_START_BYTES));
    }
    query.checks.invalid = false; /* reported with the number of the event */
    haft_status status = haft__sqlite_query_end(&query, err);
    return status == HAFT_OK && !valid ? fail_event(worker, request, reader->from.seq, err)
                                       : status;
}

static bool next_row(void *rows, haft__event_row *ret_row)
{
    haft__sqlite_query *query = rows;
    if (!haft__sqlite_query_next(query)) {
        return false;
    }
    ret_row->seq = haft__sqlite_query_int(query);
    ret_row->sum = haft__sqlite_query_blob(query, HAFT__CHECKSUM_CHAIN_START_BYTES);
    ret_row->body = haft__sqlite_query_blob(query, HAFT__SQLITE_ROW_BYTES);
    ret_row->invalid = query->checks.invalid || query->code != SQLITE_OK;
    return true;
}

static haft_status read_part(haft__sqlite_worker *worker, const haft__store_request *request,
                             const haft__sqlite_head *head, haft__event_reader *reader,
                             haft_error *err)
{
    haft_status status = read_start(worker, request, head->number, reader, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_EVENTS);
    haft__sqlite_query_bind_int(&query, head->number);
    haft__sqlite_query_bind_int(&query, reader->from.seq);
    uint64_t damaged_seq =
        haft__event_reader_read(reader, next_row, &query, head->run.seq, &head->chain);
    query.checks.invalid = false; /* reported with the number of the event */
    status = haft__sqlite_query_end(&query, err);
    return status == HAFT_OK && damaged_seq > 0 ? fail_event(worker, request, damaged_seq, err)
                                                : status;
}

haft_status haft__sqlite_read_events(haft__sqlite_worker *worker, haft__store_request *request,
                                     haft_error *err)
{
    haft__sqlite_head head;
    haft_status status = haft__sqlite_read_head(worker, request->run.id, &head, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__event_reader reader;
    haft__event_reader_init(&reader, request, head.run.seq, worker->store->run_bytes);
    status = read_part(worker, request, &head, &reader, err);
    if (status == HAFT_OK) {
        status = haft__event_reader_result(&reader, request, err);
    }
    haft__event_reader_finish(&reader);
    return status;
}

/* ---- messages ---- */

static haft_status keep_messages(haft__store_request *request, const haft__buf *found,
                                 haft_error *err)
{
    haft_status status = haft__buf_check(found, err);
    if (status == HAFT_OK) {
        haft_str copy = haft__arena_copy(request->arena, haft__buf_str(found));
        request->messages = (const void *)copy.ptr;
        request->message_count = copy.len / sizeof(haft__store_message);
        status = copy.ptr != NULL ? HAFT_OK : haft__arena_fail(request->arena, err);
    }
    return status;
}

haft_status haft__sqlite_receive(haft__sqlite_worker *worker, haft__store_request *request,
                                 haft_error *err)
{
    bool of_one_run = request->run.id.len > 0;
    haft__sqlite_query query = haft__sqlite_query_begin(
        &worker->connection, of_one_run ? HAFT__SQLITE_STMT_RECEIVE_ID : HAFT__SQLITE_STMT_RECEIVE);
    haft__sqlite_query_bind(&query, of_one_run ? request->run.id : request->run.owner);
    haft__sqlite_query_bind_int(&query, HAFT__LIMIT_STORE_MESSAGES);
    haft__buf found;
    size_t bytes = 0;
    haft__buf_init(&found, HAFT__LIMIT_STORE_MESSAGES * sizeof(haft__store_message));
    while (bytes < HAFT__LIMIT_STORE_TEXT_BYTES && haft__sqlite_query_next(&query)) {
        haft__store_message message = {.id = haft__sqlite_query_int(&query)};
        message.run = haft__sqlite_query_copy(&query, HAFT__LIMIT_STORE_NAME_BYTES, request->arena);
        message.body =
            haft__sqlite_query_copy(&query, HAFT__LIMIT_STORE_TEXT_BYTES, request->arena);
        haft__buf_add(&found, (const char *)&message, sizeof(message));
        bytes += message.body.len;
    }
    haft_status status = haft__sqlite_query_end(&query, err);
    if (status == HAFT_OK) {
        status = keep_messages(request, &found, err);
    }
    haft__buf_finish(&found);
    return status;
}

/* ---- artifacts and results ---- */

haft_status haft__sqlite_read_artifact(haft__sqlite_worker *worker, haft__store_request *request,
                                       haft_error *err)
{
    haft__sqlite_head head;
    haft_status status = haft__sqlite_read_head(worker, request->run.id, &head, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__arena *arena = request->arena;
    haft__store_artifact artifact = {.name = haft__arena_copy(arena, request->name)};
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_ARTIFACT);
    haft__sqlite_query_bind_int(&query, head.number);
    haft__sqlite_query_bind(&query, request->name);
    bool found = haft__sqlite_query_next(&query);
    if (found) {
        artifact.media_type = haft__sqlite_query_copy(&query, HAFT__LIMIT_STORE_TEXT_BYTES, arena);
        artifact.content = haft__sqlite_query_content(&query, arena, &artifact.sha256);
    }
    query.checks.failed_arena = artifact.name.ptr != NULL ? query.checks.failed_arena : arena;
    status = haft__sqlite_query_end(&query, err);
    if (status == HAFT_OK && !found) {
        status = haft__store_fail_no_artifact(request->name, request->run.id, err);
    }
    if (status == HAFT_OK) {
        request->artifact = artifact;
    }
    return status;
}

haft_status haft__sqlite_cache_get(haft__sqlite_worker *worker, haft__store_request *request,
                                   haft_error *err)
{
    haft__sqlite_query query =
        haft__sqlite_query_begin(&worker->connection, HAFT__SQLITE_STMT_CACHE_GET);
    haft__sqlite_query_bind(&query, request->scope);
    haft__sqlite_query_bind(&query, request->name);
    haft__sqlite_query_bind_int(&query, request->now_ms);
    bool found = haft__sqlite_query_next(&query);
    haft_str text = HAFT__LIT("");
    if (found) {
        text = haft__sqlite_query_copy(&query, HAFT__LIMIT_STORE_TEXT_BYTES, request->arena);
    }
    haft_status status = haft__sqlite_query_end(&query, err);
    if (status == HAFT_OK && !found) {
        status = haft__store_fail_cache_miss(err);
    }
    if (status == HAFT_OK) {
        request->text = text;
    }
    return status;
}
