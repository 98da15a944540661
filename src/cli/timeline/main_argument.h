/* SPDX-License-Identifier: Apache-2.0 */
/* cli/timeline/main_argument.h - the argument that tells a person what a call is about. */
#ifndef HAFT_CLI_TIMELINE_MAIN_ARGUMENT_H
#define HAFT_CLI_TIMELINE_MAIN_ARGUMENT_H

#include "base/buf.h"
#include "json/value.h"

/* Maximum columns of a main argument in a line; a longer one is cut. */
#define HAFT__MAIN_ARGUMENT_COLUMNS 60

/* Appends the first text of the arguments; without one, the first number; without one, the texts of
 * the first list. Skips a long regular expression if there is another text, and otherwise appends
 * only its length. Appends nothing if the arguments have none of these. The text is not escaped. */
void haft__main_argument_add(haft__buf *buf, haft__json arguments);

#endif
