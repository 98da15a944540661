/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard_path.c - finds libexec/haft/guard: the path given by the program, a path relative to the
 * program, or the configured installation directory. Tests: tests/exec/guard_path_test.c.
 */
#include <limits.h>
#include <unistd.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "exec/executor.h"

/* Candidates relative to the directory of the program: an installed tree (bin/haft) or a build tree
 * (build/haft; build/tests/haft-tests has the layout of an installed tree). */
static const char *const candidates[] = {"/../libexec/haft/guard", "/libexec/haft/guard"};

static haft_status keep(const char *path, char **ret_path, haft_error *err)
{
    char whole[PATH_MAX]; /* absolute, because commands run in other directories */
    if (access(path, X_OK) != 0 || realpath(path, whole) == NULL) {
        return HAFT_NOT_FOUND;
    }
    size_t size = strlen(whole) + 1;
    char *copy = malloc(size);
    if (copy == NULL) {
        return haft__fail_no_memory(err);
    }
    memcpy(copy, whole, size);
    *ret_path = copy;
    return HAFT_OK;
}

/* The directory of the running program without a trailing slash; false if it is unknown. */
static bool find_program(char directory[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", directory, PATH_MAX - 1);
    if (length <= 0) {
        return false;
    }
    directory[length] = '\0';
    char *slash = strrchr(directory, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = '\0';
    return true;
}

haft_status haft__guard_find(const char *given, char **ret_path, haft_error *err)
{
    char directory[PATH_MAX], path[PATH_MAX + 64];
    haft_status status = HAFT_NOT_FOUND;
    if (given != NULL) {
        status = keep(given, ret_path, err);
        return status == HAFT_NOT_FOUND ? haft__fail(err, HAFT_NOT_FOUND, given, "no such program")
                                        : status;
    }
    bool known = find_program(directory);
    for (size_t i = 0; i < COUNT(candidates) && known && status == HAFT_NOT_FOUND; i++) {
        (void)snprintf(path, sizeof(path), "%s%s", directory, candidates[i]);
        status = keep(path, ret_path, err);
    }
    if (status == HAFT_NOT_FOUND) {
        status = keep(HAFT_LIBEXECDIR "/guard", ret_path, err);
    }
    return status == HAFT_NOT_FOUND
               ? haft__fail(err, HAFT_NOT_FOUND, HAFT_LIBEXECDIR "/guard",
                            "no such program, and none in libexec/haft next to this executable")
               : status;
}
