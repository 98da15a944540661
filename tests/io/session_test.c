/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/io/session.c. tests/exec/command/command_test.c kills real guards. */
#include "io/session.h"

#include <poll.h>
#include <string.h>

#include "base/limits.h"
#include "process_help.h"

TEST(lines_of_proc_stat_are_parsed)
{
    static const struct {
        const char *line;
        bool good;
        haft__process found;
    } cases[] = {
        {"12 (sh) S 3 4 5 0 -1", true, {12, 3, 4, 5, 'S'}},
        {"12 (a) R 9 9 9) Z 3 4 5 0", true, {12, 3, 4, 5, 'Z'}}, /* a name with ')' */
        {"12 () S 0 0 0", true, {12, 0, 0, 0, 'S'}},
        {"", false, {0}},
        {"12 (sh)", false, {0}},
        {"12 (sh) S 3 4", false, {0}},
        {"12 (sh) S 3 4 x 0", false, {0}},
        {"x (sh) S 3 4 5 0", false, {0}},
        {"12 sh S 3 4 5 0", false, {0}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__process found = {0};
        CHECK_INT(haft__process_parse(cases[i].line, &found), cases[i].good, "%s", cases[i].line);
        if (cases[i].good) {
            CHECK(found.id == cases[i].found.id && found.parent == cases[i].found.parent
                      && found.group == cases[i].found.group
                      && found.session == cases[i].found.session
                      && found.state == cases[i].found.state,
                  "%s", cases[i].line);
        }
    }
}

/* Starts a child in its own session, as guard does. */
static pid_t start(const char *script, const char *file)
{
    (void)fflush(stdout);
    pid_t id = fork();
    if (id == 0) {
        (void)setsid();
        (void)execl("/bin/sh", "sh", "-c", script, "sh", file, (char *)NULL);
        _exit(99);
    }
    return id;
}

TEST(processes_of_a_session_are_killed_and_others_stay)
{
    const char *folder = help_folder();
    const char *file = help_path(folder, "id"), *other_file = help_path(folder, "other");
    /* `set -m`: each job has its own process group, as the program of a guard. */
    pid_t leader = start("set -m; sleep 1000 & echo $! >$1", file);
    pid_t other = start("echo $$ >$1; exec sleep 1000", other_file);
    pid_t member = help_read_id(file);
    CHECK_INT(help_read_id(other_file), other, "the PID of the child in another session");
    CHECK_INT(waitpid(leader, NULL, 0), leader, "the leader did not end");
    CHECK(help_is_alive(member), "the member has already ended");
    /* A child that runs the given program belongs to another call. */
    char program[PATH_MAX] = "", link[64];
    (void)snprintf(link, sizeof(link), "/proc/%ld/exe", (long)other);
    /* The child writes its PID before it becomes sleep. */
    for (int i = 0; i < 10000 && strstr(program, "sleep") == NULL; i++) {
        memset(program, 0, sizeof(program));
        CHECK(readlink(link, program, sizeof(program) - 1) > 0, "the program of the child");
        (void)poll(NULL, 0, 1);
    }
    CHECK(haft__session_kill(leader, program), "a process is left");
    CHECK(help_is_gone(member), "the member is still running");
    CHECK(help_is_alive(other), "a child with the program of guard was killed");
    (void)kill(other, SIGKILL);
    CHECK_INT(waitpid(other, NULL, 0), other, "the other child");
    help_remove(folder);
}

/* A process in the leader's group is a guard: it has half of the time to end by itself. */
TEST(a_stuck_guard_is_killed_after_a_grace_period)
{
    const char *folder = help_folder(), *file = help_path(folder, "id");
    pid_t leader = start("sleep 1000 & echo $! >$1", file);
    pid_t member = help_read_id(file);
    CHECK_INT(waitpid(leader, NULL, 0), leader, "the leader did not end");
    uint64_t begun = haft__clock_monotonic();
    CHECK(haft__session_kill(leader, "/no/guard"), "a process is left");
    CHECK(haft__clock_monotonic() - begun >= HAFT__LIMIT_EXEC_SWEEP_MS / 2,
          "the guard had no time to end");
    CHECK(help_is_gone(member), "the guard is still running");
    help_remove(folder);
}
