/* SPDX-License-Identifier: Apache-2.0 */
/* query.c - store queries of a run. Tests: tests/engine/open_test.c. */
#include "engine/query.h"

#include "engine/run.h"
#include "engine/runtime.h"

void haft__run_query_start(haft_run *run, haft__store_request request, haft__arena *arena,
                           void (*done)(haft__store_request *request))
{
    request.arena = arena;
    request.done = done;
    request.context = run;
    request.now_ms = haft__runtime_now(run->runtime);
    run->query.request = request;
    run->query.pending = true;
    haft__store_submit(run->runtime->store, &run->query.request);
}

/* If the handle was released while the query was pending, the run is destroyed now. */
bool haft__run_query_done(haft_run *run)
{
    run->query.pending = false;
    if (run->released) {
        haft__run_dispose(run);
        return false;
    }
    return true;
}
