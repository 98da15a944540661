/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for libexec/haft/guard.c. No program here has more than a few processes at a time. */
#include <pthread.h>

#include "exec/executor.h"
#include "io/process_help.h"

#define MAX_WORDS 24

/* Runs guard by fork and exec, without other code of haft. */
typedef struct guarded {
    pid_t id;
    int input, output, report; /* the ends of this process */
} guarded;

typedef struct ended {
    int status, signal;
    char output[4096], report[256];
} ended;

static char *guard_path;

static void find_guard(void)
{
    haft_error err = {0};
    CHECK_INT(haft__guard_find(NULL, &guard_path, &err), HAFT_OK, "%s", err.message);
}

static void finish_guard(void)
{
    free(guard_path);
    CHECK(!help_has_children(), "processes are left");
}

static _Noreturn void become_guard(int input, int output, int report, const char *const *words,
                                   const char *const *env)
{
    const char *argv[MAX_WORDS] = {guard_path, "--report", "200"};
    size_t count = 3;
    for (size_t i = 0; words[i] != NULL && count + 1 < MAX_WORDS; i++) {
        argv[count++] = words[i];
    }
    argv[count] = NULL;
    sigset_t some;
    (void)sigemptyset(&some);
    (void)sigaddset(&some, SIGUSR2);
    (void)sigprocmask(SIG_BLOCK, &some, NULL); /* guard unblocks the signals for its program */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)dup2(report, 200);
    (void)dup2(input, STDIN_FILENO);
    (void)dup2(output, STDOUT_FILENO);
    (void)dup2(output, STDERR_FILENO);
    char **own_argv, **own_env; /* guard does not change them */
    const char *const *words_of = argv;
    memcpy(&own_argv, &words_of, sizeof(own_argv));
    memcpy(&own_env, &env, sizeof(own_env));
    (void)execve(guard_path, own_argv, own_env);
    _exit(99);
}

static guarded start_with(const char *const *words, const char *const *env)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, rep[2] = {-1, -1};
    guarded g = {.id = -1};
    CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(rep, O_CLOEXEC) == 0,
          "no pipes");
    (void)fflush(stdout);
    g.id = fork();
    if (g.id == 0) {
        become_guard(in[0], out[1], rep[1], words, env);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    (void)close(rep[1]);
    g.input = in[1];
    g.output = out[0];
    g.report = rep[0];
    return g;
}

static const char *const usual_env[] = {"PATH=/usr/bin:/bin", NULL};

static void read_all(int fd, char *to, size_t size)
{
    size_t length = 0;
    ssize_t count;
    while (length + 1 < size && (count = read(fd, to + length, size - 1 - length)) > 0) {
        length += (size_t)count;
    }
    to[length] = '\0';
}

/* Reads its output to the end, which comes only when no process has the pipes open. */
static ended finish(guarded g)
{
    ended e = {0};
    int status = 0;
    (void)close(g.input);
    read_all(g.output, e.output, sizeof(e.output));
    read_all(g.report, e.report, sizeof(e.report));
    (void)close(g.output);
    (void)close(g.report);
    CHECK_INT(waitpid(g.id, &status, 0), g.id, "guard is not a child of this process");
    e.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    e.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return e;
}

#define WORDS(...)    ((const char *const[]){__VA_ARGS__, NULL})
#define SHELL(script) WORDS("--", "sh", "-c", script)

static ended run(const char *const *words)
{
    return finish(start_with(words, usual_env));
}

TEST(guard_ends_as_its_program_does)
{
    static const struct {
        const char *script, *output;
        int status, signal;
    } cases[] = {
        {"exit 0", "", 0, 0},
        {"echo text; exit 3", "text\n", 3, 0},
        {"exit 127", "", 127, 0},
        {"kill -9 $$", "", -1, SIGKILL},
        {"kill -TERM $$", "", -1, SIGTERM},
        {"kill -SEGV $$", "", -1, SIGSEGV},
        {"kill -XCPU $$", "", -1, SIGXCPU},
        {"echo err >&2", "err\n", 0, 0},
    };
    find_guard();
    for (size_t i = 0; i < COUNT(cases); i++) {
        ended e = run(SHELL(cases[i].script));
        CHECK_INT(e.status, cases[i].status, "%s", cases[i].script);
        CHECK_INT(e.signal, cases[i].signal, "%s", cases[i].script);
        CHECK_STR(haft__str(e.output), haft__str(cases[i].output), "%s", cases[i].script);
        CHECK_STR(haft__str(e.report), HAFT__LIT("ended\n"), "%s", cases[i].script);
    }
    finish_guard();
}

