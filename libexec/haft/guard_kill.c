/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard_kill.c - kills all descendants of this process.
 *
 * This process is a subreaper, so that an orphan becomes its child. It is therefore enough to kill
 * children until none are left; and forking cannot outrun a signal to a process group. Tests:
 * tests/exec/guard_test.c.
 */
#include "guard.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Kills a child and its process group in one step, so that forking does not help. Groups in this
 * session, and in sessions created in it, contain only descendants. *last_group was already
 * killed. */
static void kill_child(const guard *g, pid_t child, pid_t *last_group)
{
    pid_t group = getpgid(child);
    if (g->session && group > 0 && group != getpgrp() && group != *last_group) {
        (void)kill(-group, SIGKILL);
        *last_group = group;
    }
    (void)kill(child, SIGKILL);
}

typedef struct process {
    pid_t id, parent;
} process;

/* The processes of one sweep; the next sweep finds the rest. */
typedef struct sweep {
    process all[8192];
    size_t count;
    pid_t last_group;
} sweep;

/* Kills the children in a list of the kernel, "12 345 ". The list also has zombies. */
static void kill_list(const guard *g, sweep *found, int list, pid_t parent)
{
    char text[4096];
    pid_t child = 0;
    ssize_t length;
    for (off_t at = 0; (length = pread(list, text, sizeof(text), at)) > 0; at += length) {
        for (ssize_t i = 0; i < length; i++) {
            if (text[i] >= '0' && text[i] <= '9') {
                child = 10 * child + (text[i] - '0');
                continue;
            }
            kill_child(g, child, &found->last_group);
            if (found->count < sizeof(found->all) / sizeof(found->all[0])) {
                found->all[found->count++] = (process){child, parent};
            }
            child = 0;
        }
    }
}

/* Whether a PID still belongs to the process that was found: it has the same parent, or this
 * process is its parent. */
static bool is_same_process(process it)
{
    char path[64], text[512];
    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)it.id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    ssize_t length = read(file, text, sizeof(text) - 1);
    (void)close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *name_end = strrchr(text, ')'); /* the process name may contain any character */
    if (name_end == NULL || strlen(name_end) < strlen(") S 1")) {
        return false;
    }
    long parent = strtol(name_end + strlen(") S "), NULL, 10);
    return parent == it.parent || parent == getpid();
}

/* Kills all descendants in one sweep. Otherwise processes that fork, each in its own group, would
 * have more children before they are scheduled to die. */
static void kill_tree(const guard *g)
{
    static sweep found;
    found.count = 0;
    found.last_group = 0;
    kill_list(g, &found, g->children, getpid());
    for (size_t i = 0; i < found.count; i++) {
        char path[64];
        long id = found.all[i].id;
        (void)snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", id, id);
        int list = open(path, O_RDONLY | O_CLOEXEC);
        if (list < 0) {
            continue; /* the process is gone */
        }
        if (is_same_process(found.all[i])) {
            kill_list(g, &found, list, found.all[i].id);
        }
        (void)close(list);
    }
}

/* Reaps a child; `pid` is a waitpid argument. Once the status of `program` is known, the kernel
 * reaps all others (SA_NOCLDWAIT), because they may be more than guard could reap in time. */
static pid_t reap_one(guard *g, pid_t pid)
{
    int status = 0;
    pid_t child = waitpid(pid, &status, WNOHANG | __WALL);
    if (child == g->program && !g->has_status) {
        struct sigaction action = {.sa_flags = SA_NOCLDWAIT};
        action.sa_handler = SIG_DFL;
        (void)sigaction(SIGCHLD, &action, NULL);
        g->status = status;
        g->has_status = true;
    }
    return child;
}

/* False if no child is left. */
static bool reap(guard *g)
{
    if (!g->has_status) {
        (void)reap_one(g, g->program);
    }
    pid_t child = 1;
    for (int i = 0; (i < GUARD_REAP_BATCH || g->has_status) && child > 0; i++) {
        child = reap_one(g, -1);
    }
    return child >= 0;
}

/* Waits until a child has ended, but not long. */
static void wait_shortly(long ms)
{
    sigset_t set;
    struct timespec most = {.tv_nsec = ms * 1000000};
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGCHLD);
    (void)sigtimedwait(&set, NULL, &most);
}

static uint64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Waits until PROGRAM and its process group have ended: PROGRAM may be a shell that ends before the
 * command it runs. SIGCONT lets a stopped process handle SIGTERM. */
void guard_terminate(guard *g)
{
    uint64_t begun = now_ms();
    (void)kill(-g->program, SIGTERM);
    (void)kill(-g->program, SIGCONT);
    while (reap(g) && (!g->has_status || kill(-g->program, 0) == 0) && now_ms() - begun < g->term) {
        wait_shortly(5);
    }
}

void guard_kill_all(guard *g)
{
    if (!g->has_status) { /* not reaped, so the PID is still its own */
        (void)kill(-g->program, SIGKILL);
        (void)kill(g->program, SIGKILL);
    }
    for (int round = 0; reap(g); round++) {
        kill_tree(g);
        wait_shortly(round < GUARD_QUICK_ROUNDS ? 1 : 20);
    }
}
