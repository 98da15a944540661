/* SPDX-License-Identifier: Apache-2.0 */
/* client.c - lifecycle of a client, its event queue, and the input from the host. Tests:
 * tests/mcp/client/open_test.c. Fuzzer: fuzz/mcp_client.c. */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client/client_int.h"
#include "mcp/visible.h"
#include "json/number.h"
#include "json/object.h"
#include "json/read.h"

/* ---- events ---- */

haft__mcp_client_event_node *haft__mcp_client_event_node_create(haft__mcp_client_event_kind kind)
{
    haft__mcp_client_event_node *node = calloc(1, sizeof(*node));
    if (node != NULL) {
        haft__arena_init(&node->arena, 0);
        node->event.kind = kind;
    }
    return node;
}

void haft__mcp_client_event_node_destroy(haft__mcp_client_event_node *node)
{
    if (node != NULL) {
        haft__mcp_tool_listing_destroy(node->listing);
        haft__arena_finish(&node->arena);
        free(node);
    }
}

void haft__mcp_client_push_event(haft__mcp_client *client, haft__mcp_client_event_node *node)
{
    node->next = NULL;
    if (client->last != NULL) {
        client->last->next = node;
    } else {
        client->first = node;
    }
    client->last = node;
}

bool haft__mcp_client_next(haft__mcp_client *client, haft__mcp_client_event *ret_event)
{
    haft__mcp_client_event_node *node = client->first;
    haft__mcp_client_event_node_destroy(client->taken);
    client->taken = node;
    if (node == NULL) {
        return false;
    }
    client->first = node->next;
    client->last = client->first != NULL ? client->last : NULL;
    if (node->listing != NULL) {
        haft__mcp_tool_listing_destroy(client->listed);
        client->listed = node->listing;
        node->listing = NULL;
    }
    *ret_event = node->event;
    return true;
}

/* ---- helpers ---- */

haft_status haft__mcp_client_copy_json(haft__arena *arena, haft__json value,
                                       haft__hash_key hash_key, haft__json *ret_copy,
                                       haft_error *err)
{
    haft__buf buf;
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = hash_key;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_BYTES);
    haft__json_write(&buf, value);
    haft_status status = haft__buf_check(&buf, err);
    if (status == HAFT_OK) {
        haft_str text = haft__arena_copy(arena, haft__buf_str(&buf));
        status = text.ptr != NULL ? haft__json_read(arena, text, &options, ret_copy, NULL, err)
                                  : haft__arena_fail(arena, err);
    }
    haft__buf_finish(&buf);
    return status;
}

void haft__mcp_client_fail_text(haft_error *error, haft_status status, const char *what,
                                haft_str text)
{
    haft__buf shown;
    haft__buf_init(&shown, sizeof(error->message));
    haft__visible_append(&shown, text, sizeof(error->message) - 1);
    (void)haft__fail(error, status, "", "%s%s%.*s", what,
                     shown.len > 0 && what[0] != '\0' ? ": " : "",
                     HAFT__ARG(haft__buf_str(&shown)));
    haft__buf_finish(&shown);
}

uint64_t haft__mcp_client_id_number(haft__json id)
{
    int64_t number = 0;
    bool is_own = id.kind == HAFT__JSON_NUMBER
                  && haft__number_to_int64(haft__json_text(id), &number) && number > 0;
    return is_own ? (uint64_t)number : 0;
}

/* ---- begin and end ---- */

