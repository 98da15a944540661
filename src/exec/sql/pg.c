/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pg.c - runs a query on PostgreSQL: the text of the model is the query of a cursor, so the parser
 * of the server rejects every statement that is not a query. Tests: tests/exec/sql/pg_test.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/sql/pg_int.h"
#include "json/write.h"

#define DECLARE "DECLARE haft NO SCROLL CURSOR FOR "

/* The rows of one FETCH. */
#define FETCH_ROWS 1000

/* ---- types ---- */

/* Object identifiers of types, which are the same in every database. */
enum {
    TYPE_BOOL = 16,
    TYPE_BYTEA = 17,
    TYPE_INT8 = 20,
    TYPE_INT2 = 21,
    TYPE_INT4 = 23,
    TYPE_OID = 26,
    TYPE_FLOAT4 = 700,
    TYPE_FLOAT8 = 701,
    TYPE_NUMERIC = 1700,
};

static haft__cell_kind kind_of(Oid type)
{
    switch (type) {
    case TYPE_BOOL: return HAFT__CELL_BOOLEAN;
    case TYPE_BYTEA: return HAFT__CELL_BLOB;
    case TYPE_INT2:
    case TYPE_INT4:
    case TYPE_INT8:
    case TYPE_OID:
    case TYPE_FLOAT4:
    case TYPE_FLOAT8:
    case TYPE_NUMERIC: return HAFT__CELL_NUMBER;
    default: return HAFT__CELL_TEXT;
    }
}

/* ---- parameters ---- */

/* The text of a parameter; its type is what the query makes of it. */
static haft_status parameter_text(haft__arena *arena, haft__json value, const char **ret_text,
                                  haft_error *err)
{
    haft__buf json;
    haft_str text = haft__json_text(value);
    haft__buf_init(&json, HAFT__LIMIT_SQL_VALUE_BYTES);
    if (value.kind == HAFT__JSON_NULL) {
        *ret_text = NULL;
        return HAFT_OK;
    }
    if (value.kind != HAFT__JSON_STRING && value.kind != HAFT__JSON_NUMBER) {
        haft__json_write(&json, value);
        text = haft__buf_str(&json);
    }
    haft_status status = haft__buf_check(&json, err);
    if (status == HAFT_OK && text.len > 0 && memchr(text.ptr, '\0', text.len) != NULL) {
        status = haft__fail(err, HAFT_BAD_INPUT, "/parameters",
                            "a text has a NUL character, which PostgreSQL cannot store");
    }
    haft_str kept = haft__arena_copy(arena, text);
    haft__buf_finish(&json);
    *ret_text = kept.ptr;
    return status != HAFT_OK || kept.ptr != NULL ? status : haft__arena_fail(arena, err);
}

static haft_status make_values(haft__arena *arena, haft__json parameters,
                               haft__pg_values *ret_values, haft_error *err)
{
    uint32_t count = parameters.kind == HAFT__JSON_ARRAY ? parameters.count : 0;
    const char **texts = haft__arena_array(arena, count + 1U, sizeof(*texts));
    haft_status status = texts != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    if (status == HAFT_OK && count > HAFT__LIMIT_SQL_PARAMETERS) {
        status = haft__fail(err, HAFT_TOO_BIG, "/parameters",
                            "there are more parameters than the limit of %d",
                            HAFT__LIMIT_SQL_PARAMETERS);
    }
    for (uint32_t i = 0; status == HAFT_OK && i < count; i++) {
        status = parameter_text(arena, parameters.items[i], &texts[i], err);
    }
    *ret_values = (haft__pg_values){texts, (int)count};
    return status;
}

/* ---- columns ---- */

