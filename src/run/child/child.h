/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/child/child.h - child runs: the link between a run and the runs that it starts.
 *
 * A link begins with the event child_started, which is stored in the same transaction as the child,
 * and ends with child_finished. A call of an agent tool has one link. The field `key` names the
 * call of the parent that waits for the child; nothing else here depends on calls.
 */
#ifndef HAFT_RUN_CHILD_CHILD_H
#define HAFT_RUN_CHILD_CHILD_H

#include "base/buf.h"
#include "base/id.h"
#include "spec/spec.h"
#include "json/write.h"

struct haft__run;

/* Amounts of each budget: reserved for a child, or still remaining. */
typedef struct haft__child_budget {
    uint64_t turns, calls, tokens;
    bool has_usd;
    uint64_t usd_micros;
    uint64_t wall_ms; /* not divided: children run at the same time */
} haft__child_budget;

/* The usage of a run and all runs below it. */
typedef struct haft__tree_usage {
    uint64_t runs, turns, calls;
    uint64_t input_tokens, output_tokens, cached_tokens;
    uint64_t cost_parts; /* in the unit of a run's cost */
} haft__tree_usage;

typedef struct haft__child {
    haft_str key;   /* the id of the call */
    haft_str run;   /* the id of the child */
    haft_str agent; /* the agent's name in the spec of the parent */
    haft__child_budget limits;
    bool finished;
    haft_str end, answer, reason;
    haft__json result; /* of a graph: {state, wrote, command}; else null */
    haft__tree_usage usage;
} haft__child;

/* Makes the id of a child. It is computed from the parent, the key and the time of the decision, so
 * that a replay computes the same id. */
void haft__child_make_id(haft_str parent, haft_str key, uint64_t ms, char to[HAFT__ID_LENGTH + 1]);

/* The agent tool of that name; NULL if the spec has none. */
const haft__agent_tool *haft__spec_agent_tool(const haft__spec *spec, haft_str tool);

/* The number of calls on the path from the root to this run; 0 for a root. */
uint32_t haft__child_depth(haft_str path);

/* The started child with that key, or NULL. */
haft__child *haft__child_find(const struct haft__run *run, haft_str key);

/* Whether a child has started and has not finished. */
bool haft__child_any_open(const struct haft__run *run);

/* Whether the run ends as soon as its children have ended, because it was cancelled or its time is
 * used up. */
bool haft__child_is_closing(const struct haft__run *run);

/* The message to the children of a run about its end. */
typedef enum haft__child_close {
    HAFT__CHILD_CLOSE_NONE,
    HAFT__CHILD_CLOSE_FINISH, /* a budget above them is used up: they finish their turn */
    HAFT__CHILD_CLOSE_CANCEL, /* they end immediately */
} haft__child_close;

haft__child_close haft__child_find_close(const struct haft__run *run);

/* The usage of the run itself, without the runs below it. */
haft__tree_usage haft__child_own_usage(const struct haft__run *run);
void haft__tree_usage_add(haft__tree_usage *sum, const haft__tree_usage *usage);

/* The usage of the run itself and its finished children. */
haft__tree_usage haft__child_tree_usage(const struct haft__run *run);

/* Why no child can be started. */
typedef enum haft__child_refusal {
    HAFT__CHILD_ALLOWED,
    HAFT__CHILD_NO_AGENT,  /* the spec no longer has the agent */
    HAFT__CHILD_TOO_DEEP,  /* HAFT__LIMIT_CHILD_DEPTH */
    HAFT__CHILD_TOO_MANY,  /* HAFT__LIMIT_CHILD_COUNT */
    HAFT__CHILD_NO_BUDGET, /* the parent needs the rest of a budget itself */
} haft__child_refusal;

/* Computes the budgets of the next child: the amounts that the tool requests, else an equal share
 * of the remaining budget. They never exceed the remaining budget or the agent's own limits.
 * `waiting` is the number of children that start now, including this child. */
haft__child_refusal haft__child_reserve(const struct haft__run *run, const haft__agent_tool *tool,
                                        size_t waiting, haft__child_budget *ret_budget);

/* The text of a refusal for the model. */
const char *haft__child_refusal_text(haft__child_refusal refusal);

/* Writes `limits` of child_started. */
void haft__child_write_limits(haft__json_writer *w, const haft__child_budget *budget);

/* Writes `turns`, `calls` and `usage` of a tree. */
void haft__child_write_usage(haft__json_writer *w, const haft__tree_usage *usage);

/* Reads both; missing fields are 0. */
haft__child_budget haft__child_read_limits(haft__json value);
haft__tree_usage haft__child_read_usage(haft__json event);

/* Appends the task of the child: the text `task` of the arguments, then the other arguments as
 * JSON. */
void haft__child_write_task(haft__buf *buf, haft__json arguments);

#endif
