/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/spec.h - a checked spec: the definition of an agent, workflow or graph.
 *
 * src/spec/load builds it from YAML or JSON; other layers only read it. All parts live in one
 * arena. Omitted texts are empty, omitted values are HAFT__JSON_NULL, omitted numbers have their
 * defaults.
 */
#ifndef HAFT_SPEC_SPEC_H
#define HAFT_SPEC_SPEC_H

#include "database/database.h"
#include "spec/middleware.h"
#include "tool/registry.h"

typedef enum haft__spec_kind {
    HAFT__SPEC_AGENT,
    HAFT__SPEC_WORKFLOW,
    HAFT__SPEC_GRAPH,
} haft__spec_kind;

/* Whether the model may, must, or must not call a tool in a turn. */
typedef enum haft__choice_mode {
    HAFT__MODE_AUTO, /* may call any allowed tool */
    HAFT__MODE_ANY,  /* must call an allowed tool */
    HAFT__MODE_TOOL, /* must call the named tool */
    HAFT__MODE_NONE, /* must not call a tool */
} haft__choice_mode;

/* A requested choice: an entry of the schedule, or the default. */
typedef struct haft__tool_choice {
    haft__choice_mode mode;
    haft_str tool;     /* for HAFT__MODE_TOOL */
    bool fall_through; /* `gate` in a schedule: the rules after the schedule decide */
} haft__tool_choice;

typedef struct haft__choice_spec {
    bool gate;                   /* on: kind workflow, or min_tools_for_auto is set */
    uint32_t min_tools_for_auto; /* 5 */
    const haft__tool_choice *schedule;
    size_t schedule_count;
    bool schedule_overrides_gate;
    haft__tool_choice default_choice; /* auto */
    bool evidence_first;              /* a heavy call needs an earlier result that names its file */
    uint32_t cost_budget; /* 40: budget for the cost of the run's calls, with evidence_first */
} haft__choice_spec;

typedef enum haft__price_source {
    HAFT__PRICE_OF_SPEC,     /* in the spec; also for a local model, which costs nothing */
    HAFT__PRICE_BUILT_IN,    /* in model/price.h */
    HAFT__PRICE_OF_SETTINGS, /* in the settings of the user */
    HAFT__PRICE_OF_LOG,      /* in the log, recorded when the run began */
} haft__price_source;

/* Dollars are stored as whole millionths, so that sums are exact. */
typedef struct haft__price {
    bool known;
    /* Micro-dollars per million tokens. `cached`: input that is read from the provider's cache.
     * `cache_write`, `cache_write_1h`: input that is written to the cache, for minutes and for an
     * hour. */
    uint64_t input, output, cached, cache_write, cache_write_1h;
    haft__price_source source;
} haft__price;

/* The row of model/families.h with the settings that the spec omits. */
typedef struct haft__model_family {
    haft_str name;     /* "" without a row */
    haft_str found_by; /* "name", "chat_template" or "spec" */
    haft_str pattern;  /* the pattern found in the name or the chat template */
    haft_str format;   /* format of calls in text */
    const char *reasoning_open, *reasoning_close; /* tags around reasoning; NULL without tags */
    bool gave_native, gave_format;                /* settings taken from it */
    bool gave_context, gave_size, gave_opened;
    bool hosted;       /* its size is not published; it is treated as large */
    bool size_in_name; /* size_b comes from the model's name (possible without a family) */
} haft__model_family;

/* The constraint on replies when a tool must be called. */
typedef enum haft__constraint_setting {
    HAFT__CONSTRAIN_AUTO,    /* the constraint that the provider is known to support */
    HAFT__CONSTRAIN_NONE,    /* no constraint */
    HAFT__CONSTRAIN_GRAMMAR, /* `grammar`, in the language of llama.cpp */
    HAFT__CONSTRAIN_SCHEMA,  /* `response_format` */
} haft__constraint_setting;

/* How long the host waits for a model server; 0: the default (haft__model_timeouts_resolve). */
typedef struct haft__model_timeouts {
    uint64_t connect_ms, first_byte_ms, idle_ms, total_ms;
} haft__model_timeouts;

typedef struct haft__model_spec {
    haft_str provider, model; /* "openai", "gpt-5.4-mini"; "script", "replies.yaml" */
    haft_str base_url, api_key_env;
    bool other_server;        /* without a base_url: a variable names a host that is not the
                               * provider's */
    haft_str size_b;          /* billions of parameters as written; "" when unknown */
    bool native_tools;        /* true */
    uint64_t context_tokens;  /* size of its context; 0 when unknown */
    bool starts_in_reasoning; /* the chat template opens the reasoning block, so replies begin in it
                               */
    haft__model_family family;
    haft__constraint_setting constraint;
    haft__price price;
    haft__json options; /* unchanged, for the provider */
    haft_str api_key;   /* unchanged; ${VAR} is expanded at use, so no secret is stored */
    haft__model_timeouts timeouts;
    uint32_t requests; /* maximum number of concurrent requests to its server; 0:
                          HAFT__LIMIT_MODEL_REQUESTS */
} haft__model_spec;

