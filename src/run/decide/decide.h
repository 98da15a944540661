/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/decide/decide.h - what should happen next.
 *
 * The host asks haft__decide until it says something else than EVENT: an event is appended and
 * folded, and decide is asked again. It then performs what is asked for and appends what came back
 * as an input. The same state and time always give the same decision.
 */
#ifndef HAFT_RUN_DECIDE_DECIDE_H
#define HAFT_RUN_DECIDE_DECIDE_H

#include "run/run.h"

typedef enum haft__effect_kind {
    HAFT__EFFECT_EVENT,        /* append `body`, fold it, decide again */
    HAFT__EFFECT_CALL_MODEL,   /* ask the model: haft__decide_request */
    HAFT__EFFECT_RUN_CALLS,    /* some calls have started and have no result: run those not running
                            yet;    a tool_search by searching: haft__input_tools_revealed */
    HAFT__EFFECT_WAIT,         /* only people or clients can go on */
    HAFT__EFFECT_END,          /* nothing more will happen */
    HAFT__EFFECT_SEARCH_TOOLS, /* search for tools with the task: haft__input_tools_revealed */
} haft__effect_kind;

typedef struct haft__effect {
    haft__effect_kind kind;
    haft_str body; /* of EVENT; borrowed until the next decision */
} haft__effect;

/* What deciding works with; one for many runs, one thread at a time. */
typedef struct haft__decider {
    haft__arena scratch;
    haft__checker *checker;
    haft__buf body;
    haft__buf text; /* what a model is told */
} haft__decider;

HAFT_MUST_USE haft_status haft__decider_init(haft__decider *decider, haft_error *err);
void haft__decider_finish(haft__decider *decider);

HAFT_MUST_USE haft_status haft__decide(haft__decider *decider, const haft__run *run,
                                       uint64_t now_ms, haft__effect *ret_effect, haft_error *err);

/* A result of a call: `ok` with its text, or an error. */
typedef struct haft__outcome {
    bool ok;
    bool unknown;   /* of an error: it may have had its effect all the same */
    bool transient; /* of an error: another attempt may fare better */
    bool cached;    /* remembered from another run */
    haft_str text, where, hint;
    haft_str diff; /* of an error: for people only, the model never gets it; "" for none */
    uint64_t ms;
} haft__outcome;

/* The call waits and its deadline has passed, whatever else there is to decide: what happens then.
 * Decides an EVENT. */
HAFT_MUST_USE haft_status haft__decide_expiry(haft__decider *decider, const haft__run *run,
                                              const haft__run_call *call, uint64_t now_ms,
                                              haft__effect *ret_effect, haft_error *err);

/* Whether the host runs it: it is neither a client's nor a built-in that needs only the run. */
bool haft__call_is_external(const haft__run_call *call);

/* Whether the host that ran it is needed for it to go on: then it must be recovered when that one
 * is no more. */
bool haft__call_needs_host(const haft__run_call *call);

/* What is to be done about a call of the tool whose outcome is unknown: the tool's own word goes
 * before the spec's. */
haft__on_unknown haft__decide_unknown_policy(const haft__run *run, const haft__tool *tool);

/* A call had started when the host stopped, and nobody knows what became of it: run again, ask a
 * person, or tell the model. Decides an EVENT. */
HAFT_MUST_USE haft_status haft__decide_recovery(haft__decider *decider, const haft__run *run,
                                                const haft__run_call *call, uint64_t now_ms,
                                                haft__effect *ret_effect, haft_error *err);

/* An attempt of a call has failed, with an outcome that is not ok: another attempt, a question
 * about what became of it, or its error. Decides an EVENT. */
HAFT_MUST_USE haft_status haft__decide_failed(haft__decider *decider, const haft__run *run,
                                              const haft__run_call *call,
                                              const haft__outcome *outcome, uint64_t now_ms,
                                              haft__effect *ret_effect, haft_error *err);

/* The request of the turn that has started. Lives in `arena`, or is borrowed from the run. */
HAFT_MUST_USE haft_status haft__decide_request(const haft__run *run, haft__arena *arena,
                                               haft__request *ret_request, haft_error *err);

/* ---- bodies of inputs, for the host ---- */

void haft__input_run_started(haft__buf *buf, const haft__spec *spec, haft_str task, haft_str thread,
                             haft_str parent, haft_str user);
/* Where the spec came from: what `haft resume` compares with. */
typedef struct haft__spec_origin {
    haft_str file;           /* SHA-256 of the file, in hex; "" when there is none */
    const char *const *sets; /* what was changed in it: "limits.turns=5" */
    size_t set_count;
} haft__spec_origin;

/* The same with that. */
void haft__input_run_started_from(haft__buf *buf, const haft__spec *spec, haft_str task,
                                  haft_str thread, haft_str parent, haft_str user,
                                  const haft__spec_origin *origin);

/* The run goes on with `spec`, of a file with that hash; `by` accepted it, `changes` are lines for
 * people. BAD_STATE when a call that has begun is of a tool that `spec` does not have. */
HAFT_MUST_USE haft_status haft__input_spec_changed(haft__buf *buf, const haft__run *run,
                                                   const haft__spec *spec, haft_str file,
                                                   haft_str by, haft_str changes, haft_error *err);

void haft__input_model_replied(haft__buf *buf, const haft__run *run, const haft__reply *reply,
                               uint64_t ms);
void haft__input_model_failed(haft__buf *buf, const haft__model_failure *failure, uint64_t ms);

/* Whether a model call that failed may have failed for what its reply was to be held to: then the
 * input is haft__input_constraint_refused, and the same is asked without. */
bool haft__constraint_may_be_refused(const haft__request *request,
                                     const haft__model_failure *failure);
void haft__input_constraint_refused(haft__buf *buf, const haft__model_failure *failure,
                                    uint64_t ms);

void haft__input_call_finished(haft__buf *buf, const haft__run *run, const haft__run_call *call,
                               const haft__outcome *outcome);
/* What a tool asks while it runs; `state` is what it wants back with the answer. */
typedef struct haft__elicitation {
    haft__json question; /* {message, mode, schema, url, server} */
    bool durable;        /* another process can hand the answer on, too */
    haft__json state;
    uint64_t within_ms; /* how long the answer may take; 0: as long as it likes */
} haft__elicitation;

void haft__input_call_asked(haft__buf *buf, haft_str call, const haft__elicitation *asked);
void haft__input_answered(haft__buf *buf, haft_str call, haft_str by, haft_str verdict,
                          haft__json value);
/* The same for an approval, with what is approved (run/pause/binding.h). */
void haft__input_approved(haft__buf *buf, haft_str call, haft_str by, haft_str verdict,
                          haft__json value, haft_str binding);
void haft__input_cancel_asked(haft__buf *buf, haft_str by, haft_str why);

/* tools_revealed for a call that was not made because its tool has changed at the server, where
 * nobody had used or approved it: `tool` is what it is now (haft__reveal_write_tool). */
void haft__input_tool_renewed(haft__buf *buf, haft_str call, haft_str tool, uint32_t cap);

/* Whether a built-in runs inside decide, without the host. */
bool haft__builtin_is_pure(const haft__tool *tool);

#endif
