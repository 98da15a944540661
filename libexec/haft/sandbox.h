/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.h - declarations shared by the files of libexec/haft/sandbox. */
#ifndef HAFT_LIBEXEC_SANDBOX_H
#define HAFT_LIBEXEC_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    SANDBOX_PATHS = 64,      /* --read and --write options */
    SANDBOX_NAME_BYTES = 256 /* of the path of a kept file */
};

/* A path that the program may use. */
typedef struct sandbox_path {
    const char *path;
    bool write;
    bool execute; /* its files may be executed */
} sandbox_path;

/* The rules of the sandbox; set by the options, then constant. */
typedef struct sandbox {
    sandbox_path paths[SANDBOX_PATHS];
    size_t path_count;
    uint64_t memory, cpu, file, files; /* limits of the process: bytes, seconds, bytes, number */
    uint64_t scratch_bytes, scratch_files;
    uint64_t output;                 /* bytes of each output; more ends the program */
    uint64_t kept_files, kept_bytes; /* files of the scratch directory that are sent to haft */
    uint64_t uid;                    /* the user of the program if this process is root */
    bool namespaces; /* private user, PID, mount, network, IPC, UTS and cgroup namespaces */
    bool framed;     /* haft reads frames; else the program has descriptors 0, 1 and 2 */
    bool forks;      /* the program may start processes */
    char **argv;     /* of the program */
    char **env;
} sandbox;

/* The scratch directory: the only place where the program can write without --write. */
typedef struct sandbox_scratch {
    int fd;          /* -1: none */
    bool own;        /* a directory of the host, which is removed at the end; else a tmpfs */
    char path[4096]; /* of such a directory */
} sandbox_scratch;

/* An error of the setup, sent to haft. */
typedef struct sandbox_failure {
    int code;      /* an errno */
    char what[48]; /* the call or the part of the setup */
} sandbox_failure;

/* ---- sandbox_child.c ---- */

/* Starts the program: returns its PID, or -1 with the reason in *ret_failure. `io` are the
 * descriptors 0 to 4 of the program; 3 and 4 are -1 without frames. */
pid_t sandbox_start(const sandbox *s, sandbox_scratch *scratch, const int io[5],
                    sandbox_failure *ret_failure);

/* ---- the setup, in the program's process; each returns NULL, or the part that failed, with
 * errno ---- */

/* Mounts a private root with only the allowed paths and a scratch directory of limited size. */
const char *sandbox_enter_root(const sandbox *s, int *ret_scratch);

/* Limits which files the program can use: Landlock, if the kernel has it. `scratch` is its path.
 * Without a private root Landlock is required. */
const char *sandbox_limit_files(const sandbox *s, const char *scratch);

/* The version of Landlock; 0 if the kernel has none. */
int sandbox_landlock_version(void);

/* Installs the list of allowed system calls. */
const char *sandbox_limit_calls(const sandbox *s);

/* ---- sandbox_scratch.c ---- */

/* Creates a scratch directory on the host that belongs to `uid`, and removes those that killed
 * sandboxes have left. Returns NULL, or the call that failed, with errno. */
const char *sandbox_scratch_create(sandbox_scratch *scratch, uid_t uid, gid_t gid);

/* Whether the directory has more files or bytes than allowed. */
bool sandbox_scratch_is_full(const sandbox *s, const sandbox_scratch *scratch);

/* Calls `keep` for the regular files, in the order of their names. Links are not followed. */
typedef void sandbox_keep_file(void *context, const char *name, int fd, uint64_t bytes);
void sandbox_scratch_collect(const sandbox_scratch *scratch, sandbox_keep_file *keep,
                             void *context);

/* Removes the directory from the host. */
void sandbox_scratch_remove(sandbox_scratch *scratch);

#endif
