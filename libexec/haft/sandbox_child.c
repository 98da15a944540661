/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox_child.c - starts the program: a new process gives up everything, step by step, and then
 * executes the program.
 *
 * The order matters. Namespaces need the identity, the private root needs the capabilities of the
 * namespaces, Landlock needs the final paths, and the filter of system calls comes last, because it
 * forbids the calls of all earlier steps. A socket to the supervisor closes when the program is
 * executed; before that it carries the descriptor of the scratch directory, or the failure.
 */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    IO = 5,               /* descriptors of the program */
    PROCESSES = 256,      /* of a user namespace */
    STACK_BYTES = 8 << 20 /* of each thread, so that the limit of memory limits their number */
};

/* ---- the identity ---- */

static bool write_file(pid_t id, const char *name, const char *text)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "/proc/%ld/%s", (long)id, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    bool written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int error = errno;
    (void)close(fd);
    errno = error;
    return written;
}

/* Maps the user of the program, and no other, into its namespace. */
static bool write_maps(pid_t id, uid_t uid, gid_t gid)
{
    char uids[64], gids[64];
    (void)snprintf(uids, sizeof(uids), "%lu %lu 1\n", (unsigned long)uid, (unsigned long)uid);
    (void)snprintf(gids, sizeof(gids), "%lu %lu 1\n", (unsigned long)gid, (unsigned long)gid);
    return (geteuid() == 0 || write_file(id, "setgroups", "deny"))
           && write_file(id, "gid_map", gids) && write_file(id, "uid_map", uids);
}

static const char *change_identity(bool root, uid_t uid, gid_t gid)
{
    if (root
        && (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0
            || setresuid(uid, uid, uid) != 0)) {
        return "setresuid";
    }
    errno = EPERM;
    return getuid() == 0 || geteuid() == 0 ? "the program must not run as root" : NULL;
}

static const char *drop_capabilities(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}};
    return syscall(SYS_capset, &header, none) == 0 ? NULL : "capset";
}

/* ---- limits ---- */

static bool set_limit(__rlimit_resource_t resource, uint64_t value)
{
    struct rlimit before, limit = {value, value};
    if (value == 0 && (resource == RLIMIT_AS || resource == RLIMIT_CPU)) {
        return true; /* no limit is wanted */
    }
    if (getrlimit(resource, &before) == 0 && before.rlim_max < value) {
        limit = (struct rlimit){before.rlim_max, before.rlim_max};
    }
    return setrlimit(resource, &limit) == 0;
}

static const char *set_limits(const sandbox *s)
{
    bool set = set_limit(RLIMIT_CORE, 0) && set_limit(RLIMIT_MEMLOCK, 0)
               && set_limit(RLIMIT_MSGQUEUE, 0) && set_limit(RLIMIT_NICE, 0)
               && set_limit(RLIMIT_RTPRIO, 0) && set_limit(RLIMIT_STACK, STACK_BYTES)
               && set_limit(RLIMIT_FSIZE, s->file) && set_limit(RLIMIT_NOFILE, s->files)
               && set_limit(RLIMIT_CPU, s->cpu) && set_limit(RLIMIT_AS, s->memory)
               && (!s->namespaces || set_limit(RLIMIT_NPROC, PROCESSES));
    return set ? NULL : "setrlimit";
}

static void reset_signals(void)
{
    sigset_t none;
    static const unsigned long action[8]; /* all zero: the kernel's struct for SIG_DFL */
    for (int number = 1; number <= SIGRTMAX; number++) {
        (void)syscall(SYS_rt_sigaction, number, action, NULL, sizeof(unsigned long));
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* ---- messages between the two processes ---- */

static void send_failure(int fd, const char *what)
{
    sandbox_failure failure = {.code = errno};
    (void)snprintf(failure.what, sizeof(failure.what), "%s", what);
    (void)!write(fd, &failure, sizeof(failure));
}

static bool send_descriptor(int socket, int fd)
{
    char byte = 's', space[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space)};
    struct cmsghdr *control = CMSG_FIRSTHDR(&message);
    *control = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(control), &fd, sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1;
}

/* Waits until the program is executed. */
static bool wait_for_start(int socket, sandbox_scratch *scratch, sandbox_failure *ret_failure)
{
    for (;;) {
        char space[CMSG_SPACE(sizeof(int))] = {0};
        struct iovec data = {ret_failure, sizeof(*ret_failure)};
        struct msghdr message = {.msg_iov = &data,
                                 .msg_iovlen = 1,
                                 .msg_control = space,
                                 .msg_controllen = sizeof(space)};
        ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
        struct cmsghdr *control = CMSG_FIRSTHDR(&message);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count == 1 && control != NULL && control->cmsg_type == SCM_RIGHTS) {
            memcpy(&scratch->fd, CMSG_DATA(control), sizeof(int));
            continue;
        }
        ret_failure->what[sizeof(ret_failure->what) - 1] = '\0';
        return count == 0;
    }
}

/* ---- the program's process ---- */

/* The kernel kills this process when the supervisor dies. The setting is lost when the identity
 * changes, so it comes after that. If the supervisor is dead already, its end of the socket is
 * closed. */
static const char *follow_supervisor(int socket)
{
    char byte;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        return "prctl";
    }
    bool alive = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
    return alive ? NULL : "the supervisor has ended";
}

