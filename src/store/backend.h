/* SPDX-License-Identifier: Apache-2.0 */
/* store/backend.h - what stores of every kind have in common. */
#ifndef HAFT_STORE_BACKEND_H
#define HAFT_STORE_BACKEND_H

#include <pthread.h>

#include "store/store.h"

/* Requests in order; linked by `next`. */
typedef struct haft__store_queue {
    haft__store_request *first, **end;
} haft__store_queue;

void haft__store_queue_init(haft__store_queue *list);
void haft__store_queue_push(haft__store_queue *list, haft__store_request *request);

/* The first, taken out; NULL when there is none. */
haft__store_request *haft__store_queue_pop(haft__store_queue *list);

/* Moves all of `from` behind those of `to`. */
void haft__store_queue_append(haft__store_queue *from, haft__store_queue *to);

/* One kind of store. */
typedef struct haft__store_backend {
    /* Makes the store, its head as haft__store_init leaves it. `place` is the URL without its
     * scheme; without `make_tables` a server's database that has none of ours is an empty store. */
    haft_status (*open)(haft__loop *loop, const char *place, bool make_tables,
                        haft__store **ret_store, haft_error *err);
    void (*submit)(haft__store *store, haft__store_request *request);
    /* Performs what has been submitted and frees the store. */
    void (*close)(haft__store *store);
    void (*set_timeout)(haft__store *store, uint64_t ms); /* NULL: nothing takes long */
} haft__store_backend;

extern const haft__store_backend haft__store_memory, haft__store_sqlite, haft__store_pg;

/* The head of every store. */
struct haft__store {
    const haft__store_backend *kind;
    haft__loop *loop;
    uint64_t (*now)(void *context);
    void *now_context;
    uint64_t run_bytes; /* HAFT__LIMIT_RUN_BYTES; less in tests */
    haft__task delivery;
    bool delivering; /* `done` of some request is being called */

    pthread_mutex_t lock;       /* of what follows */
    haft__store_queue finished; /* `done` has not been called yet */
    bool announced;             /* the loop has `delivery` */
};

void haft__store_init(haft__store *store, const haft__store_backend *kind, haft__loop *loop);

/* What haft__store_init did, undone; the loop does not know the store any more. */
void haft__store_finish(haft__store *store);

/* Which deadlines have come for a TAKE: those of the store's clock, or of who asks. */
uint64_t haft__store_claim_time(const haft__store *store, const haft__store_request *request);

/* Until when a lease that begins now lasts. */
uint64_t haft__store_lease_end(const haft__store *store, uint64_t lease_ms);

/* Until when the result that a request remembers may be used; 0: for ever. */
uint64_t haft__store_cache_expiry(const haft__store_request *request);

/* Clears what comes out of a request before it is performed. */
void haft__store_reset_result(haft__store_request *request);

/* They have been performed: their `done` is called from the loop. From its thread, ... */
void haft__store_complete(haft__store *store, haft__store_queue *performed);

/* ... or from any. */
void haft__store_complete_threadsafe(haft__store *store, haft__store_queue *performed);

/* Whether a request can be performed at all: texts are valid UTF-8 and not too long, events are
 * lines, artifacts have the sum they are said to have. Needs no store, and may be slow. */
HAFT_MUST_USE haft_status haft__store_check(const haft__store_request *request, haft_error *err);

/* The epoch of a run that is created. */
uint64_t haft__store_first_epoch(const haft__store_request *request);

/* Whether these lines may follow `seq` events of `bytes` bytes. */
HAFT_MUST_USE haft_status haft__store_check_room(const haft__store *store,
                                                 const haft__store_request *request, uint64_t seq,
                                                 uint64_t bytes, haft_error *err);

/* The bytes the lines take, each with its line feed. */
uint64_t haft__store_line_bytes(const haft__store_request *request);

/* Whether a run may be created while this one of its thread, NULL for none, has not ended. */
HAFT_MUST_USE haft_status haft__store_check_thread(const haft__store_request *request,
                                                   const haft__store_run *open, haft_error *err);

/* Whether the owner of a run may append to it, given what is known of it. */
HAFT_MUST_USE haft_status haft__store_check_append(const haft__store_request *request,
                                                   const haft__store_run *run, haft_error *err);

/* Whether the run may be claimed now. */
HAFT_MUST_USE haft_status haft__store_check_claim(const haft__store *store,
                                                  const haft__store_request *request,
                                                  const haft__store_run *run, haft_error *err);

/* Whether TAKE is to leave this run alone. */
bool haft__store_is_skipped(const haft__store_request *request, haft_str id);

/* Whether the run may be removed now. */
HAFT_MUST_USE haft_status haft__store_check_remove(const haft__store *store,
                                                   const haft__store_request *request,
                                                   const haft__store_run *run, haft_error *err);

/* Whether GC may remove a run in this state, that was last changed and ended so, if it goes by that
 * alone. */
bool haft__store_is_expired(const haft__store_request *request, haft__run_state state,
                            uint64_t updated_ms, haft_str end);

/* Whether one more message may wait for a run that has `count` of them. */
HAFT_MUST_USE haft_status haft__store_check_send(const haft__store_request *request,
                                                 const haft__store_run *run, uint64_t count,
                                                 haft_error *err);

/* What to do with a run that cannot be read, with its id. */
#define HAFT__STORE_DAMAGED_HINT "restore it from a copy; `haft runs rm %.*s` removes the run"

/* What is said in the same words everywhere. */
haft_status haft__store_fail_no_run(haft_str id, haft_error *err);     /* there is none */
haft_status haft__store_fail_run_exists(haft_str id, haft_error *err); /* there is one */
haft_status haft__store_fail_ambiguous_id(haft_str name, haft_str one, haft_str other,
                                          haft_error *err);
haft_status haft__store_fail_no_message(uint64_t id, haft_str run, haft_error *err);
haft_status haft__store_fail_no_artifact(haft_str name, haft_str run, haft_error *err);
haft_status haft__store_fail_cache_miss(haft_error *err);
haft_status haft__store_fail_nothing_to_claim(haft_error *err); /* there is nothing to go on with */

#endif
