/* SPDX-License-Identifier: Apache-2.0 */
/* exec/sql/sql_int.h - the engines behind exec/sql/sql.h, and what they share. Private to its
 * folder. */
#ifndef HAFT_EXEC_SQL_SQL_INT_H
#define HAFT_EXEC_SQL_SQL_INT_H

#include "exec/sql/sql.h"

/* An engine. `place` is the part of the URL that names the database, as
 * haft__database_read_url returns it. */
typedef struct haft__sql_engine {
    /* *ret_position: the character of the query, from 1, that an error is about; 0: not known. */
    haft_status (*query)(const haft__sql_request *request, haft_str place, haft__rows *rows,
                         uint64_t *ret_position, haft_error *err);
    haft_status (*read_catalog)(const haft__sql_request *request, haft_str place,
                                haft__arena *arena, haft__catalog *ret_catalog, haft_error *err);
    haft_status (*read_version)(const haft__sql_request *request, haft_str place,
                                char ret_version[HAFT__SQL_VERSION_BYTES], haft_error *err);
    /* NULL: there is none. */
    haft_status (*find_risk)(const haft__sql_request *request, haft_str place,
                             char ret_risk[HAFT__SQL_RISK_BYTES], haft_error *err);
} haft__sql_engine;

extern const haft__sql_engine haft__sql_sqlite, haft__sql_pg;

static inline bool haft__sql_is_stopped(const haft__sql_request *request)
{
    return request->stop != NULL
           && atomic_load_explicit(&request->stop->requested, memory_order_relaxed);
}

/* Sets what haft__sql_stop_request interrupts; NULL: nothing. If the stop is already requested,
 * interrupts immediately. */
void haft__sql_set_interrupt(const haft__sql_request *request, void (*interrupt)(void *handle),
                             void *handle);

haft_status haft__sql_fail_stopped(haft_error *err);
haft_status haft__sql_fail_timeout(const haft__sql_request *request, haft_error *err);

/* The error for a statement that does more than read; `what` is such as "INSERT". */
haft_status haft__sql_fail_writes(const char *what, haft_error *err);
haft_status haft__sql_fail_several(haft_error *err);
haft_status haft__sql_fail_empty(haft_error *err);
haft_status haft__sql_fail_parameter_count(uint32_t given, uint64_t wanted, haft_error *err);

#endif
