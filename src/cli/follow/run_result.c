/* SPDX-License-Identifier: Apache-2.0 */
/* run_result.c - see cli/follow/run_result.h. Tests: tests/cli/json_test.py. */
#include "cli/follow/run_result.h"

#include "base/limits.h"
#include "base/str.h"
#include "cli/input/log_file.h"
#include "cli/terminal/print.h"
#include "engine/agent.h"
#include "io/owner.h"
#include "run/result.h"

haft_status haft__run_result_print(haft__cli *cli, const haft__run *run, const haft_error *why,
                                   haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__result_write(&text, run, why);
    haft__buf_add_char(&text, '\n');
    haft_status status = haft__buf_check(&text, err);
    if (status == HAFT_OK) {
        haft__print_json(cli->out, haft__buf_str(&text));
        cli->answered = true;
    }
    haft__buf_finish(&text);
    return status;
}

/* ---- of the store ---- */

void haft__run_result_apply_row(const haft__store_run *row, haft__run *run)
{
    run->unopened = row->state == HAFT__RUN_STATE_WAITING;
    if (row->owner.len == 0 || haft__owner_is_dead(row->owner)) {
        haft__run_drop_lost_questions(run);
    }
}

static haft_status find_run(haft__cli *cli, haft_runtime *runtime, const char *name,
                            haft__store_run *ret_row, haft_error *err)
{
    haft__store_request request = {.verb = HAFT__STORE_FIND, .name = haft__str(name)};
    haft_status status = haft__session_store_execute(cli, runtime, &request, err);
    if (status == HAFT_OK) {
        *ret_row = request.found[0];
    }
    return status;
}

/* What has happened to it. The run is valid as long as the agent. */
static haft_status read_run(haft__cli *cli, haft_runtime *runtime, const haft__store_run *row,
                            haft_agent **ret_agent, haft__run *ret_run, haft_error *err)
{
    haft__store_request request = {.verb = HAFT__STORE_READ_EVENTS, .run.id = row->id};
    haft_status status = haft__session_store_execute(cli, runtime, &request, err);
    if (status == HAFT_OK) {
        status = haft__agent_load_text(runtime, row->spec, row->spec_path, HAFT__SPEC_READ_ONLY,
                                       ret_agent, err);
    }
    if (status == HAFT_OK) {
        status = haft__log_file_fold(&cli->arena, (*ret_agent)->spec, "", request.text, UINT64_MAX,
                                     runtime->hash_key, ret_run, err);
    }
    if (status == HAFT_OK) {
        haft__run_result_apply_row(row, ret_run);
    }
    return status;
}

void haft__run_result_print_stored(haft__cli *cli, haft_runtime *runtime, const char *id,
                                   const haft_error *why)
{
    haft__run run = {.id = haft__str(id)};
    haft_agent *agent = NULL;
    haft_error unread = {0}; /* told only when nothing else is to be */
    if (runtime != NULL && id[0] != '\0') {
        haft__run read;
        haft__store_run row;
        haft_status status = find_run(cli, runtime, id, &row, &unread);
        if (status == HAFT_NOT_FOUND) {
            run.id = HAFT__LIT("");
        } else if (status == HAFT_OK) {
            run.thread = row.thread;
            status = read_run(cli, runtime, &row, &agent, &read, &unread);
            run = status == HAFT_OK ? read : run;
        }
    }
    why = why == NULL && unread.message[0] != '\0' ? &unread : why;
    (void)!haft__run_result_print(cli, &run, why, NULL);
    haft_agent_release(agent);
}

/* ---- which run it is ---- */

void haft__cli_set_run(haft__cli *cli, const char *id)
{
    if (id[0] != '\0') {
        (void)snprintf(cli->run, sizeof(cli->run), "%s", id);
    }
}

haft_status haft__cli_resolve_run(haft__cli *cli, haft_runtime *runtime, const char **name,
                                  haft_error *err)
{
    haft__store_run row;
    haft_status status = find_run(cli, runtime, *name, &row, err);
    if (status == HAFT_OK) {
        haft_str id = haft__arena_copy(&cli->arena, row.id);
        if (id.ptr == NULL) {
            return haft__arena_fail(&cli->arena, err);
        }
        haft__cli_set_run(cli, id.ptr);
        *name = id.ptr;
    }
    return status;
}
