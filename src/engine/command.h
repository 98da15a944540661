/* SPDX-License-Identifier: Apache-2.0 */
/* engine/command.h - applies and compares commands with the redactor of the run's agent. */
#ifndef HAFT_ENGINE_COMMAND_H
#define HAFT_ENGINE_COMMAND_H

#include "run/pause/command.h"

/* Like haft__run_command_apply and haft__run_command_is_duplicate, with the redactor of the run's
 * agent instead of the redactor of the command. */
HAFT_MUST_USE haft_status haft__run_redact_and_apply_command(haft_run *run,
                                                             const haft__run_command *command,
                                                             haft__buf *buf, haft_error *err);
HAFT_MUST_USE haft_status haft__run_redact_and_compare_command(haft_run *run,
                                                               const haft__run_command *command,
                                                               bool *ret_duplicate,
                                                               haft_error *err);

#endif