/* The names of the types of all columns, in one query. */
static haft_status read_types(haft__pg_session *session, const PGresult *rows, haft__arena *arena,
                              haft__result_column *columns, int count, haft_error *err)
{
    haft__buf types, modifiers;
    PGresult *result = NULL;
    haft__buf_init(&types, 1 << 16);
    haft__buf_init(&modifiers, 1 << 16);
    for (int i = 0; i < count; i++) {
        haft__buf_addf(&types, "%s%u", i > 0 ? "," : "{", session->lib->ftype(rows, i));
        haft__buf_addf(&modifiers, "%s%d", i > 0 ? "," : "{", session->lib->fmod(rows, i));
    }
    haft__buf_add(&types, "}", sizeof("}"));
    haft__buf_add(&modifiers, "}", sizeof("}"));
    const char *const texts[] = {types.ptr, modifiers.ptr};
    haft_status status = haft__buf_check(&types, err);
    status = status == HAFT_OK ? haft__buf_check(&modifiers, err) : status;
    if (status == HAFT_OK) {
        status = haft__pg_session_run(
            session,
            "SELECT pg_catalog.format_type(t, m) FROM unnest($1::oid[], $2::int4[]) WITH "
            "ORDINALITY AS u (t, m, i) ORDER BY i",
            &(haft__pg_values){texts, 2}, &result, NULL, err);
    }
    for (int i = 0; status == HAFT_OK && i < count; i++) {
        columns[i].type = haft__arena_copy(arena, haft__pg_text(session, result, i, 0));
        status = columns[i].type.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    session->lib->clear(result);
    haft__buf_finish(&types);
    haft__buf_finish(&modifiers);
    return status;
}

static haft_status read_columns(haft__pg_session *session, const PGresult *rows, haft__arena *arena,
                                haft__result_column **ret_columns, int *ret_count, haft_error *err)
{
    int count = session->lib->nfields(rows);
    haft__result_column *columns = haft__arena_array(arena, (size_t)count + 1, sizeof(*columns));
    haft_status status = columns != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (int i = 0; status == HAFT_OK && i < count; i++) {
        columns[i].name = haft__arena_copy(arena, haft__str(session->lib->fname(rows, i)));
        status = columns[i].name.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    }
    if (status == HAFT_OK && count > 0) {
        status = read_types(session, rows, arena, columns, count, err);
    }
    *ret_columns = columns;
    *ret_count = count;
    return status;
}

/* ---- rows ---- */

/* Decodes \x6162 in place. */
static haft_str decode_bytes(haft_str text)
{
    char *to = (char *)(uintptr_t)text.ptr;
    size_t length = 0;
    for (size_t i = 2; i + 1 < text.len; i += 2) {
        int high = haft__hex_value(text.ptr[i]), low = haft__hex_value(text.ptr[i + 1]);
        to[length++] = (char)(high * 16 + low);
    }
    return (haft_str){to, length};
}

static haft__cell read_cell(const haft__pg_session *session, PGresult *result, int row, int column)
{
    haft__cell cell = {.kind = HAFT__CELL_NULL};
    if (session->lib->getisnull(result, row, column)) {
        return cell;
    }
    cell.kind = kind_of(session->lib->ftype(result, column));
    cell.text = haft__pg_text(session, result, row, column);
    if (cell.kind == HAFT__CELL_BOOLEAN) {
        cell.text = haft__str(cell.text.ptr[0] == 't' ? "true" : "false");
    } else if (cell.kind == HAFT__CELL_BLOB) {
        cell.text = decode_bytes(cell.text);
    }
    return cell;
}

/* Adds the rows of one FETCH. False if no more are wanted. */
static bool add_rows(const haft__pg_session *session, PGresult *result, haft__cell *cells,
                     haft__rows *rows)
{
    int count = session->lib->ntuples(result);
    for (int row = 0; row < count; row++) {
        for (size_t i = 0; i < rows->columns; i++) {
            cells[i] = read_cell(session, result, row, (int)i);
        }
        if (!haft__rows_add(rows, cells)) {
            return false;
        }
    }
    return count == FETCH_ROWS;
}

static haft_status fetch(haft__pg_session *session, PGresult **ret_result, haft_error *err)
{
    char text[64];
    (void)snprintf(text, sizeof(text), "FETCH FORWARD %d FROM haft", FETCH_ROWS);
    return haft__pg_session_run(session, text, NULL, ret_result, NULL, err);
}

static haft_status read_rows(haft__pg_session *session, haft__arena *arena, haft__rows *rows,
                             haft_error *err)
{
    PGresult *result = NULL;
    haft__result_column *columns = NULL;
    int count = 0;
    haft_status status = fetch(session, &result, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = read_columns(session, result, arena, &columns, &count, err);
    haft__cell *cells = haft__arena_array(arena, (size_t)count + 1, sizeof(*cells));
    if (status == HAFT_OK && cells == NULL) {
        status = haft__arena_fail(arena, err);
    }
    if (status == HAFT_OK) {
        haft__rows_begin(rows, columns, (size_t)count);
    }
    while (status == HAFT_OK && add_rows(session, result, cells, rows)) {
        session->lib->clear(result);
        result = NULL;
        status = fetch(session, &result, err);
    }
    session->lib->clear(result);
    if (status == HAFT_OK) {
        haft__rows_end(rows);
        status = haft__buf_check(rows->buf, err);
    }
    return status;
}

/* ---- the query ---- */

static haft_status declare(haft__pg_session *session, haft__arena *arena, uint64_t *ret_position,
                           haft_error *err)
{
    haft__pg_values values;
    PGresult *result = NULL;
    haft_str query = session->request->query;
    haft_status status = make_values(arena, session->request->parameters, &values, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_SQL_QUERY_BYTES + sizeof(DECLARE));
    haft__buf_add_str(&text, HAFT__LIT(DECLARE));
    haft__buf_add_str(&text, query);
    haft__buf_add(&text, "", 1);
    status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        status = haft__pg_session_run(session, text.ptr, &values, &result, ret_position, err);
        session->lib->clear(result);
    }
    haft__buf_finish(&text);
    size_t before = sizeof(DECLARE) - 1;
    *ret_position = *ret_position > before ? *ret_position - before : 0;
    return status;
}

static haft_status query(const haft__sql_request *request, haft_str place, haft__rows *rows,
                         uint64_t *ret_position, haft_error *err)
{
    haft__pg_session session;
    haft__arena arena;
    if (request->query.len > 0 && memchr(request->query.ptr, '\0', request->query.len) != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "/query", "the query has a NUL character");
    }
    if (haft__str_trim(request->query).len == 0) {
        return haft__sql_fail_empty(err);
    }
    haft__arena_init(&arena, 0);
    haft_status status = haft__pg_session_open(&session, request, place, err);
    if (status == HAFT_OK) {
        status = declare(&session, &arena, ret_position, err);
    }
    if (status == HAFT_OK) {
        status = read_rows(&session, &arena, rows, err);
    }
    haft__pg_session_close(&session);
    haft__arena_finish(&arena);
    return status;
}

const haft__sql_engine haft__sql_pg = {.query = query,
                                       .read_catalog = haft__pg_read_catalog,
                                       .read_version = haft__pg_read_version,
                                       .find_risk = haft__pg_find_risk};
