/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/delivery.h - delivers a command to a run, whichever process owns it. Shared by answer,
 * approve, reject and cancel. */
#ifndef HAFT_CLI_FOLLOW_DELIVERY_H
#define HAFT_CLI_FOLLOW_DELIVERY_H

#include "cli/follow/follow.h"
#include "run/pause/command.h"

typedef struct haft__delivery {
    const char *run; /* an id, the beginning of one, or "last" */
    haft__run_command command;
    const char *value; /* becomes `command.value`; NULL: none */
    bool text;         /* a value that is not JSON is treated as text if that is valid */
} haft__delivery;

/* The name of the user, for events. */
haft_str haft__delivery_user(void);

/* Delivers the command (engine/ops/command_delivery.h). Follows the run if this process owns it
 * then; otherwise prints the outcome. */
haft__exit_status haft__delivery_send(haft__cli *cli, const haft__args *args,
                                      const haft__delivery *delivery, haft_error *err);

#endif
