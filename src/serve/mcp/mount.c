/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mount.c - an MCP server for each agent, made at its first request. Tests:
 * tests/serve/mcp_test.py.
 *
 * The gateway has checked Host, Origin and token. A session belongs to its principal, and runs act
 * for the user of the token. If the spec of an agent has changed, its server is replaced as soon as
 * it has no request; until then it serves the earlier spec.
 */
#include "serve/mcp/mount.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "exec/state_file.h"
#include "io/random.h"
#include "serve/mcp/endpoint.h"
#include "serve/mcp/seal_file.h"
#include "serve/mcp/spec.h"

#define PREFIX "/mcp/"

typedef struct mounted_agent {
    haft_agent *agent;
    haft__arena arena;
    haft__mcp_seal_file seal;
    haft__mcp_spec_server *spec_server;
    haft__mcp_server *server;
    haft__mcp_endpoint *endpoint;
    char *name;
    struct mounted_agent *next;
} mounted_agent;

struct haft__mcp_mount {
    haft__mcp_mount_options options;
    mounted_agent *agents;
    bool stopping;
};

/* ---- one agent ---- */

static void free_agent(mounted_agent *one)
{
    haft__mcp_endpoint_destroy(one->endpoint);
    haft__mcp_spec_destroy(one->spec_server);
    haft__mcp_server_destroy(one->server);
    haft_agent_release(one->agent);
    haft__arena_finish(&one->arena);
    free(one->name);
    free(one);
}

static haft_status open_agent(const haft__mcp_mount *mount, mounted_agent *one, haft_error *err)
{
    const haft__spec *spec = one->agent->spec;
    haft_str why = HAFT__LIT("");
    haft__mcp_spec_options options = {.runtime = mount->options.runtime,
                                      .spec = spec,
                                      .agent = one->agent,
                                      .store = mount->options.store,
                                      .among_others = true};
    haft__mcp_server_options server = {.name = haft__str(one->name),
                                       .title = haft__str(one->name),
                                       .version = HAFT__LIT(HAFT_VERSION),
                                       .instructions = spec->description,
                                       .served = &haft__mcp_spec_handlers,
                                       .hash_key = haft__random_hash_key()};
    haft__mcp_endpoint_options endpoint = {.loop = mount->options.runtime->loop, .path = PREFIX};
    haft_status status = haft__mcp_seal_file_open(
        &one->arena, haft__state_file_directory(&one->arena), spec, &one->seal, &why, err);
    if (status == HAFT_OK) {
        status = haft__mcp_spec_create(&options, &one->spec_server, err);
    }
    if (status == HAFT_OK) {
        server.key = one->seal.key;
        server.context = one->spec_server;
        server.share = one->seal.path.ptr != NULL ? haft__mcp_seal_file_update : NULL;
        server.share_context = &one->seal;
        status = haft__mcp_server_create(&server, &one->server, err);
    }
    if (status == HAFT_OK) {
        endpoint.server = one->server;
        status = haft__mcp_endpoint_create(&endpoint, &one->endpoint, err);
    }
    return status;
}

static mounted_agent *create_agent(haft__mcp_mount *mount, haft_str name, haft_agent *agent,
                                   haft_error *err)
{
    mounted_agent *one = calloc(1, sizeof(*one));
    if (one == NULL) {
        (void)haft__fail_no_memory(err);
        return NULL;
    }
    haft__arena_init(&one->arena, 0);
    haft__agent_retain(agent);
    one->agent = agent;
    one->name = haft__str_duplicate(name);
    haft_status status =
        one->name != NULL ? open_agent(mount, one, err) : haft__fail_no_memory(err);
    if (status != HAFT_OK) {
        free_agent(one);
        return NULL;
    }
    one->next = mount->agents;
    mount->agents = one;
    return one;
}

static bool is_idle(const mounted_agent *one)
{
    return !haft__mcp_spec_busy(one->spec_server);
}

