/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry/otlp/response.h - the response of a collector. */
#ifndef HAFT_TELEMETRY_OTLP_RESPONSE_H
#define HAFT_TELEMETRY_OTLP_RESPONSE_H

#include "base/arena.h"
#include "base/hash.h"
#include "telemetry/otlp/writer.h"

/* The items of a request with status 200 that a collector did not accept. */
typedef struct haft__otlp_rejection {
    uint64_t count;   /* rejected spans or data points */
    haft_str message; /* borrowed from the response or the arena; may be "" */
} haft__otlp_rejection;

/* Reads partialSuccess of a response. A body that cannot be read counts as no rejection, because
 * the status says that the request was accepted. `encoding` follows from its content type. */
haft__otlp_rejection haft__otlp_read_response(haft_str body, haft__otlp_encoding encoding,
                                              haft__arena *arena, haft__hash_key hash_key);

#endif
