/* SPDX-License-Identifier: Apache-2.0 */
/* feed.c - see feed.h. Tests: tests/serve/runs/feed_test.c, tests/serve/stream_test.py. */
#include "serve/runs/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "engine/run.h"

/* Intervals between two reads of a run: the first after an event, and the longest. */
#define POLL_MS     50U
#define POLL_MAX_MS 1000U
/* A run of this process reports its events itself; it is read only in case it changes its owner. */
#define POLL_LOCAL_MS 2000U
#define BEAT_MS       5000U
/* Events of one read. */
#define PAGE 200U

struct haft__followed_run {
    haft__feed *feed;
    char id[HAFT__ID_LENGTH + 1];
    haft__follower *followers;
    uint64_t latest; /* seq of the last known event */
    uint64_t poll_ms;
    bool reading, again; /* a read is pending; another one must follow */
    haft__timer poll;
    haft__store_request request;
    haft__arena arena;
    haft__followed_run *next, **link;
};

static void read_run(haft__followed_run *run);

/* ---- lines ---- */

static uint64_t seq_of(haft_str line)
{
    uint64_t seq = 0;
    if (!haft__str_starts_with(line, HAFT__LIT("{\"seq\":"))) {
        return 0;
    }
    line = haft__str_skip(line, 7);
    (void)haft__str_to_u64(haft__str_split(&line, ','), &seq);
    return seq;
}

/* The envelope comes first and has no text that could contain the key. */
haft_str haft__feed_kind(haft_str line)
{
    haft_str key = HAFT__LIT("\"kind\":\"");
    for (size_t i = 0; i + key.len < line.len; i++) {
        if (line.ptr[i] == '"' && memcmp(line.ptr + i, key.ptr, key.len) == 0) {
            haft_str rest = haft__str_skip(line, i + key.len);
            return haft__str_split(&rest, '"');
        }
    }
    return HAFT__LIT("");
}

/* ---- the runs ---- */

static haft__followed_run *find(const haft__feed *feed, haft_str id)
{
    haft__followed_run *run = feed->runs;
    while (run != NULL && !haft__str_equal(haft__str(run->id), id)) {
        run = run->next;
    }
    return run;
}

static haft_run *find_local(const haft__feed *feed, const char *id)
{
    for (haft_run *run = feed->runtime->runs; run != NULL; run = run->next) {
        if (run->stage == HAFT__HANDLE_ACTIVE && !run->released && strcmp(run->id, id) == 0) {
            return run;
        }
    }
    return NULL;
}

static void release(haft__followed_run *run)
{
    if (run->followers != NULL || run->reading) {
        return;
    }
    haft__timer_stop(run->feed->runtime->loop, &run->poll);
    *run->link = run->next;
    if (run->next != NULL) {
        run->next->link = run->link;
    }
    haft__arena_finish(&run->arena);
    free(run);
}

static void on_poll(void *context)
{
    read_run(context);
}

static void poll_later(haft__followed_run *run, bool found)
{
    bool local = find_local(run->feed, run->id) != NULL;
    run->poll_ms = found ? POLL_MS : run->poll_ms * 2;
    run->poll_ms = run->poll_ms > POLL_MAX_MS ? POLL_MAX_MS : run->poll_ms;
    /* Without a timer the next event of this process, or the next beat, reads again. */
    (void)!haft__timer_start(run->feed->runtime->loop, &run->poll,
                             local ? POLL_LOCAL_MS : run->poll_ms, on_poll, run, NULL);
}

static bool is_ready(haft__follower *follower)
{
    return follower->actions->is_ready == NULL || follower->actions->is_ready(follower);
}

/* Gives a follower the lines that it does not have. It may leave meanwhile. */
static void give(haft__follower *follower, haft_str lines)
{
    bool follows = true;
    while (lines.len > 0 && follows && is_ready(follower)) {
        haft_str line = haft__str_split(&lines, '\n');
        uint64_t seq = seq_of(line);
        if (seq == follower->sent + 1) {
            follower->sent = seq;
            follows = follower->actions->take(follower, seq, line);
        }
    }
}

