/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_help.h - what the tests of stores share: every kind of store, opened in a place of its own,
 * and the usual requests in one line.
 */
#ifndef HAFT_TESTS_STORE_HELP_H
#define HAFT_TESTS_STORE_HELP_H

#include <limits.h>

#include "base/id.h"
#include "base/limits.h"
#include "store/store.h"
#include "test.h"

#define HELP_LEASE 1000U /* milliseconds, of the store's clock */

typedef struct help_store {
    haft__loop *loop;
    haft__store *store;
    haft__arena arena; /* what is read; lives until the store is closed */
    char url[PATH_MAX];
    char folder[64];  /* of its file, if it has one */
    bool lasts;       /* longer than the process */
    uint64_t now_ms;  /* the store's clock: moved by hand */
    haft_error error; /* of the last request */
} help_store;

/* A test that every kind of store must pass. */
#define STORE_TEST(test_name)                                                                      \
    static void test_name(help_store *s);                                                          \
    TEST(test_name##_in_memory)                                                                    \
    {                                                                                              \
        help_store_test("memory", test_name);                                                      \
    }                                                                                              \
    TEST(test_name##_in_sqlite)                                                                    \
    {                                                                                              \
        help_store_test("sqlite", test_name);                                                      \
    }                                                                                              \
    TEST(test_name##_in_postgres)                                                                  \
    {                                                                                              \
        help_store_test("postgres", test_name);                                                    \
    }                                                                                              \
    static void test_name(help_store *s)

void help_store_test(const char *kind, void (*test)(help_store *s));

/* Opens a store of the kind, in a new folder if it needs one; and again at the same place. For
 * "postgres" only when there is a server, see pg_help.h. */
void help_store_open(help_store *s, const char *kind);
void help_store_reopen(help_store *s);
void help_store_shut(help_store *s);  /* the store and its loop; the files stay */
void help_store_close(help_store *s); /* everything */

/* Performs requests that read nothing, all handed in at once; the status of the first that failed.
 */
haft_status help_together(help_store *s, haft__store_request *requests, size_t count);

/* The n-th id of a run; lives until the test ends. */
haft_str help_id(uint64_t n);

/* A text of `length` bytes, all of them `fill`; lives until the test ends. */
haft_str help_text(size_t length, char fill);

/* Performs it; its error is left in s->error. */
haft_status help_do(help_store *s, haft__store_request *request);

/* ---- the usual requests; ids by their number ---- */

/* With an owner "me" and one event, "1". */
haft_status help_create(help_store *s, uint64_t n);
haft_status help_create_in(help_store *s, uint64_t n, const char *thread, const char *owner);

/* One event behind the `seq`-th. */
haft_status help_append(help_store *s, uint64_t n, uint64_t epoch, uint64_t seq, const char *text);
haft_status help_end(help_store *s, uint64_t n, uint64_t epoch, uint64_t seq, const char *answer);

/* All its events; .ptr is NULL when they cannot be read. */
haft_str help_read(help_store *s, uint64_t n);

/* NULL when there is none. */
const haft__store_run *help_find(help_store *s, const char *name);
const haft__store_run *help_run(help_store *s, uint64_t n);

haft_status help_claim(help_store *s, uint64_t n, const char *owner, const char *dead_owner,
                       uint64_t *ret_epoch);
haft_status help_send(help_store *s, uint64_t n, const char *text);

/* The run `bad` cannot be read: it is listed, found by who wants such, `taken` left by name so that
 * `good` is taken, and removed. */
void help_check_damaged(help_store *s, uint64_t bad, uint64_t good, bool taken, const char *what);

#endif
