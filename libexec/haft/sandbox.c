/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox.c - runs a program that can harm nothing outside: docs/sandbox.md.
 *
 *     sandbox [--namespaces] [--forks] [--framed] [--read PATH]... [--run PATH]... [--write
 * PATH]...
 *             [--memory BYTES] [--cpu SECONDS] [--file BYTES] [--files N] [--output BYTES]
 *             [--scratch-bytes N] [--scratch-files N] [--kept-files N] [--kept-bytes N]
 *             [--uid UID] [--set NAME=VALUE]... -- PROGRAM ARG...
 *
 * The program can read the paths of --read, read and execute those of --run, and change those of
 * --write and its scratch directory. It has no network and no privileges, starts no process without
 * --forks, and is never root: if sandbox is, the program runs as UID.
 *
 * With --namespaces the program has a private root, and namespaces of its own. Without them it
 * depends on Landlock. If a part of the setup fails, the program does not start: sandbox never uses
 * less than it was asked for.
 *
 * sandbox itself stays outside. It has one child, which is killed when sandbox is told to end, when
 * its standard input ends, or when sandbox dies.
 *
 * Without --framed the program has the descriptors 0, 1 and 2 and the environment of sandbox, and
 * sandbox ends as the program does; status 125: it was not started.
 *
 * With --framed, sandbox connects the program with its parent through frames: a letter, the length
 * of the payload as 4 bytes (the highest first), the payload. The program has an empty standard
 * input, and the descriptors 3 to read messages and 4 to write them.
 *
 *     to sandbox      m  a part of the program's messages (descriptor 3)
 *     from sandbox    r  started
 *                     n  not started: the errno, a space, the part of the setup that failed
 *                     o  a part of the standard output          e  of the standard error
 *                     m  a part of the program's messages (descriptor 4)
 *                     f  a file of the scratch directory: its path, a NUL, its bytes
 *                     x  the end: cause, status, signal, CPU ms, memory KiB, left out files
 *
 * The causes are: exit, signal, cpu, output (more than --output), files (too many or too large, in
 * a scratch directory of the host), policy (a forbidden architecture), killed.
 *
 * Tests: tests/exec/sandbox/python_test.c, tests/sandbox/attempts_test.py.
 */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    USAGE = 2,
    NOT_STARTED = 125,
    PIECE_BYTES = 32768,
    WATCH_MS = 20,          /* between two looks at a scratch directory of the host */
    MESSAGE_MAX = 64 << 20, /* of one frame from haft */
    VARIABLES = 16,
};

/* The pipes to the program: sandbox's ends. */
enum { OUTPUT, ERRORS, MESSAGES, PIPES };

typedef struct supervisor {
    const sandbox *sandbox;
    sandbox_scratch scratch;
    pid_t program;
    int signals;      /* signalfd */
    int pipes[PIPES]; /* -1: closed */
    int messages;     /* to the program; -1: closed */
    char *unread;     /* bytes for `messages` */
    size_t unread_size, unread_start;
    uint64_t shown[PIPES];
    const char *cause; /* why sandbox killed the program; NULL: it did not */
    uint64_t kept_files, kept_bytes, left_files;
    int status;
    struct rusage usage;
    bool ended;
} supervisor;

#ifdef __SANITIZE_ADDRESS__
/* The search for leaks at exit needs ptrace, and stops this process. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

/* ---- options ---- */

static _Noreturn void exit_with_usage(const char *option)
{
    (void)dprintf(STDERR_FILENO, "sandbox: wrong option or value: %s\n", option);
    exit(USAGE);
}

static uint64_t read_number(const char *option, const char *text)
{
    uint64_t number = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || number > (INT64_MAX - 9) / 10) {
            exit_with_usage(option);
        }
        number = 10 * number + (uint64_t)(*at - '0');
    }
    return number;
}

static void add_path(sandbox *s, const char *option, const char *path)
{
    if (s->path_count == SANDBOX_PATHS || path[0] != '/') {
        exit_with_usage(option);
    }
    s->paths[s->path_count++] = (sandbox_path){.path = path,
                                               .write = strcmp(option, "--write") == 0,
                                               .execute = strcmp(option, "--run") == 0};
}

static bool read_flag(sandbox *s, const char *option)
{
    struct {
        const char *name;
        bool *flag;
    } flags[] = {
        {"--namespaces", &s->namespaces}, {"--forks", &s->forks}, {"--framed", &s->framed}};
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (strcmp(option, flags[i].name) == 0) {
            *flags[i].flag = true;
            return true;
        }
    }
    return false;
}

