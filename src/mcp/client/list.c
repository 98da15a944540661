/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - the list of a server's tools, page by page, and change notifications.
 *
 * A list whose pages repeat, or that is too long, is truncated. An entry that cannot be used is
 * skipped. Both are reported with the reason. Tests: tests/mcp/client/list_test.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "mcp/client/client_int.h"
#include "mcp/visible.h"
#include "json/number.h"
#include "json/object.h"

#define SHOWN_BYTES 80 /* maximum bytes of a name in a warning */

/* ---- begin and end ---- */

static void drop_pages(haft__mcp_tool_listing *listing)
{
    while (listing->pages != NULL) {
        haft__mcp_page *page = listing->pages;
        listing->pages = page->next;
        haft__arena_finish(&page->arena);
        free(page);
    }
}

void haft__mcp_tool_listing_destroy(haft__mcp_tool_listing *listing)
{
    if (listing != NULL) {
        drop_pages(listing);
        haft__arena_finish(&listing->arena);
        haft__mcp_client_event_node_destroy(listing->node);
        free(listing->tools);
        free(listing);
    }
}

static void list_init(haft__mcp_client *client, haft__mcp_tool_listing *listing)
{
    haft__arena_init(&listing->arena, 0);
    haft__map_init(&listing->names, &listing->arena, client->options.origin.hash_key);
    haft__map_init(&listing->cursors, &listing->arena, client->options.origin.hash_key);
}

haft_status haft__mcp_client_list_begin(haft__mcp_client *client, haft_error *err)
{
    if (client->listing != NULL) {
        return HAFT_OK;
    }
    haft__mcp_tool_listing *listing = calloc(1, sizeof(*listing));
    haft__mcp_client_event_node *node = haft__mcp_client_event_node_create(HAFT__MCP_EVENT_TOOLS);
    if (listing == NULL || node == NULL) {
        free(listing);
        haft__mcp_client_event_node_destroy(node);
        return haft__fail_no_memory(err);
    }
    list_init(client, listing);
    listing->node = node;
    client->listing = listing;
    client->stale = false;
    if (client->state == HAFT__MCP_CLIENT_FAILED) {
        haft_error error;
        (void)haft__fail(&error, HAFT_BAD_STATE, "", "the server cannot be used");
        haft__mcp_client_list_fail(client, &error);
        return HAFT_OK;
    }
    if (client->state != HAFT__MCP_CLIENT_OPEN) {
        return HAFT_OK; /* sent when the session is open */
    }
    haft_status status = haft__mcp_client_listen(client, err); /* no effect if already subscribed */
    return status == HAFT_OK ? haft__mcp_client_list_send(client, err) : status;
}

void haft__mcp_client_list_reset(haft__mcp_client *client)
{
    haft__mcp_tool_listing *listing = client->listing;
    drop_pages(listing);
    haft__arena_finish(&listing->arena);
    list_init(client, listing);
    listing->page_count = listing->bytes = listing->count = 0;
    listing->left_out_count = listing->left_out_all = 0;
    listing->left_out = NULL;
    listing->has_ttl = false; /* the value belonged to the earlier list */
    listing->ttl_ms = 0;
    listing->cursor = (haft_str){NULL, 0};
    client->list_id = 0;
}

/* Ends the listing. The event owns the listing until the host takes the event. */
static void finish(haft__mcp_client *client, const haft_error *error)
{
    haft__mcp_tool_listing *listing = client->listing;
    haft__mcp_client_event_node *node = listing->node;
    haft__mcp_tools tools = {.items = listing->tools,
                             .count = listing->count,
                             .left_out = listing->left_out,
                             .left_out_count = listing->left_out_count,
                             .left_out_all = listing->left_out_all,
                             .has_ttl = listing->has_ttl,
                             .ttl_ms = listing->ttl_ms};
    client->listing = NULL;
    client->list_id = 0;
    listing->node = NULL;
    if (error != NULL) {
        haft__mcp_tool_listing_destroy(listing);
        node->event.tools = (haft__mcp_tools){.error = *error};
    } else {
        node->event.tools = tools;
        node->listing = client->newest = listing;
    }
    haft__mcp_client_push_event(client, node);
}