/* tool_search.embeddings: a server that embeds texts as vectors. Unused without a base_url. */
typedef struct haft__embeddings_spec {
    haft_str base_url, model;
    haft_str api_key, api_key_env; /* like the keys of a model */
    haft_str query_prefix, document_prefix;
    uint64_t timeout_ms; /* timeout for the vector of a query */
} haft__embeddings_spec;

typedef struct haft__phase {
    haft_str name;
    const haft_str *tools;
    size_t tool_count;
} haft__phase;

typedef enum haft__overflow {
    HAFT__OVERFLOW_QUEUE,    /* calls past the parallel cap wait */
    HAFT__OVERFLOW_TRUNCATE, /* calls past the parallel cap are refused */
} haft__overflow;

/* The numbers of consecutive equal calls with equal results at which haft reacts
 * (choice/no_progress.c). */
typedef struct haft__repeat_limits {
    uint32_t hint;   /* 3: the model reads a hint with the result */
    uint32_t refuse; /* 6: the call is not run */
    uint32_t end;    /* 10: the run ends */
} haft__repeat_limits;

typedef struct haft__spec_limits {
    uint32_t turns;             /* 12 */
    uint32_t calls;             /* 50 */
    uint32_t parallel;          /* 3 */
    haft__overflow overflow;    /* queue; truncate in the planner shape */
    uint32_t observation_chars; /* 8000, in code points */
    uint64_t tokens;            /* 1,000,000; input and output together */
    bool has_usd;               /* no limit unless set */
    uint64_t usd_micros;
    uint64_t wall_ms;       /* 10 minutes */
    uint32_t invalid_calls; /* 3: consecutive replies whose calls were all unknown or invalid */
    uint32_t reminders;     /* 2 */
    uint32_t violations;    /* 2: corrections in one turn */
    haft__repeat_limits repeats;
} haft__spec_limits;

/* A rule that selects calls that a person must approve. */
typedef struct haft__approval_rule {
    const haft_str *tools; /* patterns such as "docs:send_*" */
    size_t tool_count;
    const haft_str *traits; /* "destructive" ... */
    size_t trait_count;
    haft__json when;      /* {at, op, value}, or null */
    uint64_t deadline_ms; /* 0: no deadline */
    haft__json on_expire; /* "fail", "reject" or {answer: V} */
} haft__approval_rule;

/* The deadline of an answer, and the action when it passes. */
typedef struct haft__pause_rule {
    uint64_t deadline_ms; /* 0: no deadline */
    haft__json on_expire; /* as in an approval rule */
} haft__pause_rule;

/* The reason why a run waits for a call. Each kind has a row in run/pause/pause.c. */
typedef enum haft__pause {
    HAFT__PAUSE_QUESTION,        /* the model or a tool asks a person */
    HAFT__PAUSE_HEADLESS,        /* a client runs the call */
    HAFT__PAUSE_APPROVAL,        /* a person must approve the call */
    HAFT__PAUSE_UNKNOWN_OUTCOME, /* the call was interrupted: a person decides how to continue */
    HAFT__PAUSE_KINDS,
} haft__pause;

typedef enum haft__on_unknown {
    HAFT__ON_UNKNOWN_ASK,   /* ask a person */
    HAFT__ON_UNKNOWN_TELL,  /* report an error to the model */
    HAFT__ON_UNKNOWN_RETRY, /* run the call again */
} haft__on_unknown;

typedef enum haft__history {
    HAFT__HISTORY_NATIVE,     /* messages in the form of the provider */
    HAFT__HISTORY_TRANSCRIPT, /* the form of the planner shape: messages with roles, the task last
                               */
} haft__history;

struct haft__spec;
struct haft__graph_rules; /* run/run.h */

/* How the history of a run is kept below the size of the model's context (prompt/context.h). A
 * percentage is of the tokens that a request may have. */
typedef struct haft__context_spec {
    bool given;                    /* the spec has `context` */
    uint64_t reserve;              /* tokens for the reply */
    bool clear;                    /* old observations become stubs, */
    uint32_t clear_at, clear_keep; /* from this percentage on, except the last ones, */
    const haft_str *spare;         /* and except those of these tools */
    size_t spare_count;
    bool summarise; /* old turns are replaced by a summary, or by a list of their calls, */
    uint32_t summarise_at, summarise_keep; /* from this percentage on, except the last turns */
    haft_str summary_instructions;         /* "": the default */
    const struct haft__spec *summariser;   /* with the model that summarises; NULL: no model does */
} haft__context_spec;

/* A text that the system prompt has after the instructions: a file of `memory`, or AGENTS.md. */
typedef struct haft__memory_file {
    haft_str file;   /* its path as the spec writes it, or as it was found */
    haft_str text;   /* as it was when the spec was loaded */
    haft_str sha256; /* of the text: 64 hex digits */
    bool project;    /* AGENTS.md: a text of the project, which the author of the spec did not write
                      */
} haft__memory_file;

