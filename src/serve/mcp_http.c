/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mcp_http.c - sessions, and what each method of HTTP means for them.
 *
 * What is sent last for a request may come while that request is still being dealt with, so
 * whatever it leaves behind is cleared away by a task. Tests: tests/serve/mcp_http_test.c,
 * tests/cli/mcp_test.py, tests/mcp/conformance.py.
 */
#include "serve/mcp_http.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "io/clock.h"
#include "io/random.h"
#include "serve/mcp_stream.h"

#define SESSION_ID_BYTES 16
#define SWEEP_MS         60000

typedef struct session session;

/* A stream, and whose it is: a session's, or one of its own. */
typedef struct channel {
    haft__mcp_stream stream;
    haft__mcp_http *http;
    session *owner;       /* NULL: it stands for itself, ... */
    haft__mcp_peer *peer; /* ... and this is the peer it stands for */
    struct channel *next, **link;
    bool dead; /* `task` clears it away */
    haft__task task;
} channel;

struct session {
    haft__mcp_http *http;
    session *next, **link;
    char id[2 * SESSION_ID_BYTES + 1];
    haft__mcp_peer *peer;
    channel *channels; /* the newest first */
    channel *push;     /* for what belongs to no request; NULL before its client has asked */
    uint64_t streams;  /* so far */
    uint64_t used_ms;
};

struct haft__mcp_http {
    haft__mcp_http_options options;
    haft__server *server;
    session *sessions;
    size_t session_count;
    channel *channels; /* that stand for themselves */
    haft__timer sweep;
};

/* ---- channels ---- */

static void link_channel(channel *c, channel **list)
{
    c->next = *list;
    c->link = list;
    if (c->next != NULL) {
        c->next->link = &c->next;
    }
    *list = c;
}

static void free_channel(channel *c)
{
    if (c->dead) {
        haft__loop_withdraw(c->http->options.loop, &c->task);
    }
    *c->link = c->next;
    if (c->next != NULL) {
        c->next->link = c->link;
    }
    if (c->owner != NULL && c->owner->push == c) {
        c->owner->push = NULL;
    }
    haft__mcp_stream_finish(&c->stream);
    if (c->owner == NULL) {
        haft__mcp_peer_destroy(c->peer);
    }
    free(c);
}

static void clear_away(haft__task *task)
{
    channel *c = HAFT__CONTAINER(task, channel, task);
    c->dead = false;
    free_channel(c);
}

static void end_channel(channel *c)
{
    if (!c->dead) {
        c->dead = true;
        c->task.run = clear_away;
        haft__loop_post(c->http->options.loop, &c->task);
    }
}

/* Of the streams of a session that are over, only the newest stay to be read again. */
static void forget_old(session *s)
{
    size_t count = 0;
    for (channel *c = s->channels, *next; c != NULL; c = next) {
        next = c->next;
        if (++count > HAFT__LIMIT_MCP_STREAMS && c->stream.over && !c->dead) {
            free_channel(c);
        }
    }
}

/* The client left. Without a handshake that is how it says that it wants nothing more. */
static void on_gone(void *context, haft__server_request *request)
{
    channel *c = context;
    haft__server_cut(request);
    if (c->stream.request == request) {
        c->stream.request = NULL;
        if (c->owner == NULL) {
            end_channel(c);
        }
    }
}

static channel *make_channel(haft__mcp_http *http, session *owner, haft__server_request *request)
{
    channel *c = calloc(1, sizeof(*c));
    if (c == NULL) {
        return NULL;
    }
    c->http = http;
    c->owner = owner;
    c->stream.request = request;
    if (owner != NULL) {
        c->stream.number = ++owner->streams;
        c->stream.primed =
            haft__str_equal(haft__mcp_peer_version(owner->peer), HAFT__LIT(HAFT__MCP_NEWEST));
        c->peer = owner->peer;
    }
    link_channel(c, owner != NULL ? &owner->channels : &http->channels);
    haft__server_on_gone(request, on_gone, c);
    return c;
}

/* What the pure server sends. */
static void on_sent(void *context, void *stream, const haft__mcp_sent *sent)
{
    session *s = context; /* NULL: it has none */
    channel *c = stream;
    switch (sent->kind) {
    case HAFT__MCP_SENT_PUSH:
        if (s != NULL && s->push != NULL) {
            haft__mcp_stream_add(&s->push->stream, sent->text);
        }
        break;
    case HAFT__MCP_SENT_PART: haft__mcp_stream_add(&c->stream, sent->text); break;
    case HAFT__MCP_SENT_ANSWER:
    case HAFT__MCP_SENT_NOTHING: {
        bool whole = !c->stream.begun; /* then there is nothing to read again */
        haft__mcp_stream_end(&c->stream, sent->http, sent->text);
        if (whole || c->owner == NULL) {
            end_channel(c);
        }
        break;
    }
    }
}

