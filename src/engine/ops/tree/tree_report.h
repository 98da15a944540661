/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/tree/tree_report.h - the runs of a tree with their states, turns and costs. */
#ifndef HAFT_ENGINE_OPS_TREE_TREE_REPORT_H
#define HAFT_ENGINE_OPS_TREE_TREE_REPORT_H

#include "run/run.h"

/* One run of a tree. */
typedef struct haft__tree_entry {
    const haft__run *run;
    haft_str state; /* as haft__run_list_state has it */
    uint32_t depth; /* levels below the first entry */
} haft__tree_entry;

/* The usage of all the runs. */
haft__tree_usage haft__tree_report_total(const haft__tree_entry *entries, size_t count);

/* {"run", "runs": [...], "tree": {...}}; each run after the one that started it. */
void haft__tree_report_write(haft__buf *buf, const haft__tree_entry *entries, size_t count);

#endif
