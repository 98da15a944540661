/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - reads events, messages, artifacts and cached results from PostgreSQL.
 *
 * Events are returned only if they are intact: their numbers have no gaps, each row matches the
 * checksum chain, and the last row has the checksum in the row of the run.
 * Tests: tests/store/store_find_test.c, tests/store/postgres/damage_test.c.
 */
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "store/event_reader.h"
#include "store/packer.h"
#include "store/postgres/postgres_int.h"

#define ROW_BYTES (HAFT__LIMIT_STORE_TEXT_BYTES + 2 * HAFT__LIMIT_STORE_ROW_BYTES)

/* ---- events ---- */

static haft__pg_step return_events;

static uint64_t plus(uint64_t a, uint64_t b)
{
    return a < INT64_MAX && b < INT64_MAX - a ? a + b : INT64_MAX;
}

haft_status haft__pg_read_events(haft__pg_job *job, haft_error *err)
{
    (void)err;
    const haft__store_request *request = job->request;
    haft__pg_args args = {0};
    haft__pg_query_head(job, request->run.id);
    haft__pg_arg(&args, request->run.id);
    haft__pg_arg_int(&args, request->after);
    haft__pg_job_query(job, HAFT__PG_EVENTS_CHECKSUM, &args);
    haft__pg_arg_int(&args, request->limit > 0 ? plus(request->after, request->limit) : INT64_MAX);
    haft__pg_arg_int(&args, INT64_MAX);
    haft__pg_job_query(job, HAFT__PG_EVENTS, &args);
    job->next = return_events;
    return HAFT_OK;
}

/* Reads the row before the range: the row that ends with event number `after`, or the previous one
 * if that event is in the middle of a row. */
static bool read_start(const haft__pg_job *job, haft__event_reader *reader)
{
    haft__pg_rows rows = haft__pg_rows_begin(job, 1);
    if (reader->after == 0 || !haft__pg_rows_next(&rows)) {
        return true;
    }
    reader->from.seq = haft__pg_rows_int(&rows);
    return haft__checksum_chain_set(&reader->chain,
                                    haft__pg_rows_bytes(&rows, HAFT__CHECKSUM_CHAIN_START_BYTES))
           && !rows.checks.invalid;
}

static bool next_row(void *rows, haft__event_row *ret_row)
{
    haft__pg_rows *found = rows;
    if (!haft__pg_rows_next(found)) {
        return false;
    }
    ret_row->seq = haft__pg_rows_int(found);
    ret_row->sum = haft__pg_rows_bytes(found, HAFT__CHECKSUM_CHAIN_START_BYTES);
    ret_row->body = haft__pg_rows_bytes(found, ROW_BYTES);
    ret_row->invalid = found->checks.invalid;
    return true;
}

static haft_status fail_event(const haft__pg_job *job, uint64_t seq, haft_error *err)
{
    return haft__pg_fail_damaged(
        job->connection->pg, err,
        "event %llu of the run %.*s is malformed or does not match its checksum",
        (unsigned long long)seq, HAFT__ARG(job->request->run.id));
}

static haft_status read_part(const haft__pg_job *job, const haft__pg_head *head,
                             haft__event_reader *reader, haft_error *err)
{
    haft__pg_rows rows = haft__pg_rows_begin(job, 2);
    uint64_t damaged_seq =
        read_start(job, reader)
            ? haft__event_reader_read(reader, next_row, &rows, head->run.seq, &head->chain)
            : reader->from.seq;
    /* An event that did not fit into the buffer is reported as damaged, too. */
    haft_status status = haft__buf_check(&reader->text, err);
    return status == HAFT_OK && damaged_seq > 0 ? fail_event(job, damaged_seq, err) : status;
}

