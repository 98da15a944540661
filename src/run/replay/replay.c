/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay.c - folds the inputs of a log, with their times, and compares the decisions.
 *
 * If decide returns an event for a state, the next event must be that decision; every other event
 * must be an input. There are five exceptions. First, after a crash the new owner may have
 * restarted a call, or recorded its outcome as unknown; decide does neither. Second, an expired
 * deadline is decided when the owner checks the clock, which may be after other events. Third, a
 * new owner of a run applies commands and checks deadlines of pending calls before any other
 * decision. Fourth, a process that knew a secret omits it from later events
 * (run/redact/withhold.h). Fifth, a process that stops, or cannot create the next child, records
 * the results of running operations and decides nothing; the decisions come after them.
 *
 * Tests: tests/run/replay/replay_test.c, tests/sim/.
 */
#include "run/replay/replay.h"

#include "base/limits.h"
#include "base/str.h"
#include "run/artifact.h"
#include "run/event_body.h"
#include "run/host.h"
#include "run/redact/withhold.h"
#include "json/object.h"

typedef struct player {
    haft__run run;
    haft__decider decider;
    haft__arena *arena;
    haft__buf recorded;
    haft__replay result;
    haft_status status; /* of the comparison */
    haft_error *err;
} player;

/* Whether the event is an input. Inputs cannot be recomputed. */
static bool is_input(const haft__event *event)
{
    haft__event_kind kind = event->kind;
    if (kind == HAFT__EVENT_ARTIFACT_STORED) {
        return haft__artifact_is_result(event); /* a binary result */
    }
    if (kind == HAFT__EVENT_INTERVENTION) {
        return !haft__event_flag(event, "decided"); /* the outcome of a hook */
    }
    return kind == HAFT__EVENT_RUN_STARTED || kind == HAFT__EVENT_MODEL_REPLIED
           || kind == HAFT__EVENT_MODEL_FAILED || kind == HAFT__EVENT_OPTION_REFUSED
           || kind == HAFT__EVENT_CALL_FINISHED || kind == HAFT__EVENT_ANSWERED
           || kind == HAFT__EVENT_LIMIT_REACHED || kind == HAFT__EVENT_CANCEL_ASKED
           || kind == HAFT__EVENT_SPEC_CHANGED || kind == HAFT__EVENT_CHILD_FINISHED
           || kind == HAFT__EVENT_TOOLS_REVEALED || kind == HAFT__EVENT_THREAD_STATE
           || kind == HAFT__EVENT_CALL_ASKED || kind == HAFT__EVENT_CALL_REQUESTED;
}

static haft_status report_difference(player *p, const haft__event *event, haft_str decided)
{
    p->result.identical = false;
    p->result.differs_at = event->seq;
    p->result.recorded = haft__arena_copy(p->arena, haft__buf_str(&p->recorded));
    p->result.decided = haft__arena_copy(p->arena, decided);
    bool copied = p->result.recorded.ptr != NULL && p->result.decided.ptr != NULL;
    return copied ? HAFT_OK : haft__arena_fail(p->arena, p->err);
}

/* The call of the event if it has started and has no result, so that recovery may have decided
 * about it; else NULL. */
static const haft__run_call *find_interrupted(const haft__run *run, const haft__event *event)
{
    const haft__json *id = haft__event_field(event, "call");
    const haft__run_call *call = id != NULL ? haft__run_find_call(run, haft__json_text(*id)) : NULL;
    bool open = call != NULL && (call->stage == HAFT__CALL_STARTED || haft__call_needs_host(call));
    return open ? call : NULL;
}

/* Whether a script returned the result of a headless call immediately, so that the call did not
 * wait for a client. */
static bool is_scripted_result(const haft__run *run, const haft__event *event)
{
    const haft__run_call *call = find_interrupted(run, event);
    return event->kind == HAFT__EVENT_CALL_FINISHED && call != NULL
           && call->tool->source == HAFT__TOOL_HEADLESS;
}

/* Whether the event is the result of an operation that the host or another run was performing. For
 * a call with the result of a child or a built-in tool, call_finished is a decision. */
