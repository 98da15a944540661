/* SPDX-License-Identifier: Apache-2.0 */
/* event_rewrite.c - see event_rewrite.h. Tests: tests/engine/ops/event_rewrite_test.c. */
#include "engine/ops/event_rewrite.h"

#include "base/str.h"
#include "base/time.h"

/* Replaces the run in an idempotency key RUN:CALL. The result's .ptr is NULL if out of memory. */
static haft_str rewrite_key(haft__arena *arena, const haft__event *event, haft_str key,
                            haft_str run)
{
    bool own = haft__str_starts_with(key, event->run) && event->run.len > 0;
    haft_str rest = own ? haft__str_skip(key, event->run.len) : key;
    return haft__arena_format(arena, "%.*s%.*s", HAFT__ARG(own ? run : HAFT__LIT("")),
                              HAFT__ARG(rest));
}

/* The result's .ptr is NULL if out of memory. */
static haft_str shift_time(haft__arena *arena, haft_str time, uint64_t shift_ms)
{
    char text[HAFT__TIME_SIZE];
    uint64_t ms = 0;
    if (!haft__time_parse(time, &ms)) {
        return time; /* the reader rejects such an event */
    }
    haft__time_format(ms + shift_ms, text);
    return haft__arena_copy(arena, haft__str(text));
}

static haft_status rewrite_fields(haft__arena *arena, const haft__event_rewrite *rewrite,
                                  const haft__event *event, haft__json_member *member,
                                  haft_error *err)
{
    haft_str key = haft__json_text(member->key), text = {NULL, 0};
    bool start = event->kind == HAFT__EVENT_RUN_STARTED, failed = false;
    bool is_text = member->value.kind == HAFT__JSON_STRING;
    if (start && haft__str_equal(key, HAFT__LIT("thread"))) {
        text = rewrite->thread;
    } else if (start && rewrite->task != NULL && haft__str_equal(key, HAFT__LIT("task"))) {
        text = haft__str(rewrite->task);
    } else if (is_text && event->kind == HAFT__EVENT_CALL_STARTED
               && haft__str_equal(key, HAFT__LIT("idempotency_key"))) {
        text = rewrite_key(arena, event, haft__json_text(member->value), rewrite->run);
        failed = text.ptr == NULL;
    } else if (is_text && event->kind == HAFT__EVENT_PAUSED && rewrite->shift_ms > 0
               && haft__str_equal(key, HAFT__LIT("deadline"))) {
        text = shift_time(arena, haft__json_text(member->value), rewrite->shift_ms);
        failed = text.ptr == NULL;
    }
    if (failed) {
        return haft__arena_fail(arena, err);
    }
    if (text.ptr != NULL) {
        member->value = haft__json_string(text);
    }
    return HAFT_OK;
}

haft_status haft__event_rewrite_for_run(haft__arena *arena, const haft__event_rewrite *rewrite,
                                        haft__event *event, haft_error *err)
{
    haft__json object = event->object;
    haft__json_member *members = haft__arena_array(arena, object.count, sizeof(*members));
    haft_status status = members != NULL ? HAFT_OK : haft__arena_fail(arena, err);
    for (uint32_t i = 0; status == HAFT_OK && i < object.count; i++) {
        members[i] = object.members[i];
        status = rewrite_fields(arena, rewrite, event, &members[i], err);
    }
    if (status == HAFT_OK) {
        event->object = haft__json_object(members, object.count);
        event->at_ms += rewrite->shift_ms;
    }
    return status;
}
