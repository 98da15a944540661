/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recovery.c - decides about calls that start again: after a crash, after a failure, or by a
 * command.
 *
 * The spec may have changed since the first start. An approval is valid only for its binding: if
 * the binding has changed, a person must approve the call again. If the tool no longer accepts the
 * arguments, the call does not run.
 *
 * Tests: tests/run/decide/recovery_test.c, tests/run/fold/spec_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/arguments.h"
#include "run/decide/decide_int.h"
#include "run/host.h"
#include "run/pause/approval.h"
#include "run/pause/binding.h"
#include "tool/traits.h"

static void add_unknown_text(haft__buf *text, haft_str reason)
{
    haft__buf_add_str(text, HAFT__LIT("the outcome is unknown: "));
    haft__buf_add_str(text, reason.len > 0 ? reason : HAFT__LIT("the call was interrupted"));
    haft__buf_add_str(text, HAFT__LIT(", and it may or may not have had its effect"));
}

/* ---- a changed spec ---- */

haft_status haft__decide_revalidate(haft__decision *d, const haft__run_call *call, haft__json given,
                                    haft__arguments *ret_fitted)
{
    haft__buf raw;
    haft__arena *scratch = &d->tools->scratch;
    haft__buf_init(&raw, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&raw, given);
    haft_status status = haft__buf_check(&raw, d->err);
    haft_str kept = {NULL, 0};
    if (status == HAFT_OK) {
        kept = haft__arena_copy(scratch, haft__buf_str(&raw));
        status = kept.ptr != NULL ? HAFT_OK : haft__arena_fail(scratch, d->err);
    }
    haft__buf_finish(&raw);
    haft__buf_clear(&d->tools->text);
    if (status == HAFT_OK) {
        status = haft__arguments_read(call->tool, kept, d->tools->checker, scratch,
                                      d->run->hash_key, ret_fitted, &d->tools->text, d->err);
    }
    return status == HAFT_OK && !ret_fitted->good ? haft__buf_check(&d->tools->text, d->err)
                                                  : status;
}

static haft_status finish_with_error(haft__decision *d, const haft__run_call *call,
                                     const haft__outcome *outcome)
{
    haft__buf *body = &d->tools->body;
    haft__buf_clear(body);
    haft__input_call_finished(body, d->run, call, outcome);
    *d->effect = (haft__effect){.kind = HAFT__EFFECT_EVENT, .body = haft__buf_str(body)};
    return haft__buf_check(body, d->err);
}

/* The decider's text says why the outcome is unknown. */
static haft_status finish_unknown(haft__decision *d, const haft__run_call *call)
{
    const haft__buf *text = &d->tools->text;
    haft__outcome unknown = {.ok = false,
                             .text = haft__buf_str(text),
                             .where = HAFT__LIT(""),
                             .hint = HAFT__LIT("find out before you call it again")};
    haft_status status = haft__buf_check(text, d->err);
    return status == HAFT_OK ? finish_with_error(d, call, &unknown) : status;
}

/* The tool no longer accepts the arguments; the decider's text says why. */
static haft_status report_invalid(haft__decision *d, const haft__run_call *call)
{
    if (!call->started) {
        return haft__decide_refuse(d, call, "invalid");
    }
    haft__outcome unknown = {
        .ok = false,
        .text = haft__buf_str(&d->tools->text),
        .where = HAFT__LIT(""),
        .hint =
            HAFT__LIT("the call was interrupted, and it may or may not have had its effect; the "
                      "tool has changed since and no longer accepts its arguments, so it "
                      "was not repeated: find out before you call it again"),
    };
    return finish_with_error(d, call, &unknown);
}

haft_status haft__decide_new_approval(haft__decision *d, const haft__run_call *call,
                                      haft__json arguments)
{
    haft__arguments fitted = {.good = false};
    const haft__approval_rule *rule = NULL;
    haft_status status = haft__decide_revalidate(d, call, arguments, &fitted);
    if (status != HAFT_OK || !fitted.good) {
        return status != HAFT_OK ? status : report_invalid(d, call);
    }
    (void)haft__approval_is_required(d->spec, call->tool, &fitted.value, &d->tools->scratch, &rule);
    return haft__decide_approval(d, call, fitted.value, rule);
}

/* Whether a person must approve the call before it starts again: its binding has changed since the
 * approval, or it first started under a spec that required no approval. */
static haft_status needs_approval(haft__decision *d, const haft__run_call *call,
                                  haft__json arguments, bool *ret_needs)
{
    const haft__approval_rule *rule = NULL;
    bool holds = true;
    haft_status status = haft__binding_matches(d->spec, call->tool, call->bound,
                                               call->bound_arguments, &holds, d->err);
    bool wanted =
        call->spec_changed && !call->consented
        && haft__approval_is_required(d->spec, call->tool, &arguments, &d->tools->scratch, &rule);
    *ret_needs = !holds || wanted;
    return status;
}

haft_status haft__decide_retry(haft__decision *d, const haft__run_call *call, haft_str note)
{
    haft__arguments fitted = {.good = true, .value = call->arguments};
    haft_status status =
        call->spec_changed ? haft__decide_revalidate(d, call, call->arguments, &fitted) : HAFT_OK;
    if (status != HAFT_OK || !fitted.good) {
        return status != HAFT_OK ? status : report_invalid(d, call);
    }
    bool needs_person = false;
    status = needs_approval(d, call, fitted.value, &needs_person);
    if (status != HAFT_OK) {
        return status;
    }
    return needs_person ? haft__decide_new_approval(d, call, fitted.value)
                        : haft__decide_start(d, call, fitted.value, note);
}

