/* SPDX-License-Identifier: Apache-2.0 */
/*
 * answer.c - decides the result of an answer to a paused call, or of its missed deadline. Tests:
 * tests/run/decide/decide_test.c, tests/run/fold/spec_test.c.
 */
#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "run/arguments.h"
#include "run/decide/decide_int.h"
#include "run/output.h"
#include "run/pause/binding.h"
#include "run/pause/command.h"

/* Part of a message about an interrupted call that needed a new approval and did not get it. */
#define INTERRUPTED_BEFORE                                                                         \
    ", which had begun before and was interrupted: it may or may not have had its effect"

/* ---- answers ---- */

/* A value as the text of a result: a string as it is, any other value as JSON. */
static haft_str value_text(haft__decision *d, haft__json value)
{
    if (value.kind == HAFT__JSON_STRING) {
        return haft__json_text(value);
    }
    haft__json_write(&d->tools->text, value);
    return haft__buf_str(&d->tools->text);
}

/* Starts an approved call with `arguments`; if the person edited them, they come from the answer.
 * The call does not start if other calls have used up the budget since. If the binding no longer
 * matches, a new approval is needed; the binding is computed from the arguments that the person
 * saw. */
static haft_status start_approved(haft__decision *d, const haft__run_call *call,
                                  haft__json arguments)
{
    bool matches = false;
    if (call->node != NULL && call->node->only_approval) {
        return haft__decide_finish(d, call, call->arguments, HAFT__LIT(""), false, HAFT__LIT(""));
    }
    bool counts = !call->started && call->tool->role != HAFT__ROLE_CONTROL;
    if (counts && d->run->usage.calls >= d->spec->limits.calls) {
        haft__buf_clear(&d->tools->text);
        return haft__decide_over_limit(d, call, true);
    }
    if (call->change_due) { /* a hook has changed what the person approved */
        return haft__decide_new_approval(d, call, call->changed);
    }
    haft__entering entering = HAFT__ENTERING_PASSES;
    haft_status status = haft__decide_entering(d, call, arguments, &entering);
    if (status != HAFT_OK || entering != HAFT__ENTERING_PASSES) {
        return status;
    }
    status = haft__binding_matches(d->spec, call->tool, call->binding, call->arguments, &matches,
                                   d->err);
    if (status != HAFT_OK) {
        return status;
    }
    return matches ? haft__decide_start(d, call, arguments, HAFT__LIT(""))
                   : haft__decide_new_approval(d, call, arguments);
}

/* Checks the arguments that a person wrote in the same way as arguments of the model. */
static haft_status start_edited(haft__decision *d, const haft__run_call *call)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__json_write(&text, call->value);
    haft__arguments arguments = {0};
    haft_status status = haft__buf_check(&text, d->err);
    if (status == HAFT_OK) {
        haft__buf_add_str(&d->tools->text, HAFT__LIT("Error: a person changed the arguments: "));
        status = haft__arguments_read(call->tool, haft__buf_str(&text), d->tools->checker,
                                      &d->tools->scratch, d->run->hash_key, &arguments,
                                      &d->tools->text, d->err);
    }
    if (status == HAFT_OK) {
        status = arguments.good ? start_approved(d, call, arguments.value)
                                : haft__decide_refuse(d, call, "invalid");
    }
    haft__buf_finish(&text);
    return status;
}

static haft_status refuse_denied(haft__decision *d, const haft__run_call *call)
{
    haft_str why = haft__json_text(call->value);
    const haft__pause_kind *kind = haft__pause_kind_of(call->pause);
    bool begun = call->started && kind->before_start;
    bool late = call->deadline_ms > 0 && d->now_ms >= call->deadline_ms
                && call->value.kind == HAFT__JSON_NULL; /* a person's rejection has a text there */
    if (kind->outcome_unknown) {
        return haft__decide_give_up(d, call, late);
    }
    if (late) {
        haft__buf_add_str(&d->tools->text,
                          HAFT__LIT("Nobody answered by the deadline, so this call "
                                    "was rejected"));
        haft__buf_addf(&d->tools->text, "%s.", begun ? INTERRUPTED_BEFORE : "");
        return haft__decide_refuse(d, call, "denied");
    }
    if (call->overdue && why.len > 0 && kind->read_answer != NULL) {
        haft__buf_add_str(&d->tools->text,
                          HAFT__LIT("Nobody answered by the deadline, and the answer for that case "
                                    "is not valid: "));
        haft__buf_add_str(&d->tools->text, why);
        return haft__decide_refuse(d, call, "denied");
    }
    haft__buf_addf(&d->tools->text, "A person rejected this call%s%s",
                   begun ? INTERRUPTED_BEFORE : "", why.len > 0 ? ": " : ".");
    haft__buf_add_str(&d->tools->text, why);
    return haft__decide_refuse(d, call, "denied");
}

/* The answer is the result of the call. It must match the tool's output_schema, like the result
 * that the tool itself returns. */
