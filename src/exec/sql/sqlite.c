/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite.c - runs a query on an SQLite file. Tests: tests/exec/sql/sqlite_test.c. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/sql/sqlite_int.h"
#include "json/number.h"
#include "json/write.h"

/* ---- one statement ---- */

/* Compiles the query, and checks that nothing follows it. */
static haft_status prepare(haft__sqlite_guarded *guarded, sqlite3_stmt **ret_statement,
                           uint64_t *ret_position, haft_error *err)
{
    haft_str query = guarded->request->query;
    sqlite3_stmt *next = NULL;
    const char *rest = NULL;
    if (query.len > 0 && memchr(query.ptr, '\0', query.len) != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "/query", "the query has a NUL character");
    }
    int code = sqlite3_prepare_v2(guarded->db, query.ptr, (int)query.len, ret_statement, &rest);
    if (code != SQLITE_OK) {
        int offset = sqlite3_error_offset(guarded->db);
        *ret_position = offset >= 0 ? (uint64_t)offset + 1 : 0;
        return haft__sqlite_guarded_fail(guarded, code, err);
    }
    if (*ret_statement == NULL) {
        return haft__sql_fail_empty(err);
    }
    /* The rest is only white space, comments and semicolons if it compiles to nothing. */
    while (rest < query.ptr + query.len) {
        const char *start = rest;
        code = sqlite3_prepare_v2(guarded->db, start, (int)(query.ptr + query.len - start), &next,
                                  &rest);
        (void)sqlite3_finalize(next);
        if (code != SQLITE_OK || next != NULL || rest == start) {
            return code == SQLITE_NOMEM ? haft__fail_no_memory(err) : haft__sql_fail_several(err);
        }
    }
    return HAFT_OK;
}

/* A statement without columns does something. */
static haft_status check_statement(sqlite3_stmt *statement, haft_error *err)
{
    if (sqlite3_column_count(statement) == 0) {
        return haft__sql_fail_writes("it returns no rows", err);
    }
    return sqlite3_stmt_readonly(statement) ? HAFT_OK : haft__sql_fail_writes("it can write", err);
}

/* The authorizer is not called for the columns that NATURAL and USING compare, so a query could
 * compare a hidden column with guesses. The word is rejected wherever it is: nothing needs to be
 * parsed, and nothing can be disguised. */
static haft_status check_hidden_joins(const haft__sql_request *request, haft_error *err)
{
    static const haft_str words[] = {HAFT__LIT("natural"), HAFT__LIT("using")};
    for (size_t i = 0; i < COUNT(words) && haft__database_hides(request->database); i++) {
        if (haft__str_contains_ignore_case(request->query, words[i])) {
            haft_status status = haft__fail(
                err, HAFT_BAD_INPUT, "/query",
                "the query has the word %s, which this database does not allow", words[i].ptr);
            return haft__hint(err, status, "join with ON");
        }
    }
    return HAFT_OK;
}

/* ---- parameters ---- */

static int bind_number(sqlite3_stmt *statement, int index, haft_str text)
{
    int64_t number = 0;
    return haft__number_to_int64(text, &number)
               ? sqlite3_bind_int64(statement, index, number)
               : sqlite3_bind_double(statement, index, haft__number_to_double(text));
}

static int bind_text(sqlite3_stmt *statement, int index, haft_str text)
{
    return sqlite3_bind_text(statement, index, text.len > 0 ? text.ptr : "", (int)text.len,
                             SQLITE_TRANSIENT);
}

/* Arrays and objects are bound as JSON. */
static int bind_json(sqlite3_stmt *statement, int index, haft__json value)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SQL_VALUE_BYTES);
    haft__json_write(&text, value);
    int code = text.status == HAFT_OK          ? bind_text(statement, index, haft__buf_str(&text))
               : text.status == HAFT_NO_MEMORY ? SQLITE_NOMEM
                                               : SQLITE_TOOBIG;
    haft__buf_finish(&text);
    return code;
}

static int bind(sqlite3_stmt *statement, int index, haft__json value)
{
    switch ((haft__json_kind)value.kind) {
    case HAFT__JSON_NULL: return sqlite3_bind_null(statement, index);
    case HAFT__JSON_FALSE: return sqlite3_bind_int(statement, index, 0);
    case HAFT__JSON_TRUE: return sqlite3_bind_int(statement, index, 1);
    case HAFT__JSON_NUMBER: return bind_number(statement, index, haft__json_text(value));
    case HAFT__JSON_STRING: return bind_text(statement, index, haft__json_text(value));
    case HAFT__JSON_ARRAY:
    case HAFT__JSON_OBJECT: return bind_json(statement, index, value);
    }
    HAFT__UNREACHABLE();
}

