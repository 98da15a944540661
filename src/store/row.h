/* SPDX-License-Identifier: Apache-2.0 */
/*
 * row.h - a run as it stands in a row of a database. The stores name the same columns in the same
 * order, and differ in how a column is read.
 */
#ifndef HAFT_STORE_ROW_H
#define HAFT_STORE_ROW_H

#include "base/arena.h"
#include "store/store.h"

/* The columns of one row, read one after the other. */
typedef struct haft__row_columns {
    void *from;
    uint64_t (*number)(void *from);
    haft_str (*text)(void *from, size_t most, haft__arena *arena);
    haft_str (*content)(void *from, haft__arena *arena); /* two: its sum, and the bytes */
    bool *wrong; /* set when a value is none that is written; told where the rows end */
} haft__row_columns;

typedef void haft__row_reader(const haft__row_columns *columns, haft__arena *arena,
                              haft__store_run *ret_run);

haft__row_reader haft__row_read_summary; /* without spec and answer */
haft__row_reader haft__row_read_full;
haft__row_reader haft__row_read_ownership; /* four columns: who has a run */
haft__row_reader haft__row_read_history;   /* what a run of a thread leaves for those behind it */

/* One of these. A value that is wrong makes the run damaged, and not the rows that follow; only one
 * without its id is none. */
void haft__row_read(const haft__row_columns *columns, haft__row_reader *take, haft__arena *arena,
                    haft__store_run *ret_run);

/* The first run that is damaged, where the request is not for such ones, too; NULL when there is
 * none. */
const haft__store_run *haft__row_first_damaged(const haft__store_request *request);

/* A TAKE cannot have this run. */
void haft__row_report_damaged(haft__store_request *request, haft_str id);

#endif
