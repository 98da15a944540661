/* SPDX-License-Identifier: Apache-2.0 */
/*
 * telemetry/settings.h - reads the environment variables of OpenTelemetry that haft knows.
 * docs/telemetry.md lists them. Without an endpoint nothing is sent. A variable that cannot be used
 * is reported and never stops a command.
 */
#ifndef HAFT_TELEMETRY_SETTINGS_H
#define HAFT_TELEMETRY_SETTINGS_H

#include "base/arena.h"
#include "spec/load/load.h"
#include "telemetry/otlp/resource.h"

/* How and where the requests of one signal are sent. Texts end with a NUL. */
typedef struct haft__otlp_target {
    haft_str url; /* "": the signal is off */
    haft__otlp_encoding encoding;
    const haft_str *headers; /* "Name: value"; may contain secrets */
    size_t header_count;
    uint64_t timeout_ms;
    bool gzip;            /* requests are compressed */
    haft_str certificate; /* file of trusted certificates; "": those of the system */
} haft__otlp_target;

typedef struct haft__telemetry_settings {
    haft__otlp_target traces, metrics;
    haft__resource resource;
    uint64_t span_delay_ms, metric_interval_ms;
    uint64_t queue_spans, batch_spans;
    bool content; /* spans have content */
    bool log;     /* one line in JSON for each turn and call */
} haft__telemetry_settings;

typedef struct haft__telemetry_identity {
    haft_str version;  /* of haft */
    haft_str instance; /* the name of this process */
} haft__telemetry_identity;

/* Reads the settings. All texts live in `arena`. `warn` gets one line for each variable that cannot
 * be used; it never gets the value of a header. Fails only if out of memory. */
HAFT_MUST_USE haft_status haft__telemetry_settings_read(
    const haft__spec_env *env, const haft__telemetry_identity *identity, haft__arena *arena,
    void (*warn)(void *context, haft_str text), void *context,
    haft__telemetry_settings *ret_settings, haft_error *err);

#endif
