/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/run.h - the state of a run: the result of folding its events.
 *
 *     state   = fold(state, event)      haft__run_fold
 *     effect  = decide(state)           run/decide/decide.h
 *
 * No other object has state of a run. fold reads decisions and never makes them, so that a newer
 * binary never changes an old run.
 */
#ifndef HAFT_RUN_RUN_H
#define HAFT_RUN_RUN_H

#include "choice/choice.h"
#include "model/model.h"
#include "model/optional_member.h"
#include "run/child/child.h"
#include "run/event.h"
#include "run/pause/pause.h"
#include "spec/spec.h"

/* The stage of a run. */
typedef enum haft__run_stage {
    HAFT__RUN_NEW,            /* no event yet */
    HAFT__RUN_IDLE,           /* between turns: the next turn must be decided */
    HAFT__RUN_AWAITING_REPLY, /* a turn has started: send the request to the model (again) */
    HAFT__RUN_JUDGING,        /* the reply has arrived and must be judged */
    HAFT__RUN_CALLING,        /* the calls of the reply are judged and run; some may be paused */
    HAFT__RUN_ENDED,
} haft__run_stage;

/* The ends of a run. */
#define HAFT__ENDS(X)                                                                              \
    X(DONE, "done")                                                                                \
    X(DIRECT, "direct")                                                                            \
    X(EXHAUSTED, "exhausted")                                                                      \
    X(INCOMPLETE, "incomplete")                                                                    \
    X(REFUSED, "refused")                                                                          \
    X(VIOLATED, "violated")                                                                        \
    X(FAILED, "failed")                                                                            \
    X(CANCELLED, "cancelled")                                                                      \
    X(EXPIRED, "expired")

typedef enum haft__end {
#define X(name, text) HAFT__END_##name,
    HAFT__ENDS(X)
#undef X
} haft__end;

const char *haft__end_name(haft__end end);

/* The stage of a call. */
typedef enum haft__call_stage {
    HAFT__CALL_ARRIVED,  /* not judged yet */
    HAFT__CALL_PAUSED,   /* waits for the answer of a person or a client */
    HAFT__CALL_ANSWERED, /* the answer is recorded; the next step must be decided */
    HAFT__CALL_STARTED,  /* running, or about to run */
    HAFT__CALL_RETURNED, /* has a result that middleware has not passed on yet */
    HAFT__CALL_FINISHED,
    HAFT__CALL_REFUSED,
} haft__call_stage;

/* The answer to a pause of a call. */
typedef struct haft__pause_answer {
    haft_str verdict; /* approve, edit, reject, respond, answer, retry, expire; "" at first */
    haft__json value;
    haft__json elicitation; /* the question, if the tool itself asked it; else null */
    haft_str message;       /* the id of the command with the answer; "" without one */
} haft__pause_answer;

/* `by` of the answer that is recorded when the server withdraws its question. */
#define HAFT__BY_SERVER HAFT__LIT("server")

/* `by` of an approval that follows from a standing approval. */
#define HAFT__BY_STANDING_APPROVAL HAFT__LIT("standing approval")

/* Data of a call that a node of a graph makes. */
typedef struct haft__node_call {
    haft_str path;      /* the path of the node: worker[2] */
    bool only_approval; /* no tool runs: the call waits for a person (`pause` of the node) */
    bool reads_state;   /* the input is made by haft__graph_rules.make_input */
    uint32_t reduces;   /* if the call runs a reducer: the number of its channel, from 1; else 0 */
    uint64_t not_before_ms;  /* earliest time of the next attempt; 0: immediately */
    uint32_t timeout_ms;     /* for one attempt; 0: the timeout of the tool */
    uint64_t deadline_ms;    /* time for the answer to a question; 0: the time in the spec */
    haft__json on_expire;    /* the action after the deadline */
    haft__cache_scope cache; /* which other runs can use the result: NONE, THREAD or GLOBAL */
    uint64_t cache_ttl_ms;   /* 0: no expiry within the scope */
    haft_str cache_key;      /* the node's part of the key */
} haft__node_call;

