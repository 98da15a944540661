/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/stdio.h - line I/O over two descriptors of any kind: pipes, files, terminals, sockets.
 *
 * Separate threads read and write, so that a slow peer does not block the loop, and the descriptors
 * keep their mode: other processes may share them. While a quarter of the output queue is
 * unwritten, no input is read, so a peer that does not read responses cannot send more requests.
 */
#ifndef HAFT_IO_STDIO_H
#define HAFT_IO_STDIO_H

#include "io/loop.h"

typedef struct haft__stdio haft__stdio;

typedef struct haft__stdio_options {
    haft__loop *loop;
    int in, out;
    size_t max_line;  /* bytes; a longer line is skipped */
    size_t max_queue; /* maximum number of bytes that are queued for writing */
    /* Called from the loop. `line`: for each line, without its line end; the line may be empty.
     * `too_long`: for a line that was too long. `ended`: once, when no more lines can arrive,
     * because the input has ended or the output cannot be written. */
    void (*line)(void *context, haft_str line);
    void (*too_long)(void *context);
    void (*ended)(void *context);
    void *context;
} haft__stdio_options;

HAFT_MUST_USE haft_status haft__stdio_create(const haft__stdio_options *options,
                                             haft__stdio **ret_stdio, haft_error *err);

/* Discards queued output. To send all output first, wait until haft__stdio_idle returns true. */
void haft__stdio_destroy(haft__stdio *stdio);

/* Queues a line. False if output is no longer possible, or if the queue is full. */
bool haft__stdio_write(haft__stdio *stdio, haft_str line);
bool haft__stdio_idle(const haft__stdio *stdio);

/* The reason why output is not possible: TOO_BIG if the queue was full, or NO_MEMORY. OK if the
 * peer closed the output, or if output is possible. */
haft_status haft__stdio_error(const haft__stdio *stdio);

#endif
