/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/args.h - parses the words after a command into options and arguments, by the command's table.
 *
 *     --name VALUE   --name=VALUE   -n VALUE   -nVALUE   --flag   -f
 *
 * Options and arguments may be mixed. "-" is an argument (standard input); every word after "--" is
 * an argument. If an option is given twice, the last value counts; haft__args_next
 * returns all values.
 */
#ifndef HAFT_CLI_ARGS_H
#define HAFT_CLI_ARGS_H

#include <stdbool.h>

#include "base/arena.h"
#include "haft.h"

typedef enum haft__option_kind {
    HAFT__OPTION_FLAG,   /* takes no value */
    HAFT__OPTION_TEXT,   /* takes any value */
    HAFT__OPTION_NUMBER, /* takes a decimal integer without sign */
    HAFT__OPTION_CHOICE, /* takes one of the words in `value`, which are separated by '|' */
    HAFT__OPTION_OPTIONAL_CHOICE, /* as CHOICE, but the value may be omitted: --yes, --yes=all */
} haft__option_kind;

/* One row of a command's table; the row after the last has no name. */
typedef struct haft__option {
    const char *name; /* without the dashes */
    char letter;      /* the short form, or 0 */
    haft__option_kind kind;
    const char *value; /* the value in the help: "FILE", "7|2020-12"; NULL for a flag */
    const char *help;
} haft__option;

#define HAFT__OPTION_SYNTAX_SIZE 128

/* Writes the option as it is typed: "-q, --quiet", "--store URL", "--yes[=all]". If the option has
 * no letter, the text begins with `no_letter`. */
void haft__option_write_syntax(const haft__option *option, const char *no_letter,
                               char ret_text[HAFT__OPTION_SYNTAX_SIZE]);

typedef struct haft__args_option {
    const haft__option *option;
    const char *value; /* NULL for a flag */
} haft__args_option;

/* Lives in the arena; all texts are borrowed from argv. */
typedef struct haft__args {
    const haft__args_option *given; /* in the order typed */
    size_t given_count;
    const char *const *words; /* words that are not options */
    size_t word_count;
    bool help; /* --help or -h was given; nothing else was parsed */
} haft__args;

/* Parses the words. `options` may be NULL. Fails with BAD_INPUT and a hint if they do not match the
 * table. */
HAFT_MUST_USE haft_status haft__args_parse(haft__arena *arena, const haft__option *options,
                                           int count, char *const *words, haft__args *ret_args,
                                           haft_error *err);

bool haft__args_has(const haft__args *args, const char *name);

/* Returns the last value of an option, or `fallback` if it was not given. */
const char *haft__args_text(const haft__args *args, const char *name, const char *fallback);
uint64_t haft__args_number(const haft__args *args, const char *name, uint64_t fallback);

/* Returns the next value of an option, or NULL after the last. *at is the state of the iteration
 * and starts as 0. */
const char *haft__args_next(const haft__args *args, const char *name, size_t *at);

#endif
