/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/index.h - searches the deferred tools of an offer.
 *
 * An index can be shared by all offers, of any run, that have the same deferred tools.
 */
#ifndef HAFT_RUN_OFFER_INDEX_H
#define HAFT_RUN_OFFER_INDEX_H

#include "base/sha256.h"
#include "run/offer/resolve.h"
#include "tool/index/search.h"

/* Truncates a text to HAFT__LIMIT_SEARCH_TASK_CHARS characters, for use as a query. */
haft_str haft__offer_index_truncate_query(haft_str text);

/* The key of an offer: a hash of its deferred tools and their definitions. Offers with the same key
 * can share an index. */
HAFT_MUST_USE haft_status haft__offer_index_key(const haft__offer *offer,
                                                char key[HAFT__SHA256_HEX], haft_error *err);

/* Adds the deferred tools of an offer to the index. Omits tools that do not fit. */
HAFT_MUST_USE haft_status haft__offer_index_fill(haft__search_index *index,
                                                 const haft__offer *offer, haft_error *err);

/* The documents that haft__offer_index_fill adds, as a list in `arena`. Texts are borrowed from the
 * offer. */
HAFT_MUST_USE haft_status haft__offer_index_docs(const haft__offer *offer, haft__arena *arena,
                                                 haft__search_doc **ret_docs, size_t *ret_count,
                                                 haft_error *err);

/* Searches for request->query and puts the hits into `request`; they live in `arena`. */
HAFT_MUST_USE haft_status haft__offer_index_search(const haft__search_index *index,
                                                   haft__reveal_request *request,
                                                   haft__arena *arena, haft_error *err);

/* Like haft__offer_index_search, with a temporary index of request->offer. `vectors` may be NULL.
 */
HAFT_MUST_USE haft_status haft__offer_index_search_once(haft__reveal_request *request,
                                                        haft__hash_key hash_key,
                                                        const haft__search_word_vectors *vectors,
                                                        haft__arena *arena, haft_error *err);

#endif
