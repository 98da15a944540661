/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/tool.h - a tool: its name, its schema, where it runs, and its traits.
 *
 * Tools are immutable data, made once when a spec is loaded (or when a C program registers one).
 * They live in the arena of their registry (tool/registry.h).
 */
#ifndef HAFT_TOOL_TOOL_H
#define HAFT_TOOL_TOOL_H

#include "schema/schema.h"
#include "json/value.h"

/* The place where a call of the tool runs. */
#define HAFT__TOOL_SOURCES(X)                                                                      \
    X(FUNCTION, "function")                                                                        \
    X(COMMAND, "command")                                                                          \
    X(HTTP, "http")                                                                                \
    X(MCP, "mcp")                                                                                  \
    X(BUILTIN, "builtin")                                                                          \
    X(AGENT, "agent")                                                                              \
    X(HANDOFF, "handoff")   /* the run continues with another agent */                             \
    X(SKILL, "skill")       /* its result is the text of a skill */                                \
    X(HEADLESS, "headless") /* a client answers; the run is paused */                              \
    X(PROVIDER, "provider") /* the provider runs it; haft only records it */

/* The names of skills are skill:NAME. */
#define HAFT__SKILL_SERVER "skill"
#define HAFT__SKILL_PREFIX HAFT__SKILL_SERVER ":"

typedef enum haft__tool_source {
#define X(name, text) HAFT__TOOL_##name,
    HAFT__TOOL_SOURCES(X)
#undef X
} haft__tool_source;

/* The role of a tool in the choice policy. */
typedef enum haft__tool_role {
    HAFT__ROLE_DATA,     /* gathers or does something: counts for the gate */
    HAFT__ROLE_NEUTRAL,  /* tool_search, read_result, skills: counts for nothing */
    HAFT__ROLE_CONTROL,  /* request_user_input, complete_workflow: judged last in its batch */
    HAFT__ROLE_ARTIFACT, /* store_artifact: not while calls are forced */
} haft__tool_role;

typedef enum haft__tool_cost {
    HAFT__COST_FREE,
    HAFT__COST_LIGHT,
    HAFT__COST_HEAVY,
} haft__tool_cost;

/* How long a result may be reused for the same arguments. */
typedef enum haft__cache_scope {
    HAFT__CACHE_NONE,
    HAFT__CACHE_RUN,
    HAFT__CACHE_THREAD,
    HAFT__CACHE_GLOBAL,
} haft__cache_scope;

/* The policy for a call of this tool whose outcome is unknown. */
typedef enum haft__unknown_trait {
    HAFT__UNKNOWN_BY_SPEC, /* the default of the spec */
    HAFT__UNKNOWN_ASK,
    HAFT__UNKNOWN_TELL,
    HAFT__UNKNOWN_RETRY,
} haft__unknown_trait;

typedef struct haft__traits {
    bool read_only, idempotent, destructive, return_direct, needs_approval;
    haft__tool_cost cost;
    uint32_t timeout_ms; /* for one attempt */
    uint32_t retries;    /* only for tools that are read_only or idempotent */
    haft__cache_scope cache;
    uint64_t cache_ttl_ms; /* 0: as long as the scope lasts */
    haft_str lane;         /* calls of one lane never overlap; "" for no lane */
    haft__unknown_trait on_unknown;
    bool polls; /* called again until its result changes: equal results are not a repetition */
    uint32_t poll_delay_ms; /* least time between two of its calls; 0: none */
} haft__traits;

typedef struct haft__tool {
    haft_str name; /* canonical: "grep", "docs:search" */
    haft_str description;
    haft__json input_schema;  /* an object with "type": "object" */
    haft__json output_schema; /* HAFT__JSON_NULL without one */
    haft__tool_source source;
    haft__tool_role role;
    haft__traits traits;
    bool traits_given;       /* the author of the tool set traits; else all are defaults */
    bool hinted_destructive; /* its MCP server, trusted or not, sends destructiveHint: true */
    bool for_nodes; /* a function of the program that only nodes of graphs run, or a reducer */
    bool reducer;   /* part of a step of a graph: no approval of a person applies to its calls */
    bool typed;     /* has its own schema, not the fallback in which every argument is a string */
    haft__json definition;      /* how it runs, as written in the spec; for src/exec */
    const haft_tool *function;  /* for HAFT__TOOL_FUNCTION: the declaration of the program */
    const haft__schema *schema; /* input_schema, compiled by the registry */
    const haft__schema *output; /* output_schema, compiled; NULL without one */
} haft__tool;

/* Names for people and JSON: "function", "data". */
const char *haft__tool_source_name(haft__tool_source source);
const char *haft__tool_role_name(haft__tool_role role);

/* Checks a tool name: 1 to HAFT__LIMIT_TOOL_NAME_BYTES of letters, digits and _ . : / - with at
 * most one ':' ("server:tool"), neither first nor last. */
HAFT_MUST_USE haft_status haft__tool_name_check(haft_str name, haft_error *err);

#endif
