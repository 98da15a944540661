/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/child.h - a child process on the loop: its input, its output, its end.
 *
 * The child gets an environment, a working directory and the descriptors 0 to 2 (and 3, see below).
 * It inherits no descriptor that haft opened; libexec/haft/guard closes foreign descriptors that
 * are not close-on-exec. Its output is stored up to a limit. The child reports once, when the
 * program has ended. Output that grandchildren write after that is not awaited.
 *
 * A child can also be interactive: its input stays open for haft__child_write, and its output is
 * passed to `on_output` as it arrives. An interactive child that closes its input or output is
 * useless; it is terminated after `stdin_grace`.
 */
#ifndef HAFT_IO_CHILD_H
#define HAFT_IO_CHILD_H

#include "io/loop.h"

typedef struct haft__child haft__child;

/* The children of one owner, so that the owner can wait for children that it has terminated.
 * Zero-initialised. */
typedef struct haft__child_group {
    haft__child *first;
} haft__child_group;

typedef struct haft__child_result {
    int status;              /* the exit status; 0 if a signal ended it */
    int signal;              /* the signal that ended it, or 0 */
    haft_str output, errors; /* borrowed; `errors` has only the last part */
    haft_str report;         /* why guard did not start the program, or empty */
    bool killed;             /* guard was killed, so the outcome of the program is unknown */
    bool output_cut;         /* terminated because its output exceeded the limit */
    bool no_memory;          /* terminated because haft had no memory for its output */
    bool stdin_closed;       /* interactive: terminated because it closed its input */
    bool stdout_closed;      /* interactive: terminated because it closed its output */
} haft__child_result;

typedef struct haft__child_options {
    haft__child_group *group;
    const char *const *argv; /* path of the program, arguments; NULL at the end */
    const char *const *env;  /* "NAME=value"; NULL at the end */
    const char *cwd;         /* NULL: the working directory of this process */
    haft_str input;          /* its standard input; borrowed until its end */
    size_t max_output;
    /* The program is libexec/haft/guard, which writes a report to descriptor 3. If it ends without
     * a report, it was killed: then haft kills the processes of its session, too (io/session.h). */
    bool report;
    uint64_t grace; /* ms between SIGTERM and SIGKILL on termination; 0: SIGKILL immediately */
    /* For an interactive child: called from the loop with the next bytes of its output, which are
     * not stored. Its input stays open, and `input` is ignored. */
    void (*on_output)(void *context, haft_str bytes);
    size_t max_unread; /* maximum bytes of haft__child_write that are not written to the pipe yet */
    uint64_t stdin_grace; /* ms between the end of its input and SIGTERM on termination */
    void (*done)(void *context, const haft__child_result *result); /* once, from the loop */
    void *context;
} haft__child_options;

/* Options are borrowed for this call only, except the input and the group. Fails if the program
 * cannot be started: NOT_FOUND, NO_MEMORY or IO. The child is freed after `done` has returned. */
HAFT_MUST_USE haft_status haft__child_start(haft__loop *loop, const haft__child_options *options,
                                            haft__child **ret_child, haft_error *err);

/* Queues bytes for an interactive child. Everything is copied. IO if it has closed its input,
 * TOO_BIG past max_unread, NO_MEMORY; on failure nothing is queued. */
HAFT_MUST_USE haft_status haft__child_write(haft__child *child, haft_str bytes, haft_error *err);

/* The last part of the standard error that has arrived. Borrowed until more arrives. */
haft_str haft__child_stderr(const haft__child *child);

/* Terminates the child without a report: `done` and `on_output` are not called, and the input is no
 * longer read. The input of an interactive child is closed first, and the child has `stdin_grace`
 * ms to exit. Then the child gets SIGTERM and, after `grace` ms, SIGKILL. */
void haft__child_kill(haft__child *child);

/* Closes the input of an interactive child, as haft__child_kill does, but with the report. */
void haft__child_stop(haft__child *child);

/* Terminates all remaining children and waits for their end. */
void haft__child_group_finish(haft__child_group *group);

#endif
