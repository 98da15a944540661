/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/config/dotenv.h - the lines of a file .env. Pure: the text is an argument.
 *
 *     # a comment               lines that are empty or start with # are passed over
 *     export NAME=value         `export ` may stand in front; no spaces around the =
 *     NAME=value  # comment     a comment needs white space in front of its #
 *     NAME='as it is'           nothing is special up to the next '
 *     NAME="with \n and \""     \n \r \t \\ \" \$ are escapes; another \ stays
 *
 * Nothing is expanded: $ and ` are characters like others. A value ends with its line. Of a name
 * that stands there twice the last counts. docs/config.md is the page about it.
 */
#ifndef HAFT_CLI_CONFIG_DOTENV_H
#define HAFT_CLI_CONFIG_DOTENV_H

#include "base/arena.h"
#include "exec/secrets.h"

#define HAFT__DOTENV_MAX_REPORTED 8

typedef struct haft__dotenv {
    haft__variable *items; /* each name once, in the order of the file */
    size_t count;
    size_t bad;                               /* lines that could not be used */
    uint32_t bad_line;                        /* the first of them, */
    const char *why;                          /* and what was wrong; never what stands there */
    uint32_t more[HAFT__DOTENV_MAX_REPORTED]; /* lines behind the first, as many as are told */
} haft__dotenv;

/* Reads all lines; those that cannot be used are left out and counted. TOO_BIG past
 * HAFT__LIMIT_DOTENV_VARIABLES. Names and values live in `arena`. */
HAFT_MUST_USE haft_status haft__dotenv_read(haft__arena *arena, haft_str text,
                                            haft__dotenv *ret_dotenv, haft_error *err);

/* The value of a name; .ptr is NULL when there is none. */
haft_str haft__dotenv_get(const haft__dotenv *dotenv, haft_str name);

#endif
