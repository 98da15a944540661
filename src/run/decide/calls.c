/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - decides about the calls of one reply: which calls run, when, and why the others are
 * refused. call_event.c writes the events of these decisions.
 *
 * The table `checks` lists the checks of a call in their order. Control calls are decided last,
 * when the other calls of the reply have results.
 *
 * Tests: tests/run/decide/decide_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/provider.h"
#include "run/arguments.h"
#include "run/artifact.h"
#include "run/decide/call_wait.h"
#include "run/decide/decide_int.h"
#include "run/nested.h"
#include "run/offer/constraint.h"
#include "run/pause/approval.h"
#include "run/redact/withhold.h"

static bool is_finished(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_FINISHED || call->stage == HAFT__CALL_REFUSED;
}

static bool is_control(const haft__run_call *call)
{
    return haft__call_is_control(call);
}

/* Whether the tool runs outside of decide: neither a built-in nor headless. */
static bool is_external(const haft__tool *tool)
{
    return !haft__builtin_is_pure(tool) && tool->source != HAFT__TOOL_HEADLESS;
}

static const haft__run_call *batch_limit(const haft__run *run)
{
    return run->calls + run->call_count;
}

/* ---- judging ---- */

/* The number of earlier calls of the batch that run or have run, for the limit of a spec that
 * truncates batches. */
static uint32_t accepted_before(const haft__run *run, const haft__run_call *call)
{
    uint32_t count = 0;
    for (const haft__run_call *c = run->calls + run->batch; c < call; c++) {
        count += c->stage != HAFT__CALL_REFUSED && !is_control(c);
    }
    return count;
}

haft_status haft__decide_guard(haft__decision *d, haft_str tool, bool *ret_passes)
{
    const haft__run *run = d->run;
    haft__arena *scratch = &d->tools->scratch;
    haft__choice_facts facts;
    haft_status status = haft__offer_facts(run, scratch, &facts, d->err);
    bool *phases = haft__arena_array(scratch, d->spec->phase_count, sizeof(*phases));
    if (status != HAFT_OK || phases == NULL) {
        return status != HAFT_OK ? status : haft__arena_fail(scratch, d->err);
    }
    for (size_t i = 0; i < d->spec->phase_count; i++) {
        const haft__phase *phase = &d->spec->phases[i];
        for (size_t k = 0; k < phase->tool_count; k++) {
            const haft__tool *one = haft__tools_find(d->run->tools, phase->tools[k]);
            phases[i] =
                phases[i] || (one != NULL && run->past[haft__run_tool_index(run, one)].finished);
        }
    }
    haft__guard_facts guard =
        haft__guard_collect(d->spec, &facts, phases, haft__artifact_any_stored(run));
    haft__buf_add_str(&d->tools->text, HAFT__LIT("Error: "));
    *ret_passes = haft__guard_passes(d->spec, &guard, tool, &d->tools->text);
    if (*ret_passes) {
        haft__buf_clear(&d->tools->text);
    }
    return HAFT_OK;
}

/* The result of a check. */
typedef enum judgement {
    JUDGED_PASSES, /* continue with the next check */
    JUDGED_EVENT,  /* decided: an event */
    JUDGED_WAIT,   /* the call is accepted, but must wait */
} judgement;

/* A call while it is judged. */
typedef struct judged_call {
    const haft__run_call *call;
    judgement judgement;
    haft__json arguments;         /* repaired and converted for the tool; set by check_arguments */
    uint64_t signature;           /* hash of tool and canonical arguments */
    const haft__run_call *cached; /* an earlier call with the same tool and arguments, or NULL */
} judged_call;

static haft_status decided(judged_call *j, haft_status status)
{
    j->judgement = JUDGED_EVENT;
    return status;
}

static haft_status check_form(haft__decision *d, judged_call *j)
{
    return j->call->malformed.len > 0 ? decided(j, haft__decide_refuse_malformed(d, j->call))
                                      : HAFT_OK;
}

