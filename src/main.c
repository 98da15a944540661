/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the haft command: connects the command line and the servers, and sets up the process.
 *
 * Output that could not be written is a failure, also if the reader closed the pipe or the disk is
 * full: a script must not mistake half a result for a whole one. Tests: tests/cli/output_test.py,
 * tests/cli/faults_test.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/macros.h"
#include "cli/command.h"
#include "io/session.h"
#include "serve/services.h"

/* The memory of this process may contain keys. No other process of the user may read it (such as a
 * tool, through /proc), and no core file may contain it. Leak checkers must read it, so builds with
 * ASan allow that. */
static void protect_process_memory(void)
{
    struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    if (!HAFT__ASAN) {
        (void)prctl(PR_SET_DUMPABLE, 0);
    }
}

/* A file or socket that haft opens must not get the number of a standard descriptor that the caller
 * closed. Each is opened for the wrong direction: reading and writing still fail, and are reported.
 */
static void replace_closed_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        bool closed = fcntl(fd, F_GETFD) == -1 && errno == EBADF;
        if (closed && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) == -1) {
            _exit(HAFT__EXIT_FAILED); /* nowhere to say why */
        }
    }
}

/* The program that reads the output has ended, such as `head`: it needs no more. */
static bool has_no_reader(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

int main(int argc, char **argv)
{
    replace_closed_descriptors();
    protect_process_memory();
    haft__session_adopt_orphans();
    (void)signal(SIGPIPE, SIG_IGN); /* so that writing fails, and haft can report it */
    (void)signal(SIGXFSZ, SIG_IGN); /* the same for a file that must not grow (ulimit -f) */
    haft__exit_status result = haft__cli_run(argc, argv, &haft__services_all, stdout, stderr);
    int failed_before = ferror(stdout);
    bool unread = has_no_reader();
    errno = 0;
    if (fclose(stdout) != 0 || failed_before) {
        const char *reason = errno != 0 ? strerror(errno) : "an earlier write failed";
        if (!unread) {
            (void)fprintf(stderr, "haft: cannot write the output: %s\n", reason);
        }
        return HAFT__EXIT_FAILED;
    }
    return (int)result;
}