/* The index of the value for a placeholder: the number in $2, as in PostgreSQL, or its position. */
static uint64_t value_index(sqlite3_stmt *statement, int index)
{
    const char *name = sqlite3_bind_parameter_name(statement, index);
    uint64_t number = 0;
    bool numbered = name != NULL && name[0] == '$' && haft__str_to_u64(haft__str(name + 1), &number)
                    && number > 0;
    return numbered ? number - 1 : (uint64_t)index - 1;
}

static haft_status bind_all(haft__sqlite_guarded *guarded, sqlite3_stmt *statement, haft_error *err)
{
    haft__json values = guarded->request->parameters;
    uint32_t given = values.kind == HAFT__JSON_ARRAY ? values.count : 0;
    int count = sqlite3_bind_parameter_count(statement);
    uint64_t wanted = 0;
    for (int i = 1; i <= count; i++) {
        uint64_t at = value_index(statement, i);
        wanted = at + 1 > wanted ? at + 1 : wanted;
    }
    if (given != wanted) {
        return haft__sql_fail_parameter_count(given, wanted, err);
    }
    for (int i = 1; i <= count; i++) {
        int code = bind(statement, i, values.items[value_index(statement, i)]);
        if (code != SQLITE_OK) {
            return haft__sqlite_guarded_fail(guarded, code, err);
        }
    }
    return HAFT_OK;
}

/* ---- rows ---- */

/* A row, and the digits of its numbers. */
typedef struct row_reader {
    sqlite3_stmt *statement;
    int count;
    haft__result_column *columns;
    haft__cell *cells;
    haft__buf digits;
    size_t *ends; /* of the digits of each cell */
} row_reader;

static haft_str type_of_value(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return HAFT__LIT("integer");
    case SQLITE_FLOAT: return HAFT__LIT("real");
    case SQLITE_TEXT: return HAFT__LIT("text");
    case SQLITE_BLOB: return HAFT__LIT("blob");
    default: return HAFT__LIT("");
    }
}

/* The declared type of a column of a table, else the type of the value in the first row. */
static haft_status read_columns(haft__sqlite_guarded *guarded, row_reader *reader, bool has_row,
                                haft_error *err)
{
    haft__arena *arena = &guarded->arena;
    for (int i = 0; i < reader->count; i++) {
        const char *name = sqlite3_column_name(reader->statement, i);
        const char *declared = sqlite3_column_decltype(reader->statement, i);
        haft_str type = declared != NULL ? haft__str(declared)
                        : has_row        ? type_of_value(reader->statement, i)
                                         : HAFT__LIT("");
        reader->columns[i].name = haft__arena_copy(arena, haft__str(name != NULL ? name : ""));
        reader->columns[i].type = haft__arena_copy(arena, type);
        if (reader->columns[i].name.ptr == NULL || reader->columns[i].type.ptr == NULL) {
            return haft__arena_fail(arena, err);
        }
    }
    return HAFT_OK;
}

/* A real number always has a fraction or an exponent. */
static void add_real(haft__buf *digits, double number)
{
    size_t start = digits->len;
    if (isinf(number)) {
        haft__buf_add_str(digits, number > 0 ? HAFT__LIT("Infinity") : HAFT__LIT("-Infinity"));
        return;
    }
    haft__number_add_double(digits, number);
    haft_str text =
        digits->len > start ? (haft_str){digits->ptr + start, digits->len - start} : HAFT__LIT(".");
    if (memchr(text.ptr, '.', text.len) == NULL && memchr(text.ptr, 'e', text.len) == NULL) {
        haft__buf_add_str(digits, HAFT__LIT(".0"));
    }
}

