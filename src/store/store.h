/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/store.h - where runs are kept: events, artifacts, threads, results worth remembering.
 *
 * A request is plain data. It is handed in on the loop's thread, performed wherever the store
 * performs it, and `done` is called from the loop, never from inside haft__store_submit. What is
 * reported as done is durable. Everything read back is checked: a store is not trusted.
 *
 * Writes are performed in the order they were submitted in; a read sees at least what had been
 * reported when it was submitted. One that failed has changed nothing, but for IO: whether that
 * was kept is not known before the run is read again (and appending the same again is refused if
 * it was).
 *
 * A run belongs to one owner at a time. Claiming it makes a new epoch; each append names the epoch
 * and the event it follows, and is refused when either is not the run's (BAD_STATE): two processes
 * never both go on with a run. An owner is one life of one process: its name is never used again.
 *
 * The guarantees and the tables are in docs/store.md.
 */
#ifndef HAFT_STORE_STORE_H
#define HAFT_STORE_STORE_H

#include "base/arena.h"
#include "base/id.h"
#include "io/loop.h"

typedef struct haft__store haft__store;

/* "memory:", "sqlite:PATH" or a path, "postgres://..." (or "postgresql://..."). The directory of a
 * file is made if it is not there, for its owner alone. IO, BAD_INPUT (damaged, or no database of
 * ours), UNSUPPORTED (of a newer version, or a URL nobody serves). */
HAFT_MUST_USE haft_status haft__store_open(haft__loop *loop, const char *url,
                                           haft__store **ret_store, haft_error *err);

/* The same for whoever only looks at what is there: a database of a server that has no tables of
 * ours is an empty store, and is left as it is. Nothing can be created in that. */
HAFT_MUST_USE haft_status haft__store_open_existing(haft__loop *loop, const char *url,
                                                    haft__store **ret_store, haft_error *err);

/* The path of the file that a URL names, a part of it; NULL when it names none. */
const char *haft__store_url_path(const char *url);

/* How a URL is shown to people, and can be used once the password is known from elsewhere: all of
 * it but for the password, and parameters that have one. The path of a file as it is. Ended by a
 * NUL. */
haft_str haft__store_display_url(const char *url, haft__arena *arena);

/* From now on what a server has not answered within so many milliseconds has failed, also what was
 * submitted before: whoever asks is about to end. A file is not waited for anyway. */
void haft__store_set_timeout(haft__store *store, uint64_t ms);

/* Waits until everything submitted has been performed; its `done` is not called any more. Not from
 * inside a `done`. */
void haft__store_close(haft__store *store);

/* The clock that leases are measured with, milliseconds since 1970: the machine's, or that of the
 * database, as of the last request. Called from any thread. */
typedef struct haft__store_clock {
    uint64_t (*now)(void *context);
    void *context;
} haft__store_clock;

uint64_t haft__store_now(const haft__store *store);

/* Another one, while no request is under way; returns the one that was there. */
haft__store_clock haft__store_set_clock(haft__store *store, uint64_t (*now)(void *context),
                                        void *context);

typedef enum haft__run_state {
    HAFT__RUN_STATE_RUNNING, /* somebody goes on with it, or should */
    HAFT__RUN_STATE_WAITING, /* for people, clients, or a deadline */
    HAFT__RUN_STATE_ENDED,
} haft__run_state;

/* "running", "waiting", "ended". */
const char *haft__run_state_name(haft__run_state state);

/* What is known of a run without reading its events. Texts are never NULL. */
typedef struct haft__store_run {
    haft_str id; /* 26 characters, base/id.h: the newest has the greatest */
    haft_str thread, parent, user;
    haft_str name, task;      /* of the spec; of the run */
    haft_str spec_hash, spec; /* the whole spec as JSON: another process can go on */
    haft_str spec_path;       /* what relative paths are relative to */
    haft__run_state state;
    haft_str end, answer; /* of one that has ended */
    uint64_t seq, epoch;
    haft_str owner;    /* "" when nobody has it */
    uint64_t lease_ms; /* until then (UTC) it is the owner's */
    uint64_t created_ms, updated_ms;
    uint64_t wake_ms; /* the first deadline of one that waits; 0: none */
    uint32_t turns, calls;
    bool damaged; /* some of this is not what was written: the id is right, no text of task or spec
                   * is there, and what could not be read is "" or 0 */
} haft__store_run;

typedef struct haft__store_artifact {
    haft_str name, media_type, sha256, content;
} haft__store_artifact;

/* What somebody has to say to a run that another process may be busy with. */
typedef struct haft__store_message {
    uint64_t id;
    haft_str run, body; /* of an input event */
} haft__store_message;

