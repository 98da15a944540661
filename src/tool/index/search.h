/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/index/search.h - finds tools (or tables) by what somebody wants: an index of names,
 * descriptions, servers and parameters, in memory.
 *
 * Deterministic: what was added and removed before, and in which order, changes no result. Words
 * are compared by their stems, names are split as programmers write them, and where a table of word
 * vectors is given, words that mean nearly the same count as well. docs/tool-search.md says how
 * scores are made and how good they are.
 */
#ifndef HAFT_TOOL_INDEX_SEARCH_H
#define HAFT_TOOL_INDEX_SEARCH_H

#include "base/arena.h"
#include "base/hash.h"
#include "tool/index/word_vectors.h"
#include "json/value.h"

/* How much each part counts. The parts but the first are divided by the best of them, weighted and
 * added to it. */
typedef struct haft__search_weights {
    double name, text, group, params; /* the fields of BM25F */
    double server;                    /* what the whole server is about */
    double clause;                    /* the best clause, in a query of several */
    double cover;                     /* how much of the name the query has */
    double vector;                    /* the angle between the mean vectors of their words */
} haft__search_weights;

typedef struct haft__search_options {
    haft__hash_key hash_key; /* random where documents come from outside */
    haft__search_weights weights;
    const haft__search_word_vectors *vectors; /* of words, borrowed; NULL: none */
} haft__search_options;

/* For tools of MCP servers, and for tables of databases. */
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

/* An index of documents. Not for two threads at once. */
typedef struct haft__search_index haft__search_index;

/* Everything is copied. Whatever bytes they have, texts are taken; what is past a limit of theirs
 * (search.* in docs/limits.md) is not looked at. */
typedef struct haft__search_doc {
    haft_str id;              /* unique; results name it */
    haft_str name;            /* "create_issue" */
    haft_str group;           /* the server or database; may be empty */
    haft_str text;            /* the description */
    const haft__json *schema; /* input_schema: names of parameters, descriptions, enums; or NULL */
} haft__search_doc;

typedef struct haft__search_hit {
    haft_str id;
    double score;    /* better ones are greater; comparable within one result only */
    const char *why; /* what counted most: "exact name", "server name", "name", "text",
                        "server", "parameters", "meaning" */
} haft__search_hit;

HAFT_MUST_USE haft_status haft__search_create(const haft__search_options *options,
                                              haft__search_index **ret_search, haft_error *err);
void haft__search_destroy(haft__search_index *search);

/* A document with the same id is replaced. BAD_INPUT without an id, TOO_BIG past
 * HAFT__LIMIT_SEARCH_DOCS; after a failure the index is as it was. */
HAFT_MUST_USE haft_status haft__search_add(haft__search_index *search, const haft__search_doc *doc,
                                           haft_error *err);

/* False when there is none. */
bool haft__search_remove(haft__search_index *search, haft_str id);

size_t haft__search_count(const haft__search_index *search);

/* The best `k` at most, best first, those alike in the order of their ids. Hits live in `arena`,
 * their ids too. */
HAFT_MUST_USE haft_status haft__search_query(const haft__search_index *search, haft_str query,
                                             size_t k, haft__arena *arena,
                                             haft__search_hit **ret_hits, size_t *ret_count,
                                             haft_error *err);

/* ---- vectors from outside ---- */

/* A text as a model of embeddings has it. */
typedef struct haft__search_embedding {
    haft_str model; /* vectors of two models cannot be compared */
    const float *numbers;
    size_t dimensions;
} haft__search_embedding;

/* Keeps the vector of a document as signed bytes and one scale, until the document is replaced or
 * removed. NOT_FOUND without such a document; BAD_INPUT when it has no dimensions, or a number that
 * is none, or when others are there of another model or of other dimensions; TOO_BIG past
 * HAFT__LIMIT_SEARCH_DIMENSIONS. */
HAFT_MUST_USE haft_status haft__search_set_embedding(haft__search_index *search, haft_str id,
                                                     const haft__search_embedding *given,
                                                     haft_error *err);

/* Forgets all of them, so that those of another model may come. */
void haft__search_drop_embeddings(haft__search_index *search);

/* As haft__search_query, with the vector of the query: it stands in place of word vectors. One of
 * another model than the documents' is not looked at, nor is NULL; then word vectors count. */
HAFT_MUST_USE haft_status haft__search_query_embedding(
    const haft__search_index *search, haft_str query, const haft__search_embedding *given, size_t k,
    haft__arena *arena, haft__search_hit **ret_hits, size_t *ret_count, haft_error *err);

#endif
