/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the haft command: everything is in commands.c; here is what only a process can do.
 *
 * Output that did not arrive is a failure, also when the reader went away (a broken pipe) or the
 * disk is full: a script must not take half a result for a whole one.
 * Tests: tests/cli/output_test.py.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

int main(int argc, char **argv)
{
    (void)signal(SIGPIPE, SIG_IGN); /* so that writing fails, and we can say so */
    haft__exit result = haft__cli_run(argc, argv, stdout, stderr);
    errno = 0;
    int failed_before = ferror(stdout);
    if (fclose(stdout) != 0 || failed_before) {
        const char *reason = errno != 0 ? strerror(errno) : "an earlier write failed";
        (void)fprintf(stderr, "haft: the output could not be written: %s\n", reason);
        return HAFT__EXIT_FAILED;
    }
    return (int)result;
}
