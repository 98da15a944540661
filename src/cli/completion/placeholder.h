/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/completion/placeholder.h - the meaning of the words in capitals in the command table, which
 * name arguments and values. "SPEC [TASK]" is a spec file and an optional text.
 */
#ifndef HAFT_CLI_COMPLETION_PLACEHOLDER_H
#define HAFT_CLI_COMPLETION_PLACEHOLDER_H

#include <stdbool.h>

#include "haft.h"

/* The kind of suggestions that a shell can make for a word. */
typedef enum haft__placeholder_kind {
    HAFT__PLACEHOLDER_ANY, /* no suggestions: any text */
    HAFT__PLACEHOLDER_FILE,
    HAFT__PLACEHOLDER_DIRECTORY,
    HAFT__PLACEHOLDER_RUN,
    HAFT__PLACEHOLDER_THREAD,
    HAFT__PLACEHOLDER_MODEL,
    HAFT__PLACEHOLDER_COMMAND,
    HAFT__PLACEHOLDER_CHOICE, /* one of the listed words: bash|zsh|fish */
} haft__placeholder_kind;

typedef struct haft__placeholder {
    const char *name;
    haft__placeholder_kind kind;
    const char *what; /* for people; lower case, no full stop */
} haft__placeholder;

const haft__placeholder *haft__placeholders(size_t *ret_count);

/* Finds the meaning of a word of a usage line, or of an option's value. A word in lower case is a
 * choice. Returns NULL for an unknown word in capitals. */
const haft__placeholder *haft__placeholder_find(haft_str name);

/* Iterates over the arguments of a usage line: for "ID [CALL] VALUE..." it returns ID, CALL and
 * VALUE. *at starts as the whole line. Returns false after the last argument. */
bool haft__placeholder_next(haft_str *at, haft_str *ret_word);

#endif
