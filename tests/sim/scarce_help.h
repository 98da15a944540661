/* SPDX-License-Identifier: Apache-2.0 */
/* scarce_help.h - a real store for tests of runs. It hides store_help.h, whose names conflict with
 * run_help.h. */
#ifndef HAFT_TESTS_SCARCE_HELP_H
#define HAFT_TESTS_SCARCE_HELP_H

#include "store/store.h"

/* "memory" or "sqlite", in its own directory; one at a time. */
haft__store *scarce_open(const char *kind);
void scarce_close(void);

/* The n-th id of a run; lives until the test ends. */
haft_str scarce_id(uint64_t n);

#endif