static haft_status check_tool_exists(haft__decision *d, judged_call *j)
{
    const haft__run_call *call = j->call;
    if (call->tool != NULL
        && haft__resolve_tool(d->spec, d->run, call->tool).visibility != HAFT__VISIBILITY_NONE) {
        return HAFT_OK;
    }
    const char *why = haft__decide_missing_tool(d, call);
    return decided(j, why != NULL ? haft__decide_refuse(d, call, why)
                                  : haft__decide_refuse_unknown(d, call));
}

/* Code is not started by code. If the turn allows one tool only, and that tool runs code, the code
 * can call the others. */
static bool code_may_call(const haft__run *run, const haft__run_call *call)
{
    const haft__run_call *parent = &run->calls[call->parent_index];
    bool only_code = run->mode == HAFT__MODE_TOOL && haft__str_equal(run->mode_tool, parent->name);
    return !haft__call_runs_code(call)
           && (only_code || run->allowed[haft__run_tool_index(run, call->tool)]);
}

static haft_status check_allowed(haft__decision *d, judged_call *j)
{
    bool allowed = j->call->parent.len > 0
                       ? code_may_call(d->run, j->call)
                       : d->run->allowed[haft__run_tool_index(d->run, j->call->tool)];
    return allowed ? HAFT_OK : decided(j, haft__decide_refuse_not_allowed(d, j->call));
}

static haft_status check_limits(haft__decision *d, judged_call *j)
{
    const haft__spec_limits *limits = &d->spec->limits;
    bool over_cap = limits->overflow == HAFT__OVERFLOW_TRUNCATE && j->call->node == NULL
                    && j->call->parent.len == 0
                    && accepted_before(d->run, j->call) >= limits->parallel;
    bool over_budget = d->run->usage.calls >= limits->calls;
    bool counts = !is_control(j->call) && !haft__call_is_reducer(j->call);
    return counts && (over_cap || over_budget)
               ? decided(j, haft__decide_over_limit(d, j->call, over_budget))
               : HAFT_OK;
}

static haft_status check_child(haft__decision *d, judged_call *j)
{
    haft__child_budget budget;
    haft__child_refusal refusal = haft__call_is_agent(j->call)
                                      ? haft__decide_child_budget(d->run, j->call, &budget)
                                      : HAFT__CHILD_ALLOWED;
    if (refusal == HAFT__CHILD_ALLOWED) {
        return HAFT_OK;
    }
    haft__buf_addf(&d->tools->text, "Not run: %s.", haft__decide_child_refusal(d->run, refusal));
    return decided(j, haft__decide_refuse(d, j->call, "over_limit"));
}

/* A redacted call must not run with the text that replaced its secret. */
static haft_status check_secrets(haft__decision *d, judged_call *j)
{
    if (!j->call->redacted || haft__builtin_is_pure(j->call->tool)) {
        return HAFT_OK;
    }
    haft__buf_add_str(&d->tools->text, HAFT__LIT(HAFT__WITHHOLD_TEXT));
    return decided(j, haft__decide_refuse(d, j->call, HAFT__WITHHOLD_REASON));
}

/* While limits.parallel calls are running, the call waits. Its arguments are parsed when it can
 * run, so that they are not parsed again at each decision. */
static haft_status check_parallel(haft__decision *d, judged_call *j)
{
    const haft__run_call *call = j->call;
    const haft__approval_rule *rule = NULL;
    bool approval = haft__approval_is_required(d->spec, call->tool, NULL, &d->tools->scratch, &rule)
                    || call->needs_new_approval;
    if (d->full && is_external(call->tool) && !approval) {
        j->judgement = JUDGED_WAIT;
    }
    return HAFT_OK;
}

/* Whether the reply ends with this call, and none of its arguments have arrived. */
static bool ends_before_arguments(const haft__run *run, const haft__run_call *call)
{
    return call == run->calls + run->call_count - 1 && haft__str_trim(call->raw).len == 0;
}