static haft_status return_events(haft__pg_job *job, haft_error *err)
{
    haft__store_request *request = job->request;
    haft__pg_head head;
    haft_status status = haft__pg_read_head(job, 0, request->run.id, &head, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__event_reader reader;
    haft__event_reader_init(&reader, request, head.run.seq, job->connection->pg->store.run_bytes);
    status = read_part(job, &head, &reader, err);
    if (status == HAFT_OK) {
        status = haft__event_reader_result(&reader, request, err);
    }
    haft__event_reader_finish(&reader);
    return status;
}

/* ---- messages ---- */

static haft__pg_step return_messages;

haft_status haft__pg_receive(haft__pg_job *job, haft_error *err)
{
    (void)err;
    const haft__store_request *request = job->request;
    bool of_one_run = request->run.id.len > 0;
    haft__pg_args args = {0};
    haft__pg_arg(&args, of_one_run ? request->run.id : request->run.owner);
    haft__pg_arg_int(&args, HAFT__LIMIT_STORE_MESSAGES);
    haft__pg_arg_int(&args, HAFT__LIMIT_STORE_TEXT_BYTES);
    haft__pg_job_query(job, of_one_run ? HAFT__PG_RECEIVE_RUN : HAFT__PG_RECEIVE, &args);
    job->next = return_messages;
    return HAFT_OK;
}

static haft_status return_messages(haft__pg_job *job, haft_error *err)
{
    haft__store_request *request = job->request;
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    size_t count = (size_t)rows.pg->lib->ntuples(rows.result), at = 0;
    haft__store_message *messages = haft__arena_array(request->arena, count, sizeof(*messages));
    if (messages == NULL) {
        return haft__arena_fail(request->arena, err);
    }
    for (; at < count && haft__pg_rows_next(&rows); at++) {
        messages[at].id = haft__pg_rows_int(&rows);
        messages[at].run = haft__pg_rows_copy(&rows, HAFT__LIMIT_STORE_NAME_BYTES, request->arena);
        messages[at].body = haft__pg_rows_copy(&rows, HAFT__LIMIT_STORE_TEXT_BYTES, request->arena);
    }
    haft_status status = haft__pg_rows_end(&rows, err);
    if (status == HAFT_OK) {
        request->messages = messages;
        request->message_count = count;
    }
    return status;
}

/* ---- artifacts and results ---- */

static haft__pg_step return_artifact, return_cached;

haft_status haft__pg_read_artifact(haft__pg_job *job, haft_error *err)
{
    (void)err;
    haft__pg_args args = {0};
    haft__pg_query_head(job, job->request->run.id);
    haft__pg_arg(&args, job->request->run.id);
    haft__pg_arg(&args, job->request->name);
    haft__pg_job_query(job, HAFT__PG_ARTIFACT, &args);
    job->next = return_artifact;
    return HAFT_OK;
}

static haft_status return_artifact(haft__pg_job *job, haft_error *err)
{
    haft__store_request *request = job->request;
    haft__arena *arena = request->arena;
    haft__pg_head head;
    haft_status status = haft__pg_read_head(job, 0, request->run.id, &head, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__pg_rows rows = haft__pg_rows_begin(job, 1);
    if (!haft__pg_rows_next(&rows)) {
        return haft__store_fail_no_artifact(request->name, request->run.id, err);
    }
    haft__store_artifact artifact = {.name = haft__arena_copy(arena, request->name)};
    artifact.media_type = haft__pg_rows_copy(&rows, HAFT__LIMIT_STORE_TEXT_BYTES, arena);
    artifact.content = haft__pg_rows_content(&rows, arena, &artifact.sha256);
    rows.checks.failed_arena = artifact.name.ptr != NULL ? rows.checks.failed_arena : arena;
    status = haft__pg_rows_end(&rows, err);
    if (status == HAFT_OK) {
        request->artifact = artifact;
    }
    return status;
}

haft_status haft__pg_cache_get(haft__pg_job *job, haft_error *err)
{
    (void)err;
    const haft__store_request *request = job->request;
    haft__pg_args args = {0};
    haft__pg_arg(&args, request->scope);
    haft__pg_arg(&args, request->name);
    haft__pg_arg_int(&args, request->now_ms);
    haft__pg_job_query(job, HAFT__PG_CACHE_GET, &args);
    job->next = return_cached;
    return HAFT_OK;
}

static haft_status return_cached(haft__pg_job *job, haft_error *err)
{
    haft__store_request *request = job->request;
    haft__pg_rows rows = haft__pg_rows_begin(job, 0);
    if (!haft__pg_rows_next(&rows)) {
        return haft__store_fail_cache_miss(err);
    }
    haft_str text = haft__pg_rows_copy(&rows, HAFT__LIMIT_STORE_TEXT_BYTES, request->arena);
    haft_status status = haft__pg_rows_end(&rows, err);
    if (status == HAFT_OK) {
        request->text = text;
    }
    return status;
}
