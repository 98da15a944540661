/* SPDX-License-Identifier: Apache-2.0 */
/* stream.c - sends and buffers events. Tests: tests/serve/mcp/endpoint_test.c. */
#include "serve/mcp/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "mcp/server/server.h"

/* How long a client waits before it reconnects. */
#define RETRY_MS 500

struct haft__mcp_stream_event {
    haft__mcp_stream_event *next;
    uint64_t seq;
    size_t length;
    char text[];
};

static haft__http_server_field session_field(const char *session)
{
    return (haft__http_server_field){HAFT__LIT("Mcp-Session-Id"), haft__str(session)};
}

/* Without a handshake only POST is allowed. */
static haft__http_server_field allow_field(const haft__http_server_request *request)
{
    haft_str version = haft__str_trim(haft__http_server_header(request, "mcp-protocol-version"));
    bool modern = haft__str_equal(version, HAFT__LIT(HAFT__MCP_SERVER_MODERN_VERSION));
    return (haft__http_server_field){HAFT__LIT("Allow"),
                                     modern ? HAFT__LIT("POST") : HAFT__LIT("POST, GET, DELETE")};
}

void haft__mcp_stream_reply(haft__http_server_request *request, uint32_t status,
                            const char *session, haft_str json)
{
    haft__http_server_field fields[3];
    size_t count = 0;
    if (session != NULL) {
        fields[count++] = session_field(session);
    }
    if (status == 401) {
        fields[count++] =
            (haft__http_server_field){HAFT__LIT("WWW-Authenticate"), HAFT__LIT("Bearer")};
    }
    if (status == 405) {
        fields[count++] = allow_field(request);
    }
    haft__http_server_head head = {.status = status,
                                   .content_type =
                                       json.len > 0 ? HAFT__LIT("application/json") : HAFT__LIT(""),
                                   .fields = fields,
                                   .field_count = count};
    haft__http_server_reply(request, &head, json);
}

/* ---- buffered events ---- */

static void forget_first(haft__mcp_stream *stream)
{
    haft__mcp_stream_event *event = stream->first;
    stream->first = event->next;
    stream->last = stream->first != NULL ? stream->last : NULL;
    stream->buffered_bytes -= event->length;
    free(event);
}

void haft__mcp_stream_finish(haft__mcp_stream *stream)
{
    while (stream->first != NULL) {
        forget_first(stream);
    }
    if (stream->request != NULL) {
        haft__http_server_abort(stream->request);
        stream->request = NULL;
    }
}

void haft__mcp_stream_discard_events(haft__mcp_stream *stream)
{
    stream->dropped = stream->last != NULL ? stream->last->seq : stream->dropped;
    while (stream->first != NULL) {
        forget_first(stream);
    }
}

/* Events that cannot be buffered (out of memory, or over the limit) are missing when the client
 * reconnects. */
static void keep(haft__mcp_stream *stream, haft_str text)
{
    while (stream->first != NULL
           && stream->buffered_bytes + text.len > HAFT__LIMIT_MCP_REPLAY_BYTES) {
        stream->dropped = stream->first->seq;
        forget_first(stream);
    }
    haft__mcp_stream_event *event =
        text.len <= HAFT__LIMIT_MCP_REPLAY_BYTES ? malloc(sizeof(*event) + text.len) : NULL;
    if (event == NULL) {
        haft__mcp_stream_discard_events(stream);
        stream->dropped = stream->seq;
        return;
    }
    *event = (haft__mcp_stream_event){.seq = stream->seq, .length = text.len};
    memcpy(event->text, text.ptr, text.len);
    if (stream->last != NULL) {
        stream->last->next = event;
    } else {
        stream->first = event;
    }
    stream->last = event;
    stream->buffered_bytes += text.len;
}

/* ---- sending ---- */

/* Disconnects a client that does not read. */
static void write_bytes(haft__mcp_stream *stream, haft_str bytes)
{
    if (stream->request != NULL && !haft__http_server_write(stream->request, bytes)) {
        haft__http_server_abort(stream->request);
        stream->request = NULL;
    }
}

