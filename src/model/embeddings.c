/* SPDX-License-Identifier: Apache-2.0 */
/* embeddings.c - requests for vectors, and their responses. The server is not trusted: every part
 * of a response is checked. Tests: tests/model/embeddings_test.c. */
#include "model/embeddings.h"

#include <float.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "json/number.h"
#include "json/read.h"
#include "json/write.h"

haft__model_spec haft__embeddings_model(const haft__embeddings_spec *embeddings)
{
    return (haft__model_spec){.provider = HAFT__LIT("openai"),
                              .model = embeddings->model,
                              .base_url = embeddings->base_url,
                              .api_key = embeddings->api_key,
                              .api_key_env = embeddings->api_key_env};
}

haft_status haft__embeddings_write_url(const haft__provider *provider,
                                       const haft__model_spec *model, haft__buf *buf,
                                       haft_error *err)
{
    return haft__provider_join_url(provider, model->base_url, HAFT__LIT("/embeddings"), buf, err);
}

#define MAX_NUMBER 1e30 /* its square is far below the maximum of a double */

/* ---- texts ---- */

/* Adds as much of the text as fits. */
static void add_part(haft__buf *buf, haft_str text, size_t end)
{
    size_t room = buf->len < end ? end - buf->len : 0;
    text.len = text.len > room ? haft__utf8_floor(text, room) : text.len;
    haft__buf_add_str(buf, text);
}

void haft__embeddings_write_document(haft__buf *buf, haft_str prefix, const haft__search_doc *doc)
{
    const haft__json *properties =
        doc->schema != NULL ? haft__json_get(*doc->schema, HAFT__LIT("properties")) : NULL;
    haft__buf_add_str(buf, prefix);
    size_t end = buf->len + HAFT__LIMIT_EMBED_TEXT_BYTES;
    add_part(buf, doc->group, end);
    add_part(buf, doc->group.len > 0 ? HAFT__LIT(": ") : HAFT__LIT(""), end);
    add_part(buf, doc->name, end);
    add_part(buf, doc->text.len > 0 ? HAFT__LIT(" - ") : HAFT__LIT(""), end);
    add_part(buf, doc->text, end);
    bool any = properties != NULL && properties->kind == HAFT__JSON_OBJECT;
    for (uint32_t i = 0; any && i < properties->count; i++) {
        add_part(buf, i > 0 ? HAFT__LIT(", ") : HAFT__LIT("; "), end);
        add_part(buf, haft__json_text(properties->members[i].key), end);
    }
}

void haft__embeddings_write_query(haft__buf *buf, haft_str prefix, haft_str query)
{
    haft__buf_add_str(buf, prefix);
    add_part(buf, query, buf->len + HAFT__LIMIT_EMBED_TEXT_BYTES);
}

void haft__embeddings_write_request(haft__buf *buf, haft_str model, const haft_str *texts,
                                    size_t count)
{
    haft__json_writer w;
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__json_key(&w, "model");
    haft__json_add_str(&w, model);
    haft__json_key(&w, "input");
    haft__json_begin_array(&w);
    for (size_t i = 0; i < count; i++) {
        haft__json_add_str(&w, texts[i]);
    }
    haft__json_end_array(&w);
    haft__json_key(&w, "encoding_format");
    haft__json_add_str(&w, HAFT__LIT("float"));
    haft__json_end_object(&w);
}

/* ---- responses ---- */

static haft_status fail_count(haft_error *err, size_t found, size_t wanted)
{
    return haft__fail(err, HAFT_BAD_INPUT, "/data", "found %zu vectors, expected %zu", found,
                      wanted);
}

/* The index of an item: its `index`, or its position if it has none. */
static haft_status find_place(haft__json item, uint32_t at, const bool *taken, size_t count,
                              size_t *ret_place, haft_error *err)
{
    const haft__json *index = haft__json_get(item, HAFT__LIT("index"));
    int64_t place = at;
    if (index != NULL
        && (index->kind != HAFT__JSON_NUMBER
            || !haft__number_to_int64(haft__json_text(*index), &place) || place < 0
            || (uint64_t)place >= count)) {
        return haft__fail(err, HAFT_BAD_INPUT, "/data", "item %u has no index from 0 to %zu", at,
                          count - 1);
    }
    if (taken[place]) {
        return haft__fail(err, HAFT_BAD_INPUT, "/data", "two vectors have the index %lld",
                          (long long)place);
    }
    *ret_place = (size_t)place;
    return HAFT_OK;
}

