/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the events of a run, as JSON or as server-sent events. Tests:
 * tests/serve/stream_test.py.
 *
 * The id of an event is its seq, so a client that lost its connection continues at any server and
 * at any time with Last-Event-ID. Progress events have no id.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/telemetry/telemetry.h"
#include "io/clock.h"
#include "serve/runs/runs_int.h"

/* A client that has not read so many bytes gets no events until it has read some. */
#define PAUSE_BYTES    (1U << 20)
#define PROGRESS_BYTES (256U << 10)

typedef struct event_stream {
    haft__follower follower;
    haft__api_call *call;
    haft__buf text;
    uint64_t since, last; /* seq of the first event to send, minus 1; of the last one of a run that
                           * has ended, or 0 */
    uint64_t stalled_ms;  /* monotonic time since which the client has read nothing; 0: it reads */
    size_t stalled_bytes;
} event_stream;

static void end_stream(event_stream *stream, bool cut)
{
    haft__api_call *call = stream->call;
    call->on_gone = NULL;
    haft__feed_leave(&haft__runs_of(call)->feed, &stream->follower);
    haft__buf_finish(&stream->text);
    if (cut && call->request != NULL) {
        bool slow = haft__http_server_unread(call->request) > PAUSE_BYTES;
        haft__telemetry_http_stream_cut(haft__runs_of(call)->runtime, slow ? "slow" : "failed");
    }
    haft__api_end(call, cut);
    call->holds--;
    haft__api_release(call);
}

static void on_gone(haft__api_call *call)
{
    end_stream(call->state, true);
}

static bool send(event_stream *stream, haft_str bytes)
{
    if (haft__http_server_write(stream->call->request, bytes)) {
        return true;
    }
    end_stream(stream, true);
    return false;
}

/* ---- the actions of the follower ---- */

static bool take(haft__follower *follower, uint64_t seq, haft_str line)
{
    event_stream *stream = follower->context;
    haft__buf *text = &stream->text;
    haft_str kind = haft__feed_kind(line);
    if (seq == 0 && haft__http_server_unread(stream->call->request) > PROGRESS_BYTES) {
        return true;
    }
    haft__buf_clear(text);
    if (seq > 0) {
        haft__buf_add_str(text, HAFT__LIT("id: "));
        haft__buf_add_int(text, (int64_t)seq);
        haft__buf_add_char(text, '\n');
    }
    haft__buf_add_str(text, HAFT__LIT("event: "));
    haft__buf_add_str(text, kind);
    haft__buf_add_str(text, HAFT__LIT("\ndata: "));
    haft__buf_add_str(text, line);
    haft__buf_add_str(text, HAFT__LIT("\n\n"));
    if (haft__buf_check(text, NULL) != HAFT_OK) {
        end_stream(stream, true);
        return false;
    }
    if (!send(stream, haft__buf_str(text))) {
        return false;
    }
    if (haft__str_equal(kind, HAFT__LIT("run_finished"))
        || (stream->last > 0 && seq >= stream->last)) {
        end_stream(stream, false);
        return false;
    }
    return true;
}

static bool is_ready(haft__follower *follower)
{
    event_stream *stream = follower->context;
    size_t unread = haft__http_server_unread(stream->call->request);
    if (unread < PAUSE_BYTES) {
        stream->stalled_ms = 0;
        return true;
    }
    if (stream->stalled_ms == 0 || unread < stream->stalled_bytes) {
        stream->stalled_ms = haft__clock_monotonic();
        stream->stalled_bytes = unread;
    }
    return false;
}

/* A heartbeat for proxies and clients, or the end of a client that does not read. */
static void beat(haft__follower *follower)
{
    event_stream *stream = follower->context;
    bool stalled = stream->stalled_ms > 0
                   && haft__clock_monotonic() - stream->stalled_ms > HAFT__LIMIT_SERVE_STALL_MS;
    if (stalled) {
        end_stream(stream, true);
    } else if (haft__http_server_unread(stream->call->request) == 0) {
        (void)send(stream, HAFT__LIT(": hb\n"));
    }
}

static void fail(haft__follower *follower, const haft_error *error)
{
    (void)error; /* the next request of the client gets it */
    end_stream(follower->context, true);
}

static const haft__follower_actions actions = {
    .take = take, .is_ready = is_ready, .beat = beat, .fail = fail};

/* ---- the stream ---- */

