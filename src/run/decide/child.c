/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.c - calls of agents: the start of a child run, and its end as the result of the call.
 * Tests: tests/run/decide/child_test.c, tests/cli/children_test.py.
 */
#include "base/limits.h"
#include "base/str.h"
#include "run/decide/decide_int.h"
#include "run/output.h"

bool haft__call_is_agent(const haft__run_call *call)
{
    return call->tool != NULL && call->tool->source == HAFT__TOOL_AGENT;
}

/* The number of agent calls of this batch that can start a child now; they share the remaining
 * budget. The other agent calls wait until fewer than limits.parallel calls run. Then they can also
 * use the budget that finished children did not use. */
static size_t count_starting_children(const haft__run *run)
{
    size_t waiting = 0, busy = 0, max = run->spec->limits.parallel;
    for (size_t i = run->batch; i < run->call_count; i++) {
        const haft__run_call *call = &run->calls[i];
        bool ended = call->stage == HAFT__CALL_FINISHED || call->stage == HAFT__CALL_REFUSED;
        bool starts = haft__call_is_agent(call) && !ended && call->child == NULL;
        waiting += starts;
        busy += !starts && call->stage == HAFT__CALL_STARTED && haft__call_is_external(call)
                && !haft__call_waits_for_nested(run, call);
    }
    size_t free_places = max > busy ? max - busy : 1;
    return waiting < free_places ? waiting : free_places;
}

const char *haft__decide_child_refusal(const haft__run *run, haft__child_refusal refusal)
{
    return haft__run_is_graph(run) && refusal == HAFT__CHILD_NO_BUDGET
               ? "the budget of the graph is used up"
               : haft__child_refusal_text(refusal);
}

haft__child_refusal haft__decide_child_budget(const haft__run *run, const haft__run_call *call,
                                              haft__child_budget *ret_budget)
{
    const haft__agent_tool *tool = haft__spec_agent_tool(run->spec, call->name);
    return haft__child_reserve(run, tool, count_starting_children(run), ret_budget);
}

static haft_status start_child(haft__decision *d, const haft__run_call *call)
{
    haft__child_budget budget = {0};
    char id[HAFT__ID_LENGTH + 1];
    haft__child_refusal refusal = haft__decide_child_budget(d->run, call, &budget);
    if (refusal != HAFT__CHILD_ALLOWED) {
        haft__outcome error = {.text = haft__str(haft__decide_child_refusal(d->run, refusal)),
                               .where = HAFT__LIT(""),
                               .hint = haft__run_is_graph(d->run)
                                           ? HAFT__LIT("")
                                           : HAFT__LIT("answer with what you know")};
        return haft__decide_error(d, call, call->arguments, &error, call->note);
    }
    haft__child *child = haft__arena_alloc(&d->tools->scratch, sizeof(*child));
    if (child == NULL) {
        return haft__arena_fail(&d->tools->scratch, d->err);
    }
    *child =
        (haft__child){.agent = haft__spec_agent_tool(d->spec, call->name)->agent, .limits = budget};
    haft__child_make_id(d->run->id, call->id, d->now_ms, id);
    haft__decision_begin(d, HAFT__EVENT_CHILD_STARTED);
    haft__field_text(&d->w, "call", call->id);
    haft__field_text(&d->w, "child", haft__str(id));
    haft__field_text(&d->w, "agent", child->agent);
    haft__field_node(&d->w, call);
    haft__child_write_limits(&d->w, &budget);
    haft_status status = haft__decision_commit(d);
    d->effect->child = child;
    return status;
}

/* If the child ended without an answer, the result of the call describes this end to the model. */
static haft_status finish_with_failure(haft__decision *d, const haft__run_call *call)
{
    const haft__child *child = call->child;
    haft__buf *text = &d->tools->text;
    haft__buf_addf(text, "worker error: the agent ended as %.*s", HAFT__ARG(child->end));
    if (child->reason.len > 0) {
        haft__buf_addf(text, ": %.*s", HAFT__ARG(child->reason));
    }
    if (child->answer.len > 0) {
        haft__buf_add_str(text, HAFT__LIT("\nIts last text: "));
        haft__buf_add_str(text, child->answer);
    }
    haft__outcome error = {
        .text = haft__buf_str(text), .where = HAFT__LIT(""), .hint = HAFT__LIT("")};
    haft_status status = haft__buf_check(text, d->err);
    return status == HAFT_OK ? haft__decide_error(d, call, call->arguments, &error, call->note)
                             : status;
}

