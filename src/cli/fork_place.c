/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_place.c - where a run is left by a fork, and whether it can be.
 *
 * A call that was under way there is not begun a second time: the fork asks what came of it, or is
 * refused where it would not ask. Tests: tests/cli/fork_test.py.
 */
#include "base/error.h"
#include "base/str.h"
#include "cli/fork_int.h"
#include "run/decide.h"

/* ---- where ---- */

/* The last event before the first of this kind that has this member; 0 when there is none. */
static haft_status find_before(haft__forking *f, haft__event_kind kind, const char *key,
                               haft_str text, uint64_t number, uint64_t *ret_at)
{
    haft__arena *arena = &f->cli->arena;
    haft_status status = HAFT_OK;
    *ret_at = 0;
    for (haft_str lines = f->from->lines; status == HAFT_OK && *ret_at == 0 && lines.len > 0;) {
        haft_str line = haft__str_split(&lines, '\n');
        haft__event event;
        if (haft__str_trim(line).len == 0) {
            continue;
        }
        status = haft__event_read(arena, line, f->from->hash_key, &event, f->err);
        const haft__json *field = status == HAFT_OK ? haft__event_field(&event, key) : NULL;
        uint64_t found = 0;
        bool same = field != NULL && field->kind == HAFT__JSON_STRING
                        ? haft__str_equal(haft__json_text(*field), text)
                        : field != NULL && haft__event_number(&event, key, &found, NULL) == HAFT_OK
                              && found == number;
        if (status == HAFT_OK && event.kind == kind && same) {
            *ret_at = event.seq - 1;
        }
    }
    return status;
}

/* The end of turn N is where the next one begins, or the run's last event. */
static haft_status find_turn(haft__forking *f)
{
    uint64_t turn = haft__args_number(f->args, "turn", 0);
    haft_str none = {NULL, 0};
    uint64_t own = 0;
    haft_status status = find_before(f, HAFT__EVENT_TURN_STARTED, "turn", none, turn + 1, &f->at);
    if (status == HAFT_OK && f->at == 0 && turn > 0) {
        status = find_before(f, HAFT__EVENT_TURN_STARTED, "turn", none, turn, &own);
        f->at = own > 0 ? UINT64_MAX : 0;
    }
    if (status == HAFT_OK && f->at == 0) {
        status = haft__fail(f->err, HAFT_BAD_INPUT, "--turn", "the run has no turn %llu",
                            (unsigned long long)(turn > 0 ? turn : 1));
    }
    return status;
}

static haft_status find_call(haft__forking *f)
{
    haft_status status =
        find_before(f, HAFT__EVENT_ANSWERED, "call", haft__str(f->call), 0, &f->at);
    if (status == HAFT_OK && f->at == 0) {
        status = haft__fail(f->err, HAFT_BAD_INPUT, "--call",
                            "wanted a call that somebody has answered, found '%s'", f->call);
        (void)haft__hint(f->err, status, "'haft runs events' shows which were 'answered'");
    }
    return status;
}

haft_status haft__fork_find(haft__forking *f)
{
    bool at = haft__args_has(f->args, "at"), turn = haft__args_has(f->args, "turn");
    if (at + turn + (f->call != NULL) + (f->task != NULL) > 1) {
        return haft__fail(f->err, HAFT_BAD_INPUT, "",
                          "--at, --turn, --call and --task exclude each other: each says where");
    }
    if (haft__args_has(f->args, "answer") && f->call == NULL) {
        return haft__fail(f->err, HAFT_BAD_INPUT, "--answer", "wanted --call with it, found none");
    }
    f->at = f->task != NULL ? 1 : haft__args_number(f->args, "at", UINT64_MAX);
    return turn ? find_turn(f) : f->call != NULL ? find_call(f) : HAFT_OK;
}

/* ---- whether it can be left there ---- */

/* Whether a call that was under way there is done again by nobody but a person, or does no harm.
 * That it is idempotent is of no use: its key was the other run's. */
static bool is_asked_about(const haft__run *run, const haft__run_call *call)
{
    const haft__tool *tool = call->tool;
    return tool != NULL
           && (tool->traits.read_only
               || (!tool->traits.idempotent
                   && haft__unknown_policy(run, tool) != HAFT__ON_UNKNOWN_RETRY));
}

/* Whether nothing of a call is done a second time unasked. What a tool asks while it runs is lost
 * with its process, so it is under way like one that asks nothing. */
static bool is_safe(const haft__run *run, const haft__run_call *call)
{
    switch (call->stage) {
    case HAFT__CALL_FINISHED:
    case HAFT__CALL_REFUSED:
    case HAFT__CALL_ARRIVED: /* it had not begun there, and is judged here like any */ return true;
    case HAFT__CALL_PAUSED: return !haft__call_needs_host(call) || is_asked_about(run, call);
    case HAFT__CALL_STARTED: return is_asked_about(run, call);
    case HAFT__CALL_ANSWERED: return false;
    }
    HAFT__UNREACHABLE();
}

haft_status haft__fork_check(haft__forking *f)
{
    const haft__run *run = &f->run;
    if (run->stage == HAFT__RUN_IDLE) {
        return HAFT_OK;
    }
    if (f->call == NULL || run->stage != HAFT__RUN_CALLING) {
        haft_status status =
            haft__fail(f->err, HAFT_BAD_INPUT, f->from->name,
                       run->stage == HAFT__RUN_ENDED
                           ? "expected the end of a turn at event %llu, found that of the run"
                           : "expected the end of a turn at event %llu, found one under way",
                       (unsigned long long)run->seq);
        return haft__hint(f->err, status,
                          "--turn N names one; --at takes the last event before a turn_started");
    }
    for (size_t i = run->batch; i < run->call_count; i++) {
        if (!is_safe(run, &run->calls[i])) {
            haft_status status = haft__fail(
                f->err, HAFT_BAD_STATE, f->from->name,
                "the call %.*s of %.*s was under way at event %llu and would be made twice",
                HAFT__ARG(run->calls[i].id), HAFT__ARG(run->calls[i].name),
                (unsigned long long)run->seq);
            return haft__hint(f->err, status, "fork at the end of a turn: --turn %u",
                              run->turn - 1);
        }
    }
    return HAFT_OK;
}
