/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/row.h - reads a run from a database row. All stores use the same columns in the same order;
 * they differ only in how a column is read.
 */
#ifndef HAFT_STORE_ROW_H
#define HAFT_STORE_ROW_H

#include "base/arena.h"
#include "store/store.h"

/* The columns of one row, read in sequence. */
typedef struct haft__row_columns {
    void *from;
    uint64_t (*number)(void *from);
    haft_str (*text)(void *from, size_t max_bytes, haft__arena *arena);
    haft_str (*content)(void *from, haft__arena *arena); /* two columns: SHA-256 and bytes */
    bool *invalid; /* set if haft cannot have written a value; reported after the last row */
} haft__row_columns;

typedef void haft__row_reader(const haft__row_columns *columns, haft__arena *arena,
                              haft__store_run *ret_run);

haft__row_reader haft__row_read_summary; /* without spec and answer */
haft__row_reader haft__row_read_full;
haft__row_reader haft__row_read_ownership; /* four columns: id, state, owner, lease */
haft__row_reader haft__row_read_history;   /* the columns of THREAD_HISTORY */

/* Reads a row with one of the readers above. An invalid value marks this run as damaged and does
 * not affect the next rows. A row without a valid id is an error of the whole result. */
void haft__row_read(const haft__row_columns *columns, haft__row_reader *reader, haft__arena *arena,
                    haft__store_run *ret_run);

/* The first damaged run, unless the request accepts damaged runs; NULL if no run is damaged. */
const haft__store_run *haft__row_first_damaged(const haft__store_request *request);

/* Reports that CLAIM_NEXT cannot claim this run because it is damaged. */
void haft__row_report_damaged(haft__store_request *request, haft_str id);

#endif
