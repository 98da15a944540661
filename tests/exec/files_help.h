/* SPDX-License-Identifier: Apache-2.0 */
/* files_help.h - a directory for a test, filled from a table, removed at the end. */
#ifndef HAFT_TESTS_EXEC_FILES_HELP_H
#define HAFT_TESTS_EXEC_FILES_HELP_H

#include <pthread.h>
#include <stdatomic.h>

#include "test.h"

/* A test that opens files beneath a root; skipped without openat2, for example under valgrind. */
#define FILES_TEST(test_name)                                                                      \
    static void test_name##_inside(void);                                                          \
    TEST(test_name)                                                                                \
    {                                                                                              \
        if (files_can_open()) {                                                                    \
            test_name##_inside();                                                                  \
        }                                                                                          \
    }                                                                                              \
    static void test_name##_inside(void)

/* Whether openat2 works; otherwise the test is marked as skipped. */
bool files_can_open(void);

typedef struct files {
    char path[100];
} files;

/* Creates the directory, below $TMPDIR. */
files files_make(void);
void files_remove(const files *f);

/* Creates a file and its directories; "a/" is a directory. Paths are below the directory. */
void files_add(const files *f, const char *path, const char *content);
void files_add_bytes(const files *f, const char *path, haft_str content);
void files_link(const files *f, const char *path, const char *target);

/* A directory below it as a `files` of its own; files_remove of the whole removes it. */
files files_below(const files *f, const char *name);

/* The full path; valid until the test ends. */
char *files_path(const files *f, const char *path);

/* Runs a shell command in the directory and returns its output; .ptr is NULL if it fails. */
haft_str files_shell(const files *f, const char *command);

/* Two paths that a thread exchanges again and again: both always exist, in an unknown order. */
typedef struct files_swapper {
    pthread_t thread;
    const char *a, *b;
    atomic_bool stop;
} files_swapper;

void files_swap(files_swapper *s, const files *f, const char *a, const char *b);
void files_swap_end(files_swapper *s);

/* Whether git is available; otherwise the test is marked as skipped. */
bool files_git(const files *f);

#endif
