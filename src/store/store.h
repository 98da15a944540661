/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/store.h - the store: events, artifacts, threads, cached results.
 *
 * A request is plain data. The caller submits it on the loop's thread. The store performs it on a
 * thread of its choice. `done` is called from the loop, never from inside haft__store_submit. A
 * request that is reported as done is durable. All data read back is checked: a store is not
 * trusted.
 *
 * Writes are performed in the order of submission. A read sees at least everything that was
 * reported before the read was submitted. A failed request has changed nothing, except after IO:
 * then the outcome is unknown until the run is read again (if the append did take effect, the same
 * append is rejected).
 *
 * A run has one owner at a time. A claim creates a new epoch. Each append contains the current
 * epoch and the number of the last event. It fails with BAD_STATE if one of them does not match the
 * run, so two processes never both continue a run. An owner name belongs to one process from its
 * start to its end, and is never reused.
 *
 * docs/store.md describes the guarantees and the tables.
 */
#ifndef HAFT_STORE_STORE_H
#define HAFT_STORE_STORE_H

#include "base/arena.h"
#include "base/id.h"
#include "io/loop.h"

typedef struct haft__store haft__store;

/* The URLs of all stores, and of those that processes can share, for messages and help. */
#define HAFT__STORE_SHARED_URLS "sqlite:PATH or postgres://..."
#define HAFT__STORE_URLS        "sqlite:PATH, postgres://... or memory:"

/* Opens "memory:", "sqlite:PATH" or a path, "postgres://..." (or "postgresql://..."). The directory
 * of a file is created if needed, accessible only to its owner. IO; BAD_INPUT (damaged, or not a
 * haft database); UNSUPPORTED (newer version, or unknown URL scheme). */
HAFT_MUST_USE haft_status haft__store_open(haft__loop *loop, const char *url,
                                           haft__store **ret_store, haft_error *err);

/* Like haft__store_open, for a command that only reads. A server's database without haft tables is
 * an empty store; no tables are created, and requests cannot create runs. */
HAFT_MUST_USE haft_status haft__store_open_existing(haft__loop *loop, const char *url,
                                                    haft__store **ret_store, haft_error *err);

/* "memory", "sqlite" or "postgres". */
const char *haft__store_kind(const haft__store *store);

/* The file path in a URL (a part of `url`); NULL if the URL does not name a file. */
const char *haft__store_url_path(const char *url);

/* Whether other processes can open the store. */
bool haft__store_is_shared(const haft__store *store);

/* The URL for display: without the password and without parameters that contain one. The URL still
 * works if libpq finds the password in another place. A file path is unchanged. NUL-terminated. */
haft_str haft__store_display_url(const char *url, haft__arena *arena);

/* Sets the timeout of all requests to a server, also of those that were submitted before: a request
 * fails if the server does not answer within `ms`. For a process that is about to exit. Stores in
 * files never wait for a server. */
void haft__store_set_timeout(haft__store *store, uint64_t ms);

/* Waits until all submitted requests are performed; their `done` is no longer called. Must not be
 * called from a `done`. */
void haft__store_close(haft__store *store);

/* The clock for leases, milliseconds since 1970: the machine's, or the database's as of the last
 * request. Called from any thread. */
typedef struct haft__store_clock {
    uint64_t (*now)(void *context);
    void *context;
} haft__store_clock;

uint64_t haft__store_now(const haft__store *store);

/* Replaces the clock while no request is in progress; returns the previous one. */
haft__store_clock haft__store_set_clock(haft__store *store, uint64_t (*now)(void *context),
                                        void *context);

typedef enum haft__run_state {
    HAFT__RUN_STATE_RUNNING, /* a worker owns it or should claim it */
    HAFT__RUN_STATE_WAITING, /* for people, clients, or a deadline */
    HAFT__RUN_STATE_ENDED,
} haft__run_state;

/* "running", "waiting", "ended". */
const char *haft__run_state_name(haft__run_state state);

