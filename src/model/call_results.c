/* SPDX-License-Identifier: Apache-2.0 */
/* call_results.c - see call_results.h. Tests: tests/model/call_results_test.c. */
#include "model/call_results.h"

#include "base/str.h"

haft__call_batch haft__call_results_at(const haft__messages *messages, size_t index)
{
    const haft__message *first = &messages->items[index];
    size_t end = index;
    while (end < messages->count && messages->items[end].role == HAFT__MESSAGE_TOOL) {
        end++;
    }
    return (haft__call_batch){.turn = index > 0 && first[-1].call_count > 0 ? first - 1 : NULL,
                              .results = first,
                              .count = end - index,
                              .message = end == index ? first : NULL};
}

const haft__message *haft__call_results_find(const haft__message *results, size_t count,
                                             haft_str call_id)
{
    for (size_t i = 0; i < count; i++) {
        if (haft__str_equal(results[i].call_id, call_id)) {
            return &results[i];
        }
    }
    return NULL;
}

bool haft__call_results_has_call(const haft__message *turn, const haft__message *result)
{
    bool found = false;
    for (size_t i = 0; turn != NULL && i < turn->call_count && !found; i++) {
        found = haft__str_equal(turn->calls[i].id, result->call_id);
    }
    return found;
}
