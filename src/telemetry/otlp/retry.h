/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry/otlp/retry.h - whether and when a request to a collector is sent again. No clock, no
 * randomness. */
#ifndef HAFT_TELEMETRY_OTLP_RETRY_H
#define HAFT_TELEMETRY_OTLP_RETRY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct haft__otlp_attempt {
    uint32_t status; /* of HTTP; 0: the connection failed or broke, or no response came in time */
    uint32_t made;   /* attempts so far, this one included */
    bool has_retry_after; /* the response says how long to wait: */
    uint64_t retry_after_ms;
    uint32_t random; /* any number */
} haft__otlp_attempt;

typedef struct haft__otlp_retry {
    bool again;
    uint64_t wait_ms;
} haft__otlp_retry;

/* Retries the statuses 429, 502, 503 and 504 and lost connections, at most
 * HAFT__LIMIT_TELEMETRY_ATTEMPTS times in all: after the time that the response names, else after
 * 1 s, 2 s, 4 s ..., each minus up to a half at random. */
haft__otlp_retry haft__otlp_retry_decide(const haft__otlp_attempt *attempt);

#endif
