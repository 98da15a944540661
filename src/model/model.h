/* SPDX-License-Identifier: Apache-2.0 */
/* model/model.h - the neutral request and reply, which are converted to and from the wire format of
 * each provider. No I/O. */
#ifndef HAFT_MODEL_MODEL_H
#define HAFT_MODEL_MODEL_H

#include "base/buf.h"
#include "format/format.h"
#include "prompt/message.h"
#include "spec/spec.h"

/* A constraint that the server can enforce on the reply. */
#define HAFT__CONSTRAINTS(X)                                                                       \
    X(NONE, "none")                                                                                \
    X(GBNF, "gbnf")               /* a grammar for llama.cpp */                                    \
    X(JSON_SCHEMA, "json_schema") /* of the whole reply */

typedef enum haft__constraint_kind {
#define X(name, text) HAFT__CONSTRAINT_##name,
    HAFT__CONSTRAINTS(X)
#undef X
} haft__constraint_kind;

const char *haft__constraint_name(haft__constraint_kind kind);
/* False if the name is unknown. */
bool haft__constraint_parse(haft_str name, haft__constraint_kind *ret_kind);

typedef struct haft__constraint {
    haft__constraint_kind kind;
    bool strict; /* of JSON_SCHEMA: it follows OpenAI's rules; the server must enforce it */
    haft_str text;
} haft__constraint;

/* How a tool that a search reveals reaches the model. */
#define HAFT__DEFERRALS(X)                                                                         \
    X(NONE, "it is added to the declared tools")                                                   \
    X(DECLARED, "it is declared from the start; the result of the search refers to it")            \
    X(APPENDED, "its definition follows the result of the search")

typedef enum haft__deferral {
#define X(name, text) HAFT__DEFERRAL_##name,
    HAFT__DEFERRALS(X)
#undef X
} haft__deferral;

const char *haft__deferral_text(haft__deferral deferral);

/* The request of one turn. */
typedef struct haft__request {
    haft_str model;
    haft_str endpoint; /* an id of the server; "" for a model without one */
    const haft__messages *messages;
    haft_str correction;            /* a last user message for this request only; "" for none */
    const haft__tool *const *tools; /* declared: in the bytes of the request */
    const bool *allowed;            /* for each tool: whether it may run in this turn */
    size_t tool_count;
    /* The last of these, never all: the model sees them where the history refers to them, which it
     * does once a search has revealed them. */
    size_t deferred_count;
    /* `tools` has more entries: so many that the history declares, then others that can be called,
     * up to callable_count. */
    size_t appended_count, callable_count;
    const haft__tool *const *provider_tools; /* that run at the provider */
    size_t provider_tool_count;
    haft__choice_mode mode;
    haft_str tool; /* of HAFT__MODE_TOOL */
    haft_str format;
    haft_str reply_format; /* the format of the reply, if different; "": `format` */
    haft__constraint constraint;
    bool transcript; /* the history of the planner shape: prompt/prompt.h */
    haft_str task;   /* of a transcript */
    /* How often earlier messages of the run were shortened. A request with another number does not
     * begin with the messages of the one before. */
    uint32_t rewrites;
} haft__request;

/* Whether a message contains `text` as plain text (not JSON-escaped). */
bool haft__request_contains(const haft__request *request, haft_str text);

/* The declared tools with their wire names, for a format. They live in `arena`. */
HAFT_MUST_USE haft_status haft__request_format_tools(const haft__request *request,
                                                     haft__arena *arena,
                                                     haft__format_tool **ret_tools,
                                                     haft_error *err);

typedef enum haft__stop_reason {
    HAFT__STOP_END,     /* the model has finished */
    HAFT__STOP_CALLS,   /* the model waits for the results of its calls */
    HAFT__STOP_LENGTH,  /* cut by the token limit */
    HAFT__STOP_REFUSAL, /* the provider or the model declined */
    HAFT__STOP_PAUSE,   /* the provider interrupts its tools: the same request goes on */
} haft__stop_reason;

const char *haft__stop_reason_name(haft__stop_reason stop);
/* False if the name is unknown. */
bool haft__stop_reason_parse(haft_str name, haft__stop_reason *ret_stop);

typedef struct haft__token_usage {
    uint64_t input, output, cached; /* input includes cached */
    uint64_t cache_write;           /* of input: written to the provider's cache, */
    uint64_t cache_write_1h;        /* and of these: for an hour */
    uint64_t reasoning;             /* of output */
} haft__token_usage;

