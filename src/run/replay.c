/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - feeds the inputs of a log, with their times, and compares the decisions.
 *
 * What follows a state is a decision exactly when decide says so; everything else must be an input.
 * The one exception is recovery: after a crash a call may have been started again, or its outcome
 * declared unknown, which decide alone does not do. Tests: tests/run/replay_test.c.
 */
#include "run/replay.h"

#include "base/limits.h"
#include "base/str.h"

typedef struct player {
    haft__run run;
    haft__decider decider;
    haft__arena *arena;
    haft__buf recorded;
    haft__replay result;
    haft_error *err;
} player;

/* Inputs, which nobody can recompute. */
static bool is_input(haft__event_kind kind)
{
    return kind == HAFT__EVENT_RUN_STARTED || kind == HAFT__EVENT_MODEL_REPLIED
           || kind == HAFT__EVENT_MODEL_FAILED || kind == HAFT__EVENT_CONSTRAINT_REFUSED
           || kind == HAFT__EVENT_CALL_FINISHED || kind == HAFT__EVENT_ANSWERED
           || kind == HAFT__EVENT_CANCEL_ASKED || kind == HAFT__EVENT_CHILD_FINISHED
           || kind == HAFT__EVENT_TOOLS_REVEALED || kind == HAFT__EVENT_CALL_ASKED;
}

static haft_status differ(player *p, const haft__event *event, haft_str decided)
{
    p->result.identical = false;
    p->result.differs_at = event->seq;
    p->result.recorded = haft__arena_copy(p->arena, haft__buf_str(&p->recorded));
    p->result.decided = haft__arena_copy(p->arena, decided);
    bool copied = p->result.recorded.ptr != NULL && p->result.decided.ptr != NULL;
    return copied ? HAFT_OK : haft__arena_fail(p->arena, p->err);
}

/* A call that has started and has no result: what recovery would have decided about it. */
static const haft__run_call *interrupted(const haft__run *run, const haft__event *event)
{
    const haft__json *id = haft__event_field(event, "call");
    const haft__run_call *call = id != NULL ? haft__run_find_call(run, haft__json_text(*id)) : NULL;
    bool open = call != NULL && (call->stage == HAFT__CALL_STARTED || haft__call_needs_host(call));
    return open ? call : NULL;
}

/* A result that came at once for a call that would have waited for a client: from a script. */
static bool stands_in(const haft__run *run, const haft__event *event)
{
    const haft__run_call *call = interrupted(run, event);
    return event->kind == HAFT__EVENT_CALL_FINISHED && call != NULL
           && call->tool->source == HAFT__TOOL_HEADLESS;
}

/* Compares the event with what is decided in the state before it. */
static haft_status compare(player *p, const haft__event *event)
{
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    haft_status status = HAFT_OK;
    if (p->run.stage != HAFT__RUN_NEW) {
        status = haft__decide(&p->decider, &p->run, event->at_ms, &effect, p->err);
    }
    const haft__run_call *call = interrupted(&p->run, event);
    haft__buf_clear(&p->recorded);
    haft__event_body(&p->recorded, event);
    bool same = effect.kind == HAFT__EFFECT_EVENT
                && haft__str_equal(effect.body, haft__buf_str(&p->recorded));
    bool may_be = effect.kind == HAFT__EFFECT_RUN || (call != NULL && call->pinned);
    if (status == HAFT_OK && !same && may_be && call != NULL && !is_input(event->kind)) {
        status = haft__decide_recovery(&p->decider, &p->run, call, event->at_ms, &effect, p->err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    bool decided = effect.kind == HAFT__EFFECT_EVENT;
    p->result.decisions += decided;
    if (event->kind == HAFT__EVENT_CANCEL_ASKED || stands_in(&p->run, event)) {
        return HAFT_OK; /* comes when it comes */
    }
    if (decided ? haft__str_equal(effect.body, haft__buf_str(&p->recorded))
                : is_input(event->kind)) {
        return HAFT_OK;
    }
    return differ(p, event, decided ? effect.body : HAFT__LIT(""));
}

static haft_status play(player *p, haft_str lines)
{
    haft_status status = HAFT_OK;
    while (lines.len > 0 && status == HAFT_OK && p->result.identical) {
        haft_str line = haft__str_split(&lines, '\n');
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        haft__event event;
        status = haft__event_read(p->arena, line, p->run.hash_key, &event, p->err);
        if (status == HAFT_OK) {
            status = compare(p, &event);
        }
        if (status == HAFT_OK && p->result.identical) {
            p->result.events++;
            status = haft__run_fold(&p->run, line, p->err);
        }
    }
    return status;
}

haft_status haft__replay_log(haft__arena *arena, const haft__spec *spec, haft_str lines,
                             haft__hash_key hash_key, haft__replay *ret_replay, haft_error *err)
{
    player p = {.arena = arena, .result = {.identical = true}, .err = err};
    haft__buf_init(&p.recorded, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_init(&p.run, arena, spec, hash_key, err);
    if (status == HAFT_OK) {
        status = haft__decider_init(&p.decider, err);
        if (status == HAFT_OK) {
            status = play(&p, lines);
        }
        haft__decider_finish(&p.decider);
    }
    haft__buf_finish(&p.recorded);
    if (status == HAFT_OK) {
        *ret_replay = p.result;
    }
    return status;
}
