/* SPDX-License-Identifier: Apache-2.0 */
/* unknown_outcome.c - see run/pause/unknown_outcome.h. Tests: tests/run/pause/command_test.c,
 * tests/run/decide/recovery_test.c. */
#include "run/pause/unknown_outcome.h"

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"

haft_status haft__unknown_outcome_hint(const haft__run_call *call, haft_status status,
                                       haft_error *err)
{
    return haft__hint(err, status,
                      "`haft answer RUN %.*s RESULT` gives its result, `haft approve RUN %.*s "
                      "--again` runs it again",
                      HAFT__ARG(call->id), HAFT__ARG(call->id));
}

/* Whether a person has already approved the call. */
static bool was_approved(const haft__run_call *call)
{
    static const char *const approvals[] = {"approve", "edit", "retry"};
    for (size_t i = 0; i < COUNT(call->answers) * COUNT(approvals); i++) {
        haft_str verdict = call->answers[i / COUNT(approvals)].verdict;
        if (haft__str_equal(verdict, haft__str(approvals[i % COUNT(approvals)]))) {
            return true;
        }
    }
    return false;
}

/* The tool identifies the call by its idempotency key, so the arguments for this key must not
 * change. */
static haft_status refuse_arguments(const haft__run_call *call, haft_error *err)
{
    haft_status status = haft__fail(
        err, HAFT_BAD_INPUT, "",
        "expected no arguments: the call %.*s has started and can only run again unchanged",
        HAFT__ARG(call->id));
    return haft__hint(err, status,
                      "not recorded; `--again` runs it again, `haft answer` gives its result, and "
                      "after `haft reject` the model can make another call");
}

/* The approval may have been sent before the call was interrupted. Therefore only `--again` runs an
 * approved call again. */
static haft_status refuse_second_approval(const haft__run_call *call, haft_error *err)
{
    haft_status status = haft__fail(err, HAFT_BAD_STATE, "",
                                    "the call %.*s was approved before and has started: its "
                                    "outcome is unknown, and an approval does not run it again",
                                    HAFT__ARG(call->id));
    return haft__unknown_outcome_hint(call, status, err);
}

haft_status haft__unknown_outcome_check_command(const haft__run *run, const haft__run_call *call,
                                                const haft__run_command *command, haft_error *err)
{
    (void)run;
    bool approves = command->kind == HAFT__RUN_COMMAND_APPROVE;
    bool retries = approves || command->kind == HAFT__RUN_COMMAND_AGAIN;
    if (retries && command->value.kind != HAFT__JSON_NULL) {
        return refuse_arguments(call, err);
    }
    return approves && was_approved(call) ? refuse_second_approval(call, err) : HAFT_OK;
}
