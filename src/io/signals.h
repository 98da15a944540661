/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/signals.h - SIGINT, SIGTERM and SIGHUP as a callback on the loop. For programs: the library
 * itself never takes a signal away from whoever uses it.
 */
#ifndef HAFT_IO_SIGNALS_H
#define HAFT_IO_SIGNALS_H

#include "io/loop.h"

typedef struct haft__signals haft__signals;

/* From now on these signals do nothing but wake the loop and call `caught`, from haft__loop_step,
 * each time. */
HAFT_MUST_USE haft_status haft__signals_create(haft__loop *loop,
                                               void (*caught)(void *context, int signal),
                                               void *context, haft__signals **ret_signals,
                                               haft_error *err);

/* They do again what they did before. */
void haft__signals_destroy(haft__signals *signals);

#endif