/* The columns of a run, without its events. Texts are never NULL. */
typedef struct haft__store_run {
    haft_str id; /* 26 characters, base/id.h: the newest run has the greatest id */
    haft_str thread, parent, user;
    haft_str name, task;      /* of the spec; of the run */
    haft_str spec_hash, spec; /* the whole spec as JSON, so that another process can continue */
    haft_str spec_path;       /* base of relative paths */
    haft__run_state state;
    haft_str end, answer; /* set if the run has ended */
    uint64_t seq, epoch;
    haft_str owner;    /* "" if the run has no owner */
    uint64_t lease_ms; /* end of the owner's lease (UTC) */
    uint64_t created_ms, updated_ms;
    uint64_t wake_ms; /* the first deadline of a waiting run; 0: no deadline */
    uint32_t turns, calls;
    bool damaged; /* some columns are damaged: the id is right, task and spec are "", and columns
                   * that could not be read are "" or 0 */
} haft__store_run;

/* Whether the run is a child of its parent. A fork has a parent, too. */
bool haft__store_run_is_child(const haft__store_run *run);

typedef struct haft__store_artifact {
    haft_str name, media_type, sha256, content;
} haft__store_artifact;

/* A command to a run that another process may own. */
typedef struct haft__store_message {
    uint64_t id;
    haft_str run, body; /* body: of an input event */
} haft__store_message;

/* A run that an append creates: a child of the run that is appended to. */
typedef struct haft__store_child {
    haft__store_run run; /* as for CREATE, without an owner */
    haft_str line;       /* its first event */
} haft__store_child;

/* One check of `haft doctor`. */
typedef struct haft__store_finding {
    const char *name; /* static, one word */
    haft_str value;   /* the observed value */
    bool good;
    const char *hint; /* static; what to do if the value is bad, else "" */
} haft__store_finding;

/* The operations of a store. Each comment lists the members of the request that the verb reads and,
 * * after "->", the members that it sets. */
