/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard.c - starts a program with limits, and kills all of its descendants when it ends.
 *
 *     guard [--parent PID] [--memory BYTES] [--cpu SECONDS] [--files N] [--term MS] [--report FD]
 *           -- PROGRAM ARG...
 *
 * PROGRAM gets guard's environment, working directory and descriptors 0, 1 and 2, and nothing else
 * of its parent: no other descriptor, no ignored or blocked signal, no way to gain privileges. No
 * shell runs it. If its name has no slash, guard searches PATH and skips empty parts. --memory
 * limits its address space (RLIMIT_AS), --cpu its CPU time, --files its open descriptors; each
 * limit applies to each process.
 *
 * When PROGRAM has ended, when guard gets SIGTERM, SIGINT or SIGHUP, or when its parent dies, guard
 * kills every process below it. With --term, guard answers a signal with SIGTERM to PROGRAM and its
 * process group first, and waits that many milliseconds for them to exit. No process escapes by
 * forking twice: guard is their subreaper, so an orphan becomes guard's child. Then guard ends like
 * PROGRAM, with the same exit status or by the same signal.
 *
 * guard is two processes, because PROGRAM can kill its parent. The supervisor, which is what haft
 * started, leads the session and is a subreaper, too; below it, guard starts PROGRAM. If one of the
 * two is killed, the other one kills everything. If both are killed, haft does (io/session.h).
 *
 * --parent is the process that must be alive; by default guard's parent at its start.
 *
 * One line to --report says how the call ended. An empty report means that the supervisor was
 * killed. If PROGRAM cannot start, guard says so on standard error, too.
 *
 *     ended                     PROGRAM has ended, and nothing that it started is left
 *     killed                    guard was killed, nothing is left; the supervisor ends with 125
 *     exec ENOENT               PROGRAM does not exist; guard ends with status 127
 *     exec ENOENT interpreter   it exists, but the interpreter of its first line does not; 126
 *     exec EACCES               it is not executable; 126; likewise other names of errno
 *     guard EAGAIN fork         guard itself failed, in this call; 125
 *
 * Tests: tests/exec/guard_test.c.
 */
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    USAGE = 2,
    GUARD_FAILED = 125,
    NOT_RUN = 126,
    NOT_FOUND = 127,
    PARENT_DIED = SIGUSR1, /* sent by the kernel when the parent dies; others may send it, too */
};

#ifdef __SANITIZE_ADDRESS__
/* The search for leaks at exit stops this process with SIGSTOP. A SIGCONT from haft, which ends a
 * session, discards that signal, and guard would wait for it forever. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}
#endif

static const char default_path[] = "/usr/local/bin:/usr/bin:/bin";

/* How PROGRAM ended, from guard to the supervisor. */
typedef struct verdict {
    int status;    /* as from waitpid */
    bool reported; /* guard has written the report */
} verdict;

/* ---- messages ---- */

/* Truncates a long message (the name of a program may be long). */
static void write_line(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void write_line(int fd, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    size_t size = length < (int)sizeof(line) ? (size_t)length : sizeof(line) - 1;
    if (write(fd, line, size) < 0) {
        return; /* no other place to report to */
    }
}

/* `source` is "exec" or "guard", `code` an errno; `detail` may be NULL. */
static void report_error(const guard *g, const char *source, int code, const char *detail)
{
    const char *name = strerrorname_np(code);
    const char *space = detail != NULL ? " " : "";
    detail = detail != NULL ? detail : "";
    write_line(STDERR_FILENO, "guard: %s%s%s: %s\n",
               strcmp(source, "exec") == 0 ? g->argv[0] : source, space, detail, strerror(code));
    if (g->report > 0) {
        write_line((int)g->report, "%s %s%s%s\n", source, name != NULL ? name : "?", space, detail);
    }
}

/* Without the supervisor nobody reads the verdict. */
static void send_verdict(const guard *g, verdict found)
{
    if (g->verdict >= 0 && write(g->verdict, &found, sizeof(found)) < 0) {
        return;
    }
}

/* Exits because PROGRAM was not started; the reason is reported. */
static _Noreturn void exit_not_started(const guard *g, int code)
{
    send_verdict(g, (verdict){.status = W_EXITCODE(code, 0), .reported = true});
    exit(code);
}

static _Noreturn void fail(const guard *g, int code, const char *call)
{
    report_error(g, "guard", code, call);
    exit_not_started(g, GUARD_FAILED);
}

static void check(const guard *g, bool worked, const char *call)
{
    if (!worked) {
        fail(g, errno, call);
    }
}

/* ---- arguments ---- */

static _Noreturn void exit_with_usage(void)
{
    write_line(STDERR_FILENO,
               "usage: guard [--parent PID] [--memory BYTES] [--cpu SECONDS] [--files N]"
               " [--term MS] [--report FD] -- PROGRAM ARG...\n");
    exit(USAGE);
}

/* A whole number of at least 1. */
static uint64_t read_number(const char *text)
{
    uint64_t number = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || number > (INT64_MAX - 9) / 10) {
            exit_with_usage();
        }
        number = 10 * number + (uint64_t)(*at - '0');
    }
    if (number == 0) {
        exit_with_usage();
    }
    return number;
}