static bool is_result_of_operation(const haft__run *run, const haft__event *event)
{
    bool requested = event->kind == HAFT__EVENT_CALL_REQUESTED; /* by running code */
    haft_str key = haft__object_text(event->object, requested ? "parent" : "call");
    if (event->kind == HAFT__EVENT_CHILD_FINISHED) {
        const haft__child *child = haft__child_find(run, key);
        return child != NULL && !child->finished;
    }
    if (event->kind == HAFT__EVENT_INTERVENTION) {
        return is_input(event); /* the fold accepts it only for an open hook */
    }
    const haft__run_call *call = is_input(event) ? haft__run_find_call(run, key) : NULL;
    bool of_call = requested || event->kind == HAFT__EVENT_CALL_FINISHED
                   || event->kind == HAFT__EVENT_CALL_ASKED
                   || event->kind == HAFT__EVENT_ARTIFACT_STORED
                   || event->kind == HAFT__EVENT_TOOLS_REVEALED;
    return of_call && call != NULL && haft__call_needs_host(call);
}

static haft_status decide_at(player *p, uint64_t now_ms, haft__effect *ret_effect)
{
    *ret_effect = (haft__effect){.kind = HAFT__EFFECT_END};
    return p->run.stage != HAFT__RUN_NEW
               ? haft__decide(&p->decider, &p->run, now_ms, ret_effect, p->err)
               : HAFT_OK;
}

/* The text up to and including the key of the child's id, and the text after the id. */
static void split_at_child(haft_str body, haft_str *ret_before, haft_str *ret_after)
{
    const haft_str key = HAFT__LIT("\"child\":\"");
    haft_str rest = body;
    while (rest.len > 0 && !haft__str_starts_with(rest, key)) {
        rest = haft__str_skip(rest, 1);
    }
    *ret_before = (haft_str){body.ptr, body.len - rest.len};
    *ret_after = haft__str_skip(
        rest, rest.len > key.len + HAFT__ID_LENGTH ? key.len + HAFT__ID_LENGTH : rest.len);
}

/* Whether both events start the same child, apart from the child's id. The id is computed from the
 * id of the run, and a fork has the children of another run. */
static bool starts_same_child(haft_str decided, haft_str recorded)
{
    haft_str before, after, other_before, other_after;
    split_at_child(decided, &before, &after);
    split_at_child(recorded, &other_before, &other_after);
    return haft__str_equal(before, other_before) && haft__str_equal(after, other_after);
}

/* Whether the decision equals the recorded event, byte for byte. */
static bool is_identical(const player *p, const haft__effect *effect)
{
    haft_str decided = effect->kind == HAFT__EFFECT_EVENT ? effect->body : HAFT__LIT("");
    haft_str recorded = haft__buf_str(&p->recorded);
    bool child = haft__str_starts_with(recorded, HAFT__LIT("\"kind\":\"child_started\""));
    return child ? starts_same_child(decided, recorded) : haft__str_equal(decided, recorded);
}

/* Like is_identical, but the recording process may have withheld secrets. */
static bool matches_recorded(player *p, const haft__event *event, const haft__effect *effect)
{
    bool same = is_identical(p, effect);
    if (!same && p->status == HAFT_OK && effect->kind == HAFT__EFFECT_EVENT) {
        p->status = haft__withhold_matches(&p->run, event, haft__buf_str(&p->recorded),
                                           effect->body, &same, p->err);
    }
    return same;
}

/* The recorded reason why the outcome of a call is unknown. It cannot be recomputed, because no
 * earlier event contains it. */
static haft_str reason_of(const haft__event *event)
{
    return event->kind == HAFT__EVENT_PAUSED ? haft__object_text(event->object, "reason")
                                             : (haft_str){NULL, 0};
}

/* The recorded event differs from the decision. A new owner of a run first recovers all interrupted
 * calls; the event may be such a decision. */
static haft_status compare_recovery(player *p, const haft__event *event, haft__effect *effect)
{
    const haft__run_call *call = find_interrupted(&p->run, event);
    if (call == NULL) {
        return HAFT_OK;
    }
    bool decides = effect->kind == HAFT__EFFECT_EVENT;
    haft__effect recovered = {.kind = HAFT__EFFECT_END};
    haft_status status = haft__decide_interrupted(&p->decider, &p->run, call, reason_of(event),
                                                  event->at_ms, &recovered, p->err);
    if (status != HAFT_OK) {
        return status;
    }
    bool runs = effect->kind == HAFT__EFFECT_RUN_CALLS || call->pinned;
    if (matches_recorded(p, event, &recovered) || (runs && !is_input(event))) {
        *effect = recovered;
        return HAFT_OK;
    }
    return decides ? decide_at(p, event->at_ms, effect) : HAFT_OK; /* recovery overwrote the body */
}