/* An entry of `middleware` that has decided about a call or a request. */
typedef struct haft__passed {
    const struct haft__passed *before;
    haft_str name;
    haft__hook_point at;
} haft__passed;

/* The state of a call, or of a request to the model, among the middleware
 * (run/middleware/middleware.h). All texts are "" at first. */
typedef struct haft__passage {
    const haft__passed *passed;     /* the last one; entries that decide by rules are not in it */
    haft_str hook;                  /* name of the hook that runs; "" if none */
    haft__hook_point at;            /* its place */
    haft__json arguments;           /* the arguments that it sees, before the call starts */
    haft_str denied_by, denied_why; /* the entry that has denied the call */
    haft_str result; /* the result that a hook gives in place of the tool; else .ptr is NULL */
    haft_str note;   /* what the hooks tell the model */
} haft__passage;

typedef struct haft__run_call {
    haft_str id; /* c3.1: turn 3, first call; n3.1: step 3, first node */
    haft_str model_call, name, raw;
    haft_str malformed;     /* the reason why the call could not be parsed, or "" */
    bool repaired;          /* the parser repaired the call */
    bool renamed;           /* the model wrote the name without the server (run/call_target.h) */
    bool redacted;          /* a secret in `raw` was redacted */
    const haft__tool *tool; /* NULL if no tool has that name */
    haft__call_stage stage;
    bool started;     /* a call_started is recorded */
    bool approved;    /* a person approved the call */
    haft_str reason;  /* why the outcome of a paused call is unknown, or "" */
    haft_str binding; /* binding of the recorded or pending approval (run/pause/binding.h), or "" */
    bool consented;   /* the call started with an approval, described by the next two fields */
    haft_str bound;   /* binding of that approval, or "" */
    haft__json bound_arguments; /* the approved arguments, which a person may have edited */
    bool spec_changed;          /* the spec has changed since the call started */
    bool needs_new_approval; /* the approval was for another binding: only a new approval starts the
                                call */
    uint32_t attempt;        /* number in the last call_started */
    uint32_t repeats;        /* consecutive automatic retries (not by a command) */
    haft__json arguments;    /* the final arguments; null before they are known */
    haft__passage passage;
    haft__json changed; /* the arguments that a hook has given the call; else null */
    bool change_due;    /* no approval and no start of the call has these arguments yet */
    uint64_t begun_ms;  /* time of its first call_started */
    uint64_t signature; /* hash of tool and canonical arguments; 0 before they are known */
    haft_str cache_key; /* tool and canonical arguments; empty if the result is not cached */
    haft_str note;      /* appended to the result that the model sees */
    haft__pause pause;
    uint64_t paused_seq;  /* seq of the last event that paused it; identifies the question */
    uint64_t deadline_ms; /* 0: no deadline */
    haft__json on_expire;
    haft__json elicitation; /* the question, if the tool itself asks it: {message, mode, schema,
                               url, server}; else null */
    bool pinned;            /* only the process that runs the call can deliver the answer */
    haft__json state;       /* returned to the tool with the answer */
    uint64_t within_ms;     /* time limit for the answer in milliseconds; 0: no limit */
    bool answer_due;        /* the tool's question is answered, and the tool waits for the answer */
    bool lost;              /* the outcome is unknown because the process that showed the tool's
                               question has ended */
    haft__json resume; /* {state, answers} if the tool is called again with an answer; else null */
    haft_str verdict;  /* verdict of the last answer: approve, edit, reject, respond, answer */
    haft__json value;  /* value of the last answer */
    bool overdue;      /* the deadline passed without an answer: `on_expire` applies */
    haft__pause_answer answers[HAFT__PAUSE_KINDS]; /* the last answer to each kind of pause */
    bool withdrawn;                                /* the tool withdrew its question */
    bool closed;   /* for a graph: a person has changed the state, and no node waits for the call */
    bool stored;   /* the artifact of the call is recorded */
    bool searched; /* for tool_search: its hits are recorded */
    const haft__tool **hits;       /* the hits, best first */
    size_t hit_count, shown_count; /* the first shown_count hits are declared */
    const haft__tool **revealed;   /* the hits that no earlier search had declared */
    size_t revealed_count;
    uint64_t finished_ms;
    bool ok;             /* the call finished without an error */
    bool command;        /* the result is a command for the graph: {update, goto, send} */
    haft_str failure;    /* if a call of a node failed: "timeout" or "transient"; else "" */
    bool cut_off;        /* the call was cancelled because limits.wall was reached */
    haft_str result;     /* the whole result as the tool returned it (or the error as text) */
    haft_str shown;      /* the text that the model sees */
    bool counts_invalid; /* the call was refused as unknown or invalid */
    haft__child *child;  /* the child run that a call of an agent has started; else NULL */
    const haft__node_call *node; /* if a node of a graph makes the call; else NULL */
    haft_str parent;             /* the id of the call whose code makes this call; "" if none */
    size_t parent_index;         /* its index in haft__run.calls, if `parent` is not "" */
    uint64_t asked;              /* hash of the tool and the arguments as the code wrote them */
    uint32_t nested;             /* of code: the number of its calls */
} haft__run_call;

