/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve/runs/feed.h - follows the events of runs for readers: streams, and requests that wait.
 *
 * Events of a run of this process arrive when they are committed. Events of other processes are
 * read from the store, more rarely the longer none has come. A reader gets each durable event once
 * and in order. A reader whose client is slow gets no more until the client has read; a run never
 * waits for a reader. Progress events are for readers that have everything.
 */
#ifndef HAFT_SERVE_RUNS_FEED_H
#define HAFT_SERVE_RUNS_FEED_H

#include "base/id.h"
#include "engine/runtime.h"

typedef struct haft__feed haft__feed;
typedef struct haft__follower haft__follower;
typedef struct haft__followed_run haft__followed_run;

/* The actions of a reader. All except is_ready may call haft__feed_leave for their own follower. */
typedef struct haft__follower_actions {
    /* A durable event after the last one (`seq` > 0), or a progress event (0). Returns false if the
     * follower has left, and may have been freed. */
    bool (*take)(haft__follower *follower, uint64_t seq, haft_str line);
    /* Whether the reader takes events now; `cut` is set if it has taken none for too long. NULL: it
     * always does. */
    bool (*is_ready)(haft__follower *follower);
    /* Called every few seconds. May be NULL. */
    void (*beat)(haft__follower *follower);
    /* The run cannot be read. */
    void (*fail)(haft__follower *follower, const haft_error *error);
} haft__follower_actions;

struct haft__follower {
    const haft__follower_actions *actions;
    void *context;
    uint64_t sent; /* seq of the last event that the reader has */
    bool wants_progress;
    haft__followed_run *run; /* NULL: it follows nothing */
    haft__follower *next, **link;
};

struct haft__feed {
    haft_runtime *runtime;
    haft__followed_run *runs;
    haft__timer beat;
    size_t followers;
};

void haft__feed_init(haft__feed *feed, haft_runtime *runtime);
/* Frees the runs, whose last store requests must be done: see haft__feed_is_idle. */
void haft__feed_finish(haft__feed *feed);
bool haft__feed_is_idle(const haft__feed *feed);

/* Whether no more followers are accepted. */
bool haft__feed_is_full(const haft__feed *feed);

/* Starts to follow the run `id` after the event `sent`. The caller sets `actions`, `context`,
 * `sent` and `wants_progress`; the follower must not move until haft__feed_leave. */
HAFT_MUST_USE haft_status haft__feed_follow(haft__feed *feed, haft_str id, haft__follower *follower,
                                            haft_error *err);
void haft__feed_leave(haft__feed *feed, haft__follower *follower);

/* Lines of a run of this process. */
void haft__feed_publish(haft__feed *feed, const char *run, haft_str lines);

/* Somebody may have changed the run: reads it now. */
void haft__feed_poke(haft__feed *feed, haft_str id);

/* Whether somebody follows the run and wants progress events. */
bool haft__feed_wants_progress(const haft__feed *feed, const char *run);

/* Calls `visit` for each follower; it may leave. */
void haft__feed_each(haft__feed *feed, void (*visit)(haft__follower *follower));

/* The kind of an event in its text: "run_finished". */
haft_str haft__feed_kind(haft_str line);

#endif
