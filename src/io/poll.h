/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/poll.h - watches a socket that belongs to a library of somebody else.
 *
 * The library opens, reads, writes and closes it; here it is only told when it may. A poll watches
 * a duplicate of the descriptor, so the library may close its own at any time: the number can be in
 * use for another file, perhaps of another thread, before the poll is destroyed.
 */
#ifndef HAFT_IO_POLL_H
#define HAFT_IO_POLL_H

#include "io/loop.h"

typedef struct haft__poll haft__poll;

/* `ready` is called from the loop when what is wanted can be done, or the socket is broken, again
 * and again until it has been done. Nothing is wanted at first. */
HAFT_MUST_USE haft_status haft__poll_create(haft__loop *loop, int fd, void (*ready)(void *context),
                                            void *context, haft__poll **ret_poll, haft_error *err);

/* What is waited for from now on: that it can be read, that it can be written, or neither. */
HAFT_MUST_USE haft_status haft__poll_set_interest(haft__poll *poll, bool readable, bool writable,
                                                  haft_error *err);

/* `ready` is not called any more. Fine with NULL, and from inside `ready`. */
void haft__poll_destroy(haft__poll *poll);

/* Without a loop: stops the calling thread until the same can be done, at most `timeout_ms`. */
void haft__poll_wait(int fd, bool readable, bool writable, int timeout_ms);

#endif
