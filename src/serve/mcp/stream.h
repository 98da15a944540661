/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/stream.h - one response of the MCP endpoint: a JSON text, or an event stream. Events of
 * a session are buffered for a while, so that a client whose connection broke can fetch the missing
 * ones.
 */
#ifndef HAFT_SERVE_MCP_STREAM_H
#define HAFT_SERVE_MCP_STREAM_H

#include "io/server/server.h"

typedef struct haft__mcp_stream_event haft__mcp_stream_event;

typedef struct haft__mcp_stream {
    uint64_t number; /* in its session, from 1; 0 if its events are not buffered */
    haft__http_server_request *request; /* the current connection; NULL if there is none */
    bool is_event_stream;               /* the response is an event stream, not a JSON text */
    bool ended;                         /* the last message was sent */
    bool supports_empty_events;         /* the client supports events without data */
    const char *session;                /* session id to send with a JSON response; NULL for none */
    uint64_t seq;                       /* of the last event */
    haft__mcp_stream_event *first, *last; /* buffered events */
    size_t buffered_bytes;                /* bytes of the buffered events */
    uint64_t dropped;    /* the last event that is no longer buffered; 0: all are */
    haft_str request_id; /* id of its request, as JSON; "" for none */
} haft__mcp_stream;

/* Allowed on a zeroed stream. Aborts an open connection. */
void haft__mcp_stream_finish(haft__mcp_stream *stream);

/* Starts the event stream. */
void haft__mcp_stream_begin(haft__mcp_stream *stream);

/* Sends an event and buffers it; starts the event stream if necessary. */
void haft__mcp_stream_add(haft__mcp_stream *stream, haft_str text);

/* Sends the last message: as a JSON response if nothing was sent before. */
void haft__mcp_stream_end(haft__mcp_stream *stream, uint32_t status, haft_str text);

/* Closes the connection but not the stream: the client reconnects for the rest. */
void haft__mcp_stream_pause(haft__mcp_stream *stream);

/* Drops the buffered events to free memory; a client that reconnects gets a notice. */
void haft__mcp_stream_discard_events(haft__mcp_stream *stream);

/* Attaches another connection: sends the events after `seen` and drops the earlier ones. If some
 * are no longer buffered, sends a notice: an error in place of the response if that is missing,
 * else a log message. */
void haft__mcp_stream_resume(haft__mcp_stream *stream, haft__http_server_request *request,
                             uint64_t seen);

/* Responds to a request without a stream. */
void haft__mcp_stream_reply(haft__http_server_request *request, uint32_t status,
                            const char *session, haft_str json);

#endif
