/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/argv.h - the words a command is started with: those of its definition, with {arg} replaced.
 *
 * There is no shell, and a word stays one word whatever is put into it. An argument cannot become
 * an option either: a word that would begin with an argument's '-' is refused, unless a word "--"
 * of the definition stands before it. An argument that was left out takes a word along that has
 * nothing else in it. The first word, the program, is never replaced.
 */
#ifndef HAFT_TOOL_ARGV_H
#define HAFT_TOOL_ARGV_H

#include "base/arena.h"
#include "json/value.h"

/* `command` is an array of strings, not empty. The words live in `arena`, each with a NUL behind
 * it. BAD_INPUT, for the model to read, when one cannot be made. */
HAFT_MUST_USE haft_status haft__argv_build(haft__arena *arena, haft__json command,
                                           haft__json input_schema, haft__json arguments,
                                           haft_str **ret_words, size_t *ret_count,
                                           haft_error *err);

#endif
