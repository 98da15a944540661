/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/input/turns.h - reads the turns of a conversation from a file and writes them in the text
 * form that a format uses for a history. For `haft render --calls`.
 *
 *     {"text": "Let me look.", "calls": [{"id": ..., "name": "f", "arguments": {...}}]}
 *     {"results": [{"id": ..., "name": "f", "text": "21"}]}
 */
#ifndef HAFT_CLI_INPUT_TURNS_H
#define HAFT_CLI_INPUT_TURNS_H

#include "base/hash.h"
#include "format/format.h"

typedef struct haft__turn {
    const char *role; /* "assistant" or "user" */
    haft_str content;
} haft__turn;

/* Lives in an arena. */
typedef struct haft__turns {
    haft__turn *items;
    size_t count;
} haft__turns;

/* Reads a file with an array, or with one object per line; "-" is standard input. Default ids of
 * calls are c1.1, c1.2 and so on. Results without id and name belong to the calls of the preceding
 * turn, in order. err->where begins with the file's name. */
HAFT_MUST_USE haft_status haft__turns_read(haft__arena *arena, const char *path,
                                           haft__hash_key hash_key, const haft__format *format,
                                           haft__turns *ret_turns, haft_error *err);

#endif
