/* SPDX-License-Identifier: Apache-2.0 */
/* run/variables.h - the environment variables that chose the model of a run. */
#ifndef HAFT_RUN_VARIABLES_H
#define HAFT_RUN_VARIABLES_H

#include "json/value.h"

#define HAFT__VARIABLES_TEXT 160

/* Writes those of `names`, a list of texts or null, that are not set or empty: "A", "A and B", "A,
 * B and C"; what does not fit is cut. Returns their number. `get` may be NULL: then none is
 * missing. */
size_t haft__variables_missing(haft__json names, haft_str (*get)(void *context, haft_str name),
                               void *context, char ret_text[HAFT__VARIABLES_TEXT]);

#endif
