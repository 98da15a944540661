/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - commands to runs, redacted before they are compared and applied.
 *
 * Tests: tests/engine/command_test.c.
 */
#include "engine/command.h"

#include "engine/agent.h"
#include "engine/run.h"

static haft_status add_redactor(haft_run *run, const haft__run_command *command,
                                haft__run_command *ret_command, haft_error *err)
{
    haft_status status = haft__agent_load_secrets(run->agent, err);
    *ret_command = *command;
    ret_command->redactor = run->agent->redactor;
    return status;
}

haft_status haft__run_redact_and_apply_command(haft_run *run, const haft__run_command *command,
                                               haft__buf *buf, haft_error *err)
{
    haft__run_command with_redactor;
    haft_status status = add_redactor(run, command, &with_redactor, err);
    return status == HAFT_OK ? haft__run_command_apply(&run->state, &with_redactor, buf, err)
                             : status;
}

haft_status haft__run_redact_and_compare_command(haft_run *run, const haft__run_command *command,
                                                 bool *ret_duplicate, haft_error *err)
{
    haft__run_command with_redactor;
    haft_status status = add_redactor(run, command, &with_redactor, err);
    *ret_duplicate = false;
    return status == HAFT_OK
               ? haft__run_command_is_duplicate(&run->state, &with_redactor, ret_duplicate, err)
               : status;
}
