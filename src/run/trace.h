/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/trace.h - the trace context of a call, as W3C Trace Context defines it. It follows from ids,
 * so that every process and every replay gives the same.
 */
#ifndef HAFT_RUN_TRACE_H
#define HAFT_RUN_TRACE_H

#include <stdint.h>

#include "haft.h"

enum { HAFT__TRACE_PARENT_LENGTH = 55 };

/* Writes "00-TRACE-SPAN-01" with a NUL. The trace is that of the tree of runs: `root` is the id of
 * its first run. The span is that of one attempt: `key` is the idempotency key of the call. */
void haft__trace_parent(haft_str root, haft_str key, uint32_t attempt,
                        char text[HAFT__TRACE_PARENT_LENGTH + 1]);

#endif
