/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox_filter.c - the system calls of a program in a sandbox: a list of allowed calls, as a BPF
 * program for seccomp.
 *
 * A call that is not in the list fails with EPERM; clone3 fails with ENOSYS, so that libc uses
 * clone, whose flags the filter can read. A call of another architecture (32 bit, x32) kills the
 * program. No list has a call that opens a socket, mounts, traces, or changes namespaces.
 *
 * Landlock does not cover calls that change the mode, the owner or the times of a file outside. A
 * program without processes of its own cannot use them; chmod and utime are accepted and do
 * nothing, because common code (shutil.copy, tarfile) fails without them.
 */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define X32_BIT      0x40000000U
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Which programs may use a call. */
enum {
    ALL,
    FORKING,       /* only programs that may start processes */
    ALL_NO_EFFECT, /* all, but the call does nothing */
};

#define CALL(name, whom)                                                                           \
    {                                                                                              \
        SYS_##name, whom                                                                           \
    }

static const struct {
    int number, whom;
} allowed[] = {
    /* input and output */
    CALL(read, ALL),
    CALL(write, ALL),
    CALL(readv, ALL),
    CALL(writev, ALL),
    CALL(pread64, ALL),
    CALL(pwrite64, ALL),
    CALL(preadv, ALL),
    CALL(pwritev, ALL),
    CALL(lseek, ALL),
    CALL(close, ALL),
    CALL(close_range, ALL),
    CALL(dup, ALL),
    CALL(dup3, ALL),
    CALL(pipe2, ALL),
    CALL(ppoll, ALL),
    CALL(pselect6, ALL),
    CALL(epoll_create1, ALL),
    CALL(epoll_ctl, ALL),
    CALL(epoll_pwait, ALL),
    CALL(eventfd2, ALL),
    CALL(sendfile, ALL),
    CALL(copy_file_range, ALL),
    CALL(flock, ALL),
    CALL(fadvise64, ALL),
#ifdef __x86_64__
    CALL(dup2, ALL),
    CALL(pipe, ALL),
    CALL(poll, ALL),
    CALL(select, ALL),
    CALL(epoll_create, ALL),
    CALL(epoll_wait, ALL),
    CALL(eventfd, ALL),
#endif
    /* files: Landlock or the private root decide which ones */
    CALL(openat, ALL),
    CALL(fstat, ALL),
    CALL(newfstatat, ALL),
    CALL(statx, ALL),
    CALL(faccessat, ALL),
    CALL(faccessat2, ALL),
    CALL(readlinkat, ALL),
    CALL(getdents64, ALL),
    CALL(getcwd, ALL),
    CALL(chdir, ALL),
    CALL(fchdir, ALL),
    CALL(mkdirat, ALL),
    CALL(unlinkat, ALL),
    CALL(renameat, ALL),
    CALL(renameat2, ALL),
    CALL(ftruncate, ALL),
    CALL(fallocate, ALL),
    CALL(fsync, ALL),
    CALL(fdatasync, ALL),
    CALL(statfs, ALL),
    CALL(fstatfs, ALL),
    CALL(umask, ALL),
    CALL(fchmod, ALL_NO_EFFECT),
    CALL(fchmodat, ALL_NO_EFFECT),
    CALL(utimensat, ALL_NO_EFFECT),
    CALL(fchown, FORKING),
    CALL(linkat, FORKING),
    CALL(symlinkat, FORKING),
    CALL(getxattr, FORKING),
    CALL(lgetxattr, FORKING),
    CALL(fgetxattr, FORKING),
    CALL(listxattr, FORKING),
    CALL(llistxattr, FORKING),
    CALL(flistxattr, FORKING),
    CALL(splice, FORKING),
#ifdef __x86_64__
    CALL(open, ALL),
    CALL(stat, ALL),
    CALL(lstat, ALL),
    CALL(access, ALL),
    CALL(readlink, ALL),
    CALL(getdents, ALL),
    CALL(mkdir, ALL),
    CALL(rmdir, ALL),
    CALL(unlink, ALL),
    CALL(rename, ALL),
    CALL(creat, ALL),
    CALL(chmod, ALL_NO_EFFECT),
    CALL(utime, ALL_NO_EFFECT),
    CALL(utimes, ALL_NO_EFFECT),
    CALL(futimesat, ALL_NO_EFFECT),
    CALL(link, FORKING),
    CALL(symlink, FORKING),
#endif
    /* memory and threads */
    CALL(brk, ALL),
    CALL(mmap, ALL),
    CALL(munmap, ALL),
    CALL(mremap, ALL),
    CALL(mprotect, ALL),
    CALL(madvise, ALL),
    CALL(msync, ALL),
    CALL(mincore, ALL),
    CALL(futex, ALL),
    CALL(set_robust_list, ALL),
    CALL(get_robust_list, ALL),
    CALL(rseq, ALL),
    CALL(set_tid_address, ALL),
    CALL(membarrier, ALL),
    CALL(sched_yield, ALL),
    CALL(sched_getaffinity, ALL),
    CALL(sched_getparam, ALL),
    CALL(sched_getscheduler, ALL),
    CALL(getcpu, ALL),
    /* the process itself */
    CALL(exit, ALL),
    CALL(exit_group, ALL),
    CALL(execve, ALL),
    CALL(getpid, ALL),
    CALL(getppid, ALL),
    CALL(gettid, ALL),
    CALL(getuid, ALL),
    CALL(geteuid, ALL),
    CALL(getgid, ALL),
    CALL(getegid, ALL),
    CALL(getresuid, ALL),
    CALL(getresgid, ALL),
    CALL(getgroups, ALL),
    CALL(getpgid, ALL),
    CALL(getsid, ALL),
    CALL(uname, ALL),
    CALL(sysinfo, ALL),
    CALL(times, ALL),
    CALL(getrusage, ALL),
    CALL(getrandom, ALL),
    CALL(setrlimit, ALL),
    CALL(getrlimit, ALL),
    CALL(rt_sigaction, ALL),
    CALL(rt_sigprocmask, ALL),
    CALL(rt_sigreturn, ALL),
    CALL(rt_sigpending, ALL),
    CALL(rt_sigtimedwait, ALL),
    CALL(rt_sigsuspend, ALL),
    CALL(sigaltstack, ALL),
    CALL(setitimer, ALL),
    CALL(getitimer, ALL),
    CALL(restart_syscall, ALL),
    CALL(wait4, ALL),
    CALL(waitid, ALL),
    CALL(setsid, FORKING),
    CALL(setpgid, FORKING),
    CALL(getpriority, FORKING),
    CALL(capget, FORKING),
    CALL(timerfd_create, FORKING),
    CALL(timerfd_settime, FORKING),
    CALL(timerfd_gettime, FORKING),
    CALL(signalfd4, FORKING),
#ifdef __x86_64__
    CALL(arch_prctl, ALL),
    CALL(getpgrp, ALL),
    CALL(pause, ALL),
    CALL(alarm, ALL),
    CALL(fork, FORKING),
    CALL(vfork, FORKING),
#endif
    /* time */
    CALL(clock_gettime, ALL),
    CALL(clock_getres, ALL),
    CALL(clock_nanosleep, ALL),
    CALL(nanosleep, ALL),
    CALL(gettimeofday, ALL),
#ifdef __x86_64__
    CALL(time, ALL),
#endif
};