/* ---- reading ---- */

/* The event after which to read: what the slowest ready follower lacks. UINT64_MAX: all followers
 * wait for their clients. */
static uint64_t read_position(haft__followed_run *run)
{
    uint64_t after = UINT64_MAX;
    for (haft__follower *one = run->followers, *next; one != NULL; one = next) {
        next = one->next;
        if (one->sent < after && is_ready(one)) {
            after = one->sent;
        }
    }
    return after;
}

static bool someone_lacks(haft__followed_run *run)
{
    return run->followers != NULL && read_position(run) < run->latest;
}

static void fail_followers(haft__followed_run *run, const haft_error *error)
{
    for (haft__follower *one = run->followers, *next; one != NULL; one = next) {
        next = one->next;
        one->actions->fail(one, error);
    }
}

static void on_read(haft__store_request *request)
{
    haft__followed_run *run = request->context;
    bool found = request->status == HAFT_OK && request->count > 0;
    haft_str lines = found ? request->text : HAFT__LIT("");
    if (request->status != HAFT_OK && request->status != HAFT_IO
        && request->status != HAFT_NO_MEMORY) {
        fail_followers(run, &request->error);
    }
    for (haft_str rest = lines; rest.len > 0;) {
        uint64_t seq = seq_of(haft__str_split(&rest, '\n'));
        run->latest = seq > run->latest ? seq : run->latest;
    }
    for (haft__follower *one = run->followers, *next; one != NULL; one = next) {
        next = one->next;
        give(one, lines);
    }
    run->reading = false;
    if (run->followers == NULL) {
        release(run);
    } else if (request->status == HAFT_OK && (run->again || someone_lacks(run))) {
        read_run(run);
    } else {
        poll_later(run, found);
    }
}

static void read_run(haft__followed_run *run)
{
    run->again = run->reading;
    if (run->reading) {
        return;
    }
    haft__timer_stop(run->feed->runtime->loop, &run->poll);
    uint64_t after = run->followers != NULL ? read_position(run) : UINT64_MAX;
    if (after == UINT64_MAX) {
        if (run->followers != NULL) {
            poll_later(run, true); /* until a client has read, or is cut */
        } else {
            release(run);
        }
        return;
    }
    run->reading = true;
    haft__arena_reset(&run->arena);
    run->request = (haft__store_request){.verb = HAFT__STORE_READ_EVENTS,
                                         .run.id = haft__str(run->id),
                                         .after = after,
                                         .limit = PAGE,
                                         .arena = &run->arena,
                                         .done = on_read,
                                         .context = run};
    haft__store_submit(run->feed->runtime->store, &run->request);
}

/* ---- following ---- */

static void set_progress(haft__feed *feed, const char *id)
{
    haft_run *local = find_local(feed, id);
    if (local != NULL && local->log.reader.discards) {
        local->log.reader.attached = haft__feed_wants_progress(feed, id);
    }
}

static void on_beat(void *context)
{
    haft__feed *feed = context;
    for (haft__followed_run *run = feed->runs, *next_run; run != NULL; run = next_run) {
        next_run = run->next;
        for (haft__follower *one = run->followers, *next; one != NULL; one = next) {
            next = one->next;
            if (one->actions->beat != NULL) {
                one->actions->beat(one);
            }
        }
    }
    if (feed->followers > 0) {
        (void)!haft__timer_start(feed->runtime->loop, &feed->beat, BEAT_MS, on_beat, feed, NULL);
    }
}

bool haft__feed_is_full(const haft__feed *feed)
{
    return feed->followers >= HAFT__LIMIT_SERVE_STREAMS;
}

