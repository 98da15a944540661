/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/argv.h - builds the argument vector of a command: the words of its definition, with {arg}
 * replaced.
 *
 * There is no shell, and a word stays one word whatever its value. An argument cannot become an
 * option: if a word begins with an argument and the argument begins with '-', or if an argument is
 * part of the name of an option ("-{a}"), the word is rejected, unless the definition has "--"
 * before the word, for the program that reads the word (tool/command_words.h). A word that consists
 * only of a missing argument is omitted, together with the option whose value it is; if it is
 * unknown whether the word is the value of an option, no word may follow (tool/absent_words.h). In
 * the first word, the program, nothing is replaced.
 */
#ifndef HAFT_TOOL_ARGV_H
#define HAFT_TOOL_ARGV_H

#include "base/arena.h"
#include "json/value.h"

/* Builds the words. `command` is a non-empty array of strings. The words live in `arena`,
 * NUL-terminated. BAD_INPUT, with a message for the model, if a word cannot be built. */
HAFT_MUST_USE haft_status haft__argv_build(haft__arena *arena, haft__json command,
                                           haft__json input_schema, haft__json arguments,
                                           haft_str **ret_words, size_t *ret_count,
                                           haft_error *err);

#endif