typedef struct haft__artifact {
    haft_str name, media_type, sha256, call;
    uint64_t bytes;
    haft_str content; /* of a binary result, else .ptr is NULL: use haft__artifact_content */
} haft__artifact;

/* A standing approval of the run: a person approved all later calls of a tool. */
typedef struct haft__standing_approval {
    haft_str tool; /* hash of the tool at the time of the approval (haft__binding_make_tool) */
    haft_str call; /* the id of the call that was approved */
} haft__standing_approval;

/* An intervention that the next decision records: an input event has its finding. */
typedef struct haft__due_intervention {
    struct haft__due_intervention *next;
    haft_str name, what, why;
    haft__redact_place place;
    haft_str call; /* "" without a call */
} haft__due_intervention;

/* The tools that an entry `select_tools` leaves out, as recorded last. */
typedef struct haft__selection_noted {
    struct haft__selection_noted *next;
    haft_str name, why;
} haft__selection_noted;

/* The search state of a deferred tool. */
typedef enum haft__tool_reveal {
    HAFT__TOOL_REVEAL_NONE,   /* no search has found it, or it is not deferred */
    HAFT__TOOL_REVEAL_SHOWN,  /* it is declared */
    HAFT__TOOL_REVEAL_LISTED, /* listed for the model: not declared, but callable */
    HAFT__TOOL_REVEAL_HIDDEN, /* evicted: no longer declared, but callable */
} haft__tool_reveal;

/* The history of a tool and its calls. */
typedef struct haft__tool_history {
    bool finished;
    haft__tool_reveal found;
    uint64_t found_seq;   /* seq of the last search that declared it; a listing does not count */
    uint32_t found_rank;  /* its rank in that search, from 0 */
    uint32_t shown_order; /* position in the order of declaration; later tools come after it */
    bool shown_first;     /* the search before the first turn declared it */
    uint64_t called_seq;  /* seq of its last call */
    uint32_t rejected;    /* number of calls that a person rejected */
    uint32_t finished_count;
    bool succeeded;       /* a call has finished without an error; of a skill: of this agent */
    uint64_t finished_ms; /* when its last call finished */
    uint64_t size;        /* size of its definition in a request (run/context/); 0: not measured */
    bool gone;            /* its server no longer lists it */
} haft__tool_history;

/* A skill that an agent of the run has read. Each agent has its own skills (run/offer/narrowing.h).
 */
typedef struct haft__skill_read {
    const struct haft__skill_read *before;
    haft_str agent, tool;
} haft__skill_read;

