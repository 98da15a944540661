/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/regex/ecma.h - translates an ECMA-262 regular expression to an equivalent PCRE2 pattern.
 *
 * Input: the grammar of ECMA-262 (2024) with the `u` flag. In addition, the translator accepts
 * three forms that are errors with this flag, because schemas use them often and browsers accept
 * them without the flag:
 *   - a backslash before an ASCII character that is neither letter nor digit: \-  \_  \@  \"
 *   - an unmatched `]`, `{` or `}`
 *   - a hyphen next to \w, \d and similar in a class: [\w-.]
 *
 * Output: ASCII. Letters and digits are copied, and every other character is written as \x{..}, so
 * that no input becomes PCRE2 syntax by accident. The pattern only answers whether a text matches,
 * not where (except that of haft__ecma_translate_whole):
 *   - Groups capture only if the expression has back references.
 *   - A repeat at the start or the end of the expression is reduced to its minimum count. This can
 *     change the position of a match, but not whether one exists: \s+$ becomes \s$.
 *   - An expression with a look-ahead begins with (*NO_START_OPT), to avoid a bug in PCRE2.
 *   - PCRE2 callouts, `(?C)`, are inserted where matching may branch or consume much text. The
 *     matcher uses them to count the cost of a match; see pattern.c.
 *
 * PCRE2 differs from ECMA-262 in repeated groups: ECMA-262 clears the captures inside a repeat at
 * the start of each iteration, and allows no empty iteration beyond the minimum count. Only a back
 * reference can make the difference visible. For such a back reference the translation fails with
 * UNSUPPORTED (see ecma_group.c).
 */
#ifndef HAFT_SCHEMA_REGEX_ECMA_H
#define HAFT_SCHEMA_REGEX_ECMA_H

#include <stdbool.h>

#include "base/buf.h"

/* The maximum growth factor of a construct in the translation. */
#define HAFT__ECMA_GROWTH 128

/* The number or the text of a callout describes the work after it: (?Cn) consumes at least n times
 * this many characters; (?C'n') compares the text captured by group n. */
#define HAFT__ECMA_CALLOUT_CHARACTERS 256

/* Appends the translation of `source`. BAD_INPUT with err->where "character N", UNSUPPORTED or
 * TOO_BIG as for haft__pattern_compile. */
HAFT_MUST_USE haft_status haft__ecma_translate(haft_str source, haft__buf *ret_buf,
                                               haft_error *err);

/* Like haft__ecma_translate, for a pattern that also answers where the match is. */
HAFT_MUST_USE haft_status haft__ecma_translate_whole(haft_str source, haft__buf *ret_buf,
                                                     haft_error *err);

/* The names in \p{...}; at most three for one property, the rest NULL. */
typedef struct haft__ecma_property_names {
    const char *name[3];
} haft__ecma_property_names;

typedef enum haft__ecma_property_kind {
    HAFT__ECMA_CATEGORY, /* \p{General_Category=Letter}, \p{gc=Letter}, \p{Letter} */
    HAFT__ECMA_SCRIPT,   /* \p{Script=Greek}, \p{sc=Greek}, \p{Script_Extensions=..}, \p{scx=..} */
    HAFT__ECMA_BINARY,   /* \p{Alphabetic} */
} haft__ecma_property_kind;

/* All of one kind. Static. */
const haft__ecma_property_names *haft__ecma_properties(haft__ecma_property_kind kind,
                                                       size_t *ret_count);

/* Appends \p{..} or \P{..} for the text between the braces in ECMA-262 syntax. False if it names no
 * property: unlike PCRE2, ECMA-262 requires the exact spelling of the standard. */
bool haft__ecma_property(haft_str text, bool negated, haft__buf *ret_buf);

/* Adds a hint to an error about an unknown property: the most similar property. */
haft_status haft__ecma_hint_property(haft_str text, haft_status status, haft_error *err);

#endif
