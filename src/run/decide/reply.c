/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.c - judges a reply: a violation, the answer, or tool calls. Tests:
 * tests/run/decide/decide_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "run/decide/decide_int.h"
#include "tool/builtin.h"

/* The recorded choice of the turn. */
static haft__choice choice_of(const haft__run *run)
{
    return (haft__choice){
        .mode = run->mode,
        .tool = run->mode_tool,
        .rule = run->forced_by_limit ? HAFT__RULE_LIMIT : HAFT__RULE_DEFAULT,
    };
}

static haft__call_standing standing_of(const haft__run *run, const haft__run_call *call)
{
    if (call->tool == NULL
        || haft__resolve_tool(run->spec, run, call->tool).visibility == HAFT__VISIBILITY_NONE) {
        return HAFT__CALL_UNKNOWN;
    }
    return run->allowed[haft__run_tool_index(run, call->tool)] ? HAFT__CALL_ALLOWED
                                                               : HAFT__CALL_NOT_ALLOWED;
}

static haft_status judge_reply(haft__decision *d, bool has_text, haft__violation *ret_violation)
{
    const haft__run *run = d->run;
    size_t count = run->call_count - run->batch;
    haft__arena *scratch = &d->tools->scratch;
    haft_str *names = haft__arena_array(scratch, count, sizeof(*names));
    haft__call_standing *standings = haft__arena_array(scratch, count, sizeof(*standings));
    if (names == NULL || standings == NULL) {
        return haft__arena_fail(scratch, d->err);
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = run->calls[run->batch + i].name;
        standings[i] = standing_of(run, &run->calls[run->batch + i]);
    }
    haft__choice choice = choice_of(run);
    *ret_violation = haft__judge_reply(&choice, has_text, names, standings, count);
    return HAFT_OK;
}

/* The correction names the tools that were allowed in the turn. */
static haft_status decide_violation(haft__decision *d, haft__violation violation)
{
    static const char *const modes[] = {"auto", "any", "tool", "none"};
    const haft__run *run = d->run;
    haft__choice_facts facts;
    haft_status status = haft__offer_facts(run, &d->tools->scratch, &facts, d->err);
    if (status != HAFT_OK) {
        return status;
    }
    bool *allowed = haft__arena_array(&d->tools->scratch, facts.tool_count, sizeof(*allowed));
    if (allowed == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    /* No call has run since the choice was made, so choosing again returns the same rule and
     * gate. */
    haft__choice choice;
    facts.turn = run->turn;
    facts.cut = run->reply.stop == HAFT__STOP_LENGTH;
    haft__choice_decide(d->spec, &facts, allowed, &choice);
    for (size_t i = 0; i < facts.tool_count; i++) {
        const haft__tool *tool = haft__tools_find(run->tools, facts.tools[i].name);
        allowed[i] = run->allowed[haft__run_tool_index(run, tool)];
    }
    choice.mode = run->mode;
    choice.tool = run->mode_tool;
    haft__violation_correction(&d->tools->text, &choice, &facts, violation);
    haft__decision_begin(d, HAFT__EVENT_VIOLATION);
    haft__field_number(&d->w, "turn", run->turn);
    haft__field_text(&d->w, "mode", haft__str(modes[run->mode]));
    haft__field_text_or_null(&d->w, "tool", run->mode_tool);
    haft__field_text(&d->w, "came", haft__str(haft__violation_name(violation)));
    haft__field_number(&d->w, "try", run->violations + 1);
    haft__field_text(&d->w, "text", haft__buf_str(&d->tools->text));
    return haft__decision_commit(d);
}

/* Decides `reminded`: the reply is a text although the workflow is not complete. */
static haft_status decide_reminder(haft__decision *d)
{
    const haft__run *run = d->run;
    haft__buf *text = &d->tools->text;
    bool passes = false;
    haft_status status = haft__decide_guard(d, HAFT__LIT(HAFT__TOOL_COMPLETE), &passes);
    if (status != HAFT_OK) {
        return status;
    }
    if (passes) {
        haft__buf_add_str(text, HAFT__LIT("The work is finished, but the workflow is not complete: "
                                          "call " HAFT__TOOL_COMPLETE " now."));
    } else {
        haft__buf_add_str(text,
                          HAFT__LIT("\nDo what is missing, then call " HAFT__TOOL_COMPLETE "."));
    }
    haft__decision_begin(d, HAFT__EVENT_REMINDED);
    haft__field_number(&d->w, "turn", run->turn);
    haft__field_number(&d->w, "try", run->reminders + 1);
    haft__field_text(&d->w, "text", haft__buf_str(text));
    return haft__decision_commit(d);
}

static bool is_incomplete(const haft__run *run)
{
    return run->spec->kind == HAFT__SPEC_WORKFLOW && !run->completed;
}

/* Ends the run after the last reply that a limit allows. Calls in this reply do not run. */
static haft_status decide_final(haft__decision *d, haft_str text)
{
    const haft__run *run = d->run;
    if (text.len == 0) {
        return haft__decide_end(d, HAFT__END_EXHAUSTED, run->observation, false,
                                "a limit was reached and the model gave no final answer", NULL);
    }
    if (is_incomplete(run)) {
        return haft__decide_end(d, HAFT__END_INCOMPLETE, text, true,
                                "a limit was reached before the workflow was complete", NULL);
    }
    return haft__decide_end(d, HAFT__END_DONE, text, true,
                            "a limit was reached; the model gave its final answer", NULL);
}

static haft_status decide_text(haft__decision *d, haft_str text)
{
    const haft__run *run = d->run;
    if (!is_incomplete(run)) {
        bool cut = run->reply.stop == HAFT__STOP_LENGTH;
        return haft__decide_end(d, HAFT__END_DONE, text, false,
                                cut ? "the model answered, but the token limit cut the answer off"
                                    : "the model answered",
                                NULL);
    }
    if (run->reminders < d->spec->limits.reminders) {
        return decide_reminder(d);
    }
    return haft__decide_end(d, HAFT__END_INCOMPLETE, text, false,
                            "the workflow was not completed after all reminders", NULL);
}

haft_status haft__decide_reply(haft__decision *d)
{
    const haft__run *run = d->run;
    haft_str text = haft__str_trim(run->reply.content);
    bool calls = run->call_count > run->batch, hooked = false;
    haft_status status = haft__decide_for_model(d, HAFT__HOOK_AFTER_MODEL, &hooked);
    if (status != HAFT_OK || hooked) {
        return status;
    }
    if (run->reply.stop == HAFT__STOP_REFUSAL) {
        return haft__decide_end(d, HAFT__END_REFUSED, text, false,
                                "the model or its provider refused", NULL);
    }
    if (run->forced_by_limit) {
        return decide_final(d, text);
    }
    if (run->request.result.ptr != NULL) { /* a hook has answered in place of the model */
        return decide_text(d, text);
    }
    haft__violation violation = HAFT__VIOLATION_NONE;
    status = judge_reply(d, text.len > 0, &violation);
    if (status != HAFT_OK) {
        return status;
    }
    if (violation != HAFT__VIOLATION_NONE) {
        return decide_violation(d, violation);
    }
    return calls ? haft__decide_calls(d) : decide_text(d, text);
}