haft_status haft__feed_follow(haft__feed *feed, haft_str id, haft__follower *follower,
                              haft_error *err)
{
    haft__followed_run *run = find(feed, id);
    if (haft__feed_is_full(feed)) {
        return haft__fail(err, HAFT_IO, "", "expected at most %d streams and waiting requests",
                          HAFT__LIMIT_SERVE_STREAMS);
    }
    if (run == NULL) {
        run = calloc(1, sizeof(*run));
        if (run == NULL) {
            return haft__fail_no_memory(err);
        }
        run->feed = feed;
        run->poll_ms = POLL_MS;
        memcpy(run->id, id.ptr, HAFT__ID_LENGTH);
        haft__arena_init(&run->arena, HAFT__LIMIT_RUN_BYTES);
        run->link = &feed->runs;
        run->next = feed->runs;
        if (feed->runs != NULL) {
            feed->runs->link = &run->next;
        }
        feed->runs = run;
    }
    follower->run = run;
    follower->link = &run->followers;
    follower->next = run->followers;
    if (run->followers != NULL) {
        run->followers->link = &follower->next;
    }
    run->followers = follower;
    if (feed->followers++ == 0) {
        (void)!haft__timer_start(feed->runtime->loop, &feed->beat, BEAT_MS, on_beat, feed, NULL);
    }
    set_progress(feed, run->id);
    read_run(run);
    return HAFT_OK;
}

void haft__feed_leave(haft__feed *feed, haft__follower *follower)
{
    haft__followed_run *run = follower->run;
    if (run == NULL) {
        return;
    }
    *follower->link = follower->next;
    if (follower->next != NULL) {
        follower->next->link = follower->link;
    }
    follower->run = NULL;
    feed->followers--;
    if (feed->followers == 0) {
        haft__timer_stop(feed->runtime->loop, &feed->beat);
    }
    set_progress(feed, run->id);
    if (run->followers == NULL && !run->reading) {
        /* Freed by the next poll: a caller may be going through the followers of the run. */
        (void)!haft__timer_start(feed->runtime->loop, &run->poll, 0, on_poll, run, NULL);
    }
}

void haft__feed_publish(haft__feed *feed, const char *id, haft_str lines)
{
    haft__followed_run *run = find(feed, haft__str(id));
    if (run == NULL) {
        return;
    }
    while (lines.len > 0) {
        haft_str line = haft__str_split(&lines, '\n');
        uint64_t seq = seq_of(line);
        run->latest = seq > run->latest ? seq : run->latest;
        for (haft__follower *one = run->followers, *next; one != NULL; one = next) {
            next = one->next;
            if (seq > 0) {
                give(one, line);
            } else if (one->wants_progress && one->sent == run->latest && is_ready(one)) {
                (void)one->actions->take(one, 0, line);
            }
        }
    }
    if (someone_lacks(run)) {
        read_run(run);
    }
}

void haft__feed_poke(haft__feed *feed, haft_str id)
{
    haft__followed_run *run = find(feed, id);
    if (run != NULL) {
        run->poll_ms = POLL_MS;
        read_run(run);
    }
}

bool haft__feed_wants_progress(const haft__feed *feed, const char *id)
{
    const haft__followed_run *run = find(feed, haft__str(id));
    for (const haft__follower *one = run != NULL ? run->followers : NULL; one != NULL;
         one = one->next) {
        if (one->wants_progress) {
            return true;
        }
    }
    return false;
}

void haft__feed_each(haft__feed *feed, void (*visit)(haft__follower *follower))
{
    for (haft__followed_run *run = feed->runs, *next_run; run != NULL; run = next_run) {
        next_run = run->next;
        for (haft__follower *one = run->followers, *next; one != NULL; one = next) {
            next = one->next;
            visit(one);
        }
    }
}

/* ---- life ---- */

void haft__feed_init(haft__feed *feed, haft_runtime *runtime)
{
    *feed = (haft__feed){.runtime = runtime};
}

bool haft__feed_is_idle(const haft__feed *feed)
{
    for (const haft__followed_run *run = feed->runs; run != NULL; run = run->next) {
        if (run->reading) {
            return false;
        }
    }
    return true;
}

void haft__feed_finish(haft__feed *feed)
{
    while (feed->runs != NULL) {
        release(feed->runs);
    }
    haft__timer_stop(feed->runtime->loop, &feed->beat);
}