/* ---- sessions ---- */

static bool is_busy(const session *s)
{
    for (const channel *c = s->channels; c != NULL; c = c->next) {
        if (c->stream.request != NULL || (!c->stream.over && c != s->push)) {
            return true;
        }
    }
    return false;
}

static void free_session(session *s)
{
    haft__mcp_peer_destroy(s->peer);
    while (s->channels != NULL) {
        free_channel(s->channels);
    }
    *s->link = s->next;
    if (s->next != NULL) {
        s->next->link = s->link;
    }
    s->http->session_count--;
    free(s);
}

static void on_sweep(void *context)
{
    haft__mcp_http *http = context;
    uint64_t now = haft__loop_now(http->options.loop);
    for (session *s = http->sessions, *next; s != NULL; s = next) {
        next = s->next;
        if (!is_busy(s) && now - s->used_ms >= http->options.idle_ms) {
            free_session(s);
        }
    }
    if (http->sessions != NULL) {
        uint64_t ms = http->options.idle_ms < SWEEP_MS ? http->options.idle_ms : SWEEP_MS;
        (void)!haft__timer_start(http->options.loop, &http->sweep, ms, on_sweep, http, NULL);
    }
}

/* Room for one more: the one that was idle longest goes, one that is busy only if all are. */
static void make_room(haft__mcp_http *http)
{
    session *oldest = NULL;
    bool oldest_busy = true;
    for (session *s = http->sessions; s != NULL; s = s->next) {
        bool busy = is_busy(s);
        if (oldest == NULL || (oldest_busy && !busy)
            || (busy == oldest_busy && s->used_ms < oldest->used_ms)) {
            oldest = s;
            oldest_busy = busy;
        }
    }
    if (oldest != NULL) {
        free_session(oldest);
    }
}

static haft_str principal_of(const haft__mcp_http *http)
{
    return http->options.guard.token.len > 0 ? HAFT__LIT("token") : HAFT__LIT("");
}

static session *make_session(haft__mcp_http *http)
{
    uint8_t random[SESSION_ID_BYTES];
    session *s = calloc(1, sizeof(*s));
    if (s == NULL || !haft__random_bytes(random, sizeof(random))
        || haft__mcp_peer_create(http->options.server, principal_of(http), on_sent, s, &s->peer,
                                 NULL)
               != HAFT_OK) {
        free(s);
        return NULL;
    }
    for (size_t i = 0; i < sizeof(random); i++) {
        (void)snprintf(s->id + 2 * i, 3, "%02x", random[i]);
    }
    if (http->session_count >= http->options.sessions) {
        make_room(http);
    }
    s->http = http;
    s->used_ms = haft__loop_now(http->options.loop);
    s->next = http->sessions;
    s->link = &http->sessions;
    if (s->next != NULL) {
        s->next->link = &s->next;
    }
    http->sessions = s;
    http->session_count++;
    if (http->sweep.slot == 0) {
        on_sweep(http);
    }
    return s;
}

/* ---- refusals ---- */

static void refuse(haft__server_request *request, uint32_t status, const char *why)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__rpc_write_error(&text, haft__json_null(),
                          status == 500 ? HAFT__RPC_INTERNAL : HAFT__RPC_INVALID, haft__str(why),
                          haft__json_null());
    haft_str body = haft__buf_check(&text, NULL) == HAFT_OK ? haft__buf_str(&text) : HAFT__LIT("");
    haft__mcp_stream_reply(request, status, NULL, body);
    haft__buf_finish(&text);
}

static void refuse_message(haft__server_request *request, haft__mcp_asked *asked, uint32_t status,
                           const char *why)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_MCP_MESSAGE_BYTES);
    haft__mcp_refuse(asked, HAFT__RPC_INVALID, why, &text);
    haft_str body = haft__buf_check(&text, NULL) == HAFT_OK ? haft__buf_str(&text) : HAFT__LIT("");
    haft__mcp_stream_reply(request, status, NULL, body);
    haft__buf_finish(&text);
}

/* The session that a request names; NULL when it was refused. */
static session *find_session(haft__mcp_http *http, haft__server_request *request,
                             uint32_t *ret_status)
{
    haft_str id = haft__server_header(request, "mcp-session-id");
    if (id.ptr == NULL) {
        *ret_status = 400;
        return NULL;
    }
    for (session *s = http->sessions; s != NULL; s = s->next) {
        if (haft__str_equal(haft__str(s->id), id)) {
            s->used_ms = haft__loop_now(http->options.loop);
            return s;
        }
    }
    *ret_status = 404;
    return NULL;
}

static const char *why_no_session(uint32_t status)
{
    return status == 400 ? "expected the header Mcp-Session-Id, as initialize gave it out"
                         : "there is no such session any more; initialize again";
}