static bool read_limit(sandbox *s, const char *option, const char *value)
{
    struct {
        const char *name;
        uint64_t *limit;
    } limits[] = {{"--memory", &s->memory},
                  {"--cpu", &s->cpu},
                  {"--file", &s->file},
                  {"--files", &s->files},
                  {"--output", &s->output},
                  {"--scratch-bytes", &s->scratch_bytes},
                  {"--scratch-files", &s->scratch_files},
                  {"--kept-files", &s->kept_files},
                  {"--kept-bytes", &s->kept_bytes},
                  {"--uid", &s->uid}};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (strcmp(option, limits[i].name) == 0) {
            *limits[i].limit = read_number(option, value);
            return true;
        }
    }
    return false;
}

static void read_options(sandbox *s, char **argv, char **variables, size_t *variable_count)
{
    char **at = argv + (argv[0] != NULL);
    for (; at[0] != NULL && strcmp(at[0], "--") != 0; at++) {
        if (read_flag(s, at[0])) {
            continue;
        }
        if (at[1] == NULL) {
            exit_with_usage(at[0]);
        }
        bool path = strcmp(at[0], "--read") == 0 || strcmp(at[0], "--run") == 0
                    || strcmp(at[0], "--write") == 0;
        if (path) {
            add_path(s, at[0], at[1]);
        } else if (strcmp(at[0], "--set") == 0 && *variable_count < VARIABLES) {
            variables[(*variable_count)++] = at[1];
        } else if (!read_limit(s, at[0], at[1])) {
            exit_with_usage(at[0]);
        }
        at++;
    }
    if (at[0] == NULL || at[1] == NULL || s->uid == 0 || s->uid >= UINT32_MAX) {
        exit_with_usage(at[0] == NULL || at[1] == NULL ? "--" : "--uid");
    }
    s->argv = at + 1;
}

/* ---- frames to haft ---- */

/* A parent that no longer reads ends the sandbox: the write fails with EPIPE. */
static bool write_all(const void *bytes, size_t length)
{
    const char *at = bytes;
    while (length > 0) {
        ssize_t count = write(STDOUT_FILENO, at, length);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        at += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
    }
    return true;
}

static bool write_frame(char kind, const void *bytes, size_t length)
{
    unsigned char head[5] = {(unsigned char)kind, (unsigned char)(length >> 24),
                             (unsigned char)(length >> 16), (unsigned char)(length >> 8),
                             (unsigned char)length};
    return write_all(head, sizeof(head)) && write_all(bytes, length);
}

/* ---- the end of the program ---- */

static void kill_program(supervisor *v, const char *cause)
{
    v->cause = v->cause != NULL ? v->cause : cause;
    if (!v->ended) {
        (void)kill(v->program, SIGKILL);
    }
}

static uint64_t cpu_ms(const supervisor *v)
{
    const struct timeval *user = &v->usage.ru_utime, *system = &v->usage.ru_stime;
    return (uint64_t)(user->tv_sec + system->tv_sec) * 1000
           + (uint64_t)(user->tv_usec + system->tv_usec) / 1000;
}

static const char *find_cause(const supervisor *v)
{
    int number = WIFSIGNALED(v->status) ? WTERMSIG(v->status) : 0;
    /* The kernel compares the limit with a coarser clock. */
    bool cpu_used = v->sandbox->cpu > 0 && cpu_ms(v) + 300 >= v->sandbox->cpu * 1000;
    return v->cause != NULL                                       ? v->cause
           : number == 0                                          ? "exit"
           : number == SIGSYS                                     ? "policy"
           : number == SIGXCPU || (number == SIGKILL && cpu_used) ? "cpu"
                                                                  : "signal";
}

/* A file that does not fit into the rest of the limits is left out and counted. */
static void keep_file(void *context, const char *name, int fd, uint64_t bytes)
{
    supervisor *v = context;
    const sandbox *s = v->sandbox;
    size_t head = strlen(name) + 1, size = head + (size_t)bytes, length = head;
    char *frame = NULL;
    ssize_t count = 1;
    if (v->kept_files >= s->kept_files || bytes > s->kept_bytes - v->kept_bytes
        || (frame = malloc(size)) == NULL) {
        v->left_files++;
        return;
    }
    memcpy(frame, name, head);
    while (length < size && (count = read(fd, frame + length, size - length)) > 0) {
        length += (size_t)count;
    }
    v->kept_files++;
    v->kept_bytes += length - head;
    (void)write_frame('f', frame, length);
    free(frame);
}

