/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/session.h - kills the processes of a guard that was killed itself.
 *
 * A program runs in the session of libexec/haft/guard, which kills everything that the program
 * started. If guard is killed, the functions here do its work.
 */
#ifndef HAFT_IO_SESSION_H
#define HAFT_IO_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

/* Lets this process adopt orphaned descendants, so that haft__session_kill finds those that have
 * created a session of their own. Only for programs that own their process: libhaft does not call
 * it. */
void haft__session_adopt_orphans(void);

/* Kills the processes of a session whose leader has ended, and the orphans that this process has
 * adopted. Two kinds of children are not killed: those that run the program `guard` belong to other
 * calls, and those in the session of this process (an editor) are not orphans. A remaining process
 * of the leader's group is guard, which gets some time to end by itself. Waits until all these
 * processes have ended, at most HAFT__LIMIT_EXEC_SWEEP_MS. Returns whether all have ended. */
bool haft__session_kill(pid_t leader, const char *guard);

/* The fields of /proc/PID/stat that this file uses. */
typedef struct haft__process {
    pid_t id, parent, group, session;
    char state;
} haft__process;

/* Reads a line of /proc/PID/stat. False if it is malformed. */
bool haft__process_parse(const char *line, haft__process *ret_process);

#endif
