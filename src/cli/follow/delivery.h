/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/delivery.h - says something to a run, wherever it is: what answer, approve, reject and
 * cancel have in common. */
#ifndef HAFT_CLI_FOLLOW_DELIVERY_H
#define HAFT_CLI_FOLLOW_DELIVERY_H

#include "cli/follow/follow.h"
#include "run/pause/command.h"

typedef struct haft__delivery {
    const char *run; /* its id, the beginning of it, or "last" */
    haft__run_command command;
    const char *value; /* what `command.value` is to be; NULL: nothing */
    bool text;         /* a value that is no JSON is taken as a text where that fits */
} haft__delivery;

/* Takes the run up, says it, and goes along with the run. A run that another process has is sent
 * a message; what it makes of it is printed. */
/* Who speaks: the name of the user. */
haft_str haft__delivery_user(void);

haft__exit_status haft__delivery_send(haft__cli *cli, const haft__args *args,
                                      const haft__delivery *said, haft_error *err);

#endif
