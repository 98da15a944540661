/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/run_message.h - sends a command to a run that another process owns, as a message in
 * the store. */
#ifndef HAFT_ENGINE_OPS_RUN_MESSAGE_H
#define HAFT_ENGINE_OPS_RUN_MESSAGE_H

#include "engine/runtime.h"
#include "run/pause/command.h"

/* Called once if the owner of `run` has not consumed a message after a second. The owner's lease
 * expires in `lease_ms`. */
typedef void haft__run_message_report(void *context, const char *run, uint64_t lease_ms);

typedef struct haft__run_message {
    haft_run *run;                    /* the run, read by the sender */
    const haft__run_command *command; /* with the redactor of the run's agent */
    haft__run_message_report *report; /* may be NULL */
    void *context;                    /* argument of `report` */
    haft_run *opened;        /* result: the run, if it lost its owner and was opened in this
                              * process; or NULL. Release it, also after a failure. */
    bool owner_unresponsive; /* result of a failure: the owner renews its lease but consumes no
                           messages */
} haft__run_message;

/* Sends the message and blocks until the run has processed it. A run that has ended ignores the
 * message. Success does not mean that this command had an effect (another process may have sent
 * the same command earlier), so the caller must read the run. `arena` is for temporary memory. */
HAFT_MUST_USE haft_status haft__run_message_deliver(haft__run_message *message, haft__arena *arena,
                                                    haft_error *err);

/* Sends a command without waiting for its effect. BAD_STATE if the run has ended. */
HAFT_MUST_USE haft_status haft__run_message_post(haft_runtime *runtime, haft__arena *arena,
                                                 haft_str run, const haft__run_command *command,
                                                 haft_error *err);

#endif
