/* SPDX-License-Identifier: Apache-2.0 */
#include "io/owner.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "test.h"

TEST(this_process_is_not_dead)
{
    char first[128], second[128];
    CHECK_INT(haft__owner_make(first, sizeof(first), NULL), HAFT_OK, "no name");
    CHECK_INT(haft__owner_make(second, sizeof(second), NULL), HAFT_OK, "no name");
    CHECK(strcmp(first, second) != 0, "two names are the same: %s", first);
    CHECK(!haft__owner_is_dead(haft__str(first)), "this process counts as dead: %s", first);
}

TEST(a_process_that_has_ended_is_dead)
{
    int pipes[2];
    char name[128] = "";
    CHECK_INT(pipe(pipes), 0, "no pipe");
    pid_t child = fork();
    if (child == 0) {
        haft_status status = haft__owner_make(name, sizeof(name), NULL);
        ssize_t written = write(pipes[1], name, sizeof(name));
        _exit(status == HAFT_OK && written == (ssize_t)sizeof(name) ? 0 : 1);
    }
    CHECK_INT(read(pipes[0], name, sizeof(name)), sizeof(name), "no name");
    siginfo_t ended;
    CHECK_INT(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0, "no child");
    CHECK(haft__owner_is_dead(haft__str(name)), "a zombie counts as alive: %s", name);
    CHECK_INT(waitpid(child, NULL, 0), child, "no child");
    CHECK(haft__owner_is_dead(haft__str(name)), "a process that has ended counts as alive: %s",
          name);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

TEST(an_unknown_owner_is_not_reported_dead)
{
    static const char *const names[] = {
        "", "/", "a/b/c/d", "0000/1/1/0", "00000000-0000-0000-0000-000000000000/1/1/0", "x/1",
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        CHECK(!haft__owner_is_dead(haft__str(names[i])), "%s", names[i]);
    }
}

/* A PID has no meaning in another container of the same machine. */
TEST(a_process_of_another_namespace_is_unknown)
{
    char own[128] = "", other[160];
    CHECK_INT(haft__owner_make(own, sizeof(own), NULL), HAFT_OK, "no name");
    haft_str rest = haft__str(own), boot = haft__str_split(&rest, '.');
    haft_str space = haft__str_split(&rest, '/');
    uint64_t number = 0;
    CHECK(boot.len == 36 && haft__str_to_u64(space, &number) && number > 0, "%s", own);
    (void)snprintf(other, sizeof(other), "%.*s.%llu/4194304/1/0", HAFT__ARG(boot),
                   (unsigned long long)number);
    CHECK(haft__owner_is_dead(haft__str(other)),
          "a process that does not exist counts as alive: %s", other);
    (void)snprintf(other, sizeof(other), "%.*s.%llu/4194304/1/0", HAFT__ARG(boot),
                   (unsigned long long)number + 1);
    CHECK(!haft__owner_is_dead(haft__str(other)),
          "a process of another PID namespace counts as dead: %s", other);
    (void)snprintf(other, sizeof(other), "%.*s.%llu/1/1/0", HAFT__ARG(boot),
                   (unsigned long long)number);
    CHECK(haft__owner_is_dead(haft__str(other)),
          "a PID that another process has now counts as alive: %s", other);
}
