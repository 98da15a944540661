/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_refresh.c - see mcp_refresh.h. Tests: tests/mcp/changes_test.py. */
#include "engine/ops/mcp_refresh.h"

#include "base/error.h"
#include "exec/mcp/mcp.h"
#include "exec/state_file.h"

typedef struct refresh_state {
    haft__arena *arena;
    bool listed; /* all servers have answered or failed */
    haft__mcp_refresh_failure *failures;
    size_t count;
    bool no_memory;
} refresh_state;

static void add_failure(refresh_state *a, const haft__mcp_listing *listing)
{
    haft__mcp_refresh_failure *it = &a->failures[a->count++];
    it->server = haft__arena_copy(a->arena, listing->server);
    it->error = haft__arena_copy(a->arena, listing->error);
    it->stderr_lines = haft__arena_copy(a->arena, listing->stderr_lines);
    a->no_memory |= it->server.ptr == NULL || it->error.ptr == NULL || it->stderr_lines.ptr == NULL;
}

static void on_listings(void *context, const haft__mcp_listing *listings, size_t count)
{
    refresh_state *a = context;
    a->listed = true;
    a->failures = haft__arena_array(a->arena, count, sizeof(*a->failures));
    a->no_memory = a->failures == NULL;
    for (size_t i = 0; i < count && !a->no_memory; i++) {
        if (listings[i].error.len > 0) {
            add_failure(a, &listings[i]);
        }
    }
}

/* Waits without a deadline, because the catalogue has its own deadline. */
static haft_status list_tools(haft__exec *exec, haft__loop *loop, const haft__spec *spec,
                              refresh_state *a, haft_error *err)
{
    haft__catalogue *catalogue = NULL;
    haft_status status = haft__exec_catalogue(exec, spec, on_listings, a, &catalogue, err);
    if (status != HAFT_OK) {
        return status;
    }
    while (status == HAFT_OK && !a->listed) {
        status = haft__loop_step(loop, 1000, err);
    }
    if (!a->listed) {
        haft__catalogue_cancel(catalogue);
    }
    return status == HAFT_OK && a->no_memory ? haft__fail_no_memory(err) : status;
}

haft_status haft__mcp_refresh(haft__arena *arena, const haft__spec *spec, haft__spec_env env,
                              haft__mcp_refresh_result *ret_result, haft_error *err)
{
    refresh_state a = {.arena = arena};
    haft__loop *loop = NULL;
    haft__exec *exec = NULL;
    haft_status status = haft__state_file_check_directory(arena, err);
    if (status == HAFT_OK) {
        status = haft__loop_create(&loop, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    haft__exec_options options = {.loop = loop, .env = env, .refresh = true};
    status = haft__exec_create(&options, &exec, err);
    if (status == HAFT_OK) {
        status = list_tools(exec, loop, spec, &a, err);
        haft__exec_destroy(exec);
    }
    haft__loop_destroy(loop);
    if (status == HAFT_OK) {
        *ret_result = (haft__mcp_refresh_result){.failures = a.failures, .count = a.count};
    }
    return status;
}