static const char *enter_scratch(const sandbox *s, const sandbox_scratch *scratch, int socket)
{
    int fd = scratch->fd;
    if (s->namespaces) {
        const char *failed = sandbox_enter_root(s, &fd);
        if (failed != NULL) {
            return failed;
        }
        if (!send_descriptor(socket, fd)) {
            return "sendmsg";
        }
    }
    return fd < 0 || fchdir(fd) == 0 ? NULL : "chdir to the scratch directory";
}

/* Moves the descriptors of the program to 0 to 4; all others close when it is executed. They are
 * first moved away from these numbers. */
static const char *set_descriptors(const int io[IO], int *io_socket)
{
    int high[IO], moved = fcntl(*io_socket, F_DUPFD_CLOEXEC, 2 * IO);
    for (int i = 0; i < IO; i++) {
        high[i] = io[i] >= 0 ? fcntl(io[i], F_DUPFD_CLOEXEC, 2 * IO) : -1;
    }
    for (int i = 0; i < IO; i++) {
        if (io[i] >= 0 ? dup2(high[i], i) < 0 : close(i) != 0 && errno != EBADF) {
            return "dup2";
        }
    }
    if (moved < 0 || syscall(SYS_close_range, IO, ~0U, 4 /* CLOSE_RANGE_CLOEXEC */) != 0) {
        return "close_range";
    }
    *io_socket = moved;
    return NULL;
}

/* Searches a name without a slash in PATH. Returns only on failure. */
static const char *execute(const sandbox *s)
{
    const char *path = getenv("PATH"), *end;
    if (strchr(s->argv[0], '/') != NULL) {
        (void)execve(s->argv[0], s->argv, s->env);
        return "exec";
    }
    int error = ENOENT;
    for (const char *at = path != NULL ? path : "/usr/bin:/bin"; at != NULL;
         at = *end != '\0' ? end + 1 : NULL) {
        char full[PATH_MAX];
        end = strchrnul(at, ':');
        int length = snprintf(full, sizeof(full), "%.*s/%s", (int)(end - at), at, s->argv[0]);
        if (end == at || length >= (int)sizeof(full)) {
            continue;
        }
        (void)execve(full, s->argv, s->env);
        error = errno != ENOENT && errno != ENOTDIR ? errno : error;
    }
    errno = error;
    return "exec";
}

static _Noreturn void run_child(const sandbox *s, const sandbox_scratch *scratch, const int io[IO],
                                int socket, bool root)
{
    char byte;
    uid_t uid = root ? (uid_t)s->uid : geteuid();
    gid_t gid = root ? (gid_t)s->uid : getegid();
    const char *place = s->namespaces ? "/scratch" : scratch->path;
    if (read(socket, &byte, 1) != 1) { /* the maps are written */
        _exit(1);
    }
    (void)setsid();
    const char *failed = change_identity(root, uid, gid);
    failed = failed == NULL ? follow_supervisor(socket) : failed;
    if (failed == NULL && s->namespaces && sethostname("sandbox", 7) != 0) {
        failed = "sethostname";
    }
    failed = failed == NULL ? enter_scratch(s, scratch, socket) : failed;
    failed = failed == NULL ? drop_capabilities() : failed;
    if (failed == NULL && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        failed = "no_new_privs";
    }
    failed = failed == NULL ? set_descriptors(io, &socket) : failed;
    failed = failed == NULL ? set_limits(s) : failed;
    failed = failed == NULL ? sandbox_limit_files(s, place) : failed;
    if (failed == NULL) {
        reset_signals();
        failed = sandbox_limit_calls(s);
    }
    failed = failed == NULL ? execute(s) : failed;
    send_failure(socket, failed);
    _exit(127);
}

/* ---- the supervisor ---- */

static pid_t start_process(const sandbox *s)
{
    unsigned long flags = SIGCHLD;
    if (s->namespaces) {
        flags |= CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC
                 | CLONE_NEWUTS | CLONE_NEWCGROUP;
    }
#ifdef __x86_64__
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
#else
    return (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, 0);
#endif
}

static pid_t fail(sandbox_failure *ret_failure, const char *what)
{
    ret_failure->code = errno;
    (void)snprintf(ret_failure->what, sizeof(ret_failure->what), "%s", what);
    return -1;
}

pid_t sandbox_start(const sandbox *s, sandbox_scratch *scratch, const int io[IO],
                    sandbox_failure *ret_failure)
{
    int sockets[2];
    bool root = geteuid() == 0;
    uid_t uid = root ? (uid_t)s->uid : geteuid();
    gid_t gid = root ? (gid_t)s->uid : getegid();
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
        return fail(ret_failure, "socketpair");
    }
    pid_t id = start_process(s);
    if (id < 0) {
        return fail(ret_failure, s->namespaces ? "namespaces" : "fork");
    }
    if (id == 0) {
        (void)close(sockets[0]);
        run_child(s, scratch, io, sockets[1], root);
    }
    (void)close(sockets[1]);
    /* The program may have the same user. Its own process must still be dumpable for its maps. */
    (void)prctl(PR_SET_DUMPABLE, 0);
    bool mapped = !s->namespaces || write_maps(id, uid, gid);
    bool started = mapped && write(sockets[0], "m", 1) == 1
                   && wait_for_start(sockets[0], scratch, ret_failure);
    if (!mapped) {
        (void)fail(ret_failure, "uid_map");
    }
    (void)close(sockets[0]);
    if (!started) {
        (void)kill(id, SIGKILL);
        (void)waitpid(id, NULL, 0);
    }
    return started ? id : -1;
}
