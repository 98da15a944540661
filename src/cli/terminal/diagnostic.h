/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/diagnostic.h - prints errors and warnings in the style of a compiler:
 *
 *     agent.yaml:3:9: error: expected a number of at least 1, found 0
 *         turns: 0
 *                ^
 *         hint: ...
 *
 * It is used for specs, scripts, settings, JSON files and options. Colours are used only on
 * terminals that support them.
 */
#ifndef HAFT_CLI_TERMINAL_DIAGNOSTIC_H
#define HAFT_CLI_TERMINAL_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "haft.h"

typedef struct haft__diagnostic {
    haft_str file_or_option; /* name of the file or of the option */
    uint32_t line, column;   /* from 1, the column in characters; 0: the whole text */
    uint32_t extent;         /* length in characters; 0: not known */
    haft_str source_line;    /* the line with the error, without its end; if empty, not printed */
    bool option;             /* `source_line` is the value of an option: print no line and column */
    bool warning;            /* a warning, not an error */
    haft_str message, hint;  /* the hint may be empty */
} haft__diagnostic;

void haft__diagnostic_print(FILE *out, const haft__diagnostic *diagnostic);

/* Prints the last line: "2 errors, 1 warning in agent.yaml". If `printed_count`, the number of
 * printed problems, is less than their sum, the line mentions that. */
void haft__diagnostic_print_summary(FILE *out, haft_str file_or_option, size_t errors,
                                    size_t warnings, size_t printed_count);

/* Prints an error of the JSON parser. `text` is the parsed text; "(byte N)" in err->where is the
 * offset of the error in the text. */
void haft__diagnostic_print_json_error(FILE *out, const char *file_or_option, haft_str text,
                                       bool option, const haft_error *err);

/* Prints any error. If its location is FILE:LINE:COLUMN and FILE can be read again, also prints
 * that line; otherwise prints "haft: location: message". `arena` is scratch memory. */
void haft__diagnostic_print_error(FILE *out, haft__arena *arena, const haft_error *err);

/* Returns true if `out` is a terminal, NO_COLOR is not set, and TERM is set but is not "dumb". */
bool haft__diagnostic_uses_colour(FILE *out);

#endif