/* The state of a server after the last search. */
typedef struct haft__run_server {
    haft_str name;
    haft_str error;        /* "" without an error */
    const haft_str *names; /* names of its usable tools, without the server */
    size_t name_count;
    const haft_str *changed; /* tools that differ from their used or accepted definitions */
    size_t changed_count;
    bool unnamed; /* the names of its tools are unknown */
} haft__run_server;

/* The sizes of the conversation, and its changes to fit the context of the model
 * (src/run/context/). Sizes are estimates before the factor (prompt/estimate.h). */
typedef struct haft__run_context {
    size_t measured;    /* number of messages that `history` includes */
    uint64_t history;   /* size of these messages */
    size_t recent;      /* the first message that may be one of the last clear.keep observations */
    uint32_t kept;      /* number of observations from there on */
    uint64_t old;       /* size that stubs of the earlier observations would save */
    size_t task;        /* index of the task, plus one; 0: not measured yet */
    size_t last_turns;  /* the first message of the last summarise.keep turns */
    uint32_t turns;     /* number of turns from there on */
    uint64_t gone;      /* size of the earlier turns, except those that stay */
    uint64_t text_size; /* size of `text` */
    uint64_t declared;  /* size of the definitions in the open request */
    uint32_t factor;    /* computed from the usage that the model reported; 0: no usage yet */
    uint64_t estimated; /* estimated tokens of the last request with reported usage */
    uint64_t reported;  /* reported tokens of that request */
    uint32_t rewrites;  /* number of times that messages were cleared or replaced */
    uint32_t cleared, replaced; /* numbers of cleared observations and replaced messages */
    haft_str text;              /* the text that replaces old turns, or "" */
    bool summarising;           /* the open request is for a summary */
    size_t end;                 /* the summary is of the messages before this index */
    uint64_t most_text;         /* maximum tokens of the summary */
    uint64_t budget;            /* maximum tokens of the request after the summary */
    haft__member_set refused;   /* saved run->refused of the run's own model */
    bool answered;              /* a reply or failure of the request for a summary has arrived */
    haft_str summary;           /* the reply, or "" */
    haft_str failure;           /* the reason of a failure, or "" */
} haft__run_context;

struct haft__run;

/* Whether the call runs code that waits for a call of its own. */
bool haft__call_waits_for_nested(const struct haft__run *run, const haft__run_call *call);

/* The last recorded state of a server; NULL if nothing is recorded or `run` is NULL. */
const haft__run_server *haft__run_find_server(const struct haft__run *run, haft_str name);

/* Functions that load further specs of a run. */
typedef struct haft__run_specs {
    /* Loads the spec that replaces the current one at event `seq`. The spec must outlive the run.
     * `load` is NULL if no loader is available. */
    haft_status (*load)(void *context, haft__json source, uint64_t seq, const haft__spec **ret_spec,
                        haft_error *err);
    void *context;
    /* Called when the run is handed to another agent. `agent` is the name of an agent in the spec
     * that the run began with, or "" for that spec itself. May be NULL. */
    haft_status (*hand_off)(void *context, haft_str agent, haft_error *err);
    /* Called when the next model of the spec is asked. May be NULL. */
    haft_status (*change_model)(void *context, haft_error *err);
    /* Called before the summarising model is asked (`starts`), and before the run's own model is
     * asked again. May be NULL. */
    haft_status (*summarise)(void *context, bool starts, haft_error *err);
} haft__run_specs;

/* ---- runs of graphs ---- */

/* The next action of a run of a graph. */
typedef enum haft__graph_next_kind {
    HAFT__GRAPH_NEXT_CALLS, /* no action of the graph: its calls are decided, run or waited for */
    HAFT__GRAPH_NEXT_STEP,
    HAFT__GRAPH_NEXT_THREAD, /* the host reads the values of the thread: haft__input_thread_state */
    HAFT__GRAPH_NEXT_END,
} haft__graph_next_kind;

