/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite_help.h - shared by the tests of the SQLite store: direct access to the file, other
 * processes, and a file system that fails. */
#ifndef HAFT_TESTS_SQLITE_HELP_H
#define HAFT_TESTS_SQLITE_HELP_H

#include <sqlite3.h>
#include <sys/types.h>

#include "store/sqlite/sqlite_int.h"
#include "store/store_help.h"

/* ---- the file ---- */

static inline haft__sqlite *help_sqlite(help_store *s)
{
    return HAFT__CONTAINER(s->store, haft__sqlite, store);
}

/* "sqlite:PATH" without its scheme. */
static inline const char *help_path(const help_store *s)
{
    return s->url + strlen("sqlite:");
}

/* A separate connection, with the default settings. */
sqlite3 *help_raw_open(const char *path);

/* Runs statements; returns the first number of a query. The store may be open. */
void help_raw(const help_store *s, const char *sql);
int64_t help_raw_number(const help_store *s, const char *sql);

/* The whole file, valid until the test ends; .ptr is NULL if it does not exist. */
haft_str help_load(const char *path);
void help_save(const char *path, haft_str bytes);

/* The error of opening the database. A store that opens is closed again. */
haft_status help_try_open(const char *url, haft_error *ret_error);

/* The number of open descriptors of this process. */
size_t help_count_files(void);

/* ---- processes ---- */

/* Starts a process that exits with the result of `run`. No store may be open. */
pid_t help_fork(int (*run)(void *context), void *context);

/* Its exit status, or minus the signal that killed it. */
int help_join(pid_t process);

/* The number of repetitions of a randomized test: HAFT_TEST_ROUNDS, or `fallback`. */
int help_rounds(int fallback);

/* The next value of a pseudo-random sequence. */
uint32_t help_random(uint64_t *state);

/* ---- a file system that fails ---- */

typedef enum help_fault {
    HELP_FAULT_READ,
    HELP_FAULT_WRITE, /* half of it is written */
    HELP_FAULT_FULL,
    HELP_FAULT_SYNC,
    HELP_FAULT_SHARED, /* no space for the memory that connections share */
    HELP_FAULT_COUNT,
} help_fault;

/* From now on all SQLite files of this process use this file system. No store may be open. */
void help_faults_start(void);
void help_faults_stop(void);

/* Makes the n-th call that can fail like this (0 is the next) fail, and with `on` every later
 * one too. */
void help_fault_at(help_fault kind, int n, bool on);

/* The number of syncs so far. */
int help_count_syncs(void);

/* Clears the fault; true if it has happened. */
bool help_fault_clear(void);

#endif
