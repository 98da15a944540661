/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/sandbox/sandbox.h - what this machine offers to run a program in a sandbox: the helper, the
 * interpreter, the profile; and the words that start the helper. docs/sandbox.md describes the
 * layers.
 *
 * The search and the probe block for some ten milliseconds: run them on a thread of the pool, or in
 * a command that does nothing else.
 */
#ifndef HAFT_EXEC_SANDBOX_SANDBOX_H
#define HAFT_EXEC_SANDBOX_SANDBOX_H

#include "base/arena.h"
#include "haft.h"

typedef enum haft__sandbox_profile {
    HAFT__SANDBOX_LANDLOCK,   /* no namespaces: the files are protected by Landlock */
    HAFT__SANDBOX_NAMESPACES, /* namespaces and a private root, and Landlock if the kernel has it */
} haft__sandbox_profile;

const char *haft__sandbox_profile_name(haft__sandbox_profile profile);

typedef struct haft__sandbox_options {
    const char *guard;  /* the path of libexec/haft/guard: the helper is next to it */
    haft_str path;      /* PATH: directories that may have the interpreter */
    haft_str uid;       /* HAFT_SANDBOX_UID; "": the default */
    bool no_namespaces; /* use the profile without namespaces */
} haft__sandbox_options;

/* The parts that were found; texts live in the arena. Does not change after the probe. */
typedef struct haft__sandbox {
    const char *helper;
    const char *interpreter; /* an ELF file; NULL if none was found */
    const char *loader;      /* of the interpreter, or NULL */
    haft_str version;        /* of Python, such as 3.11.2 */
    const char **libraries;  /* directories and files that the interpreter reads */
    size_t library_count;
    haft__sandbox_profile profile;
    haft_str weaker; /* why namespaces are not used: the step and the errno; "" if they are */
    int landlock;    /* its version; 0: none */
    uint32_t uid;    /* of the program if haft is root */
} haft__sandbox;

/* Finds everything and runs the canary in the strongest profile that works. UNSUPPORTED if the
 * machine does not offer the minimum, NOT_FOUND if the helper or an interpreter is missing; the
 * error says what is missing and how to fix it. */
HAFT_MUST_USE haft_status haft__sandbox_probe(haft__arena *arena,
                                              const haft__sandbox_options *options,
                                              haft__sandbox *ret_sandbox, haft_error *err);

/* The parts of the probe. */
HAFT_MUST_USE haft_status haft__sandbox_find_interpreter(haft__arena *arena, haft_str path,
                                                         haft__sandbox *io_sandbox,
                                                         haft_error *err);
HAFT_MUST_USE haft_status haft__sandbox_parse_uid(haft_str text, uint32_t *ret_uid,
                                                  haft_error *err);

/* The interpreter in the program header of an ELF file, "" without one. BAD_INPUT if the file is
 * not ELF. Blocks. */
HAFT_MUST_USE haft_status haft__elf_read_loader(const char *path, char *ret_loader, size_t size,
                                                haft_error *err);

/* ---- starting the helper ---- */

/* The limits of one program. */
typedef struct haft__sandbox_limits {
    uint32_t memory_mib, cpu_seconds;
    const char *const *reads; /* absolute paths that it may read */
    size_t read_count;
} haft__sandbox_limits;

void haft__sandbox_limits_init(haft__sandbox_limits *limits);

/* The words that start Python with the program `code` (of `-c`) in the sandbox, in frames. */
HAFT_MUST_USE haft_status haft__sandbox_python_words(const haft__sandbox *sandbox,
                                                     const haft__sandbox_limits *limits,
                                                     const char *code, haft__arena *arena,
                                                     const char *const **ret_words,
                                                     haft_error *err);

/* ---- a program that ends soon: without a loop ---- */

typedef struct haft__sandbox_finished {
    haft_str output; /* of the program, or of the helper: frames */
    int status;      /* as from waitpid */
    bool timed_out;
} haft__sandbox_finished;

/* Runs a program with an open standard input and reads its output, at most `max` bytes. It is
 * killed after `timeout_ms`. Its environment has only LANG. Blocks. */
HAFT_MUST_USE haft_status haft__sandbox_spawn(haft__arena *arena, const char *const *words,
                                              uint32_t timeout_ms, size_t max,
                                              haft__sandbox_finished *ret_finished,
                                              haft_error *err);

#endif