static void report_end(supervisor *v)
{
    char text[160];
    sandbox_scratch_collect(&v->scratch, keep_file, v);
    int length =
        snprintf(text, sizeof(text), "%s %d %d %llu %ld %llu", find_cause(v),
                 WIFEXITED(v->status) ? WEXITSTATUS(v->status) : 0,
                 WIFSIGNALED(v->status) ? WTERMSIG(v->status) : 0, (unsigned long long)cpu_ms(v),
                 v->usage.ru_maxrss, (unsigned long long)v->left_files);
    (void)write_frame('x', text, (size_t)length);
}

/* ---- the loop ---- */

static void close_pipe(int *fd)
{
    (void)close(*fd);
    *fd = -1;
}

/* Passes the next bytes of the program to haft. Returns false if there are none. */
static bool pass_output(supervisor *v, size_t which)
{
    static const char kinds[PIPES] = {'o', 'e', 'm'};
    char bytes[PIECE_BYTES];
    ssize_t count = read(v->pipes[which], bytes, sizeof(bytes));
    if (count <= 0) {
        if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            close_pipe(&v->pipes[which]);
        }
        return false;
    }
    uint64_t room = which == MESSAGES ? UINT64_MAX : v->sandbox->output - v->shown[which];
    uint64_t passed = (uint64_t)count < room ? (uint64_t)count : room;
    v->shown[which] += passed;
    if (passed > 0 && !write_frame(kinds[which], bytes, (size_t)passed)) {
        kill_program(v, "killed");
    }
    if (passed < (uint64_t)count) {
        kill_program(v, "output");
        close_pipe(&v->pipes[which]);
    }
    return true;
}

/* Reads `length` bytes of haft. False at the end of the input. */
static bool read_all(void *to, size_t length)
{
    char *at = to;
    while (length > 0) {
        ssize_t count = read(STDIN_FILENO, at, length);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return false;
        }
        at += count > 0 ? count : 0;
        length -= count > 0 ? (size_t)count : 0;
    }
    return true;
}

/* Reads the next frame of haft. haft writes whole frames, so the rest of a frame is not late. */
static void read_frame(supervisor *v)
{
    unsigned char head[5];
    if (!read_all(head, sizeof(head))) {
        kill_program(v, "killed");
        return;
    }
    size_t length = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
    char *bytes = length <= MESSAGE_MAX ? malloc(length + 1) : NULL;
    if (bytes == NULL || head[0] != 'm' || !read_all(bytes, length)) {
        free(bytes);
        kill_program(v, "killed");
        return;
    }
    free(v->unread);
    v->unread = bytes;
    v->unread_size = length;
    v->unread_start = 0;
}

static void write_messages(supervisor *v)
{
    ssize_t count =
        write(v->messages, v->unread + v->unread_start, v->unread_size - v->unread_start);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (count < 0) {
        close_pipe(&v->messages); /* the program does not read them any more */
        v->unread_start = v->unread_size;
        return;
    }
    v->unread_start += (size_t)count;
}

static void read_signal(supervisor *v)
{
    struct signalfd_siginfo info;
    while (read(v->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo != SIGCHLD) {
            kill_program(v, "killed");
        }
    }
    if (wait4(v->program, &v->status, WNOHANG, &v->usage) == v->program) {
        v->ended = true;
    }
}

/* Frames of haft are read only when the program has got the last one. */
static void wait_for_events(supervisor *v, struct pollfd events[PIPES + 3])
{
    bool unread = v->unread_start < v->unread_size;
    events[PIPES] = (struct pollfd){v->signals, POLLIN, 0};
    events[PIPES + 1] = (struct pollfd){unread || v->cause != NULL ? -1 : STDIN_FILENO, POLLIN, 0};
    events[PIPES + 2] = (struct pollfd){unread ? v->messages : -1, POLLOUT, 0};
    for (size_t i = 0; i < PIPES; i++) {
        events[i] = (struct pollfd){v->pipes[i], POLLIN, 0};
    }
    bool watched = v->scratch.own && v->cause == NULL;
    (void)poll(events, PIPES + 3, watched ? WATCH_MS : -1);
    if (watched && sandbox_scratch_is_full(v->sandbox, &v->scratch)) {
        kill_program(v, "files");
    }
}

static void serve(supervisor *v)
{
    while (!v->ended) {
        struct pollfd events[PIPES + 3];
        wait_for_events(v, events);
        for (size_t i = 0; i < PIPES; i++) {
            if (events[i].revents != 0) {
                (void)pass_output(v, i);
            }
        }
        if (events[PIPES].revents != 0) {
            read_signal(v);
        }
        if (events[PIPES + 1].revents != 0) {
            read_frame(v);
        }
        if (events[PIPES + 2].revents != 0) {
            write_messages(v);
        }
    }
    for (size_t i = 0; i < PIPES; i++) {
        while (v->pipes[i] >= 0 && pass_output(v, i)) {
        }
    }
}

