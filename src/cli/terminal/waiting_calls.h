/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/waiting_calls.h - says which calls of a run wait for others, once nothing has
 * happened for a while. */
#ifndef HAFT_CLI_TERMINAL_WAITING_CALLS_H
#define HAFT_CLI_TERMINAL_WAITING_CALLS_H

#include "engine/runtime.h"

/* Appends a line for each call that waits for another, and one for those that wait for a place. */
void haft__waiting_calls_add(haft__buf *out, const haft__run *run);

/* In how many milliseconds that is worth saying of a run that goes on here; `told` is the event
 * behind which it was said last. -1: no call waits, or it was said. */
int haft__waiting_calls_due_ms(const haft_run *run, uint64_t told);

#endif
