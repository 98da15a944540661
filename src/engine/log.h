/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/log.h - the events of a run on their way to the store and to readers.
 *
 * An event is redacted, folded into the state, buffered, written, committed, read. One store
 * request is pending at a time.
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
 *                           |   committed after all, or by the second attempt
 *                           v    \
 *                       BACKING_OFF <--> REREADING
 *                           ^
 *                           +----------> REAPPENDING
 */
typedef enum haft__log_state {
    HAFT__LOG_NEW,         /* the run is not in the store, as far as this process knows */
    HAFT__LOG_CREATING,    /* the first write is pending: it creates the run */
    HAFT__LOG_IDLE,        /* the run is in the store and no write is pending */
    HAFT__LOG_APPENDING,   /* a write is pending */
    HAFT__LOG_BACKING_OFF, /* a write failed; the retry timer runs, if the run is ACTIVE */
    HAFT__LOG_REREADING,   /* the store is queried whether it has committed that write */
    HAFT__LOG_REAPPENDING, /* it had not: the same write is pending again */
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
    bool attached;       /* a client reads events: progress is worth reporting */
} haft__log_reader;

typedef struct haft__log {
    haft__log_state state;
    uint32_t failed_writes; /* since the last commit */
    haft_error error;       /* why the last write failed; OK unless haft__log_is_failing */
    haft__timer retry;
    uint64_t writing_seq, durable_seq; /* last event of the pending write; of the store */
    uint64_t requested_ms; /* monotonic time when the pending request was sent: a commit extends
                            * the lease from then on */
    haft__buf buffered, writing; /* lines for the next write; lines of the pending one */
    haft_str *lines;             /* of `writing` */
    size_t line_capacity;
    haft__store_artifact *artifacts; /* of the pending write */
    size_t artifact_capacity;
    size_t artifacts_written; /* number of artifacts of the state that were sent to the store */
    haft__acked_messages acked, acked_writing; /* for the next write; of the pending one */
    haft__acked_messages acked_earlier;        /* deleted since messages were last polled */
    haft__child_writes children;               /* child runs and messages of the pending write */
    haft__store_request append, reread;
    haft__arena arena; /* results of both requests */
    bool flush_rest;   /* the run fails: what is buffered is the last write */
    haft__log_reader reader;
} haft__log;

void haft__log_init(haft__log *log);
void haft__log_finish(haft__log *log);

/* The run was loaded from the store: all events of its state are durable. */
void haft__log_set_loaded(haft_run *run);

/* Appends an event: redacts, folds and buffers it. The only function that appends. */
HAFT_MUST_USE haft_status haft__log_append(haft_run *run, uint64_t at_ms, haft_str body,
                                           haft_error *err);

/* The message has been handled: the next write deletes it from the store. */
HAFT_MUST_USE haft_status haft__log_ack_message(haft__log *log, uint64_t message, haft_error *err);

/* Whether the message was handled, though the store may still return it. */
bool haft__log_was_acked(const haft__log *log, uint64_t message);

/* Whether the run is in the store. */
bool haft__log_is_created(const haft__log *log);

/* Whether a store request is pending. */
bool haft__log_is_busy(const haft__log *log);

/* Whether the last write failed and has not been repeated with success: nothing new is started
 * meanwhile. */
bool haft__log_is_failing(const haft__log *log);

/* Whether all events of the run are durable. */
bool haft__log_is_durable(const haft_run *run);

/* Writes the buffered events; if a write is pending, after its commit. */
void haft__log_flush(haft_run *run);

/* The same for a run that is about to fail: nothing is appended any more. */
void haft__log_flush_rest(haft_run *run);

/* Stops the retry timer of a failing log. */
void haft__log_stop_retry(haft_run *run);

/* Sends readers a progress event, which is never stored; `body` is that of an event. It is dropped
 * if HAFT__LIMIT_RUN_UNREAD_BYTES are unread. */
void haft__log_notify(haft_run *run, haft_str body);

/* The next line for readers; false if there is none. Valid until the run's next event. */
bool haft__log_read_line(haft_run *run, haft_str *ret_line);

#endif
