/* SPDX-License-Identifier: Apache-2.0 */
/* telemetry/span_queue.h - written spans that wait to be sent: a ring with a maximum. A full queue
 * drops the newest span. */
#ifndef HAFT_TELEMETRY_SPAN_QUEUE_H
#define HAFT_TELEMETRY_SPAN_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "haft.h"

typedef struct haft__span_queue {
    char **texts; /* on the heap */
    size_t *lengths;
    size_t first, count, capacity;
    size_t bytes; /* of all spans */
} haft__span_queue;

/* Allocates nothing yet. */
void haft__span_queue_init(haft__span_queue *queue, size_t capacity);
void haft__span_queue_finish(haft__span_queue *queue);

/* Appends a copy. False if the queue is full (also by HAFT__LIMIT_TELEMETRY_QUEUE_BYTES) or memory
 * runs out. */
bool haft__span_queue_push(haft__span_queue *queue, haft_str span);

/* The span at a place, from 0. */
haft_str haft__span_queue_get(const haft__span_queue *queue, size_t place);

/* Removes the first spans. */
void haft__span_queue_drop(haft__span_queue *queue, size_t count);

#endif
