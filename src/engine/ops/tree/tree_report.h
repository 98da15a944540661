/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/tree/tree_report.h - the runs of a tree with their states, turns and costs. */
#ifndef HAFT_ENGINE_OPS_TREE_TREE_REPORT_H
#define HAFT_ENGINE_OPS_TREE_TREE_REPORT_H

#include "run/run.h"

/* One run of a tree. */
typedef struct haft__tree_entry {
    const haft__run *run;
    haft_str state; /* from haft__run_list_state */
    uint32_t depth; /* levels below the first entry */
} haft__tree_entry;

/* The usage of all runs. */
haft__tree_usage haft__tree_report_total(const haft__tree_entry *entries, size_t count);

/* Writes {"run", "runs": [...], "tree": {...}}. Each run follows its parent. */
void haft__tree_report_write(haft__buf *buf, const haft__tree_entry *entries, size_t count);

#endif
