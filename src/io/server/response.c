/* SPDX-License-Identifier: Apache-2.0 */
/*
 * response.c - responses, as a whole or as a stream.
 *
 * A stream is a queue. libmicrohttpd reads from it when the client can receive more. While the
 * queue is empty, the connection is suspended.
 * Tests: tests/io/server/server_test.c.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/str.h"
#include "io/server/server_int.h"

#define BLOCK_BYTES 4096 /* of a stream to a client without chunked encoding */

/* ---- heads ---- */

/* Copies `part` into the empty buffer `text` as a C string. NULL if it contains a NUL or does not
 * fit, or when out of memory. */
static const char *copy_c_string(haft__buf *text, haft_str part)
{
    haft__buf_add_str(text, part);
    haft__buf_add_char(text, '\0');
    return text->status == HAFT_OK && strlen(text->ptr) == part.len ? text->ptr : NULL;
}

/* Adds a field. libmicrohttpd rejects fields that would break the framing. */
static void add_field(struct MHD_Response *response, haft_str name, haft_str value)
{
    haft__buf names, values;
    haft__buf_init(&names, HAFT__LIMIT_SERVER_HEADER_BYTES);
    haft__buf_init(&values, HAFT__LIMIT_SERVER_HEADER_BYTES);
    const char *n = copy_c_string(&names, name), *v = copy_c_string(&values, value);
    if (n != NULL && v != NULL) {
        (void)haft__mhd.add_response_header(response, n, v);
    }
    haft__buf_finish(&names);
    haft__buf_finish(&values);
}

/* ---- queue space ---- */

static void count_queued(haft__http_server_request *request, size_t bytes)
{
    haft__http_server *server = request->connection->server;
    request->last_progress =
        request->queued > 0 ? request->last_progress : ++server->progress_counter;
    request->queued += bytes;
    server->queued += bytes;
}

static void count_sent(haft__http_server_request *request, size_t bytes)
{
    haft__http_server *server = request->connection->server;
    request->last_progress = ++server->progress_counter;
    request->queued -= bytes;
    server->queued -= bytes;
}

/* Drops the connection immediately, even if the client is still receiving data. */
static void drop(haft__http_server_request *request)
{
    request->dropped = request->aborting = true;
    count_sent(request, request->queued);
    haft__buf_finish(&request->queue);
    if (request->answered) {
        haft__http_server_connection_drop(request->connection);
    }
    haft__http_server_wake(request);
}

/* The request whose client has not read for the longest time; NULL if no bytes are queued. The
 * server cannot detect reads of a whole response, so its time counts from the queueing of the
 * response. */
static haft__http_server_request *find_stuck(const haft__http_server *server)
{
    haft__http_server_request *found = NULL;
    for (const haft__http_server_connection *connection = server->connections; connection != NULL;
         connection = connection->next) {
        haft__http_server_request *request = connection->request;
        if (request != NULL && request->queued > 0
            && (found == NULL || request->last_progress < found->last_progress)) {
            found = request;
        }
    }
    return found;
}

/* Makes room for `bytes` in the queues of the server by dropping the clients that have not read for
 * the longest time. False if that is not enough, or if the request itself would be dropped next. */
static bool make_room(const haft__http_server_request *request, size_t bytes)
{
    const haft__http_server *server = request->connection->server;
    size_t max_bytes = server->options.max_queues;
    while (bytes <= max_bytes && bytes > max_bytes - server->queued) {
        haft__http_server_request *stuck = find_stuck(server);
        if (stuck == NULL || stuck == request) {
            return false;
        }
        drop(stuck);
    }
    return bytes <= max_bytes;
}

/* Passes the response to libmicrohttpd. If `response` is NULL, or libmicrohttpd no longer accepts a
 * response, drops the connection. */
static void queue_response(haft__http_server_request *request, const haft__http_server_head *head,
                           struct MHD_Response *response)
{
    if (response == NULL) {
        drop(request);
        return;
    }
    if (head->content_type.len > 0) {
        add_field(response, HAFT__LIT("Content-Type"), head->content_type);
    }
    for (size_t i = 0; i < head->field_count; i++) {
        add_field(response, head->fields[i].name, head->fields[i].value);
    }
    request->answered =
        haft__mhd.queue_response(request->connection->mhd, head->status, response) == MHD_YES;
    haft__mhd.destroy_response(response);
    if (request->answered) {
        haft__http_server_wake(request);
    } else {
        drop(request);
    }
}