typedef enum haft__store_verb {
    /* run (with owner, or "" for no owner; created_ms 0: now; epoch 0: 1), lines, lease_ms ->
     * found[0]: the created run; its texts may point into the request. A run that is copied from
     * another store gets a greater epoch than in that store. BAD_STATE if the id exists; with
     * `alone` also if a run of its thread has not ended. */
    HAFT__STORE_CREATE,

    /* run.id, .seq (the last event before), .epoch; lines; artifacts; messages (by id, consumed);
     * and the new state, turns, calls, wake_ms of run. A lease_ms other than 0 renews the lease.
     * With the state ENDED also end and answer: the run then has no owner, accepts no more events,
     * and its unread messages are deleted. In the same transaction `children` are created and
     * `outgoing` messages are sent; a message to a run that has ended or does not exist is dropped.
     * BAD_STATE if run.epoch is not the current one, run.seq is not the last event, the run has
     * ended, a message no longer exists, or a child exists already. TOO_BIG past the limits of a
     * run. */
    HAFT__STORE_APPEND,

    /* run.id, run.owner, lease_ms, dead_owner -> found[0]. BAD_STATE if the run has ended, or if it
     * has another owner whose lease has not expired and who is not `dead_owner`. If run.epoch is
     * not 0, also BAD_STATE unless `dead_owner` owns the run in that epoch, or run.owner owns it in
     * any epoch. */
    HAFT__STORE_CLAIM,

    /* run.owner, lease_ms -> found[0]: claims a run that needs an owner. NOT_FOUND if no run does.
     *
     * Candidates without an owner are RUNNING, or WAITING with a wake_ms that is reached or with
     * messages. Candidates that lost their owner are RUNNING or WAITING, and the lease has expired
     * or the owner is a dead process of this machine (io/owner.h). Lost runs are claimed first,
     * then the run that has been without an owner for the longest time (since updated_ms, or
     * wake_ms). The verb skips runs of run.owner itself, runs in `skip`, and runs with an earlier
     * run of their thread that has not ended.
     *
     * The claim creates a new epoch, as CLAIM does. `lost` is set if the run had lost its owner.
     * With `quick` the store need not search for lost runs. With `reclaim_own` runs of run.owner
     * itself count as lost, except those in `skip`: an earlier CLAIM_NEXT with unknown outcome may
     * have claimed runs that their owner does not know of. wake_ms is compared with the later of
     * now_ms and the store's clock. BAD_INPUT if the next run is damaged: it is left unchanged, and
     * `damaged` has its id. */
    HAFT__STORE_CLAIM_NEXT,

    /* run.owner, lease_ms: renews all its leases -> count. PostgreSQL skips rows that another
     * transaction has locked, and sets run.lease_ms to the new end: a run with an earlier end was
     * skipped. The other stores leave run.lease_ms unchanged. */
    HAFT__STORE_RENEW,

    /* run.id, run.epoch: removes the owner and sets updated_ms to now -> count: 0 if the run has no
     * owner or another epoch, which is not an error. */
    HAFT__STORE_RELEASE,

    /* run.id, after, limit (events; 0: all) -> text: lines, each with its line feed; count.
     * BAD_INPUT if the checksum chain is broken. */
    HAFT__STORE_READ_EVENTS,

    /* name: a run's id, a prefix of an id, or "last" for the newest run that is not a child (the
     * thread of a child is its own id) -> found[0]. NOT_FOUND; BAD_INPUT if the prefix is
     * ambiguous, or if the run is damaged, unless `include_damaged` is set. */
    HAFT__STORE_FIND,

    /* thread (or ""), open_only, limit (0 or too large: HAFT__LIMIT_STORE_LIST), name (only smaller
     * ids, or "") -> found, greatest id first, without `spec` and `answer`. With `blocked_only`
     * instead of a thread: only RUNNING runs with an earlier run of their thread that has not
     * ended, with the columns of PREDECESSORS. Damaged runs are included and marked. */
    HAFT__STORE_LIST,

    /* thread, name: a run's id, or "" for a run that begins now -> found: the runs of the thread
     * that were created before it and have ended, in order of creation, regardless of their ids:
     * id, task, end, answer, created_ms. At most the last HAFT__LIMIT_STORE_LIST. */
    HAFT__STORE_THREAD_HISTORY,

    /* run.id, limit -> found: the runs of its thread that were created before it and have not
     * ended, in order of creation: id, state, owner, lease_ms. Once the list is empty it stays
     * empty: the run may begin. */
    HAFT__STORE_PREDECESSORS,

    /* run.id, text: leaves a message for the owner of the run. BAD_STATE if the run has ended, or
     * if it is being moved to another store (store/move.h) and run.owner does not own it. TOO_BIG
     * if it has too many unread messages. */
    HAFT__STORE_SEND,

    /* run.owner -> messages for its runs, oldest first; with run.id instead: the messages for that
     * run. Messages stay until an append consumes them. If the result would be too big, it has only
     * the first messages; the others are returned after these are consumed. */
    HAFT__STORE_RECEIVE,

    HAFT__STORE_READ_ARTIFACT, /* run.id, name -> artifact, with its content checked; the newest of
                                * that name */

    HAFT__STORE_CACHE_GET, /* scope, name: a key, now_ms -> text; NOT_FOUND */
    HAFT__STORE_CACHE_PUT, /* scope, name, text, now_ms, lease_ms: lifetime; 0: forever */

    HAFT__STORE_REMOVE, /* run.id (may be damaged), dead_owner. BAD_STATE if the run has an owner
                         * whose lease has not expired and who is neither run.owner nor
                         * `dead_owner`. If run.epoch is not 0, also BAD_STATE unless run.owner owns
                         * it in that epoch */

    /* now_ms, before_ms: removes runs that ended before before_ms (0: none) -> count of removed
     * runs. Removes only runs with one of `ends`, if any are given, and keeps the last `keep` runs
     * that ended. A thread is removed as a whole: a run is kept as long as another run of its
     * thread must be kept or has not ended, and as long as its parent has not ended. A child is
     * kept as long as its parent exists; `ends` and `keep` do not apply to children. Expired cached
     * results are always removed. With `dry_run` nothing is removed. */
    HAFT__STORE_GC,

    /* -> findings: the checks of `haft doctor`, apart from opening the store. Changes nothing; may
     * read all data. A bad finding has a hint.
     *
     *     memory    kept: "until this process ends"
     *     sqlite    schema (the version), journal ("wal"), synchronous ("full"), integrity
     *               (PRAGMA quick_check), space (free bytes against HAFT__LIMIT_STORE_FREE_BYTES),
     *               clock (no run was created in the future)
     *     postgres  server (version; bad in recovery: a standby rejects writes), schema
     *               (version), runs (how many lack a row in haft.about), role (its name, and
     *               whether it is a superuser; bad if it lacks a needed privilege), isolation (the
     *               level that the statements need), durability (synchronous_commit; bad unless
     *               fsync and full_page_writes are on), clock (the database's against this
     *               machine's; bad past a second: leases use the database's time, deadlines this
     *               machine's),
     *               connections (used and allowed by the server, the database or the role: the one
     *               that has the fewest left; bad if fewer than a tenth are left) */
    HAFT__STORE_DOCTOR,

    /* Begins a write like the verbs that write, but changes nothing: IO if the store cannot be
     * written. */
    HAFT__STORE_TRY_WRITE,
} haft__store_verb;

