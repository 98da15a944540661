/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.c - finds processes in /proc and kills them, in rounds, because a process may fork before
 * it dies. The functions may block, because they run only after a guard was killed. Tests:
 * tests/io/session_test.c.
 */
#include "io/session.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/macros.h"
#include "io/clock.h"

void haft__session_adopt_orphans(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
}

bool haft__process_parse(const char *line, haft__process *ret_process)
{
    const char *name_end = strrchr(line, ')'); /* the process name may contain any character */
    if (name_end == NULL || strlen(name_end) < strlen(") S 1 1 1")) {
        return false;
    }
    long numbers[3]; /* parent, group, session */
    const char *at = name_end + strlen(") S");
    for (size_t i = 0; i < COUNT(numbers); i++) {
        char *end = NULL;
        numbers[i] = strtol(at, &end, 10);
        if (end == at) {
            return false;
        }
        at = end;
    }
    *ret_process = (haft__process){.id = (pid_t)strtol(line, NULL, 10),
                                   .state = name_end[2],
                                   .parent = (pid_t)numbers[0],
                                   .group = (pid_t)numbers[1],
                                   .session = (pid_t)numbers[2]};
    return ret_process->id > 0;
}

static bool read_process(const char *id, haft__process *ret_process)
{
    char path[64], text[512];
    (void)snprintf(path, sizeof(path), "/proc/%.20s/stat", id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    ssize_t length = read(file, text, sizeof(text) - 1);
    (void)close(file);
    text[length > 0 ? length : 0] = '\0';
    return haft__process_parse(text, ret_process);
}

static bool runs_program(pid_t id, const char *program)
{
    char path[64], found[PATH_MAX];
    (void)snprintf(path, sizeof(path), "/proc/%ld/exe", (long)id);
    ssize_t length = readlink(path, found, sizeof(found) - 1);
    found[length > 0 ? length : 0] = '\0';
    return strncmp(found, program, strlen(program)) == 0; /* " (deleted)" may follow */
}

typedef struct sweep {
    pid_t leader;
    const char *guard;
    bool patient; /* wait, because guard may still kill the processes by itself */
    size_t found;
    pid_t orphans[64]; /* killed children of this process, which must be reaped */
    size_t orphan_count;
} sweep;

static void visit(sweep *s, const haft__process *process)
{
    bool member = process->session == s->leader;
    if (process->state == 'Z' || process->state == 'X') {
        /* This process started only the leader, so it adopted all other members. */
        (void)(member && process->parent == getpid() ? waitpid(process->id, NULL, WNOHANG) : 0);
        return;
    }
    bool orphan = process->parent == getpid() && process->session != getsid(0);
    if (!member && (!orphan || s->patient || runs_program(process->id, s->guard))) {
        return;
    }
    bool is_guard = member && process->group == s->leader;
    if (s->patient) {
        s->found += is_guard;
        (void)(is_guard ? kill(process->id, SIGCONT) : 0);
        return;
    }
    s->found++;
    (void)kill(process->id, SIGKILL);
    if (process->parent == getpid() && s->orphan_count < COUNT(s->orphans)) {
        s->orphans[s->orphan_count++] = process->id;
    }
}

/* Reaps the killed orphans. They are children of this process, so their ids are valid until
 * then. */
static void reap_orphans(sweep *s)
{
    size_t left = 0;
    for (size_t i = 0; i < s->orphan_count; i++) {
        if (waitpid(s->orphans[i], NULL, WNOHANG) == 0) {
            s->orphans[left++] = s->orphans[i];
        }
    }
    s->orphan_count = left;
}

/* Visits all processes. Returns whether some were found. */
static bool sweep_once(sweep *s)
{
    DIR *all = opendir("/proc");
    const struct dirent *entry;
    haft__process found;
    s->found = 0;
    while (all != NULL && (entry = readdir(all)) != NULL) {
        if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9'
            && read_process(entry->d_name, &found)) {
            visit(s, &found);
        }
    }
    if (all != NULL) {
        (void)closedir(all);
    }
    reap_orphans(s);
    return s->found > 0;
}

/* Sweeps until no process is found; false if the time is over before that. */
static bool sweep_for(sweep *s, uint64_t most_ms)
{
    uint64_t begun = haft__clock_monotonic();
    while (sweep_once(s)) {
        if (haft__clock_monotonic() - begun >= most_ms) {
            return false;
        }
        haft__clock_sleep(1);
    }
    return true;
}

bool haft__session_kill(pid_t leader, const char *guard)
{
    sweep s = {.leader = leader, .guard = guard, .patient = true};
    (void)sweep_for(&s, HAFT__LIMIT_EXEC_SWEEP_MS / 2);
    s.patient = false;
    bool all_ended = sweep_for(&s, HAFT__LIMIT_EXEC_SWEEP_MS / 2);
    for (int i = 0; i < 100 && s.orphan_count > 0; i++) {
        haft__clock_sleep(1);
        reap_orphans(&s);
    }
    return all_ended;
}
