/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/code_arguments.h - code in a command of a spec that gets arguments of the model:
 * `[sh, -c, 'ls "$1"', sh, "{t}"]`. Finds code that may use them as more than data.
 *
 * Shell code is read (tool/shell_code.h). In the code of other languages, words are looked for that
 * evaluate a text or start a program; of some languages nothing is known, so that all their code
 * is found.
 */
#ifndef HAFT_TOOL_CODE_ARGUMENTS_H
#define HAFT_TOOL_CODE_ARGUMENTS_H

#include "tool/command_words.h"

typedef struct haft__code_argument {
    haft_str argument; /* .ptr is NULL: every argument stays data */
    size_t word;       /* the word with the argument */
    size_t reader;     /* the word of the interpreter */
    bool shell;
} haft__code_argument;

/* The first argument that code may use as more than data. Numbers, booleans and texts of an enum
 * are not reported. */
HAFT_MUST_USE haft_status haft__code_arguments_find(haft__arena *arena,
                                                    const haft__command_words *words,
                                                    haft__code_argument *ret_found,
                                                    haft_error *err);

#endif
