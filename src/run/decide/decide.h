/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/decide/decide.h - decides the next step of a run.
 *
 * The host calls haft__decide in a loop. While the effect is EVENT, it appends and folds the event
 * and calls haft__decide again. It performs any other effect and appends the result as an input.
 * The same state and time always give the same decision.
 */
#ifndef HAFT_RUN_DECIDE_DECIDE_H
#define HAFT_RUN_DECIDE_DECIDE_H

#include "model/cache_audit.h"
#include "run/run.h"

typedef enum haft__effect_kind {
    HAFT__EFFECT_EVENT,        /* append `body`, fold it, decide again */
    HAFT__EFFECT_CALL_MODEL,   /* send a request to the model: haft__decide_request */
    HAFT__EFFECT_RUN_CALLS,    /* run the started calls that have no result and are not running yet;
                                  for tool_search, search and append haft__input_tools_revealed */
    HAFT__EFFECT_WAIT,         /* the run is paused: only a person or a client can continue it */
    HAFT__EFFECT_END,          /* the run has ended */
    HAFT__EFFECT_SEARCH_TOOLS, /* search for tools with the task, or list those that nodes of a
                                  graph name: haft__input_tools_revealed */
    HAFT__EFFECT_READ_THREAD,  /* read what the thread keeps of earlier runs:
                                  haft__input_thread_state */
} haft__effect_kind;

typedef struct haft__effect {
    haft__effect_kind kind;
    haft_str body; /* for EVENT; borrowed until the next decision */
    /* The child that the event starts, with its agent and limits; else NULL. The host must be able
     * to create it when it appends the event. Borrowed until the next decision. */
    const haft__child *child;
} haft__effect;

/* The buffers of haft__decide. One decider serves many runs, one thread at a time. */
typedef struct haft__decider {
    haft__arena scratch;
    haft__checker *checker;
    haft__buf body;
    haft__buf text;   /* text for the model */
    uint64_t planned; /* number of messages that plans of the context have read, for tests */
} haft__decider;

HAFT_MUST_USE haft_status haft__decider_init(haft__decider *decider, haft_error *err);
void haft__decider_finish(haft__decider *decider);

HAFT_MUST_USE haft_status haft__decide(haft__decider *decider, const haft__run *run,
                                       uint64_t now_ms, haft__effect *ret_effect, haft_error *err);

/* The outcome of a call: `ok` with its text, or an error. */
typedef struct haft__outcome {
    bool ok;
    bool unknown;   /* for an error: the call may have had its effect */
    bool transient; /* for an error: another attempt may succeed */
    bool diverged;  /* code that ran again made other calls than before: its outcome is unknown, and
                     * it is not repeated */
    bool timed_out; /* for an error: the time for the call was used up */
    bool cached;    /* the result of an earlier call, from the cache */
    bool command;   /* the result is a command for the graph: {update, goto, send} */
    haft_str text, where, hint;
    haft_str diff;    /* for an error: for people, never sent to the model; "" if none */
    haft_str sandbox; /* a JSON object: where and how code ran; "" for other tools */
    uint64_t ms;
} haft__outcome;

/* Decides the event for a pending call whose deadline has passed, before any other decision. The
 * effect is EVENT. */
HAFT_MUST_USE haft_status haft__decide_expiry(haft__decider *decider, const haft__run *run,
                                              const haft__run_call *call, uint64_t now_ms,
                                              haft__effect *ret_effect, haft_error *err);

/* Whether the host runs the call: the tool is neither headless nor a built-in that needs only the
 * run. */
bool haft__call_is_external(const haft__run_call *call);

/* Whether only the host that ran the call can continue it. If that host is gone, the call must be
 * recovered. */
bool haft__call_needs_host(const haft__run_call *call);

/* The policy for a call of the tool whose outcome is unknown. The tool's trait overrides the
 * spec. */
haft__on_unknown haft__decide_unknown_policy(const haft__run *run, const haft__tool *tool);

/* Decides about a started call whose host has stopped, so that its outcome is unknown: run the call
 * again, ask a person, or report an error to the model. The effect is EVENT. */
HAFT_MUST_USE haft_status haft__decide_recovery(haft__decider *decider, const haft__run *run,
                                                const haft__run_call *call, uint64_t now_ms,
                                                haft__effect *ret_effect, haft_error *err);

/* Like haft__decide_recovery, for a call whose outcome is unknown because it timed out or because
 * its reply was lost.
 */
HAFT_MUST_USE haft_status haft__decide_interrupted(haft__decider *decider, const haft__run *run,
                                                   const haft__run_call *call, haft_str reason,
                                                   uint64_t now_ms, haft__effect *ret_effect,
                                                   haft_error *err);

/* Decides about a failed attempt of a call: another attempt, a pause for the unknown outcome, or
 * the error as the result. `outcome` is not ok. The effect is EVENT. */
HAFT_MUST_USE haft_status haft__decide_failed(haft__decider *decider, const haft__run *run,
                                              const haft__run_call *call,
                                              const haft__outcome *outcome, uint64_t now_ms,
                                              haft__effect *ret_effect, haft_error *err);

/* Builds the request of the current turn. Its parts live in `arena` or are borrowed from the
 * run. */
HAFT_MUST_USE haft_status haft__decide_request(const haft__run *run, haft__arena *arena,
                                               haft__request *ret_request, haft_error *err);

/* ---- bodies of inputs, for the host ---- */

void haft__input_run_started(haft__buf *buf, const haft__spec *spec, haft_str task, haft_str thread,
                             haft_str parent, haft_str user);
