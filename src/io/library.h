/* SPDX-License-Identifier: Apache-2.0 */
/*
 * io/library.h - loads a shared library when it is needed.
 *
 * A library is linked only if most processes use it. Each linked library costs time in every
 * process and must be installed on every machine.
 */
#ifndef HAFT_IO_LIBRARY_H
#define HAFT_IO_LIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "haft.h"

/* A static variable of the code that uses the library. */
typedef struct haft__library {
    const char *file;             /* "libpq.so.5" */
    const char *purpose, *hint;   /* for the error: its purpose, the package to install */
    const char *const *functions; /* names */
    size_t count;
    void *table;          /* a struct of `count` function pointers, in the same order */
    pthread_mutex_t lock; /* of the members below */
    bool loaded;
    const char *missing; /* the file or function that was not found */
} haft__library;

/* Completes the table, once. The library is never unloaded. UNSUPPORTED if it or one of its
 * functions does not exist. From any thread. */
HAFT_MUST_USE haft_status haft__library_load(haft__library *library, haft_error *err);

#endif