/* Requests of ioctl: properties of terminals, pipes and descriptors. TIOCSTI and FIOSETOWN, which
 * reach other processes, are not among them. */
static const uint32_t requests[] = {
    0x5401 /* TCGETS */, 0x5413 /* TIOCGWINSZ */, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX};

/* Commands of fcntl. F_SETOWN, F_SETSIG and F_NOTIFY would send signals to other processes. */
static const uint32_t commands[] = {
    F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,     F_GETFL,      F_SETFL,     F_GETLK,
    F_SETLK, F_SETLKW,        F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW, F_GETPIPE_SZ};

#define INSTRUCTIONS 1024

typedef struct program {
    struct sock_filter code[INSTRUCTIONS];
    unsigned short count;
} program;

static void add(program *p, uint16_t code, uint32_t value, uint8_t yes, uint8_t no)
{
    if (p->count < INSTRUCTIONS) {
        p->code[p->count] = (struct sock_filter){code, yes, no, value};
    }
    p->count++;
}

static void load(program *p, size_t offset)
{
    add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Loads the lower or the upper half of an argument. Both architectures are little-endian. */
static void load_argument(program *p, unsigned argument, bool upper)
{
    load(p, offsetof(struct seccomp_data, args) + 8 * argument + (upper ? 4 : 0));
}

static void finish(program *p, uint32_t action)
{
    add(p, BPF_RET | BPF_K, action, 0, 0);
}

/* If the loaded value is `value`, the filter ends with `action`. */
static void finish_if(program *p, uint32_t value, uint32_t action)
{
    add(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    finish(p, action);
}

#define REFUSE (SECCOMP_RET_ERRNO | EPERM)

/* The rules of one call with arguments; they end with an action. `rules` is written to a program of
 * its own first, because the jump over it needs its length. */
static void add_rules(program *p, int number, const program *rules)
{
    add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, (uint8_t)rules->count);
    for (unsigned short i = 0; i < rules->count; i++) {
        add(p, rules->code[i].code, rules->code[i].k, rules->code[i].jt, rules->code[i].jf);
    }
}

/* The call is allowed if its argument is one of the values. */
static void allow_values(program *p, int number, unsigned argument, const uint32_t *values,
                         size_t count)
{
    program rules = {.count = 0};
    load_argument(&rules, argument, false);
    for (size_t i = 0; i < count; i++) {
        finish_if(&rules, values[i], SECCOMP_RET_ALLOW);
    }
    finish(&rules, REFUSE);
    add_rules(p, number, &rules);
}

/* clone starts a thread; with `forks` also a process, but never in new namespaces. */
static void allow_clone(program *p, bool forks)
{
    static const uint32_t forbidden = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC
                                      | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE
                                      | CLONE_PARENT;
    program rules = {.count = 0};
    load_argument(&rules, 0, false);
    add(&rules, BPF_JMP | BPF_JSET | BPF_K, forbidden, 0, 1);
    finish(&rules, REFUSE);
    if (!forks) {
        add(&rules, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0);
        finish(&rules, REFUSE);
    }
    finish(&rules, SECCOMP_RET_ALLOW);
    add_rules(p, SYS_clone, &rules);
}

/* A process may raise signals for itself (abort). A program with processes may send signals to
 * them if it sees no others: in a PID namespace, or with Landlock's scope of signals. */
static void allow_signals(program *p, bool others)
{
    uint32_t self = (uint32_t)getpid();
    const int numbers[] = {SYS_tgkill, SYS_kill};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (others) {
            finish_if(p, (uint32_t)numbers[i], SECCOMP_RET_ALLOW);
        } else {
            allow_values(p, numbers[i], 0, &self, 1);
        }
    }
}

