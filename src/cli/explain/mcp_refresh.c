/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_refresh.c - the lists of MCP servers made anew. Tests: tests/mcp/changes_test.py. */
#include "cli/explain/mcp_refresh.h"

#include "base/error.h"
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/terminal/print.h"
#include "exec/mcp/mcp.h"

typedef struct refresh_state {
    haft__cli *cli;
    bool told;
    haft__mcp_refresh_failure *unlisted;
    size_t count;
    bool no_memory;
} refresh_state;

static void add_failure(refresh_state *a, const haft__mcp_listing *listing)
{
    haft__mcp_refresh_failure *it = &a->unlisted[a->count++];
    it->server = haft__arena_copy(&a->cli->arena, listing->server);
    it->error = haft__arena_copy(&a->cli->arena, listing->error);
    a->no_memory |= it->server.ptr == NULL || it->error.ptr == NULL;
}

static void on_listings(void *context, const haft__mcp_listing *listings, size_t count)
{
    refresh_state *a = context;
    a->told = true;
    a->unlisted = haft__arena_array(&a->cli->arena, count, sizeof(*a->unlisted));
    a->no_memory = a->unlisted == NULL;
    for (size_t i = 0; i < count && !a->no_memory; i++) {
        if (listings[i].error.len > 0) {
            add_failure(a, &listings[i]);
            (void)fprintf(a->cli->errors, "server %.*s: ", HAFT__ARG(listings[i].server));
            haft__print_escaped(a->cli->errors, listings[i].error);
            (void)fputc('\n', a->cli->errors);
        }
    }
}

/* It ends: asking has its own deadline. */
static haft_status list_tools(haft__exec *exec, haft__loop *loop, const haft__spec *spec,
                              refresh_state *a, haft_error *err)
{
    haft__catalogue *catalogue = NULL;
    haft_status status = haft__exec_catalogue(exec, spec, on_listings, a, &catalogue, err);
    if (status != HAFT_OK) {
        return status;
    }
    while (status == HAFT_OK && !a->told) {
        status = haft__loop_step(loop, 1000, err);
    }
    if (!a->told) {
        haft__catalogue_cancel(catalogue);
    }
    return status == HAFT_OK && a->no_memory ? haft__fail_no_memory(err) : status;
}

haft_status haft__mcp_refresh(haft__cli *cli, const haft__spec *spec,
                              const haft__mcp_refresh_failure **ret_unlisted, size_t *ret_count,
                              haft_error *err)
{
    refresh_state a = {.cli = cli};
    haft__loop *loop = NULL;
    haft__exec *exec = NULL;
    haft_status status = haft__loop_create(&loop, err);
    if (status != HAFT_OK) {
        return status;
    }
    haft__exec_options options = {.loop = loop, .env = haft__config_env(cli).env, .refresh = true};
    status = haft__exec_create(&options, &exec, err);
    if (status == HAFT_OK) {
        status = list_tools(exec, loop, spec, &a, err);
        haft__exec_destroy(exec);
    }
    haft__loop_destroy(loop);
    *ret_unlisted = a.unlisted;
    *ret_count = a.count;
    return status;
}
