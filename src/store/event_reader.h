/* SPDX-License-Identifier: Apache-2.0 */
/* store/event_reader.h - the events of a run that somebody reads, out of the rows that a database
 * has. */
#ifndef HAFT_STORE_EVENT_READER_H
#define HAFT_STORE_EVENT_READER_H

#include "store/checksum_chain.h"
#include "store/packer.h"
#include "store/store.h"

/* What of a run is read: `count` events behind the first `after`. */
typedef struct haft__event_reader {
    uint64_t after, count;
    haft__checksum_chain chain; /* the sum of the last row that was read */
    haft__packer from;          /* and its last event */
    haft__buf text;
} haft__event_reader;

/* What a request wants of a run that has `seq` events of at most `run_bytes` bytes. */
void haft__event_reader_init(haft__event_reader *part, const haft__store_request *request,
                             uint64_t seq, uint64_t run_bytes);
void haft__event_reader_finish(haft__event_reader *part);

/* A row of events as a database has it. */
typedef struct haft__event_row {
    uint64_t seq; /* of its last event */
    haft_str sum, body;
    bool wrong; /* a column does not have the kind or length it must have */
} haft__event_row;

/* Reads the rows of the part. `next` reads one row more, and returns false if there is none. `seq`
 * and `chain` are the last event and sum of the run. Returns 0, or the number of the first event
 * that is missing or not what was written. */
HAFT_MUST_USE uint64_t haft__event_reader_read(haft__event_reader *part,
                                               bool (*next)(void *rows, haft__event_row *ret_row),
                                               void *rows, uint64_t seq,
                                               const haft__checksum_chain *chain);

/* Puts the events into the request. TOO_BIG, NO_MEMORY. */
HAFT_MUST_USE haft_status haft__event_reader_result(const haft__event_reader *part,
                                                    haft__store_request *request, haft_error *err);

#endif