/* The source of the spec. `haft resume` compares it with the current file. */
typedef struct haft__spec_origin {
    haft_str file;           /* SHA-256 of the file, in hex; "" without a file */
    const char *const *sets; /* overrides of values in the file: "limits.turns=5" */
    size_t set_count;
    const haft_str
        *variables; /* names of the environment variables that chose the model's server and key */
    size_t variable_count;
    haft_str traceparent;     /* trace context of the caller, which must be valid; "" without one */
    const haft__json *prices; /* of a child run: the prices that its parent recorded; else NULL */
    const haft__json *messages; /* the conversation that the run begins with
                                   (prompt/initial_messages.h); NULL: it begins with its task */
    /* Only for haft__input_spec_changed, else NULL: the new spec in which values are replaced by
     * the variables of the run's spec. A call that is the same under this spec keeps its
     * approval. */
    const haft__spec *restored;
} haft__spec_origin;

/* Writes the values that the thread keeps from the run `from` ("" without such a run). `values` is
 * an object. */
void haft__input_thread_state(haft__buf *buf, haft_str from, haft__json values);

/* Like haft__input_run_started, with the source of the spec. */
void haft__input_run_started_from(haft__buf *buf, const haft__spec *spec, haft_str task,
                                  haft_str thread, haft_str parent, haft_str user,
                                  const haft__spec_origin *origin);

/* The run continues with `spec`; `by` is the person who accepted it. The overrides of its origin
 * are not written. `changes` are lines for people. BAD_STATE if a started call uses a tool that
 * `spec` does not have. */
HAFT_MUST_USE haft_status haft__input_spec_changed(haft__buf *buf, const haft__run *run,
                                                   const haft__spec *spec,
                                                   const haft__spec_origin *origin, haft_str by,
                                                   haft_str changes, haft_error *err);

void haft__input_model_replied(haft__buf *buf, const haft__run *run, const haft__reply *reply,
                               uint64_t ms);
/* The same with the audit of the request, which may be NULL. */
void haft__input_model_replied_with(haft__buf *buf, const haft__run *run, const haft__reply *reply,
                                    const haft__cache_finding *cache, uint64_t ms);
void haft__input_model_failed(haft__buf *buf, const haft__model_failure *failure, uint64_t ms);

/* The server rejected an optional member (haft__member_find_refused): the next request omits it.
 * `remembered`: no request was sent, because the server rejected the member in an earlier run.
 */
void haft__input_option_refused(haft__buf *buf, const haft__optional_member *member,
                                const haft__model_failure *failure, bool remembered, uint64_t ms);
/* Like haft__member_find_refused, for a model without a server, such as a script. Such a model can
 * reject only the constraint. */
const haft__optional_member *haft__input_find_refused(const haft__run *run,
                                                      const haft__request *request,
                                                      const haft__model_failure *failure);

void haft__input_call_finished(haft__buf *buf, const haft__run *run, const haft__run_call *call,
                               const haft__outcome *outcome);
/* A question that a tool asks while it runs. `state` is returned to the tool with the answer. */
typedef struct haft__elicitation {
    haft__json question; /* {message, mode, schema, url, server} */
    bool durable;        /* another process can deliver the answer, too */
    haft__json state;
    uint64_t within_ms; /* time limit for the answer in milliseconds; 0: no limit */
} haft__elicitation;

void haft__input_call_asked(haft__buf *buf, haft_str call, const haft__elicitation *asked);
void haft__input_answered(haft__buf *buf, haft_str call, haft_str by, haft_str verdict,
                          haft__json value);
/* Like haft__input_answered, for an approval, with its binding (run/pause/binding.h). */
void haft__input_approved(haft__buf *buf, haft_str call, haft_str by, haft_str verdict,
                          haft__json value, haft_str binding);
void haft__input_cancel_asked(haft__buf *buf, haft_str by, haft_str why);
/* The working time of the run, in milliseconds, at which its owner cancels its operations. */
uint64_t haft__run_wall_limit(const haft__run *run);
/* The working time has reached limits.wall, and the owner of the run has cancelled its
 * operations. */
void haft__input_wall_reached(haft__buf *buf, const haft__run *run, uint64_t used_ms);
/* A budget of the run that started this one is used up. */
void haft__input_parent_limit_reached(haft__buf *buf, const haft__run *run);

/* Writes tools_revealed for a call that did not run because the server changed its tool. Nobody had
 * used or approved the old definition. `tool` is the new definition (haft__reveal_write_tool). */
void haft__input_tool_renewed(haft__buf *buf, haft_str call, haft_str tool, uint32_t cap);

/* Whether the call starts a child run. */
bool haft__call_is_agent(const haft__run_call *call);

/* The child run of a parent, for its run_started. */
typedef struct haft__child_origin {
    haft_str parent, call; /* the run and the call that started it */
    haft_str root;         /* the first run of the tree */
    haft_str parent_path;  /* the path of the parent, "" for the root */
} haft__child_origin;

/* Like haft__input_run_started_from, for a child run. */
void haft__input_child_run_started(haft__buf *buf, const haft__spec *spec, haft_str task,
                                   haft_str thread, haft_str user, const haft__spec_origin *origin,
                                   const haft__child_origin *child);

/* The end of a child. `value` is the message that haft__child_write_end writes. */
void haft__input_child_finished(haft__buf *buf, haft_str call, haft__json value);

/* Writes the message of a child that has ended to its parent: the text of a command. */
void haft__child_write_end(haft__buf *buf, const haft__run *run);

/* Whether a built-in runs inside decide, without the host. */
bool haft__builtin_is_pure(const haft__tool *tool);

#endif