/* One thing that was looked at. */
typedef struct haft__store_finding {
    const char *name; /* static, one word */
    haft_str value;   /* what was found */
    bool good;
    const char *hint; /* static; what to do when it is not good, else "" */
} haft__store_finding;

typedef enum haft__store_verb {
    /* run (with owner, or "" for anybody; created_ms 0: now; epoch 0: 1), lines, lease_ms ->
     * found[0]: the same; its texts may be those of the request. One that comes from another store
     * gets an epoch past the one it had there. BAD_STATE when there is one of that id; with `alone`
     * also when a run of its thread has not ended. */
    HAFT__STORE_CREATE,

    /* run.id, .seq (last before), .epoch; lines; artifacts; messages (by id, consumed); and the new
     * state, turns, calls, wake_ms of run; lease_ms, when it is not 0, renews the lease. With the
     * state ENDED also end and answer: the run is then nobody's any more, takes no more events,
     * and messages that nobody consumed are gone. BAD_STATE when it is not the owner's, has other
     * events or has ended, or a message is not there any more; TOO_BIG past the limits of a run. */
    HAFT__STORE_APPEND,

    /* run.id, run.owner, lease_ms, dead_owner -> found[0]. BAD_STATE while another has it, unless
     * its lease is over or it is `dead_owner`, and when the run has ended. With run.epoch, when it
     * is not 0, also when it is not `dead_owner` that has it, in that epoch; fine when run.owner
     * has it already. */
    HAFT__STORE_CLAIM,

    /* run.owner, lease_ms -> found[0]: claims a run that somebody should go on with and nobody
     * does. It is RUNNING, or WAITING with a wake_ms that has come or with messages for it, and has
     * no owner; or it is one of either state that has lost its owner, whose lease is over or who is
     * a process of this machine that is no more (io/owner.h). Those that lost their owner go first,
     * then the one that nobody has had for longest (updated_ms, or wake_ms). Runs of run.owner
     * itself, of `skip`, and those that have an earlier one of their thread which has not ended are
     * left alone. A new epoch, as CLAIM makes; `lost` when it had lost its owner. NOT_FOUND when
     * there is none. With `quick` those that lost their owner need not be looked for. With
     * `reclaim_own` runs of run.owner itself count as lost, but for those of `skip`: an earlier
     * TAKE whose outcome is not known may have made some that their owner knows nothing of. A
     * wake_ms that has come by now_ms, if that is later than the store's clock, has come. BAD_INPUT
     * when the run whose turn it is cannot be read: it is left as it was, and `damaged` says which
     * one it is. */
    HAFT__STORE_CLAIM_NEXT,

    HAFT__STORE_RENEW,   /* run.owner, lease_ms: all its leases -> count; run.lease_ms: until when,
                          * in a store that passes over what others have locked, else as it was */
    HAFT__STORE_RELEASE, /* run.id, run.epoch: nobody's any more, updated_ms is now; fine when it
                          * was lost -> count */

    /* run.id, after, limit (events; 0: all) -> text: lines, each ended by a line feed; count.
     * BAD_INPUT when the chain of checksums is broken. */
    HAFT__STORE_READ_EVENTS,

    /* name: a run's id, the beginning of one, or "last" (created) -> found[0]. NOT_FOUND; BAD_INPUT
     * when several begin so, and when it is damaged, but for `include_damaged`. */
    HAFT__STORE_FIND,

    /* thread (or ""), open_only, limit (0, or too many: HAFT__LIMIT_STORE_LIST), name (only ids
     * before it, or "") -> found, the greatest id first, without `spec` and `answer`. With `behind`
     * instead of a thread only runs that are RUNNING and have an earlier one of their thread which
     * has not ended, as AHEAD has them. Those that are damaged are among them, and say so. */
    HAFT__STORE_LIST,

    /* thread, name: a run's id, or "" for one that begins now -> found: the runs of the thread that
     * were created before that one and have ended, in that order, whatever their ids are: id, task,
     * end, answer, created_ms. The last HAFT__LIMIT_STORE_LIST of them when there are more. */
    HAFT__STORE_THREAD_HISTORY,

    /* run.id, limit -> found: the runs of its thread that were created before it and have not
     * ended, in that order: id, state, owner, lease_ms. Once there is none there never will be one:
     * the run may begin. */
    HAFT__STORE_PREDECESSORS,

    /* run.id, text: leaves a message for whoever has the run. BAD_STATE when it has ended, or is on
     * its way into another store (store/move.h) and not run.owner's; TOO_BIG when too many wait. */
    HAFT__STORE_SEND,

    /* run.owner -> messages for its runs, the oldest first; run.id instead: those of that run. They
     * stay until an append consumes them; what is too much for once comes then. */
    HAFT__STORE_RECEIVE,

    HAFT__STORE_READ_ARTIFACT, /* run.id, name -> artifact, its content checked; the newest of a
                                  name */

    HAFT__STORE_CACHE_GET, /* scope, name: a key, now_ms -> text; NOT_FOUND */
    HAFT__STORE_CACHE_PUT, /* scope, name, text, now_ms, lease_ms: how long; 0: for ever */

    HAFT__STORE_REMOVE, /* run.id, damaged or not, dead_owner; BAD_STATE while somebody has it, but
                         * for run.owner and `dead_owner`, if they are not ""; with run.epoch, when
                         * it is not 0, unless run.owner has it in that epoch */

    /* now_ms, before_ms: removes runs that ended before; 0: none. Only those with one of `ends`, if
     * there are any, and not the `keep` that ended last. A thread goes as a whole: a run stays as
     * long as another of its thread is to stay or has not ended, and as long as its parent has not
     * ended. Results that are too old go in any case -> count of runs. With `dry_run` nothing is
     * removed. */
    HAFT__STORE_GC,

    /* -> findings: what `haft doctor` is to know of the store, beside that it can be opened.
     * Changes nothing; may read all of it. A finding that is not good has a hint.
     *
     *     memory    kept: "as long as this process"
     *     sqlite    schema (the version), journal ("wal"), synchronous ("full"), integrity
     *               (PRAGMA quick_check), space (free bytes beside HAFT__LIMIT_STORE_FREE_BYTES),
     *               clock (no run was created in the future)
     *     postgres  server (version; bad when it is in recovery: a standby takes no writes), schema
     *               (version), runs (that lack a part), role (its name; bad when it lacks a right
     * that is needed, worth a hint when it is a superuser), isolation (what the statements were
     * written for), durability (synchronous_commit is on or stricter, fsync and full_page_writes
     *               are on), clock (the database's beside this machine's; bad past a second: leases
     *               are by the database's time and deadlines by this machine's), connections (used
     *               and allowed, by the server, the database or the role, whichever is nearest; bad
     *               when fewer than a tenth are left) */
    HAFT__STORE_DOCTOR,
} haft__store_verb;

