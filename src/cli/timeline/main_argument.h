/* SPDX-License-Identifier: Apache-2.0 */
/* cli/timeline/main_argument.h - the argument that tells a person what a call is about. */
#ifndef HAFT_CLI_TIMELINE_MAIN_ARGUMENT_H
#define HAFT_CLI_TIMELINE_MAIN_ARGUMENT_H

#include "base/buf.h"
#include "json/value.h"

/* Maximum columns of a main argument in a line; a longer one is cut. */
#define HAFT__MAIN_ARGUMENT_COLUMNS 60

/* Appends the first argument that is a text. If no argument is a text, appends the first number; if
 * there is none either, the texts of the first list; otherwise nothing. Skips a long regular
 * expression if there is another text; otherwise appends only its length. Does not escape the
 * text. */
void haft__main_argument_add(haft__buf *buf, haft__json arguments);

#endif
