/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - handles the events of a session. Tests: tests/exec/mcp/connection_test.c. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"

static void send(haft__mcp_connection *connection, const haft__mcp_client_message *message)
{
    haft__mcp_tool_call *tool_call =
        message->call != 0 ? haft__mcp_tool_call_find(connection, message->call) : NULL;
    if (tool_call != NULL) {
        tool_call->sent = true;
    }
    if (connection->server.url.len > 0) {
        haft__mcp_http_transport_send(connection, message);
    } else {
        haft__mcp_stdio_transport_send(connection, message->text);
    }
}

static void on_ready(haft__mcp_connection *connection, const haft__mcp_ready *event)
{
    connection->push_supported = event->push;
    connection->push_rejected = false;
    haft__mcp_connection_ready(connection);
    /* The server may send questions on this stream, even if its tools never change. */
    if (connection->server.url.len > 0 && event->era == HAFT__MCP_ERA_LEGACY) {
        haft__mcp_http_transport_listen(connection);
    }
}

static void on_failed(haft__mcp_connection *connection, const haft_error *error)
{
    haft_error reported = {0};
    bool lasting = error->status == HAFT_BAD_STATE
                   || (error->status == HAFT_UNSUPPORTED && !connection->era_from_cache);
    haft_status status =
        haft__mcp_connection_fail(connection, &reported, lasting ? HAFT_UNSUPPORTED : HAFT_IO,
                                  "cannot be used: %s", error->message);
    connection->era_from_cache = false; /* probe from now on */
    (void)!haft__hint(&reported, status, "%s", error->hint);
    haft__mcp_connection_broken(connection, &reported, lasting);
}

static void on_refresh(void *context)
{
    haft__mcp_connection_list_tools(context);
}

/* Limits the rate: requests the list once per interval, or immediately if a call waits for it. */
void haft__mcp_connection_tools_changed(haft__mcp_connection *connection)
{
    connection->fresh = false;
    connection->outdated = true;
    if (connection->refresh.slot == 0 && !connection->listing) {
        (void)!haft__timer_start(connection->exec->options.loop, &connection->refresh,
                                 HAFT__LIMIT_MCP_REFRESH_MS, on_refresh, connection, NULL);
    }
}

static void on_done(haft__mcp_connection *connection, const haft__mcp_call_done *event)
{
    haft__mcp_tool_call *tool_call = haft__mcp_tool_call_find(connection, event->call);
    if (event->outcome == HAFT__MCP_OUTCOME_RESULT) {
        haft__mcp_connection_reset_failures(connection);
    } else if (event->outcome == HAFT__MCP_OUTCOME_RETRY
               || event->outcome == HAFT__MCP_OUTCOME_LOST) {
        connection->fresh = false; /* another server instance may handle the next call */
    }
    if (tool_call != NULL) {
        haft__mcp_tool_call_done(tool_call, event);
    }
}

static void on_progress(haft__mcp_connection *connection, const haft__mcp_progress *event)
{
    haft__mcp_tool_call *tool_call = haft__mcp_tool_call_find(connection, event->call);
    if (tool_call != NULL) {
        haft__mcp_tool_call_progress(tool_call, event);
    }
}

static void handle(haft__mcp_connection *connection, const haft__mcp_client_event *event)
{
    switch (event->kind) {
    case HAFT__MCP_EVENT_SEND: send(connection, &event->send); break;
    case HAFT__MCP_EVENT_CLOSE: haft__mcp_http_transport_cancel(connection, event->exchange); break;
    case HAFT__MCP_EVENT_READY: on_ready(connection, &event->ready); break;
    case HAFT__MCP_EVENT_FAILED: on_failed(connection, &event->error); break;
    case HAFT__MCP_EVENT_TOOLS: haft__mcp_connection_tools_listed(connection, &event->tools); break;
    case HAFT__MCP_EVENT_CHANGED: haft__mcp_connection_tools_changed(connection); break;
    case HAFT__MCP_EVENT_WATCH_LOST: haft__mcp_connection_watch_lost(connection); break;
    case HAFT__MCP_EVENT_PROGRESS: on_progress(connection, &event->progress); break;
    case HAFT__MCP_EVENT_LOG: haft__mcp_tool_call_log(connection, &event->log); break;
    case HAFT__MCP_EVENT_QUESTION: haft__mcp_tool_call_ask(connection, &event->question); break;
    case HAFT__MCP_EVENT_QUESTION_WITHDRAWN:
        haft__mcp_tool_call_withdraw_question(connection, event->question.number);
        break;
    case HAFT__MCP_EVENT_DONE: on_done(connection, &event->done); break;
    }
}

/* Processes all queued events. A nested call returns immediately, because the outer call processes
 * the events. */
void haft__mcp_connection_process_events(haft__mcp_connection *connection, haft_status status)
{
    haft__mcp_client_event event;
    if (!connection->pumping) {
        connection->pumping = true;
        while (haft__mcp_client_next(connection->client, &event)) {
            handle(connection, &event);
        }
        connection->pumping = false;
    }
    if (status != HAFT_OK) {
        haft_error err = {0};
        (void)!haft__mcp_connection_fail(connection, &err, status, "cannot be used: out of memory");
        haft__mcp_connection_broken(connection, &err, false);
    }
}
