/* SPDX-License-Identifier: Apache-2.0 */
/* send.c - outgoing requests, notifications, responses and their headers. Tests:
 * tests/mcp/client/open_test.c. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "mcp/client/client_int.h"
#include "mcp/client/param_header.h"
#include "mcp/version.h"
#include "json/object.h"

#define META "io.modelcontextprotocol/"

void haft__mcp_client_add_capabilities(const haft__mcp_client *client, haft__json_writer *w)
{
    haft__json_begin_object(w);
    if (client->options.root_count > 0) {
        haft__json_key(w, "roots");
        haft__json_begin_object(w);
        haft__json_end_object(w);
    }
    if (client->options.elicitation) {
        haft__json_key(w, "elicitation");
        haft__json_begin_object(w);
        haft__json_key(w, "form");
        haft__json_begin_object(w);
        haft__json_end_object(w);
        haft__json_key(w, "url");
        haft__json_begin_object(w);
        haft__json_end_object(w);
        haft__json_end_object(w);
    }
    haft__json_end_object(w);
}

void haft__mcp_client_add_roots(const haft__mcp_client *client, haft__json_writer *w)
{
    haft__json_begin_object(w);
    haft__json_key(w, "roots");
    haft__json_begin_array(w);
    for (size_t i = 0; i < client->options.root_count; i++) {
        haft__json_begin_object(w);
        haft__field_text(w, "uri", client->options.roots[i].uri);
        if (client->options.roots[i].name.len > 0) {
            haft__field_text(w, "name", client->options.roots[i].name);
        }
        haft__json_end_object(w);
    }
    haft__json_end_array(w);
    haft__json_end_object(w);
}

void haft__mcp_client_add_info(const haft__mcp_client *client, haft__json_writer *w)
{
    haft__json_begin_object(w);
    haft__field_text(w, "name", HAFT__LIT("haft"));
    haft__field_text(w, "version", client->options.version);
    haft__json_end_object(w);
}

/* Whether the current message is for a modern server. */
static bool is_modern(const haft__mcp_client *client)
{
    return client->state == HAFT__MCP_CLIENT_PROBING
           || (client->state == HAFT__MCP_CLIENT_OPEN && client->era == HAFT__MCP_ERA_MODERN);
}

/* Adds `_meta`. `call` may be NULL. */
static void add_meta(const haft__mcp_client *client, haft__json_writer *w, uint64_t token,
                     const haft__mcp_pending_call *call)
{
    haft__json_key(w, "_meta");
    haft__json_begin_object(w);
    if (is_modern(client)) {
        haft__json_key(w, META "protocolVersion");
        haft__json_add_str(w, HAFT__LIT(HAFT__MCP_MODERN_VERSION));
        haft__json_key(w, META "clientCapabilities");
        haft__mcp_client_add_capabilities(client, w);
        haft__json_key(w, META "clientInfo");
        haft__mcp_client_add_info(client, w);
        if (client->options.log_level.len > 0) {
            haft__json_key(w, META "logLevel");
            haft__json_add_str(w, client->options.log_level);
        }
    }
    if (token > 0) {
        haft__field_number(w, "progressToken", token);
    }
    for (size_t i = 0; call != NULL && i < call->meta_count; i++) {
        haft__json_key_str(w, call->meta[i].key);
        if (call->meta[i].text.ptr != NULL) {
            haft__json_add_str(w, call->meta[i].text);
        } else {
            haft__json_add_int(w, (int64_t)call->meta[i].number);
        }
    }
    haft__json_end_object(w);
}