/* ---- interrupted and failed attempts ---- */

haft__on_unknown haft__decide_unknown_policy(const haft__run *run, const haft__tool *tool)
{
    switch (tool->traits.on_unknown) {
    case HAFT__UNKNOWN_BY_SPEC: return run->spec->on_unknown;
    case HAFT__UNKNOWN_ASK: return HAFT__ON_UNKNOWN_ASK;
    case HAFT__UNKNOWN_TELL: return HAFT__ON_UNKNOWN_TELL;
    case HAFT__UNKNOWN_RETRY: return HAFT__ON_UNKNOWN_RETRY;
    }
    HAFT__UNREACHABLE();
}

/* Whether the call was interrupted so often that it may cause the crashes. Retries after a failure
 * are not counted. */
static bool retry_limit_reached(const haft__run *run, const haft__run_call *call)
{
    const haft__traits *traits = &call->tool->traits;
    bool safe = haft__call_is_repeatable(call);
    bool retry = !safe && haft__decide_unknown_policy(run, call->tool) == HAFT__ON_UNKNOWN_RETRY;
    uint32_t tries = retry ? HAFT__LIMIT_TOOL_RETRIES : traits->retries;
    return call->repeats >= HAFT__LIMIT_TOOL_RECOVERIES + tries;
}

haft_status haft__decide_recovery(haft__decider *decider, const haft__run *run,
                                  const haft__run_call *call, uint64_t now_ms,
                                  haft__effect *ret_effect, haft_error *err)
{
    return haft__decide_interrupted(decider, run, call, HAFT__LIT(""), now_ms, ret_effect, err);
}

haft_status haft__decide_interrupted(haft__decider *decider, const haft__run *run,
                                     const haft__run_call *call, haft_str reason, uint64_t now_ms,
                                     haft__effect *ret_effect, haft_error *err)
{
    haft__decision d = haft__decision_open(decider, run, now_ms, ret_effect, err);
    bool safe = haft__call_is_repeatable(call);
    haft__on_unknown wanted = haft__decide_unknown_policy(run, call->tool);
    if ((safe || wanted == HAFT__ON_UNKNOWN_RETRY) && !retry_limit_reached(run, call)) {
        return haft__decide_retry(&d, call, call->note);
    }
    if (wanted != HAFT__ON_UNKNOWN_TELL) {
        return haft__decide_unknown_outcome(&d, call, reason);
    }
    add_unknown_text(&d.tools->text, reason);
    return finish_unknown(&d, call);
}

haft_status haft__decide_give_up(haft__decision *d, const haft__run_call *call, bool late)
{
    haft_str why = haft__json_text(call->value);
    haft__buf *text = &d->tools->text;
    add_unknown_text(text, call->reason);
    haft__buf_add_str(text, late
                                ? HAFT__LIT(". Nobody gave its outcome before the deadline, and it "
                                            "was not repeated")
                                : HAFT__LIT(". A person decided not to repeat it"));
    haft__buf_add_str(text, why.len > 0 ? HAFT__LIT(": ") : HAFT__LIT(""));
    haft__buf_add_str(text, why);
    return finish_unknown(d, call);
}

/* The policy after a failed attempt. A server that crashes or hangs is common, so it stops a run
 * only if the spec says so. */
static haft__on_unknown policy_of(const haft__run *run, const haft__run_call *call)
{
    bool configured =
        run->spec->on_unknown_given || call->tool->traits.on_unknown != HAFT__UNKNOWN_BY_SPEC;
    bool tell = call->tool->source == HAFT__TOOL_MCP && !configured;
    return tell ? HAFT__ON_UNKNOWN_TELL : haft__decide_unknown_policy(run, call->tool);
}

haft_status haft__decide_failed(haft__decider *decider, const haft__run *run,
                                const haft__run_call *call, const haft__outcome *outcome,
                                uint64_t now_ms, haft__effect *ret_effect, haft_error *err)
{
    const haft__traits *traits = &call->tool->traits;
    bool safe = haft__call_is_repeatable(call) && !outcome->diverged;
    haft__on_unknown wanted = policy_of(run, call);
    bool repeat = wanted == HAFT__ON_UNKNOWN_RETRY && outcome->unknown
                  && call->attempt <= HAFT__LIMIT_TOOL_RETRIES;
    bool again =
        safe ? outcome->transient && haft__traits_allow_retry(traits, call->attempt) : repeat;
    if (outcome->diverged && wanted == HAFT__ON_UNKNOWN_ASK) { /* it would diverge again */
        haft__decision d = haft__decision_open(decider, run, now_ms, ret_effect, err);
        return haft__decide_unknown_outcome(&d, call, outcome->text);
    }
    again = again && !outcome->diverged;
    if (again || (outcome->unknown && !safe && wanted == HAFT__ON_UNKNOWN_ASK)) {
        return haft__decide_interrupted(decider, run, call, outcome->text, now_ms, ret_effect, err);
    }
    haft__outcome reported = *outcome;
    if (outcome->unknown && !safe) {
        reported.hint =
            HAFT__LIT("the outcome is not known: it may or may not have had its effect, "
                      "and it is not repeated by itself; find out before you call it again");
    }
    haft__buf_clear(&decider->body);
    haft__input_call_finished(&decider->body, run, call, &reported);
    *ret_effect = (haft__effect){.kind = HAFT__EFFECT_EVENT, .body = haft__buf_str(&decider->body)};
    return haft__buf_check(&decider->body, err);
}
