/* SPDX-License-Identifier: Apache-2.0 */
/* auto_approve.c - see cli/follow/auto_approve.h. Tests: tests/cli/approvals_test.py. */
#include "cli/follow/auto_approve.h"

#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/str.h"
#include "base/time.h"
#include "cli/config/config.h"
#include "cli/config/user_approvals.h"
#include "cli/terminal/diagnostic.h"
#include "engine/agent.h"
#include "engine/run.h"
#include "io/clock.h"
#include "io/file.h"
#include "run/pause/binding.h"

/* Returns the path of approvals.json; NULL with --no-config, or without a directory for settings.
 */
static const char *approvals_path(haft__cli *cli)
{
    bool off = cli->config == NULL || cli->config->off;
    return off ? NULL : haft__config_user_path(&cli->arena, "approvals.json");
}

/* Finds the directory of the spec and resolves symbolic links, so that each directory has only one
 * name. Returns "" if the spec has no file. */
static haft_status find_directory(haft__arena *arena, const haft__spec *spec,
                                  haft_str *ret_directory, haft_error *err)
{
    char real[PATH_MAX];
    *ret_directory = HAFT__LIT("");
    if (spec->path.len == 0) {
        return HAFT_OK;
    }
    haft_str path = haft__arena_format(arena, "%.*s", HAFT__ARG(spec->path));
    haft_str full = path.ptr != NULL ? haft__file_absolute(arena, path.ptr) : path;
    if (full.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    while (full.len > 1 && full.ptr[full.len - 1] != '/') {
        full.len--;
    }
    haft_str parent = haft__arena_format(arena, "%.*s", HAFT__ARG(full));
    if (parent.ptr == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_str found = realpath(parent.ptr, real) != NULL ? haft__str(real) : parent;
    *ret_directory = haft__arena_copy(arena, found);
    return ret_directory->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

/* Computes the hash that identifies the call's tool, and finds the directory of the spec. */
static haft_status make_hash(haft__arena *arena, const haft_run *run, const haft__run_call *call,
                             char ret_hash[HAFT__SHA256_HEX], haft_str *ret_directory,
                             haft_error *err)
{
    const haft__spec *spec = run->state.spec;
    haft_status status = find_directory(arena, spec, ret_directory, err);
    return status == HAFT_OK
               ? haft__binding_make_user(spec, call->tool, *ret_directory, ret_hash, err)
               : status;
}

/* ---- storing a standing approval ---- */

haft_status haft__auto_approve_always(void *context, const haft_run *run,
                                      const haft__run_call *call, haft_error *err)
{
    haft__cli *cli = context;
    const haft__tool *tool = call->tool;
    const char *path = approvals_path(cli);
    char hash[HAFT__SHA256_HEX], since[HAFT__TIME_SIZE];
    haft_str directory;
    bool uses_directory = false;
    if (path == NULL) {
        return haft__fail(err, HAFT_BAD_STATE, "",
                          "no approval is stored: settings are off, or have no directory");
    }
    haft_status status = make_hash(&cli->arena, run, call, hash, &directory, err);
    if (status == HAFT_OK) {
        status = haft__binding_depends_on_directory(run->state.spec, tool, &uses_directory, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (uses_directory && directory.len == 0) {
        return haft__fail(err, HAFT_BAD_STATE, "", "no approval is stored: the spec has no file");
    }
    haft__time_format(haft__clock_now(), since);
    haft__user_approval approval = {.hash = {hash, sizeof(hash)},
                                    .tool = tool->name,
                                    .source = haft__str(haft__tool_source_name(tool->source)),
                                    .directory = uses_directory ? directory : HAFT__LIT(""),
                                    .since = haft__str(since),
                                    .destructive =
                                        tool->traits.destructive || tool->hinted_destructive};
    return haft__user_approvals_add(path, &approval, err);
}

/* ---- approving ---- */

/* Reads the approvals. If the file cannot be read, warns and returns no approvals. */
static haft_status read_approvals(haft__cli *cli, haft__arena *arena,
                                  haft__user_approvals *ret_approvals, haft_error *err)
{
    const char *path = approvals_path(cli);
    haft_error problem = {0};
    *ret_approvals = (haft__user_approvals){NULL, 0};
    haft_status status =
        path != NULL ? haft__user_approvals_read(arena, path, ret_approvals, &problem) : HAFT_OK;
    if (status == HAFT_NO_MEMORY) {
        return haft__arena_fail(arena, err);
    }
    if (status != HAFT_OK && !cli->config->approvals_reported) {
        haft__diagnostic warning = {.file_or_option = haft__str(path),
                                    .warning = true,
                                    .message = haft__str(problem.message),
                                    .hint = haft__str(problem.hint)};
        cli->config->approvals_reported = true;
        haft__diagnostic_print(cli->errors, &warning);
    }
    return HAFT_OK;
}

/* Sets command->by and command->why if an option or a standing approval approves the call.
 * Otherwise `by` stays "": a person must decide. */
static haft_status find_approval(haft__arena *arena, const haft__args *args, const haft_run *run,
                                 const haft__run_call *call, const haft__user_approvals *approvals,
                                 haft__run_command *command, haft_error *err)
{
    const char *all = haft__args_text(args, "yes", NULL);
    char hash[HAFT__SHA256_HEX];
    haft_str directory;
    if (haft__args_has(args, "yes") && (all != NULL || !call->tool->traits.destructive)) {
        command->by = all != NULL ? HAFT__LIT("--yes=all") : HAFT__LIT("--yes");
        return HAFT_OK;
    }
    if (approvals->count == 0) {
        return HAFT_OK;
    }
    haft_status status = make_hash(arena, run, call, hash, &directory, err);
    if (status != HAFT_OK
        || haft__user_approvals_find(approvals, (haft_str){hash, sizeof(hash)}) == NULL) {
        return status;
    }
    command->by = HAFT__BY_STANDING_APPROVAL;
    command->why =
        haft__arena_format(arena, "haft approvals: %.*s", HAFT__USER_APPROVAL_ID_LENGTH, hash);
    return command->why.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

static haft_status approve_first(haft__arena *arena, const haft__args *args, haft_run *run,
                                 const haft__user_approvals *approvals, bool *ret_approved,
                                 haft_error *err)
{
    const haft__run *state = &run->state;
    for (size_t i = state->batch; i < state->call_count; i++) {
        const haft__run_call *call = &state->calls[i];
        if (call->stage != HAFT__CALL_PAUSED || !haft__pause_kind_of(call->pause)->binds) {
            continue;
        }
        haft__run_command command = {
            .kind = HAFT__RUN_COMMAND_APPROVE,
            .call = call->id,
            .value = haft__json_null(),
            .by = HAFT__LIT(""),
            .why = HAFT__LIT(""),
            .pause = haft__str(haft__pause_name(call->pause)),
            .binding = call->binding,
        };
        haft_status status = find_approval(arena, args, run, call, approvals, &command, err);
        if (status != HAFT_OK || command.by.len > 0) {
            *ret_approved = status == HAFT_OK;
            return status == HAFT_OK ? haft__run_perform_command(run, &command, err) : status;
        }
    }
    return HAFT_OK;
}

/* Whether a call waits for an approval. Otherwise the file of approvals is not read. */
static bool has_pending_approval(const haft__run *run)
{
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        if (call->stage == HAFT__CALL_PAUSED && haft__pause_kind_of(call->pause)->binds) {
            return true;
        }
    }
    return false;
}

haft_status haft__auto_approve_call(haft__cli *cli, const haft__args *args, haft_run *run,
                                    bool *ret_approved, haft_error *err)
{
    haft__arena arena;
    haft__user_approvals approvals;
    *ret_approved = false;
    if (!has_pending_approval(&run->state)) {
        return HAFT_OK;
    }
    haft__arena_init(&arena, 0);
    haft_status status = read_approvals(cli, &arena, &approvals, err);
    if (status == HAFT_OK) {
        status = approve_first(&arena, args, run, &approvals, ret_approved, err);
    }
    haft__arena_finish(&arena);
    return status;
}