static haft_status check_truncated(haft__decision *d, judged_call *j)
{
    bool cut = d->run->reply.stop == HAFT__STOP_LENGTH && j->call->parent.len == 0;
    bool broken = cut && ends_before_arguments(d->run, j->call);
    haft_status status = cut && !broken ? haft__decide_check_repair(d, j->call, &broken) : HAFT_OK;
    return broken ? decided(j, haft__decide_refuse_truncated(d, j->call)) : status;
}

/* Whether the model may have written null for an argument that it could not omit. */
static bool may_write_nulls(const haft__decision *d)
{
    const haft__provider *provider = haft__provider_for_model(&d->spec->model);
    bool constrained = d->run->constraint == HAFT__CONSTRAINT_JSON_SCHEMA
                       && haft__schema_target_is_strict(haft__constraint_detect(d->spec).target);
    return constrained || (provider != NULL && provider->capabilities.strict_tools);
}

/* Checks the arguments that a hook has written in the same way as those of the model. */
static haft_status check_changed(haft__decision *d, judged_call *j)
{
    haft__arguments arguments = {.good = false};
    haft_status status = haft__decide_revalidate(d, j->call, j->call->changed, &arguments);
    j->arguments = arguments.value;
    return status == HAFT_OK && !arguments.good
               ? decided(j, haft__decide_refuse(d, j->call, "invalid"))
               : status;
}

static haft_status check_arguments(haft__decision *d, judged_call *j)
{
    const haft__run *run = d->run;
    haft__arguments arguments;
    bool nullable = may_write_nulls(d);
    if (j->call->changed.kind == HAFT__JSON_OBJECT) {
        return check_changed(d, j);
    }
    haft__buf_add_str(&d->tools->text, HAFT__LIT("Error: "));
    haft_status status = (nullable ? haft__arguments_read_nullable : haft__arguments_read)(
        j->call->tool, j->call->raw, d->tools->checker, &d->tools->scratch, run->hash_key,
        &arguments, &d->tools->text, d->err);
    if (status != HAFT_OK) {
        return status;
    }
    if (!arguments.good) {
        return decided(j, haft__decide_refuse(d, j->call, "invalid"));
    }
    haft__buf_clear(&d->tools->text);
    j->arguments = arguments.value;
    return HAFT_OK;
}

/* The way through the middleware, with the arguments with which the call would start. */
static haft_status check_middleware(haft__decision *d, judged_call *j)
{
    haft__entering entering = HAFT__ENTERING_PASSES;
    haft_status status = haft__decide_entering(d, j->call, j->arguments, &entering);
    j->judgement = entering == HAFT__ENTERING_PASSES    ? j->judgement
                   : entering == HAFT__ENTERING_DECIDED ? JUDGED_EVENT
                                                        : JUDGED_WAIT;
    d->hooked = d->hooked || entering == HAFT__ENTERING_WAITS;
    return status;
}

static haft_status check_guard(haft__decision *d, judged_call *j)
{
    bool passes = true;
    haft_status status =
        is_control(j->call) ? haft__decide_guard(d, j->call->name, &passes) : HAFT_OK;
    return status == HAFT_OK && !passes ? decided(j, haft__decide_refuse(d, j->call, "guard"))
                                        : status;
}

/* Finds an earlier call with the same tool and arguments. */
static haft_status find_earlier(haft__decision *d, judged_call *j)
{
    haft__buf *key = &d->tools->body; /* not used yet */
    haft__buf_clear(key);
    haft_status status = haft__run_call_key(key, j->call->name, j->arguments, d->err);
    if (status == HAFT_OK) {
        j->cached = haft__map_get(&d->run->results, haft__buf_str(key));
        j->signature = haft__run_hash(haft__buf_str(key));
    }
    return status;
}

/* Whether the call gets the result of an earlier call. A call of a node uses the cache only if its
 * tool requests a cache: by default each step of a node calls the tool. */
