/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.c - determines the era of a server and negotiates the version.
 *
 * A modern server supports server/discover. If the response is an error or does not arrive, the
 * client sends initialize, because old servers fail in too many different ways to recognise one of
 * them. Each of the two requests is tried once. Tests: tests/mcp/client/open_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client/client_int.h"
#include "mcp/version.h"
#include "mcp/visible.h"
#include "json/object.h"

#define NAME_BYTES 200 /* maximum bytes of the server's name */

static haft_status fail(haft__mcp_client *client, const haft_error *error)
{
    haft__mcp_client_fail_all(client, error);
    return HAFT_OK;
}

/* ---- requests ---- */

static haft_status discover(haft__mcp_client *client, haft_error *err)
{
    haft__mcp_client_outgoing out;
    client->state = HAFT__MCP_CLIENT_PROBING;
    client->tried_discover = true;
    client->discover_id = ++client->last_id;
    haft__mcp_client_outgoing_begin(client, &out, client->discover_id, "server/discover", false);
    return haft__mcp_client_outgoing_end(client, &out, NULL, err);
}

static haft_status initialize_as(haft__mcp_client *client, haft_str version, haft_error *err)
{
    haft__mcp_client_outgoing out;
    client->state = HAFT__MCP_CLIENT_INITIALIZING;
    client->tried_initialize = true;
    client->session = HAFT__LIT("");
    client->initialize_id = ++client->last_id;
    haft__mcp_client_outgoing_begin(client, &out, client->initialize_id, "initialize", false);
    haft__field_text(&out.w, "protocolVersion", version);
    haft__json_key(&out.w, "capabilities");
    haft__mcp_client_add_capabilities(client, &out.w);
    haft__json_key(&out.w, "clientInfo");
    haft__mcp_client_add_info(client, &out.w);
    return haft__mcp_client_outgoing_end(client, &out, NULL, err);
}

haft_status haft__mcp_client_initialize(haft__mcp_client *client, haft_error *err)
{
    return initialize_as(client, HAFT__LIT(HAFT__MCP_LEGACY_VERSION), err);
}

haft_status haft__mcp_client_open(haft__mcp_client *client, haft_error *err)
{
    client->tried_discover = client->tried_initialize = client->retried = false;
    client->cancels = false;
    client->era = HAFT__MCP_ERA_UNKNOWN;
    client->session = HAFT__LIT("");
    client->list_id = client->listen_id = client->level_id = 0;
    client->discover_id = client->initialize_id = 0;
    return client->options.era == HAFT__MCP_ERA_LEGACY ? haft__mcp_client_initialize(client, err)
                                                       : discover(client, err);
}

haft_status haft__mcp_client_reopen(haft__mcp_client *client, haft_error *err)
{
    if (client->state == HAFT__MCP_CLIENT_INITIALIZING) {
        return HAFT_OK; /* already sent */
    }
    client->level_id = client->listen_id = 0;
    return haft__mcp_client_initialize(client, err);
}

/* ---- ready ---- */

static haft_status visible(haft__arena *arena, haft__json value, size_t max, haft_str *ret_text,
                           haft_error *err)
{
    return haft__visible_copy(arena, haft__json_text(value), max, ret_text, err);
}