static void write_program(const sandbox *s, program *p)
{
    static const uint32_t names[] = {PR_SET_NAME, PR_GET_NAME}, own = 0;
    static const uint32_t local = 1; /* AF_UNIX */
    load(p, offsetof(struct seccomp_data, arch));
    add(p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    finish(p, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, nr));
#ifdef X32_BIT
    add(p, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    finish(p, SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++) {
        if (allowed[i].whom != FORKING || s->forks) {
            bool nothing = allowed[i].whom == ALL_NO_EFFECT;
            finish_if(p, (uint32_t)allowed[i].number,
                      nothing ? SECCOMP_RET_ERRNO : SECCOMP_RET_ALLOW);
        }
    }
    finish_if(p, SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
    allow_values(p, SYS_ioctl, 1, requests, sizeof(requests) / sizeof(requests[0]));
    allow_values(p, SYS_fcntl, 1, commands, sizeof(commands) / sizeof(commands[0]));
    allow_values(p, SYS_prctl, 0, names, sizeof(names) / sizeof(names[0]));
    allow_values(p, SYS_prlimit64, 0, &own, 1);
    allow_clone(p, s->forks);
    allow_signals(p, s->forks && (s->namespaces || sandbox_landlock_version() >= 6));
    if (s->forks) {
        allow_values(p, SYS_socketpair, 0, &local, 1);
    }
    finish(p, REFUSE);
}

const char *sandbox_limit_calls(const sandbox *s)
{
#ifndef ARCHITECTURE
    (void)s;
    errno = ENOTSUP;
    return "seccomp";
#else
    static program p;
    p.count = 0;
    write_program(s, &p);
    if (p.count > INSTRUCTIONS) {
        errno = E2BIG;
        return "seccomp";
    }
    const struct sock_fprog filter = {p.count, p.code};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? NULL : "seccomp";
#endif
}
