/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_point.c - decides where a run can be forked.
 *
 * A fork must not start a call a second time if the call was running at that point. Either the fork
 * asks a person for the outcome of the call, or the fork is refused. Tests:
 * tests/engine/ops/fork_test.c, tests/cli/fork_test.py.
 */
#include "base/error.h"
#include "base/str.h"
#include "engine/ops/fork_int.h"
#include "graph/run/graph_run.h"
#include "run/decide/call_wait.h"
#include "run/decide/decide.h"

static haft_status fail_call(haft__fork_builder *f)
{
    f->fork->refusal = HAFT__FORK_NO_CALL;
    return haft__fail(f->err, HAFT_BAD_INPUT, "",
                      "expected a pending or an answered call, found '%s'", f->options->call);
}

/* ---- the point ---- */

/* Iterates over the events. */
typedef struct reader {
    haft_str rest;
    haft__arena_mark mark; /* start of the memory of an event */
} reader;

static reader read_from_start(const haft__fork_builder *f)
{
    return (reader){.rest = f->from->lines, .mark = haft__arena_save(f->arena)};
}

/* Reads the next event, which is valid until the following event is read. Its seq is 0 after the
 * last event. */
static haft_status read_next(const haft__fork_builder *f, reader *r, haft__event *ret_event)
{
    *ret_event = (haft__event){.seq = 0};
    haft__arena_restore(f->arena, r->mark);
    while (r->rest.len > 0) {
        haft_str line = haft__str_split(&r->rest, '\n');
        if (haft__str_trim(line).len > 0) {
            return haft__event_read(f->arena, line, f->from->hash_key, ret_event, f->err);
        }
    }
    return HAFT_OK;
}

static bool has_member(const haft__event *event, const char *key, haft_str text, uint64_t number)
{
    const haft__json *field = haft__event_field(event, key);
    uint64_t found = 0;
    if (field != NULL && field->kind == HAFT__JSON_STRING) {
        return haft__str_equal(haft__json_text(*field), text);
    }
    bool any = number == UINT64_MAX && event->kind == HAFT__EVENT_GRAPH_STEP;
    return field != NULL && haft__event_number(event, key, &found, NULL) == HAFT_OK
           && (found == number || any);
}

/* Whether the event records that a person continued a graph inside a step. Such an event is not the
 * event of a step. */
static bool is_inside_step(const haft__event *event)
{
    return haft__event_flag(event, "retry") || haft__event_flag(event, "inside");
}

/* Finds the last event of this kind with this member, and returns the seq of the event before it; 0
 * if no event matches. */
static haft_status find_before(haft__fork_builder *f, haft__event_kind kind, const char *key,
                               haft_str text, uint64_t number, uint64_t *ret_at)
{
    reader r = read_from_start(f);
    haft__event event = {.seq = 0};
    haft_status status;
    *ret_at = 0;
    do {
        status = read_next(f, &r, &event);
        if (status == HAFT_OK && event.seq > 0 && event.kind == kind
            && has_member(&event, key, text, number) && !is_inside_step(&event)) {
            *ret_at = event.seq - 1;
        }
    } while (status == HAFT_OK && event.seq > 0);
    return status;
}

/* Finds the end of turn N: the event before the next turn begins, or the run's last event. */
static haft_status find_turn(haft__fork_builder *f)
{
    uint64_t turn = f->options->number;
    haft_str none = {NULL, 0};
    uint64_t own = 0;
    haft_status status = find_before(f, HAFT__EVENT_TURN_STARTED, "turn", none, turn + 1, &f->at);
    if (status == HAFT_OK && f->at == 0 && turn > 0) {
        status = find_before(f, HAFT__EVENT_TURN_STARTED, "turn", none, turn, &own);
        f->at = own > 0 ? UINT64_MAX : 0;
    }
    if (status == HAFT_OK && f->at == 0) {
        f->fork->refusal = HAFT__FORK_NO_TURN;
        status = haft__fail(f->err, HAFT_BAD_INPUT, "", "the run has no turn %llu",
                            (unsigned long long)(turn > 0 ? turn : 1));
    }
    return status;
}

/* Finds the point before the last answer to the call, or the point where it is pending now. */
static haft_status find_call(haft__fork_builder *f)
{
    haft_str call = haft__str(f->options->call);
    uint64_t paused = 0, answered = 0;
    haft_status status = find_before(f, HAFT__EVENT_ANSWERED, "call", call, 0, &answered);
    if (status == HAFT_OK) {
        status = find_before(f, HAFT__EVENT_PAUSED, "call", call, 0, &paused);
    }
    f->at = paused > answered ? UINT64_MAX : answered;
    return status == HAFT_OK && f->at == 0 ? fail_call(f) : status;
}

static bool is_before_end(const haft__fork_builder *f)
{
    return f->options->point == HAFT__FORK_AT_FAILURE || f->options->point == HAFT__FORK_AT_LIMIT;
}

