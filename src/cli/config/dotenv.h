/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/config/dotenv.h - parses the text of a .env file. Pure: the text is an argument.
 *
 *     # a comment               empty lines and lines that start with # are skipped
 *     export NAME=value         `export ` is optional; no spaces around the =
 *     NAME=value  # comment     a comment needs white space before its #
 *     NAME='as it is'           nothing is special up to the next '
 *     NAME="with \n and \""     \n \r \t \\ \" \$ are escapes; another \ stays
 *
 * Nothing is expanded: $ and ` are ordinary characters. A value ends with its line. If a name
 * occurs twice, the last one counts. docs/config.md documents it.
 */
#ifndef HAFT_CLI_CONFIG_DOTENV_H
#define HAFT_CLI_CONFIG_DOTENV_H

#include "base/arena.h"
#include "exec/secrets.h"

#define HAFT__DOTENV_MAX_REPORTED 8

typedef struct haft__dotenv {
    haft__variable *items; /* each name once, in the order of the file */
    size_t count;
    size_t bad;                               /* invalid lines */
    uint32_t bad_line;                        /* the first invalid line */
    const char *why;                          /* the error of that line; never contains its text */
    uint32_t more[HAFT__DOTENV_MAX_REPORTED]; /* further invalid lines, as many as are reported */
} haft__dotenv;

/* Reads all lines; skips and counts invalid ones. TOO_BIG above HAFT__LIMIT_DOTENV_VARIABLES. Names
 * and values live in `arena`. */
HAFT_MUST_USE haft_status haft__dotenv_read(haft__arena *arena, haft_str text,
                                            haft__dotenv *ret_dotenv, haft_error *err);

/* The value of a name; .ptr is NULL if it is not set. */
haft_str haft__dotenv_get(const haft__dotenv *dotenv, haft_str name);

#endif