static void write_event(haft__mcp_stream *stream, uint64_t seq, haft_str text)
{
    haft__buf event;
    haft__buf_init(&event, HAFT__LIMIT_SERVER_QUEUE_BYTES);
    if (stream->number > 0) {
        haft__buf_addf(&event, "id: %" PRIu64 "-%" PRIu64 "\n", stream->number, seq);
    }
    if (text.len == 0) {
        haft__buf_addf(&event, "retry: %d\n", RETRY_MS);
    }
    haft__buf_add_str(&event, HAFT__LIT("data: "));
    haft__buf_add_str(&event, text);
    haft__buf_add_str(&event, HAFT__LIT("\n\n"));
    if (haft__buf_check(&event, NULL) == HAFT_OK) {
        write_bytes(stream, haft__buf_str(&event));
    } else if (stream->request != NULL) {
        haft__http_server_abort(stream->request);
        stream->request = NULL;
    }
    haft__buf_finish(&event);
}

static void send_head(haft__mcp_stream *stream)
{
    haft__http_server_field fields[] = {
        {HAFT__LIT("Cache-Control"), HAFT__LIT("no-cache")},
        {HAFT__LIT("X-Accel-Buffering"), HAFT__LIT("no")},
        session_field(stream->session != NULL ? stream->session : "")};
    haft__http_server_head head = {.status = 200,
                                   .content_type = HAFT__LIT("text/event-stream"),
                                   .fields = fields,
                                   .field_count = stream->session != NULL ? 3 : 2};
    haft__http_server_begin(stream->request, &head);
}

void haft__mcp_stream_begin(haft__mcp_stream *stream)
{
    if (stream->is_event_stream || stream->request == NULL) {
        return;
    }
    stream->is_event_stream = true;
    send_head(stream);
    if (stream->supports_empty_events) {
        write_event(stream, 0, HAFT__LIT(""));
    }
}

void haft__mcp_stream_add(haft__mcp_stream *stream, haft_str text)
{
    haft__mcp_stream_begin(stream);
    stream->seq++;
    if (stream->number > 0) {
        keep(stream, text);
    }
    write_event(stream, stream->seq, text);
}

void haft__mcp_stream_end(haft__mcp_stream *stream, uint32_t status, haft_str text)
{
    stream->ended = true;
    if (!stream->is_event_stream && stream->request != NULL) {
        haft__mcp_stream_reply(stream->request, status, stream->session, text);
        stream->request = NULL;
        return;
    }
    if (text.len > 0) {
        haft__mcp_stream_add(stream, text);
    }
    haft__mcp_stream_pause(stream);
}

void haft__mcp_stream_pause(haft__mcp_stream *stream)
{
    if (stream->request != NULL) {
        haft__http_server_end(stream->request);
        stream->request = NULL;
    }
}

/* Sends the notice for events that are no longer buffered. */
static void notify_discarded(haft__mcp_stream *stream)
{
    bool answer = stream->ended && stream->dropped == stream->seq && stream->request_id.len > 0;
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    if (answer) {
        haft__buf_add_str(&text, HAFT__LIT("{\"jsonrpc\":\"2.0\",\"id\":"));
        haft__buf_add_str(&text, stream->request_id);
        haft__buf_add_str(
            &text,
            HAFT__LIT(
                ",\"error\":{\"code\":-32603,\"message\":\"the answer was sent and is no longer "
                "stored; the call was made: check its effect before you repeat it\"}}"));
    } else {
        haft__buf_add_str(
            &text,
            HAFT__LIT("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                      "message\",\"params\":{\"level\":\"warning\",\"logger\":\"haft\",\"data\":"
                      "\"messages of this stream are no longer stored and are missing here\"}}"));
    }
    if (haft__buf_check(&text, NULL) == HAFT_OK) {
        write_event(stream, stream->dropped, haft__buf_str(&text));
    }
    haft__buf_finish(&text);
}

void haft__mcp_stream_resume(haft__mcp_stream *stream, haft__http_server_request *request,
                             uint64_t seen)
{
    while (stream->first != NULL && stream->first->seq <= seen) {
        stream->dropped = stream->first->seq; /* for a client that has received fewer events */
        forget_first(stream);
    }
    if (stream->request != NULL) {
        haft__http_server_abort(stream->request); /* its client has replaced it */
    }
    stream->request = request;
    stream->is_event_stream = true;
    send_head(stream);
    if (stream->dropped > seen) {
        notify_discarded(stream);
    } else if (stream->supports_empty_events && stream->first == NULL && !stream->ended) {
        write_event(stream, seen, HAFT__LIT("")); /* so that it can be resumed from here */
    }
    for (const haft__mcp_stream_event *event = stream->first; event != NULL; event = event->next) {
        write_event(stream, event->seq, (haft_str){event->text, event->length});
    }
    if (stream->ended) {
        haft__mcp_stream_pause(stream);
    }
}
