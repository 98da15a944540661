/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/stdio.h - lines over two descriptors, whatever they are: pipes, files, terminals, sockets.
 *
 * Reading and writing happen on threads of their own, so that neither a silent nor a stubborn other
 * side holds up the loop, and the descriptors keep the mode they have: others may share them. While
 * a quarter of the queue waits to be written, nothing is read: who does not take answers gets no
 * more questions in.
 */
#ifndef HAFT_IO_STDIO_H
#define HAFT_IO_STDIO_H

#include "io/loop.h"

typedef struct haft__stdio haft__stdio;

typedef struct haft__stdio_options {
    haft__loop *loop;
    int in, out;
    size_t max_line;  /* bytes; a longer line is skipped */
    size_t max_queue; /* bytes that may wait to be written */
    /* From the loop: a line without its end (empty ones included), a line that was too long, and
     * once that nothing more comes: the input has ended, or the output cannot be written. */
    void (*line)(void *context, haft_str line);
    void (*too_long)(void *context);
    void (*ended)(void *context);
    void *context;
} haft__stdio_options;

HAFT_MUST_USE haft_status haft__stdio_create(const haft__stdio_options *options,
                                             haft__stdio **ret_stdio, haft_error *err);

/* What waits to be written is lost; haft__stdio_idle says when nothing does. */
void haft__stdio_destroy(haft__stdio *stdio);

/* Queues a line. False when it cannot be written any more, or too much waits already. */
bool haft__stdio_write(haft__stdio *stdio, haft_str line);
bool haft__stdio_idle(const haft__stdio *stdio);

/* Why nothing can be written any more: TOO_BIG when too much waited, NO_MEMORY; OK when nobody is
 * there to read it, or it can. */
haft_status haft__stdio_error(const haft__stdio *stdio);

#endif
