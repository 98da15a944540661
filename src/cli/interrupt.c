/* SPDX-License-Identifier: Apache-2.0 */
/* interrupt.c - signals that ask a command to stop. Tests: tests/cli/store_test.py. */
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "base/macros.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    interrupted = number;
}

void haft__interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT(signals); i++) {
        (void)sigaction(signals[i], &action, NULL);
    }
}

bool haft__interrupted(void)
{
    return interrupted != 0;
}

int haft__interrupt_take(void)
{
    int number = interrupted;
    interrupted = 0;
    return number;
}
