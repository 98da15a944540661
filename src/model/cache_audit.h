/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/cache_audit.h - compares each request of a run with the one before it.
 *
 * Providers charge less if a request begins with the same bytes as an earlier one. The conversation
 * says how many bytes of a request the next one should repeat (haft__provider_conversation.stable).
 * The audit counts how many bytes the next request really repeats, and names the cause of the first
 * difference. It compares all bytes but copies only the new ones. No I/O.
 */
#ifndef HAFT_MODEL_CACHE_AUDIT_H
#define HAFT_MODEL_CACHE_AUDIT_H

#include "model/model.h"

/* Why a request does not begin with the bytes of the request before. */
#define HAFT__CACHE_CAUSES(X)                                                                      \
    X(NONE, "none")                     /* it begins with these bytes */                           \
    X(FIRST, "first")                   /* the first request of the run */                         \
    X(RESUMED, "resumed")               /* another process sent the one before */                  \
    X(FORMAT, "format")                 /* one request in another format */                        \
    X(MODEL, "model")                   /* another model is asked */                               \
    X(GATE_OPENED, "gate_opened")       /* artifact tools are declared since the gate is open */   \
    X(TOOLS_REVEALED, "tools_revealed") /* tools were added */                                     \
    X(TOOLS_CHANGED, "tools_changed")   /* tools were removed or replaced */                       \
    X(CHOICE, "choice")         /* the provider cannot force one tool: only that one is sent */    \
    X(TRANSCRIPT, "transcript") /* the planner shape writes its history anew */                    \
    X(SYSTEM, "system")         /* the system prompt changed */                                    \
    X(CONTEXT, "context")       /* earlier messages were shortened to fit the context */           \
    X(HISTORY, "history")       /* earlier messages changed */

typedef enum haft__cache_cause {
#define X(name, text) HAFT__CACHE_CAUSE_##name,
    HAFT__CACHE_CAUSES(X)
#undef X
} haft__cache_cause;

const char *haft__cache_cause_name(haft__cache_cause cause);

#define HAFT__CACHE_WHERE_SIZE 48

/* The result of a comparison. */
typedef struct haft__cache_finding {
    uint64_t bytes;      /* how many bytes of the previous request should be repeated */
    uint64_t same_bytes; /* how many of them are repeated */
    haft__cache_cause cause;
    char where[HAFT__CACHE_WHERE_SIZE]; /* JSON Pointer to the first difference; "": none */
} haft__cache_finding;

/* The data that the audit of a run keeps between two requests. */
typedef struct haft__cache_audit {
    haft__buf before; /* the bytes that the next request should repeat */
    size_t shrunk;    /* after haft__cache_audit_shrink: their number; else 0 */
    uint64_t hash;    /* after haft__cache_audit_shrink: their hash */
    haft__buf model;
    size_t tool_count;
    uint64_t tools;       /* a hash of the names of the tools */
    uint64_t other_tools; /* a hash of the names of the tools that do not store artifacts */
    uint32_t rewrites;    /* haft__request.rewrites */
    bool any;             /* a request was compared */
} haft__cache_audit;

void haft__cache_audit_init(haft__cache_audit *audit);
void haft__cache_audit_finish(haft__cache_audit *audit);

/* Keeps only a hash of the bytes. The next comparison then does not find the place of a difference.
 */
void haft__cache_audit_shrink(haft__cache_audit *audit);

/* A request, as it is sent. */
typedef struct haft__cache_request {
    const haft__request *request;
    haft_str body;
    size_t stable;    /* leading bytes of `body` that the next request should begin with */
    bool apart;       /* in another format than the conversation, which continues without it */
    bool has_earlier; /* the run has sent a request before, maybe from another process */
} haft__cache_request;

/* Compares a request with the one before, and keeps what the next one needs. Fails only when out of
 * memory. */
HAFT_MUST_USE haft_status haft__cache_audit_compare(haft__cache_audit *audit,
                                                    const haft__cache_request *sent,
                                                    haft__cache_finding *ret_finding,
                                                    haft_error *err);

#endif
