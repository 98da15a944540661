/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema/regex/ecma.h - reads an ECMA-262 regular expression and writes the PCRE2 one that means
 * the same.
 *
 * What goes in is the grammar of ECMA-262 (2024) with the `u` flag. Where that grammar knows only
 * an error, three things that authors of schemas write all the time are let through, as browsers do
 * without the flag:
 *   - a backslash before an ASCII character that is no letter and no digit: \-  \_  \@  \"
 *   - `]`, `{` and `}` that open or close nothing
 *   - a hyphen next to \w, \d and the like in a class: [\w-.]
 *
 * What comes out is ASCII. Letters and digits stand for themselves and every other character is
 * written \x{..}, so nothing can turn into PCRE2 syntax by accident. It is meant for a yes or no:
 *   - Groups capture only in an expression that has back references.
 *   - A repeat that begins or ends the expression is cut down to its least count, which changes
 *     where a match lies but not whether there is one: \s+$ becomes \s$.
 *   - An expression with a look-ahead begins with (*NO_START_OPT), against a bug of PCRE2's.
 *   - "Tolls" (callouts, `(?C)`) stand wherever matching may branch or run far, so that the matcher
 *     can add up what a match costs; see pattern.c.
 *
 * ECMA-262 forgets what the groups in a repeated part have captured whenever a new round of it
 * begins, and allows no empty round beyond the least count; PCRE2 does neither. Only a back
 * reference can tell, and one that might is refused (see ecma_group.c).
 */
#ifndef HAFT_SCHEMA_REGEX_ECMA_H
#define HAFT_SCHEMA_REGEX_ECMA_H

#include <stdbool.h>

#include "base/buf.h"

/* Most bytes a translation can take: no construct grows by more than this factor. */
#define HAFT__ECMA_GROWTH 128

/* The number or the text of a toll describes the work that follows it. */
#define HAFT__ECMA_CALLOUT_CHARACTERS 256 /* (?Cn): at least n times so many characters */
                                          /* (?C'n'): what group n has captured is compared */

/* Appends the translation of `source`. BAD_INPUT with err->where "character N", UNSUPPORTED or
 * TOO_BIG as haft__pattern_compile says. */
HAFT_MUST_USE haft_status haft__ecma_translate(haft_str source, haft__buf *ret_buf,
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

/* Adds the property that was probably meant as a hint to an error about such a text. */
haft_status haft__ecma_hint_property(haft_str text, haft_status status, haft_error *err);

#endif
