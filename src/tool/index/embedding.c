/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedding.c - embeddings of documents, which replace word vectors. All are of one model: vectors
 * of two models cannot be compared. Tests: tests/tool/index/embedding_test.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "tool/index/search_int.h"

void haft__search_drop_embeddings(haft__search_index *search)
{
    free(search->outside.model);
    free(search->outside.rows);
    free(search->outside.scales);
    search->outside = (haft__search_embeddings){0};
}

void haft__search_remove_embedding(haft__search_index *search, uint32_t doc)
{
    if (doc < search->outside.scale_capacity) {
        search->outside.scales[doc] = 0;
    }
}

/* Rejects NaN and infinity. */
static bool is_vector(const haft__search_embedding *given)
{
    for (size_t i = 0; i < given->dimensions; i++) {
        float zero = given->numbers[i] - given->numbers[i];
        if (zero != 0) {
            return false;
        }
    }
    return given->dimensions > 0;
}

bool haft__search_embedding_fits(const haft__search_index *search,
                                 const haft__search_embedding *given)
{
    const haft__search_embeddings *outside = &search->outside;
    haft_str model = {outside->model, outside->model_length};
    return outside->model != NULL && outside->dimensions == given->dimensions
           && haft__str_equal(model, given->model) && is_vector(given);
}

static haft_status check(const haft__search_index *search, const haft__search_embedding *given,
                         haft_error *err)
{
    const haft__search_embeddings *outside = &search->outside;
    if (given->dimensions > HAFT__LIMIT_SEARCH_DIMENSIONS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "the vector has %zu numbers, more than %d",
                          given->dimensions, HAFT__LIMIT_SEARCH_DIMENSIONS);
    }
    if (!is_vector(given)) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a vector of numbers, found none");
    }
    if (outside->model == NULL || haft__search_embedding_fits(search, given)) {
        return HAFT_OK;
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "",
                   "found a vector of '%.*s' with %zu numbers, the others are of '%.60s' with %zu",
                   (int)(given->model.len < 60 ? given->model.len : 60),
                   given->model.len > 0 ? given->model.ptr : "", given->dimensions, outside->model,
                   outside->dimensions);
    return haft__hint(err, status, "vectors of two models cannot be compared: remove the others");
}

/* The first vector determines the model. */
static haft_status set_model(haft__search_embeddings *outside, const haft__search_embedding *given,
                             haft_error *err)
{
    if (outside->model != NULL) {
        return HAFT_OK;
    }
    outside->model = haft__str_duplicate(given->model);
    if (outside->model == NULL) {
        return haft__fail_no_memory(err);
    }
    outside->model_length = given->model.len;
    outside->dimensions = given->dimensions;
    outside->row = ((uint32_t)given->dimensions + 15U) & ~15U;
    return HAFT_OK;
}

haft_status haft__search_set_embedding(haft__search_index *search, haft_str id,
                                       const haft__search_embedding *given, haft_error *err)
{
    haft__search_embeddings *outside = &search->outside;
    uint32_t doc = haft__search_string_table_find(&search->doc_table, id);
    if (doc == HAFT__SEARCH_NONE) {
        return haft__fail(err, HAFT_NOT_FOUND, "", "there is no document '%.*s'", HAFT__ARG(id));
    }
    haft_status status = check(search, given, err);
    if (status == HAFT_OK) {
        status = set_model(outside, given, err);
    }
    void *rows = outside->rows, *scales = outside->scales;
    if (status == HAFT_OK) {
        status = haft__search_reserve(&rows, &outside->row_capacity, doc + 1, outside->row, err);
        outside->rows = rows;
    }
    if (status == HAFT_OK) {
        status =
            haft__search_reserve(&scales, &outside->scale_capacity, doc + 1, sizeof(float), err);
        outside->scales = scales;
    }
    if (status == HAFT_OK) {
        int8_t *row = outside->rows + (size_t)doc * outside->row;
        memset(row, 0, outside->row);
        outside->scales[doc] = haft__search_quantise(given->numbers, given->dimensions, row);
    }
    return status;
}

void haft__search_score_embeddings(const haft__search_index *search,
                                   const haft__search_embedding *given, float *scores)
{
    const haft__search_embeddings *outside = &search->outside;
    int8_t query[HAFT__LIMIT_SEARCH_DIMENSIONS];
    memset(query, 0, sizeof(query));
    float scale = haft__search_quantise(given->numbers, given->dimensions, query);
    for (uint32_t i = 0; i < search->doc_table.limit; i++) {
        bool has = i < outside->scale_capacity && outside->scales[i] > 0;
        float angle = has ? (float)haft__search_dot_product(
                                query, outside->rows + (size_t)i * outside->row, outside->row)
                                * scale * outside->scales[i]
                          : 0;
        scores[i] = angle > 0 ? angle : 0;
    }
}
