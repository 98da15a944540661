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

static haft_status list_servers(haft__catalogue *catalogue, const haft__spec *spec, haft_error *err)
{
    const haft__json *servers = haft__json_get(spec->mcp, HAFT__LIT("servers"));
    size_t count = servers != NULL && servers->kind == HAFT__JSON_OBJECT ? servers->count : 0;
    catalogue->listings = haft__arena_array(&catalogue->arena, count, sizeof(haft__mcp_listing));
    if (catalogue->listings == NULL) {
        return haft__arena_fail(&catalogue->arena, err);
    }
    for (size_t i = 0; i < count; i++) {
        haft_str name = haft__json_text(servers->members[i].key);
        const char *why = haft__reveal_server(spec, name);
        if (why == NULL) {
            catalogue->listings[catalogue->count++] = (haft__mcp_listing){
                .server = name, .state = HAFT__LIT("configured"), .error = HAFT__LIT(NOT_HERE)};
        }
    }
    return HAFT_OK;
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