static haft_status finish_call(haft__decision *d, const haft__run_call *call)
{
    const haft__child *child = call->child;
    bool answered = haft__str_equal(child->end, HAFT__LIT("done"))
                    || haft__str_equal(child->end, HAFT__LIT("direct"));
    if (!answered) {
        return finish_with_failure(d, call);
    }
    haft__buf *why = &d->tools->text;
    haft_status status = HAFT_OK;
    if (call->tool->output != NULL) {
        status = haft__output_check_text(call->tool, child->answer, false, d->tools->checker,
                                         &d->tools->scratch, d->run->hash_key, why, d->err);
    }
    if (status == HAFT_OK && why->len > 0) {
        haft__outcome error = {.text = haft__buf_str(why),
                               .where = HAFT__LIT("output_schema"),
                               .hint = HAFT__LIT("this is a fault of the agent")};
        return haft__decide_error(d, call, call->arguments, &error, call->note);
    }
    return status == HAFT_OK
               ? haft__decide_finish(d, call, call->arguments, child->answer, false, call->note)
               : status;
}

haft_status haft__decide_child(haft__decision *d, const haft__run_call *call, bool *ret_decided)
{
    *ret_decided = call->child == NULL || call->child->finished;
    if (call->child == NULL) {
        return start_child(d, call);
    }
    return call->child->finished ? finish_call(d, call) : HAFT_OK;
}

haft_status haft__decide_wait_for_children(haft__decision *d)
{
    *d->effect = (haft__effect){.kind = HAFT__EFFECT_WAIT};
    return HAFT_OK;
}

/* ---- the end of a child, for its parent ---- */

void haft__input_child_finished(haft__buf *buf, haft_str call, haft__json value)
{
    haft__json_writer w;
    haft__tree_usage usage = haft__child_read_usage(value);
    haft__event_body_begin(&w, buf, HAFT__EVENT_CHILD_FINISHED);
    haft__field_text(&w, "call", call);
    haft__field_text(&w, "child", haft__object_text(value, "child"));
    haft__field_text(&w, "end", haft__object_text(value, "end"));
    haft__field_text(&w, "answer", haft__object_text(value, "answer"));
    haft__field_text_or_null(&w, "reason", haft__object_text(value, "reason"));
    haft__field_number(&w, "runs", usage.runs);
    haft__child_write_usage(&w, &usage);
    haft__field_number(&w, "ms", haft__object_number(value, "ms", 0));
    const haft__json *result = haft__object_find(value, "result");
    if (result != NULL) {
        haft__json_key(&w, "result");
        haft__json_add(&w, *result);
    }
    haft__event_body_end(&w, buf);
}

/* Writes why the run ended; for a failed run, with the message of its error. The reason of a graph
 * already ends with it. */
static void write_reason(haft__json_writer *w, const haft__run *run)
{
    haft_str message = haft__object_text(run->end_error, "message");
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_RUN_BYTES);
    haft__buf_add_str(&text, run->end_reason);
    if (message.len > 0 && !haft__str_ends_with(run->end_reason, message)) {
        haft__buf_add_str(&text, text.len > 0 ? HAFT__LIT(": ") : HAFT__LIT(""));
        haft__buf_add_str(&text, message);
    }
    if (text.status != HAFT_OK) {
        haft__buf_fail(w->buf, text.status, NULL);
    }
    haft__field_text(w, "reason", haft__buf_str(&text));
    haft__buf_finish(&text);
}

void haft__child_write_end(haft__buf *buf, const haft__run *run)
{
    haft__json_writer w;
    haft__tree_usage usage = haft__child_tree_usage(run);
    haft__json_writer_init(&w, buf);
    haft__json_begin_object(&w);
    haft__field_text(&w, "command", HAFT__LIT("child"));
    haft__field_text(&w, "call", run->parent_call);
    haft__json_key(&w, "value");
    haft__json_begin_object(&w);
    haft__field_text(&w, "child", run->id);
    haft__field_text(&w, "end", haft__str(haft__end_name(run->end)));
    haft__field_text(&w, "answer", run->answer);
    write_reason(&w, run);
    haft__field_number(&w, "runs", usage.runs);
    haft__child_write_usage(&w, &usage);
    haft__field_number(&w, "ms", run->worked_ms);
    if (haft__run_is_graph(run) && run->graph_next.kind == HAFT__GRAPH_NEXT_END) {
        haft__json_key(&w, "result"); /* the parent graph reads the state */
        haft__json_add(&w, run->graph_next.result);
    }
    haft__json_end_object(&w);
    haft__json_end_object(&w);
}