static void read_arguments(guard *g, char **argv)
{
    const struct {
        const char *name;
        uint64_t *value, most;
    } options[] = {{"--memory", &g->memory, INT64_MAX}, {"--cpu", &g->cpu, INT32_MAX},
                   {"--files", &g->files, INT32_MAX},   {"--term", &g->term, INT32_MAX},
                   {"--report", &g->report, INT32_MAX}, {"--parent", &g->parent, INT32_MAX}};
    char **at = argv + (argv[0] != NULL);
    for (; at[0] != NULL && strcmp(at[0], "--") != 0; at += 2) {
        size_t i = 0;
        while (i < sizeof(options) / sizeof(options[0]) && strcmp(at[0], options[i].name) != 0) {
            i++;
        }
        if (i == sizeof(options) / sizeof(options[0]) || at[1] == NULL) {
            exit_with_usage();
        }
        *options[i].value = read_number(at[1]);
        if (*options[i].value > options[i].most) {
            exit_with_usage();
        }
    }
    if (at[0] == NULL || at[1] == NULL || (g->report > 0 && g->report <= STDERR_FILENO)) {
        exit_with_usage();
    }
    g->argv = at + 1;
}

/* ---- setup ---- */

/* Signals stay pending until guard waits for them, so that none interrupts it. */
static void block_signals(void)
{
    sigset_t all;
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
}

static bool parent_is_alive(const guard *g)
{
    return (uint64_t)getppid() == g->parent;
}

static void watch_parent(guard *g)
{
    g->parent = g->parent > 0 ? g->parent : (uint64_t)getppid();
    check(g, prctl(PR_SET_PDEATHSIG, PARENT_DIED) == 0, "prctl");
    if (!parent_is_alive(g)) { /* it died before guard watched it */
        exit(GUARD_FAILED);
    }
}

static void close_other_descriptors(guard *g)
{
    unsigned first = STDERR_FILENO + 1;
    unsigned kept = g->report > 0 ? (unsigned)g->report : first;
    if (g->report > 0) {
        check(g, fcntl((int)g->report, F_SETFD, FD_CLOEXEC) == 0, "fcntl");
        check(g, kept == first || close_range(first, kept - 1, 0) == 0, "close_range");
        first = kept + 1;
    }
    check(g, close_range(first, ~0U, 0) == 0, "close_range");
}

/* Opens the list of the children of this process. It is valid only if /proc belongs to its PID
 * namespace. */
static void open_children(guard *g)
{
    char own[32] = "", name[32];
    (void)snprintf(name, sizeof(name), "%ld", (long)getpid());
    ssize_t length = readlink("/proc/self", own, sizeof(own) - 1);
    if (length < 0 || strcmp(own, name) != 0) {
        fail(g, ENOENT, "/proc/self");
    }
    if (g->children >= 0) { /* the list of the supervisor */
        (void)close(g->children);
    }
    g->children = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
    check(g, g->children >= 0, "/proc/thread-self/children");
}

/* Settings of both processes: they end with their parent and adopt all orphans below them. */
static void adopt_orphans(guard *g)
{
    watch_parent(g);
    open_children(g);
    check(g, prctl(PR_SET_CHILD_SUBREAPER, 1) == 0, "prctl");
}

static void set_up(guard *g)
{
    block_signals();
    close_other_descriptors(g);
    adopt_orphans(g);
    g->session = setsid() >= 0; /* fails for a process group leader, as a shell creates it */
    check(g, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl");
    check(g, setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}) == 0, "setrlimit");
}

/* ---- starting the program: in the child ---- */

/* The error of the child, sent to guard. Both are the same program, so a pointer to a literal is
 * valid in both. */