void haft__mcp_client_list_fail(haft__mcp_client *client, const haft_error *error)
{
    if (client->listing != NULL) {
        finish(client, error);
    }
}

/* Requests the next page; a server without tools gets no request. */
haft_status haft__mcp_client_list_send(haft__mcp_client *client, haft_error *err)
{
    haft__mcp_client_outgoing out;
    if (!client->has_tools) {
        finish(client, NULL);
        return HAFT_OK;
    }
    client->list_id = ++client->last_id;
    haft__mcp_client_outgoing_begin(client, &out, client->list_id, "tools/list", false);
    if (client->listing->cursor.ptr != NULL) {
        haft__field_text(&out.w, "cursor", client->listing->cursor);
    }
    return haft__mcp_client_outgoing_end(client, &out, NULL, err);
}

/* ---- entries ---- */

static haft_status skip_tool(haft__mcp_tool_listing *listing, haft_str name, const char *where,
                             const char *why, haft_error *err)
{
    haft__mcp_skipped_tool out = {.tool = HAFT__LIT("")};
    listing->left_out_all++;
    if (listing->left_out == NULL) {
        listing->left_out = haft__arena_array(&listing->arena, HAFT__LIMIT_MCP_WARNINGS,
                                              sizeof(*listing->left_out));
    }
    if (listing->left_out == NULL) {
        return haft__arena_fail(&listing->arena, err);
    }
    if (listing->left_out_count == HAFT__LIMIT_MCP_WARNINGS) {
        return HAFT_OK;
    }
    haft_str reason =
        haft__arena_format(&listing->arena, "%s%s%s", where, where[0] != '\0' ? ": " : "", why);
    haft_str copy = haft__arena_copy(&listing->arena, name);
    if (reason.ptr == NULL || copy.ptr == NULL) {
        return haft__arena_fail(&listing->arena, err);
    }
    haft_status status = haft__visible_copy(&listing->arena, copy, SHOWN_BYTES, &out.tool, err);
    if (status == HAFT_OK) {
        status = haft__visible_copy(&listing->arena, reason, HAFT__LIMIT_MCP_LOG_BYTES, &out.reason,
                                    err);
    }
    listing->left_out[listing->left_out_count] = out;
    listing->left_out_count += status == HAFT_OK;
    return status;
}

static haft_status make_room(haft__mcp_tool_listing *listing, haft_error *err)
{
    haft__mcp_tool *tools =
        haft__vec_reserve(listing->tools, &listing->capacity, listing->count + 1, sizeof(*tools));
    if (tools == NULL) {
        return haft__fail_no_memory(err);
    }
    listing->tools = tools;
    return HAFT_OK;
}

static haft_status add_entry(haft__mcp_client *client, haft__arena *arena, haft__json entry,
                             haft_str name, bool has_secret, haft_error *err)
{
    haft__mcp_tool_listing *listing = client->listing;
    haft__mcp_tool tool;
    haft_error why = {.status = HAFT_OK};
    haft_status status = make_room(listing, err);
    if (status != HAFT_OK) {
        return status;
    }
    if (has_secret) {
        return skip_tool(listing, name, "", "its definition contains a secret", err);
    }
    haft__json task = haft__object_get(haft__object_get(entry, "execution"), "taskSupport");
    if (haft__str_equal(haft__json_text(task), HAFT__LIT("required"))) {
        return skip_tool(listing, name, "/execution/taskSupport",
                         "it can be called only as a task, and haft does not support tasks", err);
    }
    status = haft__mcp_tool_read(arena, entry, &client->options.origin, &tool, &why);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(err);
    }
    if (status != HAFT_OK) {
        return skip_tool(listing, name, why.where, why.message, err);
    }
    if (haft__map_get(&listing->names, tool.remote) != NULL) {
        return skip_tool(listing, name, "", "an earlier tool has the same name", err);
    }
    listing->tools[listing->count++] = tool;
    return haft__map_put(&listing->names, tool.remote, listing, err);
}

