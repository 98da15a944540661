/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry/log_line.h - a log in JSON: one line for each turn, call and stretch of a run. It has
 * no content of messages, arguments or results. */
#ifndef HAFT_TELEMETRY_LOG_LINE_H
#define HAFT_TELEMETRY_LOG_LINE_H

#include "base/buf.h"
#include "telemetry/span.h"

/* Appends the line of a span, with its line feed. docs/telemetry.md has its members. */
void haft__log_line_write(haft__buf *buf, const haft__span *span);

#endif