static void begin_stream(haft__api_call *call, const haft__store_run *row, uint64_t since)
{
    event_stream *stream = haft__arena_array(&call->arena, 1, sizeof(*stream));
    haft_error err = {0};
    if (stream == NULL) {
        (void)haft__arena_fail(&call->arena, &err);
        haft__api_fail(call, &err);
        return;
    }
    *stream = (event_stream){
        .call = call,
        .since = since,
        .last = row->state == HAFT__RUN_STATE_ENDED ? row->seq : 0,
        .follower = {
            .actions = &actions, .context = stream, .sent = since, .wants_progress = true}};
    haft__buf_init(&stream->text, HAFT__LIMIT_RUN_BYTES);
    static const haft__http_server_field fields[] = {{{"X-Accel-Buffering", 17}, {"no", 2}}};
    haft__api_reply reply = {.status = 200,
                             .content_type = HAFT__LIT("text/event-stream"),
                             .fields = fields,
                             .field_count = COUNT(fields)};
    call->state = stream;
    call->holds++;
    call->on_gone = on_gone;
    haft__api_begin(call, &reply);
    if (haft__feed_follow(&haft__runs_of(call)->feed, row->id, &stream->follower, &err)
        != HAFT_OK) {
        end_stream(stream, true);
    }
}

/* ---- JSON ---- */

static void write_events(haft__buf *body, haft_str run, haft_str lines, uint64_t since, bool more)
{
    uint64_t last = since;
    bool first = true;
    haft__buf_addf(body, "{\"run\":\"%.*s\",\"events\":[", HAFT__ARG(run));
    while (lines.len > 0) {
        haft_str line = haft__str_split(&lines, '\n');
        haft_str number = haft__str_skip(line, 7);
        (void)haft__str_to_u64(haft__str_split(&number, ','), &last);
        haft__buf_add_str(body, first ? HAFT__LIT("") : HAFT__LIT(","));
        haft__buf_add_str(body, line);
        first = false;
    }
    haft__buf_addf(body, "],\"last\":%llu,\"more\":%s}", (unsigned long long)last,
                   more ? "true" : "false");
}

static void on_events(haft__api_call *call)
{
    const haft__loaded_run *run = haft__runs_loaded(call);
    uint64_t since = call->store.after;
    haft__buf body;
    if (call->store.status != HAFT_OK) {
        haft__api_fail(call, &call->store.error);
        return;
    }
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    write_events(&body, run->row.id, call->store.text, since,
                 call->store.count == call->store.limit
                     && since + call->store.count < run->row.seq);
    haft__api_reply_json(call, 200, &body);
    haft__buf_finish(&body);
}

static bool wants_stream(haft__api_call *call)
{
    haft_str accept = haft__http_server_header(call->request, "accept");
    return accept.ptr != NULL
           && haft__str_contains_ignore_case(accept, HAFT__LIT("text/event-stream"));
}

/* The last event that the client has: Last-Event-ID of a client that reconnects, else `since`. */
static bool read_since(haft__api_call *call, uint64_t *ret_since)
{
    haft_str last = haft__str_trim(haft__http_server_header(call->request, "last-event-id"));
    if (!haft__api_query_number(call, "since", 0, INT64_MAX, 0, ret_since)) {
        return false;
    }
    if (last.ptr == NULL || last.len == 0 || haft__str_equal(last, HAFT__LIT("-1"))) {
        return true;
    }
    if (haft__str_to_u64(last, ret_since) && *ret_since <= INT64_MAX) {
        return true;
    }
    haft__api_reject(call, 400, HAFT_BAD_INPUT, "expected the number of an event in Last-Event-ID");
    return false;
}

static void on_row(haft__api_call *call)
{
    const haft__store_run *row = &haft__runs_loaded(call)->row;
    uint64_t since = 0, limit = 0;
    if (!read_since(call, &since)
        || !haft__api_query_number(call, "limit", 1, HAFT__LIMIT_SERVE_PAGE, HAFT__LIMIT_SERVE_PAGE,
                                   &limit)) {
        return;
    }
    if (!wants_stream(call)) {
        call->store = (haft__store_request){
            .verb = HAFT__STORE_READ_EVENTS, .run.id = row->id, .after = since, .limit = limit};
        haft__api_submit(call, on_events);
    } else if (row->state == HAFT__RUN_STATE_ENDED && since >= row->seq) {
        haft__api_reply_empty(call); /* nothing will come: clients stop to reconnect */
    } else if (haft__runs_of(call)->draining) {
        haft__api_reject(call, 503, HAFT_IO, "the server is stopping");
    } else if (haft__feed_is_full(&haft__runs_of(call)->feed)) {
        haft__api_reject(call, 503, HAFT_IO, "too many streams and waiting requests are open");
    } else {
        begin_stream(call, row, since);
    }
}

void haft__runs_handle_run_events(haft__api_call *call)
{
    haft__runs_load_path(call, HAFT__LOAD_ROW, on_row);
}