/* Compares an answer to a pending call. If the deadline of the call has expired, the expiry must be
 * recorded before the answer; other decisions may come later. */
static haft_status compare_answer(player *p, const haft__event *event, haft__effect *effect)
{
    const haft__json *id = haft__event_field(event, "call");
    const haft__run_call *call =
        id != NULL ? haft__run_find_call(&p->run, haft__json_text(*id)) : NULL;
    if (call == NULL || !haft__call_is_pending(call)) {
        return HAFT_OK;
    }
    if (call->deadline_ms == 0 || event->at_ms < call->deadline_ms) {
        *effect = (haft__effect){.kind = HAFT__EFFECT_WAIT};
        return HAFT_OK;
    }
    return haft__decide_expiry(&p->decider, &p->run, call, event->at_ms, effect, p->err);
}

/* Compares an input of a model or tool. It may be recorded after a deadline has passed but before
 * the owner has checked the clock. For an answer see compare_answer: deadlines are checked before
 * an answer is accepted. */
static haft_status compare_input(player *p, const haft__event *event, haft__effect *effect)
{
    haft__effect before = {.kind = HAFT__EFFECT_END};
    haft_status status = decide_at(p, 0, &before);
    if (status == HAFT_OK && before.kind == HAFT__EFFECT_EVENT) {
        return decide_at(p, event->at_ms, effect);
    }
    *effect = before;
    return status;
}

/* Compares the event with the decision for the state before it. */
static haft_status compare(player *p, const haft__event *event)
{
    haft__effect effect;
    haft_status status = decide_at(p, event->at_ms, &effect);
    haft__buf_clear(&p->recorded);
    haft__event_body(&p->recorded, event);
    if (status == HAFT_OK && !matches_recorded(p, event, &effect)) {
        status = compare_recovery(p, event, &effect);
    }
    bool decides = effect.kind == HAFT__EFFECT_EVENT;
    if (status == HAFT_OK && decides && is_input(event) && !matches_recorded(p, event, &effect)) {
        status = (event->kind == HAFT__EVENT_ANSWERED ? compare_answer : compare_input)(p, event,
                                                                                        &effect);
    }
    if (status != HAFT_OK) {
        return status;
    }
    bool decided = effect.kind == HAFT__EFFECT_EVENT;
    p->result.decisions += decided;
    if (event->kind == HAFT__EVENT_CANCEL_ASKED || event->kind == HAFT__EVENT_LIMIT_REACHED
        || event->kind == HAFT__EVENT_SPEC_CHANGED || haft__event_is_graph_change(event)
        || is_scripted_result(&p->run, event)) {
        return HAFT_OK; /* such events can occur at any time */
    }
    if (decided ? matches_recorded(p, event, &effect) : is_input(event)) {
        return HAFT_OK;
    }
    /* A process that could not create the child recorded other events first. */
    bool blocked =
        effect.child != NULL && (is_input(event) || find_interrupted(&p->run, event) != NULL);
    if (decided && (blocked || is_result_of_operation(&p->run, event))) {
        p->result.decisions--;
        return HAFT_OK;
    }
    return report_difference(p, event, decided ? effect.body : HAFT__LIT(""));
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
        status = status == HAFT_OK ? p->status : status;
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
    const haft__run_specs no_specs = {.load = NULL};
    return haft__replay_specs(arena, spec, no_specs, lines, hash_key, ret_replay, err);
}

haft_status haft__replay_specs(haft__arena *arena, const haft__spec *spec, haft__run_specs specs,
                               haft_str lines, haft__hash_key hash_key, haft__replay *ret_replay,
                               haft_error *err)
{
    player p = {.arena = arena, .result = {.identical = true}, .err = err};
    haft__buf_init(&p.recorded, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__run_init(&p.run, arena, spec, hash_key, err);
    p.run.specs = specs;
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
