/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/redact/withhold.h - what of an event is written down: the event without its secrets, and what
 * becomes of a call whose arguments have one.
 *
 * What runs is what the log says, so a call must not run with "[redacted]" in the place of what was
 * meant. Either the log has its arguments already, then they are not written a second time, or it
 * does not run.
 */
#ifndef HAFT_RUN_REDACT_WITHHOLD_H
#define HAFT_RUN_REDACT_WITHHOLD_H

#include "run/redact/redact.h"
#include "run/run.h"

/* `why` of a call_refused, and `where` in the error of a call_finished, when a secret is the
 * reason; and what the model reads. */
#define HAFT__WITHHOLD_REASON "secret"
#define HAFT__WITHHOLD_TEXT                                                                        \
    "Error: this call was not run: its arguments have a key, a token or a password in them, "      \
    "which "                                                                                       \
    "is neither written down nor passed on, so that they are not what was meant any more. Call "   \
    "it "                                                                                          \
    "without; tools have the secrets they need from their own configuration."

/* Appends the body of the event that takes the place of `body`, which is the next of the run:
 *
 *   - without a secret it is the same, else its secrets are redacted;
 *   - calls of a reply whose arguments are not what the model wrote are marked: `redacted`;
 *   - a call that would start or wait with arguments that have a secret: null in the place of those
 *     that it has already, from an earlier event; else it is refused, or ends with an error;
 *   - a tool that asks, and wants a secret back with the answer, ends with an error.
 *
 * Built-ins that need only the run go on with what the log says. */
HAFT_MUST_USE haft_status haft__withhold_event(const haft__run *run, const haft__redactor *redactor,
                                               haft_str body, haft__buf *out, haft_error *err);

/* Whether the event is what a process may have written that would have decided `decided` and knew
 * secrets that nobody knows here. `recorded` is its body. */
HAFT_MUST_USE haft_status haft__withhold_matches(const haft__run *run, const haft__event *event,
                                                 haft_str recorded, haft_str decided,
                                                 bool *ret_withheld, haft_error *err);

#endif
