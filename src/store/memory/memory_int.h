/* SPDX-License-Identifier: Apache-2.0 */
/* store/memory/memory_int.h - declarations that the files of the memory store share. */
#ifndef HAFT_STORE_MEMORY_MEMORY_INT_H
#define HAFT_STORE_MEMORY_MEMORY_INT_H

#include "base/buf.h"
#include "store/backend.h"
#include "store/memory/sorted_array.h"

/* A text that several runs may share: a spec, the content of an artifact. */
typedef struct haft__memory_text {
    size_t reference_count;
    haft_str text;
    char bytes[];
} haft__memory_text;

typedef struct haft__memory_artifact {
    struct haft__memory_artifact *older;
    haft__memory_text *content;
    haft_str name, media_type, sha256;
    char bytes[];
} haft__memory_artifact;

typedef struct haft__memory_run {
    haft__store_run row; /* its texts are in `texts`, except owner, spec, end and answer */
    uint64_t number;     /* counts runs in the order of creation */
    haft__buf log;       /* the events, each with its line feed */
    size_t *ends;        /* the end offset of each of the row.seq events in `log` */
    size_t end_capacity;
    haft__memory_text *spec;
    char *owner, *ending;             /* the text of `owner`; the texts of `end` and `answer` */
    haft__memory_artifact *artifacts; /* newest first */
    size_t message_count;
    struct haft__memory_run *next_owned, **owned_at; /* list of runs with an owner */
    bool marked;                                     /* to be removed by the current GC */
    char texts[];
} haft__memory_run;

typedef struct haft__memory_message {
    uint64_t id;
    haft__memory_run *run;
    haft_str body;
    char bytes[];
} haft__memory_message;

typedef struct haft__memory_cache_entry {
    uint64_t number;
    uint64_t until_ms; /* 0: forever */
    haft_str scope, name, text;
    char bytes[];
} haft__memory_cache_entry;

typedef struct haft__memory_store {
    haft__store store;
    haft__sorted_array runs;     /* by id */
    haft__sorted_array threads;  /* the same runs, by thread and id */
    haft__sorted_array texts;    /* by length and bytes */
    haft__sorted_array messages; /* by id */
    haft__sorted_array results;  /* by scope and name */
    haft__memory_run *owned;
    haft__memory_cache_entry **ring; /* result number n is at n % HAFT__LIMIT_STORE_RESULTS */
    uint64_t last_run, last_message, last_result;
} haft__memory_store;

/* The search key of `threads`. */
typedef struct haft__memory_thread_key {
    haft_str thread, id;
} haft__memory_thread_key;

typedef haft_status haft__memory_verb(haft__memory_store *memory, haft__store_request *request,
                                      haft_error *err);

/* run.c */
haft__memory_verb haft__memory_create, haft__memory_append, haft__memory_claim, haft__memory_renew,
    haft__memory_release, haft__memory_remove;
void haft__memory_free_run(haft__memory_store *memory, haft__memory_run *run);

/* read.c */
haft__memory_verb haft__memory_doctor, haft__memory_try_write;

/* claim.c */
haft__memory_verb haft__memory_claim_next;

/* gc.c */
haft__memory_verb haft__memory_gc;

/* read.c */
haft__memory_verb haft__memory_read_events, haft__memory_find, haft__memory_list,
    haft__memory_thread_history, haft__memory_predecessors, haft__memory_read_artifact;

/* The first-created run of the thread that has not ended and whose number is greater than `after`
 * and less than `number`; NULL if none exists. */
const haft__memory_run *haft__memory_first_open_run(const haft__memory_store *memory,
                                                    haft_str thread, uint64_t after,
                                                    uint64_t number);

/* Copies the row of a run into the request's arena. */
HAFT_MUST_USE haft_status haft__memory_return_run(haft__store_request *request,
                                                  const haft__store_run *row, haft_error *err);

/* mailbox.c */
haft__memory_verb haft__memory_send, haft__memory_receive;

/* Checks that all messages that a request consumes exist for the run. */
HAFT_MUST_USE haft_status haft__memory_check_messages(const haft__memory_store *memory,
                                                      const haft__memory_run *run,
                                                      const haft__store_request *request,
                                                      haft_error *err);
void haft__memory_consume_messages(haft__memory_store *memory, const haft__store_request *request);

/* Sends the messages of an append to other runs: all of them, or none. */
HAFT_MUST_USE haft_status haft__memory_send_outgoing(haft__memory_store *memory,
                                                     const haft__store_request *request,
                                                     haft_error *err);

/* Deletes all messages of the run. */
void haft__memory_drop_messages(haft__memory_store *memory, haft__memory_run *run);

/* cache.c */
haft__memory_verb haft__memory_cache_get, haft__memory_cache_put;
void haft__memory_cache_expire(haft__memory_store *memory, uint64_t now_ms);

/* memory.c */
haft__memory_run *haft__memory_find_run(const haft__memory_store *memory, haft_str id);

/* Returns the shared copy of the text and counts the use; NULL if out of memory. */
haft__memory_text *haft__memory_text_acquire(haft__memory_store *memory, haft_str text);
void haft__memory_text_release(haft__memory_store *memory, haft__memory_text *text);

/* Copies `text` to *at and advances *at past the copy. */
haft_str haft__memory_copy_text(char **at, haft_str text);

#endif
