/* SPDX-License-Identifier: Apache-2.0 */
/* search_help.h - runs one of the searches of exec/files/files.h and stores its result. */
#ifndef HAFT_TESTS_EXEC_SEARCH_HELP_H
#define HAFT_TESTS_EXEC_SEARCH_HELP_H

#include "exec/files/files.h"
#include "exec/files_help.h"

typedef haft_status search_function(const haft__files_request *search, haft__buf *result,
                                    haft_error *err);

typedef struct searched {
    haft_status status;
    haft_str text; /* valid until the test ends */
    haft_error error;
} searched;

/* Runs the search in the directory, and checks the properties that every result has. */
searched search_run(search_function *function, const files *f, haft__files_request search);

/* Does the same, and compares the result. */
void search_check(search_function *function, const files *f, haft__files_request search,
                  const char *wanted);

/* Does the same, and compares the error: message, place, hint. */
void search_check_error(search_function *function, const files *f, haft__files_request search,
                        const char *message, const char *where, const char *hint);

/* Fails every allocation of a search in turn. */
void search_check_memory(search_function *function, const files *f, haft__files_request search);

/* Runs `inside` as a user without special permissions. If there is none: false, and the test is
 * marked as skipped. */
bool search_unprivileged(void (*inside)(void *context), void *context);

#endif
