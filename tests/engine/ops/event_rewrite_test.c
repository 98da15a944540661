/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/event_rewrite.c. */
#include "engine/ops/event_rewrite.h"

#include "base/limits.h"
#include "base/str.h"
#include "test.h"

#define HEAD "{\"seq\":1,\"at\":\"2026-01-01T00:00:00.000Z\",\"run\":\"old\",\"kind\":"

TEST(fields_that_name_the_run_are_replaced)
{
    static const struct {
        const char *task;
        uint64_t shift_ms;
        const char *event, *body;
    } rows[] = {
        {NULL, 0, HEAD "\"run_started\",\"thread\":\"t\",\"task\":\"go\"}",
         "\"kind\":\"run_started\",\"thread\":\"thread\",\"task\":\"go\"}"},
        {"other", 0, HEAD "\"run_started\",\"thread\":\"t\",\"task\":\"go\"}",
         "\"kind\":\"run_started\",\"thread\":\"thread\",\"task\":\"other\"}"},
        {"other", 0, HEAD "\"call_started\",\"idempotency_key\":\"old:c1.1\",\"task\":\"go\"}",
         "\"kind\":\"call_started\",\"idempotency_key\":\"new:c1.1\",\"task\":\"go\"}"},
        {NULL, 0, HEAD "\"call_started\",\"idempotency_key\":\"c1.1\"}",
         "\"kind\":\"call_started\",\"idempotency_key\":\"c1.1\"}"},
        {NULL, 1500, HEAD "\"paused\",\"deadline\":\"2026-01-01T01:00:00.000Z\"}",
         "\"kind\":\"paused\",\"deadline\":\"2026-01-01T01:00:01.500Z\"}"},
        {NULL, 0, HEAD "\"paused\",\"deadline\":\"2026-01-01T01:00:00.000Z\"}",
         "\"kind\":\"paused\",\"deadline\":\"2026-01-01T01:00:00.000Z\"}"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__arena arena;
        haft__event event;
        haft__buf body;
        haft_error err = {0};
        haft__arena_init(&arena, 0);
        haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
        haft__hash_key key = {0};
        CHECK_INT(haft__event_read(&arena, haft__str(rows[i].event), key, &event, &err), HAFT_OK,
                  "row %zu: %s", i, err.message);
        uint64_t before = event.at_ms;
        haft__event_rewrite rewrite = {.run = HAFT__LIT("new"),
                                       .thread = HAFT__LIT("thread"),
                                       .task = rows[i].task,
                                       .shift_ms = rows[i].shift_ms};
        CHECK_INT(haft__event_rewrite_for_run(&arena, &rewrite, &event, &err), HAFT_OK, "row %zu",
                  i);
        haft__event_body(&body, &event);
        CHECK_STR(haft__buf_str(&body), haft__str(rows[i].body), "row %zu", i);
        CHECK_INT(event.at_ms - before, rows[i].shift_ms, "row %zu", i);
        haft__buf_finish(&body);
        haft__arena_finish(&arena);
    }
}
