/* SPDX-License-Identifier: Apache-2.0 */
/*
 * similarity.c - documents and queries as the mean of their words' vectors, and the cosine
 * similarity between them.
 *
 * The norm of a word's vector is its weight. A document's vector is computed when the document is
 * added and depends on nothing else.
 *
 * Tests: tests/tool/index/word_vectors_test.c.
 */
#include <string.h>

#include "tool/index/math.h"
#include "tool/index/search_int.h"

/* The additional weight of a repeated word. */
#define AGAIN 0.3F

static const float field_weights[HAFT__SEARCH_FIELDS] = {[HAFT__SEARCH_NAME] = 2,
                                                         [HAFT__SEARCH_TEXT] = 1,
                                                         [HAFT__SEARCH_GROUP] = 1,
                                                         [HAFT__SEARCH_PARAMS] = 0.5F};

static void add_word(const haft__search_word_vectors *vectors, haft_str stem, float weight,
                     float *sum)
{
    const int8_t *vector = haft__search_word_vectors_find(vectors, stem);
    for (uint32_t i = 0; vector != NULL && i < vectors->dimensions; i++) {
        sum[i] += weight * (float)vector[i];
    }
}

float haft__search_quantise(const float *sum, size_t dimensions, int8_t *row)
{
    int64_t squares = 0;
    haft__search_pack(sum, dimensions, row);
    for (size_t i = 0; i < dimensions; i++) {
        squares += row[i] * row[i];
    }
    return squares > 0 ? (float)(1 / haft__search_sqrt((double)squares)) : 0;
}

void haft__search_document_vector(const haft__search_index *search, const haft__search_bag *bag,
                                  int8_t *row, float *ret_scale)
{
    const haft__search_word_vectors *vectors = search->options.vectors;
    float sum[HAFT__SEARCH_DIMENSIONS] = {0};
    for (uint32_t i = 0; i < bag->count; i++) {
        const haft__search_tally *tally = &bag->counts[i];
        float weight = 0;
        for (size_t f = 0; f < HAFT__SEARCH_FIELDS; f++) {
            float count = (float)tally->counts[f];
            weight += field_weights[f] * (count > 1 ? 1 + AGAIN * (count - 1) : count);
        }
        add_word(vectors, haft__search_string_table_text(&search->term_table, tally->term), weight,
                 sum);
    }
    memset(row, 0, search->row);
    *ret_scale = haft__search_quantise(sum, vectors->dimensions, row);
}

/* Whether the word occurred before: each counts once. */
static bool is_again(const haft__search_parsed_query *asked, size_t at)
{
    const haft__search_word *word = &asked->words[at];
    for (size_t i = 0; i < at; i++) {
        const haft__search_word *other = &asked->words[i];
        if (other->stem_length == word->stem_length
            && memcmp(other->stem, word->stem, word->stem_length) == 0) {
            return true;
        }
    }
    return false;
}

/* The unit of vector instructions. The sum of two products of signed bytes fits into 16 bits. */
typedef int8_t bytes __attribute__((vector_size(8)));
typedef int16_t shorts __attribute__((vector_size(16)));
typedef int32_t ints __attribute__((vector_size(32)));

static shorts load(const int8_t *at)
{
    bytes eight;
    memcpy(&eight, at, sizeof(eight));
    return __builtin_convertvector(eight, shorts);
}

int32_t haft__search_dot_product(const int8_t *a, const int8_t *b, uint32_t row)
{
    ints sums = {0};
    for (uint32_t i = 0; i < row; i += 16) {
        shorts products = load(a + i) * load(b + i) + load(a + i + 8) * load(b + i + 8);
        sums += __builtin_convertvector(products, ints);
    }
    int32_t sum = 0;
    for (size_t i = 0; i < 8; i++) {
        sum += sums[i];
    }
    return sum;
}

void haft__search_score_similarity(const haft__search_index *search,
                                   const haft__search_parsed_query *asked, float *scores)
{
    float sum[HAFT__SEARCH_DIMENSIONS] = {0};
    int8_t query[HAFT__SEARCH_DIMENSIONS] = {0};
    for (size_t i = 0; i < asked->word_count; i++) {
        const haft__search_word *word = &asked->words[i];
        if (!is_again(asked, i)) {
            add_word(search->options.vectors, (haft_str){word->stem, word->stem_length},
                     word->implied ? HAFT__SEARCH_IMPLIED : 1, sum);
        }
    }
    float scale = haft__search_quantise(sum, search->options.vectors->dimensions, query);
    for (uint32_t i = 0; i < search->doc_table.limit && scale > 0; i++) {
        float angle = (float)haft__search_dot_product(
                          query, search->vectors + (size_t)i * search->row, search->row)
                      * scale * search->docs[i].vector_scale;
        scores[i] = angle > 0 ? angle : 0;
    }
}