static haft__cell read_cell(row_reader *reader, int column)
{
    sqlite3_stmt *statement = reader->statement;
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        haft__buf_add_int(&reader->digits, sqlite3_column_int64(statement, column));
        return (haft__cell){.kind = HAFT__CELL_NUMBER};
    case SQLITE_FLOAT:
        add_real(&reader->digits, sqlite3_column_double(statement, column));
        return (haft__cell){.kind = HAFT__CELL_NUMBER};
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_column_text(statement, column);
        return (haft__cell){HAFT__CELL_TEXT,
                            {text, (size_t)sqlite3_column_bytes(statement, column)}};
    }
    case SQLITE_BLOB: {
        const char *bytes = sqlite3_column_blob(statement, column);
        return (haft__cell){HAFT__CELL_BLOB,
                            {bytes, (size_t)sqlite3_column_bytes(statement, column)}};
    }
    default: return (haft__cell){.kind = HAFT__CELL_NULL};
    }
}

static void read_row(row_reader *reader)
{
    haft__buf_clear(&reader->digits);
    for (int i = 0; i < reader->count; i++) {
        reader->cells[i] = read_cell(reader, i);
        reader->ends[i] = reader->digits.len;
    }
    for (int i = 0; i < reader->count; i++) { /* the digits do not move any more */
        size_t start = i > 0 ? reader->ends[i - 1] : 0;
        if (reader->cells[i].kind == HAFT__CELL_NUMBER && reader->digits.status == HAFT_OK) {
            reader->cells[i].text = (haft_str){reader->digits.ptr + start, reader->ends[i] - start};
        }
    }
}

static haft_status read_rows(haft__sqlite_guarded *guarded, row_reader *reader, haft__rows *rows,
                             haft_error *err)
{
    int code = sqlite3_step(reader->statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        return haft__sqlite_guarded_fail(guarded, code, err);
    }
    haft_status status = read_columns(guarded, reader, code == SQLITE_ROW, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__rows_begin(rows, reader->columns, (size_t)reader->count);
    while (code == SQLITE_ROW) {
        read_row(reader);
        if (!haft__rows_add(rows, reader->cells)) {
            break;
        }
        code = sqlite3_step(reader->statement);
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        return haft__sqlite_guarded_fail(guarded, code, err);
    }
    haft__rows_end(rows);
    status = haft__buf_check(&reader->digits, err);
    return status == HAFT_OK ? haft__buf_check(rows->buf, err) : status;
}

static haft_status run(haft__sqlite_guarded *guarded, sqlite3_stmt *statement, haft__rows *rows,
                       haft_error *err)
{
    size_t count = (size_t)sqlite3_column_count(statement);
    row_reader reader = {.statement = statement, .count = (int)count};
    reader.columns = haft__arena_array(&guarded->arena, count, sizeof(*reader.columns));
    reader.cells = haft__arena_array(&guarded->arena, count, sizeof(*reader.cells));
    reader.ends = haft__arena_array(&guarded->arena, count, sizeof(*reader.ends));
    if (reader.columns == NULL || reader.cells == NULL || reader.ends == NULL) {
        return haft__arena_fail(&guarded->arena, err);
    }
    haft__buf_init(&reader.digits, count * 32);
    haft_status status = read_rows(guarded, &reader, rows, err);
    haft__buf_finish(&reader.digits);
    return status;
}

/* ---- the query ---- */

static haft_status run_query(haft__sqlite_guarded *guarded, haft__rows *rows,
                             uint64_t *ret_position, haft_error *err)
{
    sqlite3_stmt *statement = NULL;
    haft_status status = haft__sqlite_guard(guarded, err);
    if (status == HAFT_OK) {
        status = check_hidden_joins(guarded->request, err);
    }
    if (status == HAFT_OK) {
        status = prepare(guarded, &statement, ret_position, err);
    }
    if (status == HAFT_OK) {
        status = check_statement(statement, err);
    }
    if (status == HAFT_OK) {
        status = bind_all(guarded, statement, err);
    }
    if (status == HAFT_OK) {
        status = run(guarded, statement, rows, err);
    }
    (void)sqlite3_finalize(statement);
    return status;
}

static haft_status query(const haft__sql_request *request, haft_str place, haft__rows *rows,
                         uint64_t *ret_position, haft_error *err)
{
    haft__sqlite_guarded guarded;
    haft_status status = haft__sqlite_guarded_open(&guarded, request, place, err);
    if (status == HAFT_OK) {
        status = run_query(&guarded, rows, ret_position, err);
    }
    haft__sqlite_guarded_close(&guarded);
    return status;
}

const haft__sql_engine haft__sql_sqlite = {.query = query,
                                           .read_catalog = haft__sqlite_read_catalog,
                                           .read_version = haft__sqlite_read_version};
