/* SPDX-License-Identifier: Apache-2.0 */
/*
 * calls.c - the calls of one reply: which may run, when, and why the others are refused.
 *
 * The checks of a call, in call order: known? allowed? within the limits? arguments valid? guard? a
 * repetition? approved? cached? a free place? Control calls come last, after their siblings have
 * their results.
 *
 * Tests: tests/run/decide/decide_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/provider.h"
#include "prompt/observation.h"
#include "run/arguments.h"
#include "run/artifact.h"
#include "run/decide/call_wait.h"
#include "run/decide/decide_int.h"
#include "run/host.h"
#include "run/offer/constraint.h"
#include "run/pause/approval.h"
#include "run/redact/withhold.h"
#include "tool/wire_name.h"

/* Maximum number of names in an error. */
#define NAMES_SHOWN 20

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

/* ---- refusals ---- */

haft_status haft__decide_refuse(haft__decision *d, const haft__run_call *call, const char *why)
{
    haft__decision_begin(d, HAFT__EVENT_CALL_REFUSED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "model_call", call->model_call);
    haft__field_text(&d->w, "tool", call->name);
    haft__field_text(&d->w, "why", haft__str(why));
    haft__field_text(&d->w, "text", haft__buf_str(&d->tools->text));
    haft__field_node(&d->w, call);
    return haft__decision_commit(d);
}

/* Appends the tools that may be called in this turn. */
static void list_allowed(haft__decision *d)
{
    haft__buf *text = &d->tools->text;
    unsigned shown = 0;
    for (size_t i = 0; i < d->run->tools->count && shown <= NAMES_SHOWN; i++) {
        if (d->run->allowed[i]) {
            haft__buf_add_str(text, shown == 0 ? HAFT__LIT(" Tools you can call now: ")
                                               : HAFT__LIT(", "));
            if (shown++ == NAMES_SHOWN) {
                haft__buf_add_str(text, HAFT__LIT("..."));
            } else {
                haft__wire_name_add(text, d->run->tools->items[i]->name);
            }
        }
    }
    haft__buf_add_str(text, shown > 0 ? HAFT__LIT(".") : HAFT__LIT(""));
}

static haft_status refuse_unknown(haft__decision *d, const haft__run_call *call)
{
    haft_str near = haft__tools_nearest(d->run->tools, call->name);
    haft__buf_addf(&d->tools->text, "Error: there is no tool named \"%.*s\".",
                   HAFT__ARG(call->name));
    if (near.ptr != NULL) {
        haft__wire_name wire = haft__wire_name_encode(near);
        haft__buf_addf(&d->tools->text, " Did you mean \"%s\"?", wire.text);
    }
    list_allowed(d);
    return haft__decide_refuse(d, call, "unknown");
}

static haft_status refuse_not_allowed(haft__decision *d, const haft__run_call *call)
{
    haft__buf_add_str(&d->tools->text, HAFT__LIT("Error: "));
    haft__wire_name_add(&d->tools->text, call->name);
    haft__buf_add_str(&d->tools->text, HAFT__LIT(" cannot be called in this turn."));
    list_allowed(d);
    return haft__decide_refuse(d, call, "not_allowed");
}

haft_status haft__decide_over_limit(haft__decision *d, const haft__run_call *call, bool budget)
{
    if (budget) {
        haft__buf_addf(&d->tools->text, "Not run: the budget of %u calls is used up.",
                       d->spec->limits.calls);
    } else {
        haft__buf_addf(&d->tools->text,
                       "Not run: at most %u calls run in one turn. Call it again if you need it.",
                       d->spec->limits.parallel);
    }
    return haft__decide_refuse(d, call, "over_limit");
}

/* In a truncated reply nothing is repaired: the missing part is unknown. */
static haft_status refuse_truncated(haft__decision *d, const haft__run_call *call)
{
    haft__buf_add_str(
        &d->tools->text,
        HAFT__LIT("Error: the reply was cut off by the token limit, and the arguments "
                  "of this call are not whole. Call it again with shorter "
                  "arguments."));
    return haft__decide_refuse(d, call, "invalid");
}

/* The call could not be parsed. The model sees its text and the error. */
static haft_status refuse_malformed(haft__decision *d, const haft__run_call *call)
{
    if (d->run->reply.stop == HAFT__STOP_LENGTH && call == batch_limit(d->run) - 1) {
        return refuse_truncated(d, call);
    }
    haft__buf_addf(&d->tools->text,
                   "Error: this call was not run, because it could not be read: %.*s. Write it "
                   "again, exactly in the format for calls. It was written like this: ",
                   HAFT__ARG(call->malformed));
    haft__buf_add_str(&d->tools->text, call->raw);
    return haft__decide_refuse(d, call, "invalid");
}