static bool is_cached(const haft__decision *d, const judged_call *j)
{
    uint64_t ttl = j->call->tool->traits.cache_ttl_ms;
    bool use_cache = j->call->node == NULL || j->call->tool->traits.cache != HAFT__CACHE_NONE;
    return use_cache && j->cached != NULL
           && (ttl == 0 || d->now_ms - j->cached->finished_ms <= ttl);
}

/* Whether the call has arguments to compare, and the result of its attempt or approval counts for
 * equal calls. */
static bool may_share(const haft__run_call *call)
{
    bool pending = call->stage == HAFT__CALL_PAUSED || call->stage == HAFT__CALL_ANSWERED;
    bool rejected = call->stage == HAFT__CALL_REFUSED && !call->started
                    && haft__str_equal(call->verdict, HAFT__LIT("reject"));
    return rejected || pending || (call->started && call->stage != HAFT__CALL_REFUSED);
}

/* An earlier call of this reply with the same tool and arguments, if the tool is read-only or
 * idempotent; else NULL. */
static const haft__run_call *find_equal(const haft__run *run, const judged_call *j)
{
    const haft__traits *traits = &j->call->tool->traits;
    bool repeatable = traits->read_only || traits->idempotent;
    for (const haft__run_call *c = run->calls + run->batch; repeatable && c < j->call; c++) {
        if (c->tool == j->call->tool && c->signature == j->signature && may_share(c)) {
            return c;
        }
    }
    return NULL;
}

/* choice.evidence_first does not apply to calls of a graph, because the author of the graph chose
 * them. */
static haft_status check_evidence(haft__decision *d, judged_call *j)
{
    const char *why = NULL;
    if (!d->spec->choice.evidence_first || j->call->node != NULL) {
        return HAFT_OK;
    }
    const haft__run_call *equal = find_equal(d->run, j);
    bool repeated = is_cached(d, j) || equal != NULL;
    haft_status status = haft__decide_evidence(d, j->call, j->arguments, repeated, &why);
    return status == HAFT_OK && why != NULL ? decided(j, haft__decide_refuse(d, j->call, why))
                                            : status;
}

/* If the call repeats an earlier call and is accepted, the decider's text becomes its note. */
static haft_status check_repetition(haft__decision *d, judged_call *j)
{
    const haft__run_call *call = j->call;
    haft__no_progress_verdict verdict = HAFT__NO_PROGRESS_FINE;
    if (!is_control(call) && call->node == NULL && !call->approved
        && !call->tool->traits.polls) { /* a graph may repeat calls: its steps are limited */
        verdict = haft__no_progress_check(&d->run->progress, &d->spec->limits.repeats,
                                          haft__run_hash(call->name), j->signature, d->run->turn);
        haft__no_progress_explain(&d->tools->text, verdict, call->name);
    }
    if (verdict == HAFT__NO_PROGRESS_STOP && haft__child_any_open(d->run)) {
        j->judgement = JUDGED_WAIT; /* children end before their parent */
        return HAFT_OK;
    }
    if (verdict == HAFT__NO_PROGRESS_STOP) {
        return decided(j, haft__decide_end(d, HAFT__END_INCOMPLETE, d->run->observation, false,
                                           "no progress: the same calls over and over", NULL));
    }
    return verdict == HAFT__NO_PROGRESS_REFUSE
               ? decided(j, haft__decide_refuse(d, call, "repeated"))
               : HAFT_OK;
}

/* Equal calls of one reply run once and share the result, the error or the rejection; a person is
 * asked once. This also applies to a tool that polls: the second call would wait for the delay
 * although the model has read nothing new. */
static haft_status check_equal(haft__decision *d, judged_call *j)
{
    const haft__run_call *equal = j->call->node == NULL ? find_equal(d->run, j) : NULL;
    if (equal == NULL) {
        return HAFT_OK;
    }
    if (equal->stage == HAFT__CALL_REFUSED) {
        haft__buf_clear(&d->tools->text);
        haft__buf_add_str(&d->tools->text, equal->shown);
        return decided(j, haft__decide_refuse(d, j->call, "denied"));
    }
    if (equal->stage != HAFT__CALL_FINISHED) {
        j->judgement = JUDGED_WAIT;
        return HAFT_OK;
    }
    haft_str note = haft__buf_str(&d->tools->text);
    return decided(j, equal->ok
                          ? haft__decide_finish(d, j->call, j->arguments, equal->result, true, note)
                          : haft__decide_error_of(d, j->call, j->arguments, equal));
}