/* Rejects a vector that is (almost) zero: it is similar to nothing, and a model never returns one.
 */
static haft_status read_vector(haft__json vector, float *to, haft_error *err)
{
    bool any = false;
    for (uint32_t i = 0; i < vector.count; i++) {
        haft__json item = vector.items[i];
        double number = item.kind == HAFT__JSON_NUMBER
                            ? haft__number_to_double(haft__json_text(item))
                            : 2 * MAX_NUMBER;
        /* Compared as a float, because the vector is stored as floats: a stored vector is in
         * range when it is read again. */
        if ((float)number > (float)MAX_NUMBER || (float)number < -(float)MAX_NUMBER) {
            return haft__fail(err, HAFT_BAD_INPUT, "/data", "number %u of a vector is out of range",
                              i);
        }
        to[i] = (float)number;
        any = any || to[i] >= FLT_MIN || to[i] <= -FLT_MIN;
    }
    return any ? HAFT_OK : haft__fail(err, HAFT_BAD_INPUT, "/data", "a vector has only zeros");
}

/* Returns the array of an item. It must have the length of the arrays before it. */
static haft_status find_vector(haft__json item, size_t *dimensions, const haft__json **ret_vector,
                               haft_error *err)
{
    const haft__json *vector = haft__json_get(item, HAFT__LIT("embedding"));
    if (vector == NULL || vector->kind != HAFT__JSON_ARRAY || vector->count == 0) {
        return haft__fail(err, HAFT_BAD_INPUT, "/data",
                          "expected an array of numbers for \"embedding\", found %s",
                          vector == NULL                     ? "none"
                          : vector->kind == HAFT__JSON_ARRAY ? "an empty array"
                                                             : haft__json_kind_name(*vector));
    }
    if (vector->count > HAFT__LIMIT_SEARCH_DIMENSIONS) {
        return haft__fail(err, HAFT_TOO_BIG, "/data", "a vector of %u numbers, more than %d",
                          vector->count, HAFT__LIMIT_SEARCH_DIMENSIONS);
    }
    if (*dimensions > 0 && vector->count != *dimensions) {
        return haft__fail(err, HAFT_BAD_INPUT, "/data",
                          "expected vectors of one length, found %zu and %u numbers", *dimensions,
                          vector->count);
    }
    *dimensions = vector->count;
    *ret_vector = vector;
    return HAFT_OK;
}

static haft_status read_data(haft__arena *arena, haft__json data, haft__embeddings *ret,
                             haft_error *err)
{
    bool *taken = haft__arena_array(arena, data.count, sizeof(*taken));
    float *numbers = NULL;
    size_t dimensions = 0;
    if (taken == NULL) {
        return haft__arena_fail(arena, err);
    }
    memset(taken, 0, data.count * sizeof(*taken));
    for (uint32_t i = 0; i < data.count; i++) {
        size_t place = 0;
        const haft__json *vector = NULL;
        haft_status status = find_place(data.items[i], i, taken, data.count, &place, err);
        status = status == HAFT_OK ? find_vector(data.items[i], &dimensions, &vector, err) : status;
        if (status == HAFT_OK && numbers == NULL) {
            numbers = haft__arena_array(arena, data.count * dimensions, sizeof(*numbers));
            status = numbers != NULL ? HAFT_OK : haft__arena_fail(arena, err);
        }
        if (status != HAFT_OK || vector == NULL || numbers == NULL) {
            return status;
        }
        status = read_vector(*vector, numbers + place * dimensions, err);
        if (status != HAFT_OK) {
            return status;
        }
        taken[place] = true;
    }
    *ret = (haft__embeddings){numbers, data.count, dimensions};
    return HAFT_OK;
}

haft_status haft__embeddings_read(haft__arena *arena, haft_str body, size_t count,
                                  haft__hash_key hash_key, haft__embeddings *ret, haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    haft__json whole;
    options.hash_key = hash_key;
    haft_status status = haft__json_read(arena, body, &options, &whole, NULL, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__json *data = haft__json_get(whole, HAFT__LIT("data"));
    if (data == NULL || data->kind != HAFT__JSON_ARRAY) {
        return haft__fail(err, HAFT_BAD_INPUT, "/data", "expected an array of vectors, found %s",
                          data == NULL ? "none" : haft__json_kind_name(*data));
    }
    return data->count == count && count > 0 ? read_data(arena, *data, ret, err)
                                             : fail_count(err, data->count, count);
}
