/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/index/search.h - finds tools (or tables) for a query: an index of names, descriptions,
 * servers and parameters, in memory.
 *
 * Results are deterministic: they do not depend on the history of additions and removals. Words are
 * compared by their stems, and names are split as programmers write them. If a table of word
 * vectors is available, words of similar meaning count as well. docs/tool-search.md explains the
 * scores and their quality.
 */
#ifndef HAFT_TOOL_INDEX_SEARCH_H
#define HAFT_TOOL_INDEX_SEARCH_H

#include "base/arena.h"
#include "base/hash.h"
#include "tool/index/word_vectors.h"
#include "json/value.h"

/* The weights of the score. All parts except the first are divided by their maximum, weighted and
 * added to the first. */
typedef struct haft__search_weights {
    double name, text, group, params; /* the fields of BM25F */
    double server;                    /* the score of the whole server */
    double clause;                    /* the best clause, in a query of several clauses */
    double cover;                     /* the share of the name that the query covers */
    double vector;                    /* the cosine similarity of the mean word vectors */
} haft__search_weights;

typedef struct haft__search_options {
    haft__hash_key hash_key; /* random if documents come from embeddings */
    haft__search_weights weights;
    const haft__search_word_vectors *vectors; /* word vectors, borrowed; or NULL */
} haft__search_options;

/* Weights for tools of MCP servers, and for tables of databases. */
#define HAFT__SEARCH_OPTIONS_INIT                                                                  \
    {                                                                                              \
        .weights = {                                                                               \
            .name = 2,                                                                             \
            .text = 1,                                                                             \
            .group = 1,                                                                            \
            .params = 0.5,                                                                         \
            .server = 0.3,                                                                         \
            .clause = 0.5,                                                                         \
            .cover = 0.15,                                                                         \
            .vector = 1                                                                            \
        }                                                                                          \
    }

/* An index of documents. Not thread-safe. */
typedef struct haft__search_index haft__search_index;

/* A document. Everything is copied. Texts may contain any bytes; text past its limit (search.* in
 * docs/limits.md) is ignored. */
typedef struct haft__search_doc {
    haft_str id;              /* unique; hits refer to it */
    haft_str name;            /* "create_issue" */
    haft_str group;           /* the server or database; may be empty */
    haft_str text;            /* the description */
    const haft__json *schema; /* input_schema: names of parameters, descriptions, enums; or NULL */
} haft__search_doc;

typedef struct haft__search_hit {
    haft_str id;
    double score;    /* greater is better; comparable within one result only */
    const char *why; /* the strongest part: "exact name", "server name", "name", "text", "server",
                        "parameters", "meaning" */
} haft__search_hit;

HAFT_MUST_USE haft_status haft__search_create(const haft__search_options *options,
                                              haft__search_index **ret_search, haft_error *err);
void haft__search_destroy(haft__search_index *search);

/* Adds a document, or replaces the one with the same id. BAD_INPUT without an id, TOO_BIG past
 * HAFT__LIMIT_SEARCH_DOCS. After a failure the index is unchanged. */
HAFT_MUST_USE haft_status haft__search_add(haft__search_index *search, const haft__search_doc *doc,
                                           haft_error *err);

/* Removes a document; false if no document has this id. */
bool haft__search_remove(haft__search_index *search, haft_str id);

size_t haft__search_count(const haft__search_index *search);

/* Finds the best `k` documents at most, best first; ties are in the order of their ids. Hits and
 * their ids live in `arena`. */
HAFT_MUST_USE haft_status haft__search_query(const haft__search_index *search, haft_str query,
                                             size_t k, haft__arena *arena,
                                             haft__search_hit **ret_hits, size_t *ret_count,
                                             haft_error *err);

/* ---- embeddings ---- */

/* The embedding of a text. */
typedef struct haft__search_embedding {
    haft_str model; /* vectors of different models cannot be compared */
    const float *numbers;
    size_t dimensions;
} haft__search_embedding;

/* Stores the embedding of a document as signed bytes and one scale, until the document is replaced
 * or removed. NOT_FOUND if the document does not exist; BAD_INPUT if the vector is empty or has a
 * number that is not finite, or if stored embeddings have another model or dimension; TOO_BIG past
 * HAFT__LIMIT_SEARCH_DIMENSIONS. */
HAFT_MUST_USE haft_status haft__search_set_embedding(haft__search_index *search, haft_str id,
                                                     const haft__search_embedding *embedding,
                                                     haft_error *err);

/* Removes all embeddings, so that those of another model can be stored. */
void haft__search_drop_embeddings(haft__search_index *search);

/* Like haft__search_query, with the embedding of the query, which replaces word vectors. If the
 * embedding is NULL, or of another model than those of the documents, word vectors are used. */
HAFT_MUST_USE haft_status haft__search_query_embedding(
    const haft__search_index *search, haft_str query, const haft__search_embedding *embedding,
    size_t k, haft__arena *arena, haft__search_hit **ret_hits, size_t *ret_count, haft_error *err);

#endif
