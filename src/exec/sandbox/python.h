/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/sandbox/python.h - one interpreter in a sandbox, on the loop.
 *
 * An interpreter is started without code, so that its start can be hidden, and runs one program.
 * While the program runs, it may ask for tool calls: a list of calls, for which it waits. Its
 * messages are hostile: a wrong one ends it with the cause `policy`.
 */
#ifndef HAFT_EXEC_SANDBOX_PYTHON_H
#define HAFT_EXEC_SANDBOX_PYTHON_H

#include "base/buf.h"
#include "exec/sandbox/sandbox.h"
#include "io/child.h"
#include "json/value.h"

typedef struct haft__python haft__python;

/* A regular file that the program has left in its scratch directory. */
typedef struct haft__python_file {
    haft_str name, bytes;
} haft__python_file;

typedef struct haft__python_end {
    haft_str cause; /* exit, signal, cpu, memory, output, files, policy, killed */
    haft_str why;   /* more about the cause, or "" */
    int status, signal;
    uint64_t cpu_ms, memory_kib;
    uint64_t left_files;     /* files that exceed the limits and were left out */
    haft_str output, errors; /* of the program; valid UTF-8 is not guaranteed */
    haft_str result;         /* the value of the last expression; "" without one */
    haft_str error;          /* the name of the exception that ended it; "" without one */
    const haft__python_file *files;
    size_t file_count;
} haft__python_end;

/* The caller of a program; called from the loop. */
typedef struct haft__python_user {
    /* The program waits for these calls: [{tool, arguments}]. Borrowed for the call. */
    void (*called)(void *context, haft__json calls);
    /* A part of its output, as it arrives; may be NULL. */
    void (*printed)(void *context, bool errors, haft_str bytes);
    /* Once. The interpreter is freed when this returns. */
    void (*ended)(void *context, const haft__python_end *end);
    void *context;
} haft__python_user;

/* Starts an interpreter. The sandbox is borrowed for its life, the limits for the call. */
HAFT_MUST_USE haft_status haft__python_start(haft__loop *loop, haft__child_group *group,
                                             const haft__sandbox *sandbox,
                                             const haft__sandbox_limits *limits,
                                             haft__python **ret_python, haft_error *err);

/* Whether the interpreter can still be given a program. */
bool haft__python_is_usable(const haft__python *python);

/* Runs a program, once. `functions` is the JSON of the functions that it can call:
 * [{name, tool, parameters}]; `code` is copied. */
HAFT_MUST_USE haft_status haft__python_run(haft__python *python, haft_str code, haft_str functions,
                                           const haft__python_user *user, haft_error *err);

/* Sends the results of the calls that the program waits for: JSON, {results: [{ok, text}],
 * functions?}. */
HAFT_MUST_USE haft_status haft__python_reply(haft__python *python, haft_str answer,
                                             haft_error *err);

/* Kills the program; its end is reported as usual. */
void haft__python_stop(haft__python *python);

/* Kills the program and frees the interpreter; `ended` is not called. Accepts NULL. */
void haft__python_kill(haft__python *python);

#endif
