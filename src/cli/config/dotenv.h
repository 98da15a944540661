/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/config/dotenv.h - parses the text of a .env file. Pure: the text is an argument.
 *
 *     # a comment               empty lines and lines that start with # are skipped
 *     export NAME=value         `export ` is optional; no spaces around the =
 *     NAME=value  # comment     a comment needs white space before its #
 *     NAME='unchanged'          the text up to the next ' is unchanged
 *     NAME="with \n and \""     \n \r \t \\ \" \$ are escapes; any other \ is an ordinary character
 *
 * Variables and commands are not expanded: $ and ` are ordinary characters. A value ends with its
 * line. If a name occurs twice, the last value counts. docs/config.md documents the format.
 */
#ifndef HAFT_CLI_CONFIG_DOTENV_H
#define HAFT_CLI_CONFIG_DOTENV_H

#include "base/arena.h"
#include "exec/secrets.h"

#define HAFT__DOTENV_MAX_REPORTED 8

typedef struct haft__dotenv {
    haft__variable *items; /* each name once, in the order of the file */
    size_t count;
    size_t bad;        /* invalid lines */
    uint32_t bad_line; /* the first invalid line */
    const char *why; /* the error of the first invalid line; never contains the text of the line */
    uint32_t more[HAFT__DOTENV_MAX_REPORTED]; /* numbers of further invalid lines */
} haft__dotenv;

/* Reads all lines; skips and counts invalid lines. Fails with TOO_BIG above
 * HAFT__LIMIT_DOTENV_VARIABLES. Names and values live in `arena`. */
HAFT_MUST_USE haft_status haft__dotenv_read(haft__arena *arena, haft_str text,
                                            haft__dotenv *ret_dotenv, haft_error *err);

/* Returns the value of a variable; .ptr is NULL if it is not set. */
haft_str haft__dotenv_get(const haft__dotenv *dotenv, haft_str name);

#endif