typedef struct haft__store_request haft__store_request;

/* The caller zeroes the request and sets its inputs. Inputs and the arena are borrowed until
 * `done`; until then only the store may use the arena. */
struct haft__store_request {
    haft__store_verb verb;
    haft__store_run run;
    const haft_str *lines; /* events, without line feeds */
    size_t line_count;
    const haft__store_artifact *artifacts;
    size_t artifact_count;
    const haft__store_message *messages; /* in and out */
    size_t message_count;
    const haft__store_child *children;
    size_t child_count;
    const haft__store_message *outgoing; /* without ids */
    size_t outgoing_count;
    haft_str dead_owner, name, thread, scope, text;
    uint64_t after, limit, now_ms, before_ms;
    uint64_t lease_ms; /* a duration; run.lease_ms is a time */
    bool open_only, blocked_only, alone, dry_run, quick, reclaim_own, include_damaged;
    const haft_str *skip; /* ids */
    size_t skip_count;
    const haft_str *ends;
    size_t end_count;
    uint64_t keep;

    void (*done)(haft__store_request *request);
    void *context;

    /* Results. */
    haft__arena *arena; /* the caller's arena for the results; NULL for verbs without any */
    haft_status status;
    haft_error error; /* if status is not OK; then only `damaged` is valid of the fields below */
    const haft__store_run *found;
    size_t found_count;
    haft__store_artifact artifact;
    const haft__store_finding *findings;
    size_t finding_count;
    uint64_t count;
    bool low;  /* almost no disk space is left: the caller must not start new work */
    bool lost; /* of CLAIM_NEXT: the run had lost its owner */
    /* Of CLAIM_NEXT, with BAD_INPUT: the id of the damaged run, or "". */
    char damaged[HAFT__ID_LENGTH + 1];

    haft__store_request *next; /* used by the store */
    struct {
        bool begun;
        uint64_t before;          /* only runs that ended before this time are removed */
        uint64_t updated, number; /* of the last run that was checked */
    } gc;                         /* used by the store: a large GC is done in parts */
};

/* The version of SQLite at run time. Static. */
const char *haft__store_sqlite_version(void);

void haft__store_submit(haft__store *store, haft__store_request *request);

/* Submits the request and steps the loop until it is done. For programs without other work; must
 * not be called from a callback of the loop. Returns the request's status; `done` and `context` are
 * not used. */
HAFT_MUST_USE haft_status haft__store_submit_and_wait(haft__store *store,
                                                      haft__store_request *request,
                                                      haft_error *err);

#endif
