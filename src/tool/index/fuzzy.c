/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzzy.c - words of a query that the index does not have: "repo" is a prefix of "repository",
 * "createissue" is two words, "calender" has a typing error.
 *
 * Among equally near words the first in alphabetical order count, independent of their numbers.
 *
 * Tests: tests/tool/index/query_test.c.
 */
#include <string.h>

#include "base/str.h"
#include "base/suggestion.h"
#include "tool/index/search_int.h"
#include "tool/index/stem.h"

/* The weights of a similar word: less than that of any word in the index. */
#define WEIGHT_BEGINS 0.4F
#define WEIGHT_NAME   0.6F /* for a query that is only a name */
#define WEIGHT_HALF   0.6F
#define WEIGHT_SLIP   0.6F
/* Shorter prefixes match too many words. */
#define LEAST_BEGINNING 4U
#define LEAST_NAME      2U
#define LEAST_HALF      3U
#define LEAST_DOUBLED   4U
#define LEAST_SWAP      5U
#define LEAST_SLIP      6U
#define LEAST_TWO_SLIPS 9U
/* The maximum number of similar words of each kind; HAFT__SEARCH_TERMS_PER_WORD has room for one
 * kind. */
#define MOST 6U

/* The best words found so far, best first. */
typedef struct found {
    const haft__search_index *search;
    uint32_t terms[MOST];
    uint32_t grades[MOST]; /* less is better */
    size_t count;
} found;

static bool is_better(const found *f, uint32_t term, uint32_t grade, size_t at)
{
    if (grade != f->grades[at]) {
        return grade < f->grades[at];
    }
    return haft__str_compare(haft__search_string_table_text(&f->search->term_table, term),
                             haft__search_string_table_text(&f->search->term_table, f->terms[at]))
           < 0;
}

static void keep(found *f, uint32_t term, uint32_t grade)
{
    size_t at = f->count < MOST ? f->count++ : MOST;
    while (at > 0 && is_better(f, term, grade, at - 1)) {
        if (at < MOST) {
            f->terms[at] = f->terms[at - 1];
            f->grades[at] = f->grades[at - 1];
        }
        at--;
    }
    if (at < MOST) {
        f->terms[at] = term;
        f->grades[at] = grade;
    }
}

uint32_t haft__search_letter_bits(haft_str word)
{
    uint32_t letters = 0;
    for (size_t i = 0; i < word.len; i++) {
        letters |= 1U << ((unsigned char)word.ptr[i] & 31U);
    }
    return letters;
}

unsigned haft__search_count_bits(uint32_t bits)
{
    bits -= bits >> 1 & 0x55555555U;
    bits = (bits & 0x33333333U) + (bits >> 2 & 0x33333333U);
    bits = (bits + (bits >> 4)) & 0x0F0F0F0FU;
    return bits * 0x01010101U >> 24;
}

/* ---- prefixes ---- */

/* Finds words of names that begin with `part`; the shortest are the best. */
static void find_prefixes(found *f, haft_str part)
{
    const haft__search_index *search = f->search;
    uint32_t letters = haft__search_letter_bits(part), limit = search->term_table.limit;
    size_t left = HAFT__LIMIT_SEARCH_NEAR_TERMS + 1U;
    for (uint32_t i = 0; i < limit && left > 0; i++) {
        haft__search_shape shape = search->shapes[i];
        if (shape.first != (uint8_t)part.ptr[0] || shape.length <= part.len
            || (letters & ~shape.letters) != 0) {
            continue;
        }
        left--;
        if (search->terms[i].name_count > 0
            && haft__str_starts_with(haft__search_string_table_text(&search->term_table, i),
                                     part)) {
            keep(f, i, shape.length);
        }
    }
    f->count = left > 0 ? f->count : 0;
}

/* "repos" is a prefix of "repository" like "repo", but "downing" is not one of "download". */
static haft_str beginning_of(haft_str raw, haft_str stem)
{
    return raw.len <= stem.len + 1 ? stem : raw;
}

/* ---- two words written as one ---- */

static uint32_t find_stem(const haft__search_index *search, haft_str word)
{
    char stem[HAFT__LIMIT_SEARCH_WORD_BYTES];
    memcpy(stem, word.ptr, word.len);
    return haft__search_string_table_find(&search->term_table,
                                          (haft_str){stem, haft__search_stem(stem, word.len)});
}

/* Chooses the split with the longest first half. Neither half is short: "email" is not e and
 * mail. */
