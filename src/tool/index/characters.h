/* SPDX-License-Identifier: Apache-2.0 */
/* tool/index/characters.h - normalised characters for the search: lower case, without accents. */
#ifndef HAFT_TOOL_INDEX_CHARACTERS_H
#define HAFT_TOOL_INDEX_CHARACTERS_H

#include <stddef.h>
#include <stdint.h>

#include "haft.h"

typedef enum haft__search_character_kind {
    HAFT__SEARCH_OTHER, /* not part of a word; also an invalid UTF-8 byte, and the end */
    HAFT__SEARCH_LOWER, /* also letters without case */
    HAFT__SEARCH_UPPER,
    HAFT__SEARCH_DIGIT,
    HAFT__SEARCH_BIGRAM, /* of a script without spaces between words */
} haft__search_character_kind;

typedef struct haft__search_character {
    haft__search_character_kind kind;
    uint32_t code; /* the normalised code point; 0: ignored, such as a combining accent */
    size_t bytes;  /* length in the text; 0 at its end */
} haft__search_character;

/* Reads the first character of `text`. */
haft__search_character haft__search_character_read(haft_str text);

#endif
