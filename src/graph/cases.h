/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph/cases.h - plays graph cases (a graph and a script of actions), and writes the result of
 * each action.
 *
 * A case is {id, graph, graphs?, script}. An action is {invoke}, {answer}, {resume}, {continue} or
 * {edit}; a result is {end, error?, state, steps, inner?, pending?, next?, effects?}. The
 * operations `effect`, `delay` and `fail` with `times` work only in cases. docs/graphs.md describes
 * the format.
 */
#ifndef HAFT_GRAPH_CASES_H
#define HAFT_GRAPH_CASES_H

#include "base/buf.h"
#include "json/value.h"

/* Appends the results: a JSON array with one result for each action, or only one result if the
 * graph cannot be loaded. BAD_INPUT if the case has no graph or no script. */
HAFT_MUST_USE haft_status haft__graph_play_case(haft__json test, haft__buf *buf, haft_error *err);

/* Compares results with `want` of a case: end, code of the error, state, steps, inner, pending and
 * effects. *ret_difference is the location of the first difference; it lives in `arena`. */
HAFT_MUST_USE haft_status haft__graph_compare_results(haft__json want, haft__json results,
                                                      haft__arena *arena, bool *ret_right,
                                                      haft_str *ret_difference, haft_error *err);

#endif
