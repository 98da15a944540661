/* SPDX-License-Identifier: Apache-2.0 */
/* run/graph_change.h - whether a run of a graph can continue with another spec. */
#ifndef HAFT_RUN_GRAPH_CHANGE_H
#define HAFT_RUN_GRAPH_CHANGE_H

#include "run/run.h"

/* Fails with BAD_INPUT if the new spec has another kind or other graphs than the run, because the
 * steps of a run belong to the graph that it began with. The specs of agents in nodes may
 * differ. */
HAFT_MUST_USE haft_status haft__graph_change_check(const haft__run *run, const haft__spec *spec,
                                                   haft_error *err);

#endif
