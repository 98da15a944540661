/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/follow_children.h - shows the runs below the followed run, below its own lines. */
#ifndef HAFT_CLI_FOLLOW_FOLLOW_CHILDREN_H
#define HAFT_CLI_FOLLOW_FOLLOW_CHILDREN_H

#include "cli/timeline/timeline.h"
#include "engine/run.h"

typedef struct haft__nested_timeline haft__nested_timeline;

typedef struct haft__follow_children {
    haft_runtime *runtime;
    haft__timeline *timeline; /* of the followed run; NULL: nothing is shown */
    haft__nested_timeline *first;
} haft__follow_children;

/* Shows the events of the children of `run` in `timeline` as this process performs them, whenever
 * haft__child_pool_observe is called. Both outlive it. `timeline` is NULL if nothing is shown. */
void haft__follow_children_init(haft__follow_children *children, const haft_run *run,
                                haft__timeline *timeline);
void haft__follow_children_finish(haft__follow_children *children);

#endif