TEST(guard_reports_why_a_program_did_not_start)
{
    find_guard();
    const char *folder = help_folder();
    const char *plain = help_path(folder, "plain"), *no_magic = help_path(folder, "no-magic");
    const char *lost = help_path(folder, "lost"), *other = help_path(folder, "other");
    help_write(plain, "#!/bin/sh\nexit 0\n", 0644);
    help_write(no_magic, "exit 0\n", 0755);
    help_write(lost, "#!/no/such/interpreter\n", 0755);
    help_write(other, "#!/bin/sh\necho found\n", 0755);
    char path[PATH_MAX], empty[] = "PATH=:";
    (void)snprintf(path, sizeof(path), "PATH=/no/such/folder:/etc/passwd::%s:/usr/bin:/bin",
                   folder);
    const struct {
        const char *program, *path, *report;
        int status;
    } cases[] = {
        {"no-such-program", path, "exec ENOENT\n", 127},
        {"/no/such/program", path, "exec ENOENT\n", 127},
        {"", path, "exec ENOENT\n", 127},
        {plain, path, "exec EACCES\n", 126},
        {"plain", path, "exec EACCES\n", 126},
        {"/etc", path, "exec EACCES\n", 126},
        {no_magic, path, "exec ENOEXEC\n", 126}, /* no shell interprets it */
        {"no-magic", path, "exec ENOEXEC\n", 126},
        {lost, path, "exec ENOENT interpreter\n", 126},
        {"lost", path, "exec ENOENT interpreter\n", 126},
        {"/etc/passwd/x", path, "exec ENOTDIR\n", 126},
        {"other", path, "ended\n", 0},
        {"other", empty, "exec ENOENT\n",
         127}, /* an empty part does not mean the working directory */
        {"true", "NO=PATH", "ended\n", 0},
    };
    CHECK_INT(chdir(folder), 0, "chdir");
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *const env[] = {cases[i].path, NULL};
        ended e = finish(start_with(WORDS("--", cases[i].program), env));
        CHECK_INT(e.status, cases[i].status, "%s in %s", cases[i].program, cases[i].path);
        CHECK_STR(haft__str(e.report), haft__str(cases[i].report), "%s", cases[i].program);
        CHECK_INT(e.output[0] != '\0', cases[i].status > 0 || strcmp(cases[i].program, "true") != 0,
                  "%s: whether guard or the program prints anything", cases[i].program);
    }
    CHECK_INT(chdir("/"), 0, "chdir");
    help_remove(folder);
    finish_guard();
}

TEST(guard_rejects_unknown_arguments)
{
    static const char *const cases[][5] = {
        {NULL},
        {"--"},
        {"true"},
        {"--memory", "--", "true"},
        {"--memory", "0", "--", "true"},
        {"--memory", "12k", "--", "true"},
        {"--memory", "-5", "--", "true"},
        {"--memory", "", "--", "true"},
        {"--memory", "99999999999999999999", "--", "true"},
        {"--cpu", "9999999999", "--", "true"},
        {"--files"},
        {"--report", "2", "--", "true"},
        {"--other", "1", "--", "true"},
    };
    find_guard();
    for (size_t i = 0; i < COUNT(cases); i++) {
        ended e = run(cases[i]);
        CHECK_INT(e.status, 2, "case %zu: %s", i, e.output);
        CHECK(strstr(e.output, "usage: guard ") == e.output, "case %zu: %s", i, e.output);
    }
    ended e = run(WORDS("--report", "77", "--", "true"));
    CHECK_INT(e.status, 125, "a descriptor that is not open: %s", e.output);
    finish_guard();
}

TEST(a_guarded_program_inherits_only_its_environment_and_pipes)
{
    find_guard();
    int open_one = dup(STDOUT_FILENO); /* not close-on-exec */
    CHECK_INT(setenv("HAFT_TEST_SECRET", "x", 1), 0, "setenv");
    ended e = run(WORDS("--", "env"));
    CHECK_STR(haft__str(e.output), HAFT__LIT("PATH=/usr/bin:/bin\n"), "environment");
    (void)unsetenv("HAFT_TEST_SECRET");
    e = run(WORDS("--", "ls", "/proc/self/fd"));
    CHECK_STR(haft__str(e.output), HAFT__LIT("0\n1\n2\n3\n"), "descriptors"); /* 3: the folder */
    e = run(WORDS("--", "grep", "-E", "^(SigIgn|SigBlk|NoNewPrivs)", "/proc/self/status"));
    CHECK_STR(haft__str(e.output),
              HAFT__LIT("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nNoNewPrivs:\t1\n"),
              "signals and privileges");
    e = run(SHELL("ulimit -c"));
    CHECK_STR(haft__str(e.output), HAFT__LIT("0\n"), "the size of core files");
    (void)close(open_one);
    finish_guard();
}

