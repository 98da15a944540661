/* SPDX-License-Identifier: Apache-2.0 */
#include "io/signals.h"

#include <signal.h>

#include "test.h"

typedef struct caught {
    int interrupts, terminations, hangups;
} caught;

static void count(void *context, int signal)
{
    caught *c = context;
    c->interrupts += signal == SIGINT;
    c->terminations += signal == SIGTERM;
    c->hangups += signal == SIGHUP;
}

static void raise_signal(haft__loop *loop, int signal, const int *number, int wanted)
{
    CHECK_INT(raise(signal), 0, "no signal");
    for (int i = 0; i < 30000 && *number != wanted; i++) {
        CHECK_INT(haft__loop_step(loop, 10, NULL), HAFT_OK, "the loop step failed");
    }
    CHECK_INT(*number, wanted, "signal %d", signal);
}

TEST(signals_are_reported_by_a_callback)
{
    haft__loop *loop = NULL;
    haft__signals *signals = NULL;
    caught c = {0};
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
    CHECK_INT(haft__signals_create(loop, count, &c, &signals, NULL), HAFT_OK, "no signals");
    raise_signal(loop, SIGTERM, &c.terminations, 1);
    raise_signal(loop, SIGINT, &c.interrupts, 1);
    raise_signal(loop, SIGTERM, &c.terminations, 2);
    raise_signal(loop, SIGHUP, &c.hangups, 1);
    haft__signals_destroy(signals);
    haft__loop_destroy(loop);
    struct sigaction now;
    CHECK(sigaction(SIGTERM, NULL, &now) == 0 && now.sa_handler == SIG_DFL,
          "the signal is still caught");
}

TEST(signals_survive_every_failed_allocation)
{
    haft__loop *loop = NULL;
    caught c = {0};
    CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
    for (unsigned n = 0;; n++) {
        haft__signals *signals = NULL;
        test_fail_allocation(n);
        haft_status status = haft__signals_create(loop, count, &c, &signals, NULL);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__signals_destroy(signals);
        if (!failed) {
            break;
        }
    }
    haft__signals_destroy(NULL);
    haft__loop_destroy(loop);
}
