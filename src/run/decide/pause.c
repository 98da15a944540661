/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause.c - pauses a call: decides `paused`. One function for each reason to pause.
 *
 * Tests: tests/run/decide/decide_test.c, tests/run/decide/recovery_test.c.
 */
#include "base/str.h"
#include "run/decide/decide_int.h"
#include "run/pause/binding.h"
#include "run/pause/elicitation.h"

static void write_deadline(haft__decision *d, uint64_t after_ms)
{
    if (after_ms > 0) {
        char at[HAFT__TIME_SIZE];
        haft__time_format(d->now_ms + after_ms, at);
        haft__field_text(&d->w, "deadline", haft__str(at));
    } else {
        haft__field_null(&d->w, "deadline");
    }
}

/* Writes `deadline` and `on_expire`. If the rule has no deadline, both have the values for the kind
 * of pause. */
static void write_expiry(haft__decision *d, const haft__run_call *call, haft__pause pause,
                         const haft__approval_rule *rule)
{
    const haft__pause_rule *usual = &d->spec->pauses[pause];
    haft__pause_rule of_node;
    if (call->node != NULL && call->node->deadline_ms > 0) {
        of_node = (haft__pause_rule){.deadline_ms = call->node->deadline_ms,
                                     .on_expire = call->node->on_expire};
        usual = &of_node;
    }
    bool own = rule != NULL && (rule->deadline_ms > 0 || usual->deadline_ms == 0);
    uint64_t after_ms = own ? rule->deadline_ms : usual->deadline_ms;
    write_deadline(d, after_ms);
    haft__json_key(&d->w, "on_expire");
    haft__json_add(&d->w, own            ? rule->on_expire
                          : after_ms > 0 ? usual->on_expire
                                         : haft__json_null());
}

static void begin_pause(haft__decision *d, const haft__run_call *call, haft__pause pause,
                        haft__json arguments, haft_str question)
{
    haft__decision_begin(d, HAFT__EVENT_PAUSED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "pause", haft__str(haft__pause_name(pause)));
    haft__field_text(&d->w, "tool", call->name);
    haft__json_key(&d->w, "arguments");
    haft__json_add(&d->w, arguments);
    haft__field_text_or_null(&d->w, "question", question);
    haft__field_node(&d->w, call);
}

static haft_str question_of(haft__pause pause, haft__json arguments)
{
    const haft__json *question = haft__json_get(arguments, HAFT__LIT("question"));
    bool asks = haft__pause_kind_of(pause)->prompt == HAFT__PAUSE_PROMPT_QUESTION;
    return question != NULL && asks ? haft__json_text(*question) : (haft_str){NULL, 0};
}

static haft_status decide_pause(haft__decision *d, const haft__run_call *call, haft__pause pause,
                                haft__json arguments, const haft__approval_rule *rule)
{
    begin_pause(d, call, pause, arguments, question_of(pause, arguments));
    write_expiry(d, call, pause, rule);
    if (haft__pause_kind_of(pause)->binds) {
        char binding[HAFT__SHA256_HEX];
        haft_status status = haft__binding_make(d->spec, call->tool, arguments, binding, d->err);
        if (status != HAFT_OK) {
            return status;
        }
        haft__field_text(&d->w, "binding", (haft_str){binding, sizeof(binding)});
    }
    return haft__decision_commit(d);
}

haft_status haft__decide_question(haft__decision *d, const haft__run_call *call)
{
    return decide_pause(d, call, HAFT__PAUSE_QUESTION, call->arguments, NULL);
}

haft_status haft__decide_headless(haft__decision *d, const haft__run_call *call)
{
    return decide_pause(d, call, HAFT__PAUSE_HEADLESS, call->arguments, NULL);
}

haft_status haft__decide_approval(haft__decision *d, const haft__run_call *call,
                                  haft__json arguments, const haft__approval_rule *rule)
{
    return decide_pause(d, call, HAFT__PAUSE_APPROVAL, arguments, rule);
}

haft_status haft__decide_unknown_outcome(haft__decision *d, const haft__run_call *call,
                                         haft_str reason)
{
    begin_pause(d, call, HAFT__PAUSE_UNKNOWN_OUTCOME, call->arguments, (haft_str){NULL, 0});
    write_expiry(d, call, HAFT__PAUSE_UNKNOWN_OUTCOME, NULL);
    if (reason.len > 0) {
        haft__field_text(&d->w, "reason", reason);
    }
    return haft__decision_commit(d);
}

/* When the deadline passes, the tool gets the answer "cancel". The deadlines of the spec apply only
 * to durable questions. A question that only this process can answer has the deadline of its
 * tool. */
haft_status haft__decide_elicitation(haft__decision *d, const haft__run_call *call)
{
    haft__pause pause = haft__pause_of_elicitation();
    uint64_t usual = call->pinned ? 0 : d->spec->pauses[pause].deadline_ms;
    uint64_t within = call->within_ms > 0 ? call->within_ms : usual;
    begin_pause(d, call, pause, call->arguments, haft__elicitation_text(call, "message"));
    write_deadline(d, within);
    haft__json_key(&d->w, "on_expire");
    if (within > 0) {
        haft__json_begin_object(&d->w);
        haft__json_key(&d->w, "answer");
        haft__json_begin_object(&d->w);
        haft__field_text(&d->w, "action", HAFT__LIT("cancel"));
        haft__json_end_object(&d->w);
        haft__json_end_object(&d->w);
    } else {
        haft__json_add_null(&d->w);
    }
    haft__field_text_or_null(&d->w, "server", haft__elicitation_text(call, "server"));
    haft__field_flag(&d->w, "pinned", call->pinned);
    return haft__decision_commit(d);
}
