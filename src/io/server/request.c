/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - the life of a request: received, checked, passed to the handler, answered.
 *
 * Invariants:
 *     1. A request is freed when its connection and its handler have both released it.
 *     2. It is suspended only in the stage HANDLING, while it waits for its handler.
 *     3. libmicrohttpd calls back for a connection only from MHD_run, so nothing here is reentrant.
 *        Outside of MHD_run this file only queues responses and resumes connections.
 * Tests: tests/io/server/request_test.c, tests/io/server/server_test.c.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/str.h"
#include "io/server/server_int.h"

#define PACE_BYTES                                                                                 \
    65536U /* the time limit restarts whenever this many bytes of a body have arrived */
#define REFUSAL_BYTES 4096 /* longer than any error body */

/* ---- a request's life ---- */

static haft__http_server_connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        haft__mhd.get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info->socket_context;
}

void *haft__http_server_on_target(void *server, const char *target, struct MHD_Connection *mhd)
{
    const haft__http_server_options *options = &((haft__http_server *)server)->options;
    haft__http_server_connection *connection = connection_of(mhd);
    size_t size = strlen(target) + 1;
    haft__http_server_request *request =
        connection != NULL ? malloc(sizeof(*request) + size) : NULL;
    if (request == NULL) {
        return NULL;
    }
    *request = (haft__http_server_request){.connection = connection};
    memcpy(request->target, target, size);
    request->target_is_valid =
        haft__http_target_read(haft__str(request->target), &request->target_parts);
    haft__buf_init(&request->body, options->max_body);
    haft__buf_init(&request->queue, 2 * options->max_queue);
    connection->request = request;
    haft__http_server_connection_extend(connection, options->receive_ms);
    return request;
}

static void free_request(haft__http_server_request *request)
{
    haft__buf_finish(&request->body);
    haft__buf_finish(&request->queue);
    free(request);
}

static void notify_disconnect(haft__http_server_request *request)
{
    void (*on_disconnect)(void *context, haft__http_server_request *request) =
        request->on_disconnect;
    request->on_disconnect = NULL;
    if (request->with_handler && on_disconnect != NULL) {
        on_disconnect(request->disconnect_context, request);
    }
}

/* Frees the body and subtracts it from the server's total. */
static void drop_body(haft__http_server_request *request)
{
    request->connection->server->bodies -= request->counted;
    request->counted = 0;
    haft__buf_finish(&request->body);
}

void haft__http_server_detach(haft__http_server_connection *connection)
{
    haft__http_server_request *request = connection->request;
    connection->server->bodies -= request->counted;
    connection->server->queued -= request->queued;
    request->counted = request->queued = 0;
    connection->request = NULL;
    haft__http_server_connection_unwatch(connection);
    request->connection = NULL;
    request->dropped = true;
    if (request->with_handler) {
        notify_disconnect(request); /* the handler frees it: haft__http_server_finish */
    } else {
        free_request(request);
    }
}

void haft__http_server_on_completed(void *server, struct MHD_Connection *mhd, void **request,
                                    enum MHD_RequestTerminationCode code)
{
    (void)code;
    if (*request != NULL) {
        const haft__http_server_options *options = &((haft__http_server *)server)->options;
        haft__http_server_connection *connection = connection_of(mhd);
        haft__http_server_detach(connection);
        haft__http_server_connection_extend(connection, options->idle_ms + options->receive_ms);
    }
    *request = NULL;
}

void haft__http_server_disconnected(haft__http_server_request *request)
{
    request->dropped = true;
    haft__http_server_wake(request);
    notify_disconnect(request);
}

void haft__http_server_finish(haft__http_server_request *request)
{
    request->with_handler = false;
    if (request->connection == NULL) {
        free_request(request);
    }
}

/* ---- suspending ---- */

void haft__http_server_wake(haft__http_server_request *request)
{
    if (request->suspended) {
        request->suspended = false;
        haft__http_server_connection_resume(request->connection);
    }
}

bool haft__http_server_suspend(haft__http_server_request *request)
{
    if (!haft__http_server_connection_watch(request->connection)) {
        return false;
    }
    haft__mhd.suspend_connection(request->connection->mhd);
    request->suspended = true;
    return true;
}

