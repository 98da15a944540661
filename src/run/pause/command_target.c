/* SPDX-License-Identifier: Apache-2.0 */
/* command_target.c - finds the call and the pause that a command applies to. Tests:
 * tests/run/pause/command_test.c. */
#include <stdio.h>

#include "base/error.h"
#include "base/str.h"
#include "run/host.h"
#include "run/pause/command_int.h"

bool haft__command_is_pending(const haft__run *run, const haft__run_call *call)
{
    return haft__run_takes_answers(run) && call->stage == HAFT__CALL_PAUSED;
}

haft_status haft__command_hint_pending(const haft__run *run, haft_status status, haft_error *err)
{
    char text[160] = "";
    size_t length = 0;
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        if (haft__command_is_pending(run, call) && length < sizeof(text)) {
            int added = snprintf(text + length, sizeof(text) - length, "%s%.*s (%s of %.*s)",
                                 length > 0 ? ", " : "", HAFT__ARG(call->id),
                                 haft__pause_name(call->pause), HAFT__ARG(call->name));
            length += added > 0 ? (size_t)added : 0;
        }
    }
    if (length == 0 && run->open_children > 0) {
        return haft__hint(err, status, "haft pending %.*s lists the pending calls of its children",
                          HAFT__ARG(run->id));
    }
    return haft__hint(err, status, length > 0 ? "pending: %s" : "nothing is pending%s", text);
}

haft_status haft__command_refuse_ended(const haft__run *run, haft_error *err)
{
    return haft__fail(err, HAFT_BAD_STATE, "", "the run has ended: %s", haft__end_name(run->end));
}

static haft_status find_only(const haft__run *run, const haft__run_call **ret_call, haft_error *err)
{
    size_t count = 0;
    for (size_t i = run->batch; i < run->call_count; i++) {
        if (haft__command_is_pending(run, &run->calls[i])) {
            *ret_call = &run->calls[i];
            count++;
        }
    }
    if (count == 1) {
        return HAFT_OK;
    }
    if (run->stage == HAFT__RUN_ENDED) {
        return haft__command_refuse_ended(run, err);
    }
    haft_status status = haft__fail(err, count == 0 ? HAFT_BAD_STATE : HAFT_BAD_INPUT, "",
                                    count == 0 ? "the run has no pending call"
                                               : "the run has several pending calls: name one");
    return haft__command_hint_pending(run, status, err);
}

haft_status haft__command_find_call(const haft__run *run, haft_str id,
                                    const haft__run_call **ret_call, haft_error *err)
{
    if (id.len == 0) {
        return find_only(run, ret_call, err);
    }
    const haft__run_call *call = haft__run_find_call(run, id);
    if (call == NULL) {
        haft_status status =
            haft__fail(err, HAFT_NOT_FOUND, "", "the run has no call \"%.*s\"", HAFT__ARG(id));
        return haft__command_hint_pending(run, status, err);
    }
    *ret_call = call;
    return HAFT_OK;
}

/* A command applies only to the pause that was open when it was issued. The call may reach another
 * pause before the command arrives, for example because the run is resumed after a crash or its
 * spec has changed. */
void haft__run_command_set_target(const haft__run *run, haft__run_command *command)
{
    const haft__run_call *call = NULL;
    if (!haft__run_command_is_for_call(command)) {
        return;
    }
    haft_status status = haft__command_find_call(run, command->call, &call, NULL);
    command->pause = HAFT__LIT(HAFT__RUN_COMMAND_NO_PAUSE);
    if (status != HAFT_OK || call == NULL || !haft__command_is_pending(run, call)) {
        return;
    }
    command->call = call->id;
    command->pause = haft__str(haft__pause_name(call->pause));
    if (command->kind == HAFT__RUN_COMMAND_APPROVE && command->binding.len == 0) {
        command->binding = call->binding;
    }
}
