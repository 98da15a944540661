/* SPDX-License-Identifier: Apache-2.0 */
/*
 * query.c - sends statements with arguments, and reads their results.
 *
 * Every statement is sent with its parameters. Statements are never prepared, so that a pooler may
 * use another server connection for each transaction. Bytes and texts are sent in binary form.
 * Numbers are sent as digits and returned as eight bytes. Tests:
 * tests/store/postgres/postgres_test.c.
 */
#include "base/error.h"
#include "base/sha256.h"
#include "base/str.h"
#include "store/postgres/postgres_int.h"

/* ---- statements ---- */

static void add(haft__pg_args *args, const char *value, int length, int format)
{
    int at = args->count++;
    args->values[at] = value;
    args->lengths[at] = length;
    args->formats[at] = format;
}

void haft__pg_arg(haft__pg_args *args, haft_str bytes)
{
    /* haft__store_check has checked every text: the length fits an int. */
    add(args, bytes.len > 0 ? bytes.ptr : "", (int)bytes.len, 1);
}

void haft__pg_arg_int(haft__pg_args *args, uint64_t number)
{
    args->numbers[args->count] = number < INT64_MAX ? number : INT64_MAX;
    add(args, NULL, HAFT__PG_NUMBER, 0);
}

void haft__pg_arg_null(haft__pg_args *args)
{
    add(args, NULL, 0, 0);
}

void haft__pg_arg_literal(haft__pg_args *args, const char *text)
{
    add(args, text, 0, 0);
}

void haft__pg_write_array(haft__buf *to, const haft_str *texts, size_t count)
{
    haft__buf_add_char(to, '{');
    for (size_t i = 0; i < count; i++) {
        haft__buf_add(to, i == 0 ? "\"" : ",\"", i == 0 ? 1 : 2);
        for (size_t at = 0; at < texts[i].len; at++) {
            char c = texts[i].ptr[at];
            if (c == '"' || c == '\\') {
                haft__buf_add_char(to, '\\');
            }
            haft__buf_add_char(to, c);
        }
        haft__buf_add_char(to, '"');
    }
    haft__buf_add(to, "}", 2); /* with a NUL, which haft__pg_arg_literal needs */
}

void haft__pg_connection_query(haft__pg_connection *connection, const char *sql,
                               const haft__pg_args *args)
{
    static const haft__pg_args no_args;
    const haft__pg_args *given = args != NULL ? args : &no_args;
    const char *values[HAFT__PG_ARGS];
    char digits[HAFT__PG_ARGS][24];
    for (int i = 0; i < given->count; i++) {
        bool number = given->lengths[i] == HAFT__PG_NUMBER;
        (void)snprintf(digits[i], sizeof(digits[i]), "%llu", (unsigned long long)given->numbers[i]);
        values[i] = number ? digits[i] : given->values[i];
    }
    if (!connection->broken
        && connection->pg->lib->sendQueryParams(connection->conn, sql, given->count, NULL, values,
                                                given->lengths, given->formats, 1)
               == 0) {
        connection->broken = true;
    }
}

void haft__pg_job_query(haft__pg_job *job, const char *sql, const haft__pg_args *args)
{
    haft__pg_connection_query(job->connection, sql, args);
    job->sent_count++;
}

void haft__pg_job_modify(haft__pg_job *job, const char *sql, const haft__pg_args *args)
{
    job->modified = true;
    haft__pg_job_query(job, sql, args);
}

/* ---- results ---- */

uint64_t haft__pg_affected_rows(const haft__pg_job *job, unsigned answer)
{
    uint64_t count = 0;
    PGresult *result = job->answers[answer];
    return result != NULL
                   && haft__str_to_u64(haft__str(job->connection->pg->lib->cmdTuples(result)),
                                       &count)
               ? count
               : 0;
}

haft__pg_rows haft__pg_rows_begin(const haft__pg_job *job, unsigned answer)
{
    return (haft__pg_rows){.pg = job->connection->pg, .result = job->answers[answer]};
}

bool haft__pg_rows_next(haft__pg_rows *rows)
{
    if (rows->checks.invalid || rows->checks.failed_arena != NULL
        || rows->row >= rows->pg->lib->ntuples(rows->result)) {
        return false;
    }
    rows->row++;
    rows->column = 0;
    return true;
}

/* The bytes of the next column; .ptr is NULL if it is NULL. */
static haft_str next_column(haft__pg_rows *rows)
{
    const haft__libpq *lib = rows->pg->lib;
    int row = rows->row - 1, column = rows->column++;
    if (lib->getisnull(rows->result, row, column) != 0) {
        rows->checks.invalid = true;
        return (haft_str){NULL, 0};
    }
    return (haft_str){lib->getvalue(rows->result, row, column),
                      (size_t)lib->getlength(rows->result, row, column)};
}

bool haft__pg_rows_is_null(haft__pg_rows *rows)
{
    bool null = rows->pg->lib->getisnull(rows->result, rows->row - 1, rows->column) != 0;
    rows->column += null;
    return null;
}

