/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test.h - the test harness: tests register themselves, checks print what was found and wanted.
 *
 *     TEST(an_empty_text_is_refused) { CHECK(read_it("") != HAFT_OK, "it was accepted"); }
 *
 * The program prints one line a test ("ok json/read_test.c an_empty_text_is_refused"), which
 * scripts/run-tests adds up. `haft-tests [--list] [--file FILE] [WORD...]` runs the tests whose
 * file or name contains a WORD; with --file, only tests of that file; with --list, it only prints
 * their names. A test may start threads, but only the thread that runs the test may make checks.
 */
#ifndef HAFT_TESTS_TEST_H
#define HAFT_TESTS_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/str.h"
#include "haft.h"

typedef struct test_case {
    const char *file, *name;
    void (*run)(void);
    struct test_case *next;
} test_case;

void test_register(test_case *test);

#define TEST(test_name)                                                                            \
    static void test_name(void);                                                                   \
    __attribute__((constructor)) static void register_##test_name(void)                            \
    {                                                                                              \
        static test_case test = {__FILE__, #test_name, test_name, NULL};                           \
        test_register(&test);                                                                      \
    }                                                                                              \
    static void test_name(void)

/* A failed check does not stop the test, but the test counts as failed. The message is a printf
 * format. */
#define CHECK(condition, ...)                                                                      \
    ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, #condition, __VA_ARGS__))
#define CHECK_INT(found, wanted, ...)                                                              \
    test_check_int(__FILE__, __LINE__, (long long)(found), (long long)(wanted), __VA_ARGS__)
#define CHECK_STR(found, wanted, ...)                                                              \
    test_check_str(__FILE__, __LINE__, (found), (wanted), __VA_ARGS__)

void test_fail(const char *file, int line, const char *what, const char *format, ...)
    HAFT__PRINTF(4, 5);
void test_check_int(const char *file, int line, long long found, long long wanted,
                    const char *format, ...) HAFT__PRINTF(5, 6);
void test_check_str(const char *file, int line, haft_str found, haft_str wanted, const char *format,
                    ...) HAFT__PRINTF(5, 6);

/* Marks the running test as skipped, with the reason. Return right after it. */
void test_skip(const char *format, ...) HAFT__PRINTF(1, 2);

/* Skips because a test suite of another project, "shared/...", is not there: docs/testing.md. */
void test_skip_suite(const char *path);

/* Makes the n-th allocation from now on (0 = the next) fail, and with `test_fail_allocations_from`
 * every later one too. test_allow_allocations ends this and returns whether an allocation failed.
 * The usual loop:
 *
 *     for (unsigned n = 0;; n++) {
 *         test_fail_allocation(n);
 *         haft_status status = thing_under_test();
 *         if (!test_allow_allocations()) { CHECK(status == HAFT_OK, ...); break; }
 *         CHECK(status == HAFT_NO_MEMORY, "allocation %u", n);
 *     }
 */
void test_fail_allocation(unsigned n);
void test_fail_allocations_from(unsigned n);
bool test_allow_allocations(void);

/* The number of allocations since the start; a test can show that a function makes none. */
size_t test_allocation_count(void);

/* The content of a file below the project's root, or in ../shared for "shared/...", in memory that
 * lives until the test ends. If it cannot be read, .ptr is NULL. */
haft_str test_read_file(const char *path);

/* The sorted names of the .json files in a folder, whose path is as above. Returns how many there
 * are; 0 if the folder does not exist. They live until the test ends. */
size_t test_list_folder(const char *folder, char ***ret_names);

/* Whether `run` ends in a failed assertion. It runs in its own process. */
bool test_aborts(void (*run)(void));

/* Memory that lives until the test ends. */
void *test_alloc(size_t size);

#endif
