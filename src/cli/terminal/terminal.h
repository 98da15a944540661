/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/terminal.h - asks the person at the terminal: questions and approvals of a run.
 *
 * Reads from the terminal itself, not from standard input, which may be a file. Shows exactly what
 * would run; only the listed replies approve anything
 * (cli/terminal/approval_reply.h).
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
    /* Keeps a standing approval of the user for the tool of a call; NULL: none is kept. */
    haft_status (*keep_approval)(void *context, const haft_run *run, const haft__run_call *call,
                                 haft_error *err);
    void *keep_context;
    size_t asked, left; /* pending calls that were answered here, and that are still to be asked */
    char line[4096];    /* typed bytes that were not handled yet */
    size_t length;
} haft__terminal;

/* False if nobody can be asked: no terminal, or standard error is not one. */
bool haft__terminal_open(haft__terminal *terminal);
void haft__terminal_close(haft__terminal *terminal);

/* Whether a call of the run is pending that a person at a terminal can decide about. */
bool haft__terminal_can_ask(const haft_run *run);

/* Asks about the first call that is pending for a person, and sends the command to the run. A
 * question of a tool in this process comes first, also while other calls run. The run continues
 * meanwhile: if somebody else answers first, the question is withdrawn. *ret_answered is false if
 * no question can be answered here, or the input ended at a question; at an approval that is a
 * no. */
HAFT_MUST_USE haft_status haft__terminal_ask(haft__terminal *terminal, haft_run *run,
                                             bool *ret_answered, haft_error *err);

#endif
