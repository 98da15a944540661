/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/resolve.h - the decision tree: which tools a model sees, which it can call, and why.
 *
 *     built-in    enabled? allowed? has it what it needs? does this version run it?
 *     of a server server enabled? server allowed? tool allowed? its list there? is it still what
 *                 was accepted, and still listed? then deferred: visible once a search has found
 * it, up to the cap others      declared, unless all of them together take more than their share of
 * the context: then deferred like those of servers
 *
 * resolve(spec, state, model) is pure. A run's offer, `haft explain` and the refusal of a call are
 * all of them this function's verdicts; there is no second way to come to one.
 */
#ifndef HAFT_RUN_OFFER_RESOLVE_H
#define HAFT_RUN_OFFER_RESOLVE_H

#include "run/offer/reveal.h"
#include "run/run.h"

/* A token is about four bytes of English or code: good enough to see what something costs. */
#define HAFT__BYTES_PER_TOKEN 4

/* What a model has of a tool. */
typedef enum haft__visibility {
    HAFT__VISIBILITY_NONE,     /* nothing: a call is refused */
    HAFT__VISIBILITY_CALLABLE, /* it may be called, but is not in the request */
    HAFT__VISIBILITY_DECLARED, /* it is in the request */
} haft__visibility;

const char *haft__visibility_name(haft__visibility visibility);

/* Why. The word is for machines and stays as it is; the text is for people. */
#define HAFT__REASONS(X)                                                                           \
    X(DECLARED, "declared", "declared in the spec")                                                \
    X(NAMED, "named", "declared in the spec; never deferred, because the spec names it")           \
    X(ENABLED, "enabled", "a built-in, enabled")                                                   \
    X(NOT_ENABLED, "not_enabled", "a built-in that the spec does not enable")                      \
    X(BUILTIN_DENIED, "builtin_denied", "denied by builtins.allow and builtins.deny")              \
    X(NEEDS_CODE, "needs_code", "needs the codemode format, which is not enabled")                 \
    X(NEEDS_DEFERRED, "needs_deferred", "needs deferred tools, and there are none")                \
    X(NEEDS_DATABASE, "needs_database", "needs a database, and none is configured")                \
    X(NOT_IN_VERSION, "not_in_version", "not in this version of haft")                             \
    X(UNDECLARED, "undeclared", "not enabled, but can be called: there are deferred tools")        \
    X(NO_SERVER, "no_server", "the spec has no such server")                                       \
    X(SERVER_DISABLED, "server_disabled", "the server is disabled")                                \
    X(SERVER_DENIED, "server_denied", "the server is not allowed by mcp.allow and mcp.deny")       \
    X(TOOL_DENIED, "tool_denied", "denied by mcp.allow and mcp.deny")                              \
    X(SERVER_ERROR, "server_error", "its server has an error")                                     \
    X(TOOL_CHANGED, "tool_changed", "not what it was when it was first used or accepted")          \
    X(GONE, "gone", "its server does not list it any more")                                        \
    X(NAME_TAKEN, "name_taken", "there is a tool of that name already")                            \
    X(SEARCH_DENIED, "search_denied", "deferred, and tool_search is denied: nothing finds it")     \
    X(DEFERRED, "deferred", "deferred: no search has shown it")                                    \
    X(SHARE, "share", "deferred: the spec's tools take more than their share of the context")      \
    X(REVEALED, "revealed", "shown by a search")                                                   \
    X(LISTED, "listed", "found by a search and not shown: past the cap; can be called")            \
    X(HIDDEN, "hidden", "evicted by the cap; can be called")

typedef enum haft__reason {
#define X(name, word, text) HAFT__REASON_##name,
    HAFT__REASONS(X)
#undef X
} haft__reason;

const char *haft__reason_word(haft__reason reason);
const char *haft__reason_text(haft__reason reason);

/* Whether it is that of a tool that is deferred, found or not: what a search looks through. */
bool haft__reason_is_deferred(haft__reason reason);

typedef struct haft__verdict {
    haft_str name;
    haft_str server; /* "" when it is none of a server's */
    haft__tool_source source;
    haft__tool_role role;
    const haft__tool *tool;       /* of the run or the spec; NULL when they do not have it */
    const haft__mcp_tool *listed; /* as its server lists it; NULL when that is not known */
    haft__visibility visibility;
    haft__reason reason;
} haft__verdict;

typedef struct haft__offer {
    haft__verdict *items; /* the spec's order, then built-ins that are not enabled, then servers' */
    size_t count;
    size_t deferred; /* tools that are or were deferred: what a search looks through */
    size_t shown;    /* of them, those that are declared */
    uint32_t cap;    /* of those */
} haft__offer;

/* The verdict on every tool there is. `run` is NULL before there is one; what the servers list is
 * as far as it is known. Lives in `arena`; all else is borrowed. */
HAFT_MUST_USE haft_status haft__resolve(const haft__spec *spec, const haft__run *run,
                                        const haft__mcp_listing *listings, size_t listing_count,
                                        haft__arena *arena, haft__offer *ret_offer,
                                        haft_error *err);

/* The verdict on one tool of the spec or of the run, which may be NULL. */
haft__verdict haft__resolve_tool(const haft__spec *spec, const haft__run *run,
                                 const haft__tool *tool);

/* The same for the tool of a run that has this index. */
haft__verdict haft__resolve_index(const haft__run *run, size_t index);

/* Whether anything of this server can be used: DEFERRED, or the reason why not. */
haft__reason haft__resolve_server(const haft__spec *spec, haft_str server);

/* Which list of the spec denies a tool or a server, and by which pattern. */
typedef struct haft__denial {
    const char *list; /* "mcp.deny" ...; NULL: that is not its reason */
    haft_str pattern; /* of a list that denies; .ptr is NULL where one allows others */
} haft__denial;

haft__denial haft__resolve_denial(const haft__spec *spec, haft__reason reason, haft_str server,
                                  haft_str name);

/* Whether the filter of built-ins forbids all searching. */
bool haft__resolve_search_denied(const haft__spec *spec);

/* Whether the spec lets tools be searched for at all, and whether there are any. */
bool haft__resolve_can_search(const haft__spec *spec);

/* Whether it has deferred tools that nothing can ever find. */
bool haft__resolve_has_unfindable_tools(const haft__spec *spec);

/* About how many tokens the definitions of the spec's own tools take. */
uint64_t haft__resolve_tokens(const haft__spec *spec);

/* Whether this tool of the spec is deferred because of the room they all take. */
bool haft__resolve_is_deferred(const haft__spec *spec, const haft__tool *tool);

/* Whether the spec names it as one that is to be called: in its schedule, its default or a phase.
 */
bool haft__resolve_is_named(const haft__spec *spec, haft_str name);

/* Whether it is the built-in that searches. */
bool haft__resolve_is_search_tool(const haft__tool *tool);

/* How many deferred tools are visible at once, and by what: "max_mcp_tools", "size_b",
 * "name" and "family" (where the size is from), "unknown_size". */
uint32_t haft__resolve_cap(const haft__spec *spec, const char **ret_why);

#endif
