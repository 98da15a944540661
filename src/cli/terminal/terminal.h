/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/terminal.h - asks the person at the terminal: questions and approvals of a run.
 *
 * Reads from the terminal itself and not from standard input, which may be a file. Shows the exact
 * call that would run. Only the listed replies approve a call (cli/terminal/approval_reply.h).
 */
#ifndef HAFT_CLI_TERMINAL_TERMINAL_H
#define HAFT_CLI_TERMINAL_TERMINAL_H

#include <stdio.h>

#include "cli/interrupts.h"
#include "cli/terminal/terminal_caps.h"
#include "engine/runtime.h"
#include "run/run.h"

typedef struct haft__terminal {
    FILE *out;
    int fd;
    const haft__interrupts *interrupts; /* no questions after an interrupt; may be NULL */
    haft__terminal_caps caps;
    /* Stores a standing approval for the tool of a call; NULL: approvals cannot be stored. */
    haft_status (*keep_approval)(void *context, const haft_run *run, const haft__run_call *call,
                                 haft_error *err);
    void *keep_context;
    size_t answered_count, remaining; /* calls that were answered here; calls that still wait */
    char line[4096];                  /* typed bytes that were not handled yet */
    size_t length;
} haft__terminal;

/* Opens the terminal. Returns false if the process has no terminal, or if standard error is not a
 * terminal. */
bool haft__terminal_open(haft__terminal *terminal);
void haft__terminal_close(haft__terminal *terminal);

/* Whether the run has a pending call about which a person at a terminal can decide. */
bool haft__terminal_can_ask(const haft_run *run);

/* Asks about the first call that waits for a person, and sends the command to the run. A question
 * of a tool in this process comes first, also while other calls run. Steps the run meanwhile; if
 * another process answers first, withdraws the question. *ret_answered is false if no question can
 * be answered here, or if the input ended at a question. At an approval the end of input means no.
 */
HAFT_MUST_USE haft_status haft__terminal_ask(haft__terminal *terminal, haft_run *run,
                                             bool *ret_answered, haft_error *err);

#endif
