/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/regex/pattern.h - regular expressions of ECMA-262 (as with its `u` flag), run by PCRE2.
 *
 * The front end (schema/regex/ecma.h) parses ECMA-262 syntax and writes an equivalent PCRE2
 * pattern, so syntax that only PCRE2 has is rejected. A match has a step and a memory limit: its
 * time is at worst linear in the length of the text.
 */
#ifndef HAFT_SCHEMA_REGEX_PATTERN_H
#define HAFT_SCHEMA_REGEX_PATTERN_H

#include "base/arena.h"
#include "base/buf.h"

typedef struct haft__pattern
    haft__pattern; /* lives in its arena; read-only, so threads may share */
typedef struct haft__pattern_scratch haft__pattern_scratch; /* working memory of one match */

typedef enum haft__pattern_result {
    HAFT__PATTERN_NO,
    HAFT__PATTERN_YES,
    HAFT__PATTERN_LIMIT,     /* stopped at HAFT__LIMIT_PATTERN_MATCH or _HEAP_KIB */
    HAFT__PATTERN_NO_MEMORY, /* out of memory */
} haft__pattern_result;

/* BAD_INPUT if `source` is not a regular expression (err->where: "character N"), UNSUPPORTED for
 * features that PCRE2 lacks (a look-behind of variable length, a back reference with a different
 * meaning, a property newer than its Unicode), TOO_BIG past a limit. Only the compiled code stays
 * in `arena`. */
HAFT_MUST_USE haft_status haft__pattern_compile(haft__arena *arena, haft_str source,
                                                const haft__pattern **ret_pattern, haft_error *err);

/* Like haft__pattern_compile, for haft__pattern_find. */
HAFT_MUST_USE haft_status haft__pattern_compile_to_find(haft__arena *arena, haft_str source,
                                                        const haft__pattern **ret_pattern,
                                                        haft_error *err);

/* Appends the PCRE2 pattern that `source` is translated to. */
HAFT_MUST_USE haft_status haft__pattern_translate(haft_str source, haft__buf *ret_buf,
                                                  haft_error *err);

/* NULL when out of memory. One thread at a time. Keeps the memory of its largest match, at most
 * HAFT__LIMIT_PATTERN_HEAP_KIB, so that later matches need no allocation. */
haft__pattern_scratch *haft__pattern_scratch_create(void);
void haft__pattern_scratch_destroy(haft__pattern_scratch *scratch);

/* Whether `pattern` matches anywhere in `subject` (valid UTF-8). */
haft__pattern_result haft__pattern_match(const haft__pattern *pattern,
                                         haft__pattern_scratch *scratch, haft_str subject);

/* Like haft__pattern_match, for a pattern of haft__pattern_compile_to_find, from the byte `from`
 * on. For YES, returns the bytes of the match. */
haft__pattern_result haft__pattern_find(const haft__pattern *pattern,
                                        haft__pattern_scratch *scratch, haft_str subject,
                                        size_t from, size_t *ret_start, size_t *ret_end);

/* The number of steps of the last match, for callers with a budget for many matches. */
size_t haft__pattern_steps(const haft__pattern_scratch *scratch);

#endif
