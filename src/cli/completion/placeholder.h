/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/completion/placeholder.h - the words in capitals that stand for arguments and values in the
 * table of commands: what each of them is. "SPEC [TASK]" is a file with a spec, and perhaps a text.
 */
#ifndef HAFT_CLI_COMPLETION_PLACEHOLDER_H
#define HAFT_CLI_COMPLETION_PLACEHOLDER_H

#include <stdbool.h>

#include "haft.h"

/* What can be offered for it. */
typedef enum haft__placeholder_kind {
    HAFT__PLACEHOLDER_ANY, /* nothing: any text */
    HAFT__PLACEHOLDER_FILE,
    HAFT__PLACEHOLDER_DIRECTORY,
    HAFT__PLACEHOLDER_RUN,
    HAFT__PLACEHOLDER_THREAD,
    HAFT__PLACEHOLDER_MODEL,
    HAFT__PLACEHOLDER_COMMAND,
    HAFT__PLACEHOLDER_CHOICE, /* one of the words that are written out: bash|zsh|fish */
} haft__placeholder_kind;

typedef struct haft__placeholder {
    const char *name;
    haft__placeholder_kind kind;
    const char *what; /* for people; lower case, no full stop */
} haft__placeholder;

const haft__placeholder *haft__placeholders(size_t *ret_count);

/* What a word of usage, or the value of an option, is. A word in small letters is a choice; NULL
 * when it is in capitals and in no row. */
const haft__placeholder *haft__placeholder_find(haft_str name);

/* The arguments of a usage line one by one: "ID [CALL] VALUE..." gives ID, CALL and VALUE. *at
 * starts as the whole line. False behind the last. */
bool haft__placeholder_next(haft_str *at, haft_str *ret_word);

#endif
