/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/redact/withhold.h - the form of an event that is logged: the event without its secrets, and
 * the decision about a call whose arguments contain a secret.
 *
 * The log defines what runs, so a call must not run with "[redacted]" in place of a real value. If
 * the log already has the arguments, they are not written a second time; otherwise the call does
 * not run.
 */
#ifndef HAFT_RUN_REDACT_WITHHOLD_H
#define HAFT_RUN_REDACT_WITHHOLD_H

#include "run/redact/redact.h"
#include "run/run.h"

/* `why` of a call_refused, and `where` in the error of a call_finished, if a secret is the reason;
 * and the text for the model. */
#define HAFT__WITHHOLD_REASON "secret"
#define HAFT__WITHHOLD_TEXT                                                                        \
    "Error: this call was not run: its arguments have a key, a token or a password in them, "      \
    "which "                                                                                       \
    "is neither written down nor passed on, so that they are not what was meant any more. Call "   \
    "it "                                                                                          \
    "without; tools have the secrets they need from their own configuration."

/* Appends the body of the event that replaces `body`, the next event of the run:
 *
 *   - without a secret it is unchanged, else its secrets are redacted;
 *   - calls of a reply whose arguments differ from what the model wrote are marked `redacted`;
 *   - if a call would start or pause with arguments that contain a secret: null in place of
 *     arguments that an earlier event recorded; else the call is refused or ends with an error;
 *   - if a tool asks a question and its state contains a secret, the call ends with an error.
 *
 * Built-ins that need only the run continue with the redacted values of the log. */
HAFT_MUST_USE haft_status haft__withhold_event(const haft__run *run, const haft__redactor *redactor,
                                               haft_str body, haft__buf *out, haft_error *err);

/* Whether another process that would have decided `decided`, and knew secrets that this process
 * does not know, may have written the event. `recorded` is its body. */
HAFT_MUST_USE haft_status haft__withhold_matches(const haft__run *run, const haft__event *event,
                                                 haft_str recorded, haft_str decided,
                                                 bool *ret_withheld, haft_error *err);

#endif
