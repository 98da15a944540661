/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/follow_children.h - shows the child runs of the followed run, indented. */
#ifndef HAFT_CLI_FOLLOW_FOLLOW_CHILDREN_H
#define HAFT_CLI_FOLLOW_FOLLOW_CHILDREN_H

#include "cli/timeline/timeline.h"
#include "engine/run.h"

typedef struct haft__nested_timeline haft__nested_timeline;

typedef struct haft__follow_children {
    haft__timeline *timeline; /* the timeline of the followed run */
    haft__nested_timeline *first;
} haft__follow_children;

/* `timeline` must outlive `children`. */
void haft__follow_children_init(haft__follow_children *children, haft__timeline *timeline);
void haft__follow_children_finish(haft__follow_children *children);

/* Shows the new events of a child run in the timeline of the followed run. */
void haft__follow_children_show(haft__follow_children *children, haft_run *child);

#endif
