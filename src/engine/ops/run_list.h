/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/run_list.h - lists the runs of a store, and writes them as JSON. */
#ifndef HAFT_ENGINE_OPS_RUN_LIST_H
#define HAFT_ENGINE_OPS_RUN_LIST_H

#include "engine/runtime.h"
#include "json/write.h"

typedef struct haft__run_list_filter {
    haft_str thread; /* "": all threads */
    haft_str before; /* only runs with smaller ids: the last id of the previous page; "": all
                      * runs */
    uint64_t limit;  /* maximum number; 0: one page, HAFT__LIMIT_STORE_LIST */
    bool open_only;  /* only runs that have not ended */
} haft__run_list_filter;

typedef struct haft__run_list {
    const haft__store_run *items; /* the newest first */
    size_t count;
} haft__run_list;

/* One page of runs; it lives in `arena`. */
HAFT_MUST_USE haft_status haft__run_list_read(haft_runtime *runtime, haft__arena *arena,
                                              const haft__run_list_filter *filter,
                                              haft__run_list *ret_list, haft_error *err);

/* The state of a run for people: the state in the store, "queued" for a run that has not begun, or
 * "damaged". */
haft_str haft__run_list_state(const haft__store_run *row);

/* Writes the members of a run in a list. */
void haft__run_list_write_fields(haft__json_writer *w, const haft__store_run *row);

/* {"runs": [...]} */
void haft__run_list_write(haft__json_writer *w, const haft__run_list *list);

#endif
