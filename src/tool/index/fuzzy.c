/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzzy.c - words of a query that the index does not have: "repo" is a prefix of "repository",
 * "createissue" is two words, "calender" has a typing error.
 *
 * Among equally similar words, the first in alphabetical order are used, whatever their numbers
 * are.
 *
 * Tests: tests/tool/index/query_test.c.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "tool/index/search_int.h"
#include "tool/index/stem.h"

/* The weights of a similar word: smaller than the weight of a word that is in the index. */
#define WEIGHT_BEGINS 0.4F
#define WEIGHT_NAME   0.6F /* for a query that is only a name */
#define WEIGHT_HALF   0.6F
#define WEIGHT_ERROR  0.6F
/* Shorter prefixes match too many words. */
#define MIN_PREFIX     4U
#define MIN_NAME       2U
#define MIN_HALF       3U
#define MIN_DOUBLED    4U
#define MIN_SWAP       5U
#define MIN_ERROR      6U
#define MIN_TWO_ERRORS 9U
#define MIN_CORRECTED  6U /* minimum length of the misspelt word */
#define MIN_STEM       4U /* minimum length of the stem of the correct word */
/* The maximum number of similar words of each kind; HAFT__SEARCH_TERMS_PER_WORD has room for one
 * kind. */
#define MAX_SIMILAR 6U