static void out_init(haft__mcp_client_outgoing *out)
{
    *out = (haft__mcp_client_outgoing){.params = false};
    haft__buf_init(&out->buf, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__json_writer_init(&out->w, &out->buf);
}

static void begin(haft__mcp_client *client, haft__mcp_client_outgoing *out, uint64_t id,
                  const char *method, bool progress, const haft__mcp_pending_call *call)
{
    out_init(out);
    out->params = true;
    out->send.exchange = id;
    out->send.method = haft__str(method);
    if (id > 0) {
        haft__rpc_begin_request(&out->w, (int64_t)id, out->send.method);
    } else {
        haft__rpc_begin_notification(&out->w, out->send.method);
    }
    haft__json_begin_object(&out->w);
    if ((is_modern(client) && id > 0) || progress) {
        add_meta(client, &out->w, progress ? id : 0, call);
    }
}

void haft__mcp_client_outgoing_begin(haft__mcp_client *client, haft__mcp_client_outgoing *out,
                                     uint64_t id, const char *method, bool progress)
{
    begin(client, out, id, method, progress, NULL);
}

void haft__mcp_client_outgoing_begin_call(haft__mcp_client *client, haft__mcp_client_outgoing *out,
                                          const haft__mcp_pending_call *call)
{
    begin(client, out, call->id, "tools/call", true, call);
}

void haft__mcp_client_outgoing_begin_answer(haft__mcp_client_outgoing *out, haft__json id)
{
    out_init(out);
    haft__rpc_begin_result(&out->w, id);
}

/* ---- headers ---- */

typedef struct headers {
    haft__arena *arena;
    haft_str *items;
    size_t count;
    haft__buf line;
    haft_status status;
    haft_error *err;
} headers;

/* Stores the header line. */
static void store_line(headers *h)
{
    haft_str line = {NULL, 0};
    if (h->status == HAFT_OK) {
        h->status = haft__buf_check(&h->line, h->err);
    }
    if (h->status == HAFT_OK) {
        line = haft__arena_copy(h->arena, haft__buf_str(&h->line));
        h->status = line.ptr != NULL ? HAFT_OK : haft__arena_fail(h->arena, h->err);
    }
    if (h->status == HAFT_OK) {
        h->items[h->count++] = line;
    }
    haft__buf_clear(&h->line);
}

static void add(headers *h, const char *name, haft_str value, bool encode)
{
    haft__buf_addf(&h->line, "%s: ", name);
    if (encode) {
        haft__mcp_header_add(&h->line, value);
    } else {
        haft__buf_add_str(&h->line, value);
    }
    store_line(h);
}

static void add_modern(headers *h, const haft__mcp_client_message *send,
                       const haft__mcp_pending_call *call)
{
    add(h, "MCP-Protocol-Version", HAFT__LIT(HAFT__MCP_MODERN_VERSION), false);
    add(h, "Mcp-Method", send->method, true);
    if (call == NULL) {
        return;
    }
    add(h, "Mcp-Name", call->tool, true);
    for (size_t i = 0; i < call->param_count && h->status == HAFT_OK; i++) {
        if (haft__mcp_header_param(&h->line, &call->params[i], call->arguments)) {
            store_line(h);
        }
    }
}

static void add_legacy(headers *h, const haft__mcp_client *client)
{
    if (client->state == HAFT__MCP_CLIENT_OPEN) {
        add(h, "MCP-Protocol-Version", client->protocol, false);
    }
    if (client->session.len > 0) {
        add(h, "MCP-Session-Id", client->session, false);
    }
}

static haft_status add_headers(haft__mcp_client *client, haft__mcp_client_event_node *node,
                               const haft__mcp_pending_call *call, haft_error *err)
{
    haft__mcp_client_message *send = &node->event.send;
    size_t max = 3 + (call != NULL ? call->param_count : 0);
    headers h = {.arena = &node->arena, .status = HAFT_OK, .err = err};
    if (client->options.transport != HAFT__MCP_HTTP) {
        return HAFT_OK;
    }
    h.items = haft__arena_array(&node->arena, max, sizeof(*h.items));
    if (h.items == NULL) {
        return haft__arena_fail(&node->arena, err);
    }
    haft__buf_init(&h.line, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    if (is_modern(client)) {
        add_modern(&h, send, call);
    } else {
        add_legacy(&h, client);
    }
    haft__buf_finish(&h.line);
    send->headers = h.items;
    send->header_count = h.count;
    return h.status;
}

/* ---- the end of a message ---- */

static haft_status queue(haft__mcp_client *client, haft__mcp_client_outgoing *out,
                         const haft__mcp_pending_call *call, haft_error *err)
{
    haft__mcp_client_event_node *node = haft__mcp_client_event_node_create(HAFT__MCP_EVENT_SEND);
    if (node == NULL) {
        return haft__fail_no_memory(err);
    }
    node->event.send = out->send;
    node->event.send.text = haft__arena_copy(&node->arena, haft__buf_str(&out->buf));
    node->event.send.call = call != NULL ? call->number : 0;
    haft_status status =
        node->event.send.text.ptr != NULL ? HAFT_OK : haft__arena_fail(&node->arena, err);
    if (status == HAFT_OK) {
        status = add_headers(client, node, call, err);
    }
    if (status != HAFT_OK) {
        haft__mcp_client_event_node_destroy(node);
        return status;
    }
    haft__mcp_client_push_event(client, node);
    return HAFT_OK;
}

haft_status haft__mcp_client_outgoing_end(haft__mcp_client *client, haft__mcp_client_outgoing *out,
                                          const haft__mcp_pending_call *call, haft_error *err)
{
    if (out->params) {
        haft__json_end_object(&out->w);
    }
    haft__json_end_object(&out->w);
    haft_status status = haft__buf_check(&out->buf, err);
    if (status == HAFT_OK) {
        status = queue(client, out, call, err);
    }
    haft__buf_finish(&out->buf);
    return status;
}

haft_status haft__mcp_client_send_error(haft__mcp_client *client, haft__json id, int64_t code,
                                        const char *message, haft_error *err)
{
    haft__mcp_client_outgoing out;
    out_init(&out);
    haft__rpc_write_error(&out.buf, id, code, haft__str(message), haft__json_null());
    haft_status status = haft__buf_check(&out.buf, err);
    if (status == HAFT_OK) {
        status = queue(client, &out, NULL, err);
    }
    haft__buf_finish(&out.buf);
    return status;
}