/* Finds the point before the end of a graph that has failed or has reached its limit. */
static haft_status find_end(haft__fork_builder *f)
{
    bool failed = f->options->point == HAFT__FORK_AT_FAILURE;
    haft_status status = find_before(f, HAFT__EVENT_RUN_FINISHED, "end",
                                     haft__str(failed ? "failed" : "exhausted"), 0, &f->at);
    if (status == HAFT_OK && (f->at == 0 || f->from->spec->graph_rules == NULL)) {
        f->fork->refusal = HAFT__FORK_NO_STEP;
        return haft__fail(f->err, HAFT_BAD_STATE, f->from->name,
                          failed ? "the run is not a failed run of a graph"
                                 : "the run is not a run of a graph that has ended at its limit");
    }
    return status;
}

/* Finds the point after the last event of step N. */
static haft_status find_step(haft__fork_builder *f)
{
    haft_status status = find_before(f, HAFT__EVENT_GRAPH_STEP, "step", (haft_str){NULL, 0},
                                     f->options->number, &f->at);
    if (status == HAFT_OK && (f->at == 0 || f->from->spec->graph_rules == NULL)) {
        f->fork->refusal = HAFT__FORK_NO_STEP;
        return f->options->number == UINT64_MAX
                   ? haft__fail(f->err, HAFT_BAD_INPUT, f->from->name,
                                "the run has no step of a graph")
                   : haft__fail(f->err, HAFT_BAD_INPUT, "", "the run has no step %llu",
                                (unsigned long long)f->options->number);
    }
    f->at++;
    return status;
}

/* Inspects the event after the point: an answer, another event, or none. */
static haft_status inspect_next_event(haft__fork_builder *f)
{
    reader r = read_from_start(f);
    haft__event event = {.seq = 0};
    haft_status status;
    do {
        status = read_next(f, &r, &event);
    } while (status == HAFT_OK && event.seq > 0 && event.seq - 1 < f->at);
    f->at_end = event.seq == 0;
    f->may_be_pending =
        f->at_end ? f->options->point != HAFT__FORK_AT_TURN : event.kind == HAFT__EVENT_ANSWERED;
    return status;
}

static haft_status find_last_event(haft__fork_builder *f)
{
    switch (f->options->point) {
    case HAFT__FORK_AT_END: f->at = UINT64_MAX; return HAFT_OK;
    case HAFT__FORK_AT_EVENT: f->at = f->options->number; return HAFT_OK;
    case HAFT__FORK_AT_TURN: return find_turn(f);
    case HAFT__FORK_AT_CALL: return find_call(f);
    case HAFT__FORK_AT_START: f->at = 1; return HAFT_OK;
    case HAFT__FORK_AT_STEP: return find_step(f);
    case HAFT__FORK_AT_FAILURE:
    case HAFT__FORK_AT_LIMIT: return find_end(f);
    }
    HAFT__UNREACHABLE();
}

haft_status haft__fork_find_point(haft__fork_builder *f)
{
    haft_status status = find_last_event(f);
    return status == HAFT_OK ? inspect_next_event(f) : status;
}

/* ---- whether the run can be forked at the point ---- */

/* Whether a running call can be repeated safely: a person decides about the repetition, or the call
 * is read-only. An idempotent call is not safe, because its key belongs to the original run. A call
 * of an agent without a child is not safe, because both runs would start a child without asking. */
static bool is_confirmed_before_retry(const haft__run *run, const haft__run_call *call)
{
    const haft__tool *tool = call->tool;
    return tool != NULL
           && (tool->traits.read_only
               || (!tool->traits.idempotent && !haft__call_is_agent(call)
                   && haft__decide_unknown_policy(run, tool) != HAFT__ON_UNKNOWN_RETRY));
}

/* Whether the call starts without delay, so that the original run has started it, too. If the call
 * waits for other calls, the original run has not started it. */
static bool is_about_to_start(const haft__run *run, const haft__run_call *call)
{
    return call->tool != NULL && call->malformed.len == 0 && !call->tool->traits.read_only
           && haft__call_wait_find(run, call).by == HAFT__CALL_WAIT_NONE;
}

/* Whether a fork repeats no effect of the call without approval. If a running tool has asked a
 * question, the call is treated as running, because the question is lost with the process. */
static bool is_safe_to_fork(const haft__run *run, const haft__run_call *call, bool at_end)
{
    switch (call->stage) {
    case HAFT__CALL_FINISHED:
    case HAFT__CALL_REFUSED: return true;
    case HAFT__CALL_ARRIVED: return !at_end || !is_about_to_start(run, call);
    case HAFT__CALL_PAUSED:
        return !haft__call_needs_host(call) || is_confirmed_before_retry(run, call);
    case HAFT__CALL_RETURNED: return true;
    case HAFT__CALL_STARTED: return is_confirmed_before_retry(run, call);
    case HAFT__CALL_ANSWERED: return false;
    }
    HAFT__UNREACHABLE();
}

