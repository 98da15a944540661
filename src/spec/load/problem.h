/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/problem.h - what is wrong with a spec: every problem, each with its place, not only the
 * first.
 */
#ifndef HAFT_SPEC_LOAD_PROBLEM_H
#define HAFT_SPEC_LOAD_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/macros.h"
#include "haft.h"

typedef struct haft__spec_problem {
    uint32_t line, column; /* from 1, the column in characters; 0 when it is not in the file */
    uint32_t extent;       /* characters from there on that are meant; 0 when that is not known */
    haft_str pointer;      /* JSON Pointer to the value; "" for the whole */
    haft_str from;         /* "" for the file; else "--set limits.turns=x" or the like */
    uint32_t from_column;  /* in what stands behind the first word of `from`; 0: none of it */
    haft_str message;      /* what was found and what was wanted */
    haft_str hint;         /* what to do about it; may be empty */
    bool warning;          /* the spec can be used all the same */
    bool secret;           /* what is meant may be one: it is not to be shown */
} haft__spec_problem;

/* At most HAFT__LIMIT_SPEC_PROBLEMS are kept; the counts go on. Lives in the arena. */
typedef struct haft__spec_problems {
    haft__arena *arena;
    haft__spec_problem *items;
    size_t count;
    size_t errors, warnings; /* found, kept or not */
    haft_status status;      /* NO_MEMORY or TOO_BIG when one could not be kept for that */
} haft__spec_problems;

void haft__spec_problems_init(haft__spec_problems *problems, haft__arena *arena);

/* Adds a problem without place; the caller fills in the rest. NULL when it is not kept. */
haft__spec_problem *haft__spec_problem_add(haft__spec_problems *problems, bool warning,
                                           const char *format, ...) HAFT__PRINTF(3, 4);

/* Takes the one added last away again; it was kept. */
void haft__spec_problem_remove_last(haft__spec_problems *problems);

/* Puts it at a byte of the text. `problem` may be NULL. */
void haft__spec_problem_locate(haft__spec_problem *problem, haft_str text, size_t offset);

/* Gives it a hint. `problem` may be NULL. */
void haft__spec_problem_hint(haft__spec_problems *problems, haft__spec_problem *problem,
                             const char *format, ...) HAFT__PRINTF(3, 4);

/* By place; those that are not in the file last. Warnings stand among the errors. */
void haft__spec_problems_sort(haft__spec_problems *problems);

/* Where a byte is: line and column from 1, the column in characters. */
void haft__spec_locate(haft_str text, size_t offset, uint32_t *ret_line, uint32_t *ret_column);

/* How many bytes from `offset` on are one word of YAML or JSON: a text in quotes, or whatever ends
 * at a comma, a bracket, a colon, a comment or the end of the line. At least 1. */
size_t haft__spec_token_length(haft_str text, size_t offset);

/* The line of the text with that number, without its end; empty when there is none. */
haft_str haft__spec_line_text(haft_str text, uint32_t line);

#endif
