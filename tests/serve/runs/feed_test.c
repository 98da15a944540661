/* SPDX-License-Identifier: Apache-2.0 */
/* feed_test.c - each reader gets each event once and in order, whatever arrives first. */
#include "serve/runs/feed.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

#define RUN "01m7tv1a71fxxpq0djtw0qnx6d"

typedef struct reader {
    haft__follower follower;
    uint64_t next; /* the expected seq */
    size_t progress, failed;
    bool closed, wrong;
} reader;

static bool take(haft__follower *follower, uint64_t seq, haft_str line)
{
    reader *r = follower->context;
    (void)line;
    if (seq == 0) {
        r->progress++;
        return true;
    }
    r->wrong = r->wrong || seq != r->next;
    r->next = seq + 1;
    return true;
}

static bool is_ready(haft__follower *follower)
{
    const reader *r = follower->context;
    return !r->closed;
}

static void fail(haft__follower *follower, const haft_error *error)
{
    reader *r = follower->context;
    (void)error;
    r->failed++;
}

static const haft__follower_actions actions = {.take = take, .is_ready = is_ready, .fail = fail};

static void follow(haft__feed *feed, reader *r, uint64_t since)
{
    *r = (reader){.next = since + 1};
    r->follower =
        (haft__follower){.actions = &actions, .context = r, .sent = since, .wants_progress = true};
    CHECK_INT(haft__feed_follow(feed, HAFT__LIT(RUN), &r->follower, NULL), HAFT_OK, "follow");
}

static void publish(haft__feed *feed, unsigned first, unsigned last)
{
    char lines[4096];
    int used = 0;
    for (unsigned seq = first; seq <= last; seq++) {
        used += snprintf(lines + used, sizeof(lines) - (size_t)used,
                         "{\"seq\":%u,\"at\":\"x\",\"run\":\"" RUN "\",\"kind\":\"x\"}\n", seq);
    }
    haft__feed_publish(feed, RUN, (haft_str){lines, (size_t)used});
}

static haft_runtime *open_runtime(void)
{
    haft_runtime *runtime = NULL;
    haft_runtime_options options = HAFT_RUNTIME_OPTIONS_INIT;
    options.store = "memory:";
    CHECK_INT(haft_runtime_create(&options, &runtime, NULL), HAFT_OK, "runtime");
    return runtime;
}

/* The store does not have the run, so readers get what is published. */
static void settle(haft_runtime *runtime, const haft__feed *feed)
{
    while (!haft__feed_is_idle(feed)) {
        CHECK_INT(haft_runtime_step(runtime, -1, NULL), HAFT_OK, "step");
    }
}

TEST(readers_get_each_event_once)
{
    haft_runtime *runtime = open_runtime();
    haft__feed feed;
    reader all, late, slow;
    haft__feed_init(&feed, runtime);
    follow(&feed, &all, 0);
    follow(&feed, &late, 4);
    follow(&feed, &slow, 0);
    slow.closed = true;
    publish(&feed, 1, 2);
    publish(&feed, 1, 2); /* again, as from the store */
    publish(&feed, 3, 6);
    publish(&feed, 5, 8); /* overlaps */
    CHECK_INT(all.next, 9, "all events");
    CHECK_INT(late.next, 9, "events after the fourth");
    CHECK_INT(slow.next, 1, "nothing for a client that does not read");
    CHECK_INT(all.wrong || late.wrong || slow.wrong, false, "in order");
    publish(&feed, 12, 13); /* 9 to 11 are missing: they must be read first */
    CHECK_INT(all.next, 9, "no event is skipped");
    haft__feed_publish(&feed, RUN, HAFT__LIT("{\"after\":13,\"kind\":\"model_progress\"}\n"));
    CHECK_INT(all.progress, 0, "no progress for a reader that lacks events");
    settle(runtime, &feed);
    CHECK_INT(all.failed, 1, "the store does not have the run");
    haft__feed_leave(&feed, &all.follower);
    haft__feed_leave(&feed, &late.follower);
    haft__feed_leave(&feed, &slow.follower);
    settle(runtime, &feed);
    haft__feed_finish(&feed);
    haft_runtime_destroy(runtime);
}

TEST(the_number_of_readers_is_limited)
{
    haft_runtime *runtime = open_runtime();
    haft__feed feed;
    reader *readers = calloc(HAFT__LIMIT_SERVE_STREAMS + 1, sizeof(*readers));
    haft_error err = {0};
    haft__feed_init(&feed, runtime);
    for (size_t i = 0; i < HAFT__LIMIT_SERVE_STREAMS; i++) {
        follow(&feed, &readers[i], 0);
    }
    CHECK_INT(haft__feed_is_full(&feed), true, "full");
    haft__follower *more = &readers[HAFT__LIMIT_SERVE_STREAMS].follower;
    *more = (haft__follower){.actions = &actions};
    CHECK_INT(haft__feed_follow(&feed, HAFT__LIT(RUN), more, &err), HAFT_IO, "one more");
    for (size_t i = 0; i < HAFT__LIMIT_SERVE_STREAMS; i++) {
        haft__feed_leave(&feed, &readers[i].follower);
    }
    settle(runtime, &feed);
    haft__feed_finish(&feed);
    haft_runtime_destroy(runtime);
    free(readers);
}

TEST(kinds_are_read_from_lines)
{
    CHECK_STR(
        haft__feed_kind(HAFT__LIT("{\"seq\":1,\"at\":\"a\",\"run\":\"b\",\"kind\":\"paused\"}")),
        HAFT__LIT("paused"), "an event");
    CHECK_STR(haft__feed_kind(HAFT__LIT("{}")), HAFT__LIT(""), "none");
}
