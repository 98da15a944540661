/* SPDX-License-Identifier: Apache-2.0 */
/* state_run.c - `haft runs state`: the state of a run of a graph after a step. Tests:
 * tests/cli/graph_state_test.py. */
#include "base/limits.h"
#include "base/str.h"
#include "cli/runs/runs_request.h"
#include "engine/ops/graph/run_state.h"

haft__exit_status haft__runs_state(haft__runs_request *a)
{
    haft__buf text;
    haft_status status = haft__runs_read(a, true);
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    if (status == HAFT_OK) {
        haft__run_state_request request = {.spec = a->spec,
                                           .name = a->name,
                                           .lines = a->lines,
                                           .hash_key = a->hash_key,
                                           .step = haft__args_number(a->args, "step", UINT64_MAX),
                                           .diff = haft__args_has(a->args, "diff")};
        status = haft__run_state_write(&text, &request, &a->cli->arena, a->err);
        haft__buf_add_char(&text, '\n');
    }
    if (status == HAFT_OK) {
        return haft__runs_print_json(a, &text);
    }
    haft__buf_finish(&text);
    return haft__session_exit_status(status);
}
