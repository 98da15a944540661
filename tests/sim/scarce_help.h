/* SPDX-License-Identifier: Apache-2.0 */
/* scarce_help.h - a real store for tests of runs: those of run_help.h and store_help.h, whose names
 * are not to be had together. */
#ifndef HAFT_TESTS_SCARCE_HELP_H
#define HAFT_TESTS_SCARCE_HELP_H

#include "store/store.h"

/* "memory" or "sqlite", in a folder of its own; one at a time. */
haft__store *scarce_open(const char *kind);
void scarce_close(void);

/* The n-th id of a run; lives until the test ends. */
haft_str scarce_id(uint64_t n);

#endif
