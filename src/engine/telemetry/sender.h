/* SPDX-License-Identifier: Apache-2.0 */
/* engine/telemetry/sender.h - sends requests of one signal to a collector, one at a time. Private
 * to src/engine/telemetry. */
#ifndef HAFT_ENGINE_TELEMETRY_SENDER_H
#define HAFT_ENGINE_TELEMETRY_SENDER_H

#include "base/buf.h"
#include "io/http/client.h"
#include "model/retry.h"
#include "telemetry/settings.h"

struct haft__telemetry;

typedef struct haft__otlp_sender {
    struct haft__telemetry *telemetry;
    const char *signal; /* "traces", "metrics" */
    const haft__otlp_target *target;
    haft__http_client *http; /* created with the first request */
    haft__http_transfer *transfer;
    haft__buf body, response; /* the body is compressed when it is sent */
    haft__timer timer;        /* of the next attempt */
    size_t items;             /* spans of the request */
    uint32_t attempts;
    bool busy, last; /* a request is being sent; no attempt is made after it */
    bool failing;    /* the last request failed; its reason was reported */
    haft__retry_hints hints;
} haft__otlp_sender;

void haft__otlp_sender_init(haft__otlp_sender *sender, struct haft__telemetry *telemetry,
                            const char *signal, const haft__otlp_target *target);
void haft__otlp_sender_finish(haft__otlp_sender *sender);

/* Sends sender->body, which the caller has written. The sender must not be busy. Calls
 * haft__telemetry_sent when the request was accepted or dropped. */
void haft__otlp_sender_start(haft__otlp_sender *sender, size_t items);

/* The process ends: a request that waits for its next attempt is sent now, for the last time. */
void haft__otlp_sender_hurry(haft__otlp_sender *sender);

/* ---- telemetry.c ---- */

/* The sender is free for the next request. `dropped`: so many of its items were not delivered. */
void haft__telemetry_sent(haft__otlp_sender *sender, size_t dropped, const char *reason);

void haft__telemetry_warn(struct haft__telemetry *telemetry, const char *format, ...)
    HAFT__PRINTF(2, 3);

/* The loop, the clock and the hash key. */
haft_runtime *haft__telemetry_runtime(const struct haft__telemetry *telemetry);

#endif
