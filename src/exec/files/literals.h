/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/literals.h - extracts texts from a regular expression such that every matching line
 * contains at least one of them.
 *
 * Searching for a text is much faster than matching a regular expression. So exec/files/scan.h
 * first finds the lines that contain a literal, and only these lines are matched. If the extraction
 * does not understand a pattern, the pattern has no literals, and all lines are matched.
 */
#ifndef HAFT_EXEC_FILES_LITERALS_H
#define HAFT_EXEC_FILES_LITERALS_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

#define HAFT__LITERAL_BYTES 16 /* a longer text is truncated */
#define HAFT__LITERALS_MAX  8

typedef struct haft__literal {
    unsigned char text[HAFT__LITERAL_BYTES];
    unsigned char ignored[HAFT__LITERAL_BYTES]; /* bits to ignore, for case-insensitive letters */
    uint8_t length;                             /* at least 1 */
    uint8_t rare[2]; /* positions of its two rarest bytes; equal if it has only one byte */
} haft__literal;

typedef struct haft__literals {
    haft__literal items[HAFT__LITERALS_MAX];
    size_t count;
} haft__literals;

/* Extracts the literals of a pattern that PCRE2 and exec/files/regex_rewrite.h have accepted.
 * Returns false if the pattern has no literals or too many alternatives. */
bool haft__literals_extract(haft_str pattern, haft__literals *ret_literals);

#endif
