/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/offer/resolve.h - the decision tree: which tools a model sees, which it can call, and why.
 *
 *     built-in     enabled? allowed? requirements met? supported by this version?
 *     of a server  server enabled? server allowed? tool allowed? list known? definition
 *                  unchanged since it was accepted? still listed?
 *                  Then it is deferred: visible after a search found it, up to the cap.
 *     a skill      deferred like tools of servers, unless the spec names it
 *     others       declared, unless all of them together exceed their share of the context;
 *                  then they are deferred like tools of servers.
 *
 * Only this module computes verdicts: a run's offer, `haft explain` and the refusal of a call all
 * use them.
 */
#ifndef HAFT_RUN_OFFER_RESOLVE_H
#define HAFT_RUN_OFFER_RESOLVE_H

#include "run/offer/reveal.h"
#include "run/run.h"

/* An estimate: a token is about four bytes of English or code. */
#define HAFT__BYTES_PER_TOKEN 4

/* The visibility of a tool to the model. */
typedef enum haft__visibility {
    HAFT__VISIBILITY_NONE,     /* not callable: a call is refused */
    HAFT__VISIBILITY_CALLABLE, /* callable, but not in the request */
    HAFT__VISIBILITY_DECLARED, /* in the request */
} haft__visibility;

const char *haft__visibility_name(haft__visibility visibility);

/* The reason of a verdict. The word is for machines and stable; the text is for people. */
#define HAFT__REASONS(X)                                                                           \
    X(DECLARED, "declared", "declared in the spec")                                                \
    X(NAMED, "named", "declared in the spec; never deferred, because the spec names it")           \
    X(ENABLED, "enabled", "a built-in, enabled")                                                   \
    X(NOT_ENABLED, "not_enabled", "a built-in that the spec does not enable")                      \
    X(BUILTIN_DENIED, "builtin_denied", "denied by builtins.allow and builtins.deny")              \
    X(NEEDS_CODE, "needs_code", "needs the codemode format, which is not enabled")                 \
    X(NEEDS_DEFERRED, "needs_deferred", "needs deferred tools, and none exist")                    \
    X(NEEDS_DATABASE, "needs_database", "needs a database, and none is configured")                \
    X(NOT_IN_VERSION, "not_in_version", "not in this version of haft")                             \
    X(UNDECLARED, "undeclared", "not enabled, but can be called: there are deferred tools")        \
    X(AT_PROVIDER, "at_provider", "declared in the provider's form; the provider runs it")         \
    X(GATE_CLOSED, "gate_closed", "declared when the gate opens")                                  \
    X(NO_SERVER, "no_server", "the spec has no such server")                                       \
    X(SERVER_DISABLED, "server_disabled", "the server is disabled")                                \
    X(SERVER_DENIED, "server_denied", "the server is not allowed by mcp.allow and mcp.deny")       \
    X(TOOL_DENIED, "tool_denied", "denied by mcp.allow and mcp.deny")                              \
    X(SERVER_ERROR, "server_error", "its server has an error")                                     \
    X(TOOL_CHANGED, "tool_changed", "changed since it was first used or accepted")                 \
    X(GONE, "gone", "its server no longer lists it")                                               \
    X(NAME_TAKEN, "name_taken", "another tool already has this name")                              \
    X(SEARCH_DENIED, "search_denied", "deferred, and tool_search is denied: nothing finds it")     \
    X(DEFERRED, "deferred", "deferred: no search has shown it")                                    \
    X(SHARE, "share", "deferred: the spec's tools take more than their share of the context")      \
    X(REVEALED, "revealed", "shown by a search")                                                   \
    X(LISTED, "listed", "found by a search, not shown because of the cap; can be called")          \
    X(HIDDEN, "hidden", "evicted by the cap; can be called")

typedef enum haft__reason {
#define X(name, word, text) HAFT__REASON_##name,
    HAFT__REASONS(X)
#undef X
} haft__reason;