/* ---- receiving ---- */

/* Responds in place of the handler. */
static enum MHD_Result refuse(haft__http_server_request *request, unsigned status,
                              const char *message)
{
    const haft__http_server *server = request->connection->server;
    haft__buf body;
    haft__buf_init(&body, REFUSAL_BYTES);
    if (server->options.write_error != NULL) {
        server->options.write_error(server->context, status, message, &body);
    } else {
        haft__buf_addf(&body, "{\"error\":{\"message\":\"%s\"}}", message);
    }
    struct MHD_Response *response =
        haft__buf_check(&body, NULL) == HAFT_OK
            ? haft__mhd.create_response_from_buffer(body.len, body.ptr, MHD_RESPMEM_MUST_COPY)
            : NULL;
    haft__buf_finish(&body);
    if (response == NULL) {
        return MHD_NO;
    }
    (void)haft__mhd.add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
    if (status == MHD_HTTP_BAD_REQUEST) {
        /* The next bytes on the connection might not be a request. */
        (void)haft__mhd.add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    }
    enum MHD_Result queued = haft__mhd.queue_response(request->connection->mhd, status, response);
    haft__mhd.destroy_response(response);
    request->answered = true;
    return queued;
}

/* The fields of a head, while they are checked. */
typedef struct head_fields {
    unsigned lengths, codings, hosts; /* number of headers of each name */
    bool bad_name, bad_value, chunked;
    uint64_t length;
    haft_str host;
    haft__http_layout layout;
} head_fields;

/* Characters that RFC 9110, 5.5 does not allow in a value. */
static bool has_control(const char *value, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (((unsigned char)value[i] < ' ' && value[i] != '\t') || value[i] == '\x7f') {
            return true;
        }
    }
    return false;
}

static enum MHD_Result check_field(void *context, enum MHD_ValueKind kind, const char *name,
                                   size_t name_length, const char *value, size_t value_length)
{
    (void)kind;
    head_fields *s = context;
    haft__http_layout_add(&s->layout, name, name_length, value, value_length);
    s->bad_name = s->bad_name || !haft__str_is_token((haft_str){name, name_length});
    s->bad_value = s->bad_value || has_control(value, value_length);
    if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
        s->lengths++;
        /* libmicrohttpd has rejected a value that is not a number */
        (void)haft__str_to_u64(haft__str(value), &s->length);
    } else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        s->codings++;
        s->chunked = strcasecmp(value, "chunked") == 0;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0) {
        s->hosts++;
        s->host = (haft_str){value, value_length};
    }
    return MHD_YES;
}

/* The reason to reject a request that two programs could parse differently (RFC 9112, 6.3 and
 * 11.2); NULL if it is unambiguous. */
static const char *find_ambiguity(const head_fields *s, const char *version)
{
    if (s->bad_name) {
        return "a header name is not valid";
    }
    if (s->bad_value) {
        return "a header contains a control character";
    }
    if (s->lengths > 1 || s->hosts > 1) {
        return "a header that must be unique occurs twice";
    }
    if (s->lengths > 0 && s->codings > 0) {
        return "Content-Length and Transfer-Encoding exclude each other";
    }
    if (s->codings > 1 || (s->codings == 1 && !s->chunked)) {
        return "the transfer coding is not chunked";
    }
    if (s->codings > 0 && strcmp(version, MHD_HTTP_VERSION_1_0) == 0) {
        return "HTTP/1.0 has no transfer coding";
    }
    return NULL;
}

/* Whether the head has bytes that libmicrohttpd has dropped. Checked only for versions before 1.0:
 * later versions reject such heads, and they remove white space, which the layout would report as a
 * gap. */
static bool hides_bytes(const head_fields *s, size_t head_bytes)
{
    return haft__str_starts_with(haft__str(haft__mhd.get_version()), HAFT__LIT("0."))
           && !haft__http_layout_is_whole(&s->layout, head_bytes);
}

/* The reason to reject a target that another program could read as another host or path; NULL if it
 * is valid. */
static const char *find_bad_target(const haft__http_server_request *request, haft_str host)
{
    if (!request->target_is_valid) {
        return "the request target is not valid";
    }
    if (!haft__http_target_is_for(&request->target_parts, host)) {
        return "the request target and the Host header do not name the same host";
    }
    return NULL;
}

