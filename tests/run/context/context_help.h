/* SPDX-License-Identifier: Apache-2.0 */
/* context_help.h - scripts and checks for runs in small contexts. */
#ifndef HAFT_TESTS_CONTEXT_HELP_H
#define HAFT_TESTS_CONTEXT_HELP_H

#include "run/run_help.h"

/* Appends `count` random words for a JSON text, each after a space. */
void help_add_words(haft__buf *script, uint32_t *seed, size_t count);

/* A script of `turns` turns, each with up to `calls` calls of `look`, whose results have up to
 * `words` words; then the result of call c3.1 is read, and the answer is "Done.". */
haft_str help_write_script(size_t turns, size_t calls, size_t words, uint32_t seed);

/* The run has the same decisions when it is replayed. */
void help_check_replay(const help_run *r);

/* The body of a request to a provider begins with the user, and each call in it is followed by its
 * one result before anything else. The history of a planner may begin with the assistant. Returns
 * the number of calls. */
size_t help_check_pairs(haft_str body, const char *name, bool transcript);

#endif