/* The server of the agent, replaced if its spec has changed and nobody uses it. */
static mounted_agent *find_agent(haft__mcp_mount *mount, haft_str name, haft_error *err)
{
    haft_agent *agent = haft__runs_find_agent(mount->options.runs, name, err);
    mounted_agent **at = &mount->agents;
    while (*at != NULL && !haft__str_equal(haft__str((*at)->name), name)) {
        at = &(*at)->next;
    }
    mounted_agent *one = *at;
    if (agent == NULL) {
        return NULL;
    }
    if (one != NULL && one->agent != agent && is_idle(one)) {
        *at = one->next;
        free_agent(one);
        one = NULL;
    }
    return one != NULL ? one : create_agent(mount, name, agent, err);
}

/* ---- requests ---- */

static haft_str name_of(const haft__http_server_request *request)
{
    return haft__str_skip(haft__http_server_path(request), sizeof(PREFIX) - 1);
}

static void reject(haft__http_server_request *request, uint32_t status, const haft_error *error)
{
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_SERVE_PROBLEM_BYTES);
    haft__api_problem_write(&body, status, error, HAFT__LIT(""));
    haft__http_server_head head = {.status = status,
                                   .content_type = HAFT__LIT("application/problem+json")};
    haft__http_server_reply(request, &head,
                            haft__buf_check(&body, NULL) == HAFT_OK ? haft__buf_str(&body)
                                                                    : HAFT__LIT(""));
    haft__buf_finish(&body);
}

static bool accept_body(void *context, const haft__http_server_request *request)
{
    haft__mcp_mount *mount = context;
    const mounted_agent *one = mount->stopping ? NULL : find_agent(mount, name_of(request), NULL);
    return one != NULL && haft__mcp_endpoint_accept_body(one->endpoint, request);
}

static void handle(void *context, haft__http_server_request *request, const haft__principal *who)
{
    haft__mcp_mount *mount = context;
    haft_error err = {0};
    if (mount->stopping) {
        (void)haft__fail(&err, HAFT_IO, "", "the server is stopping");
        reject(request, 503, &err);
        return;
    }
    mounted_agent *one = find_agent(mount, name_of(request), &err);
    if (one == NULL) {
        reject(request, haft__api_http_status(err.status), &err);
        return;
    }
    haft__mcp_spec_set_user(one->spec_server, who->user.len > 0 ? who->user : HAFT__LIT("mcp"));
    haft__mcp_endpoint_handle(one->endpoint, request, who->name);
    haft__mcp_spec_set_user(one->spec_server, HAFT__LIT("mcp"));
}

haft__api_mount haft__mcp_mount_route(haft__mcp_mount *mount)
{
    return (haft__api_mount){.prefix = PREFIX,
                             .role = HAFT__ROLE_RUN,
                             .accept_body = accept_body,
                             .handle = handle,
                             .context = mount};
}

/* ---- life ---- */

haft_status haft__mcp_mount_create(const haft__mcp_mount_options *options,
                                   haft__mcp_mount **ret_mount, haft_error *err)
{
    haft__mcp_mount *mount = calloc(1, sizeof(*mount));
    if (mount == NULL) {
        return haft__fail_no_memory(err);
    }
    mount->options = *options;
    *ret_mount = mount;
    return HAFT_OK;
}

void haft__mcp_mount_update(haft__mcp_mount *mount)
{
    for (mounted_agent *one = mount != NULL ? mount->agents : NULL; one != NULL; one = one->next) {
        haft__mcp_spec_update_runs(one->spec_server);
    }
}

void haft__mcp_mount_shutdown(haft__mcp_mount *mount)
{
    if (mount == NULL) {
        return;
    }
    mount->stopping = true;
    for (mounted_agent *one = mount->agents; one != NULL; one = one->next) {
        haft__mcp_endpoint_destroy(one->endpoint);
        one->endpoint = NULL;
        haft__mcp_spec_shutdown(one->spec_server);
    }
}

bool haft__mcp_mount_is_busy(const haft__mcp_mount *mount)
{
    for (const mounted_agent *one = mount != NULL ? mount->agents : NULL; one != NULL;
         one = one->next) {
        if (haft__mcp_spec_busy(one->spec_server)) {
            return true;
        }
    }
    return false;
}

void haft__mcp_mount_destroy(haft__mcp_mount *mount)
{
    while (mount != NULL && mount->agents != NULL) {
        mounted_agent *one = mount->agents;
        mount->agents = one->next;
        free_agent(one);
    }
    free(mount);
}