/* ---- arguments ---- */

static haft_status check_repair(haft__decision *d, const haft__run_call *call,
                                bool *ret_needs_repair)
{
    haft_status status = haft__arguments_need_repair(call->raw, &d->tools->scratch,
                                                     d->run->hash_key, ret_needs_repair, d->err);
    *ret_needs_repair = *ret_needs_repair || call->repaired;
    return status;
}

haft_status haft__decide_start(haft__decision *d, const haft__run_call *call, haft__json arguments,
                               haft_str note)
{
    bool repaired = false;
    haft_status status = check_repair(d, call, &repaired);
    if (status != HAFT_OK) {
        return status;
    }
    haft__decision_begin(d, HAFT__EVENT_CALL_STARTED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "model_call", call->model_call);
    haft__field_text(&d->w, "tool", call->name);
    haft__json_key(&d->w, "arguments");
    haft__json_add(&d->w, arguments);
    haft__field_flag(&d->w, "repaired", repaired || call->renamed);
    haft__field_number(&d->w, "attempt", (uint64_t)call->attempt + 1);
    haft__json_key(&d->w, "idempotency_key");
    haft__buf_add_char(d->w.buf, '"');
    haft__run_add_idempotency_key(d->w.buf, d->run->id, call->id);
    haft__buf_add_char(d->w.buf, '"');
    d->w.after_key = false;
    haft__field_text_or_null(&d->w, "note", note);
    haft__field_node(&d->w, call);
    return haft__decision_commit(d);
}

haft_status haft__decide_finish(haft__decision *d, const haft__run_call *call, haft__json arguments,
                                haft_str result, bool cached, haft_str note)
{
    haft__decision_begin(d, HAFT__EVENT_CALL_FINISHED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "tool", call->name);
    haft__field_flag(&d->w, "ok", true);
    haft__field_text(&d->w, "result", result);
    haft__field_null(&d->w, "error");
    haft__field_flag(&d->w, "truncated",
                     haft__observation_is_cut(result, haft__run_observation_chars(d->run, call)));
    haft__field_flag(&d->w, "cached", cached);
    haft__field_number(&d->w, "ms", 0);
    haft__json_key(&d->w, "arguments"); /* null if call_started has them */
    haft__json_add(&d->w, call->started ? haft__json_null() : arguments);
    haft__field_text_or_null(&d->w, "note", note);
    haft__field_node(&d->w, call);
    return haft__decision_commit(d);
}

haft_status haft__decide_error(haft__decision *d, const haft__run_call *call, haft__json arguments,
                               const haft__outcome *error, haft_str note)
{
    haft__decision_begin(d, HAFT__EVENT_CALL_FINISHED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "tool", call->name);
    haft__field_flag(&d->w, "ok", false);
    haft__field_null(&d->w, "result");
    haft__json_key(&d->w, "error");
    haft__json_begin_object(&d->w);
    haft__field_text(&d->w, "where", error->where);
    haft__field_text(&d->w, "message", error->text);
    haft__field_text(&d->w, "hint", error->hint);
    haft__json_end_object(&d->w);
    haft__field_flag(&d->w, "truncated", false);
    haft__field_flag(&d->w, "cached", error->cached);
    haft__field_number(&d->w, "ms", 0);
    haft__json_key(&d->w, "arguments"); /* null if call_started has them */
    haft__json_add(&d->w, call->started ? haft__json_null() : arguments);
    haft__field_text_or_null(&d->w, "note", note);
    haft__field_node(&d->w, call);
    return haft__decision_commit(d);
}

/* Finishes the call with the error of an equal call. */
static haft_status finish_with_error_of(haft__decision *d, const haft__run_call *call,
                                        haft__json arguments, const haft__run_call *failed)
{
    haft_str message = failed->result, prefix = HAFT__LIT("Error: ");
    size_t skipped = haft__str_starts_with(message, prefix) ? prefix.len : 0;
    haft__outcome error = {.text = haft__str_skip(message, skipped),
                           .where = HAFT__LIT(""),
                           .hint = HAFT__LIT(""),
                           .cached = true};
    return haft__decide_error(d, call, arguments, &error, haft__buf_str(&d->tools->text));
}

/* ---- judging ---- */

