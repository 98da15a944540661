/* SPDX-License-Identifier: Apache-2.0 */
/* span_queue.c - see telemetry/span_queue.h. Tests: tests/telemetry/span_queue_test.c. */
#include "telemetry/span_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/str.h"

void haft__span_queue_init(haft__span_queue *queue, size_t capacity)
{
    *queue = (haft__span_queue){.capacity = capacity};
}

void haft__span_queue_finish(haft__span_queue *queue)
{
    haft__span_queue_drop(queue, queue->count);
    free(queue->texts);
    free(queue->lengths);
    *queue = (haft__span_queue){0};
}

static bool allocate(haft__span_queue *queue)
{
    if (queue->texts == NULL) {
        queue->texts = calloc(queue->capacity, sizeof(*queue->texts));
    }
    if (queue->lengths == NULL) {
        queue->lengths = calloc(queue->capacity, sizeof(*queue->lengths));
    }
    return queue->texts != NULL && queue->lengths != NULL;
}

bool haft__span_queue_push(haft__span_queue *queue, haft_str span)
{
    bool full = queue->count == queue->capacity
                || queue->bytes + span.len > HAFT__LIMIT_TELEMETRY_QUEUE_BYTES;
    char *copy = !full && allocate(queue) ? haft__str_duplicate(span) : NULL;
    if (copy == NULL) {
        return false;
    }
    size_t slot = (queue->first + queue->count++) % queue->capacity;
    queue->texts[slot] = copy;
    queue->lengths[slot] = span.len;
    queue->bytes += span.len;
    return true;
}

haft_str haft__span_queue_get(const haft__span_queue *queue, size_t place)
{
    size_t slot = (queue->first + place) % queue->capacity;
    assert(place < queue->count);
    return (haft_str){queue->texts[slot], queue->lengths[slot]};
}

void haft__span_queue_drop(haft__span_queue *queue, size_t count)
{
    assert(count <= queue->count);
    for (size_t i = 0; i < count; i++) {
        queue->bytes -= queue->lengths[queue->first];
        free(queue->texts[queue->first]);
        queue->first = (queue->first + 1) % queue->capacity;
    }
    queue->count -= count;
}
