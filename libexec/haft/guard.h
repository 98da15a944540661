/* SPDX-License-Identifier: Apache-2.0 */
/* guard.h - declarations shared by the files of libexec/haft/guard. */
#ifndef HAFT_LIBEXEC_GUARD_H
#define HAFT_LIBEXEC_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    GUARD_REAP_BATCH = 1000,   /* children that are reaped before other work */
    GUARD_QUICK_ROUNDS = 1000, /* of killing, before guard slows down */
};

/* The supervisor and the guard below it have one each; see guard.c. */
typedef struct guard {
    uint64_t memory, cpu, files; /* 0: guard sets no limit */
    uint64_t term;               /* milliseconds to exit after SIGTERM; 0: none */
    uint64_t report;             /* the descriptor; 0: none */
    uint64_t parent;
    char **argv;     /* of PROGRAM */
    int children;    /* /proc file with the list of the children of this process */
    int verdict;     /* pipe from guard to the supervisor: how PROGRAM ended */
    bool session;    /* the supervisor leads a session: it contains only its descendants */
    pid_t program;   /* PROGRAM; for the supervisor: guard */
    int status;      /* of `program`, from waitpid */
    bool has_status; /* `status` is valid */
} guard;

/* Sends SIGTERM to PROGRAM and its process group, and waits until they have ended, at most g->term
 * milliseconds. */
void guard_terminate(guard *g);

/* Kills every descendant of this process and returns when all of them are gone. */
void guard_kill_all(guard *g);

#endif
