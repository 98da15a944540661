/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/literals.h - literals of a pattern: every line that matches contains at least one.
 *
 * Most patterns have literals, and a text search is much faster than the regular expression: only
 * lines with a literal are passed to it (exec/files/scan.h finds them). The extraction is
 * conservative: a pattern that is not understood has no literals.
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

/* Extracts the literals of a pattern that PCRE2 and exec/files/regex_rewrite.h have accepted. False
 * if it has none, or too many alternatives. */
bool haft__literals_extract(haft_str pattern, haft__literals *ret_needles);

#endif
