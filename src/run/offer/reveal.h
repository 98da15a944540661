/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/reveal.h - what a search makes visible, and the event that says so.
 *
 * Servers list their tools to the host, which searches them; what of that a run gets to see is
 * decided here and written into tools_revealed with whole definitions: fold, replay and explain of
 * a run never need a server or an index.
 */
#ifndef HAFT_RUN_OFFER_REVEAL_H
#define HAFT_RUN_OFFER_REVEAL_H

#include "base/buf.h"
#include "mcp/definition.h"
#include "spec/spec.h"

struct haft__offer;
struct haft__run;
struct haft__verdict;

/* What one server offers, as far as it is known. */
typedef struct haft__mcp_listing {
    haft_str server;
    haft_str state; /* "configured", "known" (list from the cache), "started", "used" */
    haft_str error; /* "" when its list is there */
    const haft__mcp_tool *tools;
    size_t tool_count;
    const bool *changed;   /* for each tool: it is not what was used or accepted; NULL: none is */
    haft_str hash;         /* of its configuration; "" when it is not known */
    haft_str warning;      /* what is wrong with what is kept or said of it; "" for nothing */
    haft__json left_out;   /* [{tool, reason}], the first tools that could not be taken; or null */
    uint64_t left_out_all; /* how many there were */
    uint64_t number;       /* that another list of it in this process does not have; 0: none */
} haft__mcp_listing;

/* What a search has found: a tool, and how well it fits. */
typedef struct haft__reveal_hit {
    haft_str name;
    double score;
    haft_str why; /* "exact name", "text" ... */
} haft__reveal_hit;

/* What is to be decided. All of it is borrowed. */
typedef struct haft__reveal_request {
    const haft__spec *spec;
    const struct haft__run *run; /* NULL: before there is one */
    const haft__mcp_listing *listings;
    size_t listing_count;
    const struct haft__offer *offer; /* resolve()'s, of these listings */
    const haft__reveal_hit *hits;    /* best first */
    size_t hit_count;
    haft_str query;
    haft_str call;  /* that searches; "" for the search before the first turn */
    uint32_t limit; /* of tools that the call wants; 0: as many as there may be */
    /* With vectors from outside: that of the query, the model's name ("": the spec has none), and
     * why it was not used. */
    const struct haft__search_embedding *given;
    haft_str embeddings_model, embeddings_error;
    /* Whether a definition cannot be written down as it is; NULL: all can. */
    bool (*refuses)(void *context, haft_str definition);
    void *context;
} haft__reveal_request;

typedef struct haft__revealed {
    const struct haft__verdict *tool;
    const haft__reveal_hit *hit; /* NULL: no search found it; it stands where there was room */
} haft__revealed;

typedef struct haft__reveal {
    haft__reveal_request request;
    haft__revealed *items; /* best first */
    size_t count, shown;   /* the first so many are declared; the model is told of the others */
    uint32_t cap;
} haft__reveal;

/* Whether tools are to be searched for before the first turn: there are some, and they may be. */
bool haft__reveal_is_needed(const haft__spec *spec);

/* What becomes visible. Before the first turn that is what the spec names, then what was found,
 * then others in the order listed, up to the cap. A call gets what was found: as many as the cap
 * allows are declared, and HAFT__LIMIT_SEARCH_LISTED more are named. Lives in `arena`. */
HAFT_MUST_USE haft_status haft__reveal_decide(const haft__reveal_request *request,
                                              haft__arena *arena, haft__hash_key hash_key,
                                              haft__reveal *ret_reveal, haft_error *err);

/* How many hits of a search haft__reveal_decide can use. */
size_t haft__reveal_max_hits(const haft__spec *spec);

/* Appends the body of tools_revealed. */
void haft__input_tools_revealed(haft__buf *buf, const haft__reveal *reveal);

/* Appends the body of a tools_revealed that says what a server lists now, when it is not what the
 * run was told: `request` has one listing, and no call. False, and nothing is appended, when it is.
 */
bool haft__input_tools_relisted(haft__buf *buf, const haft__reveal_request *request);

/* Appends one tool as tools_revealed has it: one that has become another at its server. */
void haft__reveal_write_tool(haft__buf *buf, const haft__mcp_tool *tool);

#endif
