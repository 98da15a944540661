/* SPDX-License-Identifier: Apache-2.0 */
/* engine/command.h - commands to a run, compared and checked without its secrets. */
#ifndef HAFT_ENGINE_COMMAND_H
#define HAFT_ENGINE_COMMAND_H

#include "run/pause/command.h"

/* haft__run_command_apply and haft__run_command_is_duplicate with the redactor of the run's
 * agent. */
HAFT_MUST_USE haft_status haft__run_apply_command(haft_run *run, const haft__run_command *command,
                                                  haft__buf *buf, haft_error *err);
HAFT_MUST_USE haft_status haft__run_check_duplicate_command(haft_run *run,
                                                            const haft__run_command *command,
                                                            bool *ret_duplicate, haft_error *err);

#endif