static bool add_split_words(const haft__search_index *search, haft_str word,
                            haft__search_parsed_query *asked)
{
    for (size_t cut = word.len - LEAST_HALF; cut >= LEAST_HALF && cut < word.len; cut--) {
        uint32_t first = find_stem(search, (haft_str){word.ptr, cut});
        uint32_t second = first != HAFT__SEARCH_NONE ? find_stem(search, haft__str_skip(word, cut))
                                                     : HAFT__SEARCH_NONE;
        if (second != HAFT__SEARCH_NONE) {
            haft__search_add_query_term(asked, first, WEIGHT_HALF);
            haft__search_add_query_term(asked, second, WEIGHT_HALF);
            return true;
        }
    }
    return false;
}

/* ---- typing errors ---- */

static void find_misspellings(found *f, haft_str stem, size_t most)
{
    const haft__search_string_table *table = &f->search->term_table;
    uint32_t letters = haft__search_letter_bits(stem);
    size_t left = HAFT__LIMIT_SEARCH_NEAR_TERMS + 1U;
    bool swap = stem.len < LEAST_SLIP; /* in such a short word only a swap is likely */
    for (uint32_t i = 0; i < table->limit && left > 0; i++) {
        haft__search_shape shape = f->search->shapes[i];
        size_t longer = shape.length > stem.len ? shape.length - stem.len : stem.len - shape.length;
        if (shape.first != (uint8_t)stem.ptr[0] || longer > (swap ? 0 : most)
            || haft__search_count_bits(letters ^ shape.letters) > (swap ? 0 : 2 * most)) {
            continue;
        }
        left--;
        size_t distance =
            haft__suggestion_distance(haft__search_string_table_text(table, i), stem, most);
        if (distance <= most) {
            keep(f, i, (uint32_t)distance);
        }
    }
    f->count = left > 0 ? f->count : 0;
}

static void add_misspellings(const found *f, haft__search_parsed_query *asked)
{
    for (size_t i = 0; i < f->count && i < 2 && f->grades[i] == f->grades[0]; i++) {
        haft__search_add_query_term(asked, f->terms[i], WEIGHT_SLIP);
    }
}

/* Finds words that differ by a doubled letter, the error that is hardest to see: "isue". This
 * includes short words. If the word is in the index itself, only words of names count. */
static bool add_doubled(const haft__search_index *search, haft_str raw, bool is_word,
                        haft__search_parsed_query *asked)
{
    char other[HAFT__LIMIT_SEARCH_WORD_BYTES];
    for (size_t i = 1; i < raw.len && raw.len < sizeof(other); i++) {
        bool twice = raw.ptr[i] == raw.ptr[i - 1];
        size_t length = twice ? i : i + 1; /* of the part before the next letter */
        memcpy(other, raw.ptr, length);
        other[length] = raw.ptr[i];
        size_t after = twice ? length : length + 1;
        memcpy(other + after, raw.ptr + i + 1, raw.len - i - 1);
        uint32_t term = find_stem(search, (haft_str){other, after + raw.len - i - 1});
        if (term != HAFT__SEARCH_NONE && (!is_word || search->terms[term].name_count > 0)) {
            haft__search_add_query_term(asked, term, WEIGHT_SLIP);
            return true;
        }
    }
    return false;
}

void haft__search_add_fuzzy(const haft__search_index *search, const haft__search_word *word,
                            bool only_names, haft__search_parsed_query *asked)
{
    haft_str raw = {word->raw, word->raw_length}, stem = {word->stem, word->stem_length};
    const haft__search_word_vectors *vectors = search->options.vectors;
    haft_str part = beginning_of(raw, stem);
    found f = {.search = search};
    if (part.len >= (asked->single ? LEAST_NAME : LEAST_BEGINNING)) {
        find_prefixes(&f, part);
    }
    for (size_t i = 0; i < f.count; i++) {
        haft__search_add_query_term(asked, f.terms[i], asked->single ? WEIGHT_NAME : WEIGHT_BEGINS);
    }
    if (only_names || f.count > 0
        || (raw.len >= 2 * LEAST_HALF && add_split_words(search, raw, asked))) {
        return;
    }
    bool is_word = vectors != NULL && haft__search_word_vectors_find(vectors, stem) != NULL;
    if (raw.len >= LEAST_DOUBLED && add_doubled(search, raw, is_word, asked)) {
        return;
    }
    if (stem.len >= LEAST_SWAP && !is_word) {
        size_t most = raw.len >= LEAST_TWO_SLIPS ? 2 : 1;
        find_misspellings(&f, stem, most);
        if (f.count == 0 && raw.len > stem.len) { /* "calender": "er" is not an ending */
            find_misspellings(&f, raw, most);
        }
        add_misspellings(&f, asked);
    }
}
