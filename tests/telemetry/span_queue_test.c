/* SPDX-License-Identifier: Apache-2.0 */
#include "telemetry/span_queue.h"
#include "test.h"

#include "base/limits.h"

TEST(a_full_queue_rejects_the_newest_span)
{
    haft__span_queue queue;
    haft__span_queue_init(&queue, 3);
    CHECK(haft__span_queue_push(&queue, HAFT__LIT("a")), "first");
    CHECK(haft__span_queue_push(&queue, HAFT__LIT("bb")), "second");
    CHECK(haft__span_queue_push(&queue, HAFT__LIT("ccc")), "third");
    CHECK(!haft__span_queue_push(&queue, HAFT__LIT("d")), "a fourth was accepted");
    CHECK_INT(queue.bytes, 6, "bytes");
    haft__span_queue_drop(&queue, 2);
    CHECK(haft__span_queue_push(&queue, HAFT__LIT("e")), "after a drop");
    CHECK(haft__span_queue_push(&queue, HAFT__LIT("f")), "around the end of the ring");
    CHECK_STR(haft__span_queue_get(&queue, 0), HAFT__LIT("ccc"), "order");
    CHECK_STR(haft__span_queue_get(&queue, 2), HAFT__LIT("f"), "order");
    CHECK_INT(queue.bytes, 5, "bytes");
    haft__span_queue_finish(&queue);
}

TEST(ten_thousand_spans_leave_the_first_ones)
{
    haft__span_queue queue;
    char text[16];
    size_t dropped = 0;
    haft__span_queue_init(&queue, HAFT__LIMIT_TELEMETRY_QUEUE);
    for (int i = 0; i < 10000; i++) {
        (void)snprintf(text, sizeof(text), "%d", i);
        dropped += !haft__span_queue_push(&queue, haft__str(text));
    }
    CHECK_INT(queue.count, HAFT__LIMIT_TELEMETRY_QUEUE, "kept");
    CHECK_INT(dropped, 10000 - HAFT__LIMIT_TELEMETRY_QUEUE, "dropped");
    CHECK_STR(haft__span_queue_get(&queue, queue.count - 1), HAFT__LIT("2047"), "the last one");
    haft__span_queue_finish(&queue);
}

TEST(the_bytes_of_a_queue_have_a_limit)
{
    haft__span_queue queue;
    size_t half = HAFT__LIMIT_TELEMETRY_QUEUE_BYTES / 2;
    char *bytes = calloc(1, half + 1);
    haft__span_queue_init(&queue, 10);
    CHECK(haft__span_queue_push(&queue, (haft_str){bytes, half}), "first half");
    CHECK(haft__span_queue_push(&queue, (haft_str){bytes, half}), "exactly the limit");
    CHECK(!haft__span_queue_push(&queue, (haft_str){bytes, 1}), "one byte more was accepted");
    haft__span_queue_drop(&queue, 1);
    CHECK(haft__span_queue_push(&queue, (haft_str){bytes, 1}), "after a drop");
    free(bytes);
    haft__span_queue_finish(&queue);
}

TEST(a_span_for_which_memory_runs_out_is_dropped)
{
    for (unsigned n = 0;; n++) {
        haft__span_queue queue;
        haft__span_queue_init(&queue, 4);
        test_fail_allocation(n);
        bool pushed = haft__span_queue_push(&queue, HAFT__LIT("a"));
        bool failed = test_allow_allocations();
        CHECK_INT(pushed, !failed, "allocation %u", n);
        CHECK_INT(queue.count, pushed, "allocation %u", n);
        haft__span_queue_finish(&queue);
        if (!failed) {
            break;
        }
    }
}
