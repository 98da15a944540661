/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launcher.c - bin/haft of the tarball: starts lib/haft with the loader and the libraries that are
 * next to it, whatever the system has. It is linked statically.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail(const char *what)
{
    (void)fprintf(stderr, "haft: %s: %s\n", what, strerror(errno));
    return 127;
}

int main(int argc, char **argv)
{
    char root[PATH_MAX], loader[PATH_MAX + 64], libraries[PATH_MAX + 64], program[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", root, sizeof(root) - 1);
    if (length <= 0) {
        return fail("/proc/self/exe");
    }
    root[length] = '\0';
    for (int up = 0; up < 2; up++) { /* from ROOT/bin/haft to ROOT */
        char *slash = strrchr(root, '/');
        *(slash != NULL ? slash : root) = '\0';
    }
    (void)snprintf(loader, sizeof(loader), "%s/lib/" LOADER, root);
    (void)snprintf(libraries, sizeof(libraries), "%s/lib", root);
    (void)snprintf(program, sizeof(program), "%s/lib/haft", root);

    static char library_path[] = "--library-path", argv0[] = "--argv0", name[] = "haft";
    char **words = calloc((size_t)argc + 7, sizeof(*words));
    if (words == NULL) {
        return fail("out of memory");
    }
    char *first[] = {loader, library_path, libraries, argv0, argc > 0 ? argv[0] : name, program};
    memcpy(words, first, sizeof(first));
    for (int i = 1; i < argc; i++) {
        words[5 + i] = argv[i];
    }
    (void)execv(loader, words);
    return fail(loader);
}
