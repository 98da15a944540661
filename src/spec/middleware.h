/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/middleware.h - the entries of `middleware`: rules and programs around the calls of a run.
 *
 * The first entry is the outermost: it sees a call first and its result last. docs/middleware.md
 * describes each kind.
 */
#ifndef HAFT_SPEC_MIDDLEWARE_H
#define HAFT_SPEC_MIDDLEWARE_H

#include "schema/regex/pattern.h"
#include "tool/registry.h"

/* The kinds of entries. */
#define HAFT__MIDDLEWARE_KINDS(X)                                                                  \
    X(APPROVAL, "approval")         /* a person approves calls at this place */                    \
    X(CACHE, "cache")               /* equal calls of a tool run once */                           \
    X(CALL_LIMIT, "call_limit")     /* the number of calls */                                      \
    X(COMMAND, "command")           /* a program decides */                                        \
    X(FALLBACK, "fallback")         /* further models */                                           \
    X(HTTP, "http")                 /* a web service decides */                                    \
    X(RATE_LIMIT, "rate_limit")     /* the number of calls in a period */                          \
    X(REDACT, "redact")             /* personal data in texts */                                   \
    X(RETRY, "retry")               /* another attempt after a failure */                          \
    X(SELECT_TOOLS, "select_tools") /* the tools of a turn */                                      \
    X(TODO_LIST, "todo_list")       /* the tool write_todos */                                     \
    X(TOOL_ERRORS, "tool_errors")   /* the wording of errors */

typedef enum haft__middleware_kind {
#define X(name, text) HAFT__MIDDLEWARE_##name,
    HAFT__MIDDLEWARE_KINDS(X)
#undef X
        HAFT__MIDDLEWARE_KIND_COUNT,
} haft__middleware_kind;

/* The places of a request and of a call where an entry acts. */
#define HAFT__HOOK_POINTS(X)                                                                       \
    X(BEFORE_MODEL, "before_model") /* before a request is sent to the model */                    \
    X(AFTER_MODEL, "after_model")   /* before its reply is judged */                               \
    X(BEFORE_TOOL, "before_tool")   /* after the arguments are valid, before the call starts */    \
    X(AFTER_TOOL, "after_tool")     /* before the model sees the result */

typedef enum haft__hook_point {
#define X(name, text) HAFT__HOOK_##name,
    HAFT__HOOK_POINTS(X)
#undef X
        HAFT__HOOK_POINT_COUNT,
} haft__hook_point;

/* A program or a web service that decides. */
typedef struct haft__hook {
    bool at[HAFT__HOOK_POINT_COUNT];
    bool fail_open;            /* without its decision, the call continues */
    bool repeatable;           /* may run again for the same call, after a crash */
    const haft__tool *program; /* for src/exec */
} haft__hook;

typedef struct haft__call_limit {
    uint32_t max;
    bool per_turn; /* else in the whole run */
    bool ends_run; /* the run ends in place of a refusal */
} haft__call_limit;

typedef struct haft__rate_limit {
    uint32_t max;
    uint64_t per_ms;
} haft__rate_limit;

/* The kinds of personal data that haft finds by itself. */
#define HAFT__PERSONAL_KINDS(X)                                                                    \
    X(EMAIL, "email")                                                                              \
    X(CREDIT_CARD, "credit_card")                                                                  \
    X(IP, "ip")                                                                                    \
    X(MAC, "mac")                                                                                  \
    X(URL, "url")

typedef enum haft__personal_kind {
#define X(name, text) HAFT__PERSONAL_##name,
    HAFT__PERSONAL_KINDS(X)
#undef X
        HAFT__PERSONAL_KIND_COUNT,
} haft__personal_kind;

typedef enum haft__redact_action {
    HAFT__REDACT_REDACT, /* [REDACTED_EMAIL] */
    HAFT__REDACT_MASK,   /* ****1234 */
    HAFT__REDACT_HASH,   /* <email_hash:1a2b3c4d> */
    HAFT__REDACT_BLOCK,  /* the text is not used */
} haft__redact_action;

/* The texts of a run in which personal data is replaced. */
typedef enum haft__redact_place {
    HAFT__REDACT_INPUT,   /* the task */
    HAFT__REDACT_OUTPUT,  /* the texts of the model */
    HAFT__REDACT_RESULTS, /* the results of tools */
    HAFT__REDACT_PLACE_COUNT,
} haft__redact_place;

typedef struct haft__redact_pattern {
    haft_str name;
    const haft__pattern *pattern;
} haft__redact_pattern;

typedef struct haft__redact_rule {
    bool kinds[HAFT__PERSONAL_KIND_COUNT];
    bool at[HAFT__REDACT_PLACE_COUNT];
    haft__redact_action action;
    const haft__redact_pattern *patterns;
    size_t pattern_count;
} haft__redact_rule;

/* The tools of a turn: `tools` of the entry, while all conditions hold. */
typedef struct haft__tool_selection {
    const haft_str *except; /* patterns of tools that are left out */
    size_t except_count;
    uint32_t first_turn, last_turn; /* 0: no bound */
    const haft_str *after;          /* tools of which one has succeeded */
    size_t after_count;
    const haft_str *until; /* tools of which none has succeeded */
    size_t until_count;
} haft__tool_selection;

typedef struct haft__middleware {
    haft__middleware_kind kind;
    haft_str name;         /* unique in its spec; by default the name of the kind */
    const haft_str *tools; /* patterns */
    size_t tool_count;     /* 0: all tools */
    union {
        haft__hook hook;
        haft__call_limit call_limit;
        haft__rate_limit rate_limit;
        haft__redact_rule redact;
        haft__tool_selection selection;
        haft_str error_text;                        /* for TOOL_ERRORS: a template */
        const struct haft__approval_rule *approval; /* a rule of spec->approvals */
    } as;
} haft__middleware;

const char *haft__middleware_kind_name(haft__middleware_kind kind);
const char *haft__hook_point_name(haft__hook_point point);
const char *haft__personal_kind_name(haft__personal_kind kind);

/* Whether the entry applies to calls of the tool with this name. */
bool haft__middleware_applies(const haft__middleware *entry, haft_str tool);

/* Whether a program or a web service runs for the entry. */
static inline bool haft__middleware_is_hook(const haft__middleware *entry)
{
    return entry->kind == HAFT__MIDDLEWARE_COMMAND || entry->kind == HAFT__MIDDLEWARE_HTTP;
}

#endif
