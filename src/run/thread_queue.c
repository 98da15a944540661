/* SPDX-License-Identifier: Apache-2.0 */
/* thread_queue.c - see run/thread_queue.h. Tests: tests/run/thread_queue_test.c. */
#include "run/thread_queue.h"

#include "base/macros.h"
#include "base/str.h"

haft__multitask haft__multitask_of(haft_str text)
{
    static const char *const names[] = {
#define X(name, text) [HAFT__MULTITASK_##name] = (text),
        HAFT__MULTITASKS(X)
#undef X
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        if (haft__str_equal(text, haft__str(names[i]))) {
            return (haft__multitask)i;
        }
    }
    return HAFT__MULTITASK_ENQUEUE;
}

bool haft__queue_requires_exclusive(haft__multitask multitask)
{
    return multitask == HAFT__MULTITASK_REJECT;
}

haft__queue_step haft__queue_decide(haft__multitask multitask, haft__queue_ahead ahead)
{
    if (multitask != HAFT__MULTITASK_INTERRUPT) {
        return HAFT__QUEUE_WAIT;
    }
    if (!ahead.here && !ahead.owned) {
        return HAFT__QUEUE_CLAIM_AND_CANCEL; /* the owner that received the cancel command has
                                              * stopped */
    }
    haft__queue_step first = ahead.here ? HAFT__QUEUE_CANCEL_LOCAL : HAFT__QUEUE_SEND_CANCEL;
    return ahead.cancel_requested ? HAFT__QUEUE_WAIT : first;
}
