/* SPDX-License-Identifier: Apache-2.0 */
/*
 * database/rows.h - writes the rows of a query as a compact table for a model, as CSV or as JSON.
 *
 * A table has one row a line. It never shows a text as something else: NULL is the value, "NULL" is
 * a text; a text that could be read as a number, as another cell or as another line is quoted.
 * docs/databases.md describes the three forms.
 */
#ifndef HAFT_DATABASE_ROWS_H
#define HAFT_DATABASE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

typedef enum haft__cell_kind {
    HAFT__CELL_NULL,
    HAFT__CELL_NUMBER,  /* an integer or a real number, NaN or Infinity included */
    HAFT__CELL_BOOLEAN, /* "true" or "false" */
    HAFT__CELL_TEXT,
    HAFT__CELL_BLOB,
} haft__cell_kind;

/* A value; borrowed until the next row. */
typedef struct haft__cell {
    haft__cell_kind kind;
    haft_str text; /* digits, the text, or the bytes; any bytes are possible */
} haft__cell;

typedef struct haft__result_column {
    haft_str name, type; /* type "": unknown */
} haft__result_column;

typedef enum haft__rows_format {
    HAFT__ROWS_TABLE,
    HAFT__ROWS_CSV,
    HAFT__ROWS_JSON, /* the members "columns" and "rows" of an object */
} haft__rows_format;

/* Writes a result. All members are for reading only. */
typedef struct haft__rows {
    haft__rows_format format;
    haft__buf *buf;
    uint64_t max_rows;
    size_t max_bytes;
    size_t columns;
    uint64_t count;     /* rows that were written */
    uint64_t cut_cells; /* cells that were shortened */
    bool more_rows;     /* a row was left out because of max_rows */
    bool more_bytes;    /* a row was left out because of max_bytes */
} haft__rows;

/* Rows are appended to `buf`, whose maximum should exceed max_bytes by
 * HAFT__ROWS_BUFFER_BYTES. */
void haft__rows_init(haft__rows *rows, haft__rows_format format, haft__buf *buf, uint64_t max_rows,
                     size_t max_bytes);

#define HAFT__ROWS_BUFFER_BYTES ((size_t)64 << 20)

/* Writes the header. */
void haft__rows_begin(haft__rows *rows, const haft__result_column *columns, size_t count);

/* Adds a row. False if it was left out because a limit is reached: the query can stop. */
bool haft__rows_add(haft__rows *rows, const haft__cell *cells);

/* Writes the end: for a table, a line in brackets with the number of rows and what was left out. */
void haft__rows_end(haft__rows *rows);

/* Appends a text as a cell of a table, at most HAFT__LIMIT_SQL_CELL_BYTES of it. Returns whether it
 * was shortened. */
bool haft__rows_write_text(haft__buf *buf, haft_str text);

#endif
