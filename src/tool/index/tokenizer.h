/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/index/tokenizer.h - texts, names and questions as words that can be compared.
 *
 * Names are split where programmers see a new word (createIssue, list_s3_buckets), letters become
 * small and lose their accents, English endings go, words that say nothing are left out. Chinese,
 * Japanese and Korean text comes in pairs of characters. Of a URL only the host counts, of keys,
 * hashes and other long strings of chance nothing.
 */
#ifndef HAFT_TOOL_INDEX_TOKENIZER_H
#define HAFT_TOOL_INDEX_TOKENIZER_H

#include <stdbool.h>

#include "base/limits.h"
#include "haft.h"

typedef struct haft__search_word {
    char raw[HAFT__LIMIT_SEARCH_WORD_BYTES]; /* small letters, as it was written else */
    char stem[HAFT__LIMIT_SEARCH_WORD_BYTES];
    size_t raw_length, stem_length;
    bool implied;       /* nobody has written it, but something that is one */
    bool begins_clause; /* a comma, the end of a sentence, or "and" stood before it */
} haft__search_word;

typedef struct haft__search_tokenizer {
    haft_str text;
    size_t at, end;   /* what is being read: up to white space, or to the end of a URL's host */
    size_t token_end; /* where the white space is */
    size_t joined;    /* up to here words with digits in them have been told whole */
    bool breaks;      /* the next word begins a clause */
    haft_str more;    /* words that the last one also stands for, then those of the token: */
    haft_str implied; /* what it is, in a query; "" for a word like others */
    bool query;
    bool in_pairs; /* the character at `at` was the second of a pair */
} haft__search_tokenizer;

/* `text` may have any bytes; it is borrowed. Of a query it is also told what a token is: a URL, a
 * file. */
void haft__search_tokenizer_init(haft__search_tokenizer *words, haft_str text, bool query);

/* The next word that says something; false behind the last. */
bool haft__search_tokenizer_next(haft__search_tokenizer *words, haft__search_word *ret_word);

#endif
