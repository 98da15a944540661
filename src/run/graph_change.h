/* SPDX-License-Identifier: Apache-2.0 */
/* run/graph_change.h - whether a run of a graph can continue with another spec. */
#ifndef HAFT_RUN_GRAPH_CHANGE_H
#define HAFT_RUN_GRAPH_CHANGE_H

#include "run/run.h"

/* BAD_INPUT if the new spec has another kind, or other graphs than the run: its steps are those of
 * the graph that it began with. The specs of agents inside nodes may differ. */
HAFT_MUST_USE haft_status haft__graph_change_check(const haft__run *run, const haft__spec *spec,
                                                   haft_error *err);

#endif
