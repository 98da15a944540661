/* SPDX-License-Identifier: Apache-2.0 */
/* store/event_reader.h - reads a range of a run's events from the rows of a database. */
#ifndef HAFT_STORE_EVENT_READER_H
#define HAFT_STORE_EVENT_READER_H

#include "store/checksum_chain.h"
#include "store/packer.h"
#include "store/store.h"

/* The range to read: `count` events after the first `after`. */
typedef struct haft__event_reader {
    uint64_t after, count;
    haft__checksum_chain chain; /* the checksum of the last row that was read */
    haft__packer from;          /* its `seq` is the last event that was read */
    haft__buf text;
} haft__event_reader;

/* Sets the range of a request. The run has `seq` events of at most `run_bytes` bytes. */
void haft__event_reader_init(haft__event_reader *reader, const haft__store_request *request,
                             uint64_t seq, uint64_t run_bytes);
void haft__event_reader_finish(haft__event_reader *reader);

/* A row of events in a database. */
typedef struct haft__event_row {
    uint64_t seq; /* of the last event in the row */
    haft_str sum, body;
    bool invalid; /* a column has the wrong type or length */
} haft__event_row;

/* Reads the rows of the range. `next` reads one more row and returns false at the end. `seq` and
 * `chain` are the last event and the last checksum of the run. Returns 0, or the number of the
 * first event that is missing or damaged. */
HAFT_MUST_USE uint64_t haft__event_reader_read(haft__event_reader *reader,
                                               bool (*next)(void *rows, haft__event_row *ret_row),
                                               void *rows, uint64_t seq,
                                               const haft__checksum_chain *chain);

/* Stores the events in the request. Fails with TOO_BIG or NO_MEMORY. */
HAFT_MUST_USE haft_status haft__event_reader_result(const haft__event_reader *reader,
                                                    haft__store_request *request, haft_error *err);

#endif