TEST(a_guarded_program_has_its_limits)
{
    find_guard();
    ended e = run(WORDS("--memory", "104857600", "--cpu", "100", "--files", "20", "--", "sh", "-c",
                        "ulimit -v; ulimit -t; ulimit -n"));
    CHECK_STR(haft__str(e.output), HAFT__LIT("102400\n100\n20\n"), "limits");
    e = run(WORDS("--memory", "104857600", "--", "sh", "-c",
                  "x=$(head -c 200000000 /dev/zero | tr '\\0' a); echo alive"));
    CHECK(e.status != 0 && strstr(e.output, "alive") == NULL, "the limit on memory: %s", e.output);
    e = run(WORDS("--cpu", "1", "--", "sh", "-c", "while :; do :; done"));
    CHECK_INT(e.signal, SIGXCPU, "the limit on CPU time: %s", e.output);
    e = run(WORDS("--", "sh", "-c", "ulimit -Hn"));
    unsigned long long before = strtoull(e.output, NULL, 10);
    e = run(WORDS("--files", "2147483647", "--", "sh", "-c", "ulimit -Hn"));
    CHECK_INT(strtoull(e.output, NULL, 10), before, "a limit is never raised");
    finish_guard();
}

/* ---- all processes end ---- */

/* The program that the scripts start; its PID is written to the file $1. */
static const struct {
    const char *what, *script;
} leavers[] = {
    {"a child", "sleep 1000 & echo $! >$1"},
    {"one with a session of its own", "setsid sh -c 'echo $$ >'$1'; exec sleep 1000' &"},
    {"a daemon", "(setsid sh -c 'echo $$ >'$1'; exec sleep 1000' &)"},
    {"one that ignores signals",
     "(setsid sh -c 'trap \"\" TERM INT HUP; echo $$ >'$1'; while :; do sleep 1000; done' &)"},
    {"one that is stopped", "sh -c 'echo $$ >'$1'; kill -STOP $$' &"},
    {"a grandchild",
     "sh -c 'sh -c \"setsid sh -c \\\"echo \\\\\\$\\\\\\$ >'$1'; exec sleep 1000\\\"; :\"; "
     ":' &"},
    {"one without descriptors",
     "(setsid sh -c 'echo $$ >'$1'; exec 0<&- 1>&- 2>&-; sleep 1000; :' &)"},
};

static const char *leaver_script(const char *script, const char *last_command)
{
    char *whole = test_alloc(1024);
    (void)snprintf(whole, 1024, "%s\nwhile ! [ -s $1 ]; do :; done; %s", script, last_command);
    return whole;
}

TEST(all_processes_of_a_program_end_with_it)
{
    find_guard();
    const char *folder = help_folder();
    for (size_t i = 0; i < COUNT(leavers); i++) {
        const char *file = help_path(folder, "id");
        const char *script = leaver_script(leavers[i].script, "exit 4");
        ended e = run(WORDS("--", "sh", "-c", script, "sh", file));
        pid_t other = help_read_id(file);
        CHECK(other > 0 && !help_is_alive(other), "%s is still running", leavers[i].what);
        CHECK_INT(e.status, 4, "%s: %s", leavers[i].what, e.output);
        (void)unlink(file);
    }
    help_remove(folder);
    finish_guard();
}