typedef struct haft__store_request haft__store_request;

/* Filled in by the caller, zeroed before; inputs are borrowed until `done`, and so is the arena,
 * which nobody else may use meanwhile. */
struct haft__store_request {
    haft__store_verb verb;
    haft__store_run run;
    const haft_str *lines; /* events, without line ends */
    size_t line_count;
    const haft__store_artifact *artifacts;
    size_t artifact_count;
    const haft__store_message *messages; /* in and out */
    size_t message_count;
    haft_str dead_owner, name, thread, scope, text;
    uint64_t after, limit, lease_ms, now_ms, before_ms;
    bool open_only, behind, alone, dry_run, quick, reclaim_own, include_damaged;
    const haft_str *skip; /* ids */
    size_t skip_count;
    const haft_str *ends;
    size_t end_count;
    uint64_t keep;

    void (*done)(haft__store_request *request);
    void *context;

    /* What came of it. */
    haft__arena *arena; /* the caller's: what is read lives there. NULL where nothing is */
    haft_status status;
    haft_error error; /* when status is not OK; what follows is only there when it is */
    const haft__store_run *found;
    size_t found_count;
    haft__store_artifact artifact;
    const haft__store_finding *findings;
    size_t finding_count;
    uint64_t count;
    bool low;  /* there is hardly room for more: no new work is to be begun */
    bool lost; /* of TAKE: somebody had the run, and is gone */
    char
        damaged[HAFT__ID_LENGTH + 1]; /* of TAKE, with BAD_INPUT: the run that it is about, or "" */

    haft__store_request *next; /* the store's */
    struct {
        bool begun;
        uint64_t before, updated, number; /* which runs are due; the last one looked at */
    } gc;                                 /* the store's: what is much is done in parts */
};

/* The version of SQLite at run time. Static. */
const char *haft__store_sqlite_version(void);

void haft__store_submit(haft__store *store, haft__store_request *request);

/* Submits and steps the loop until it is done; for programs that have nothing else to do, and never
 * from a callback of the loop. Returns its status; `done` and `context` are not used. */
HAFT_MUST_USE haft_status haft__store_submit_and_wait(haft__store *store,
                                                      haft__store_request *request,
                                                      haft_error *err);

#endif