/* ---- POST ---- */

static haft_str get_header(void *context, const char *name)
{
    return haft__server_header(context, name);
}

static haft__mcp_headers headers_of(haft__server_request *request)
{
    return (haft__mcp_headers){.version = haft__server_header(request, "mcp-protocol-version"),
                               .method = haft__server_header(request, "mcp-method"),
                               .name = haft__server_header(request, "mcp-name"),
                               .get = get_header,
                               .context = request};
}

static void take(channel *c, haft__mcp_asked *asked, const haft__mcp_headers *headers)
{
    haft__mcp_peer_take(c->peer, asked, headers, c, haft__clock_now());
    if (c->owner != NULL && !c->stream.over) {
        haft__mcp_stream_begin(&c->stream); /* so that it can be read again if this breaks */
    }
    if (c->owner != NULL) {
        forget_old(c->owner);
    }
}

/* A handshake that fails leaves no session. */
static void open_session(haft__mcp_http *http, haft__server_request *request,
                         haft__mcp_asked *asked, const haft__mcp_headers *headers)
{
    session *s = make_session(http);
    channel *c = s != NULL ? make_channel(http, s, request) : NULL;
    if (c == NULL) {
        if (s != NULL) {
            free_session(s);
        }
        refuse_message(request, asked, 500, "out of memory");
        return;
    }
    c->stream.session = s->id;
    take(c, asked, headers);
    if (haft__mcp_peer_version(s->peer).len == 0) {
        free_session(s);
    }
}

static void post_alone(haft__mcp_http *http, haft__server_request *request, haft__mcp_asked *asked,
                       const haft__mcp_headers *headers)
{
    channel *c = make_channel(http, NULL, request);
    if (c == NULL
        || haft__mcp_peer_create(http->options.server, principal_of(http), on_sent, NULL, &c->peer,
                                 NULL)
               != HAFT_OK) {
        if (c != NULL) {
            c->stream.request = NULL;
            free_channel(c);
        }
        refuse_message(request, asked, 500, "out of memory");
        return;
    }
    take(c, asked, headers);
}

static void post(haft__mcp_http *http, haft__server_request *request)
{
    haft__mcp_headers headers = headers_of(request);
    haft__mcp_asked *asked = NULL;
    uint32_t status = 0;
    if (haft__mcp_read(http->options.server, haft__server_body(request), &headers, &asked, NULL)
        != HAFT_OK) {
        refuse(request, 500, "out of memory");
        return;
    }
    haft__mcp_era era = haft__mcp_asked_era(asked);
    if (era == HAFT__MCP_ERA_NEW) {
        post_alone(http, request, asked, &headers);
        return;
    }
    if (era == HAFT__MCP_ERA_NONE) {
        refuse_message(request, asked, 400, "");
        return;
    }
    if (era == HAFT__MCP_ERA_OPENING
        && haft__server_header(request, "mcp-session-id").ptr == NULL) {
        open_session(http, request, asked, &headers);
        return;
    }
    session *s = find_session(http, request, &status);
    channel *c = s != NULL ? make_channel(http, s, request) : NULL;
    if (c == NULL) {
        refuse_message(request, asked, s == NULL ? status : 500,
                       s == NULL ? why_no_session(status) : "out of memory");
        return;
    }
    take(c, asked, &headers);
}

/* ---- GET ---- */

/* "STREAM-EVENT", as we gave it out. */
static channel *find_stream(session *s, haft_str id, uint64_t *ret_seen)
{
    uint64_t number = 0;
    haft_str rest = haft__str_trim(id);
    if (!haft__str_to_u64(haft__str_split(&rest, '-'), &number)
        || !haft__str_to_u64(rest, ret_seen)) {
        return NULL;
    }
    for (channel *c = s->channels; c != NULL; c = c->next) {
        if (c->stream.number == number && !c->dead) {
            return c;
        }
    }
    return NULL;
}

static void resume(channel *c, haft__server_request *request, uint64_t seen)
{
    haft__server_on_gone(request, on_gone, c);
    haft__mcp_stream_resume(&c->stream, request, seen);
}

static void get(haft__mcp_http *http, haft__server_request *request)
{
    uint32_t status = 0;
    uint64_t seen = 0;
    session *s = find_session(http, request, &status);
    if (s == NULL) {
        refuse(request, status, why_no_session(status));
        return;
    }
    haft_str last = haft__server_header(request, "last-event-id");
    if (last.ptr != NULL) {
        channel *c = find_stream(s, last, &seen);
        if (c == NULL) {
            refuse(request, 404, "there is no stream with this event any more");
        } else {
            resume(c, request, seen);
        }
        return;
    }
    if (s->push != NULL && s->push->stream.request != NULL) {
        refuse(request, 409, "this session has such a stream already");
        return;
    }
    if (s->push != NULL) {
        resume(s->push, request, s->push->stream.seq);
        return;
    }
    s->push = make_channel(http, s, request);
    if (s->push == NULL) {
        refuse(request, 500, "out of memory");
        return;
    }
    haft__mcp_stream_begin(&s->push->stream);
}

