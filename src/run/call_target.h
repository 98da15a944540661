/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/call_target.h - which tool of a run a call means.
 *
 * Models leave the server out of a name: "search" for "docs:search". Where only one tool that can
 * be called has that name, that is the one; where several have it, nobody can know.
 */
#ifndef HAFT_RUN_CALL_TARGET_H
#define HAFT_RUN_CALL_TARGET_H

#include "base/buf.h"
#include "run/run.h"

/* The tool of that name, inside or on the wire, or the only one that can be called of a server that
 * was left out: then *ret_mended is true. NULL when there is none, or when there are several. */
const haft__tool *haft__call_target_find(const haft__run *run, haft_str name, bool *ret_mended);

/* Whether it is the name of several tools of servers that can be called, with the server left out:
 * appends what they are called. */
bool haft__call_target_is_ambiguous(const haft__run *run, haft_str name, haft__buf *names);

#endif
