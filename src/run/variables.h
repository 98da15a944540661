/* SPDX-License-Identifier: Apache-2.0 */
/* run/variables.h - the environment variables that chose the model of a run. */
#ifndef HAFT_RUN_VARIABLES_H
#define HAFT_RUN_VARIABLES_H

#include "json/value.h"

#define HAFT__VARIABLES_TEXT 160

/* Writes the names of variables that are not set or empty, as "A", "A and B", "A, B and C";
 * truncates a text that does not fit. Returns their number. `names` is a list of texts or null. If
 * `get` is NULL, no variable is missing. */
size_t haft__variables_missing(haft__json names, haft_str (*get)(void *context, haft_str name),
                               void *context, char ret_text[HAFT__VARIABLES_TEXT]);

#endif