typedef struct haft__graph_next {
    haft__graph_next_kind kind;
    haft__json step; /* for STEP: the members of graph_step */
    haft__end end;   /* for END */
    haft_str answer; /* for END, and if the budget is used up; else .ptr is NULL */
    haft_str reason;
    haft_str failed;   /* for a failure: the failed nodes or channel; else "" */
    haft_str code;     /* for a failure: node_failed, ...; else "" */
    haft__json result; /* for END: {state, wrote, command}, for a parent graph */
} haft__graph_next;

struct haft__graph_run;

/* Functions that fold a run of a graph. src/graph implements them; a checked spec points to them,
 * so that src/run does not depend on src/graph. */
typedef struct haft__graph_rules {
    /* Called after the run has folded an event. Sets run->graph_next, and adds the new calls of
     * nodes (haft__run_add_node_call). */
    haft_status (*fold)(struct haft__run *run, const haft__event *event, haft_error *err);
    /* If call->node->reads_state: makes the input of the tool of a started call, in `arena`. The
     * input contains the state of the graph, which the log must not repeat. */
    haft_status (*make_input)(struct haft__run *run, const haft__run_call *call, haft__arena *arena,
                              haft__json *ret_input, haft_error *err);
    /* Returns the values that the next run of the thread begins with: an object in `arena`, or
     * null. */
    haft_status (*keep)(const struct haft__run *run, haft__arena *arena, haft__json *ret_kept,
                        haft_error *err);
} haft__graph_rules;

