/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox_root.c - a private root directory, in the program's own mount namespace.
 *
 * The root is a small tmpfs, read-only at the end. It has the allowed paths, mounted from the host
 * under their own names, and /scratch, a tmpfs of limited size. There is no /proc, /sys or /dev,
 * except devices that are allowed paths. The paths are opened before the root is mounted, because
 * the root hides what was there.
 */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SCRATCH   "/scratch"
#define ROOT_SIZE "size=1m,nr_inodes=4096,mode=0755"

/* From <sys/mount.h>, which conflicts with <linux/mount.h> in some versions of libc. */
extern int mount(const char *source, const char *target, const char *type, unsigned long flags,
                 const void *data);
extern int umount2(const char *target, int flags);

enum {
    READ_ONLY = 1,
    NO_SETUID = 2,
    NO_DEVICES = 4,
    NO_EXECUTION = 8,
    BIND_REMOUNT = 4096 | 32,
    RECURSIVE_PRIVATE = 16384 | (1 << 18),
    DETACH = 2,
};

/* Where the root is mounted first: any directory that exists on every system. */
static const char *const places[] = {"/tmp", "/usr", "/etc"};

/* Creates the directories of a path below the root, and the path itself. */
static bool make_path(int root, const char *path, bool file)
{
    char name[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof(name)) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(name, path, length + 1);
    for (char *at = strchr(name, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        if (name[0] != '\0' && mkdirat(root, name, 0755) != 0 && errno != EEXIST) {
            return false;
        }
        *at = '/';
    }
    if (!file) {
        return mkdirat(root, name, 0755) == 0 || errno == EEXIST;
    }
    int fd = openat(root, name, O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd >= 0 ? close(fd) == 0 : errno == EEXIST;
}

/* A copy of the mounts at a path, not attached anywhere. -1 with ENOENT if it does not exist. */
static int open_tree_of(const char *path)
{
    return (int)syscall(SYS_open_tree, AT_FDCWD, path,
                        OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
}

/* Attaches the mounts below the root. Devices are usable only if the path itself is a device. */
static bool attach(int root, int tree, const sandbox_path *path)
{
    struct stat info;
    if (fstat(tree, &info) != 0) {
        return false;
    }
    const char *name = path->path + 1;
    bool device = S_ISCHR(info.st_mode);
    struct mount_attr attr = {.attr_set = NO_SETUID | (path->write ? 0 : READ_ONLY)
                                          | (device ? 0 : NO_DEVICES)};
    return make_path(root, name, !S_ISDIR(info.st_mode))
           && syscall(SYS_move_mount, tree, "", root, name, MOVE_MOUNT_F_EMPTY_PATH) == 0
           && syscall(SYS_mount_setattr, root, name, AT_RECURSIVE, &attr, sizeof(attr)) == 0;
}

/* A later path may be below an earlier one, and then exists already: it is mounted over it. */
static const char *attach_all(const sandbox *s, int root, const int *trees)
{
    for (size_t i = 0; i < s->path_count; i++) {
        if (trees[i] >= 0 && !attach(root, trees[i], &s->paths[i])) {
            return "mount of an allowed path";
        }
    }
    return NULL;
}

static const char *mount_scratch(const sandbox *s, int root, int *ret_scratch)
{
    char options[96];
    (void)snprintf(options, sizeof(options), "size=%llu,nr_inodes=%llu,mode=0700",
                   (unsigned long long)s->scratch_bytes, (unsigned long long)s->scratch_files);
    if (mkdirat(root, SCRATCH + 1, 0700) != 0 && errno != EEXIST) {
        return "mkdir of the scratch directory";
    }
    if (mount("tmpfs", SCRATCH, "tmpfs", NO_SETUID | NO_DEVICES | (s->forks ? 0 : NO_EXECUTION),
              options)
        != 0) {
        return "mount of the scratch directory";
    }
    *ret_scratch = open(SCRATCH, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *ret_scratch >= 0 ? NULL : "open of the scratch directory";
}

/* Mounts the new root and makes it the root of this process. */
static const char *change_root(int *ret_root)
{
    size_t i = 0;
    while (i < sizeof(places) / sizeof(places[0])
           && mount("tmpfs", places[i], "tmpfs", NO_SETUID | NO_DEVICES, ROOT_SIZE) != 0) {
        i++;
    }
    if (i == sizeof(places) / sizeof(places[0]) || chdir(places[i]) != 0) {
        return "mount of a private root";
    }
    if (syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", DETACH) != 0 || chdir("/") != 0) {
        return "pivot_root";
    }
    *ret_root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *ret_root >= 0 ? NULL : "open of the private root";
}

const char *sandbox_enter_root(const sandbox *s, int *ret_scratch)
{
    int trees[SANDBOX_PATHS], root = -1;
    if (mount("none", "/", NULL, RECURSIVE_PRIVATE, NULL) != 0) {
        return "mount of the root as private";
    }
    for (size_t i = 0; i < s->path_count; i++) {
        trees[i] = open_tree_of(s->paths[i].path);
        if (trees[i] < 0 && errno != ENOENT) {
            return "open_tree of an allowed path";
        }
    }
    const char *failed = change_root(&root);
    failed = failed == NULL ? attach_all(s, root, trees) : failed;
    failed = failed == NULL ? mount_scratch(s, root, ret_scratch) : failed;
    if (failed == NULL
        && mount("none", "/", NULL, BIND_REMOUNT | READ_ONLY | NO_SETUID | NO_DEVICES, NULL) != 0) {
        failed = "remount of the private root";
    }
    int error = errno;
    for (size_t i = 0; i < s->path_count; i++) {
        if (trees[i] >= 0) {
            (void)close(trees[i]);
        }
    }
    if (root >= 0) {
        (void)close(root);
    }
    errno = error;
    return failed;
}