uint64_t haft__pg_rows_int(haft__pg_rows *rows)
{
    haft_str bytes = next_column(rows);
    uint64_t number = 0;
    for (size_t i = 0; i < bytes.len && i < sizeof(number); i++) {
        number = number << 8 | (uint8_t)bytes.ptr[i];
    }
    if (bytes.len != sizeof(number) || number > INT64_MAX) {
        rows->checks.invalid = true;
        return 0;
    }
    return number;
}

haft_str haft__pg_rows_bytes(haft__pg_rows *rows, size_t max_bytes)
{
    haft_str bytes = next_column(rows);
    if (bytes.ptr == NULL || bytes.len > max_bytes) {
        rows->checks.invalid = true;
        return HAFT__LIT("");
    }
    return bytes;
}

haft_str haft__pg_rows_text(haft__pg_rows *rows, size_t max_bytes)
{
    return haft__column_text(&rows->checks, haft__pg_rows_bytes(rows, max_bytes));
}

haft_str haft__pg_rows_copy(haft__pg_rows *rows, size_t max_bytes, haft__arena *arena)
{
    return haft__column_copy(&rows->checks, haft__pg_rows_text(rows, max_bytes), arena);
}

haft_str haft__pg_rows_content(haft__pg_rows *rows, haft__arena *arena, haft_str *ret_sha256)
{
    haft_str sum = haft__pg_rows_text(rows, HAFT__SHA256_HEX);
    haft_str content = haft__pg_rows_bytes(rows, HAFT__LIMIT_STORE_TEXT_BYTES);
    return haft__column_content(&rows->checks, sum, content, arena, ret_sha256);
}

haft_status haft__pg_rows_end(const haft__pg_rows *rows, haft_error *err)
{
    if (rows->checks.invalid) {
        return haft__pg_fail_damaged(rows->pg, err, "a value is malformed");
    }
    return rows->checks.failed_arena != NULL ? haft__arena_fail(rows->checks.failed_arena, err)
                                             : HAFT_OK;
}

/* ---- the head of a run ---- */

void haft__pg_query_head(haft__pg_job *job, haft_str id)
{
    haft__pg_args args = {0};
    haft__pg_arg(&args, id);
    haft__pg_job_query(job, HAFT__PG_HEAD, &args);
}

/* Finds the row with this id by binary search: the rows are sorted. rows.row counts from 1. */
static haft_status read_head(haft__pg_rows rows, haft_str id, haft__pg_head *ret_head,
                             haft_error *err)
{
    int order = -1;
    for (int low = 0, high = rows.pg->lib->ntuples(rows.result); order != 0 && low < high;) {
        rows.row = low + (high - low) / 2 + 1;
        rows.column = 0;
        order = haft__str_compare(id, next_column(&rows));
        low = order > 0 ? rows.row : low;
        high = order < 0 ? rows.row - 1 : high;
    }
    if (order != 0) {
        return haft__store_fail_no_run(id, err);
    }
    *ret_head = (haft__pg_head){.run = {.id = id}};
    uint64_t state = haft__pg_rows_int(&rows);
    rows.checks.invalid = rows.checks.invalid || state > HAFT__RUN_STATE_ENDED;
    ret_head->run.state = (haft__run_state)(state <= HAFT__RUN_STATE_ENDED ? state : 0);
    ret_head->run.seq = haft__pg_rows_int(&rows);
    ret_head->bytes = haft__pg_rows_int(&rows);
    ret_head->run.epoch = haft__pg_rows_int(&rows);
    ret_head->run.owner = haft__pg_rows_text(&rows, HAFT__LIMIT_STORE_NAME_BYTES);
    ret_head->run.lease_ms = haft__pg_rows_int(&rows);
    rows.checks.invalid =
        !haft__checksum_chain_set(&ret_head->chain,
                                  haft__pg_rows_bytes(&rows, HAFT__CHECKSUM_CHAIN_START_BYTES))
        || rows.checks.invalid;
    ret_head->number = haft__pg_rows_int(&rows);
    ret_head->in_thread = haft__pg_rows_int(&rows) != 0;
    ret_head->run.damaged = rows.checks.invalid;
    return HAFT_OK;
}

static haft_status read_good_head(haft__pg_rows rows, haft_str id, haft__pg_head *ret_head,
                                  haft_error *err)
{
    haft_status status = read_head(rows, id, ret_head, err);
    return status == HAFT_OK && ret_head->run.damaged ? haft__pg_fail_run(rows.pg, id, err)
                                                      : status;
}

haft_status haft__pg_read_head(const haft__pg_job *job, unsigned answer, haft_str id,
                               haft__pg_head *ret_head, haft_error *err)
{
    return read_good_head(haft__pg_rows_begin(job, answer), id, ret_head, err);
}

haft_status haft__pg_locked_head(const haft__pg_job *job, haft__pg_head *ret_head, haft_error *err)
{
    haft__pg_rows rows = {.pg = job->connection->pg, .result = job->connection->heads};
    return read_good_head(rows, job->request->run.id, ret_head, err);
}

haft_status haft__pg_locked_head_or_damaged(const haft__pg_job *job, haft__pg_head *ret_head,
                                            haft_error *err)
{
    haft__pg_rows rows = {.pg = job->connection->pg, .result = job->connection->heads};
    return read_head(rows, job->request->run.id, ret_head, err);
}