static enum MHD_Result hand_over(haft__http_server_request *request)
{
    haft__http_server_connection *connection = request->connection;
    request->stage = HAFT__HTTP_SERVER_HANDLING;
    haft__timer_stop(connection->server->loop, &connection->receive_timer);
    if (request->body_action == HAFT__HTTP_SERVER_BODY_TOO_BIG) {
        return refuse(request, MHD_HTTP_CONTENT_TOO_LARGE, "the body is too long");
    }
    if (request->body_action == HAFT__HTTP_SERVER_BODY_NO_ROOM) {
        return refuse(request, MHD_HTTP_SERVICE_UNAVAILABLE,
                      "the server has no memory left for the body; try again later");
    }
    request->with_handler = true;
    connection->server->handler(connection->server->context, request);
    if (request->answered) {
        return MHD_YES;
    }
    return !request->aborting && haft__http_server_suspend(request) ? MHD_YES : MHD_NO;
}

/* The maximum number of bytes of a body that are read, whether they are kept or not. */
static uint64_t limit_of(const haft__http_server_request *request)
{
    bool unwanted = request->body_action == HAFT__HTTP_SERVER_BODY_DISCARD;
    uint64_t max_bytes = unwanted ? 0 : request->connection->server->options.max_body;
    return max_bytes + HAFT__LIMIT_SERVER_EXCESS_BYTES;
}

static bool has_room(const haft__http_server *server, uint64_t bytes)
{
    return bytes <= server->options.max_bodies - server->bodies;
}

static haft__http_server_body_action choose_body_action(const haft__http_server_request *request,
                                                        uint64_t length)
{
    const haft__http_server *server = request->connection->server;
    const haft__http_server_options *options = &server->options;
    if (options->accept_body != NULL && !options->accept_body(server->context, request)) {
        return HAFT__HTTP_SERVER_BODY_DISCARD;
    }
    if (length > options->max_body) {
        return HAFT__HTTP_SERVER_BODY_TOO_BIG;
    }
    return has_room(server, length) ? HAFT__HTTP_SERVER_BODY_KEEP : HAFT__HTTP_SERVER_BODY_NO_ROOM;
}

/* If the body is not kept, responds immediately in two cases: the client waits for 100 Continue
 * before it sends the body, or the body is too long to be read and discarded. */
static enum MHD_Result begin_body(haft__http_server_request *request, uint64_t length)
{
    bool asks = haft__mhd.lookup_connection_value(request->connection->mhd, MHD_HEADER_KIND,
                                                  MHD_HTTP_HEADER_EXPECT)
                != NULL;
    request->body_action = choose_body_action(request, length);
    return request->body_action != HAFT__HTTP_SERVER_BODY_KEEP
                   && (asks || length > limit_of(request))
               ? hand_over(request)
               : MHD_YES;
}

static enum MHD_Result read_head(haft__http_server_request *request, const char *url,
                                 const char *method, const char *version)
{
    struct MHD_Connection *mhd = request->connection->mhd;
    head_fields s = {
        .layout = haft__http_layout_begin(method, url, strlen(request->target), version),
    };
    (void)haft__mhd.get_connection_values_n(mhd, MHD_HEADER_KIND, check_field, &s);
    const union MHD_ConnectionInfo *info =
        haft__mhd.get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    size_t length = strlen(method);
    request->stage = HAFT__HTTP_SERVER_READING_BODY;
    if (info->header_size > HAFT__LIMIT_SERVER_HEADER_BYTES) {
        return refuse(request, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE,
                      "the headers are too long");
    }
    if (!haft__str_is_token((haft_str){method, length}) || length >= sizeof(request->method)) {
        return refuse(request, MHD_HTTP_NOT_IMPLEMENTED, "unknown method");
    }
    memcpy(request->method, method, length + 1);
    const char *reason = find_ambiguity(&s, version);
    if (reason == NULL && hides_bytes(&s, info->header_size)) {
        reason = "the headers contain a NUL, a header without a name or a continued line";
    }
    if (reason == NULL) {
        reason = find_bad_target(request, s.host);
    }
    if (reason != NULL) {
        return refuse(request, MHD_HTTP_BAD_REQUEST, reason);
    }
    return begin_body(request, s.length);
}

