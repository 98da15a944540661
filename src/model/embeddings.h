/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/embeddings.h - requests to a server of /v1/embeddings, and its responses.
 *
 * Texts are sent in batches of at most HAFT__LIMIT_EMBED_BATCH; all vectors have the same length.
 */
#ifndef HAFT_MODEL_EMBEDDINGS_H
#define HAFT_MODEL_EMBEDDINGS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "model/provider.h"
#include "spec/spec.h"
#include "tool/index/search.h"

/* The server as a model of the provider whose API it has: with its base_url and key. */
haft__model_spec haft__embeddings_model(const haft__embeddings_spec *embeddings);

/* Appends the URL for requests. */
haft__provider_write_url haft__embeddings_write_url;

/* Appends a tool as text for the model: "server: name - description; parameter, parameter". The
 * text is truncated at HAFT__LIMIT_EMBED_TEXT_BYTES, not counting `prefix`. */
void haft__embeddings_write_document(haft__buf *buf, haft_str prefix, const haft__search_doc *doc);

/* The same for a query. */
void haft__embeddings_write_query(haft__buf *buf, haft_str prefix, haft_str query);

/* Appends the body of a request. */
void haft__embeddings_write_request(haft__buf *buf, haft_str model, const haft_str *texts,
                                    size_t count);

/* Consecutive vectors, in the order of the texts. */
typedef struct haft__embeddings {
    const float *numbers;
    size_t count, dimensions;
} haft__embeddings;

/* Reads the response for `count` texts; the vectors live in `arena`. BAD_INPUT if it is not JSON or
 * does not have exactly one vector for each text, all of the same length and of numbers that fit a
 * float; TOO_BIG past HAFT__LIMIT_SEARCH_DIMENSIONS. */
HAFT_MUST_USE haft_status haft__embeddings_read(haft__arena *arena, haft_str body, size_t count,
                                                haft__hash_key hash_key, haft__embeddings *ret,
                                                haft_error *err);

#endif