/* The best words found so far, best first. */
typedef struct found {
    const haft__search_index *search;
    uint32_t terms[MAX_SIMILAR];
    uint32_t grades[MAX_SIMILAR]; /* less is better */
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
    size_t at = f->count < MAX_SIMILAR ? f->count++ : MAX_SIMILAR;
    while (at > 0 && is_better(f, term, grade, at - 1)) {
        if (at < MAX_SIMILAR) {
            f->terms[at] = f->terms[at - 1];
            f->grades[at] = f->grades[at - 1];
        }
        at--;
    }
    if (at < MAX_SIMILAR) {
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

/* The prefix to search for: "repos" and "repo" are prefixes of "repository", but "downing" is not a
 * prefix of "download". */
static haft_str prefix_of(haft_str raw, haft_str stem)
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

/* Chooses the split with the longest first half. Neither half is short: "email" is not split into e
 * and mail. */
static bool add_split_words(const haft__search_index *search, haft_str word,
                            haft__search_parsed_query *parsed)
{
    for (size_t cut = word.len - MIN_HALF; cut >= MIN_HALF && cut < word.len; cut--) {
        uint32_t first = find_stem(search, (haft_str){word.ptr, cut});
        uint32_t second = first != HAFT__SEARCH_NONE ? find_stem(search, haft__str_skip(word, cut))
                                                     : HAFT__SEARCH_NONE;
        if (second != HAFT__SEARCH_NONE) {
            (void)haft__search_add_query_term(parsed, first, WEIGHT_HALF);
            (void)haft__search_add_query_term(parsed, second, WEIGHT_HALF);
            return true;
        }
    }
    return false;
}

/* ---- typing errors ---- */

static void find_misspellings(found *f, haft_str stem, size_t max)
{
    const haft__search_string_table *table = &f->search->term_table;
    uint32_t letters = haft__search_letter_bits(stem);
    size_t left = HAFT__LIMIT_SEARCH_NEAR_TERMS + 1U;
    bool swap = stem.len < MIN_ERROR; /* in such a short word only a swap is likely */
    for (uint32_t i = 0; i < table->limit && left > 0; i++) {
        haft__search_shape shape = f->search->shapes[i];
        size_t longer = shape.length > stem.len ? shape.length - stem.len : stem.len - shape.length;
        if (shape.first != (uint8_t)stem.ptr[0] || longer > (swap ? 0 : max)
            || haft__search_count_bits(letters ^ shape.letters) > (swap ? 0 : 2 * max)) {
            continue;
        }
        left--;
        size_t distance =
            haft__suggestion_distance(haft__search_string_table_text(table, i), stem, max);
        if (distance <= max) {
            keep(f, i, (uint32_t)distance);
        }
    }
    f->count = left > 0 ? f->count : 0;
}

/* ---- one typing error in a word as written: "caculate" ---- */

/* Names with digits are not misspelt words. */
static bool is_letters(haft_str word)
{
    for (size_t i = 0; i < word.len; i++) {
        if (!haft__ascii_is_lower(word.ptr[i])) {
            return false;
        }
    }
    return true;
}

/* Whether `start` and then `rest` are a word with that stem. */
static bool has_stem(haft_str start, haft_str rest, haft_str stem)
{
    char word[2 * HAFT__LIMIT_SEARCH_WORD_BYTES];
    size_t length = start.len + rest.len;
    if (start.len > 0) { /* an empty text may have no pointer */
        memcpy(word, start.ptr, start.len);
    }
    if (rest.len > 0) {
        memcpy(word + start.len, rest.ptr, rest.len);
    }
    return length <= HAFT__LIMIT_SEARCH_WORD_BYTES
           && haft__str_equal((haft_str){word, haft__search_stem(word, length)}, stem);
}

/* Whether the rest of the word, from `at`, begins with the rest of the stem, from `stem_at`, and
 * the stem with the ending after it is a form of the stem. */
static bool ends_with_stem(haft_str raw, size_t at, haft_str stem, size_t stem_at)
{
    haft_str tail = haft__str_skip(stem, stem_at);
    haft_str rest = haft__str_skip(raw, at);
    return haft__str_starts_with(rest, tail)
           && has_stem(stem, haft__str_skip(rest, tail.len), stem);
}

/* Whether `raw` is a form of the stem with one error before the ending: a missing letter, an
 * additional letter, two swapped letters or, if `changed`, a wrong letter. */
static bool corrects_stem(haft_str raw, haft_str stem, bool changed)
{
    size_t at = 0;
    while (at < stem.len && at < raw.len && stem.ptr[at] == raw.ptr[at]) {
        at++;
    }
    if (at == 0 || at == stem.len) {
        return false;
    }
    bool swapped = at + 1 < stem.len && at + 1 < raw.len && stem.ptr[at] == raw.ptr[at + 1]
                   && stem.ptr[at + 1] == raw.ptr[at];
    return ends_with_stem(raw, at, stem, at + 1) || ends_with_stem(raw, at + 1, stem, at)
           || (changed && ends_with_stem(raw, at + 1, stem, at + 1))
           || (swapped && ends_with_stem(raw, at + 2, stem, at + 2));
}

/* Whether `raw` is the stem and an English ending with one such error in the ending:
 * "calculaton". */
static bool corrects_ending(haft_str raw, haft_str stem)
{
    static const char *const endings[] = {
        "",     "e",    "s",    "y",    "al",    "ed",    "er",    "es",     "ly",   "or",
        "ate",  "ers",  "ies",  "ing",  "ion",   "ity",   "ive",   "ize",    "able", "ated",
        "ates", "ator", "ment", "ness", "ating", "ation", "ments", "ations",
    };
    haft_str rest = haft__str_skip(raw, stem.len);
    for (size_t i = 0; i < COUNT(endings) && haft__str_starts_with(raw, stem); i++) {
        haft_str ending = haft__str(endings[i]);
        if (haft__suggestion_distance(rest, ending, 1) <= 1 && has_stem(stem, ending, stem)) {
            return true;
        }
    }
    return false;
}

/* Finds words of which `raw` is a form with one error. The error may be in the ending, so that the
 * stems differ by more than one letter. If `raw` may be a correct word, considers fewer kinds of
 * errors, because another letter or ending often makes another word. */
static void find_corrections(found *f, haft_str raw, bool is_certain)
{
    const haft__search_string_table *table = &f->search->term_table;
    uint32_t letters = haft__search_letter_bits(raw), min = is_certain ? MIN_STEM : MIN_ERROR;
    size_t left = HAFT__LIMIT_SEARCH_NEAR_TERMS + 1U;
    for (uint32_t i = 0; i < table->limit && left > 0; i++) {
        haft__search_shape shape = f->search->shapes[i];
        if (shape.first != (uint8_t)raw.ptr[0] || shape.length < min || shape.length > raw.len + 1
            || haft__search_count_bits(shape.letters & ~letters) > 1) {
            continue;
        }
        left--;
        haft_str stem = haft__search_string_table_text(table, i);
        if (corrects_stem(raw, stem, is_certain) || (is_certain && corrects_ending(raw, stem))) {
            keep(f, i, 1);
        }
    }
    f->count = left > 0 ? f->count : 0;
}

/* Adds the most similar words. Returns the term if one word is more similar than all others. */
static uint32_t add_most_similar(const haft__search_index *search, haft_str raw, haft_str stem,
                                 bool is_certain, haft__search_parsed_query *parsed)
{
    found f = {.search = search};
    size_t max = raw.len >= MIN_TWO_ERRORS ? 2 : 1, count = 0;
    bool corrects = raw.len >= MIN_CORRECTED && is_letters(raw);
    if (corrects && is_certain) {
        find_corrections(&f, raw, true);
    }
    if (f.count == 0 && stem.len >= MIN_SWAP) {
        find_misspellings(&f, stem, max);
    }
    if (f.count == 0 && stem.len >= MIN_SWAP && raw.len > stem.len) {
        find_misspellings(&f, raw, max); /* in "calender", "er" is not an ending */
    }
    if (f.count == 0 && corrects && !is_certain) {
        find_corrections(&f, raw, false);
    }
    for (; count < f.count && count < 2 && f.grades[count] == f.grades[0]; count++) {
        (void)haft__search_add_query_term(parsed, f.terms[count], WEIGHT_ERROR);
    }
    return count == 1 ? f.terms[0] : HAFT__SEARCH_NONE;
}

/* Finds words that differ by a doubled letter, even short ones, because this error is easily
 * overlooked: "isue". If `raw` is itself in the index, considers only words of names. Returns the
 * term of the word, or HAFT__SEARCH_NONE. */
static uint32_t add_doubled(const haft__search_index *search, haft_str raw, bool is_word,
                            haft__search_parsed_query *parsed)
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
            (void)haft__search_add_query_term(parsed, term, WEIGHT_ERROR);
            return term;
        }
    }
    return HAFT__SEARCH_NONE;
}

