/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/redact/withhold.h - redacts an event before it is logged, and ends a call whose arguments
 * contain a secret.
 *
 * A call runs with the arguments in the log, so it must not run if the log has "[redacted]" in
 * place of a real value. If an earlier event has the exact arguments, the call runs, and the new
 * event has null in place of the arguments. Otherwise the call does not run.
 */
#ifndef HAFT_RUN_REDACT_WITHHOLD_H
#define HAFT_RUN_REDACT_WITHHOLD_H

#include "run/redact/redact.h"
#include "run/run.h"

/* The reason of a call that ends because of a secret: `why` of call_refused, or `where` in the
 * error of call_finished. */
#define HAFT__WITHHOLD_REASON "secret"
/* `text` of call_refused, for the model. */
#define HAFT__WITHHOLD_TEXT                                                                        \
    "Error: this call was not run, because its arguments contain a key, a token or a password. "   \
    "Secrets are neither stored nor passed to tools. Call it without the secret; tools read the "  \
    "secrets that they need from their own configuration."

/* Appends the body that is written to the log in place of `body`, the body of the run's next event:
 *
 *   - Secrets are redacted. A body without a secret is unchanged.
 *   - In a reply, calls whose arguments were redacted are marked `redacted`.
 *   - If a call would start or pause with arguments that contain a secret: if an earlier event
 *     recorded them, they become null; otherwise the call is refused or ends with an error.
 *   - If a tool asks a question, and the state that the tool stores with it contains a secret, the
 *     call ends with an error.
 *
 * Built-in tools without effects outside the run (haft__builtin_is_pure) are an exception: they
 * start with the redacted arguments. */
HAFT_MUST_USE haft_status haft__withhold_event(const haft__run *run, const haft__redactor *redactor,
                                               haft_str body, haft__buf *out, haft_error *err);

/* Compares an event of the log with the decision that this process computes for it. `recorded` is
 * the body of the event, `decided` the body of the decision. Sets *ret_matches if they differ only
 * because the process that wrote the event redacted secrets that this process does not know. */
HAFT_MUST_USE haft_status haft__withhold_matches(const haft__run *run, const haft__event *event,
                                                 haft_str recorded, haft_str decided,
                                                 bool *ret_matches, haft_error *err);

#endif
