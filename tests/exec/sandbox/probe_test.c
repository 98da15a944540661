/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/sandbox/probe.c, interpreter.c and spawn.c. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/str.h"
#include "exec/exec.h"
#include "exec/sandbox/sandbox.h"
#include "test.h"

static void write_file(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "%s", path);
    (void)close(fd);
}

TEST(a_script_is_no_interpreter)
{
    char directory[] = "/tmp/haft-probe-XXXXXX", path[64];
    haft__arena arena;
    haft_error err = {0};
    haft__sandbox sandbox = {.uid = HAFT__LIMIT_SANDBOX_UID};
    haft__arena_init(&arena, 1 << 20);
    CHECK(mkdtemp(directory) != NULL, "no directory");
    (void)snprintf(path, sizeof(path), "%s/python3", directory);
    write_file(path, "#!/bin/sh\nexec python3 \"$@\"\n", 0755);
    char loader[128];
    CHECK_INT(haft__elf_read_loader(path, loader, sizeof(loader), &err), HAFT_BAD_INPUT, "%s",
              err.message);
    haft_status status =
        haft__sandbox_find_interpreter(&arena, haft__str(directory), &sandbox, &err);
    if (status == HAFT_NOT_FOUND) { /* no Python below /usr */
        CHECK(strstr(err.message, "python3") != NULL, "%s", err.message);
    } else {
        CHECK_INT(status, HAFT_OK, "%s", err.message);
        CHECK(strcmp(sandbox.interpreter, path) != 0, "%s was taken", path);
        CHECK(sandbox.library_count > 0, "no library");
    }
    (void)unlink(path);
    (void)rmdir(directory);
    haft__arena_finish(&arena);
}

TEST(an_elf_file_names_its_loader)
{
    char loader[128] = "";
    haft_error err = {0};
    CHECK_INT(haft__elf_read_loader("/proc/self/exe", loader, sizeof(loader), &err), HAFT_OK, "%s",
              err.message);
    CHECK(loader[0] == '/' && access(loader, F_OK) == 0, "%s", loader);
    CHECK_INT(haft__elf_read_loader("/nowhere", loader, sizeof(loader), &err), HAFT_NOT_FOUND, "%s",
              err.message);
}

TEST(a_program_that_does_not_end_is_killed)
{
    static const char *const sleeps[] = {"/bin/sh", "-c", "echo begun; sleep 1000", NULL};
    static const char *const prints[] = {"/bin/sh", "-c", "echo out; exit 3", NULL};
    haft__arena arena;
    haft_error err = {0};
    haft__sandbox_finished ran;
    haft__arena_init(&arena, 1 << 20);
    CHECK_INT(haft__sandbox_spawn(&arena, prints, 60000, 100, &ran, &err), HAFT_OK, "%s",
              err.message);
    CHECK_STR(ran.output, HAFT__LIT("out\n"), "output");
    CHECK(!ran.timed_out && WEXITSTATUS(ran.status) == 3, "status %d", ran.status);
    CHECK_INT(haft__sandbox_spawn(&arena, sleeps, 200, 100, &ran, &err), HAFT_OK, "%s",
              err.message);
    CHECK(ran.timed_out && WIFSIGNALED(ran.status), "status %d", ran.status);
    haft__arena_finish(&arena);
}

TEST(a_machine_without_a_helper_is_told_how_to_get_it)
{
    haft__arena arena;
    haft_error err = {0};
    haft__sandbox sandbox;
    haft__sandbox_options options = {.guard = "/nowhere/guard", .path = HAFT__LIT("/usr/bin")};
    haft__arena_init(&arena, 1 << 20);
    CHECK_INT(haft__sandbox_probe(&arena, &options, &sandbox, &err), HAFT_NOT_FOUND, "%s",
              err.message);
    CHECK_STR(haft__str(err.where), HAFT__LIT("/nowhere/sandbox"), "where");
    CHECK(strstr(err.hint, "make install") != NULL, "%s", err.hint);
    options.uid = HAFT__LIT("0");
    CHECK_INT(haft__sandbox_probe(&arena, &options, &sandbox, &err), HAFT_BAD_INPUT, "%s",
              err.message);
    haft__arena_finish(&arena);
}

TEST(the_probe_holds_or_says_what_is_missing)
{
    haft__arena arena;
    haft_error err = {0};
    haft__sandbox sandbox;
    char *guard = NULL;
    haft__arena_init(&arena, 4 << 20);
    CHECK_INT(haft__guard_find(NULL, &guard, &err), HAFT_OK, "%s", err.message);
    for (int namespaces = 0; namespaces <= 1; namespaces++) {
        haft__sandbox_options options = {.guard = guard,
                                         .path = HAFT__LIT("/usr/local/bin:/usr/bin"),
                                         .no_namespaces = namespaces == 0};
        haft_status status = haft__sandbox_probe(&arena, &options, &sandbox, &err);
        if (status != HAFT_OK) {
            CHECK(err.message[0] != '\0' && err.hint[0] != '\0', "%s", err.message);
            test_skip("no sandbox here: %s", err.message);
            break;
        }
        CHECK(namespaces == 1 || sandbox.profile == HAFT__SANDBOX_LANDLOCK, "wrong profile");
        CHECK_INT(sandbox.weaker.len > 0, sandbox.profile == HAFT__SANDBOX_LANDLOCK, "reason");
    }
    free(guard);
    haft__arena_finish(&arena);
}
