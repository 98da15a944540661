/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/diagnostic.h - what is wrong with a text, shown as a compiler would:
 *
 *     agent.yaml:3:9: error: expected a number of at least 1, found 0
 *         turns: 0
 *                ^
 *         hint: ...
 *
 * One renderer for specs, scripts, settings, JSON files and options. Colours are for terminals
 * that want them.
 */
#ifndef HAFT_CLI_TERMINAL_DIAGNOSTIC_H
#define HAFT_CLI_TERMINAL_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "haft.h"

typedef struct haft__diagnostic {
    haft_str place;        /* the name of a file, or of an option */
    uint32_t line, column; /* from 1, the column in characters; 0: the whole of it */
    uint32_t extent;       /* characters from there on that are meant; 0: that is not known */
    haft_str shown;        /* the line itself, without its end; .len 0: not shown */
    bool option;           /* `shown` is the text of an option: no line and column is told */
    bool warning;
    haft_str message, hint; /* the hint may be empty */
} haft__diagnostic;

void haft__diagnostic_print(FILE *out, const haft__diagnostic *complaint);

/* The last line: "2 errors, 1 warning in agent.yaml"; how many of them were shown, if not all. */
void haft__diagnostic_print_summary(FILE *out, haft_str place, size_t errors, size_t warnings,
                                    size_t shown);

/* An error of reading `text` as JSON, whose place has "(byte N)" in it. */
void haft__diagnostic_print_json_error(FILE *out, const char *place, haft_str text, bool option,
                                       const haft_error *err);

/* An error in general. One whose place is FILE:LINE:COLUMN, where FILE can be read again, is shown
 * with its line; others as "haft: place: message". `arena` is used for that. */
void haft__diagnostic_print_error(FILE *out, haft__arena *arena, const haft_error *err);

/* Whether `out` is a terminal that wants colours: NO_COLOR is not set and TERM is not "dumb". */
bool haft__diagnostic_uses_colour(FILE *out);

#endif
