/* SPDX-License-Identifier: Apache-2.0 */
/* store_help.h - shared by the tests of stores: every kind of store, opened in its own
 * directory, and common requests in one line. */
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
    haft__arena arena; /* for results; lives until the store is closed */
    char url[PATH_MAX];
    char folder[64];  /* the directory of its file, if it has one */
    bool lasts;       /* the data outlives the process */
    uint64_t now_ms;  /* the store's clock; the test advances it */
    haft_error error; /* the error of the last request */
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

/* Opens a store of the kind, in a new directory if it needs one; or opens it again. "postgres"
 * needs a server, see postgres_help.h. */
void help_store_open(help_store *s, const char *kind);
void help_store_reopen(help_store *s);
void help_store_shut(help_store *s);  /* the store and its loop; the files stay */
void help_store_close(help_store *s); /* also removes the files */

/* Performs requests without results, all submitted at once; returns the first failed status. */
haft_status help_together(help_store *s, haft__store_request *requests, size_t count);

/* The n-th run id; valid until the test ends. */
haft_str help_id(uint64_t n);

/* A text of `length` bytes `fill`; valid until the test ends. */
haft_str help_text(size_t length, char fill);

/* Performs the request; its error is in s->error. */
haft_status help_do(help_store *s, haft__store_request *request);

/* ---- the usual requests; ids by their number ---- */

/* Creates a run with the owner "me" and one event, "1". */
haft_status help_create(help_store *s, uint64_t n);
haft_status help_create_in(help_store *s, uint64_t n, const char *thread, const char *owner);

/* Appends one event after event `seq`. */
haft_status help_append(help_store *s, uint64_t n, uint64_t epoch, uint64_t seq, const char *text);
haft_status help_end(help_store *s, uint64_t n, uint64_t epoch, uint64_t seq, const char *answer);

/* All its events; .ptr is NULL if they cannot be read. */
haft_str help_read(help_store *s, uint64_t n);

/* NULL if it does not exist. */
const haft__store_run *help_find(help_store *s, const char *name);
const haft__store_run *help_run(help_store *s, uint64_t n);

haft_status help_claim(help_store *s, uint64_t n, const char *owner, const char *dead_owner,
                       uint64_t *ret_epoch);
haft_status help_send(help_store *s, uint64_t n, const char *text);

/* The run `bad` is damaged: it is listed, found with include_damaged, skipped by name so that
 * `good` is claimed, and removed. */
void help_check_damaged(help_store *s, uint64_t bad, uint64_t good, bool taken, const char *what);

#endif