/* Earlier calls that run or have run: the count for the limit of a spec that truncates. */
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
    JUDGED_PASSES, /* the next check decides */
    JUDGED_EVENT,  /* decided: an event */
    JUDGED_WAIT,   /* it may run, but must wait */
} judgement;

/* A call while it is judged. */
typedef struct judged_call {
    const haft__run_call *call;
    judgement judgement;
    haft__json arguments;        /* as the tool accepts them, after check_arguments */
    uint64_t signature;          /* hash of tool and canonical arguments */
    const haft__run_call *known; /* a call with the same result in the cache, or NULL */
} judged_call;

static haft_status decided(judged_call *j, haft_status status)
{
    j->judgement = JUDGED_EVENT;
    return status;
}

static haft_status check_form(haft__decision *d, judged_call *j)
{
    return j->call->malformed.len > 0 ? decided(j, refuse_malformed(d, j->call)) : HAFT_OK;
}

static haft_status check_known(haft__decision *d, judged_call *j)
{
    const haft__run_call *call = j->call;
    if (call->tool != NULL
        && haft__resolve_tool(d->spec, d->run, call->tool).visibility != HAFT__VISIBILITY_NONE) {
        return HAFT_OK;
    }
    const char *why = haft__decide_missing_tool(d, call);
    return decided(j, why != NULL ? haft__decide_refuse(d, call, why) : refuse_unknown(d, call));
}

static haft_status check_allowed(haft__decision *d, judged_call *j)
{
    bool allowed = d->run->allowed[haft__run_tool_index(d->run, j->call->tool)];
    return allowed ? HAFT_OK : decided(j, refuse_not_allowed(d, j->call));
}