/* Adds the words that `raw` may be a misspelling of. Returns the term of the best one if it is
 * better than all others and the table of vectors shows that `raw` is not a word. */
static uint32_t add_misspelt(const haft__search_index *search, haft_str raw, haft_str stem,
                             haft__search_parsed_query *parsed)
{
    const haft__search_word_vectors *vectors = search->options.vectors;
    bool is_word = vectors != NULL && haft__search_word_vectors_find(vectors, stem) != NULL;
    bool is_certain = vectors != NULL && !is_word;
    uint32_t term =
        raw.len >= MIN_DOUBLED ? add_doubled(search, raw, is_word, parsed) : HAFT__SEARCH_NONE;
    if (term == HAFT__SEARCH_NONE && !is_word) {
        term = add_most_similar(search, raw, stem, is_certain, parsed);
    }
    return is_certain ? term : HAFT__SEARCH_NONE;
}

uint32_t haft__search_add_fuzzy(const haft__search_index *search, const haft__search_word *word,
                                bool only_names, haft__search_parsed_query *parsed)
{
    haft_str raw = {word->raw, word->raw_length}, stem = {word->stem, word->stem_length};
    haft_str part = prefix_of(raw, stem);
    found f = {.search = search};
    if (part.len >= (parsed->single ? MIN_NAME : MIN_PREFIX)) {
        find_prefixes(&f, part);
    }
    for (size_t i = 0; i < f.count; i++) {
        (void)haft__search_add_query_term(parsed, f.terms[i],
                                          parsed->single ? WEIGHT_NAME : WEIGHT_BEGINS);
    }
    if (only_names || f.count > 0
        || (raw.len >= 2 * MIN_HALF && add_split_words(search, raw, parsed))) {
        return HAFT__SEARCH_NONE;
    }
    return add_misspelt(search, raw, stem, parsed);
}
