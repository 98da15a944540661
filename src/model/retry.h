/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/retry.h - whether and when a failed model call is retried.
 *
 * The rules are those of the official clients. The server's x-should-retry decides; else overload,
 * rate limits, broken connections and server errors are retried, after the time that the server
 * asks for, or after 0.5 s, 1 s, 2 s ... up to 8 s, minus up to a quarter at random. A call is not
 * retried once a part of the reply was delivered, and at most HAFT__LIMIT_MODEL_RETRIES times. No
 * clock, no randomness.
 */
#ifndef HAFT_MODEL_RETRY_H
#define HAFT_MODEL_RETRY_H

#include "model/model.h"

/* Retry headers of a response. Zeroed: none. */
typedef struct haft__retry_hints {
    bool has_should, should; /* x-should-retry */
    bool has_ms, has_after, has_date;
    uint64_t ms;         /* retry-after-ms */
    uint64_t after_ms;   /* retry-after, in seconds on the wire */
    uint64_t date_ms;    /* retry-after, as a date */
    char request_id[80]; /* x-request-id, request-id; "" if absent */
} haft__retry_hints;

/* Reads one header of a response; names in any case. Unknown and malformed headers are ignored. */
void haft__retry_read_header(haft__retry_hints *hints, haft_str name, haft_str value,
                             uint64_t now_ms);

/* Reads a number of seconds, which may have a fraction, in milliseconds, rounded up. */
bool haft__retry_read_seconds(haft_str text, uint64_t *ret_ms);

typedef struct haft__retry_facts {
    haft__failure_kind kind;
    const haft__retry_hints *hints; /* NULL if there was no response */
    uint32_t made;                  /* retries so far */
    bool delivered;                 /* a part of the reply was delivered to the caller */
    bool has_wait;                  /* the body of the response has a delay; headers go first */
    uint64_t wait_ms;
    uint64_t now_ms;
    uint32_t random; /* any number */
} haft__retry_facts;

typedef struct haft__retry {
    bool again;
    uint64_t wait_ms;
    uint64_t server_wait_ms; /* the server asked all clients to wait; 0: it did not */
    char why[128];           /* why not, for people: "tried 3 times"; "" if it is retried */
} haft__retry;

haft__retry haft__retry_decide(const haft__retry_facts *facts);

/* Whether the next model of the spec is asked after this failure, which is final: the model or its
 * server has a problem, not the request, and the user has seen nothing of the reply. */
bool haft__retry_allows_another_model(const haft__model_failure *failure);

#endif
