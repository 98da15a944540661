/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/event.h - the events of a run.
 *
 * An event is one JSON object on one line: seq, at, run, kind, then the fields of its kind in the
 * order of docs/events.md. *Inputs* record what a model, tool, person or clock returned;
 * *decisions* record what haft decided, each with its reason. docs/schemas/event.schema.json is the
 * contract.
 */
#ifndef HAFT_RUN_EVENT_H
#define HAFT_RUN_EVENT_H

#include "base/buf.h"
#include "base/time.h"
#include "json/value.h"

/* The version of the event format. A log of a newer version is rejected. */
#define HAFT__EVENT_VERSION 1

#define HAFT__EVENT_KINDS(X)                                                                       \
    X(RUN_STARTED, "run_started")                                                                  \
    X(TOOLS_REVEALED, "tools_revealed")                                                            \
    X(TOOLS_HIDDEN, "tools_hidden")                                                                \
    X(TURN_STARTED, "turn_started")                                                                \
    X(GATE_OPENED, "gate_opened")                                                                  \
    X(CONTEXT_CHANGED, "context_changed")                                                          \
    X(SUMMARY_STARTED, "summary_started")                                                          \
    X(CONSTRAINED, "constrained")                                                                  \
    X(OPTION_REFUSED, "option_refused")                                                            \
    X(MODEL_REPLIED, "model_replied")                                                              \
    X(MODEL_FAILED, "model_failed")                                                                \
    X(MODEL_CHANGED, "model_changed")                                                              \
    X(VIOLATION, "violation")                                                                      \
    X(REMINDED, "reminded")                                                                        \
    X(HOOK_STARTED, "hook_started")                                                                \
    X(INTERVENTION, "intervention")                                                                \
    X(CALL_REQUESTED, "call_requested")                                                            \
    X(CALL_STARTED, "call_started")                                                                \
    X(CALL_ASKED, "call_asked")                                                                    \
    X(CALL_FINISHED, "call_finished")                                                              \
    X(CALL_REFUSED, "call_refused")                                                                \
    X(PAUSED, "paused")                                                                            \
    X(ANSWERED, "answered")                                                                        \
    X(ARTIFACT_STORED, "artifact_stored")                                                          \
    X(CHILD_STARTED, "child_started")                                                              \
    X(CHILD_FINISHED, "child_finished")                                                            \
    X(HANDED_OFF, "handed_off")                                                                    \
    X(THREAD_STATE, "thread_state")                                                                \
    X(GRAPH_STEP, "graph_step")                                                                    \
    X(SPEC_CHANGED, "spec_changed")                                                                \
    X(LIMIT_REACHED, "limit_reached")                                                              \
    X(CANCEL_ASKED, "cancel_asked")                                                                \
    X(RUN_FINISHED, "run_finished")

typedef enum haft__event_kind {
#define X(name, text) HAFT__EVENT_##name,
    HAFT__EVENT_KINDS(X)
#undef X
} haft__event_kind;

const char *haft__event_kind_name(haft__event_kind kind);

typedef struct haft__event {
    haft__event_kind kind;
    uint64_t seq;
    uint64_t at_ms;
    haft_str run;
    haft__json object; /* the whole event */
} haft__event;

/* Appends a whole event: the envelope and `body`, which starts with "kind": and ends with }. */
void haft__event_write(haft__buf *buf, uint64_t seq, uint64_t at_ms, haft_str run, haft_str body);

/* Like haft__event_write, for a progress event such as call_progress, which is not durable. Its seq
 * is `after`, the seq of the event before it. */
void haft__event_write_progress(haft__buf *buf, uint64_t after, uint64_t at_ms, haft_str run,
                                haft_str body);

/* Appends the body of an event that was read, in the form in which decisions are written. */
void haft__event_body(haft__buf *buf, const haft__event *event);

/* Reads one line. Texts point into `line`, which must outlive the event. BAD_INPUT if it is not an
 * event, UNSUPPORTED for an unknown kind or version. */
HAFT_MUST_USE haft_status haft__event_read(haft__arena *arena, haft_str line,
                                           haft__hash_key hash_key, haft__event *ret_event,
                                           haft_error *err);

/* Like haft__event_read, with texts and trees in separate arenas. The texts live longer. */
HAFT_MUST_USE haft_status haft__event_read_split(haft__arena *texts, haft__arena *trees,
                                                 haft_str line, haft__hash_key hash_key,
                                                 haft__event *ret_event, haft_error *err);

/* ---- fields: they may be missing or malformed ---- */

/* NULL if the field is missing or null. */
const haft__json *haft__event_field(const haft__event *event, const char *key);
HAFT_MUST_USE haft_status haft__event_text(const haft__event *event, const char *key,
                                           haft_str *ret_text, haft_error *err);
HAFT_MUST_USE haft_status haft__event_number(const haft__event *event, const char *key,
                                             uint64_t *ret_number, haft_error *err);
bool haft__event_flag(const haft__event *event, const char *key);

#endif