TEST(all_descendants_end_when_guard_is_signalled)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    find_guard();
    const char *folder = help_folder();
    for (size_t i = 0; i < COUNT(leavers); i++) {
        const char *file = help_path(folder, "id");
        const char *script = leaver_script(leavers[i].script, "echo on; trap '' TERM; sleep 1000");
        guarded g = start_with(WORDS("--", "sh", "-c", script, "sh", file), usual_env);
        pid_t other = help_read_id(file);
        char text[4];
        CHECK_INT(read(g.output, text, 3), 3, "%s: no output", leavers[i].what);
        /* The signal of a dead parent has no effect while the parent is alive. */
        CHECK_INT(kill(g.id, SIGUSR1), 0, "%s", leavers[i].what);
        CHECK(help_is_alive(other), "%s ended, but the parent is still alive", leavers[i].what);
        CHECK_INT(kill(g.id, signals[i % COUNT(signals)]), 0, "%s", leavers[i].what);
        ended e = finish(g);
        CHECK(!help_is_alive(other), "%s is still running", leavers[i].what);
        CHECK_INT(e.signal, SIGKILL, "%s", leavers[i].what);
        (void)unlink(file);
    }
    help_remove(folder);
    finish_guard();
}

/* The descendants of a killed guard belong to its supervisor. */
TEST(all_descendants_end_when_guard_is_killed)
{
    find_guard();
    const char *folder = help_folder();
    for (size_t i = 0; i < COUNT(leavers); i++) {
        const char *file = help_path(folder, "id");
        const char *script = leaver_script(leavers[i].script, "kill -9 $PPID; sleep 1000");
        ended e = run(WORDS("--", "sh", "-c", script, "sh", file));
        pid_t other = help_read_id(file);
        CHECK(other > 0 && !help_is_alive(other), "%s is still running", leavers[i].what);
        CHECK_INT(e.status, 125, "%s: exit status", leavers[i].what);
        CHECK_STR(haft__str(e.report), HAFT__LIT("killed\n"), "%s", leavers[i].what);
        (void)unlink(file);
    }
    help_remove(folder);
    finish_guard();
}

/* Guard outlives its supervisor until all processes are killed. The report is empty. */
TEST(all_descendants_end_when_the_supervisor_is_killed)
{
    find_guard();
    const char *folder = help_folder();
    for (size_t i = 0; i < COUNT(leavers); i++) {
        const char *file = help_path(folder, "id");
        const char *script = leaver_script(leavers[i].script, "sleep 1000");
        guarded g = start_with(WORDS("--", "sh", "-c", script, "sh", file), usual_env);
        pid_t other = help_read_id(file);
        CHECK(help_is_alive(other), "%s has already ended", leavers[i].what);
        CHECK_INT(kill(g.id, SIGKILL), 0, "%s", leavers[i].what);
        ended e = finish(g);
        CHECK(help_is_gone(other), "%s is still running", leavers[i].what);
        CHECK_INT(e.signal, SIGKILL, "%s", leavers[i].what);
        CHECK_STR(haft__str(e.report), HAFT__LIT(""), "%s", leavers[i].what);
        (void)unlink(file);
    }
    help_remove(folder);
    finish_guard();
}

/* With --term, PROGRAM and its group get SIGTERM first, even if a shell exits at once; processes
 * that do not exit are killed with all descendants. */
TEST(a_program_has_time_to_exit_after_sigterm)
{
#define ON_TERM "trap 'echo left >$1; exit 5' TERM; echo on; while :; do sleep 0.01; done"
    static const struct {
        const char *name, *ms, *script, *wrote;
        int status, signal;
    } rows[] = {
        {"it leaves", "60000", ON_TERM, "left\n", 5, 0},
        {"last_command a shell", "60000", "(" ON_TERM ") & wait", "left\n", -1, SIGTERM},
        {"it stays", "50",
         "trap '' TERM; setsid sleep 1000 & echo on; while :; do sleep 0.01; done", "", -1,
         SIGKILL},
        {"its child stays", "50", "(trap '' TERM; echo on; exec sleep 1000) & wait", "", -1,
         SIGTERM},
    };
    find_guard();
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *folder = help_folder(), *file = help_path(folder, "it");
        char text[4], found[16] = "";
        guarded g = start_with(
            WORDS("--term", rows[i].ms, "--", "sh", "-c", rows[i].script, "sh", file), usual_env);
        CHECK_INT(read(g.output, text, 3), 3, "%s: no output", rows[i].name);
        CHECK_INT(kill(g.id, SIGTERM), 0, "%s", rows[i].name);
        ended e = finish(g);
        FILE *stream = fopen(file, "r");
        if (stream != NULL) {
            found[fread(found, 1, sizeof(found) - 1, stream)] = '\0';
            (void)fclose(stream);
        }
        CHECK_STR(haft__str(found), haft__str(rows[i].wrote), "%s", rows[i].name);
        CHECK_INT(e.status, rows[i].status, "%s: %s", rows[i].name, e.output);
        CHECK_INT(e.signal, rows[i].signal, "%s", rows[i].name);
        help_remove(folder);
    }
    finish_guard();
}

