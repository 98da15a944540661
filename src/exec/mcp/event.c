/* SPDX-License-Identifier: Apache-2.0 */
/* mcp_event.c - what a session wants done, and what it tells. Tests:
 * tests/exec/mcp/connection_test.c. */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/mcp/mcp_int.h"

static void send(haft__mcp_link *link, const haft__mcp_send *send)
{
    haft__mcp_use *use = send->call != 0 ? haft__mcp_use_find(link, send->call) : NULL;
    if (use != NULL) {
        use->sent = true;
    }
    if (link->server.url.len > 0) {
        haft__mcp_web_send(link, send);
    } else {
        haft__mcp_stdio_send(link, send->text);
    }
}

static void ready(haft__mcp_link *link, const haft__mcp_ready *told)
{
    link->pushes = told->push;
    link->no_push = false;
    haft__mcp_link_opened(link);
    /* Also where the tools never change: a server may ask something there. */
    if (link->server.url.len > 0 && told->era == HAFT__MCP_ERA_LEGACY) {
        haft__mcp_web_push(link);
    }
}

static void failed(haft__mcp_link *link, const haft_error *error)
{
    haft_error told = {0};
    bool lasting =
        error->status == HAFT_BAD_STATE || (error->status == HAFT_UNSUPPORTED && !link->believed);
    haft_status status = haft__mcp_link_fail(link, &told, lasting ? HAFT_UNSUPPORTED : HAFT_IO,
                                             "cannot be used: %s", error->message);
    link->believed = false; /* from now on it is asked */
    (void)!haft__hint(&told, status, "%s", error->hint);
    haft__mcp_link_broke(link, &told, lasting);
}

static void on_refresh(void *context)
{
    haft__mcp_link_list(context);
}

/* However often a server says so, its tools are listed once in a while; or at once for a call,
 * which waits for that. */
void haft__mcp_link_changed(haft__mcp_link *link)
{
    link->fresh = false;
    link->outdated = true;
    if (link->refresh.slot == 0 && !link->listing) {
        (void)!haft__timer_start(link->exec->options.loop, &link->refresh,
                                 HAFT__LIMIT_MCP_REFRESH_MS, on_refresh, link, NULL);
    }
}

static void done(haft__mcp_link *link, const haft__mcp_done *told)
{
    haft__mcp_use *use = haft__mcp_use_find(link, told->call);
    if (told->outcome == HAFT__MCP_RESULT) {
        haft__mcp_link_works(link);
    } else if (told->outcome == HAFT__MCP_AGAIN || told->outcome == HAFT__MCP_LOST) {
        link->fresh = false; /* who answers the next call may be another one */
    }
    if (use != NULL) {
        haft__mcp_use_done(use, told);
    }
}

static void progress(haft__mcp_link *link, const haft__mcp_progress *told)
{
    haft__mcp_use *use = haft__mcp_use_find(link, told->call);
    if (use != NULL) {
        haft__mcp_use_progress(use, told);
    }
}

static void handle(haft__mcp_link *link, const haft__mcp_event *event)
{
    switch (event->kind) {
    case HAFT__MCP_EVENT_SEND: send(link, &event->send); break;
    case HAFT__MCP_EVENT_CLOSE: haft__mcp_web_cancel(link, event->exchange); break;
    case HAFT__MCP_EVENT_READY: ready(link, &event->ready); break;
    case HAFT__MCP_EVENT_FAILED: failed(link, &event->error); break;
    case HAFT__MCP_EVENT_TOOLS: haft__mcp_link_listed(link, &event->tools); break;
    case HAFT__MCP_EVENT_CHANGED: haft__mcp_link_changed(link); break;
    case HAFT__MCP_EVENT_UNWATCHED: haft__mcp_link_unwatched(link); break;
    case HAFT__MCP_EVENT_PROGRESS: progress(link, &event->progress); break;
    case HAFT__MCP_EVENT_LOG: haft__mcp_use_log(link, &event->log); break;
    case HAFT__MCP_EVENT_QUESTION: haft__mcp_use_ask(link, &event->question); break;
    case HAFT__MCP_EVENT_QUESTION_OFF: haft__mcp_use_unask(link, event->question.number); break;
    case HAFT__MCP_EVENT_DONE: done(link, &event->done); break;
    }
}

/* Called from inside itself it leaves the work to the one that is at it. */
void haft__mcp_link_pump(haft__mcp_link *link, haft_status status)
{
    haft__mcp_event event;
    if (!link->pumping) {
        link->pumping = true;
        while (haft__mcp_client_next(link->client, &event)) {
            handle(link, &event);
        }
        link->pumping = false;
    }
    if (status != HAFT_OK) {
        haft_error err = {0};
        (void)!haft__mcp_link_fail(link, &err, status, "cannot be used: out of memory");
        haft__mcp_link_broke(link, &err, false);
    }
}