const char *haft__reason_word(haft__reason reason);
const char *haft__reason_text(haft__reason reason);

/* Whether the reason belongs to a deferred tool, found or not. Searches cover these tools. */
bool haft__reason_is_deferred(haft__reason reason);

typedef struct haft__verdict {
    haft_str name;
    haft_str server; /* "" if the tool has no server */
    haft__tool_source source;
    haft__tool_role role;
    const haft__tool *tool;       /* the tool of the run or the spec, or NULL */
    const haft__mcp_tool *listed; /* the entry in its server's list; NULL if unknown */
    haft__visibility visibility;
    haft__reason reason;
} haft__verdict;

typedef struct haft__offer {
    haft__verdict *items; /* in the order of the spec, then built-ins that are not enabled, then
                             tools of servers */
    size_t count;
    size_t deferred; /* number of tools that a search covers: all that are or were deferred */
    size_t shown;    /* number of these tools that are declared */
    uint32_t cap;    /* upper limit of `shown` */
} haft__offer;

/* Computes the verdict on every tool. `run` is NULL before the run exists; `listings` has only the
 * known lists. The verdicts live in `arena`; their texts are borrowed. */
HAFT_MUST_USE haft_status haft__resolve(const haft__spec *spec, const haft__run *run,
                                        const haft__mcp_listing *listings, size_t listing_count,
                                        haft__arena *arena, haft__offer *ret_offer,
                                        haft_error *err);

/* The verdict on one tool of the spec or of the run. `run` may be NULL. */
haft__verdict haft__resolve_tool(const haft__spec *spec, const haft__run *run,
                                 const haft__tool *tool);

/* Like haft__resolve_tool, for the tool of a run with this index. */
haft__verdict haft__resolve_index(const haft__run *run, size_t index);

/* Returns DEFERRED if tools of this server can be used, else the reason why not. */
haft__reason haft__resolve_server(const haft__spec *spec, haft_str server);

/* The list of the spec that denies a tool or a server, and the pattern that matches. */
typedef struct haft__denial {
    const char *list; /* "mcp.deny" ...; NULL: no list denies it */
    haft_str pattern; /* the matching pattern of a deny list; .ptr is NULL if an allow list has no
                         match */
} haft__denial;

haft__denial haft__resolve_denial(const haft__spec *spec, haft__reason reason, haft_str server,
                                  haft_str name);

/* Whether the filter of built-ins denies tool_search. */
bool haft__resolve_search_denied(const haft__spec *spec);

/* Whether the spec allows tool search and has deferred tools. */
bool haft__resolve_can_search(const haft__spec *spec);

/* Whether the spec has, or may have, deferred tools other than skills. */
bool haft__resolve_defers_data(const haft__spec *spec);

/* Whether the spec has deferred tools that no search can ever find. */
bool haft__resolve_has_unfindable_tools(const haft__spec *spec);

/* Estimates the tokens of the definitions of the spec's own tools. */
uint64_t haft__resolve_tokens(const haft__spec *spec);

/* Whether this tool of the spec is deferred: it is a skill, or all definitions together are too
 * large. */
bool haft__resolve_is_deferred(const haft__spec *spec, const haft__tool *tool);

/* Whether the spec names the tool in its schedule, its default, a phase or a node of its graph. */
bool haft__resolve_is_named(const haft__spec *spec, haft_str name);

/* Whether a node of the spec's graph calls a tool of a server. If so, the servers list their tools
 * before the first step. */
bool haft__resolve_needs_servers(const haft__spec *spec);

/* Whether the tool is the built-in tool_search. */
bool haft__resolve_is_search_tool(const haft__tool *tool);

/* The maximum number of visible deferred tools, and its source: "max_mcp_tools", "size_b", "name"
 * and "family" (the source of the model's size), "hosted", "unknown_size". */
uint32_t haft__resolve_cap(const haft__spec *spec, const char **ret_why);

#endif
