/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/regex.h - a regular expression of grep: PCRE2's dialect, found in the lines of a text.
 *
 * Whole blocks of lines are searched at once, by machine code where the system allows that
 * (PCRE2's JIT). One match has a limit of steps, and between matches a flag is looked at, so a
 * search ends soon after it is told to, whatever the expression.
 */
#ifndef HAFT_EXEC_FILES_REGEX_H
#define HAFT_EXEC_FILES_REGEX_H

#include <stdatomic.h>
#include <stdbool.h>

#include "haft.h"

typedef struct haft__regex haft__regex; /* with all a search needs: one thread at a time */

typedef enum haft__regex_result {
    HAFT__REGEX_NO,
    HAFT__REGEX_YES,
    HAFT__REGEX_LIMIT, /* gave up: HAFT__LIMIT_FILES_MATCH_STEPS or _PATTERN_HEAP_KIB */
    HAFT__REGEX_STOPPED,
    HAFT__REGEX_NO_MEMORY,
} haft__regex_result;

/* BAD_INPUT when `pattern` is no expression, with what PCRE2 says and the place; TOO_BIG past
 * HAFT__LIMIT_PATTERN_BYTES; else as haft__regex_rewrite_single_line. */
HAFT_MUST_USE haft_status haft__regex_create(haft_str pattern, haft__regex **ret_regex,
                                             haft_error *err);
void haft__regex_destroy(haft__regex *regex);

/* Whether it is run by machine code. */
bool haft__regex_is_compiled(const haft__regex *regex);

/* Bytes behind a text, and before it unless it is aligned to as many, that must be readable: the
 * machine code looks at whole vectors. */
#define HAFT__REGEX_SLACK 64

/* The first match in the lines of `text` that begins at `from` or later, `from` being the beginning
 * of a line or text.len. *ret_at is a place in the line it is in. `stop` may be NULL. The text has
 * no line feed at its end, for an empty line would follow that. */
haft__regex_result haft__regex_find(haft__regex *regex, haft_str text, size_t from,
                                    const atomic_bool *stop, size_t *ret_at);

#endif