/* `secrets`: the page contains secrets. */
static haft_status add_entries(haft__mcp_client *client, haft__arena *arena, haft__json entries,
                               bool secrets, bool *ret_full, haft_error *err)
{
    haft__mcp_tool_listing *listing = client->listing;
    haft_status status = HAFT_OK;
    for (uint32_t i = 0; i < entries.count && status == HAFT_OK && !*ret_full; i++) {
        haft__json redacted = entries.items[i];
        bool secret = false;
        if (secrets) {
            status = haft__mcp_client_redact_value(client, arena, &redacted, &secret, err);
        }
        haft_str name = haft__json_text(haft__object_get(redacted, "name"));
        *ret_full = listing->count == HAFT__LIMIT_MCP_TOOLS;
        if (status == HAFT_OK && *ret_full) {
            status =
                skip_tool(listing, HAFT__LIT(""), "",
                          "the server has more tools than haft accepts; the rest is skipped", err);
        } else if (status == HAFT_OK) {
            status = add_entry(client, arena, entries.items[i], name, secret, err);
        }
    }
    return status;
}

/* ---- pages ---- */

/* The cursor of the next page; .ptr is NULL if no page follows or the cursor cannot be used. */
static haft_status next_cursor(haft__mcp_tool_listing *listing, haft__json result,
                               haft_str *ret_cursor, haft_error *err)
{
    haft__json next = haft__object_get(result, "nextCursor");
    haft_str text = haft__json_text(next);
    const char *why = NULL;
    *ret_cursor = (haft_str){NULL, 0};
    if (next.kind == HAFT__JSON_NULL) {
        return HAFT_OK;
    }
    if (next.kind != HAFT__JSON_STRING || text.len > HAFT__LIMIT_MCP_CURSOR_BYTES) {
        why = "the list is incomplete: its nextCursor is not valid";
    } else if (haft__map_get(&listing->cursors, text) != NULL) {
        why = "the list is incomplete: its pages repeat";
    } else if (listing->page_count >= HAFT__LIMIT_MCP_PAGES) {
        why = "the list is incomplete: it has too many pages";
    } else if (listing->bytes >= HAFT__LIMIT_MCP_LIST_BYTES) {
        why = "the list is incomplete: it is too long";
    }
    if (why != NULL) {
        return skip_tool(listing, HAFT__LIT(""), "", why, err);
    }
    haft_str copy = haft__arena_copy(&listing->arena, text);
    if (copy.ptr == NULL) {
        return haft__arena_fail(&listing->arena, err);
    }
    *ret_cursor = copy;
    return haft__map_put(&listing->cursors, copy, listing, err);
}

static void read_ttl(haft__mcp_tool_listing *listing, haft__json result)
{
    int64_t ttl;
    haft__json value = haft__object_get(result, "ttlMs");
    if (value.kind == HAFT__JSON_NUMBER && haft__number_to_int64(haft__json_text(value), &ttl)
        && ttl >= 0) {
        bool is_shorter = !listing->has_ttl || (uint64_t)ttl < listing->ttl_ms;
        listing->ttl_ms = is_shorter ? (uint64_t)ttl : listing->ttl_ms;
        listing->has_ttl = true;
    }
}

/* Keeps the arena of the message, because the tools point into it. */
static haft_status keep_page(haft__mcp_tool_listing *listing, size_t bytes, haft__arena *io_arena,
                             haft__arena **ret_arena, haft_error *err)
{
    haft__mcp_page *page = calloc(1, sizeof(*page));
    if (page == NULL) {
        return haft__fail_no_memory(err);
    }
    page->arena = *io_arena;
    haft__arena_init(io_arena, 0);
    page->next = listing->pages;
    listing->pages = page;
    listing->page_count++;
    listing->bytes += bytes;
    *ret_arena = &page->arena;
    return HAFT_OK;
}