typedef struct failure {
    int code;
    const char *call; /* NULL: PROGRAM cannot be run */
    const char *more; /* detail, or NULL */
} failure;

/* Without privileges a limit can only be lowered. */
static bool set_limit(int resource, uint64_t soft, uint64_t hard)
{
    struct rlimit limit;
    if (soft == 0) {
        return true;
    }
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0) {
        return false;
    }
    limit.rlim_max = limit.rlim_max < hard ? limit.rlim_max : hard;
    limit.rlim_cur = limit.rlim_max < soft ? limit.rlim_max : soft;
    return setrlimit((__rlimit_resource_t)resource, &limit) == 0;
}

static void reset_signals(void)
{
    sigset_t none;
    static const unsigned long action[8]; /* all zero: the kernel's struct for SIG_DFL */
    for (int number = 1; number <= SIGRTMAX; number++) {
        /* A direct system call: libc does not allow changes to the two signals that it uses. */
        (void)syscall(SYS_rt_sigaction, number, action, NULL, sizeof(unsigned long));
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Runs `path`. Returns only on failure, with the reason. */
static failure exec_path(const char *path, char **argv)
{
    (void)execve(path, argv, environ);
    failure why = {.code = errno};
    if (why.code == ENOENT && access(path, F_OK) == 0) {
        why.more = "interpreter";
    }
    return why;
}

/* The same for a name that is searched in PATH. */
static failure exec_from_path(const char *name, char **argv)
{
    const char *path = getenv("PATH"), *end;
    failure why = {.code = ENOENT};
    for (const char *at = path != NULL ? path : default_path; at != NULL && name[0] != '\0';
         at = *end != '\0' ? end + 1 : NULL) {
        char full[PATH_MAX];
        end = strchrnul(at, ':');
        int length = snprintf(full, sizeof(full), "%.*s/%s", (int)(end - at), at, name);
        if (end == at || length >= (int)sizeof(full)) {
            continue;
        }
        failure here = exec_path(full, argv);
        bool missing = here.code == ENOTDIR || (here.code == ENOENT && here.more == NULL);
        why = missing ? why : here;
        if (!missing && here.code != EACCES) {
            return why; /* found, but it cannot be run */
        }
    }
    return why;
}

static failure exec_program(const guard *g, pid_t parent)
{
    (void)setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) {
        return (failure){.code = ESRCH, .call = "prctl"};
    }
    bool limited = set_limit(RLIMIT_CPU, g->cpu, g->cpu + 1)
                   && set_limit(RLIMIT_NOFILE, g->files, g->files)
                   && set_limit(RLIMIT_AS, g->memory, g->memory);
    if (!limited) {
        return (failure){.code = errno, .call = "setrlimit"};
    }
    reset_signals();
    bool is_path = strchr(g->argv[0], '/') != NULL;
    return is_path ? exec_path(g->argv[0], g->argv) : exec_from_path(g->argv[0], g->argv);
}

/* ---- starting the program: in guard ---- */

static _Noreturn void fail_start(const guard *g, failure why)
{
    if (why.call != NULL) {
        fail(g, why.code, why.call);
    }
    report_error(g, "exec", why.code, why.more);
    exit_not_started(g, why.code == ENOENT && why.more == NULL ? NOT_FOUND : NOT_RUN);
}

/* From now on only PROGRAM has its input and output. */
static void close_standard_descriptors(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        (void)(null >= 0 ? dup2(null, fd) : close(fd));
    }
    if (null >= 0) {
        (void)close(null);
    }
}

static void start(guard *g)
{
    int failure_pipe[2];
    pid_t self = getpid();
    check(g, pipe2(failure_pipe, O_CLOEXEC) == 0, "pipe");
    g->program = fork();
    check(g, g->program >= 0, "fork");
    if (g->program == 0) {
        failure why = exec_program(g, self);
        ssize_t wrote = write(failure_pipe[1], &why, sizeof(why));
        _exit(wrote > 0 ? NOT_RUN : GUARD_FAILED);
    }
    (void)setpgid(g->program, g->program); /* both processes do this; the first one wins */
    (void)close(failure_pipe[1]);
    failure why = {.code = 0};
    if (read(failure_pipe[0], &why, sizeof(why)) == (ssize_t)sizeof(why)) {
        fail_start(g, why);
    }
    (void)close(failure_pipe[0]);
    close_standard_descriptors();
}

/* ---- waiting for the end ---- */

