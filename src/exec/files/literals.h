/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/literals.h - texts of which a line must hold one if a pattern is to match it.
 *
 * Most patterns have some, and looking for a text is much faster than trying an expression
 * everywhere: only lines with a needle are handed to it (exec/files/scan.h finds them). What is
 * read from the pattern is never too much: a pattern that is not understood has no needles.
 */
#ifndef HAFT_EXEC_FILES_LITERALS_H
#define HAFT_EXEC_FILES_LITERALS_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

#define HAFT__LITERAL_BYTES 16 /* of a longer text this is enough */
#define HAFT__LITERALS_MAX  8

typedef struct haft__literal {
    unsigned char text[HAFT__LITERAL_BYTES];
    unsigned char ignored[HAFT__LITERAL_BYTES]; /* bits that may be set or not: those of case */
    uint8_t length;                             /* at least 1 */
    uint8_t rare[2]; /* where its two rarest bytes are; the same place when it has but one */
} haft__literal;

typedef struct haft__literals {
    haft__literal items[HAFT__LITERALS_MAX];
    size_t count;
} haft__literals;

/* Those of a pattern that PCRE2 and exec/files/regex_rewrite.h have accepted. False when it has
 * none, or more alternatives than there may be needles. */
bool haft__literals_extract(haft_str pattern, haft__literals *ret_needles);

#endif
