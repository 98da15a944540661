/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/poll.h - watches a socket that a third-party library owns.
 *
 * The library opens, reads, writes and closes the socket; the poll only reports when it is ready. A
 * poll watches a duplicate of the descriptor, so the library may close its own descriptor at any
 * time: the number of a closed one may refer to another file before the poll is destroyed.
 */
#ifndef HAFT_IO_POLL_H
#define HAFT_IO_POLL_H

#include "io/loop.h"

typedef struct haft__poll haft__poll;

/* The loop calls `ready` repeatedly while the socket is ready for the current interest, or broken.
 * The initial interest is empty. */
HAFT_MUST_USE haft_status haft__poll_create(haft__loop *loop, int fd, void (*ready)(void *context),
                                            void *context, haft__poll **ret_poll, haft_error *err);

/* Sets the interest: readable, writable, or neither. */
HAFT_MUST_USE haft_status haft__poll_set_interest(haft__poll *poll, bool readable, bool writable,
                                                  haft_error *err);

/* Ends the poll: `ready` is not called afterwards. Accepts NULL; may be called from inside
 * `ready`. */
void haft__poll_destroy(haft__poll *poll);

/* Without a loop: blocks the calling thread until the socket is ready, at most `timeout_ms`. */
void haft__poll_wait(int fd, bool readable, bool writable, int timeout_ms);

#endif
