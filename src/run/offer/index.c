/* SPDX-License-Identifier: Apache-2.0 */
/* index.c - fills an index from an offer, and searches it. Tests: tests/run/offer/index_test.c. */
#include "run/offer/index.h"

#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

haft_str haft__offer_index_truncate_query(haft_str text)
{
    return (haft_str){text.ptr, haft__utf8_offset(text, HAFT__LIMIT_SEARCH_TASK_CHARS)};
}

/* Whether a search may find the tool. False for some deferred tools, too. */
static bool is_searchable(const haft__verdict *verdict)
{
    return haft__reason_is_deferred(verdict->reason)
           && verdict->reason != HAFT__REASON_SEARCH_DENIED;
}

static haft_str hash_of(const haft__verdict *verdict)
{
    const haft__json *hash =
        verdict->tool != NULL ? haft__json_get(verdict->tool->definition, HAFT__LIT("hash")) : NULL;
    return verdict->listed != NULL ? haft__str(verdict->listed->hash)
           : hash != NULL          ? haft__json_text(*hash)
                                   : HAFT__LIT("");
}

static haft_str text_of(const haft__verdict *verdict)
{
    return verdict->listed != NULL ? verdict->listed->description : verdict->tool->description;
}

haft_status haft__offer_index_key(const haft__offer *offer, char key[HAFT__SHA256_HEX],
                                  haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    for (size_t i = 0; i < offer->count; i++) {
        const haft__verdict *verdict = &offer->items[i];
        if (is_searchable(verdict)) {
            haft_str hash = hash_of(verdict);
            haft__buf_add_str(&text, verdict->name);
            haft__buf_add_char(&text, '\n');
            haft__buf_add_str(&text, hash.len > 0 ? hash : text_of(verdict));
            haft__buf_add_char(&text, '\n');
        }
    }
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        haft__sha256_hex(haft__buf_str(&text), key);
    }
    haft__buf_finish(&text);
    return status;
}

/* The name without the server, and without "skill:", which all skills have. */
static haft_str local_name(const haft__verdict *verdict)
{
    size_t prefix = verdict->server.len > 0               ? verdict->server.len + 1
                    : verdict->source == HAFT__TOOL_SKILL ? strlen(HAFT__SKILL_PREFIX)
                                                          : 0;
    return haft__str_skip(verdict->name, prefix);
}

static haft__search_doc doc_of(const haft__verdict *verdict)
{
    return (haft__search_doc){.id = verdict->name,
                              .name = local_name(verdict),
                              .group = verdict->server,
                              .text = text_of(verdict),
                              .schema = verdict->listed != NULL ? &verdict->listed->input_schema
                                                                : &verdict->tool->input_schema};
}

haft_status haft__offer_index_docs(const haft__offer *offer, haft__arena *arena,
                                   haft__search_doc **ret_docs, size_t *ret_count, haft_error *err)
{
    haft__search_doc *docs = haft__arena_array(arena, offer->count, sizeof(*docs));
    size_t count = 0;
    if (docs == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < offer->count; i++) {
        if (is_searchable(&offer->items[i])) {
            docs[count++] = doc_of(&offer->items[i]);
        }
    }
    *ret_docs = docs;
    *ret_count = count;
    return HAFT_OK;
}

haft_status haft__offer_index_fill(haft__search_index *index, const haft__offer *offer,
                                   haft_error *err)
{
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < offer->count && status == HAFT_OK; i++) {
        const haft__verdict *verdict = &offer->items[i];
        if (!is_searchable(verdict)) {
            continue;
        }
        haft__search_doc doc = doc_of(verdict);
        status = haft__search_add(index, &doc, err);
        /* The index is full: search the tools that fit. */
        status = status == HAFT_TOO_BIG ? HAFT_OK : status;
    }
    return status;
}

haft_status haft__offer_index_search(const haft__search_index *index, haft__reveal_request *request,
                                     haft__arena *arena, haft_error *err)
{
    haft__search_hit *found = NULL;
    size_t count = 0;
    haft_status status = haft__search_query_embedding(
        index, request->query, request->query_embedding, haft__reveal_max_hits(request->spec),
        arena, &found, &count, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__reveal_hit *hits = haft__arena_array(arena, count, sizeof(*hits));
    if (hits == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < count; i++) {
        hits[i] = (haft__reveal_hit){found[i].id, found[i].score, haft__str(found[i].why)};
    }
    request->hits = hits;
    request->hit_count = count;
    return HAFT_OK;
}

haft_status haft__offer_index_search_once(haft__reveal_request *request, haft__hash_key hash_key,
                                          const haft__search_word_vectors *vectors,
                                          haft__arena *arena, haft_error *err)
{
    haft__search_index *index = NULL;
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    options.hash_key = hash_key;
    options.vectors = vectors;
    haft_status status = haft__search_create(&options, &index, err);
    if (status != HAFT_OK) {
        return status;
    }
    status = haft__offer_index_fill(index, request->offer, err);
    status = status == HAFT_OK ? haft__offer_index_search(index, request, arena, err) : status;
    haft__search_destroy(index);
    return status;
}
