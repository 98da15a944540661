/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steer.c - commands to runs, compared and checked with what must not be written down.
 *
 * Tests: tests/engine/command_test.c.
 */
#include "engine/runtime.h"

/* The command as the run's agent hears it. */
static haft_status hear(haft_run *run, const haft__steer *command, haft__steer *ret_heard,
                        haft_error *err)
{
    haft_status status = haft__agent_know_secrets(run->agent, err);
    *ret_heard = *command;
    ret_heard->redactor = run->agent->redactor;
    return status;
}

haft_status haft__live_steer(haft_run *run, const haft__steer *command, haft__buf *buf,
                             haft_error *err)
{
    haft__steer heard;
    haft_status status = hear(run, command, &heard, err);
    return status == HAFT_OK ? haft__steer_apply(&run->state, &heard, buf, err) : status;
}

haft_status haft__live_taken(haft_run *run, const haft__steer *command, bool *ret_taken,
                             haft_error *err)
{
    haft__steer heard;
    haft_status status = hear(run, command, &heard, err);
    *ret_taken = false;
    return status == HAFT_OK ? haft__steer_taken(&run->state, &heard, ret_taken, err) : status;
}