static haft_status check_limits(haft__decision *d, judged_call *j)
{
    const haft__spec_limits *limits = &d->spec->limits;
    bool over_cap = limits->overflow == HAFT__OVERFLOW_TRUNCATE && j->call->node == NULL
                    && accepted_before(d->run, j->call) >= limits->parallel;
    bool over_budget = d->run->usage.calls >= limits->calls;
    return !is_control(j->call) && (over_cap || over_budget)
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

/* A waiting call is parsed once it has a place, and not at each decision. */
static haft_status check_place(haft__decision *d, judged_call *j)
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

static haft_status check_truncated(haft__decision *d, judged_call *j)
{
    bool broken = false, cut = d->run->reply.stop == HAFT__STOP_LENGTH;
    haft_status status = cut ? check_repair(d, j->call, &broken) : HAFT_OK;
    return broken ? decided(j, refuse_truncated(d, j->call)) : status;
}

/* Whether the model may have written null for an argument that it could not omit. */
static bool may_write_nulls(const haft__decision *d)
{
    const haft__provider *provider = haft__provider_for_model(&d->spec->model);
    bool constrained = d->run->constraint == HAFT__CONSTRAINT_JSON_SCHEMA
                       && haft__schema_target_is_strict(haft__constraint_detect(d->spec).target);
    return constrained || (provider != NULL && provider->capabilities.strict_tools);
}

static haft_status check_arguments(haft__decision *d, judged_call *j)
{
    const haft__run *run = d->run;
    haft__arguments arguments;
    bool nullable = may_write_nulls(d);
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

static haft_status check_guard(haft__decision *d, judged_call *j)
{
    bool passes = true;
    haft_status status =
        is_control(j->call) ? haft__decide_guard(d, j->call->name, &passes) : HAFT_OK;
    return status == HAFT_OK && !passes ? decided(j, haft__decide_refuse(d, j->call, "guard"))
                                        : status;
}

/* If the call may run as a repetition, the decider's text becomes its note. */
static haft_status check_repetition(haft__decision *d, judged_call *j)
{
    const haft__run_call *call = j->call;
    haft__buf *key = &d->tools->body; /* not used yet */
    haft__buf_clear(key);
    haft_status status = haft__run_call_key(key, call->name, j->arguments, d->err);
    if (status != HAFT_OK) {
        return status;
    }
    j->known = haft__map_get(&d->run->results, haft__buf_str(key));
    haft__no_progress_verdict verdict = HAFT__NO_PROGRESS_FINE;
    j->signature = haft__run_hash(haft__buf_str(key));
    if (!is_control(call) && call->node == NULL && !call->approved
        && !call->tool->traits.polls) { /* a graph may do the same again: its steps are limited */
        verdict = haft__no_progress_check(&d->run->progress, &d->spec->limits.repeats,
                                          haft__run_hash(call->name), j->signature, d->run->turn);
        haft__no_progress_explain(&d->tools->text, verdict, call->name);
    }
    if (verdict == HAFT__NO_PROGRESS_STOP && haft__child_any_open(d->run)) {
        j->judgement = JUDGED_WAIT; /* a run ends after its children */
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
    uint64_t ttl = j->call->tool->traits.cache_ttl_ms;
    /* A node of a graph runs as often as the graph says, unless the tool asks for a cache. */
    bool wanted = j->call->node == NULL || j->call->tool->traits.cache != HAFT__CACHE_NONE;
    bool fresh =
        wanted && j->known != NULL && (ttl == 0 || d->now_ms - j->known->finished_ms <= ttl);
    return fresh ? decided(j, haft__decide_finish(d, j->call, j->arguments, j->known->result, true,
                                                  haft__buf_str(&d->tools->text)))
                 : HAFT_OK;
}

/* An earlier call of this reply that is the same and that may run twice or once alike; NULL without
 * one. */
static const haft__run_call *find_equal(const haft__run *run, const judged_call *j)
{
    const haft__traits *traits = &j->call->tool->traits;
    bool repeatable = traits->read_only || traits->idempotent;
    for (const haft__run_call *c = run->calls + run->batch; repeatable && c < j->call; c++) {
        if (c->tool == j->call->tool && c->started && c->signature == j->signature) {
            return c;
        }
    }
    return NULL;
}

/* Equal calls of one reply run once and share the result, also an error. A tool that polls is no
 * exception: the model has read nothing since the first call, so the second would only wait. */
static haft_status check_equal(haft__decision *d, judged_call *j)
{
    const haft__run_call *equal = j->call->node == NULL ? find_equal(d->run, j) : NULL;
    if (equal == NULL || equal->stage == HAFT__CALL_REFUSED) {
        return HAFT_OK;
    }
    if (equal->stage != HAFT__CALL_FINISHED) {
        j->judgement = JUDGED_WAIT;
        return HAFT_OK;
    }
    haft_str note = haft__buf_str(&d->tools->text);
    return decided(j, equal->ok
                          ? haft__decide_finish(d, j->call, j->arguments, equal->result, true, note)
                          : finish_with_error_of(d, j->call, j->arguments, equal));
}

/* The next call of a tool that polls waits for its delay. */
static haft_status check_delay(haft__decision *d, judged_call *j)
{
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
    check_form,      check_known, check_allowed,   check_limits, check_secrets,    check_place,
    check_truncated, check_child, check_arguments, check_guard,  check_repetition, check_approval,
    check_cache,     check_equal, check_delay,     check_lane,
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

/* Whether a call that a person approved must still wait for others. */
static bool must_wait_for_others(const haft__decision *d, const haft__run_call *call)
{
    return haft__call_wait_answer_starts(call)
           && ((d->full && is_external(call->tool))
               || haft__call_wait_lane_holder(d->run, call) != NULL);
}

/* Decides about one call if a decision is due; otherwise sets the reason why it waits. */
static haft_status decide_call(haft__decision *d, const haft__run_call *call, bool *ret_decided)
{
    judgement judged = JUDGED_EVENT;
    haft_status status = HAFT_OK;
    *ret_decided = true;
    switch (call->stage) {
    case HAFT__CALL_ARRIVED:
        status = judge_call(d, call, &judged);
        *ret_decided = status != HAFT_OK || judged == JUDGED_EVENT;
        return status;
    case HAFT__CALL_ANSWERED:
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
    case HAFT__CALL_FINISHED:
    case HAFT__CALL_REFUSED: break;
    }
    *ret_decided = false;
    return HAFT_OK;
}

haft_status haft__decide_calls(haft__decision *d)
{
    const haft__run *run = d->run;
    bool siblings_over = true, running = false, evicted = false;
    haft_status room = haft__decide_evictions(d, &evicted);
    if (room != HAFT_OK || evicted) {
        return room;
    }
    d->full = haft__call_wait_parallel_full(run);
    for (int control = 0; control <= 1 && (control == 0 || siblings_over); control++) {
        for (const haft__run_call *c = run->calls + run->batch; c < batch_limit(run); c++) {
            if (is_control(c) != (control == 1)) {
                continue;
            }
            bool decided = false;
            haft__buf_clear(&d->tools->text);
            haft_status status = decide_call(d, c, &decided);
            if (status != HAFT_OK || decided) {
                return status;
            }
            siblings_over = siblings_over && is_finished(c);
            running = running || (c->stage == HAFT__CALL_STARTED && !haft__call_is_agent(c));
        }
    }
    bool active = running || d->delayed;
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
