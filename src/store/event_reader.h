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

/* Takes the events of a row, the last of which must be the `seq`-th. False when they are not. */
HAFT_MUST_USE bool haft__event_reader_add_row(haft__event_reader *part, haft_str body,
                                              uint64_t seq);

/* Gives what was taken to whoever has asked. TOO_BIG, NO_MEMORY. */
HAFT_MUST_USE haft_status haft__event_reader_result(const haft__event_reader *part,
                                                    haft__store_request *request, haft_error *err);

#endif
