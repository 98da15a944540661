/* SPDX-License-Identifier: Apache-2.0 */
/* store/backend.h - the interface between the store and its backends, and the code they share. */
#ifndef HAFT_STORE_BACKEND_H
#define HAFT_STORE_BACKEND_H

#include <pthread.h>
#include <stdarg.h>

#include "store/store.h"

/* A FIFO of requests, linked by `next`. */
typedef struct haft__store_queue {
    haft__store_request *first, **end;
} haft__store_queue;

void haft__store_queue_init(haft__store_queue *list);
void haft__store_queue_push(haft__store_queue *list, haft__store_request *request);

/* Removes and returns the first request; NULL if the queue is empty. */
haft__store_request *haft__store_queue_pop(haft__store_queue *list);

/* Moves all requests of `from` to the end of `to`. */
void haft__store_queue_append(haft__store_queue *from, haft__store_queue *to);

typedef struct haft__store_backend {
    /* Creates the store; its head must be set up by haft__store_init. `location` is the URL without
     * its scheme. If `make_tables` is false, a server's database without haft tables is an empty
     * store. */
    haft_status (*open)(haft__loop *loop, const char *location, bool make_tables,
                        haft__store **ret_store, haft_error *err);
    void (*submit)(haft__store *store, haft__store_request *request);
    /* Performs all submitted requests, then frees the store. */
    void (*close)(haft__store *store);
    void (*set_timeout)(haft__store *store, uint64_t ms); /* NULL: no operation takes long */
    bool shared;                                          /* other processes can open the store */
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
    bool delivering; /* the `done` callback of a request is running */

    pthread_mutex_t lock;       /* protects the fields below */
    haft__store_queue finished; /* performed; `done` has not been called yet */
    bool delivery_posted;       /* `delivery` is posted to the loop */
};

void haft__store_init(haft__store *store, const haft__store_backend *kind, haft__loop *loop);

/* Undoes haft__store_init. The loop no longer refers to the store afterwards. */
void haft__store_finish(haft__store *store);

/* The time that deadlines are compared with in a CLAIM_NEXT: the later of the store's clock and the
 * caller's now_ms. */
uint64_t haft__store_claim_time(const haft__store *store, const haft__store_request *request);

/* The end of a lease that begins now. */
uint64_t haft__store_lease_end(const haft__store *store, uint64_t lease_ms);

/* The time until which the result of a CACHE_PUT is valid; 0: forever. */
uint64_t haft__store_cache_expiry(const haft__store_request *request);

/* Clears the outputs of a request before it is performed. */
void haft__store_reset_result(haft__store_request *request);

/* Queues performed requests; the loop then calls their `done`. Only from the loop's thread. */
void haft__store_complete(haft__store *store, haft__store_queue *performed);

/* Like haft__store_complete, from any thread. */
void haft__store_complete_threadsafe(haft__store *store, haft__store_queue *performed);

/* Checks a request without the store: texts are valid UTF-8 and not too long, events are single
 * lines, artifacts match their SHA-256. May be slow. */
HAFT_MUST_USE haft_status haft__store_check(const haft__store_request *request, haft_error *err);

/* The request that creates a child in the transaction of an append. It borrows from the child. */
haft__store_request haft__store_child_request(const haft__store_child *child);

/* The epoch of a newly created run. */
uint64_t haft__store_first_epoch(const haft__store_request *request);

/* Checks that the lines of the request fit into a run that has `seq` events of `bytes` bytes. */
HAFT_MUST_USE haft_status haft__store_check_room(const haft__store *store,
                                                 const haft__store_request *request, uint64_t seq,
                                                 uint64_t bytes, haft_error *err);

/* The size of the lines in bytes, each with its line feed. */
uint64_t haft__store_line_bytes(const haft__store_request *request);

/* Checks that a run may be created. `open` is a run of its thread that has not ended, or NULL. */
HAFT_MUST_USE haft_status haft__store_check_thread(const haft__store_request *request,
                                                   const haft__store_run *open, haft_error *err);

/* Checks that the owner of the run may append to it. */
HAFT_MUST_USE haft_status haft__store_check_append(const haft__store_request *request,
                                                   const haft__store_run *run, haft_error *err);

/* Checks that the run may be claimed now. */
HAFT_MUST_USE haft_status haft__store_check_claim(const haft__store *store,
                                                  const haft__store_request *request,
                                                  const haft__store_run *run, haft_error *err);

/* Whether CLAIM_NEXT must skip this run. */
bool haft__store_is_skipped(const haft__store_request *request, haft_str id);

/* Checks that the run may be removed now. */
HAFT_MUST_USE haft_status haft__store_check_remove(const haft__store *store,
                                                   const haft__store_request *request,
                                                   const haft__store_run *run, haft_error *err);

/* Whether GC may remove a run, judged only by its state, its last change and its end. The end of a
 * child is ignored. */
bool haft__store_is_expired(const haft__store_request *request, haft__run_state state,
                            uint64_t updated_ms, haft_str end, bool child);

/* Checks that a run with `count` unread messages may receive one more. */
HAFT_MUST_USE haft_status haft__store_check_send(const haft__store_request *request,
                                                 const haft__store_run *run, uint64_t count,
                                                 haft_error *err);

/* The hint for a run that cannot be read; the argument is its id. */
#define HAFT__STORE_DAMAGED_HINT "restore it from a backup; `haft runs rm %.*s` removes the run"

/* Error messages that all backends share. */
haft_status haft__store_fail_no_run(haft_str id, haft_error *err);     /* the run does not exist */
haft_status haft__store_fail_run_exists(haft_str id, haft_error *err); /* the run exists already */
haft_status haft__store_fail_ambiguous_id(haft_str name, haft_str one, haft_str other,
                                          haft_error *err);
haft_status haft__store_fail_no_message(uint64_t id, haft_str run, haft_error *err);
haft_status haft__store_fail_no_artifact(haft_str name, haft_str run, haft_error *err);
haft_status haft__store_fail_cache_miss(haft_error *err);
haft_status haft__store_fail_nothing_to_claim(haft_error *err); /* no run can be claimed */
/* BAD_INPUT: "the database is damaged: ...". `where` is the path or the URL without the password.
 */
haft_status haft__store_fail_damaged(const char *where, const char *hint, haft_error *err,
                                     const char *what, va_list args) HAFT__PRINTF(4, 0);

#endif