typedef struct haft__reply {
    haft_str content, reasoning;
    const haft__message_call *calls; /* an id may be empty */
    size_t call_count;
    /* A JSON array with the reply in the provider's own form, if it has parts that must be sent
     * back unchanged and that only this model can read: signatures, encrypted reasoning. Else "".
     */
    haft_str items;
    haft__token_usage usage;
    haft__stop_reason stop;
    haft_str model;          /* the model that replied */
    haft_str endpoint;       /* of the request */
    uint32_t unsent;         /* earlier replies that the request had without their items */
    haft_str retries;        /* failed attempts before it: JSON objects with commas; or "" */
    haft_str provider_calls; /* calls that the provider ran: a JSON array; or "" */
} haft__reply;

/* Why a model call has no reply, by the reaction that is needed. */
#define HAFT__FAILURES(X)                                                                          \
    X(OTHER, "other")         /* bad request, unknown model, ... */                                \
    X(TRANSIENT, "transient") /* overload, rate limit, broken connection: may recover */           \
    X(AUTH, "auth")           /* the key is missing, wrong, or lacks permission */                 \
    X(QUOTA, "quota")         /* no credit or quota left */                                        \
    X(POLICY, "policy")       /* the provider rejects the content */                               \
    X(CONTEXT, "context")     /* the request exceeds the context of the model */                   \
    X(CUT, "cut")             /* the reply ended early */                                          \
    X(GARBLED, "garbled")     /* the response is not a reply */

typedef enum haft__failure_kind {
#define X(name, text) HAFT__FAILURE_##name,
    HAFT__FAILURES(X)
#undef X
} haft__failure_kind;

const char *haft__failure_name(haft__failure_kind kind);
/* False if the name is unknown. */
bool haft__failure_parse(haft_str name, haft__failure_kind *ret_kind);

/* A model call without a reply. */
typedef struct haft__model_failure {
    uint32_t status; /* of HTTP; 0 if there was no response */
    haft_str message;
    haft__failure_kind kind;
    bool delivered;   /* a part of the reply was delivered to the caller before */
    haft_str retries; /* failed attempts before the last: JSON objects with commas; or "" */
    haft_str param;   /* the member of the request that the server blames; "": it names none */
    bool has_wait;    /* the response says how long to wait before a retry, in its body */
    uint64_t wait_ms;
} haft__model_failure;

/* The result of a model call. */
typedef struct haft__model_outcome {
    bool failed; /* `failure` applies; else `reply` */
    haft__reply reply;
    haft__model_failure failure;
} haft__model_outcome;

/* ---- a reply that arrives in pieces ---- */

typedef enum haft__delta_kind {
    HAFT__DELTA_TEXT,
    HAFT__DELTA_REASONING,
    HAFT__DELTA_CALL,      /* a call begins: id (may be empty) and name */
    HAFT__DELTA_ARGUMENTS, /* the next piece of a call's arguments */
    HAFT__DELTA_CALL_END,  /* the arguments are complete; with the id, if it came late */
    HAFT__DELTA_USAGE,
    HAFT__DELTA_STOP,
    HAFT__DELTA_CALL_MALFORMED, /* the call is malformed: the reason and the source text */
    HAFT__DELTA_ITEM,           /* an item of haft__reply.items, as JSON text */
} haft__delta_kind;

typedef struct haft__delta {
    haft__delta_kind kind;
    uint32_t index; /* of the call */
    haft_str id, text, why;
    bool repaired; /* of CALL_END: the call was repaired */
    haft__token_usage usage;
    haft__stop_reason stop;
} haft__delta;

/* Whether a delta is output of the model: text, reasoning, or a call. */
bool haft__delta_is_output(const haft__delta *delta);

/* Assembles deltas into a reply. Heap memory, freed by finish. */
typedef struct haft__assembly {
    haft__buf content, reasoning;
    haft__buf items; /* separated by commas */
    struct haft__assembly_call *calls;
    size_t call_count, call_capacity;
    haft__token_usage usage;
    haft__stop_reason stop;
    bool stopped;
} haft__assembly;

void haft__assembly_init(haft__assembly *assembly);
void haft__assembly_finish(haft__assembly *assembly);

/* BAD_INPUT for invalid deltas (arguments of a call that has not begun), TOO_BIG past
 * HAFT__LIMIT_REPLY_BYTES or HAFT__LIMIT_REPLY_CALLS. */
HAFT_MUST_USE haft_status haft__assembly_add(haft__assembly *assembly, const haft__delta *delta,
                                             haft_error *err);

/* The whole reply, copied into `arena`. BAD_INPUT if it was cut: no stop, or a call without its
 * end. */
HAFT_MUST_USE haft_status haft__assembly_reply(const haft__assembly *assembly, haft__arena *arena,
                                               haft__reply *ret_reply, haft_error *err);

#endif
