/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/signals.h - SIGINT, SIGTERM and SIGHUP as a callback on the loop. For programs only: the
 * library never changes the signal handling of its user.
 */
#ifndef HAFT_IO_SIGNALS_H
#define HAFT_IO_SIGNALS_H

#include "io/loop.h"

typedef struct haft__signals haft__signals;

/* After this call, these signals only wake the loop; haft__loop_step calls `caught` for each of
 * them. */
HAFT_MUST_USE haft_status haft__signals_create(haft__loop *loop,
                                               void (*caught)(void *context, int signal),
                                               void *context, haft__signals **ret_signals,
                                               haft_error *err);

/* Restores the previous signal handling. */
void haft__signals_destroy(haft__signals *signals);

#endif