static void drop(haft__mcp_http *http, haft__server_request *request)
{
    uint32_t status = 0;
    session *s = find_session(http, request, &status);
    if (s == NULL) {
        refuse(request, status, why_no_session(status));
        return;
    }
    free_session(s);
    haft__mcp_stream_reply(request, 204, NULL, HAFT__LIT(""));
}

/* ---- every request ---- */

static bool is_modern(const haft__server_request *request)
{
    haft_str version = haft__server_header(request, "mcp-protocol-version");
    return version.ptr != NULL && !haft__mcp_version_old(haft__str_trim(version));
}

static void handle(void *context, haft__server_request *request)
{
    haft__mcp_http *http = context;
    const char *why = "";
    haft_str method = haft__server_method(request);
    haft__mcp_visitor visitor = {.method = method,
                                 .host = haft__server_header(request, "host"),
                                 .origin = haft__server_header(request, "origin"),
                                 .authorization = haft__server_header(request, "authorization"),
                                 .accept = haft__server_header(request, "accept"),
                                 .content_type = haft__server_header(request, "content-type")};
    uint32_t status = haft__mcp_guard_check(&http->options.guard, &visitor, &why);
    bool get_or_delete =
        haft__str_equal(method, HAFT__LIT("GET")) || haft__str_equal(method, HAFT__LIT("DELETE"));
    if (status == 403 || status == 401) {
        refuse(request, status, why);
    } else if (!haft__str_equal(haft__server_path(request), HAFT__LIT("/mcp"))) {
        refuse(request, 404, "this server has one address only, /mcp");
    } else if (!haft__str_equal(method, HAFT__LIT("POST"))
               && (!get_or_delete || is_modern(request))) {
        refuse(request, 405, "this method of HTTP means nothing here");
    } else if (status != 0) {
        refuse(request, status, why);
    } else if (!get_or_delete) {
        post(http, request);
    } else if (haft__str_equal(method, HAFT__LIT("GET"))) {
        get(http, request);
    } else {
        drop(http, request);
    }
}

/* ---- its life ---- */

haft_status haft__mcp_http_create(const haft__mcp_http_options *options, haft__mcp_http **ret_http,
                                  haft_error *err)
{
    bool loopback = haft__mcp_guard_is_loopback(options->address);
    if (!loopback && options->guard.token.len == 0) {
        haft_status status = haft__fail(err, HAFT_BAD_INPUT, "",
                                        "'%.*s' can be reached from other machines, and there is "
                                        "no token",
                                        HAFT__ARG(options->address));
        return haft__hint(err, status,
                          "--token-file names a file with one, or listen at "
                          "127.0.0.1");
    }
    haft__mcp_http *http = calloc(1, sizeof(*http));
    if (http == NULL) {
        return haft__fail_no_memory(err);
    }
    http->options = *options;
    http->options.guard.loopback = loopback;
    http->options.sessions = options->sessions > 0 ? options->sessions : HAFT__LIMIT_MCP_SESSIONS;
    http->options.idle_ms =
        options->idle_ms > 0 ? options->idle_ms : HAFT__LIMIT_MCP_SESSION_IDLE_MS;
    haft__server_options server = {.address = options->address,
                                   .max_body = HAFT__LIMIT_MCP_MESSAGE_BYTES};
    haft_status status =
        haft__server_create(options->loop, &server, handle, http, &http->server, err);
    if (status != HAFT_OK) {
        free(http);
        return status;
    }
    *ret_http = http;
    return HAFT_OK;
}

void haft__mcp_http_destroy(haft__mcp_http *http)
{
    if (http == NULL) {
        return;
    }
    haft__timer_stop(http->options.loop, &http->sweep);
    while (http->sessions != NULL) {
        free_session(http->sessions);
    }
    while (http->channels != NULL) {
        free_channel(http->channels);
    }
    haft__server_destroy(http->server);
    free(http);
}

haft_str haft__mcp_http_address(const haft__mcp_http *http)
{
    return haft__server_address(http->server);
}

size_t haft__mcp_http_sessions(const haft__mcp_http *http)
{
    return http->session_count;
}

void haft__mcp_http_pause(haft__mcp_asked *asked)
{
    channel *c = haft__mcp_asked_stream(asked);
    if (c != NULL && c->owner != NULL) {
        haft__mcp_stream_begin(&c->stream);
        haft__mcp_stream_pause(&c->stream);
    }
}
