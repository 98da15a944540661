/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c - starts a program and stays with it: its limits, and the end of all it started. */
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    (void)argc;
    (void)execvp(argv[1], argv + 1);
    perror(argv[1]);
    return 127;
}