typedef struct haft__run {
    haft__arena *arena;   /* the memory of the run */
    haft__arena *scratch; /* for one event while it is folded; if NULL, haft__run_fold makes one */
    const haft__spec *spec;
    const haft__spec *first_spec; /* the spec before the first handoff: it declares the agents */
    haft_str agent;               /* the current agent; "" for `first_spec` itself */
    uint32_t failed_models;       /* number of failed models; `spec` has the next model */
    uint32_t handoffs;            /* number of handoffs so far */
    haft_str handoff_call;        /* the call that caused the last handoff */
    haft__run_specs specs;        /* set after haft__run_init */
    haft_str file;                /* hash of the spec's file; "" if unknown */
    haft__json overrides; /* overrides of values in the spec, a list of "path=value"; or null */
    /* Names of the environment variables that chose the model's server and key; a list, or null. */
    haft__json model_variables;
    haft__json model_prices;  /* run/prices.h; a list, or null */
    const haft__tools *tools; /* the spec's tools; `more_tools` after tools are revealed */
    haft__tools *more_tools;  /* the tools after a reveal, else NULL */
    const haft__skill_read *skills_read; /* the last one; NULL if no skill was read */
    haft__hash_key hash_key;
    haft_str id, thread;
    haft_str parent, parent_call, root; /* for a child run: the parent and its call, and the first
                                         * run of the tree; else "" */
    haft_str path; /* for a child run: the calls on the path from the root, c3.1/c1.2; else "" */
    haft_str
        traceparent; /* trace context of the caller (run/trace.h), also of the runs below it; or
                      * "" */
    uint64_t seq, last_ms; /* seq and time of the last event */
    uint64_t started_ms;
    uint64_t worked_ms; /* time spent in models and tools, without pauses and time between owners */
    haft__run_stage stage;

    /* the turn */
    uint32_t turn;
    haft__choice_mode mode;
    haft_str mode_tool;
    bool forced_by_limit;    /* the mode is none because a budget is used up */
    bool *allowed;           /* for each tool of the run */
    uint32_t numbered_calls; /* calls of this turn's replies so far, including rejected replies */
    uint32_t violations;     /* number of violations in this turn */
    uint32_t continuations;  /* number of replies in this turn that the provider interrupted */
    haft_str correction;     /* the correction for the next request; "" at first */
    haft__constraint_kind constraint; /* constraint of the current or last request */
    haft_str constrained_format;      /* the format of a constrained request */

    /* the reply that is judged or whose calls run */
    haft__reply reply;
    haft_str items_provider, items_model, items_endpoint; /* the origin of reply.items */
    bool reply_committed; /* the reply's message is part of the conversation */
    haft__model_failure failure;
    bool failed; /* the model call failed */

    haft__run_call *calls; /* all calls of the run, in order */
    size_t call_count, call_capacity;
    size_t batch; /* index in `calls` of the first call of the last reply */

    haft__messages messages;
    haft__run_context context;
    const haft__messages *earlier; /* messages of earlier runs of the thread; may be NULL */
    size_t initial_count;          /* messages that the run began with, its task included */
    haft_str task;
    haft__tool_history *past; /* for each tool of the run */
    haft__usage usage;
    uint64_t cost_parts; /* micro-dollars times a million; exact */
    /* Optional request members that the model's server rejected; later requests omit them. */
    haft__member_set refused;
    uint16_t refused_statuses[HAFT__MEMBER_COUNT];
    bool sent_again; /* the open request was sent before, with members that were then rejected */
    bool gate_opened, default_satisfied, completed, cancel_asked, expired;
    bool wall_reached;         /* limits.wall was reached while an operation was running */
    bool parent_limit_reached; /* for a child run: a budget above it is used up, so the current turn
                                  is its last */
    bool initial_search_done;  /* the search before the first turn is recorded */
    bool search_found_nothing; /* a search of the model found nothing */
    uint32_t gate_threshold; /* lowest threshold of the gate so far; 0: no data tool was offered */
    bool nothing_to_search;  /* no deferred tools exist, and no server may still add some */
    uint64_t deferred;       /* number of deferred tools that the last search covered */
    uint32_t shown_count;    /* number of tools ever declared by a search */
    uint32_t shown_before_turn; /* shown_count at the start of the last turn */
    uint64_t turn_seq;          /* seq of the event that started the turn */
    const haft__run_server *servers;
    size_t server_count;
    haft_str cancel_why;
    uint32_t reminders, invalid_replies;
    haft__no_progress progress;
    haft__map results; /* cache_key -> haft__run_call */
    const haft__artifact **artifacts;
    size_t artifact_count, artifact_capacity;
    haft__standing_approval *standing; /* in the order in which they were given */
    size_t standing_count, standing_capacity;
    haft__child **children; /* in the order in which they started */
    size_t child_count, child_capacity, open_children;
    haft__tree_usage child_usage;  /* usage of finished children and all runs below them */
    struct haft__graph_run *graph; /* for a started run of a graph; else NULL */
    haft__graph_next graph_next;
    haft_str observation; /* the last result, as the model sees it */
    haft_str last_text;   /* the last text of the model that was not empty, trimmed */

    /* middleware */
    haft__passage request;             /* the open request, or the reply that is judged */
    haft__due_intervention *due;       /* the first; NULL if none */
    haft__selection_noted *selections; /* of all entries `select_tools` */
    haft_str denied_by, denied_why;    /* the entry that ends the run; "" if none */

    /* the end */
    haft__end end;
    haft_str answer, end_reason;
    bool forced_final;
    haft__json end_error; /* null or {status, where, message, hint} */

    bool stored_as_waiting; /* the store has the run as waiting; set by the caller that read the
                             * store. The events of a new fork do not show this state */
} haft__run;

/* `spec` must outlive the run. */
HAFT_MUST_USE haft_status haft__run_init(haft__run *run, haft__arena *arena, const haft__spec *spec,
                                         haft__hash_key hash_key, haft_error *err);

/* Sets the messages of earlier runs of the thread; call it before the first event. The messages are
 * placed between the system prompt and the task. They are borrowed and must outlive the run. */
void haft__run_set_earlier(haft__run *run, const haft__messages *earlier);

