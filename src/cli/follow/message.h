/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/message.h - leaves a message to a run that another process has. */
#ifndef HAFT_CLI_FOLLOW_MESSAGE_H
#define HAFT_CLI_FOLLOW_MESSAGE_H

#include "cli/session.h"

/* Leaves `text` and returns once it was heard. Where nobody had the run any more it was taken up
 * here and is *ret_mine, also after a failure; else that is NULL. A run that has ended hears
 * nothing: what came of it is to be looked at all the same, others may have said the same. */
HAFT_MUST_USE haft_status haft__message_deliver(haft__cli *cli, haft_run *run, haft_str text,
                                                haft_run **ret_mine, haft_error *err);

#endif
