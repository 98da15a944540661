/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/characters.h - characters as a search sees them: small and without accents. */
#ifndef HAFT_TOOL_INDEX_CHARACTERS_H
#define HAFT_TOOL_INDEX_CHARACTERS_H

#include <stddef.h>
#include <stdint.h>

#include "haft.h"

typedef enum haft__search_character_kind {
    HAFT__SEARCH_OTHER, /* no part of a word; also a byte that is no UTF-8, and the end */
    HAFT__SEARCH_LOWER, /* and letters without case */
    HAFT__SEARCH_UPPER,
    HAFT__SEARCH_DIGIT,
    HAFT__SEARCH_BIGRAM, /* of a script without spaces between words */
} haft__search_character_kind;

typedef struct haft__search_character {
    haft__search_character_kind kind;
    uint32_t code; /* as it is compared; 0: not at all, like an accent on its own */
    size_t bytes;  /* of the text; 0 at its end */
} haft__search_character;

/* The first character of `text`. */
haft__search_character haft__search_character_read(haft_str text);

#endif
