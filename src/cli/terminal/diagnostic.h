/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/diagnostic.h - prints problems of a text like a compiler:
 *
 *     agent.yaml:3:9: error: expected a number of at least 1, found 0
 *         turns: 0
 *                ^
 *         hint: ...
 *
 * One renderer for specs, scripts, settings, JSON files and options. Colours only for terminals
 * that support them.
 */
#ifndef HAFT_CLI_TERMINAL_DIAGNOSTIC_H
#define HAFT_CLI_TERMINAL_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "haft.h"

typedef struct haft__diagnostic {
    haft_str place;        /* the name of a file, or of an option */
    uint32_t line, column; /* from 1, the column in characters; 0: the whole text */
    uint32_t extent;       /* length in characters; 0: not known */
    haft_str shown;        /* the line itself, without its end; .len 0: not shown */
    bool option;           /* `shown` is the text of an option: line and column are not printed */
    bool warning;
    haft_str message, hint; /* the hint may be empty */
} haft__diagnostic;

void haft__diagnostic_print(FILE *out, const haft__diagnostic *complaint);

/* The last line: "2 errors, 1 warning in agent.yaml"; and how many were shown, if not all. */
void haft__diagnostic_print_summary(FILE *out, haft_str place, size_t errors, size_t warnings,
                                    size_t shown);

/* An error of parsing `text` as JSON; its location has "(byte N)" in it. */
void haft__diagnostic_print_json_error(FILE *out, const char *place, haft_str text, bool option,
                                       const haft_error *err);

/* An error in general. If its location is FILE:LINE:COLUMN and FILE can be read again, prints the
 * line too; otherwise prints "haft: location: message". `arena` is scratch memory. */
void haft__diagnostic_print_error(FILE *out, haft__arena *arena, const haft_error *err);

/* Whether `out` is a terminal with colours: NO_COLOR is not set and TERM is not "dumb". */
bool haft__diagnostic_uses_colour(FILE *out);

#endif