static haft_status decide_result(haft__decision *d, const haft__run_call *call)
{
    haft__buf *why = &d->tools->body; /* unused until the event is written */
    haft_str text = value_text(d, call->value);
    haft__outcome error = {.text = text, .where = HAFT__LIT(""), .hint = HAFT__LIT("")};
    if (haft__str_equal(call->verdict, HAFT__LIT(HAFT__VERDICT_ERROR))) {
        return haft__decide_error(d, call, call->arguments, &error, HAFT__LIT(""));
    }
    haft__buf_clear(why);
    haft_status status =
        call->tool != NULL
            ? haft__output_check_given(call->tool, call->value, d->tools->checker,
                                       &d->tools->scratch, d->run->hash_key, why, d->err)
            : HAFT_OK;
    if (status != HAFT_OK || why->len == 0) {
        return status == HAFT_OK
                   ? haft__decide_finish(d, call, call->arguments, text, false, HAFT__LIT(""))
                   : status;
    }
    haft__buf_clear(&d->tools->text);
    haft__buf_add_str(&d->tools->text, haft__buf_str(why));
    error.text = haft__buf_str(&d->tools->text);
    error.where = HAFT__LIT("output_schema");
    error.hint = haft__pause_kind_of(call->pause)->at_client
                     ? HAFT__LIT("this is a fault of the tool")
                     : HAFT__LIT("a person gave it in place of the tool");
    return haft__decide_error(d, call, call->arguments, &error, HAFT__LIT(""));
}

haft_status haft__decide_answer(haft__decision *d, const haft__run_call *call)
{
    haft_str verdict = call->verdict;
    if (call->elicitation.kind == HAFT__JSON_OBJECT) { /* the tool receives every kind of answer */
        return haft__decide_retry(d, call, HAFT__LIT(""));
    }
    if (haft__str_equal(verdict, HAFT__LIT("reject"))) {
        return refuse_denied(d, call);
    }
    if (haft__str_equal(verdict, HAFT__LIT("edit"))) {
        return start_edited(d, call);
    }
    if (haft__str_equal(verdict, HAFT__LIT("approve"))) {
        return start_approved(d, call, call->arguments);
    }
    if (haft__str_equal(verdict, HAFT__LIT("retry"))) {
        return haft__decide_retry(d, call, HAFT__LIT(""));
    }
    return decide_result(d, call);
}

/* ---- deadlines ---- */

/* Applies on_expire. Its answer is checked like an answer of a person: if the question does not
 * accept it, the verdict is a rejection with the reason. */
haft_status haft__decide_overdue(haft__decision *d, const haft__run_call *call)
{
    const haft__json *answer = haft__json_get(call->on_expire, HAFT__LIT("answer"));
    bool reject = haft__str_equal(haft__json_text(call->on_expire), HAFT__LIT("reject"));
    haft__json value = answer != NULL ? *answer : haft__json_null();
    haft_error misfit = {0};
    const haft__pause_kind *kind = haft__pause_kind_of(call->pause);
    bool reads = kind->read_answer != NULL && call->elicitation.kind != HAFT__JSON_OBJECT;
    if (answer != NULL && reads && kind->read_answer(call, value, &value, &misfit) != HAFT_OK) {
        value = haft__json_string(haft__str(misfit.message));
        answer = NULL;
        reject = true;
    }
    const char *verdict = answer != NULL ? "answer" : reject ? "reject" : "expire";
    haft__decision_begin(d, HAFT__EVENT_ANSWERED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "by", HAFT__LIT("deadline"));
    haft__field_text(&d->w, "verdict", haft__str(verdict));
    haft__json_key(&d->w, "value");
    haft__json_add(&d->w, value);
    return haft__decision_commit(d);
}

/* ---- standing approvals ---- */

static haft_status approve_by_standing(haft__decision *d, const haft__run_call *call,
                                       const haft__standing_approval *standing)
{
    haft__buf_clear(&d->tools->text);
    haft__buf_addf(&d->tools->text, "always in this run, since %.*s", HAFT__ARG(standing->call));
    haft__decision_begin(d, HAFT__EVENT_ANSWERED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "by", HAFT__BY_STANDING_APPROVAL);
    haft__field_text(&d->w, "verdict", HAFT__LIT("approve"));
    haft__field_null(&d->w, "value");
    haft__field_text(&d->w, "binding", call->binding);
    haft__field_text(&d->w, "why", haft__buf_str(&d->tools->text));
    return haft__decision_commit(d);
}

haft_status haft__decide_standing(haft__decision *d, const haft__run_call *call, bool *ret_decided)
{
    char tool[HAFT__SHA256_HEX];
    *ret_decided = false;
    if (d->run->standing_count == 0 || call->tool == NULL
        || !haft__pause_kind_of(call->pause)->binds) {
        return HAFT_OK;
    }
    haft_status status = haft__binding_make_tool(d->spec, call->tool, tool, d->err);
    const haft__standing_approval *standing =
        status == HAFT_OK ? haft__run_find_standing(d->run, (haft_str){tool, sizeof(tool)}) : NULL;
    if (standing == NULL) {
        return status;
    }
    *ret_decided = true;
    return approve_by_standing(d, call, standing);
}

/* ---- for the host ---- */

haft_status haft__decide_expiry(haft__decider *decider, const haft__run *run,
                                const haft__run_call *call, uint64_t now_ms,
                                haft__effect *ret_effect, haft_error *err)
{
    haft__decision d = haft__decision_open(decider, run, now_ms, ret_effect, err);
    return haft__decide_overdue(&d, call);
}
