/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/shell_code.h - shell code in a spec: whether its parameters stay data.
 *
 * `ls "$1"` is plain: whatever $1 is, ls gets it as one word. `eval "$1"`, `$1` and `ls $1` are
 * not. The reader knows simple commands, pipes, lists, redirections, `if`, `while` and `for`. Code
 * with anything else, such as $(...), is not plain, because haft does not know what it does.
 */
#ifndef HAFT_TOOL_SHELL_CODE_H
#define HAFT_TOOL_SHELL_CODE_H

#include "base/arena.h"
#include "json/value.h"

/* Whether a program with these words leaves their parameters data. In each word, a parameter is
 * "{x}". */
typedef haft_status haft__shell_command_check(haft__arena *arena, haft__json words, bool *ret_plain,
                                              haft_error *err);

/* Asks `check` about the commands that are not builtins of the shell. Fails only when out of
 * memory. */
HAFT_MUST_USE haft_status haft__shell_code_read(haft__arena *arena, haft_str code,
                                                haft__shell_command_check *check, bool *ret_plain,
                                                haft_error *err);

#endif
