/* SPDX-License-Identifier: Apache-2.0 */
/*
 * external_editor.c - runs the editor as git does: a shell splits the words of $EDITOR, and the
 * file is its last argument. Tests: tests/cli/terminal_test.py.
 */
#include "cli/terminal/external_editor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "io/file.h"

/* Milliseconds between two checks whether the editor has ended. The loop cannot wait for its end.
 */
#define CHECK_MS 50

static const char *find_editor(void)
{
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    const char *found = visual != NULL && visual[0] != '\0' ? visual : editor;
    return found != NULL && found[0] != '\0' ? found : NULL;
}

/* ---- the file ---- */

static haft_status fail(haft_error *err, const char *path, const char *what)
{
    return haft__fail(err, HAFT_IO, path, "%s: %s", what, strerror(errno));
}

/* Creates the file; `path` is a template for mkstemps. */
static haft_status write_file(char *path, haft_str text, haft_error *err)
{
    int fd = mkstemps(path, (int)strlen(".json"));
    if (fd < 0) {
        return fail(err, path, "cannot create a file for the editor");
    }
    bool good = fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && haft__file_write_all(fd, text);
    haft_status status = good ? HAFT_OK : fail(err, path, "cannot write the file for the editor");
    (void)close(fd);
    return status;
}

/* ---- the program ---- */

/* Restores the default effect of the terminal's signals in the editor. */
static bool set_signals(posix_spawnattr_t *attributes)
{
    static const int usual[] = {SIGINT, SIGQUIT, SIGTSTP, SIGPIPE, SIGTERM, SIGHUP};
    sigset_t none, defaults;
    (void)sigemptyset(&none);
    (void)sigemptyset(&defaults);
    for (size_t i = 0; i < COUNT(usual); i++) {
        (void)sigaddset(&defaults, usual[i]);
    }
    return posix_spawnattr_setsigmask(attributes, &none) == 0
           && posix_spawnattr_setsigdefault(attributes, &defaults) == 0
           && posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
                  == 0;
}

static bool start_shell(int fd, char *const *argv, pid_t *ret_pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return false;
    }
    if (posix_spawnattr_init(&attributes) != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return false;
    }
    bool good = set_signals(&attributes);
    for (int to = STDIN_FILENO; to <= STDERR_FILENO; to++) {
        good = good && posix_spawn_file_actions_adddup2(&actions, fd, to) == 0;
    }
    good = good && posix_spawn(ret_pid, "/bin/sh", &actions, &attributes, argv, environ) == 0;
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return good;
}

/* Steps the runtime until the editor has ended. Returns whether it succeeded. */
static haft_status wait_for_editor(haft_runtime *runtime, pid_t pid, bool *ret_good,
                                   haft_error *err)
{
    int ended = 0;
    pid_t got = 0;
    haft_status status = HAFT_OK;
    while ((got = waitpid(pid, &ended, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
        int wait = status == HAFT_OK ? haft_runtime_timeout(runtime) : CHECK_MS;
        struct pollfd loop = {.fd = haft_runtime_fd(runtime), .events = POLLIN};
        (void)poll(&loop, 1, wait >= 0 && wait < CHECK_MS ? wait : CHECK_MS);
        if (status == HAFT_OK) {
            status = haft_runtime_step(runtime, 0, err);
        }
    }
    *ret_good = got == pid && WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
    return status;
}

static haft_status run_editor(haft_runtime *runtime, int fd, const char *editor, char *path,
                              haft__arena *arena, haft_error *err)
{
    char shell[] = "sh", option[] = "-c";
    haft_str line = haft__arena_format(arena, "%s \"$1\"", editor);
    char *words = line.ptr != NULL ? haft__arena_alloc(arena, line.len + 1) : NULL;
    if (words == NULL) {
        return haft__arena_fail(arena, err);
    }
    memcpy(words, line.ptr, line.len);
    words[line.len] = '\0';
    char *const argv[] = {shell, option, words, shell, path, NULL};
    pid_t pid = 0;
    bool good = false;
    if (!start_shell(fd, argv, &pid)) {
        return haft__fail(err, HAFT_BAD_STATE, "", "the editor cannot be started: %s", editor);
    }
    haft_status status = wait_for_editor(runtime, pid, &good, err);
    return status != HAFT_OK || good
               ? status
               : haft__fail(err, HAFT_BAD_STATE, "", "the editor failed: %s", editor);
}

haft_status haft__external_editor_run(haft_runtime *runtime, int fd, haft_str text,
                                      haft__arena *arena, haft_str *ret_text, haft_error *err)
{
    const char *editor = find_editor(), *base = getenv("TMPDIR");
    if (editor == NULL) {
        return haft__fail(err, HAFT_NOT_FOUND, "", "no editor: EDITOR is not set");
    }
    haft_str name = haft__arena_format(arena, "%s/haft-XXXXXX.json",
                                       base != NULL && base[0] == '/' ? base : "/tmp");
    char *path = name.ptr != NULL ? haft__arena_alloc(arena, name.len + 1) : NULL;
    if (path == NULL) {
        return haft__arena_fail(arena, err);
    }
    memcpy(path, name.ptr, name.len);
    path[name.len] = '\0';
    haft_status status = write_file(path, text, err);
    if (status == HAFT_OK) {
        status = run_editor(runtime, fd, editor, path, arena, err);
    }
    if (status == HAFT_OK) {
        status = haft__file_read_arena(arena, path, HAFT__LIMIT_RUN_BYTES, ret_text, err);
    }
    (void)unlink(path);
    return status;
}
