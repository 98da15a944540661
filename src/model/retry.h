/* SPDX-License-Identifier: Apache-2.0 */
/*
 * model/retry.h - whether a model call that failed is made again, and when.
 *
 * The rules of the official clients: the server's x-should-retry decides; else load, rates, broken
 * connections and server errors are tried again, after the time that the server asks for, or after
 * 0.5 s, 1 s, 2 s ... up to 8 s, less up to a quarter at random. Never once some of the reply has
 * reached whoever asked, and at most HAFT__LIMIT_MODEL_RETRIES times. No clock, no randomness.
 */
#ifndef HAFT_MODEL_RETRY_H
#define HAFT_MODEL_RETRY_H

#include "model/model.h"

/* What the headers of an answer say about it. Zeroed: nothing. */
typedef struct haft__retry_hints {
    bool has_should, should; /* x-should-retry */
    bool has_ms, has_after, has_date;
    uint64_t ms;         /* retry-after-ms */
    uint64_t after_ms;   /* retry-after, in seconds on the wire */
    uint64_t date_ms;    /* retry-after, as a date */
    char request_id[80]; /* x-request-id, request-id; "" when there is none */
} haft__retry_hints;

/* Takes one header of an answer, as it came; names in any case. What is not known or not well
 * formed changes nothing. */
void haft__retry_read_header(haft__retry_hints *hints, haft_str name, haft_str value,
                             uint64_t now_ms);

typedef struct haft__retry_facts {
    haft__failure_kind kind;
    const haft__retry_hints *hints; /* NULL when no answer came */
    uint32_t made;                  /* retries so far */
    bool delivered;                 /* some of the reply has reached whoever asked */
    uint64_t now_ms;
    uint32_t random; /* any number */
} haft__retry_facts;

typedef struct haft__retry {
    bool again;
    uint64_t wait_ms;
    char why[128]; /* why not, for people: "tried 3 times"; "" when it is made again */
} haft__retry;

haft__retry haft__retry_decide(const haft__retry_facts *facts);

#endif
