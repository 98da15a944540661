/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp.c - the tools of MCP servers. This build cannot reach any: each is told with that error.
 *
 * Tests: tests/exec/mcp_test.c.
 */
#include "exec/mcp.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/exec_int.h"
#include "mcp/servers.h"

#define NOT_HERE "MCP servers cannot be reached by this build"

struct haft__catalogue {
    haft__arena arena;
    haft__mcp_listing *listings;
    size_t count;
    haft__catalogue_done *done; /* NULL once it is no longer wanted */
    void *context;
    haft__task task;
};

static void hand_on(haft__task *task)
{
    haft__catalogue *catalogue = HAFT__CONTAINER(task, haft__catalogue, task);
    if (catalogue->done != NULL) {
        catalogue->done(catalogue->context, catalogue->listings, catalogue->count);
    }
    haft__arena_finish(&catalogue->arena);
    free(catalogue);
}

haft_status haft__exec_known(const haft__spec *spec, haft__arena *arena,
                             const haft__mcp_listing **ret_listings, size_t *ret_count,
                             haft_error *err)
{
    haft__mcp_servers servers;
    haft_status status = haft__mcp_servers_read(arena, spec->mcp, &servers, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__mcp_listing *listings = haft__arena_array(arena, servers.count, sizeof(*listings));
    if (listings == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < servers.count; i++) {
        listings[i] = (haft__mcp_listing){.server = servers.items[i].name,
                                          .state = HAFT__LIT("configured"),
                                          .error = HAFT__LIT("")};
    }
    *ret_listings = listings;
    *ret_count = servers.count;
    return HAFT_OK;
}

/* Those that may be used. */
static haft_status list_servers(haft__catalogue *catalogue, const haft__spec *spec, haft_error *err)
{
    const haft__mcp_listing *known = NULL;
    size_t count = 0;
    haft_status status = haft__exec_known(spec, &catalogue->arena, &known, &count, err);
    catalogue->listings = haft__arena_array(&catalogue->arena, count, sizeof(haft__mcp_listing));
    if (status == HAFT_OK && catalogue->listings == NULL) {
        status = haft__arena_fail(&catalogue->arena, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < count; i++) {
        if (haft__reveal_server(spec, known[i].server) == NULL) {
            catalogue->listings[catalogue->count] = known[i];
            catalogue->listings[catalogue->count++].error = HAFT__LIT(NOT_HERE);
        }
    }
    return status;
}

haft_status haft__exec_catalogue(haft__exec *exec, const haft__spec *spec,
                                 haft__catalogue_done *done, void *context,
                                 haft__catalogue **ret_catalogue, haft_error *err)
{
    haft__catalogue *catalogue = calloc(1, sizeof(*catalogue));
    if (catalogue == NULL) {
        return haft__fail_no_memory(err);
    }
    *catalogue = (haft__catalogue){.done = done, .context = context, .task.run = hand_on};
    haft__arena_init(&catalogue->arena, HAFT__LIMIT_ARENA_BYTES);
    haft_status status = list_servers(catalogue, spec, err);
    if (status != HAFT_OK) {
        haft__arena_finish(&catalogue->arena);
        free(catalogue);
        return status;
    }
    haft__loop_post(exec->options.loop, &catalogue->task);
    *ret_catalogue = catalogue;
    return HAFT_OK;
}

void haft__catalogue_cancel(haft__catalogue *catalogue)
{
    catalogue->done = NULL; /* the task that would call it gives it back */
}

static haft_status start(haft__exec_job *job, haft_error *err)
{
    (void)job;
    return haft__fail(err, HAFT_UNSUPPORTED, "", NOT_HERE);
}

static bool abandon(haft__exec_job *job)
{
    (void)job;
    return false;
}

const haft__executor haft__executor_mcp = {.start = start, .abandon = abandon};
