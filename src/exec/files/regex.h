/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/regex.h - regular expressions of grep: PCRE2's dialect, matched in the lines of a
 * text.
 *
 * A search covers a whole block of lines and uses PCRE2's JIT where the system allows it. Each
 * match has a step limit, and the stop flag is checked between matches, so a search stops soon for
 * every expression.
 */
#ifndef HAFT_EXEC_FILES_REGEX_H
#define HAFT_EXEC_FILES_REGEX_H

#include <stdatomic.h>
#include <stdbool.h>

#include "haft.h"

typedef struct haft__regex haft__regex; /* with its match data: use by one thread at a time */

typedef enum haft__regex_result {
    HAFT__REGEX_NO,
    HAFT__REGEX_YES,
    HAFT__REGEX_LIMIT, /* gave up: HAFT__LIMIT_FILES_MATCH_STEPS or _PATTERN_HEAP_KIB */
    HAFT__REGEX_STOPPED,
    HAFT__REGEX_NO_MEMORY,
} haft__regex_result;

/* BAD_INPUT if `pattern` is not valid, with PCRE2's message and position; TOO_BIG above
 * HAFT__LIMIT_PATTERN_BYTES; else as haft__regex_rewrite_single_line. */
HAFT_MUST_USE haft_status haft__regex_create(haft_str pattern, haft__regex **ret_regex,
                                             haft_error *err);
void haft__regex_destroy(haft__regex *regex);

/* Whether PCRE2's JIT compiled the expression. */
bool haft__regex_is_compiled(const haft__regex *regex);

/* The JIT code reads whole vectors. So this number of bytes must be readable after a text and,
 * unless the text is aligned to this number, before it. */
#define HAFT__REGEX_SLACK 64

/* Finds the first match that begins at `from` or later; `from` is the beginning of a line or
 * text.len. *ret_at is a position in the matching line. `stop` may be NULL. The text must not end
 * with a line feed, because an empty line would follow it. */
haft__regex_result haft__regex_find(haft__regex *regex, haft_str text, size_t from,
                                    const atomic_bool *stop, size_t *ret_at);

#endif
