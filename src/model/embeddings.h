/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/embeddings.h - what is asked of a server of /v1/embeddings, and what it answers.
 *
 * Texts go in batches of at most HAFT__LIMIT_EMBED_BATCH; each has a vector of the same length.
 */
#ifndef HAFT_MODEL_EMBEDDINGS_H
#define HAFT_MODEL_EMBEDDINGS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "model/provider.h"
#include "spec/spec.h"
#include "tool/index/search.h"

/* The server as a model of the provider whose API it has: its base_url and its key. */
haft__model_spec haft__embeddings_model(const haft__embeddings_spec *embeddings);

/* Appends the URL for requests. */
haft__provider_write_url haft__embeddings_write_url;

/* Appends a tool as the model reads it: "server: name - description; parameter, parameter". What is
 * past HAFT__LIMIT_EMBED_TEXT_BYTES is left out; `prefix` does not count. */
void haft__embeddings_write_document(haft__buf *buf, haft_str prefix, const haft__search_doc *doc);

/* The same for what is searched for. */
void haft__embeddings_write_query(haft__buf *buf, haft_str prefix, haft_str query);

/* Appends the body of a request. */
void haft__embeddings_write_request(haft__buf *buf, haft_str model, const haft_str *texts,
                                    size_t count);

/* Vectors one behind the other, in the order of the texts. */
typedef struct haft__embeddings {
    const float *numbers;
    size_t count, dimensions;
} haft__embeddings;

/* Reads the answer for `count` texts; it lives in `arena`. BAD_INPUT when it is not JSON or has not
 * exactly one vector for each text, all of the same length and of numbers that a float can have;
 * TOO_BIG past HAFT__LIMIT_SEARCH_DIMENSIONS. */
HAFT_MUST_USE haft_status haft__embeddings_read(haft__arena *arena, haft_str body, size_t count,
                                                haft__hash_key hash_key, haft__embeddings *ret,
                                                haft_error *err);

#endif
