/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/document/problem.h - the list of problems of a spec, each with its location.
 */
#ifndef HAFT_SPEC_LOAD_DOCUMENT_PROBLEM_H
#define HAFT_SPEC_LOAD_DOCUMENT_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macros.h"
#include "haft.h"

typedef struct haft__spec_problem {
    uint32_t line, column; /* from 1, the column in characters; 0 if the problem is not in the
                            * file */
    uint32_t extent;       /* the number of characters of the invalid part; 0 if unknown */
    haft_str pointer;      /* JSON Pointer to the value; "" for the whole spec */
    haft_str from;         /* "" for the file; else "--set limits.turns=x" or the like */
    uint32_t from_column;  /* column in the text after the first word of `from`; 0: unknown */
    haft_str message;      /* the value found and the expectation */
    haft_str hint;         /* a hint how to solve the problem, or "" */
    bool warning;          /* the spec is usable despite the problem */
    bool secret;           /* the text at the location may be a secret and must not be shown */
} haft__spec_problem;

/* Stores at most HAFT__LIMIT_SPEC_PROBLEMS problems; the counts include the others. If the list is
 * full, an error replaces the last warning. Lives in the arena. */
typedef struct haft__spec_problems {
    haft__arena *arena;
    haft__spec_problem *items;
    size_t count;
    size_t errors, warnings; /* total numbers, including problems that were not stored */
    haft_status status;      /* NO_MEMORY or TOO_BIG if a problem could not be stored */
} haft__spec_problems;

void haft__spec_problems_init(haft__spec_problems *problems, haft__arena *arena);

/* Adds a problem without a location; the caller fills in the other fields. Returns NULL if the
 * problem is not stored. */
haft__spec_problem *haft__spec_problem_add(haft__spec_problems *problems, bool warning,
                                           const char *format, ...) HAFT__PRINTF(3, 4);

/* Removes the last added problem, which must have been stored. */
void haft__spec_problem_remove_last(haft__spec_problems *problems);

/* Sets the location of the problem to a byte of the text. `problem` may be NULL. */
void haft__spec_problem_locate(haft__spec_problem *problem, haft_str text, size_t offset);

/* Sets the hint of the problem. `problem` may be NULL. */
void haft__spec_problem_hint(haft__spec_problems *problems, haft__spec_problem *problem,
                             const char *format, ...) HAFT__PRINTF(3, 4);

/* Sorts by location; problems outside the file come last. Warnings are sorted among the errors. */
void haft__spec_problems_sort(haft__spec_problems *problems);

/* The location of a byte: line and column from 1, the column in characters. */
void haft__spec_locate(haft_str text, size_t offset, uint32_t *ret_line, uint32_t *ret_column);

/* The length in bytes of the YAML or JSON word at `offset`: a text in quotes, or a word that ends
 * at a comma, a bracket, a colon, a comment or the end of the line. At least 1. */
size_t haft__spec_token_length(haft_str text, size_t offset);

/* The line with that number, without its end; empty if it does not exist. */
haft_str haft__spec_line_text(haft_str text, uint32_t line);

#endif