static haft_status check_approval(haft__decision *d, judged_call *j)
{
    const haft__run_call *call = j->call;
    const haft__approval_rule *rule = NULL;
    bool required =
        haft__approval_is_required(d->spec, call->tool, &j->arguments, &d->tools->scratch, &rule)
        || call->needs_new_approval;
    return required && !call->approved
               ? decided(j, haft__decide_approval(d, call, j->arguments, rule))
               : HAFT_OK;
}

static haft_status check_cache(haft__decision *d, judged_call *j)
{
    return is_cached(d, j)
               ? decided(j, haft__decide_finish(d, j->call, j->arguments, j->cached->result, true,
                                                haft__buf_str(&d->tools->text)))
               : HAFT_OK;
}

/* The next call of a tool that polls waits for its delay, and a call past a rate limit for its
 * time. */
static haft_status check_delay(haft__decision *d, judged_call *j)
{
    bool noted = false;
    haft_status status = haft__decide_delayed(d, j->call, &noted);
    if (status != HAFT_OK || noted) {
        return decided(j, status);
    }
    if (haft__call_wait_poll_at(d->run, j->call) > d->now_ms) {
        j->judgement = JUDGED_WAIT;
        d->delayed = true;
    }
    return HAFT_OK;
}

static haft_status check_lane(haft__decision *d, judged_call *j)
{
    if (haft__call_wait_lane_holder(d->run, j->call) != NULL) {
        j->judgement = JUDGED_WAIT;
    }
    return HAFT_OK;
}

/* The checks in this order. A call that passes all of them starts. */
static haft_status (*const checks[])(haft__decision *d, judged_call *j) = {
    check_form,       check_tool_exists, check_allowed,  check_limits,     check_secrets,
    check_parallel,   check_truncated,   check_child,    check_arguments,  check_guard,
    check_middleware, find_earlier,      check_evidence, check_repetition, check_equal,
    check_approval,   check_cache,       check_delay,    check_lane,
};

static haft_status judge_call(haft__decision *d, const haft__run_call *call,
                              judgement *ret_judgement)
{
    judged_call j = {.call = call, .judgement = JUDGED_PASSES};
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < COUNT(checks) && status == HAFT_OK && j.judgement == JUDGED_PASSES;
         i++) {
        status = checks[i](d, &j);
    }
    if (status == HAFT_OK && j.judgement == JUDGED_PASSES) {
        status =
            decided(&j, haft__decide_start(d, call, j.arguments, haft__buf_str(&d->tools->text)));
    }
    *ret_judgement = j.judgement;
    return status;
}

/* ---- one call, and all of them ---- */

static bool asks_user(const haft__run_call *call)
{
    return call->elicitation.kind == HAFT__JSON_OBJECT;
}

/* Whether a call that a person approved must still wait for other calls. */
static bool must_wait_for_others(const haft__decision *d, const haft__run_call *call)
{
    return haft__call_wait_answer_starts(call)
           && ((d->full && is_external(call->tool))
               || haft__call_wait_lane_holder(d->run, call) != NULL);
}

/* Whether the code that made the call has ended, so that nobody reads its result. */
static bool is_orphaned(const haft__run *run, const haft__run_call *call)
{
    return call->parent.len > 0 && is_finished(&run->calls[call->parent_index])
           && (call->stage == HAFT__CALL_ARRIVED || call->stage == HAFT__CALL_ANSWERED);
}

