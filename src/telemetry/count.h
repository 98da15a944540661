/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry/count.h - counts the events and spans of runs in the metrics of a process. */
#ifndef HAFT_TELEMETRY_COUNT_H
#define HAFT_TELEMETRY_COUNT_H

#include "run/run.h"
#include "telemetry/metrics.h"
#include "telemetry/span.h"

/* Counts an event that `run` has just folded. `agent` is the name of its agent. */
void haft__count_event(haft__metrics *metrics, const haft__run *run, haft_str agent,
                       const haft__event *event);

/* Counts a span that an event has completed (telemetry/observe.h). */
void haft__count_span(haft__metrics *metrics, const haft__span *span);

#endif
