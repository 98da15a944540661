/* SPDX-License-Identifier: Apache-2.0 */
/* engine/telemetry/telemetry_int.h - declarations that the files of this folder share. */
#ifndef HAFT_ENGINE_TELEMETRY_TELEMETRY_INT_H
#define HAFT_ENGINE_TELEMETRY_TELEMETRY_INT_H

#include "engine/telemetry/sender.h"
#include "engine/telemetry/telemetry.h"
#include "telemetry/span_queue.h"

struct haft__telemetry {
    haft_runtime *runtime;
    haft__telemetry_output output;
    haft__telemetry_settings settings;
    haft__arena arena;   /* the settings */
    haft__arena scratch; /* one event */
    haft__metrics metrics;
    haft__span_queue queue;
    haft__otlp_sender traces_sender, metrics_sender;
    haft__timer span_timer;   /* sends the queued spans */
    haft__timer metric_timer; /* sends the metrics */
    haft__buf text;           /* scratch for one span or line */
    bool finishing;           /* only what is queued is still sent */
    bool queue_full;          /* it was full; reported once */
};

/* ---- gauges.c ---- */

/* Sets the gauges: open runs, pending calls, and the resources of the process. */
void haft__telemetry_set_gauges(haft__telemetry *telemetry);

#endif
