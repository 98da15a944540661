/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/command_delivery.h - delivers a command to a run of this process or another
 * process. */
#ifndef HAFT_ENGINE_OPS_COMMAND_DELIVERY_H
#define HAFT_ENGINE_OPS_COMMAND_DELIVERY_H

#include "engine/ops/run_message.h"

typedef struct haft__command_delivery {
    haft_str run; /* an id, a prefix of an id, or "last" */
    haft__run_command command;
    haft_str value;   /* the text of `command.value`; if .ptr is NULL, the command already has its
                       * value */
    bool may_be_text; /* a value that is not JSON is a string, unless the call expects JSON */
    bool here_only;   /* fails if another process owns the run */
    haft__run_message_report *report; /* may be NULL */
    void *context;                    /* argument of `report` */
} haft__command_delivery;

/* The problem of a failed delivery, in addition to the status. */
typedef enum haft__delivery_problem {
    HAFT__DELIVERY_OTHER_PROBLEM,
    HAFT__DELIVERY_BAD_VALUE,          /* `value` is not valid */
    HAFT__DELIVERY_OWNER_UNRESPONSIVE, /* the owner of the run consumes no messages */
} haft__delivery_problem;

typedef struct haft__delivery_result {
    haft_run *run; /* the run after the command, or NULL. Release it, also after a failure */
    bool owned;    /* this process owns the run and continues it, even if it rejected the command */
    uint64_t seen_seq; /* if not `owned`: seq of the last event of `run` before the command */
    haft__delivery_problem problem;
} haft__delivery_result;

/* Claims the run and applies the command. If another process owns the run, sends it a message and
 * blocks until the run has processed it. The command applies only to the pause that is open now.
 * Texts of the result live in `arena` or in the delivery. BAD_INPUT or BAD_STATE if the command
 * does not apply. */
HAFT_MUST_USE haft_status haft__command_deliver(haft_runtime *runtime, haft__arena *arena,
                                                const haft__command_delivery *delivery,
                                                haft__delivery_result *ret_result, haft_error *err);

#endif
