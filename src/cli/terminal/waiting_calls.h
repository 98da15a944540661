/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/waiting_calls.h - reports which calls of a run wait for others, after a while
 * without events. */
#ifndef HAFT_CLI_TERMINAL_WAITING_CALLS_H
#define HAFT_CLI_TERMINAL_WAITING_CALLS_H

#include "engine/runtime.h"

/* Appends a line for each call that waits for another call, and one line for all calls that wait
 * for a slot. */
void haft__waiting_calls_add(haft__buf *out, const haft__run *run);

/* Returns the milliseconds until the waiting calls should be reported. Returns -1 if no call waits
 * or if the waiting calls were already reported. `reported` is the number of the last event at the
 * previous report. */
int haft__waiting_calls_due_ms(const haft_run *run, uint64_t reported);

#endif
