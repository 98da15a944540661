/* SPDX-License-Identifier: Apache-2.0 */
/* spawn.c - runs a program to its end and reads its output, without a loop. Tests:
 * tests/exec/sandbox/probe_test.c. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "exec/sandbox/sandbox.h"
#include "io/clock.h"

typedef struct pipes {
    int input[2], output[2];
} pipes;

static void close_pipes(pipes *p)
{
    int *const ends[] = {&p->input[0], &p->input[1], &p->output[0], &p->output[1]};
    for (size_t i = 0; i < COUNT(ends); i++) {
        if (*ends[i] >= 0) {
            (void)close(*ends[i]);
            *ends[i] = -1;
        }
    }
}

static int start(const char *const *words, pipes *p, pid_t *ret_id)
{
    char language[] = "LANG=C.UTF-8", *environment[] = {language, NULL}, **argv;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    memcpy(&argv, &words, sizeof(argv)); /* posix_spawn does not change them */
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) {
        return code;
    }
    (void)posix_spawnattr_init(&attributes);
    (void)sigemptyset(&none);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    code = posix_spawn_file_actions_adddup2(&actions, p->input[0], STDIN_FILENO);
    code =
        code == 0 ? posix_spawn_file_actions_adddup2(&actions, p->output[1], STDOUT_FILENO) : code;
    code = code == 0
               ? posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
               : code;
    code =
        code == 0 ? posix_spawn(ret_id, words[0], &actions, &attributes, argv, environment) : code;
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* Reads until the end of the output. False after the timeout. */
static bool read_output(int fd, uint64_t until_ms, haft__buf *output)
{
    for (;;) {
        char bytes[4096];
        uint64_t now = haft__clock_monotonic();
        struct pollfd event = {fd, POLLIN, 0};
        if (now >= until_ms || output->status != HAFT_OK) {
            return false;
        }
        int ready = poll(&event, 1, (int)(until_ms - now));
        ssize_t count = ready > 0 ? read(fd, bytes, sizeof(bytes)) : -1;
        if (count == 0) {
            return true;
        }
        haft__buf_add(output, bytes, count > 0 ? (size_t)count : 0);
    }
}

haft_status haft__sandbox_spawn(haft__arena *arena, const char *const *words, uint32_t timeout_ms,
                                size_t max, haft__sandbox_finished *ret_finished, haft_error *err)
{
    pipes p = {{-1, -1}, {-1, -1}};
    pid_t id = -1;
    haft__buf output;
    int code = pipe2(p.input, O_CLOEXEC) != 0 || pipe2(p.output, O_CLOEXEC) != 0 ? errno : 0;
    code = code == 0 ? start(words, &p, &id) : code;
    if (code != 0) {
        close_pipes(&p);
        return haft__fail(err, HAFT_IO, words[0], "cannot be started: %s", strerror(code));
    }
    haft__buf_init(&output, max);
    (void)close(p.output[1]);
    p.output[1] = -1;
    *ret_finished = (haft__sandbox_finished){.status = 0};
    ret_finished->timed_out =
        !read_output(p.output[0], haft__clock_monotonic() + timeout_ms, &output);
    if (ret_finished->timed_out) {
        (void)kill(id, SIGKILL);
    }
    close_pipes(&p);
    while (waitpid(id, &ret_finished->status, 0) < 0 && errno == EINTR) {
    }
    ret_finished->output = haft__arena_copy(arena, haft__buf_str(&output));
    haft_status status = output.status == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : HAFT_OK;
    haft__buf_finish(&output);
    return status == HAFT_OK && ret_finished->output.ptr == NULL ? haft__arena_fail(arena, err)
                                                                 : status;
}