/* ---- start ---- */

static int open_signals(void)
{
    sigset_t set;
    (void)sigfillset(&set);
    (void)sigprocmask(SIG_SETMASK, &set, NULL);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGCHLD);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGHUP);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int exit_not_started(const sandbox *s, const sandbox_failure *failure)
{
    char text[128];
    int length = snprintf(text, sizeof(text), "%d %s", failure->code, failure->what);
    if (s->framed) {
        (void)write_frame('n', text, (size_t)length);
    } else {
        (void)dprintf(STDERR_FILENO, "sandbox: the program '%s' was not started: %s: %s\n",
                      s->argv[0], failure->what, strerror(failure->code));
    }
    return NOT_STARTED;
}

/* Opens a pipe of the program. `mine` is its end here, of which reads and writes do not block. */
static bool open_pipe(bool to_program, int *mine, int *theirs)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    *mine = ends[to_program];
    *theirs = ends[!to_program];
    return fcntl(*mine, F_SETFL, O_NONBLOCK) == 0;
}

static int run_framed(supervisor *v)
{
    int io[5] = {open("/dev/null", O_RDONLY | O_CLOEXEC), -1, -1, -1, -1};
    sandbox_failure failure = {0};
    if (io[0] < 0 || !open_pipe(false, &v->pipes[OUTPUT], &io[1])
        || !open_pipe(false, &v->pipes[ERRORS], &io[2]) || !open_pipe(true, &v->messages, &io[3])
        || !open_pipe(false, &v->pipes[MESSAGES], &io[4])) {
        failure = (sandbox_failure){.code = errno, .what = "pipe"};
        return exit_not_started(v->sandbox, &failure);
    }
    v->program = sandbox_start(v->sandbox, &v->scratch, io, &failure);
    for (size_t i = 0; i < 5; i++) {
        (void)close(io[i]);
    }
    if (v->program < 0) {
        return exit_not_started(v->sandbox, &failure);
    }
    if (!write_frame('r', "", 0)) {
        kill_program(v, "killed");
    }
    serve(v);
    report_end(v);
    return 0;
}

/* Ends like the program. */
static int run_plain(supervisor *v)
{
    static const int io[5] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, -1, -1};
    sandbox_failure failure = {0};
    v->program = sandbox_start(v->sandbox, &v->scratch, io, &failure);
    if (v->program < 0) {
        return exit_not_started(v->sandbox, &failure);
    }
    while (!v->ended) {
        struct pollfd event = {v->signals, POLLIN, 0};
        (void)poll(&event, 1, v->scratch.own ? WATCH_MS : -1);
        if (v->scratch.own && sandbox_scratch_is_full(v->sandbox, &v->scratch)) {
            kill_program(v, "files");
        }
        read_signal(v);
    }
    return WIFEXITED(v->status) ? WEXITSTATUS(v->status) : 128 + WTERMSIG(v->status);
}

static const char *create_scratch(const sandbox *s, supervisor *v)
{
    bool root = geteuid() == 0;
    return s->namespaces ? NULL
                         : sandbox_scratch_create(&v->scratch, (uid_t)s->uid,
                                                  root ? (gid_t)s->uid : getegid());
}

int main(int argc, char **argv)
{
    (void)argc;
    char *variables[VARIABLES + 2], home[4200];
    size_t variable_count = 0;
    sandbox s = {.uid = 65534,
                 .files = 64,
                 .file = 16 << 20,
                 .output = 1 << 20,
                 .scratch_bytes = 32 << 20,
                 .scratch_files = 1024};
    read_options(&s, argv, variables, &variable_count);
    supervisor v = {.sandbox = &s, .scratch = {.fd = -1}, .pipes = {-1, -1, -1}, .messages = -1};
    (void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
    (void)umask(077);
    (void)signal(SIGPIPE, SIG_IGN);
    v.signals = open_signals();
    const char *failed = create_scratch(&s, &v);
    if (failed != NULL || v.signals < 0) {
        sandbox_failure failure = {.code = errno};
        (void)snprintf(failure.what, sizeof(failure.what), "%s",
                       failed != NULL ? failed : "signalfd");
        sandbox_scratch_remove(&v.scratch);
        return exit_not_started(&s, &failure);
    }
    (void)snprintf(home, sizeof(home), "HOME=%s", s.namespaces ? "/scratch" : v.scratch.path);
    variables[variable_count++] = home;
    variables[variable_count] = NULL;
    s.env = s.framed ? variables : environ;
    int status = s.framed ? run_framed(&v) : run_plain(&v);
    sandbox_scratch_remove(&v.scratch);
    return status;
}
