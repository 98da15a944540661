/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sandbox_landlock.c - which files the program can open, create and execute.
 *
 * Everything that the kernel's version of Landlock can refuse is refused, except in the allowed
 * paths. The numbers are those of the kernel's interface; headers of a distribution may be older
 * than its kernel.
 */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RIGHT(bit)  (UINT64_C(1) << (bit))
#define EXECUTE     RIGHT(0)
#define WRITE_FILE  RIGHT(1)
#define READ_FILE   RIGHT(2)
#define READ_DIR    RIGHT(3)
#define REMOVE_DIR  RIGHT(4)
#define REMOVE_FILE RIGHT(5)
#define MAKE_DIR    RIGHT(7)
#define MAKE_REG    RIGHT(8)
#define MAKE_SYM    RIGHT(12)
#define REFER       RIGHT(13)
#define TRUNCATE    RIGHT(14)
#define OF_FILES    (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE)

/* The number of file rights of each version; version 4 and 6 added none. */
static const int right_counts[] = {0, 13, 14, 15, 15, 16, 16};

enum {
    CREATE_VERSION = 1, /* flag: return the version */
    RULE_PATH = 1,
    TCP_RIGHTS = 3,  /* bind and connect; version 4 */
    SCOPE_RIGHTS = 3 /* abstract sockets and signals; version 6 */
};

typedef struct ruleset_attr {
    uint64_t files, network, scoped;
} ruleset_attr;

typedef struct __attribute__((packed)) path_attr {
    uint64_t rights;
    int32_t parent;
} path_attr;

int sandbox_landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
    return version > 0 ? (int)version : 0;
}

static uint64_t known_rights(int version)
{
    int newest = (int)(sizeof(right_counts) / sizeof(right_counts[0])) - 1;
    return RIGHT(right_counts[version < newest ? version : newest]) - 1;
}

/* A path that does not exist is not an error: there is nothing to allow. */
static bool allow(int ruleset, uint64_t known, const char *path, uint64_t rights)
{
    struct stat info;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT || errno == ENOTDIR;
    }
    bool file = fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode);
    path_attr rule = {rights & known & (file ? OF_FILES : ~UINT64_C(0)), fd};
    bool done = syscall(SYS_landlock_add_rule, ruleset, RULE_PATH, &rule, 0) == 0;
    int error = errno;
    (void)close(fd);
    errno = error;
    return done;
}

static bool allow_all(const sandbox *s, int ruleset, uint64_t known, const char *scratch)
{
    static const uint64_t reads = READ_FILE | READ_DIR;
    static const uint64_t writes = READ_FILE | READ_DIR | WRITE_FILE | REMOVE_DIR | REMOVE_FILE
                                   | MAKE_DIR | MAKE_REG | REFER | TRUNCATE;
    uint64_t links = s->forks ? MAKE_SYM : 0;
    bool done = allow(ruleset, known, scratch, writes | links);
    for (size_t i = 0; i < s->path_count && done; i++) {
        const sandbox_path *p = &s->paths[i];
        uint64_t rights = (p->write ? writes | links : reads) | (p->execute ? EXECUTE : 0);
        done = allow(ruleset, known, p->path, rights);
    }
    return done;
}

const char *sandbox_limit_files(const sandbox *s, const char *scratch)
{
    int version = sandbox_landlock_version();
    if (version == 0) {
        return s->namespaces ? NULL : "landlock"; /* errno is that of the query */
    }
    uint64_t known = known_rights(version);
    ruleset_attr attr = {known, version >= 4 ? TCP_RIGHTS : 0, version >= 6 ? SCOPE_RIGHTS : 0};
    size_t size = version >= 6   ? sizeof(attr)
                  : version >= 4 ? offsetof(ruleset_attr, scoped)
                                 : offsetof(ruleset_attr, network);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, size, 0);
    if (ruleset < 0) {
        return "landlock_create_ruleset";
    }
    bool done = allow_all(s, ruleset, known, scratch);
    const char *failed = done ? NULL : "landlock_add_rule";
    if (done && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) {
        failed = "landlock_restrict_self";
    }
    int error = errno;
    (void)close(ruleset);
    errno = error;
    return failed;
}