/* Sets `last_turn`: the last earlier point where the run can be forked. */
static void set_last_turn(const haft__fork_builder *f)
{
    const haft__run *run = &f->run;
    f->fork->has_steps = haft__run_is_graph(run);
    f->fork->last_turn = f->fork->has_steps ? run->graph->x->step
                         : run->turn > 0    ? run->turn - 1
                                            : 0;
}

/* Whether the point is after a step of a graph and before a call of the next step. */
static bool is_after_step(const haft__run *run)
{
    bool after = haft__run_is_graph(run) && run->stage == HAFT__RUN_CALLING;
    for (size_t i = run->batch; i < run->call_count; i++) {
        after = after && run->calls[i].stage == HAFT__CALL_ARRIVED;
    }
    return after;
}

static haft_status check_calls(const haft__fork_builder *f)
{
    const haft__run *run = &f->run;
    for (size_t i = run->batch; i < run->call_count; i++) {
        if (!is_safe_to_fork(run, &run->calls[i], f->at_end)) {
            f->fork->refusal = HAFT__FORK_CALL_UNDER_WAY;
            set_last_turn(f);
            return haft__fail(f->err, HAFT_BAD_STATE, f->from->name,
                              "the call %.*s of %.*s was running at event %llu and would run twice",
                              HAFT__ARG(run->calls[i].id), HAFT__ARG(run->calls[i].name),
                              (unsigned long long)run->seq);
        }
    }
    return HAFT_OK;
}

/* Whether the call in the options, or any call if they name none, is pending at the point. */
static bool has_pending_call(const haft__fork_builder *f)
{
    const haft__run *run = &f->run;
    bool found = false;
    for (size_t i = run->batch; run->stage == HAFT__RUN_CALLING && i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        found = found
                || (call->stage == HAFT__CALL_PAUSED
                    && (f->options->call == NULL
                        || haft__str_equal(call->id, haft__str(f->options->call))));
    }
    return found;
}

static haft_status fail_fork_point(const haft__fork_builder *f)
{
    const haft__run *run = &f->run;
    f->fork->refusal = HAFT__FORK_INSIDE_TURN;
    set_last_turn(f);
    if (f->fork->has_steps) {
        return haft__fail(f->err, HAFT_BAD_INPUT, f->from->name,
                          run->stage == HAFT__RUN_ENDED
                              ? "expected the end of a step at event %llu, found the end of the run"
                              : "expected the end of a step at event %llu, found calls of the next",
                          (unsigned long long)run->seq);
    }
    return haft__fail(f->err, HAFT_BAD_INPUT, f->from->name,
                      run->stage == HAFT__RUN_ENDED
                          ? "expected the end of a turn at event %llu, found the end of the run"
                          : "expected the end of a turn at event %llu, found an unfinished turn",
                      (unsigned long long)run->seq);
}

/* Checks a fork after the end of a run: only its thread can continue, with another run. */
static haft_status check_branch(haft__fork_builder *f)
{
    if (f->options->continues) {
        f->fork->refusal = HAFT__FORK_NOTHING_LEFT;
        return haft__fail(f->err, HAFT_BAD_INPUT, "", "the run has ended and cannot be continued");
    }
    f->is_copy = f->from->runtime != NULL; /* a file has no thread */
    return f->is_copy ? HAFT_OK : fail_fork_point(f);
}

/* Rejects a child run and a run with open children: a fork cannot have the children of another
 * run. */
static haft_status check_children(const haft__fork_builder *f)
{
    const haft__run *run = &f->run;
    bool child = run->parent.len > 0;
    if (!child && !haft__child_any_open(run)) {
        return HAFT_OK;
    }
    f->fork->refusal = child ? HAFT__FORK_NOT_REFUSED : HAFT__FORK_CALL_UNDER_WAY;
    set_last_turn(f);
    haft_status status = haft__fail(
        f->err, HAFT_BAD_STATE, f->from->name,
        child ? "the run is a child of %.*s and cannot be forked alone"
              : "the run waits for the child %.*s at this point and cannot be forked here",
        HAFT__ARG(child ? run->root : run->children[run->child_count - 1]->run));
    return child ? haft__hint(f->err, status, "fork its root: haft runs fork %.*s",
                              HAFT__ARG(run->root))
                 : status;
}

haft_status haft__fork_check_point(haft__fork_builder *f)
{
    haft_status children = check_children(f);
    if (children != HAFT_OK) {
        return children;
    }
    if (f->run.stage == HAFT__RUN_IDLE || is_before_end(f)) {
        return HAFT_OK;
    }
    if (f->options->call != NULL && !has_pending_call(f)) {
        return fail_call(f);
    }
    if (f->run.stage == HAFT__RUN_ENDED) {
        return check_branch(f);
    }
    bool allowed = is_after_step(&f->run) || (f->may_be_pending && has_pending_call(f));
    return allowed ? check_calls(f) : fail_fork_point(f);
}
