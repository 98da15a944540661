/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/delivery.h - delivers a command to a run, also if another process owns the run. Shared
 * by answer, approve, reject and cancel. */
#ifndef HAFT_CLI_FOLLOW_DELIVERY_H
#define HAFT_CLI_FOLLOW_DELIVERY_H

#include "cli/follow/follow.h"
#include "run/pause/command.h"

typedef struct haft__delivery {
    const char *run; /* an id, a prefix of an id, or "last" */
    haft__run_command command;
    const char *value; /* becomes `command.value`; NULL: no value */
    bool may_be_text;  /* a value that is not JSON is a string, unless the call expects JSON */
} haft__delivery;

/* Returns the name of the user, for events. */
haft_str haft__delivery_user(void);

/* Delivers the command (engine/ops/command_delivery.h). If this process has become the owner of
 * the run, follows the run; otherwise prints the outcome. */
haft__exit_status haft__delivery_send(haft__cli *cli, const haft__args *args,
                                      const haft__delivery *delivery, haft_error *err);

#endif
