/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/shell_code.h - checks whether the parameters of shell code in a spec stay data.
 *
 * `ls "$1"` is plain: ls gets any $1 as one word. `eval "$1"`, `$1` and `ls $1` are not plain. The
 * reader understands simple commands, pipes, lists, redirections, `if`, `while` and `for`. Code
 * with other syntax, such as $(...), is not plain.
 */
#ifndef HAFT_TOOL_SHELL_CODE_H
#define HAFT_TOOL_SHELL_CODE_H

#include "base/arena.h"
#include "json/value.h"

/* Sets *ret_plain: whether a program with these words uses their parameters only as data. In each
 * word, a parameter is written as "{x}". */
typedef haft_status haft__shell_command_check(haft__arena *arena, haft__json words, bool *ret_plain,
                                              haft_error *err);

/* Calls `check` for the commands that are not builtins of the shell. Fails only when out of
 * memory. */
HAFT_MUST_USE haft_status haft__shell_code_read(haft__arena *arena, haft_str code,
                                                haft__shell_command_check *check, bool *ret_plain,
                                                haft_error *err);

#endif
