/* SPDX-License-Identifier: Apache-2.0 */
/* first_turn.c - decides the first turn as a run would. Tests: tests/cli/run_test.py. */
#include "cli/first_turn.h"

#include "base/limits.h"
#include "base/str.h"
#include "cli/servers.h"

static const haft_str run_id = {"00000000000000000000000000", 26};

/* Records one event, and keeps it when it is the start of a turn. */
static haft_status fold(haft__arena *arena, haft__run *run, haft_str body, haft__hash_key hash_key,
                        haft__json *ret_turn, haft_error *err)
{
    haft__buf line;
    haft__buf_init(&line, HAFT__LIMIT_RUN_BYTES);
    haft__event_write(&line, run->seq + 1, 0, run_id, body);
    haft_str kept = haft__arena_copy(arena, haft__buf_str(&line));
    haft_status status = haft__buf_check(&line, err);
    haft__buf_finish(&line);
    haft__event event;
    if (status == HAFT_OK) {
        status = kept.ptr != NULL ? haft__run_fold(run, kept, err) : haft__arena_fail(arena, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_read(arena, kept, hash_key, &event, err);
    }
    if (status == HAFT_OK && event.kind == HAFT__EVENT_TURN_STARTED) {
        *ret_turn = event.object;
    }
    return status;
}

haft_status haft__first_turn(haft__arena *arena, const haft__spec *spec, haft_str task,
                             haft__hash_key hash_key, haft__run *ret_run, haft__json *ret_turn,
                             haft_error *err)
{
    haft_str none = {NULL, 0};
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__decider decider;
    haft_status status = haft__decider_init(&decider, err);
    if (status == HAFT_OK) {
        status = haft__run_init(ret_run, arena, spec, hash_key, err);
    }
    haft__input_run_started(&body, spec, task, run_id, none, none);
    haft__effect effect = {HAFT__EFFECT_EVENT, haft__buf_str(&body)};
    *ret_turn = haft__json_null();
    while (status == HAFT_OK
           && (effect.kind == HAFT__EFFECT_EVENT || effect.kind == HAFT__EFFECT_CATALOGUE)) {
        if (effect.kind == HAFT__EFFECT_CATALOGUE) { /* nobody is asked here */
            haft__reveal reveal = {.tool_count = 0};
            haft__buf_clear(&body);
            status = haft__servers_look(arena, spec, hash_key, &reveal, err);
            haft__input_tools_revealed(&body, &reveal);
            effect.body = haft__buf_str(&body);
        }
        if (status == HAFT_OK) {
            status = fold(arena, ret_run, effect.body, hash_key, ret_turn, err);
        }
        if (status == HAFT_OK) {
            status = haft__decide(&decider, ret_run, 0, &effect, err);
        }
    }
    haft__decider_finish(&decider);
    haft__buf_finish(&body);
    return status;
}
