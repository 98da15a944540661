/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/reveal.h - decides which tools a search reveals, and writes the event.
 *
 * Servers list their tools to the host, and the host searches these tools. This module decides
 * which tools the run sees and writes their whole definitions into tools_revealed. Fold, replay and
 * explain therefore never need a server or an index.
 */
#ifndef HAFT_RUN_OFFER_REVEAL_H
#define HAFT_RUN_OFFER_REVEAL_H

#include "base/buf.h"
#include "mcp/definition.h"
#include "spec/spec.h"

struct haft__offer;
struct haft__run;
struct haft__verdict;

/* The tools that one server lists, as far as they are known. */
typedef struct haft__mcp_listing {
    haft_str server;
    haft_str state; /* "configured", "known" (list from the cache), "started", "used" */
    haft_str error; /* "" if its list is known */
    /* Last lines of the standard error of a program that failed, redacted and escaped; "" if
     * `error` has all of it. */
    haft_str stderr_lines;
    const haft__mcp_tool *tools;
    size_t tool_count;
    const bool *changed;   /* for each tool: it differs from the accepted one; or NULL */
    haft_str hash;         /* hash of the server's configuration; "" if unknown */
    haft_str warning;      /* a problem with the server's stored list or configuration; "" without a
                            * problem */
    haft__json left_out;   /* [{tool, reason}], the first tools that were left out; or null */
    uint64_t left_out_all; /* number of tools that were left out */
    uint64_t number; /* unique among the lists of this server in this process; 0: not numbered */
} haft__mcp_listing;

/* A hit of a search: a tool and its score. */
typedef struct haft__reveal_hit {
    haft_str name;
    double score;
    haft_str why; /* "exact name", "text" ... */
} haft__reveal_hit;

/* The input of haft__reveal_decide. All pointers are borrowed. */
typedef struct haft__reveal_request {
    const haft__spec *spec;
    const struct haft__run *run; /* NULL before the run exists */
    const haft__mcp_listing *listings;
    size_t listing_count;
    const struct haft__offer *offer; /* the result of haft__resolve for these listings */
    const haft__reveal_hit *hits;    /* best first */
    size_t hit_count;
    haft_str query;
    haft_str call;  /* the call that searches; "" for the search before the first turn */
    uint32_t limit; /* number of tools that the call requests; 0: as many as the cap allows */
    /* The vector of the query (NULL: not used), the name of the embedding model ("" if the spec has
     * none), and the reason why the vector was not used. */
    const struct haft__search_embedding *query_embedding;
    haft_str embeddings_model, embeddings_error;
    /* Whether a definition must not be written to the log. NULL: every definition can be
     * written. */
    bool (*refuses)(void *context, haft_str definition);
    void *context;
} haft__reveal_request;

typedef struct haft__revealed {
    const struct haft__verdict *tool;
    const haft__reveal_hit *hit; /* NULL: no search found it */
    const char *why;             /* without a hit: "named" by the spec, or "deferred" */
} haft__revealed;

typedef struct haft__reveal {
    haft__reveal_request request;
    haft__revealed *items; /* best first */
    size_t count, shown;   /* the first `shown` are declared; the others are only listed */
    /* Further tools of servers. They are declared before a search reveals them
     * (HAFT__DEFERRAL_DECLARED), as many as HAFT__LIMIT_SEARCH_DEFERRED_BYTES allows. */
    haft__revealed *deferred;
    size_t deferred_count;
    uint32_t cap;
} haft__reveal;

/* Whether to search for tools before the first turn: tools are deferred, and tool_search is
 * enabled. */
bool haft__reveal_is_needed(const haft__spec *spec);

/* Decides which tools become visible. Before the first step of a graph: the tools that its nodes
 * name. Before the first turn: the tools that the spec names, then the hits, up to the cap. For a
 * call: its hits; the cap limits how many are declared, and HAFT__LIMIT_SEARCH_LISTED more are
 * listed. Lives in `arena`. */
HAFT_MUST_USE haft_status haft__reveal_decide(const haft__reveal_request *request,
                                              haft__arena *arena, haft__hash_key hash_key,
                                              haft__reveal *ret_reveal, haft_error *err);

/* The number of hits that haft__reveal_decide can use. */
size_t haft__reveal_max_hits(const haft__spec *spec);

/* Appends the body of tools_revealed. */
void haft__input_tools_revealed(haft__buf *buf, const haft__reveal *reveal);

/* Appends the body of a tools_revealed event if a server's list differs from the list that the run
 * recorded. `request` has one listing and no call. Returns false, and appends nothing, if the lists
 * are equal. */
bool haft__input_tools_relisted(haft__buf *buf, const haft__reveal_request *request);

/* Appends a tool that its server has changed, in the form of tools_revealed. */
void haft__reveal_write_tool(haft__buf *buf, const haft__mcp_tool *tool);

#endif