/* Whether PROGRAM has ended. It is not reaped yet, so its PID stays reserved. */
static bool program_ended(const guard *g)
{
    siginfo_t child = {.si_pid = 0};
    return waitid(P_PID, (id_t)g->program, &child, WEXITED | WNOHANG | WNOWAIT) == 0
           && child.si_pid != 0;
}

/* Reaps other children that have ended, at most SOME: they may arrive faster than they are reaped.
 * True if there may be more. */
static bool reap_others(const guard *g)
{
    for (int i = 0; i < GUARD_REAP_BATCH; i++) {
        siginfo_t child = {.si_pid = 0};
        if (waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 || child.si_pid == 0
            || child.si_pid == g->program) {
            return false;
        }
        (void)waitpid(child.si_pid, NULL, __WALL);
    }
    return true;
}

/* The next signal; 0 if none is pending and `wait` is false. */
static int next_signal(bool wait)
{
    static const int numbers[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, PARENT_DIED};
    static const struct timespec no_time = {0};
    sigset_t set;
    (void)sigemptyset(&set);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        (void)sigaddset(&set, numbers[i]);
    }
    int number = wait ? sigwaitinfo(&set, NULL) : sigtimedwait(&set, NULL, &no_time);
    return number > 0 ? number : 0;
}

/* True if a signal asks guard to end and its parent is alive. */
static bool wait_for_end(const guard *g)
{
    bool more = false;
    for (;;) {
        int number = next_signal(!more);
        if (number == 0 || number == SIGCHLD) {
            if (program_ended(g)) {
                return false;
            }
            more = reap_others(g);
        } else if (number != PARENT_DIED) {
            return true;
        } else if (!parent_is_alive(g)) { /* not only its thread */
            return false;
        }
    }
}

/* ---- guard ---- */

static _Noreturn void guard_program(guard *g, pid_t supervisor)
{
    g->parent = (uint64_t)supervisor;
    adopt_orphans(g);
    start(g);
    if (wait_for_end(g) && g->term > 0) {
        guard_terminate(g);
    }
    guard_kill_all(g);
    send_verdict(g, (verdict){.status = g->status});
    exit(0);
}

/* ---- the supervisor ---- */

/* Returns when guard has ended or the parent has died. A stopped guard must be continued to receive
 * a signal. */
static void wait_for_guard(const guard *g)
{
    bool more = false;
    for (;;) {
        int number = next_signal(!more);
        if (number == 0 || number == SIGCHLD) {
            if (program_ended(g)) {
                return;
            }
            more = reap_others(g);
        } else if (number != PARENT_DIED) {
            (void)kill(g->program, number);
            (void)kill(g->program, SIGCONT);
        } else if (!parent_is_alive(g)) {
            return;
        }
    }
}

static _Noreturn void exit_like_program(const guard *g)
{
    if (!WIFSIGNALED(g->status)) {
        exit(WEXITSTATUS(g->status));
    }
    int number = WTERMSIG(g->status);
    sigset_t set;
    (void)prctl(PR_SET_DUMPABLE, 0); /* a core file would be of guard, not of PROGRAM */
    (void)signal(number, SIG_DFL);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, number);
    (void)sigprocmask(SIG_UNBLOCK, &set, NULL);
    (void)raise(number);
    exit(128 + number);
}

/* A guard without a verdict was killed. */
static _Noreturn void supervise(guard *g, int verdicts)
{
    close_standard_descriptors();
    wait_for_guard(g);
    guard_kill_all(g);
    verdict found;
    bool known = read(verdicts, &found, sizeof(found)) == (ssize_t)sizeof(found);
    if (g->report > 0 && !(known && found.reported)) {
        write_line((int)g->report, known ? "ended\n" : "killed\n");
    }
    if (!known) {
        exit(GUARD_FAILED);
    }
    g->status = found.status;
    exit_like_program(g);
}

int main(int argc, char **argv)
{
    (void)argc;
    int verdicts[2];
    guard g = {.children = -1, .verdict = -1};
    read_arguments(&g, argv);
    set_up(&g);
    pid_t supervisor = getpid();
    check(&g, pipe2(verdicts, O_CLOEXEC | O_NONBLOCK) == 0, "pipe");
    g.program = fork();
    check(&g, g.program >= 0, "fork");
    if (g.program == 0) {
        (void)close(verdicts[0]);
        g.verdict = verdicts[1];
        guard_program(&g, supervisor);
    }
    (void)close(verdicts[1]);
    supervise(&g, verdicts[0]);
}