/* A folder with a SKILL.md: instructions that the model reads when it calls the skill. */
typedef struct haft__skill {
    haft_str name;      /* without "skill:" */
    haft_str folder;    /* its path, relative to the spec */
    haft_str sha256;    /* of SKILL.md when the spec was loaded: 64 hex digits */
    haft_str replaces;  /* the folder of an earlier skill with this name; "" if none */
    haft__json allowed; /* `allowed-tools`: patterns of names in lowercase; null: all tools */
    size_t tool;        /* index of its tool in spec->tools */
} haft__skill;

/* An agent that tools or nodes of the spec can start as a child run. */
typedef struct haft__agent_spec {
    haft_str name; /* a key of `agents`; or the file that a tool or node names; or, for an agent
                    * inside its node, the JSON Pointer to the agent */
    const struct haft__spec *spec;
} haft__agent_spec;

/* The budgets that a tool requests for its child runs; 0: an equal share of the remaining
 * budget. */
typedef struct haft__agent_limits {
    uint32_t turns, calls;
    uint64_t tokens;
    bool has_usd;
    uint64_t usd_micros;
    uint64_t wall_ms;
} haft__agent_limits;

/* A tool whose calls are child runs. */
typedef struct haft__agent_tool {
    haft_str tool, agent;          /* names of the tool and the agent */
    const struct haft__spec *spec; /* spec of the agent */
    haft__agent_limits limits;
} haft__agent_tool;

/* A tool whose call hands the run to another agent. */
typedef struct haft__handoff {
    haft_str tool;
    haft_str agent; /* an agent of the spec that the run began with; "": that spec itself */
    bool outer;     /* for an agent: the spec that the run began with is its outer spec */
} haft__handoff;

typedef struct haft__spec {
    haft__spec_kind kind;
    haft_str name;
    haft_str path;     /* path of the file, or ""; relative paths are relative to it */
    haft_str hash;     /* 64 hex digits: SHA-256 of the canonical text of `source` */
    haft__json source; /* the checked spec, after translation of the planner shape */
    haft__model_spec model;
    /* The same spec with the next of `models`, for a run whose model fails; NULL without a next
     * model. */
    const struct haft__spec *fallback;
    haft_str instructions;
    haft__json plan; /* strategic plan */
    const haft__memory_file *memory;
    size_t memory_count;
    const haft__skill *skills;
    size_t skill_count;
    uint64_t skill_bytes; /* size of the definitions of their tools */
    const haft__phase *phases;
    size_t phase_count;
    haft__tools tools;       /* in the order of the spec, built-ins included */
    haft__json mcp;          /* unchanged; src/mcp reads it */
    const haft_str *formats; /* in order of preference */
    size_t format_count;
    haft__choice_spec choice;
    haft_str root;          /* the directory that glob, grep and read may read */
    const haft_str *within; /* only these files and directories of `root`; empty: all */
    size_t within_count;
    const haft__database *databases; /* for execute_sql and search_schemas */
    size_t database_count;
    haft__on_unknown on_unknown;
    bool on_unknown_given; /* set in the spec; the default excludes tools of MCP servers */
    haft__spec_limits limits;
    haft__context_spec context;
    bool approve_destructive; /* MCP tools that are marked as destructive need approval */
    const haft__approval_rule *approvals;
    size_t approval_count;
    haft__pause_rule pauses[HAFT__PAUSE_KINDS]; /* for pauses without an approval rule */
    haft__history history;
    uint32_t max_mcp_tools;    /* 0: depends on the model's size */
    uint32_t tools_share;      /* 10: percent of the context for the spec's own tools */
    uint64_t definition_bytes; /* size of the spec's own tools in a request, without built-ins */
    haft__embeddings_spec embeddings;
    haft_str multitask;   /* "enqueue", "reject" or "interrupt" */
    haft_str description; /* for people */
    haft__json graph;     /* unchanged; src/graph reads it */
    haft__json graphs;    /* an object: names of graphs that nodes of kind graph run */
    const struct haft__graph_rules *graph_rules; /* functions that fold its runs; NULL: no graph */
    const haft__agent_spec *agents;
    size_t agent_count;
    const haft__agent_tool *agent_tools;
    size_t agent_tool_count;
    const haft__handoff *handoffs;
    size_t handoff_count;
    const haft__middleware *middleware; /* the first is the outermost */
    size_t middleware_count;
    /* Patterns for the built-ins; `tools` has the enabled ones, allowed or not. */
    const haft_str *builtin_allow, *builtin_deny;
    size_t builtin_allow_count, builtin_deny_count;
} haft__spec;

/* The number of tools without the skills of the spec. `tools` begins with the tools of the spec. */
static inline size_t haft__spec_own_tools(const haft__spec *spec, const haft__tools *tools)
{
    return tools->count - spec->skill_count;
}

#endif
