/* SPDX-License-Identifier: Apache-2.0 */
/* interrupts.c - signals that ask a command to stop. Tests: tests/cli/terminal_test.py. */
#include "cli/interrupts.h"

#include <signal.h>

static void on_signal(void *context, int signal)
{
    haft__interrupts *interrupts = context;
    if (signal == SIGINT) {
        interrupts->sigint_count++;
    } else {
        interrupts->sigterm_count++;
    }
}

haft_status haft__interrupts_watch(haft__interrupts *interrupts, haft__loop *loop, haft_error *err)
{
    *interrupts = (haft__interrupts){0};
    return haft__signals_create(loop, on_signal, interrupts, &interrupts->signals, err);
}

void haft__interrupts_release(haft__interrupts *interrupts)
{
    haft__signals_destroy(interrupts->signals);
    interrupts->signals = NULL;
}
