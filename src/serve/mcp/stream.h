/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/mcp/stream.h - one answer of the MCP endpoint: a JSON text, or events for as long as it
 * takes. Events of a session are kept for a while, so that a client whose connection broke can come
 * again for those it has not seen.
 */
#ifndef HAFT_SERVE_MCP_STREAM_H
#define HAFT_SERVE_MCP_STREAM_H

#include "io/server/server.h"

typedef struct haft__mcp_stream_event haft__mcp_stream_event;

typedef struct haft__mcp_stream {
    uint64_t number;                    /* in its session, from 1; 0 when its events are not kept */
    haft__http_server_request *request; /* its client; NULL while there is none */
    bool begun;                         /* it has become a stream of events */
    bool over;                          /* all has been said */
    bool primed;                        /* its client knows what an event without data is */
    const char *session;                /* to be told with a whole answer; NULL for none */
    uint64_t seq;                       /* of the last event */
    haft__mcp_stream_event *first, *last; /* those kept */
    size_t kept;                          /* bytes of them */
    uint64_t dropped;                     /* the last event that is not kept any more; 0: all are */
    haft_str request_id;                  /* of the request that it answers, as JSON; "" for none */
} haft__mcp_stream;

/* Fine on a zeroed one. A client that is there is cut. */
void haft__mcp_stream_finish(haft__mcp_stream *stream);

/* Begins to send events. */
void haft__mcp_stream_begin(haft__mcp_stream *stream);

/* Sends an event, beginning if need be, and keeps it. */
void haft__mcp_stream_add(haft__mcp_stream *stream, haft_str text);

/* The last word: as a whole answer when nothing was sent before. */
void haft__mcp_stream_end(haft__mcp_stream *stream, uint32_t status, haft_str text);

/* The connection ends, the stream does not: its client comes again for the rest. */
void haft__mcp_stream_pause(haft__mcp_stream *stream);

/* Forgets what is kept, for want of room; who comes again for it is told so. */
void haft__mcp_stream_discard_events(haft__mcp_stream *stream);

/* Another connection for it: gets what came behind event `seen`; what came before is seen, and not
 * kept any longer. When some of it was not kept, it is said so: by an error in the place of the
 * answer when that is what is missing, else by a line of the log. */
void haft__mcp_stream_resume(haft__mcp_stream *stream, haft__http_server_request *request,
                             uint64_t seen);

/* Answers a request that gets no stream. */
void haft__mcp_stream_reply(haft__http_server_request *request, uint32_t status,
                            const char *session, haft_str json);

#endif
