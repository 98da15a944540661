/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree_command.c - commands of a program to calls of a run and of the runs below it.
 *
 * A path such as c3.1/c1.2 names a call of a run below. If this process has that run open, the run
 * gets the command immediately. Otherwise the command is stored as a message, which the run's next
 * owner reads. Tests: tests/engine/ops/tree/tree_command_test.c, tests/engine/api_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/child_pool.h"
#include "engine/command.h"
#include "engine/ops/run_message.h"
#include "engine/ops/run_tree.h"
#include "run/host.h"

static bool has_pending_call(const haft__run *state)
{
    bool pending = false;
    for (size_t i = state->batch; i < state->call_count; i++) {
        pending = pending || state->calls[i].stage == HAFT__CALL_PAUSED;
    }
    return pending;
}

/* Whether the command is for a call of a run below: it names a path, or it names no call and the
 * run itself has no pending call. */
static bool is_for_run_below(const haft_run *run, const haft__run_command *command)
{
    bool unnamed =
        command->call.len == 0 && run->state.open_children > 0 && !has_pending_call(&run->state);
    bool path = command->call.len > 0 && memchr(command->call.ptr, '/', command->call.len) != NULL;
    return run->stage == HAFT__HANDLE_ACTIVE && haft__run_command_is_for_call(command)
           && (unnamed || path);
}

/* Checks the command against the stored run, then stores the command as a message. */
static haft_status send_command(haft_run *run, haft__arena *arena, haft__run_command *command,
                                haft_error *err)
{
    haft__buf none;
    haft__buf_init(&none, HAFT__LIMIT_RUN_BYTES);
    haft__run_command_set_target(&run->state, command); /* the pause that the caller has seen */
    haft_status status = haft__run_redact_and_apply_command(run, command, &none, err);
    bool repeated = none.len == 0; /* an equal command was already accepted */
    haft__buf_finish(&none);
    if (status != HAFT_OK || repeated) {
        return status;
    }
    command->redactor = run->agent->redactor;
    status = haft__run_message_post(run->runtime, arena, haft__str(run->id), command, err);
    if (status == HAFT_OK) {
        (void)haft__child_pool_wake(run->runtime, haft__str(run->id));
    }
    return status;
}

static haft_status perform_here(haft_run *run, haft__run_command *command, haft_error *err)
{
    haft__run_command_set_target(&run->state, command); /* the pause that the caller has seen */
    return haft__run_perform_command(run, command, err);
}

static haft_status perform_below(haft_run *root, haft__arena *arena, haft__run_command *command,
                                 haft_error *err)
{
    haft_runtime *runtime = root->runtime;
    haft_str id = {NULL, 0};
    haft_run *run = NULL;
    haft_status status = haft__run_tree_resolve_call(runtime, arena, haft__str(root->id),
                                                     command->call, &id, &command->call, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft_run *open =
        haft__str_equal(id, haft__str(root->id)) ? root : haft__child_pool_find(runtime, id);
    if (open != NULL) {
        return perform_here(open, command, err);
    }
    status = haft__run_tree_open(runtime, id, &run, err);
    if (status == HAFT_OK && run == NULL) {
        status = haft__fail(err, HAFT_NOT_FOUND, "", "there is no run '%.*s'", HAFT__ARG(id));
    }
    if (status == HAFT_OK && run != NULL) {
        status = send_command(run, arena, command, err);
    }
    haft_run_release(run);
    return status;
}

static haft_status issue_command(haft_run *run, haft__run_command_kind kind, const char *call_id,
                                 const char *json, const char *why, haft_error *err)
{
    if (run == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a run, found NULL");
    }
    haft__run_command command = {.kind = kind,
                                 .call = haft__str(call_id != NULL ? call_id : ""),
                                 .value = haft__json_null(),
                                 .by = run->user.len > 0 ? run->user : HAFT__LIT("program"),
                                 .why = haft__str(why != NULL ? why : "")};
    haft__arena scratch;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft_status status = HAFT_OK;
    if (json != NULL) {
        bool is_json = true; /* text that is not JSON is rejected */
        status = haft__run_command_read_value(&scratch, haft__str(json), run->runtime->hash_key,
                                              &command.value, &is_json, err);
    }
    if (status == HAFT_OK && json != NULL && kind == HAFT__RUN_COMMAND_APPROVE
        && command.value.kind == HAFT__JSON_NULL) { /* internally, null means that the arguments are
                                                     * unchanged */
        status = haft__fail(err, HAFT_BAD_INPUT, "",
                            "expected an object with the arguments, found null");
    }
    if (status == HAFT_OK) {
        status = is_for_run_below(run, &command) ? perform_below(run, &scratch, &command, err)
                                                 : perform_here(run, &command, err);
    }
    haft__arena_finish(&scratch);
    return status;
}

haft_status haft_run_answer(haft_run *run, const char *call_id, const char *json, haft_error *err)
{
    if (json == NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "expected a JSON value, found NULL");
    }
    return issue_command(run, HAFT__RUN_COMMAND_ANSWER, call_id, json, NULL, err);
}

haft_status haft_run_approve(haft_run *run, const char *call_id, const char *args_json,
                             haft_error *err)
{
    return issue_command(run, HAFT__RUN_COMMAND_APPROVE, call_id, args_json, NULL, err);
}

haft_status haft_run_again(haft_run *run, const char *call_id, haft_error *err)
{
    return issue_command(run, HAFT__RUN_COMMAND_AGAIN, call_id, NULL, NULL, err);
}

haft_status haft_run_reject(haft_run *run, const char *call_id, const char *why, haft_error *err)
{
    return issue_command(run, HAFT__RUN_COMMAND_REJECT, call_id, NULL, why, err);
}

haft_status haft_run_cancel(haft_run *run, haft_error *err)
{
    return issue_command(run, HAFT__RUN_COMMAND_CANCEL, NULL, NULL, NULL, err);
}