static haft_status notify_ready(haft__mcp_client *client, haft__json info, haft__json instructions,
                                haft_error *err)
{
    haft__mcp_client_event_node *node = haft__mcp_client_event_node_create(HAFT__MCP_EVENT_READY);
    if (node == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__mcp_ready ready = {.era = client->era,
                             .protocol = client->protocol,
                             .tools = client->has_tools,
                             .push = client->options.transport == HAFT__MCP_HTTP
                                     && client->era == HAFT__MCP_ERA_LEGACY && client->has_changes};
    haft__json copy_info, copy_text;
    haft__hash_key key = client->options.origin.hash_key;
    haft_status status = haft__mcp_client_copy_json(&node->arena, info, key, &copy_info, err);
    if (status == HAFT_OK) {
        status = haft__mcp_client_copy_json(&node->arena, instructions, key, &copy_text, err);
    }
    if (status == HAFT_OK) {
        status = visible(&node->arena, haft__object_get(copy_info, "name"), NAME_BYTES,
                         &ready.server_name, err);
    }
    if (status == HAFT_OK) {
        status = visible(&node->arena, haft__object_get(copy_info, "version"), NAME_BYTES,
                         &ready.server_version, err);
    }
    if (status == HAFT_OK) {
        status = visible(&node->arena, copy_text, HAFT__LIMIT_MCP_INSTRUCTIONS_BYTES,
                         &ready.instructions, err);
    }
    node->event.ready = ready;
    if (status != HAFT_OK) {
        haft__mcp_client_event_node_destroy(node);
        return status;
    }
    haft__mcp_client_push_event(client, node);
    return HAFT_OK;
}

/* Reports that the session is ready, and sends all waiting requests. */
static haft_status finish_opening(haft__mcp_client *client, haft_error *err)
{
    haft_status status = HAFT_OK;
    if (client->listing != NULL && client->list_id == 0) {
        status = haft__mcp_client_list_send(client, err);
    }
    if (status == HAFT_OK) {
        status = haft__mcp_client_listen(client, err);
    }
    return status == HAFT_OK ? haft__mcp_client_calls_send(client, err) : status;
}

static void read_capabilities(haft__mcp_client *client, haft__json capabilities)
{
    haft__json tools = haft__object_get(capabilities, "tools");
    client->has_tools = tools.kind == HAFT__JSON_OBJECT;
    client->has_changes = haft__object_get(tools, "listChanged").kind == HAFT__JSON_TRUE;
}

static haft_status open_modern(haft__mcp_client *client, const haft__json *result, haft_error *err)
{
    haft__json null = haft__json_null();
    haft__json meta = result != NULL ? haft__object_get(*result, "_meta") : null;
    haft__json info = haft__object_get(meta, "io.modelcontextprotocol/serverInfo");
    client->state = HAFT__MCP_CLIENT_OPEN;
    client->era = client->options.era = HAFT__MCP_ERA_MODERN;
    client->protocol = HAFT__LIT(HAFT__MCP_MODERN_VERSION);
    client->has_tools = true; /* the default if the server declares no capabilities */
    client->has_changes = false;
    if (result != NULL) {
        read_capabilities(client, haft__object_get(*result, "capabilities"));
    }
    haft_status status = notify_ready(
        client, info, result != NULL ? haft__object_get(*result, "instructions") : null, err);
    return status == HAFT_OK ? finish_opening(client, err) : status;
}

/* ---- responses ---- */

/* Continues with the best version in the server's list. *ret_done is false if the server sent no
 * list, or if its list has no untried version. */
static haft_status use_versions(haft__mcp_client *client, haft__json versions, bool *ret_done,
                                haft_error *err)
{
    haft_str version = haft__mcp_version_choose(versions);
    *ret_done = true;
    if (haft__mcp_version_modern(version) && !client->tried_discover) {
        return discover(client, err);
    }
    if (haft__mcp_version_legacy(version) && !client->tried_initialize) {
        return initialize_as(client, version, err);
    }
    *ret_done = false;
    return HAFT_OK;
}

static haft_status no_version(haft__mcp_client *client)
{
    haft_error error;
    (void)haft__fail(&error, HAFT_UNSUPPORTED, "",
                     "the server supports no version of MCP that haft supports");
    (void)haft__hint(&error, HAFT_UNSUPPORTED,
                     "haft supports %s and, with initialize, %s and older",
                     HAFT__MCP_MODERN_VERSION, HAFT__MCP_LEGACY_VERSION);
    return fail(client, &error);
}

haft_status haft__mcp_client_on_discovered(haft__mcp_client *client,
                                           const haft__rpc_message *message, haft_error *err)
{
    bool answer = message->kind == HAFT__RPC_RESULT, done = false;
    haft__json versions = haft__object_get(answer ? message->result : message->data,
                                           answer ? "supportedVersions" : "supported");
    haft_str version = haft__mcp_version_choose(versions);
    client->discover_id = 0;
    if (answer && haft__mcp_version_modern(version)) {
        return open_modern(client, &message->result, err);
    }
    if (!answer && (message->code == HAFT__RPC_HEADER || message->code == HAFT__RPC_CAPABILITY)) {
        return open_modern(client, NULL, err);
    }
    bool modern =
        versions.kind == HAFT__JSON_ARRAY && (answer || message->code == HAFT__RPC_VERSION);
    if (modern && haft__mcp_version_modern(version) && !client->retried) {
        client->retried = true; /* the server rejected a version that it lists: retry once */
        return discover(client, err);
    }
    if (modern) {
        haft_status status = use_versions(client, versions, &done, err);
        return status != HAFT_OK || done ? status : no_version(client);
    }
    if (client->tried_initialize) {
        return no_version(client);
    }
    return haft__mcp_client_initialize(client, err);
}

/* Fails with the server's error message, or with the error of its invalid response. */
static haft_status refused(haft__mcp_client *client, const haft__rpc_message *message,
                           haft_error *err)
{
    bool done = false;
    haft_error error;
    haft__json versions = haft__object_get(message->data, "supported");
    haft_str version = haft__mcp_version_choose(versions);
    haft_status status = HAFT_OK;
    if (haft__mcp_version_legacy(version)
        && !haft__str_equal(version, HAFT__LIT(HAFT__MCP_LEGACY_VERSION))
        && client->era == HAFT__MCP_ERA_UNKNOWN) {
        client->era = HAFT__MCP_ERA_LEGACY; /* another version is tried once */
        return initialize_as(client, version, err);
    }
    status = use_versions(client, versions, &done, err);
    if (status != HAFT_OK || done) {
        return status;
    }
    haft__mcp_client_fail_text(&error, HAFT_UNSUPPORTED, "the server rejected initialize",
                               message->message);
    return fail(client, &error);
}

static haft_status set_level(haft__mcp_client *client, haft__json capabilities, haft_error *err)
{
    haft__mcp_client_outgoing out;
    if (client->options.log_level.len == 0
        || haft__object_get(capabilities, "logging").kind != HAFT__JSON_OBJECT) {
        return HAFT_OK;
    }
    client->level_id = ++client->last_id;
    haft__mcp_client_outgoing_begin(client, &out, client->level_id, "logging/setLevel", false);
    haft__field_text(&out.w, "level", client->options.log_level);
    return haft__mcp_client_outgoing_end(client, &out, NULL, err);
}

static haft_status open_legacy(haft__mcp_client *client, haft__json result, haft_error *err)
{
    haft__mcp_client_outgoing out;
    haft__json capabilities = haft__object_get(result, "capabilities");
    client->state = HAFT__MCP_CLIENT_OPEN;
    client->era = client->options.era = HAFT__MCP_ERA_LEGACY;
    read_capabilities(client, capabilities);
    haft__mcp_client_outgoing_begin(client, &out, 0, "notifications/initialized", false);
    haft_status status = haft__mcp_client_outgoing_end(client, &out, NULL, err);
    if (status == HAFT_OK) {
        status = set_level(client, capabilities, err);
    }
    if (status == HAFT_OK) {
        status = notify_ready(client, haft__object_get(result, "serverInfo"),
                              haft__object_get(result, "instructions"), err);
    }
    return status == HAFT_OK ? finish_opening(client, err) : status;
}

haft_status haft__mcp_client_on_initialized(haft__mcp_client *client,
                                            const haft__rpc_message *message, haft_error *err)
{
    client->initialize_id = 0;
    if (message->kind == HAFT__RPC_ERROR) {
        return refused(client, message, err);
    }
    haft__json version = haft__object_get(message->result, "protocolVersion");
    haft__json list = haft__json_array(&version, 1);
    haft_str chosen = haft__mcp_version_choose(list);
    if (!haft__mcp_version_legacy(chosen)) {
        haft_error error;
        haft__mcp_client_fail_text(&error, HAFT_UNSUPPORTED,
                                   "the server supports no version of MCP that haft supports",
                                   haft__json_text(version));
        return fail(client, &error);
    }
    client->protocol = chosen; /* a static text, not the text of the server */
    return open_legacy(client, message->result, err);
}
