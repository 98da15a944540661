/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox_scratch.c - the scratch directory: creates, measures, reads and removes it.
 *
 * With a private root it is a tmpfs, which vanishes with the program. Without one it is a directory
 * of the host, haft-sandbox-UID/XXXXXX in TMPDIR or /tmp, and sandbox removes it. A sandbox that is
 * killed cannot do that; a lock on the directory says whether its sandbox is alive, and the next
 * one removes what is left. No link is followed: the program had control of the names.
 */
#include "sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    DEPTH = 16,    /* of directories; deeper ones are not counted or collected */
    LISTED = 4096, /* entries of one directory that are collected */
};

/* A visit of the files below a directory. */
typedef struct walk {
    uint64_t bytes, files;
    uint64_t most_bytes, most_files; /* the walk ends when one is exceeded */
    sandbox_keep_file *keep;         /* called for regular files; may be NULL */
    void *context;
} walk;

static bool is_over(const walk *w)
{
    return w->bytes > w->most_bytes || w->files > w->most_files;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void visit_file(walk *w, int directory, const char *entry, const char *name)
{
    struct stat info;
    int fd = openat(directory, entry, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1) {
        w->keep(w->context, name, fd, (uint64_t)info.st_size);
    }
    (void)close(fd);
}

static void visit_directory(walk *w, int directory, const char *path, int depth);

static void visit_entry(walk *w, int directory, const char *entry, const char *path, int depth)
{
    struct stat info;
    char name[SANDBOX_NAME_BYTES];
    int length = snprintf(name, sizeof(name), "%s%s%s", path, path[0] != '\0' ? "/" : "", entry);
    if (fstatat(directory, entry, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        return;
    }
    w->files++;
    w->bytes += (uint64_t)info.st_blocks * 512;
    if (length >= (int)sizeof(name)) {
        return; /* counted, but its name is too long to keep it */
    }
    if (S_ISREG(info.st_mode) && w->keep != NULL) {
        visit_file(w, directory, entry, name);
    } else if (S_ISDIR(info.st_mode) && depth < DEPTH) {
        int fd = openat(directory, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0) {
            visit_directory(w, fd, name, depth + 1);
        }
    }
}

/* Without `keep` the order is that of the system, and nothing is stored: there may be very many. */
static void count_entries(walk *w, int directory, const char *path, int depth)
{
    DIR *list = fdopendir(directory);
    if (list == NULL) {
        (void)close(directory);
        return;
    }
    for (struct dirent *entry; !is_over(w) && (entry = readdir(list)) != NULL;) {
        if (is_entry(entry)) {
            visit_entry(w, dirfd(list), entry->d_name, path, depth);
        }
    }
    (void)closedir(list);
}

/* Takes over `directory`. */
static void visit_directory(walk *w, int directory, const char *path, int depth)
{
    struct dirent **entries = NULL;
    if (w->keep == NULL) {
        count_entries(w, directory, path, depth);
        return;
    }
    int count = scandirat(directory, ".", &entries, is_entry, by_name);
    for (int i = 0; i < count; i++) {
        if (i < LISTED && !is_over(w)) {
            visit_entry(w, directory, entries[i]->d_name, path, depth);
        }
        free(entries[i]);
    }
    free(entries);
    (void)close(directory);
}

static void visit_all(walk *w, const sandbox_scratch *scratch)
{
    int fd = openat(scratch->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        visit_directory(w, fd, "", 0);
    }
}

bool sandbox_scratch_is_full(const sandbox *s, const sandbox_scratch *scratch)
{
    walk w = {.most_bytes = s->scratch_bytes, .most_files = s->scratch_files};
    visit_all(&w, scratch);
    return is_over(&w);
}

void sandbox_scratch_collect(const sandbox_scratch *scratch, sandbox_keep_file *keep, void *context)
{
    walk w = {.most_bytes = UINT64_MAX, .most_files = LISTED, .keep = keep, .context = context};
    if (scratch->fd >= 0) {
        visit_all(&w, scratch);
    }
}

/* ---- creation and removal ---- */

static void remove_below(int directory, int depth);

static void remove_entry(int directory, const char *entry, int depth)
{
    if (unlinkat(directory, entry, 0) == 0 || (errno != EISDIR && errno != EPERM)) {
        return;
    }
    int fd = openat(directory, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        remove_below(fd, depth + 1);
    }
    (void)unlinkat(directory, entry, AT_REMOVEDIR);
}

/* Takes over `directory`. The depth is limited because a path is (PATH_MAX). */
static void remove_below(int directory, int depth)
{
    DIR *list = fdopendir(directory);
    if (list == NULL) {
        (void)close(directory);
        return;
    }
    for (struct dirent *entry; depth < PATH_MAX / 2 && (entry = readdir(list)) != NULL;) {
        if (is_entry(entry)) {
            remove_entry(dirfd(list), entry->d_name, depth);
        }
    }
    (void)closedir(list);
}

static void remove_directory(int parent, const char *name, int fd)
{
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (again >= 0) {
        remove_below(again, 0);
    }
    (void)unlinkat(parent, name, AT_REMOVEDIR);
}

/* Removes the directories whose sandboxes are gone: their locks are free. */
static void remove_stale(int parent)
{
    int again = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again >= 0 ? fdopendir(again) : NULL;
    for (struct dirent *entry; list != NULL && (entry = readdir(list)) != NULL;) {
        int fd = is_entry(entry) ? openat(parent, entry->d_name,
                                          O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                                 : -1;
        if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0) {
            remove_directory(parent, entry->d_name, fd);
        }
        if (fd >= 0) {
            (void)close(fd);
        }
    }
    if (list != NULL) {
        (void)closedir(list);
    }
}

/* Opens the directory of all scratch directories of this user, which others can only pass
 * through. */
static int open_parent(char *path, size_t size)
{
    const char *base = getenv("TMPDIR");
    struct stat info;
    int length = snprintf(path, size, "%s/haft-sandbox-%lu",
                          base != NULL && base[0] == '/' ? base : "/tmp", (unsigned long)geteuid());
    if (length >= (int)size) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (mkdir(path, 0711) != 0 && errno != EEXIST) {
        return -1;
    }
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == geteuid()
                && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0 && fchmod(fd, 0711) == 0;
    if (fd >= 0 && !good) {
        (void)close(fd);
        errno = EACCES; /* another user has created it */
    }
    return good ? fd : -1;
}

/* The lock is taken before another sandbox can see the directory without one: both hold the lock
 * of the parent meanwhile. */
const char *sandbox_scratch_create(sandbox_scratch *scratch, uid_t uid, gid_t gid)
{
    char path[PATH_MAX - 16];
    int parent = open_parent(path, sizeof(path));
    if (parent < 0 || flock(parent, LOCK_EX) != 0) {
        return "scratch directory";
    }
    remove_stale(parent);
    (void)snprintf(scratch->path, sizeof(scratch->path), "%s/XXXXXX", path);
    bool good = mkdtemp(scratch->path) != NULL;
    scratch->own = good;
    scratch->fd = good ? open(scratch->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    good = scratch->fd >= 0 && flock(scratch->fd, LOCK_EX | LOCK_NB) == 0
           && (geteuid() != 0 || fchown(scratch->fd, uid, gid) == 0);
    int error = errno;
    (void)close(parent);
    errno = error;
    return good ? NULL : "scratch directory";
}

void sandbox_scratch_remove(sandbox_scratch *scratch)
{
    if (scratch->own && scratch->fd >= 0) {
        remove_directory(AT_FDCWD, scratch->path, scratch->fd);
    }
    if (scratch->fd >= 0) {
        (void)close(scratch->fd);
    }
    scratch->fd = -1;
}
