/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/cases.h - plays graph cases: a graph and a script of actions, and what comes of each.
 *
 * A case is {id, graph, graphs?, script}. An action is {invoke}, {answer}, {resume}, {continue} or
 * {edit}; a result is {end, error?, state, steps, inner?, pending?, next?, effects?}. The
 * operations `effect`, `delay` and `fail` with `times` have their effects only here. docs/graphs.md
 * describes the format.
 */
#ifndef HAFT_GRAPH_CASES_H
#define HAFT_GRAPH_CASES_H

#include "base/buf.h"
#include "json/value.h"

/* Appends the results, a JSON array with one for each action; of a graph that cannot be loaded only
 * one. BAD_INPUT if the case has no graph or no script. */
HAFT_MUST_USE haft_status haft__graph_play_case(haft__json test, haft__buf *buf, haft_error *err);

/* Whether results agree with `want` of a case: by end, code of the error, state, steps, inner,
 * pending and effects. *ret_difference says where the first difference is; it lives in `arena`. */
HAFT_MUST_USE haft_status haft__graph_compare_results(haft__json want, haft__json results,
                                                      haft__arena *arena, bool *ret_right,
                                                      haft_str *ret_difference, haft_error *err);

#endif