void haft__http_server_on_disconnect(haft__http_server_request *request,
                                     void (*on_disconnect)(void *context,
                                                           haft__http_server_request *request),
                                     void *context)
{
    request->on_disconnect = on_disconnect;
    request->disconnect_context = context;
}

/* ---- whole responses ---- */

/* libmicrohttpd frees the copy. */
static struct MHD_Response *copy_body(haft_str body)
{
    char *copy = malloc(body.len > 0 ? body.len : 1);
    if (copy == NULL) {
        return NULL;
    }
    if (body.len > 0) {
        memcpy(copy, body.ptr, body.len);
    }
    struct MHD_Response *response =
        haft__mhd.create_response_from_buffer(body.len, copy, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) {
        free(copy);
    }
    return response;
}

void haft__http_server_reply(haft__http_server_request *request, const haft__http_server_head *head,
                             haft_str body)
{
    assert(request->with_handler && !request->answered);
    if (!request->dropped && make_room(request, body.len)) {
        count_queued(request, body.len);
        queue_response(request, head, copy_body(body));
    } else if (!request->dropped) {
        drop(request);
    }
    haft__http_server_finish(request);
}

/* ---- streams ---- */

static size_t dequeue(haft__http_server_request *request, char *to, size_t max)
{
    size_t pending = request->queue.len - request->sending;
    size_t count = pending < max ? pending : max;
    if (count > 0) {
        memcpy(to, request->queue.ptr + request->sending, count);
        request->sending += count;
        count_sent(request, count);
    }
    if (request->sending == request->queue.len) {
        haft__buf_clear(&request->queue);
        request->sending = 0;
    }
    return count;
}

/* Called by libmicrohttpd when the client can receive more bytes. */
static ssize_t read_stream(void *context, uint64_t at, char *to, size_t max)
{
    (void)at;
    haft__http_server_request *request = context;
    size_t count = request->dropped ? 0 : dequeue(request, to, max);
    if (count > 0) {
        return (ssize_t)count;
    }
    if (request->dropped || request->aborting) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (request->ending) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    return haft__http_server_suspend(request) ? 0 : MHD_CONTENT_READER_END_WITH_ERROR;
}

void haft__http_server_begin(haft__http_server_request *request, const haft__http_server_head *head)
{
    assert(request->with_handler && !request->answered);
    if (!request->dropped) {
        queue_response(request, head,
                       haft__mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES,
                                                               read_stream, request, NULL));
    }
}

/* Appends to the queue. The sent part is removed only when it is the greater part, so that moving
 * bytes stays cheap. */
static bool enqueue(haft__http_server_request *request, haft_str bytes)
{
    haft__buf *buffer = &request->queue;
    if (request->sending > buffer->len / 2) {
        memmove(buffer->ptr, buffer->ptr + request->sending, buffer->len - request->sending);
        buffer->len -= request->sending;
        request->sending = 0;
    }
    haft__buf_add_str(buffer, bytes);
    return buffer->status == HAFT_OK;
}

bool haft__http_server_write(haft__http_server_request *request, haft_str bytes)
{
    assert(request->with_handler);
    if (request->dropped) {
        return false;
    }
    size_t room =
        request->connection->server->options.max_queue - (request->queue.len - request->sending);
    if (bytes.len > room || !make_room(request, bytes.len) || !enqueue(request, bytes)) {
        drop(request);
        return false;
    }
    count_queued(request, bytes.len);
    haft__http_server_wake(request);
    return true;
}

size_t haft__http_server_unread(const haft__http_server_request *request)
{
    return request->queued;
}

void haft__http_server_end(haft__http_server_request *request)
{
    assert(request->with_handler);
    request->ending = true;
    haft__http_server_wake(request);
    haft__http_server_finish(request);
}

void haft__http_server_abort(haft__http_server_request *request)
{
    assert(request->with_handler);
    request->aborting = true;
    haft__http_server_wake(request);
    haft__http_server_finish(request);
}
