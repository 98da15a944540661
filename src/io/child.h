/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/child.h - a program that runs for us, on the loop: its input, its output, its end.
 *
 * It is given an environment, a working directory and descriptors 0 to 2 (and 3, see below). Of our
 * own descriptors it inherits none; those of others that are not close-on-exec are a matter of
 * libexec/haft/guard. Its output is kept up to a cap. It reports once, when the program has
 * ended; what its own children still write after that is not waited for.
 *
 * A program can also be talked with: its input stays open for haft__child_write, and its output is
 * handed on as it comes (`on_output`). One that closes its input or its output, so that nobody can
 * reach or hear it, is ended after `stdin_grace`.
 */
#ifndef HAFT_IO_CHILD_H
#define HAFT_IO_CHILD_H

#include "io/loop.h"

typedef struct haft__child haft__child;

/* The children of one owner, who can thereby wait for those that it has ended. Zero it at first. */
typedef struct haft__child_group {
    haft__child *first;
} haft__child_group;

typedef struct haft__child_result {
    int status;              /* the exit status; 0 when a signal ended it */
    int signal;              /* that ended it, or 0 */
    haft_str output, errors; /* borrowed; of the errors only the last part */
    haft_str report;         /* what it wrote to descriptor 3, as far as it is not long */
    bool output_cut;         /* it wrote more than the cap, and was ended for that */
    bool no_memory;          /* there was none for its output, and it was ended for that */
    bool stdin_closed;       /* it was talked with, closed its input, and was ended for that */
    bool stdout_closed;      /* the same with its output */
} haft__child_result;

typedef struct haft__child_options {
    haft__child_group *group;
    const char *const *argv; /* the program, a path, and its arguments; NULL at the end */
    const char *const *env;  /* "NAME=value"; NULL at the end */
    const char *cwd;         /* NULL: ours */
    haft_str input;          /* what it can read; borrowed until its end */
    size_t max_output;
    bool report;    /* it has a descriptor 3 to report on */
    uint64_t grace; /* ms between SIGTERM and SIGKILL when it is ended; 0: SIGKILL at once */
    /* To talk with it: the next bytes of its output, of which none are kept then; from the loop.
     * Its input stays open, and `input` is not looked at. */
    void (*on_output)(void *context, haft_str bytes);
    size_t max_unread;    /* bytes it may leave unread of what is written to it */
    uint64_t stdin_grace; /* ms between the end of its input and SIGTERM when it is ended */
    void (*done)(void *context, const haft__child_result *result); /* once, from the loop */
    void *context;
} haft__child_options;

/* Options are borrowed for this call only, but for the input and the group. Fails when the program
 * cannot be started: NOT_FOUND, NO_MEMORY or IO. The child is gone once `done` has returned. */
HAFT_MUST_USE haft_status haft__child_start(haft__loop *loop, const haft__child_options *options,
                                            haft__child **ret_child, haft_error *err);

/* Writes to one that is talked with, as soon as it reads. Everything is copied. IO when it does not
 * listen any more, TOO_BIG past max_unread, NO_MEMORY: then nothing was added. */
HAFT_MUST_USE haft_status haft__child_write(haft__child *child, haft_str bytes, haft_error *err);

/* The last part of what it has written to its standard error so far. Borrowed until more comes. */
haft_str haft__child_stderr(const haft__child *child);

/* Ends it, without a report: `done` and `on_output` will not be called, and the input not be looked
 * at. One that is talked with sees the end of its input first, and has `stdin_grace` ms to leave;
 * then comes SIGTERM, and after `grace` ms SIGKILL. */
void haft__child_kill(haft__child *child);

/* Ends all that are left and waits until they are gone. */
void haft__child_group_finish(haft__child_group *group);

#endif
