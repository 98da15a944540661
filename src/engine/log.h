/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/log.h - passes the events of a run to the store and to readers.
 *
 * An event is redacted, folded into the state, buffered, written, committed, and read. At most one
 * store request is pending.
 */
#ifndef HAFT_ENGINE_LOG_H
#define HAFT_ENGINE_LOG_H

#include "base/arena.h"
#include "base/buf.h"
#include "engine/child.h"
#include "io/loop.h"
#include "store/store.h"

/*
 *     NEW --> CREATING --> IDLE <--> APPENDING
 *                           |  \
 *                           |   committed by the first or second attempt
 *                           v    \
 *                       BACKING_OFF <--> REREADING
 *                           ^
 *                           +----------> REAPPENDING
 */
typedef enum haft__log_state {
    HAFT__LOG_NEW,         /* no write has created the run in the store */
    HAFT__LOG_CREATING,    /* the first write is pending: it creates the run */
    HAFT__LOG_IDLE,        /* the run is in the store and no write is pending */
    HAFT__LOG_APPENDING,   /* a write is pending */
    HAFT__LOG_BACKING_OFF, /* a write failed; the retry timer runs, if the run is ACTIVE */
    HAFT__LOG_REREADING,   /* the row is read, to find out whether the failed write was committed */
    HAFT__LOG_REAPPENDING, /* the failed write was not committed and is pending again */
} haft__log_state;

/* Messages that became events or were rejected: the next write deletes them from the store. */
typedef struct haft__acked_messages {
    haft__store_message *items;
    size_t count, capacity;
} haft__acked_messages;

/* The lines that haft_run_next_event returns. */
typedef struct haft__log_reader {
    haft__buf committed; /* lines of durable events, and progress lines between them */
    size_t position;     /* bytes of `committed` that have been read */
    haft__buf progress;  /* progress lines whose preceding event is not durable yet */
    bool attached;       /* a client reads events, so progress is reported */
    bool discards;       /* only observers of the runtime read: no line is kept for this handle */
} haft__log_reader;

typedef struct haft__log {
    haft__log_state state;
    uint32_t failed_writes; /* since the last commit */
    haft_error error;       /* error of the last write; OK unless haft__log_is_failing */
    haft__timer retry;
    uint64_t writing_seq,
        durable_seq;       /* seq of the last event in the pending write; in the store */
    uint64_t requested_ms; /* monotonic time when the pending request was sent: a commit extends
                            * the lease from then on */
    haft__buf buffered, writing; /* lines of the next write; lines of the pending write */
    haft_str *lines;             /* the lines of `writing` */
    size_t line_capacity;
    haft__store_artifact *artifacts; /* artifacts of the pending write */
    size_t artifact_capacity;
    size_t artifacts_written; /* number of artifacts of the state that were sent to the store */
    haft__acked_messages acked, acked_writing; /* for the next write; in the pending write */
    haft__acked_messages acked_earlier;        /* deleted since messages were last polled */
    haft__child_writes children;               /* child runs and messages of the pending write */
    haft__store_request append, reread;
    haft__arena arena; /* results of requests */
    bool flush_rest;   /* the run fails: the buffered events are the last write */
    haft__log_reader reader;
} haft__log;

void haft__log_init(haft__log *log);
void haft__log_finish(haft__log *log);

/* The run was loaded from the store: all events of its state are durable. */
void haft__log_set_loaded(haft_run *run);

/* Appends an event: redacts, folds and buffers it. No other function appends events. */
HAFT_MUST_USE haft_status haft__log_append(haft_run *run, uint64_t at_ms, haft_str body,
                                           haft_error *err);

/* Acknowledges a handled message: the next write deletes it from the store. */
HAFT_MUST_USE haft_status haft__log_ack_message(haft__log *log, uint64_t message, haft_error *err);

/* Whether the message was already handled. The store may still return it. */
bool haft__log_was_acked(const haft__log *log, uint64_t message);

/* Whether the run is in the store. */
bool haft__log_is_created(const haft__log *log);

/* Whether a store request is pending. */
bool haft__log_is_busy(const haft__log *log);

/* Whether the last write failed and has not succeeded since. Meanwhile the run starts no new
 * operations. */
bool haft__log_is_failing(const haft__log *log);

/* Whether all events of the run are durable. */
bool haft__log_is_durable(const haft_run *run);

/* Writes the buffered events, immediately or after the commit of a pending write. */
void haft__log_flush(haft_run *run);

/* Like haft__log_flush, for a run that is about to fail: no more events are appended. */
void haft__log_flush_rest(haft_run *run);

/* Stops the retry timer of a failing log. */
void haft__log_stop_retry(haft_run *run);

/* Sends a progress event to readers; it is never stored. `body` is the body of the event. The event
 * is dropped if HAFT__LIMIT_RUN_UNREAD_BYTES are unread. */
void haft__log_notify(haft_run *run, haft_str body);

/* Returns the next line for readers, or false if no line is ready. The line is valid until the
 * run's next event. */
bool haft__log_read_line(haft_run *run, haft_str *ret_line);

#endif
