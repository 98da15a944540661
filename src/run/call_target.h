/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/call_target.h - finds the tool of a run that a call names.
 *
 * Models sometimes omit the server of a name: they write "search" instead of "docs:search". If
 * exactly one callable tool has that name, the call means that tool. If several have it, the call
 * is ambiguous.
 */
#ifndef HAFT_RUN_CALL_TARGET_H
#define HAFT_RUN_CALL_TARGET_H

#include "base/buf.h"
#include "run/run.h"

/* Returns the tool with that canonical name or wire name, or the only callable tool whose name
 * matches without its server; in the second case *ret_completed is true. NULL if no tool or several
 * tools match. */
const haft__tool *haft__call_target_find(const haft__run *run, haft_str name, bool *ret_completed);

/* Whether several callable tools have that name when the server is omitted. Appends their full
 * names. */
bool haft__call_target_is_ambiguous(const haft__run *run, haft_str name, haft__buf *names);

#endif
