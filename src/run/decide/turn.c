/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.c - decides between two turns whether the run ends, whether the gate opens, and the choice
 * of the next turn. Tests: tests/run/decide/decide_test.c.
 */
#include "base/str.h"
#include "run/decide/decide_int.h"

/* Writes the allowed tools; without a list, the declared ones. */
static void write_names(haft__decision *d, const char *key, const haft__choice_facts *facts,
                        const bool *allowed)
{
    haft__json_key(&d->w, key);
    haft__json_begin_array(&d->w);
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (allowed != NULL ? allowed[i] : !facts->tools[i].hidden) {
            haft__json_add_str(&d->w, facts->tools[i].name);
        }
    }
    haft__json_end_array(&d->w);
}

/* Writes the counted data tools. */
static void write_called(haft__decision *d, const haft__choice_facts *facts)
{
    haft__json_key(&d->w, "called");
    haft__json_begin_array(&d->w);
    for (size_t i = 0; i < facts->tool_count; i++) {
        if (facts->tools[i].finished && facts->tools[i].role == HAFT__ROLE_DATA) {
            haft__json_add_str(&d->w, facts->tools[i].name);
        }
    }
    haft__json_end_array(&d->w);
}

/* Whether the tool is declared as soon as the gate opens. */
static bool waits_for_gate(const haft__run *run, size_t index)
{
    return haft__resolve_index(run, index).reason == HAFT__REASON_GATE_CLOSED;
}

/* Writes the tools that the open gate adds to the request, and the tokens that the provider must
 * read again, because its cache ends at the first of these tools. Writes nothing if the gate adds
 * no tools. */
static haft_status write_declared_by_gate(haft__decision *d)
{
    const haft__run *run = d->run;
    size_t count = run->tools->count, first = 0;
    bool *after = haft__arena_array(&d->tools->scratch, count, sizeof(*after));
    uint64_t tokens = 0;
    if (after == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    while (first < count && !waits_for_gate(run, first)) {
        first++;
    }
    if (first == count) {
        return HAFT_OK;
    }
    for (size_t i = first; i < count; i++) {
        after[i] = true;
    }
    haft_status status = haft__decide_cache_cost(d, after, true, &tokens);
    haft__json_key(&d->w, "declared");
    haft__json_begin_array(&d->w);
    for (size_t i = first; i < count; i++) {
        if (waits_for_gate(run, i)) {
            haft__json_add_str(&d->w, run->tools->items[i]->name);
        }
    }
    haft__json_end_array(&d->w);
    haft__field_number(&d->w, "cache_tokens", tokens);
    return status;
}

static haft_status decide_gate(haft__decision *d, const haft__choice_facts *facts, haft__gate gate)
{
    haft__decision_begin(d, HAFT__EVENT_GATE_OPENED);
    write_called(d, facts);
    haft__field_number(&d->w, "threshold", gate.threshold);
    haft_status status = write_declared_by_gate(d);
    return status == HAFT_OK ? haft__decision_commit(d) : status;
}

static void write_gate(haft__decision *d, const haft__choice_facts *facts, haft__gate gate)
{
    haft__json_key(&d->w, "gate");
    if (!gate.on) {
        haft__json_add_null(&d->w);
        return;
    }
    haft__json_begin_object(&d->w);
    write_called(d, facts);
    haft__field_number(&d->w, "threshold", gate.threshold);
    haft__field_flag(&d->w, "open", gate.open);
    haft__json_end_object(&d->w);
}

static haft_status decide_choice(haft__decision *d, const haft__choice_facts *facts)
{
    static const char *const modes[] = {"auto", "any", "tool", "none"};
    bool *allowed = haft__arena_array(&d->tools->scratch, facts->tool_count, sizeof(*allowed));
    if (allowed == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    haft__choice choice;
    const char *why;
    haft__choice_decide(d->spec, facts, allowed, &choice);
    haft__decision_begin(d, HAFT__EVENT_TURN_STARTED);
    haft__field_number(&d->w, "turn", facts->turn);
    haft__field_text(&d->w, "mode", haft__str(modes[choice.mode]));
    haft__field_text_or_null(&d->w, "tool", choice.tool);
    write_names(d, "allowed", facts, allowed);
    write_names(d, "declared", facts, NULL);
    haft__field_text(&d->w, "format", haft__offer_format(d->spec, &why));
    haft__field_text(&d->w, "reason", haft__str(choice.reason));
    write_gate(d, facts, choice.gate);
    haft__field_flag(&d->w, "final",
                     choice.mode == HAFT__MODE_NONE && choice.rule == HAFT__RULE_LIMIT);
    return haft__decision_commit(d);
}

/* Whether the result of the call is the answer. `tool` is NULL if a later spec no longer has the
 * tool. */
static bool is_direct(const haft__run_call *call)
{
    return call->stage == HAFT__CALL_FINISHED && call->ok && call->tool != NULL
           && call->tool->traits.return_direct;
}

/* Writes those results of the last batch that are the answer, in the order of the calls, separated
 * by blank lines. Omits empty results, but counts them. Returns the number of results. */
static size_t write_direct(haft__decision *d)
{
    const haft__run *run = d->run;
    haft__buf *text = &d->tools->text;
    size_t count = 0;
    for (size_t i = run->batch; i < run->call_count; i++) {
        if (is_direct(&run->calls[i])) {
            haft_str result = run->calls[i].result;
            haft__buf_add_str(text,
                              text->len > 0 && result.len > 0 ? HAFT__LIT("\n\n") : HAFT__LIT(""));
            haft__buf_add_str(text, result);
            count++;
        }
    }
    return count;
}

haft_status haft__decide_turn(haft__decision *d)
{
    const haft__run *run = d->run;
    haft__choice_facts facts;
    haft_status status = haft__offer_facts(run, &d->tools->scratch, &facts, d->err);
    if (status != HAFT_OK) {
        return status;
    }
    if (run->invalid_replies > d->spec->limits.invalid_calls) {
        return haft__decide_end(d, HAFT__END_VIOLATED, run->last_text, false,
                                "too many replies in a row had only unknown or invalid calls",
                                NULL);
    }
    haft__gate gate = haft__gate_evaluate(d->spec, &facts);
    if (gate.on && gate.open && !run->gate_opened) {
        return decide_gate(d, &facts, gate);
    }
    size_t direct = gate.open ? write_direct(d) : 0;
    if (direct > 0) {
        return haft__decide_end(d, HAFT__END_DIRECT, haft__buf_str(&d->tools->text), false,
                                direct == 1 ? "the tool's output is the answer"
                                            : "the tools' outputs are the answer",
                                NULL);
    }
    bool selected = false;
    status = haft__decide_selection(d, &selected);
    return status != HAFT_OK || selected ? status : decide_choice(d, &facts);
}
