/* SPDX-License-Identifier: Apache-2.0 */
/*
 * telemetry/span.h - spans, with the names of OpenTelemetry's GenAI conventions.
 *
 * The conventions still change. Their names are in two tables and nowhere else: HAFT__ATTRIBUTES
 * below, and the kinds of spans in span.c.
 */
#ifndef HAFT_TELEMETRY_SPAN_H
#define HAFT_TELEMETRY_SPAN_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

/* Attributes in the order in which they are written. The last four have content; they are set only
 * on request. */
#define HAFT__ATTRIBUTES(X)                                                                        \
    X(OPERATION, "gen_ai.operation.name")                                                          \
    X(PROVIDER, "gen_ai.provider.name")                                                            \
    X(AGENT_ID, "gen_ai.agent.id")                                                                 \
    X(AGENT, "gen_ai.agent.name")                                                                  \
    X(WORKFLOW, "gen_ai.workflow.name")                                                            \
    X(CONVERSATION, "gen_ai.conversation.id")                                                      \
    X(REQUEST_MODEL, "gen_ai.request.model")                                                       \
    X(RESPONSE_MODEL, "gen_ai.response.model")                                                     \
    X(FINISH_REASONS, "gen_ai.response.finish_reasons")                                            \
    X(FIRST_CHUNK, "gen_ai.response.time_to_first_chunk")                                          \
    X(INPUT_TOKENS, "gen_ai.usage.input_tokens")                                                   \
    X(OUTPUT_TOKENS, "gen_ai.usage.output_tokens")                                                 \
    X(CACHE_READ_TOKENS, "gen_ai.usage.cache_read.input_tokens")                                   \
    X(CACHE_CREATION_TOKENS, "gen_ai.usage.cache_creation.input_tokens")                           \
    X(REASONING_TOKENS, "gen_ai.usage.reasoning.output_tokens")                                    \
    X(SERVER_ADDRESS, "server.address")                                                            \
    X(SERVER_PORT, "server.port")                                                                  \
    X(TOOL, "gen_ai.tool.name")                                                                    \
    X(TOOL_CALL, "gen_ai.tool.call.id")                                                            \
    X(TOOL_DESCRIPTION, "gen_ai.tool.description")                                                 \
    X(TOOL_TYPE, "gen_ai.tool.type")                                                               \
    X(ERROR_TYPE, "error.type")                                                                    \
    X(RUN, "haft.run.id")                                                                          \
    X(END, "haft.run.end")                                                                         \
    X(TURN, "haft.turn")                                                                           \
    X(MODE, "haft.mode")                                                                           \
    X(GATE, "haft.gate")                                                                           \
    X(CALL, "haft.call.id")                                                                        \
    X(ATTEMPT, "haft.call.attempt")                                                                \
    X(CACHED, "haft.call.cached")                                                                  \
    X(COST, "haft.cost_usd")                                                                       \
    X(INPUT_MESSAGES, "gen_ai.input.messages")                                                     \
    X(OUTPUT_MESSAGES, "gen_ai.output.messages")                                                   \
    X(TOOL_ARGUMENTS, "gen_ai.tool.call.arguments")                                                \
    X(TOOL_RESULT, "gen_ai.tool.call.result")

typedef enum haft__attribute_id {
#define X(name, text) HAFT__ATTRIBUTE_##name,
    HAFT__ATTRIBUTES(X)
#undef X
} haft__attribute_id;

enum { HAFT__ATTRIBUTE_COUNT = HAFT__ATTRIBUTE_TOOL_RESULT + 1 };

const char *haft__attribute_name(haft__attribute_id id);

typedef enum haft__attribute_kind {
    HAFT__ATTRIBUTE_UNSET,
    HAFT__ATTRIBUTE_TEXT,
    HAFT__ATTRIBUTE_LIST,   /* a list with one text */
    HAFT__ATTRIBUTE_INT,    /* `number` */
    HAFT__ATTRIBUTE_MICROS, /* a decimal number: `number` millionths */
    HAFT__ATTRIBUTE_FLAG,   /* `number` is 0 or 1 */
} haft__attribute_kind;

typedef struct haft__attribute {
    haft__attribute_kind kind;
    haft_str text;
    int64_t number;
} haft__attribute;

typedef enum haft__span_kind {
    HAFT__SPAN_AGENT,    /* a run from its start to a pause or its end, or between two pauses */
    HAFT__SPAN_WORKFLOW, /* the same of a graph */
    HAFT__SPAN_CHAT,     /* a request to a model */
    HAFT__SPAN_TOOL,     /* a call */
} haft__span_kind;

/* The values of `kind` in OTLP. */
enum { HAFT__OTLP_INTERNAL = 1, HAFT__OTLP_CLIENT = 3 };

typedef struct haft__span_names {
    const char *operation;      /* gen_ai.operation.name, and the first word of the span's name */
    haft__attribute_id subject; /* the attribute with the rest of the name */
    uint32_t otlp_kind;
} haft__span_names;

const haft__span_names *haft__span_names_of(haft__span_kind kind);

/* Texts are borrowed. */
typedef struct haft__span {
    haft__span_kind kind;
    uint64_t trace_high, trace_low;
    uint64_t id, parent, link; /* 0: none */
    uint64_t start_ms, end_ms; /* since 1970 */
    bool sampled;              /* the caller records the trace; else the span is not sent */
    bool failed;
    haft_str message; /* of the failure; content, so "" unless content is on */
    haft__attribute values[HAFT__ATTRIBUTE_COUNT];
} haft__span;

/* Set an attribute. An empty text leaves it unset. */
void haft__span_set_text(haft__span *span, haft__attribute_id id, haft_str text);
void haft__span_set_list(haft__span *span, haft__attribute_id id, haft_str text);
void haft__span_set_int(haft__span *span, haft__attribute_id id, uint64_t number);
void haft__span_set_micros(haft__span *span, haft__attribute_id id, uint64_t micros);
void haft__span_set_flag(haft__span *span, haft__attribute_id id, bool flag);

/* The text of an attribute; "" if it is not set. */
haft_str haft__span_text(const haft__span *span, haft__attribute_id id);

/* The number of an attribute; 0 if it is not set. */
uint64_t haft__span_number(const haft__span *span, haft__attribute_id id);

#endif