/* Decides about one call. If the call must wait, *ret_decided is false. */
static haft_status decide_call(haft__decision *d, const haft__run_call *call, bool *ret_decided)
{
    judgement judged = JUDGED_EVENT;
    haft_status status = HAFT_OK;
    bool waits = false;
    *ret_decided = true;
    if (is_orphaned(d->run, call)) {
        haft__buf_add_str(&d->tools->text, HAFT__LIT("The code that made this call has ended."));
        return haft__decide_refuse(d, call, "denied");
    }
    switch (call->stage) {
    case HAFT__CALL_ARRIVED:
        status = judge_call(d, call, &judged);
        *ret_decided = status != HAFT_OK || judged == JUDGED_EVENT;
        return status;
    case HAFT__CALL_ANSWERED:
        if (call->closed) {
            return haft__decide_refuse_closed(d, call);
        }
        if (call->passage.hook.len > 0) {
            d->hooked = true;
            break;
        }
        if (!must_wait_for_others(d, call)) {
            return haft__decide_answer(d, call);
        }
        break;
    case HAFT__CALL_STARTED:
        if (haft__builtin_is_pure(call->tool)) {
            return haft__decide_builtin(d, call);
        }
        if (call->searched) {
            return haft__decide_search(d, call);
        }
        if (haft__call_is_agent(call)) {
            return haft__decide_child(d, call, ret_decided);
        }
        if (call->tool->source == HAFT__TOOL_HEADLESS) {
            return haft__decide_headless(d, call);
        }
        if (asks_user(call) && !call->answer_due) {
            return haft__decide_elicitation(d, call);
        }
        break;
    case HAFT__CALL_PAUSED:
        if (call->deadline_ms > 0 && d->now_ms >= call->deadline_ms) {
            return haft__decide_overdue(d, call);
        }
        return haft__decide_standing(d, call, ret_decided);
    case HAFT__CALL_RETURNED:
        status = haft__decide_returning(d, call, &waits);
        d->hooked = d->hooked || waits;
        *ret_decided = status != HAFT_OK || !waits;
        return status;
    case HAFT__CALL_FINISHED:
    case HAFT__CALL_REFUSED: break;
    }
    *ret_decided = false;
    return HAFT_OK;
}

haft_status haft__decide_calls(haft__decision *d)
{
    const haft__run *run = d->run;
    bool siblings_over = true, running = false, evicted = false, code_waits = false;
    haft_status room = haft__decide_evictions(d, &evicted);
    if (room != HAFT_OK || evicted) {
        return room;
    }
    d->full = haft__call_wait_parallel_full(run);
    for (int control = 0; control <= 1 && (control == 0 || siblings_over); control++) {
        for (const haft__run_call *c = run->calls + run->batch; c < batch_limit(run); c++) {
            bool waits = haft__call_waits_for_nested(run, c);
            if (is_control(c) != (control == 1) || (control == 1 && code_waits && !c->parent.len)) {
                continue; /* control calls of the reply wait for the end of the code */
            }
            bool decided = false;
            haft__buf_clear(&d->tools->text);
            haft_status status = decide_call(d, c, &decided);
            if (status != HAFT_OK || decided) {
                return status;
            }
            code_waits = code_waits || waits;
            siblings_over = siblings_over && (is_finished(c) || waits);
            running =
                running || (c->stage == HAFT__CALL_STARTED && !haft__call_is_agent(c) && !waits);
        }
    }
    bool active = running || d->delayed || d->hooked;
    *d->effect = (haft__effect){.kind = active ? HAFT__EFFECT_RUN_CALLS : HAFT__EFFECT_WAIT};
    return HAFT_OK;
}

bool haft__call_is_external(const haft__run_call *call)
{
    return call->tool != NULL && is_external(call->tool);
}

bool haft__call_needs_host(const haft__run_call *call)
{
    bool durable = asks_user(call) && !call->pinned;
    return haft__call_is_external(call) && !haft__call_is_agent(call)
           && ((call->stage == HAFT__CALL_STARTED && !durable && !call->searched)
               || (call->stage == HAFT__CALL_PAUSED && asks_user(call) && call->pinned));
}
