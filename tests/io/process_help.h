/* SPDX-License-Identifier: Apache-2.0 */
/* process_help.h - shared by the tests of processes: live processes, open descriptors,
 * directories. */
#ifndef HAFT_TESTS_PROCESS_HELP_H
#define HAFT_TESTS_PROCESS_HELP_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/clock.h"
#include "test.h"

/* Far longer than any test takes; reached only if a test fails. */
#define HELP_PATIENCE_MS 300000

static inline int help_count_fds(void)
{
    int count = 0;
    DIR *fds = opendir("/proc/self/fd");
    if (fds == NULL) {
        return -1;
    }
    while (readdir(fds) != NULL) {
        count++;
    }
    (void)closedir(fds);
    return count;
}

static inline bool help_has_children(void)
{
    return waitpid(-1, NULL, WNOHANG) >= 0;
}

/* Whether the process exists and is not a zombie. */
static inline bool help_is_alive(pid_t id)
{
    char path[64], text[256] = "";
    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)id);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    ssize_t length = read(file, text, sizeof(text) - 1);
    (void)close(file);
    const char *after = length > 0 ? strrchr(text, ')') : NULL;
    return after != NULL && after[1] == ' ' && after[2] != 'Z' && after[2] != 'X';
}

static inline bool help_is_gone(pid_t id)
{
    for (uint64_t start = haft__clock_now(); help_is_alive(id); haft__clock_sleep(1)) {
        if (haft__clock_now() - start > HELP_PATIENCE_MS) {
            return false;
        }
    }
    return true;
}

/* A new directory; its path is valid until the test ends, the directory until help_remove. */
static inline const char *help_folder(void)
{
    static const char form[] = "/tmp/haft-test-XXXXXX";
    char *path = test_alloc(sizeof(form));
    if (path == NULL) {
        abort(); /* never; gcc with UBSan would warn that it could be NULL below */
    }
    memcpy(path, form, sizeof(form));
    CHECK(mkdtemp(path) != NULL, "no directory: %s", strerror(errno));
    return path;
}

/* The path of a file in the directory; valid until the test ends. */
static inline const char *help_path(const char *folder, const char *name)
{
    char *path = test_alloc(PATH_MAX);
    (void)snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return path;
}

static inline void help_write(const char *path, const char *text, mode_t mode)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text), "%s", path);
    CHECK(fchmod(file, mode) == 0, "%s", path);
    (void)close(file);
}

/* Waits for a line with a number in a file that a program writes. 0 if none arrives. */
static inline pid_t help_read_id(const char *path)
{
    for (uint64_t start = haft__clock_now(); haft__clock_now() - start < HELP_PATIENCE_MS;
         haft__clock_sleep(1)) {
        char text[64] = "";
        int file = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t length = file >= 0 ? read(file, text, sizeof(text) - 1) : 0;
        if (file >= 0) {
            (void)close(file);
        }
        if (length > 1 && text[length - 1] == '\n') {
            return (pid_t)strtol(text, NULL, 10);
        }
    }
    return 0;
}

/* Removes a directory without subdirectories. */
static inline void help_remove(const char *folder)
{
    DIR *all = opendir(folder);
    const struct dirent *entry;
    if (all == NULL) {
        CHECK(false, "%s does not exist", folder);
        return;
    }
    while ((entry = readdir(all)) != NULL) {
        (void)unlinkat(dirfd(all), entry->d_name, 0);
    }
    (void)closedir(all);
    CHECK_INT(rmdir(folder), 0, "%s was not removed: %s", folder, strerror(errno));
}

#endif
