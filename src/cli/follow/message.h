/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/message.h - sends a message to a run that another process owns. */
#ifndef HAFT_CLI_FOLLOW_MESSAGE_H
#define HAFT_CLI_FOLLOW_MESSAGE_H

#include "cli/session.h"

/* Sends `text` and returns once the run has processed it. If the run has no owner any more, it is
 * opened here and is *ret_mine, also after a failure; otherwise that is NULL. A run that has ended
 * ignores the message; the caller still inspects the result, since somebody else may have sent the
 * same command. */
HAFT_MUST_USE haft_status haft__message_deliver(haft__cli *cli, haft_run *run, haft_str text,
                                                haft_run **ret_mine, haft_error *err);

#endif