/* Restarts the time limit after each PACE_BYTES of a body that is kept. A discarded body must
 * arrive completely within one time limit. */
static void allow_more(haft__http_server_request *request, size_t bytes)
{
    request->paced += bytes;
    if (request->paced >= PACE_BYTES && request->body_action == HAFT__HTTP_SERVER_BODY_KEEP) {
        request->paced = 0;
        haft__http_server_connection_extend(request->connection,
                                            request->connection->server->options.receive_ms);
    }
}

/* Reads and discards up to HAFT__LIMIT_SERVER_EXCESS_BYTES above the maximum: if the connection
 * were closed while the client still sends, the client would not receive the response. */
static enum MHD_Result read_body(haft__http_server_request *request, haft_str data)
{
    haft__http_server *server = request->connection->server;
    request->received += data.len;
    allow_more(request, data.len);
    if (request->body_action == HAFT__HTTP_SERVER_BODY_KEEP
        && request->received > server->options.max_body) {
        request->body_action = HAFT__HTTP_SERVER_BODY_TOO_BIG;
    } else if (request->body_action == HAFT__HTTP_SERVER_BODY_KEEP && !has_room(server, data.len)) {
        request->body_action = HAFT__HTTP_SERVER_BODY_NO_ROOM;
    }
    if (request->body_action != HAFT__HTTP_SERVER_BODY_KEEP) {
        drop_body(request);
        return request->received > limit_of(request) ? MHD_NO : MHD_YES;
    }
    haft__buf_add_str(&request->body, data);
    request->counted += data.len;
    server->bodies += data.len;
    return request->body.status == HAFT_OK ? MHD_YES : MHD_NO;
}

enum MHD_Result haft__http_server_on_access(void *server, struct MHD_Connection *mhd,
                                            const char *url, const char *method,
                                            const char *version, const char *data, size_t *size,
                                            void **request)
{
    (void)server;
    (void)mhd;
    haft__http_server_request *r = *request;
    if (r == NULL) {
        return MHD_NO; /* out of memory for the request */
    }
    switch (r->stage) {
    case HAFT__HTTP_SERVER_READING_HEAD: return read_head(r, url, method, version);
    case HAFT__HTTP_SERVER_READING_BODY: break;
    case HAFT__HTTP_SERVER_HANDLING:
        return MHD_NO; /* resumed without a response: drop the connection */
    }
    if (*size == 0) {
        return hand_over(r);
    }
    haft_str piece = {data, *size};
    *size = 0;
    return read_body(r, piece);
}

/* ---- reading the request ---- */

haft_str haft__http_server_method(const haft__http_server_request *request)
{
    return haft__str(request->method);
}

haft_str haft__http_server_path(const haft__http_server_request *request)
{
    return request->target_parts.path;
}

haft_str haft__http_server_query(const haft__http_server_request *request)
{
    return request->target_parts.query;
}

haft_str haft__http_server_body(const haft__http_server_request *request)
{
    return haft__buf_str(&request->body);
}

void haft__http_server_release_body(haft__http_server_request *request)
{
    if (request->connection != NULL) {
        drop_body(request);
    } else {
        haft__buf_finish(&request->body);
    }
}

typedef struct counting {
    const char *name;
    size_t count;
} counting;

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    counting *c = context;
    (void)kind;
    (void)value;
    c->count += haft__str_equal_ignore_case(haft__str(name), haft__str(c->name));
    return MHD_YES;
}

size_t haft__http_server_header_count(const haft__http_server_request *request, const char *name)
{
    counting c = {.name = name};
    if (request->connection != NULL) {
        (void)haft__mhd.get_connection_values(request->connection->mhd, MHD_HEADER_KIND,
                                              count_header, &c);
    }
    return c.count;
}

haft_str haft__http_server_header(const haft__http_server_request *request, const char *name)
{
    const char *value =
        request->connection != NULL
            ? haft__mhd.lookup_connection_value(request->connection->mhd, MHD_HEADER_KIND, name)
            : NULL;
    return value != NULL ? haft__str(value) : (haft_str){NULL, 0};
}
