/* SPDX-License-Identifier: Apache-2.0 */
/* cli/timeline/main_argument.h - chooses the argument of a call that is most useful for a person.
 */
#ifndef HAFT_CLI_TIMELINE_MAIN_ARGUMENT_H
#define HAFT_CLI_TIMELINE_MAIN_ARGUMENT_H

#include "base/buf.h"
#include "json/value.h"

/* Maximum width of a main argument in a line; a longer argument is shortened. */
#define HAFT__MAIN_ARGUMENT_COLUMNS 60

/* Appends the first argument that is a text. Without a text argument, appends the first number;
 * without a number, the texts of the first list. Skips a long regular expression if another text
 * argument exists; otherwise appends only its length. Does not escape the text. */
void haft__main_argument_add(haft__buf *buf, haft__json arguments);

#endif
