/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/code_arguments.h - finds code in a command of a spec that may use arguments of the model as
 * more than data: `[sh, -c, 'ls "$1"', sh, "{t}"]`.
 *
 * Shell code is parsed (tool/shell_code.h). Code of other languages is searched for words that
 * evaluate a text or start a program. Languages without a list of such words count as unsafe.
 */
#ifndef HAFT_TOOL_CODE_ARGUMENTS_H
#define HAFT_TOOL_CODE_ARGUMENTS_H

#include "tool/command_words.h"

typedef struct haft__code_argument {
    haft_str argument; /* .ptr is NULL: all arguments are only data */
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