static haft_status copy_text(haft__arena *arena, haft_str *io_text, haft_error *err)
{
    haft_str copy = haft__arena_copy(arena, *io_text);
    *io_text = copy;
    return copy.ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

static haft_status copy_options(haft__mcp_client *client, const haft__mcp_client_options *given,
                                haft_error *err)
{
    haft__mcp_client_options *own = &client->options;
    *own = *given;
    haft__mcp_root *roots = haft__arena_array(&client->arena, given->root_count, sizeof(*roots));
    haft_status status = roots != NULL ? HAFT_OK : haft__arena_fail(&client->arena, err);
    for (size_t i = 0; i < given->root_count && status == HAFT_OK; i++) {
        roots[i] = given->roots[i];
        status = copy_text(&client->arena, &roots[i].uri, err);
        if (status == HAFT_OK) {
            status = copy_text(&client->arena, &roots[i].name, err);
        }
    }
    own->roots = roots;
    haft_str *texts[] = {&own->origin.server, &own->version, &own->log_level};
    for (size_t i = 0; i < COUNT(texts) && status == HAFT_OK; i++) {
        status = copy_text(&client->arena, texts[i], err);
    }
    return status;
}

haft_status haft__mcp_client_create(const haft__mcp_client_options *options,
                                    haft__mcp_client **ret_client, haft_error *err)
{
    haft__mcp_client *client = calloc(1, sizeof(*client));
    haft__mcp_client_event_node *failure =
        haft__mcp_client_event_node_create(HAFT__MCP_EVENT_FAILED);
    if (client == NULL || failure == NULL) {
        free(client);
        haft__mcp_client_event_node_destroy(failure);
        return haft__fail_no_memory(err);
    }
    client->failure = failure;
    haft__arena_init(&client->arena, 0);
    haft_status status = copy_options(client, options, err);
    if (status != HAFT_OK) {
        haft__mcp_client_destroy(client);
        return status;
    }
    client->has_tools = true;
    *ret_client = client;
    return HAFT_OK;
}

void haft__mcp_client_destroy(haft__mcp_client *client)
{
    haft__mcp_client_event event;
    haft_error no_error = {.status = HAFT_OK};
    if (client == NULL) {
        return;
    }
    haft__mcp_client_fail_all(client, &no_error);
    while (haft__mcp_client_next(client, &event)) {
    }
    haft__mcp_tool_listing_destroy(client->listed);
    haft__mcp_client_event_node_destroy(client->failure);
    haft__arena_finish(&client->arena);
    free(client);
}

/* ---- loss of the connection ---- */

static void forget_requests(haft__mcp_client *client)
{
    client->discover_id = client->initialize_id = client->list_id = 0;
    client->listen_id = client->level_id = 0;
    client->session = HAFT__LIT("");
}

/* Ends the sent calls as LOST; with `all`, also the other calls. */
static void end_calls(haft__mcp_client *client, const haft_error *error, bool all)
{
    haft__mcp_pending_call *next;
    for (haft__mcp_pending_call *call = client->calls; call != NULL; call = next) {
        next = call->next;
        bool sent = call->state == HAFT__MCP_CALL_SENT;
        if (sent || all) {
            call->node->event.done.sent = sent;
            haft__mcp_client_call_end(
                client, call, sent ? HAFT__MCP_OUTCOME_LOST : HAFT__MCP_OUTCOME_ERROR, error);
        }
    }
}

/* Resets the era, because the assumed one was wrong. */
static void forget_era(haft__mcp_client *client)
{
    if (client->state == HAFT__MCP_CLIENT_PROBING
        || client->state == HAFT__MCP_CLIENT_INITIALIZING) {
        client->options.era = HAFT__MCP_ERA_UNKNOWN;
    }
}

void haft__mcp_client_fail_all(haft__mcp_client *client, const haft_error *error)
{
    forget_era(client);
    client->state = HAFT__MCP_CLIENT_FAILED;
    forget_requests(client);
    end_calls(client, error, true);
    haft__mcp_client_questions_end(client, 0);
    haft__mcp_client_list_fail(client, error);
    if (client->failure != NULL) { /* reported once per start */
        client->failure->event.error = *error;
        haft__mcp_client_push_event(client, client->failure);
        client->failure = NULL;
    }
}

static void disconnect(haft__mcp_client *client, const haft_error *error)
{
    bool open = client->state == HAFT__MCP_CLIENT_OPEN;
    forget_era(client);
    client->state =
        client->state == HAFT__MCP_CLIENT_FAILED ? HAFT__MCP_CLIENT_FAILED : HAFT__MCP_CLIENT_IDLE;
    forget_requests(client);
    end_calls(client, error, false);
    haft__mcp_client_questions_end(client, 0);
    if (open) { /* a listing that has not begun waits for the next session, like a call */
        haft__mcp_client_list_fail(client, error);
    }
}

haft_status haft__mcp_client_disconnected(haft__mcp_client *client, haft_str why, haft_error *err)
{
    haft_error error;
    (void)err;
    haft__mcp_client_fail_text(&error, HAFT_IO, "the connection to the server was lost", why);
    disconnect(client, &error);
    return HAFT_OK;
}

haft_status haft__mcp_client_abort(haft__mcp_client *client, haft_str why, haft_error *err)
{
    haft_error error;
    (void)err;
    haft__mcp_client_fail_text(&error, HAFT_IO, "the server cannot be used", why);
    haft__mcp_client_fail_all(client, &error);
    return HAFT_OK;
}

haft_status haft__mcp_client_check(haft__mcp_client *client, haft_status status)
{
    if (status != HAFT_OK) {
        haft_error error;
        (void)haft__fail_no_memory(&error);
        disconnect(client, &error);
    }
    return status;
}

/* ---- input from the host ---- */

haft_status haft__mcp_client_start(haft__mcp_client *client, haft_error *err)
{
    haft_error error;
    (void)haft__fail(&error, HAFT_IO, "", "the connection to the server was replaced");
    disconnect(client, &error); /* open requests of the earlier connection get no response */
    if (client->failure == NULL) {
        client->failure = haft__mcp_client_event_node_create(HAFT__MCP_EVENT_FAILED);
        if (client->failure == NULL) {
            return haft__mcp_client_check(client, haft__fail_no_memory(err));
        }
    }
    return haft__mcp_client_check(client, haft__mcp_client_open(client, err));
}

haft_status haft__mcp_client_probe_timed_out(haft__mcp_client *client, haft_error *err)
{
    if (client->state != HAFT__MCP_CLIENT_PROBING) {
        return HAFT_OK;
    }
    haft_status status = client->options.transport == HAFT__MCP_HTTP
                             ? haft__mcp_client_close_exchange(client, client->discover_id, err)
                             : HAFT_OK;
    client->discover_id = 0; /* a later response is ignored */
    return haft__mcp_client_check(
        client, status == HAFT_OK ? haft__mcp_client_initialize(client, err) : status);
}

haft_status haft__mcp_client_list(haft__mcp_client *client, haft_error *err)
{
    return haft__mcp_client_check(client, haft__mcp_client_list_begin(client, err));
}

haft__mcp_era haft__mcp_client_era(const haft__mcp_client *client)
{
    return client->state == HAFT__MCP_CLIENT_OPEN ? client->era : HAFT__MCP_ERA_UNKNOWN;
}
