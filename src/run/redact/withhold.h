/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/redact/withhold.h - redacts an event before it is logged, and ends a call whose arguments
 * contain a secret.
 *
 * A call runs with the arguments of the log, so it must not run with "[redacted]" in place of a
 * real value. If an earlier event has the exact arguments, the call runs, and the new event has
 * null in their place; otherwise the call does not run.
 */
#ifndef HAFT_RUN_REDACT_WITHHOLD_H
#define HAFT_RUN_REDACT_WITHHOLD_H

#include "run/redact/redact.h"
#include "run/run.h"

/* If a call ends because of a secret: `why` of call_refused, or `where` in the error of
 * call_finished. */
#define HAFT__WITHHOLD_REASON "secret"
/* `text` of call_refused, for the model. */
#define HAFT__WITHHOLD_TEXT                                                                        \
    "Error: this call was not run: its arguments have a key, a token or a password in them, "      \
    "which is neither written down nor passed on, so that they are not what was meant any more. "  \
    "Call it without; tools have the secrets they need from their own configuration."

/* Appends the body that is logged in place of `body`, the next event of the run:
 *
 *   - Secrets are redacted. A body without a secret is unchanged.
 *   - In a reply, calls whose arguments were redacted are marked `redacted`.
 *   - If a call would start or pause with arguments that contain a secret: if an earlier event
 *     recorded them, they become null; otherwise the call is refused or ends with an error.
 *   - If a tool asks a question and its state contains a secret, the call ends with an error.
 *
 * Built-in tools that need only the run start with the redacted arguments. */
HAFT_MUST_USE haft_status haft__withhold_event(const haft__run *run, const haft__redactor *redactor,
                                               haft_str body, haft__buf *out, haft_error *err);

/* Compares an event of the log with the decision that this process computes for it. `recorded` is
 * the body of the event, `decided` the body of the decision. Sets *ret_matches if they differ only
 * because the process that wrote the event redacted secrets that this process does not know. */
HAFT_MUST_USE haft_status haft__withhold_matches(const haft__run *run, const haft__event *event,
                                                 haft_str recorded, haft_str decided,
                                                 bool *ret_matches, haft_error *err);

#endif
