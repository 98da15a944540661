/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/index/tokenizer.h - splits texts, names and queries into words that can be compared.
 *
 * Names are split where programmers see a new word (createIssue, list_s3_buckets). Letters become
 * lower case without accents, English endings are stripped, and stop words are dropped. Chinese,
 * Japanese and Korean text becomes bigrams. Only the host of a URL counts. Keys, hashes and other
 * long random strings are dropped.
 */
#ifndef HAFT_TOOL_INDEX_TOKENIZER_H
#define HAFT_TOOL_INDEX_TOKENIZER_H

#include <stdbool.h>

#include "base/limits.h"
#include "haft.h"

typedef struct haft__search_word {
    char raw[HAFT__LIMIT_SEARCH_WORD_BYTES]; /* lower case, otherwise as written */
    char stem[HAFT__LIMIT_SEARCH_WORD_BYTES];
    size_t raw_length, stem_length;
    bool implied;       /* not written in the query, but implied by a token */
    bool begins_clause; /* a comma, the end of a sentence, or "and" came before it */
} haft__search_word;

typedef struct haft__search_tokenizer {
    haft_str text;
    size_t at, end;   /* the part that is read: up to white space, or to the end of a URL's host */
    size_t token_end; /* offset of the white space */
    size_t joined;    /* words with digits were returned whole up to this offset */
    bool breaks;      /* the next word begins a clause */
    haft_str more;    /* further words for the last word */
    haft_str implied; /* in a query: the words for the kind of the token; "" for an ordinary word */
    bool query;
    bool in_pairs; /* the character at `at` was the second of a bigram */
} haft__search_tokenizer;

/* `text` may have any bytes; it is borrowed. For a query, words for the kind of a token (a URL, a
 * file) are returned as well. */
void haft__search_tokenizer_init(haft__search_tokenizer *words, haft_str text, bool query);

/* Returns the next word that is not a stop word; false after the last. */
bool haft__search_tokenizer_next(haft__search_tokenizer *words, haft__search_word *ret_word);

#endif