/* One or two processes at a time and 3000 at most: each forks and exits, and leaves the next one
 * in its own session. */
TEST(a_program_that_forks_again_and_again_is_killed)
{
    static const char script[] = "use POSIX; for (1..3000) { exit 0 if fork; POSIX::setsid(); }"
                                 "open F, '>', $ARGV[0]; print F \"got away\\n\"; sleep 1000";
    if (access("/usr/bin/perl", X_OK) != 0) {
        test_skip("there is no perl");
        return;
    }
    find_guard();
    const char *folder = help_folder(), *file = help_path(folder, "free");
    ended e = run(WORDS("--", "/usr/bin/perl", "-e", script, file));
    CHECK_INT(e.status, 0, "%s", e.output); /* its output was closed: no process is left */
    CHECK(access(file, F_OK) != 0, "the program was never stopped");
    help_remove(folder);
    finish_guard();
}

TEST(processes_that_end_before_the_program_are_reaped)
{
    static const char script[] =
        "(sleep 0.001 &); (true &); (exit 3 &)\n"
        "while [ $(wc -w </proc/$PPID/task/$PPID/children) != 1 ]; do :; done\n"
        "echo alone; exit 5";
    find_guard();
    ended e = run(SHELL(script));
    CHECK_STR(haft__str(e.output), HAFT__LIT("alone\n"), "output");
    CHECK_INT(e.status, 5, "status");
    finish_guard();
}

TEST(guard_does_not_keep_the_pipes_open)
{
    find_guard();
    guarded g = start_with(SHELL("exec 0<&- 1>&- 2>&-; sleep 1000"), usual_env);
    char text[16];
    CHECK_INT(read(g.output, text, sizeof(text)), 0, "the end of the output");
    (void)kill(g.id, SIGTERM);
    (void)finish(g);
    finish_guard();
}

/* ---- the parent ---- */

TEST(all_processes_end_when_the_parent_is_killed)
{
    find_guard();
    const char *folder = help_folder();
    const char *file = help_path(folder, "id"), *own = help_path(folder, "own");
    const char *script = leaver_script(leavers[2].script, "echo $$ >$2; sleep 1000");
    (void)fflush(stdout);
    pid_t parent = fork();
    if (parent == 0) {
        (void)start_with(WORDS("--", "sh", "-c", script, "sh", file, own), usual_env);
        (void)pause();
        _exit(0);
    }
    pid_t other = help_read_id(file), program = help_read_id(own);
    CHECK(help_is_alive(other) && help_is_alive(program),
          "the program or its daemon did not start");
    (void)kill(parent, SIGKILL);
    CHECK_INT(waitpid(parent, NULL, 0), parent, "the parent did not end");
    CHECK(help_is_gone(program), "the program is still running");
    CHECK(help_is_gone(other), "the daemon is still running");
    help_remove(folder);
    finish_guard();
}

TEST(guard_with_a_dead_parent_starts_nothing)
{
    find_guard();
    ended e = run(WORDS("--parent", "1", "--", "echo", "started"));
    CHECK_INT(e.status, 125, "status");
    CHECK_STR(haft__str(e.output), HAFT__LIT(""), "output");
    char self[32];
    (void)snprintf(self, sizeof(self), "%ld", (long)getpid());
    e = run(WORDS("--parent", self, "--", "echo", "started"));
    CHECK_INT(e.status, 0, "status");
    CHECK_STR(haft__str(e.output), HAFT__LIT("started\n"), "output");
    finish_guard();
}

static void *start_in_thread(void *context)
{
    *(guarded *)context = start_with(SHELL("read line; echo $line"), usual_env);
    return NULL;
}

/* For the kernel, the parent is the thread that forked. */
TEST(the_end_of_a_thread_is_not_the_end_of_the_parent)
{
    find_guard();
    guarded g;
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, start_in_thread, &g), 0, "no thread");
    (void)pthread_join(thread, NULL);
    for (int i = 0; i < 100 && help_is_alive(g.id); i++) {
        haft__clock_sleep(1); /* enough time for guard to end by mistake */
    }
    CHECK_INT(write(g.input, "still here\n", 11), 11, "no input");
    ended e = finish(g);
    CHECK_STR(haft__str(e.output), HAFT__LIT("still here\n"), "output after the thread ended");
    finish_guard();
}
