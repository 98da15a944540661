/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedding.c - embeddings of documents, which replace word vectors. All embeddings are of one
 * model, because vectors of two models cannot be compared. Tests:
 * tests/tool/index/embedding_test.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "tool/index/search_int.h"

void haft__search_drop_embeddings(haft__search_index *search)
{
    free(search->embeddings.model);
    free(search->embeddings.rows);
    free(search->embeddings.scales);
    search->embeddings = (haft__search_embeddings){0};
}

void haft__search_remove_embedding(haft__search_index *search, uint32_t doc)
{
    if (doc < search->embeddings.scale_capacity) {
        search->embeddings.scales[doc] = 0;
    }
}

/* Rejects NaN and infinity. */
static bool is_vector(const haft__search_embedding *embedding)
{
    for (size_t i = 0; i < embedding->dimensions; i++) {
        float zero = embedding->numbers[i] - embedding->numbers[i];
        if (zero != 0) {
            return false;
        }
    }
    return embedding->dimensions > 0;
}

bool haft__search_embedding_fits(const haft__search_index *search,
                                 const haft__search_embedding *embedding)
{
    const haft__search_embeddings *embeddings = &search->embeddings;
    haft_str model = {embeddings->model, embeddings->model_length};
    return embeddings->model != NULL && embeddings->dimensions == embedding->dimensions
           && haft__str_equal(model, embedding->model) && is_vector(embedding);
}

static haft_status check(const haft__search_index *search, const haft__search_embedding *embedding,
                         haft_error *err)
{
    const haft__search_embeddings *embeddings = &search->embeddings;
    if (embedding->dimensions > HAFT__LIMIT_SEARCH_DIMENSIONS) {
        return haft__fail(err, HAFT_TOO_BIG, "", "the vector has %zu numbers, more than %d",
                          embedding->dimensions, HAFT__LIMIT_SEARCH_DIMENSIONS);
    }
    if (!is_vector(embedding)) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a vector of numbers, found none");
    }
    if (embeddings->model == NULL || haft__search_embedding_fits(search, embedding)) {
        return HAFT_OK;
    }
    haft_status status =
        haft__fail(err, HAFT_BAD_INPUT, "",
                   "found a vector of '%.*s' with %zu numbers, the others are of '%.60s' with %zu",
                   (int)(embedding->model.len < 60 ? embedding->model.len : 60),
                   embedding->model.len > 0 ? embedding->model.ptr : "", embedding->dimensions,
                   embeddings->model, embeddings->dimensions);
    return haft__hint(err, status, "vectors of two models cannot be compared: remove the others");
}

/* The first vector determines the model. */
static haft_status set_model(haft__search_embeddings *embeddings,
                             const haft__search_embedding *embedding, haft_error *err)
{
    if (embeddings->model != NULL) {
        return HAFT_OK;
    }
    embeddings->model = haft__str_duplicate(embedding->model);
    if (embeddings->model == NULL) {
        return haft__fail_no_memory(err);
    }
    embeddings->model_length = embedding->model.len;
    embeddings->dimensions = embedding->dimensions;
    embeddings->row = ((uint32_t)embedding->dimensions + 15U) & ~15U;
    return HAFT_OK;
}

haft_status haft__search_set_embedding(haft__search_index *search, haft_str id,
                                       const haft__search_embedding *embedding, haft_error *err)
{
    haft__search_embeddings *embeddings = &search->embeddings;
    uint32_t doc = haft__search_string_table_find(&search->doc_table, id);
    if (doc == HAFT__SEARCH_NONE) {
        return haft__fail(err, HAFT_NOT_FOUND, "", "there is no document '%.*s'", HAFT__ARG(id));
    }
    haft_status status = check(search, embedding, err);
    if (status == HAFT_OK) {
        status = set_model(embeddings, embedding, err);
    }
    void *rows = embeddings->rows, *scales = embeddings->scales;
    if (status == HAFT_OK) {
        status =
            haft__search_reserve(&rows, &embeddings->row_capacity, doc + 1, embeddings->row, err);
        embeddings->rows = rows;
    }
    if (status == HAFT_OK) {
        status =
            haft__search_reserve(&scales, &embeddings->scale_capacity, doc + 1, sizeof(float), err);
        embeddings->scales = scales;
    }
    if (status == HAFT_OK) {
        int8_t *row = embeddings->rows + (size_t)doc * embeddings->row;
        memset(row, 0, embeddings->row);
        embeddings->scales[doc] =
            haft__search_quantise(embedding->numbers, embedding->dimensions, row);
    }
    return status;
}

void haft__search_score_embeddings(const haft__search_index *search,
                                   const haft__search_embedding *embedding, float *scores)
{
    const haft__search_embeddings *embeddings = &search->embeddings;
    int8_t query[HAFT__LIMIT_SEARCH_DIMENSIONS];
    memset(query, 0, sizeof(query));
    float scale = haft__search_quantise(embedding->numbers, embedding->dimensions, query);
    for (uint32_t i = 0; i < search->doc_table.limit; i++) {
        bool has = i < embeddings->scale_capacity && embeddings->scales[i] > 0;
        float angle =
            has ? (float)haft__search_dot_product(
                      query, embeddings->rows + (size_t)i * embeddings->row, embeddings->row)
                      * scale * embeddings->scales[i]
                : 0;
        scores[i] = angle > 0 ? angle : 0;
    }
}
