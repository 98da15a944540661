/* SPDX-License-Identifier: Apache-2.0 */
/* run_result.c - see cli/follow/run_result.h. Tests: tests/cli/json_test.py. */
#include "cli/follow/run_result.h"

#include "base/limits.h"
#include "base/str.h"
#include "cli/terminal/print.h"
#include "engine/agent.h"
#include "engine/ops/run_tree.h"
#include "engine/ops/stored_run.h"
#include "io/owner.h"
#include "run/result.h"

static haft_status print_result(haft__cli *cli, const haft__run *run, const haft__run *const *below,
                                size_t count, const haft_error *why, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__result_write_tree(&text, run, below, count, why);
    haft_status status = haft__print_json_line(cli->out, &text, err);
    if (status == HAFT_OK) {
        cli->answered = true;
    }
    haft__buf_finish(&text);
    return status;
}

haft_status haft__run_result_print(haft__cli *cli, haft_runtime *runtime, const haft__run *run,
                                   const haft_error *why, haft_error *err)
{
    haft__run_tree tree = {.runs = NULL};
    haft_error unread = {0};
    bool open = runtime != NULL && run->stage != HAFT__RUN_ENDED && run->open_children > 0;
    if (open && haft__run_tree_read(runtime, run, true, &tree, &unread) != HAFT_OK) {
        why = why == NULL ? &unread : why;
    }
    const haft__run **below = haft__arena_array(&cli->arena, tree.count, sizeof(*below));
    for (size_t i = 0; below != NULL && i < tree.count; i++) {
        below[i] = &tree.runs[i]->state;
    }
    haft_status status = print_result(cli, run, below, below != NULL ? tree.count : 0, why, err);
    haft__run_tree_finish(&tree);
    return status;
}

/* ---- from the store ---- */

/* Reads the run `id`. If its events cannot be read, the result has only the id and the thread. The
 * caller finishes *ret_stored. */
static haft__run read_run(haft__cli *cli, haft_runtime *runtime, const char *id,
                          haft__stored_run *ret_stored, haft_error *err)
{
    haft__run run = {.id = haft__str(id)}, read;
    haft_status status =
        haft__stored_run_read(runtime, &cli->arena, haft__str(id), true, ret_stored, err);
    if (status == HAFT_NOT_FOUND && ret_stored->row.id.len == 0) {
        run.id = HAFT__LIT("");
    }
    run.thread = ret_stored->row.thread;
    if (status == HAFT_OK) {
        status = haft__stored_run_fold(runtime, &cli->arena, ret_stored, "", &read, err);
    }
    return status == HAFT_OK ? read : run;
}

void haft__run_result_print_stored(haft__cli *cli, haft_runtime *runtime, const char *id,
                                   const haft_error *why)
{
    haft__stored_run stored = {.agent = NULL};
    haft_error unread = {0}; /* printed only if `why` is NULL */
    bool known = runtime != NULL && id[0] != '\0';
    haft__run run =
        known ? read_run(cli, runtime, id, &stored, &unread) : (haft__run){.id = haft__str(id)};
    why = why == NULL && unread.message[0] != '\0' ? &unread : why;
    (void)!haft__run_result_print(cli, runtime, &run, why, NULL);
    haft__stored_run_finish(&stored);
}

/* ---- the run of the command ---- */

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
    haft_status status =
        haft__stored_run_find(runtime, &cli->arena, haft__str(*name), false, &row, err);
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
