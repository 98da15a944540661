/* SPDX-License-Identifier: Apache-2.0 */
/* cli/follow/auto_approve.h - approves calls without asking a person: for --yes, and by the
 * standing approvals of the user (cli/config/user_approvals.h). */
#ifndef HAFT_CLI_FOLLOW_AUTO_APPROVE_H
#define HAFT_CLI_FOLLOW_AUTO_APPROVE_H

#include "cli/session.h"
#include "run/run.h"

/* Approves the first pending call that may run without asking a person. --yes approves calls that
 * are not destructive, --yes=all approves all calls, and a standing approval approves the calls of
 * its tool. */
HAFT_MUST_USE haft_status haft__auto_approve_call(haft__cli *cli, const haft__args *args,
                                                  haft_run *run, bool *ret_approved,
                                                  haft_error *err);

/* Stores a standing approval for the tool of the call. Fails with BAD_STATE if approvals cannot be
 * stored: with --no-config, or without a directory for settings. `context` is the haft__cli. */
HAFT_MUST_USE haft_status haft__auto_approve_always(void *context, const haft_run *run,
                                                    const haft__run_call *call, haft_error *err);

#endif
