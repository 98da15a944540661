/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/model.h - the neutral request and reply, which every provider's wire format is made from
 * and turned into. No I/O.
 */
#ifndef HAFT_MODEL_MODEL_H
#define HAFT_MODEL_MODEL_H

#include "base/buf.h"
#include "format/format.h"
#include "prompt/message.h"
#include "spec/spec.h"

/* What makes every other reply impossible, where the server can be told. */
#define HAFT__CONSTRAINTS(X)                                                                       \
    X(NONE, "none")                                                                                \
    X(GBNF, "gbnf")               /* a grammar in the language of llama.cpp */                     \
    X(JSON_SCHEMA, "json_schema") /* of the whole reply */

typedef enum haft__constraint_kind {
#define X(name, text) HAFT__CONSTRAINT_##name,
    HAFT__CONSTRAINTS(X)
#undef X
} haft__constraint_kind;

const char *haft__constraint_name(haft__constraint_kind kind);
/* False when it is none of the names. */
bool haft__constraint_parse(haft_str name, haft__constraint_kind *ret_kind);

typedef struct haft__constraint {
    haft__constraint_kind kind;
    bool strict; /* of JSON_SCHEMA: it keeps to OpenAI's rules, and the server is to as well */
    haft_str text;
} haft__constraint;

/* What a model is asked in one turn. */
typedef struct haft__request {
    haft_str model;
    const haft__messages *messages;
    haft_str correction;            /* a last user message for this request alone; "" for none */
    const haft__tool *const *tools; /* declared: in the bytes of the request */
    const bool *allowed;            /* for each: may it run in this turn */
    size_t tool_count;
    size_t callable_count; /* `tools` goes on: those up to here can be called, too */
    haft__choice_mode mode;
    haft_str tool; /* of HAFT__MODE_TOOL */
    haft_str format;
    haft_str reply_format; /* in which the reply comes, where that is another; "" for `format` */
    haft__constraint constraint;
    bool transcript; /* history as one text, task last */
    haft_str task;   /* of a transcript */
} haft__request;

/* Whether `text` is somewhere in the messages, as text (not as JSON escapes it). */
bool haft__request_contains(const haft__request *request, haft_str text);

/* The declared tools as a format needs them, with their names on the wire. They live in `arena`. */
HAFT_MUST_USE haft_status haft__request_format_tools(const haft__request *request,
                                                     haft__arena *arena,
                                                     const haft__format_tool **ret_tools,
                                                     haft_error *err);

typedef enum haft__stop_reason {
    HAFT__STOP_END,     /* the model was finished */
    HAFT__STOP_CALLS,   /* it wants its calls run */
    HAFT__STOP_LENGTH,  /* cut by the token limit */
    HAFT__STOP_REFUSAL, /* the provider or the model declined */
} haft__stop_reason;

const char *haft__stop_reason_name(haft__stop_reason stop);
/* False when it is none of the names. */
bool haft__stop_reason_parse(haft_str name, haft__stop_reason *ret_stop);

typedef struct haft__token_usage {
    uint64_t input, output, cached; /* cached is a part of input */
} haft__token_usage;

typedef struct haft__reply {
    haft_str content, reasoning;
    const haft__message_call *calls; /* an id may be empty */
    size_t call_count;
    haft__token_usage usage;
    haft__stop_reason stop;
    haft_str model; /* that answered */
} haft__reply;

/* Why a model call gave no reply, as far as it matters to what is done about it. */
#define HAFT__FAILURES(X)                                                                          \
    X(OTHER, "other")         /* the request is wrong, there is no such model, ... */              \
    X(TRANSIENT, "transient") /* load, a rate, a broken connection: may pass by itself */          \
    X(AUTH, "auth")           /* the key is missing, wrong, or not good for this */                \
    X(QUOTA, "quota")         /* no money or quota is left */                                      \
    X(POLICY, "policy")       /* the provider does not let this content pass */                    \
    X(CONTEXT, "context")     /* the request is longer than what the model can read */             \
    X(CUT, "cut")             /* the reply broke off before its end */                             \
    X(GARBLED, "garbled")     /* what came is no reply */

typedef enum haft__failure_kind {
#define X(name, text) HAFT__FAILURE_##name,
    HAFT__FAILURES(X)
#undef X
} haft__failure_kind;

const char *haft__failure_name(haft__failure_kind kind);

/* A model call that gave no reply. */
typedef struct haft__model_failure {
    uint32_t status; /* HTTP's, 0 when there was none */
    haft_str message;
    haft__failure_kind kind;
} haft__model_failure;

/* What became of a model call. */
typedef struct haft__model_outcome {
    bool failed; /* `failure` counts; else `reply` */
    haft__reply reply;
    haft__model_failure failure;
} haft__model_outcome;

/* ---- a reply that arrives in pieces ---- */

typedef enum haft__delta_kind {
    HAFT__DELTA_TEXT,
    HAFT__DELTA_REASONING,
    HAFT__DELTA_CALL,      /* a call begins: id (may be empty) and name */
    HAFT__DELTA_ARGUMENTS, /* the next piece of a call's arguments */
    HAFT__DELTA_CALL_END,  /* its arguments are complete; its id, if it came only now */
    HAFT__DELTA_USAGE,
    HAFT__DELTA_STOP,
    HAFT__DELTA_CALL_MALFORMED, /* it is over and cannot be used: why, and how it was written */
} haft__delta_kind;

typedef struct haft__delta {
    haft__delta_kind kind;
    uint32_t index; /* of the call */
    haft_str id, text, why;
    bool repaired; /* of CALL_END: it was mended while it was read */
    haft__token_usage usage;
    haft__stop_reason stop;
} haft__delta;

/* Whether a piece is output of the model: text, reasoning, or a call. */
bool haft__delta_is_output(const haft__delta *delta);

/* Puts the pieces together. Heap memory, given back by finish. */
typedef struct haft__assembly {
    haft__buf content, reasoning;
    struct haft__assembly_call *calls;
    size_t call_count, call_capacity;
    haft__token_usage usage;
    haft__stop_reason stop;
    bool stopped;
} haft__assembly;

void haft__assembly_init(haft__assembly *assembly);
void haft__assembly_finish(haft__assembly *assembly);

/* BAD_INPUT for pieces that make no sense (arguments of a call that has not begun), TOO_BIG past
 * HAFT__LIMIT_REPLY_BYTES or HAFT__LIMIT_REPLY_CALLS. */
HAFT_MUST_USE haft_status haft__assembly_add(haft__assembly *assembly, const haft__delta *delta,
                                             haft_error *err);

/* The whole reply, copied into `arena`. BAD_INPUT when it was cut: no stop, or a call without its
 * end. */
HAFT_MUST_USE haft_status haft__assembly_reply(const haft__assembly *assembly, haft__arena *arena,
                                               haft__reply *ret_reply, haft_error *err);

#endif