/* Inserts `earlier` at the same place. For messages that become known after the start of the run
 * but before its first turn. */
HAFT_MUST_USE haft_status haft__run_insert_earlier(haft__run *run, haft_error *err);

/* Appends the task and the answer of a run that has ended to the messages of its thread. `end` is
 * the name of its end. If the run was cancelled, the model reads that it was interrupted instead of
 * an answer. Task and answer are borrowed and must live as long as the messages. */
HAFT_MUST_USE haft_status haft__run_append_exchange(haft_str task, haft_str answer, haft_str end,
                                                    haft__messages *to, haft_error *err);

/* Folds one event; copies `line`. BAD_INPUT if the event cannot follow the state. After an error
 * the run must not be used. */
HAFT_MUST_USE haft_status haft__run_fold(haft__run *run, haft_str line, haft_error *err);

/* Whether the call runs a reducer of a graph. Such calls do not count for limits.calls. */
static inline bool haft__call_is_reducer(const haft__run_call *call)
{
    return call->node != NULL && call->node->reduces > 0;
}

/* Whether the run executes a graph: no model decides. */
static inline bool haft__run_is_graph(const haft__run *run)
{
    return run->spec->graph_rules != NULL;
}

/* Appends a call that a node of a graph makes: `raw` are its arguments as JSON. All texts and
 * `node` live as long as the run. */
HAFT_MUST_USE haft_status haft__run_add_node_call(haft__run *run, haft_str id, haft_str tool,
                                                  haft_str raw, const haft__node_call *node,
                                                  haft_error *err);

#define HAFT__CALL_ID_SIZE 32

/* The id of the n-th call of a turn, both from 1: c3.1. Returns it in `to`. */
haft_str haft__run_call_id(char to[HAFT__CALL_ID_SIZE], uint32_t turn, uint64_t number);

/* Whether every call of the last reply has a result. */
bool haft__run_batch_done(const haft__run *run);

/* The newest call with that id, or NULL. The id may be haft's id or the model's id of the call. */
const haft__run_call *haft__run_find_call(const haft__run *run, haft_str id);

/* The maximum number of characters of the call's result that the model sees. A page of read_result
 * may have an additional line that describes the page. */
uint32_t haft__run_observation_chars(const haft__run *run, const haft__run_call *call);

/* For commands that only read a run whose process has ended. The questions of its tools are lost,
 * so these calls become calls of unknown outcome. The next owner of the run records this in the
 * log. */
void haft__run_drop_lost_questions(haft__run *run);

/* Whether a new spec judges the call again: the call has not started, but is paused or approved. */
bool haft__call_may_be_judged_again(const haft__run_call *call);

/* Whether a person rejected the call before it started. Such a call needs no tool. */
bool haft__call_is_declined(const haft__run_call *call);

/* Finds the standing approval for a tool with that hash (haft__binding_make_tool); NULL if none
 * exists. */
const haft__standing_approval *haft__run_find_standing(const haft__run *run, haft_str tool);

/* The index of the tool among the run's tools. The tool must be one of them. */
size_t haft__run_tool_index(const haft__run *run, const haft__tool *tool);

/* A hash for decisions. It is the same in every process, so that a replay makes the same
 * decisions. */
uint64_t haft__run_hash(haft_str text);

/* Appends the cache key of a call: its tool's name and its canonical arguments. */
HAFT_MUST_USE haft_status haft__run_call_key(haft__buf *buf, haft_str tool, haft__json arguments,
                                             haft_error *err);

/* Appends the cost in dollars, exactly, as a JSON number. */
void haft__run_add_cost(haft__buf *buf, const haft__run *run);

/* Write and read cost parts in the form of haft__run_add_cost. haft__cost_read returns false if the
 * text is not such a number. */
void haft__cost_write(haft__buf *buf, uint64_t cost_parts);
bool haft__cost_read(haft_str text, uint64_t *ret_cost_parts);

#endif
