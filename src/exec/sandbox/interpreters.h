/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/sandbox/interpreters.h - the sandbox of one haft__exec: probed once, on a thread of the
 * pool, when the first code runs; then an interpreter is always started in advance. An interpreter
 * runs one program and is never used again. Private to src/exec.
 */
#ifndef HAFT_EXEC_SANDBOX_INTERPRETERS_H
#define HAFT_EXEC_SANDBOX_INTERPRETERS_H

#include "exec/executor.h"
#include "exec/sandbox/python.h"

typedef struct haft__interpreters haft__interpreters;

/* Somebody who waits for the probe. */
typedef struct haft__interpreter_waiter {
    /* Called from the loop when the probe is done. */
    void (*probed)(struct haft__interpreter_waiter *waiter);
    struct haft__interpreter_waiter *next;
} haft__interpreter_waiter;

/* Whether the probe is done. If not, starts it and calls the waiter later. */
HAFT_MUST_USE haft_status haft__interpreters_probe(haft__exec *exec,
                                                   haft__interpreter_waiter *waiter, bool *ret_done,
                                                   haft_error *err);

/* The waiter is no longer called. */
void haft__interpreters_forget(haft__exec *exec, const haft__interpreter_waiter *waiter);

/* After the probe: takes an interpreter and starts the next one in advance. Fails with the reason
 * why this machine has no sandbox. */
HAFT_MUST_USE haft_status haft__interpreters_take(haft__exec *exec, haft__python **ret_python,
                                                  haft_error *err);

/* After a successful probe. */
const haft__sandbox *haft__interpreters_sandbox(const haft__exec *exec);

/* Kills the interpreters that wait. Accepts NULL. */
void haft__interpreters_release(haft__interpreters *interpreters);

#endif