/* Uses the message before redaction, because cursors are sent back and definitions are hashed. A
 * definition with a secret is skipped. */
static haft_status read_page(haft__mcp_client *client, const haft__rpc_message *message,
                             size_t bytes, haft__arena *io_arena, haft_error *err)
{
    bool secrets = message->exact.kind != HAFT__JSON_NULL;
    haft__json result = secrets ? message->exact : message->result;
    haft__mcp_tool_listing *listing = client->listing;
    haft__arena *arena = NULL;
    bool full = false;
    read_ttl(listing, result);
    listing->cursor = (haft_str){NULL, 0};
    haft_status status = keep_page(listing, bytes, io_arena, &arena, err);
    if (status == HAFT_OK) {
        status = add_entries(client, arena, haft__object_get(result, "tools"), secrets, &full, err);
    }
    if (status == HAFT_OK && !full) {
        status = next_cursor(listing, result, &listing->cursor, err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    if (listing->cursor.ptr != NULL) {
        return haft__mcp_client_list_send(client, err);
    }
    finish(client, NULL);
    return HAFT_OK;
}

haft_status haft__mcp_client_list_answer(haft__mcp_client *client, const haft__rpc_message *message,
                                         size_t bytes, haft__arena *io_arena, haft_error *err)
{
    haft_error error;
    bool secrets = message->exact.kind != HAFT__JSON_NULL;
    haft__json tools = haft__object_get(secrets ? message->exact : message->result, "tools");
    client->list_id = 0;
    if (message->kind == HAFT__RPC_RESULT && tools.kind == HAFT__JSON_ARRAY) {
        return read_page(client, message, bytes, io_arena, err);
    }
    if (message->kind == HAFT__RPC_ERROR) {
        haft__mcp_client_fail_text(&error, HAFT_IO, "",
                                   message->message.len > 0 ? message->message
                                                            : HAFT__LIT("it gave no reason"));
    } else {
        (void)haft__json_fail_type(tools, "/tools", "a list of tools", &error);
    }
    haft__mcp_client_list_fail(client, &error);
    return HAFT_OK;
}

/* ---- changes ---- */

haft_status haft__mcp_client_listen(haft__mcp_client *client, haft_error *err)
{
    haft__mcp_client_outgoing out;
    if (!client->options.listen || !client->has_changes || client->listen_id != 0
        || client->era != HAFT__MCP_ERA_MODERN) {
        return HAFT_OK;
    }
    client->listen_id = ++client->last_id;
    haft__mcp_client_outgoing_begin(client, &out, client->listen_id, "subscriptions/listen", false);
    out.send.stream = true;
    haft__json_key(&out.w, "notifications");
    haft__json_begin_object(&out.w);
    haft__field_flag(&out.w, "toolsListChanged", true);
    haft__json_end_object(&out.w);
    return haft__mcp_client_outgoing_end(client, &out, NULL, err);
}

haft_status haft__mcp_client_tools_changed(haft__mcp_client *client, haft_error *err)
{
    if (client->stale) {
        return HAFT_OK;
    }
    haft__mcp_client_event_node *node = haft__mcp_client_event_node_create(HAFT__MCP_EVENT_CHANGED);
    if (node == NULL) {
        return haft__fail_no_memory(err);
    }
    client->stale = true;
    haft__mcp_client_push_event(client, node);
    return HAFT_OK;
}

haft_status haft__mcp_client_watch_lost(haft__mcp_client *client, haft_error *err)
{
    haft__mcp_client_event_node *node =
        haft__mcp_client_event_node_create(HAFT__MCP_EVENT_WATCH_LOST);
    client->listen_id = 0;
    if (node == NULL) {
        return haft__fail_no_memory(err);
    }
    haft__mcp_client_push_event(client, node);
    return HAFT_OK;
}

bool haft__mcp_client_is_watching(const haft__mcp_client *client)
{
    return client->era != HAFT__MCP_ERA_MODERN || !client->has_changes || client->listen_id != 0;
}
