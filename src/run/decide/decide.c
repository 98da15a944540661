/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decide.c - selects the stage that decides, and writes the decision. Tests:
 * tests/run/decide/decide_test.c and the scenarios of tests/run/scenarios/.
 */
#include "run/decide/decide.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/macros.h"
#include "base/sha256.h"
#include "base/str.h"
#include "model/provider.h"
#include "model/retry.h"
#include "prompt/history.h"
#include "run/context/context_view.h"
#include "run/decide/decide_int.h"
#include "run/handoff/handoff.h"
#include "run/offer/constraint.h"
#include "run/offer/reveal.h"

haft_status haft__decider_init(haft__decider *decider, haft_error *err)
{
    *decider = (haft__decider){.checker = haft__checker_create()};
    haft__arena_init(&decider->scratch, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&decider->body, HAFT__LIMIT_RUN_BYTES);
    haft__buf_init(&decider->text, HAFT__LIMIT_RUN_BYTES);
    return decider->checker != NULL ? HAFT_OK : haft__fail_no_memory(err);
}

void haft__decider_finish(haft__decider *decider)
{
    haft__checker_destroy(decider->checker);
    haft__arena_finish(&decider->scratch);
    haft__buf_finish(&decider->body);
    haft__buf_finish(&decider->text);
    decider->checker = NULL;
}

/* ---- writing ---- */

haft__decision haft__decision_open(haft__decider *decider, const haft__run *run, uint64_t now_ms,
                                   haft__effect *ret_effect, haft_error *err)
{
    haft__arena_reset(&decider->scratch);
    haft__buf_clear(&decider->text);
    return (haft__decision){.tools = decider,
                            .run = run,
                            .spec = run->spec,
                            .now_ms = now_ms,
                            .effect = ret_effect,
                            .err = err};
}

void haft__decision_begin(haft__decision *d, haft__event_kind kind)
{
    haft__buf_clear(&d->tools->body);
    haft__event_body_begin(&d->w, &d->tools->body, kind);
}

haft_status haft__decision_commit(haft__decision *d)
{
    haft__event_body_end(&d->w, &d->tools->body);
    haft_status status = haft__buf_check(&d->tools->body, d->err);
    if (status == HAFT_OK) {
        status = haft__buf_check(&d->tools->text, d->err);
    }
    *d->effect = (haft__effect){.kind = HAFT__EFFECT_EVENT, .body = haft__buf_str(&d->tools->body)};
    return status;
}

/* Writes the values that the next run of the thread starts with. Writes nothing if there are no
 * such values. */
static haft_status write_kept(haft__decision *d)
{
    haft__json kept = haft__json_null();
    haft_status status =
        haft__run_is_graph(d->run)
            ? d->run->spec->graph_rules->keep(d->run, &d->tools->scratch, &kept, d->err)
            : HAFT_OK;
    if (status == HAFT_OK && kept.kind == HAFT__JSON_OBJECT) {
        haft__field_value(&d->w, "kept", kept);
    }
    return status;
}

haft_status haft__decide_end(haft__decision *d, haft__end end, haft_str answer, bool forced_final,
                             const char *reason, const haft_error *error)
{
    haft__decision_begin(d, HAFT__EVENT_RUN_FINISHED);
    haft__field_text(&d->w, "end", haft__str(haft__end_name(end)));
    haft__field_text(&d->w, "answer", answer);
    haft__field_flag(&d->w, "exhausted", end == HAFT__END_EXHAUSTED);
    haft__field_flag(&d->w, "forced_final", forced_final);
    haft__field_number(&d->w, "turns", d->run->turn);
    haft__field_number(&d->w, "calls", d->run->usage.calls);
    haft__field_usage(&d->w, d->run);
    haft__field_text(&d->w, "reason", haft__str(reason));
    haft__field_error(&d->w, error);
    if (d->run->child_count > 0) {
        haft__tree_usage tree = haft__child_tree_usage(d->run);
        haft__json_key(&d->w, "tree");
        haft__json_begin_object(&d->w);
        haft__field_number(&d->w, "runs", tree.runs);
        haft__child_write_usage(&d->w, &tree);
        haft__json_end_object(&d->w);
    }
    haft_status status = write_kept(d);
    return status == HAFT_OK ? haft__decision_commit(d) : status;
}

/* ---- the stages ---- */

static void write_model(haft__decision *d, const char *key, const haft__spec *spec)
{
    haft_str name = haft__provider_name_model(&d->tools->scratch, &spec->model);
    if (name.ptr == NULL) {
        haft__buf_fail(&d->tools->body, HAFT_NO_MEMORY, "out of memory");
    }
    haft__field_text(&d->w, key, name);
}

haft_status haft__decide_next_model(haft__decision *d, haft__failure_kind failure)
{
    const haft__spec *next = d->spec->fallback;
    const char *why;
    haft__decision_begin(d, HAFT__EVENT_MODEL_CHANGED);
    haft__field_number(&d->w, "turn", d->run->turn);
    write_model(d, "from", d->spec);
    write_model(d, "to", next);
    haft__field_text(&d->w, "failure", haft__str(haft__failure_name(failure)));
    haft__field_text(&d->w, "format", haft__offer_format(next, &why));
    return haft__decision_commit(d);
}

static haft_status decide_failure(haft__decision *d)
{
    if (d->spec->fallback != NULL && haft__retry_allows_another_model(&d->run->failure)) {
        return haft__decide_next_model(d, d->run->failure.kind);
    }
    haft_error error = {0};
    char where[32] = "";
    if (d->run->failure.status > 0) {
        (void)snprintf(where, sizeof(where), "HTTP %u", d->run->failure.status);
    }
    (void)haft__fail(&error, HAFT_IO, where, "the model gave no reply: %.*s",
                     HAFT__ARG(d->run->failure.message));
    return haft__decide_end(d, HAFT__END_FAILED, HAFT__LIT(""), false, "the model call failed",
                            &error);
}

/* Writes only the first lines of the report; `haft explain` prints the whole report. */
static void write_relaxed(haft__decision *d, const haft__relax_report *report)
{
    haft__json_key(&d->w, "relaxed");
    haft__json_begin_array(&d->w);
    for (size_t i = 0; i < report->count && i < HAFT__LIMIT_EVENT_RELAXED; i++) {
        const haft__relaxation *line = &report->items[i];
        haft_str text =
            haft__arena_format(&d->tools->scratch, "%.*s: %.*s became %.*s", HAFT__ARG(line->where),
                               HAFT__ARG(line->what), HAFT__ARG(line->became));
        if (text.ptr == NULL) {
            haft__buf_fail(&d->tools->body, HAFT_NO_MEMORY, "out of memory");
        }
        haft__json_add_str(&d->w, text);
    }
    haft__json_end_array(&d->w);
    haft__field_number(&d->w, "relaxed_count", haft__relax_report_count(report));
}

/* Decides the constraint of the request. Returns false, without a decision, if the request has no
 * constraint. */
static bool decide_constraint(haft__decision *d, haft_str format, haft_status *ret_status)
{
    const haft__run *run = d->run;
    haft__arena *scratch = &d->tools->scratch;
    haft__request request;
    haft__relax_report report;
    char digest[HAFT__SHA256_HEX];
    haft__relax_report_init(&report, scratch);
    *ret_status = haft__decide_request(run, scratch, &request, d->err);
    if (*ret_status == HAFT_OK) {
        *ret_status = haft__constraint_apply(d->spec, format, run->violations > 0, &request,
                                             scratch, &report, d->err);
    }
    if (*ret_status != HAFT_OK || request.constraint.kind == HAFT__CONSTRAINT_NONE) {
        return *ret_status != HAFT_OK;
    }
    haft__sha256_hex(request.constraint.text, digest);
    haft__decision_begin(d, HAFT__EVENT_CONSTRAINED);
    haft__field_number(&d->w, "turn", run->turn);
    haft__field_text(&d->w, "format", format);
    haft__field_text(&d->w, "constraint",
                     haft__str(haft__constraint_name(request.constraint.kind)));
    haft__field_number(&d->w, "bytes", request.constraint.text.len);
    haft__field_text(&d->w, "sha256", (haft_str){digest, sizeof(digest)});
    write_relaxed(d, &report);
    *ret_status = haft__decision_commit(d);
    return true;
}

static haft_status decide_asking(haft__decision *d)
{
    const haft__run *run = d->run;
    bool changed = false;
    if (run->context.summarising) {
        return haft__decide_summary(d);
    }
    haft_status status = haft__decide_context(d, &changed);
    if (status != HAFT_OK || changed) {
        return status;
    }
    if (run->failed) {
        return decide_failure(d);
    }
    if (run->violations > d->spec->limits.violations) {
        return haft__decide_end(d, HAFT__END_VIOLATED, run->last_text, false,
                                "the model did not obey the choice when asked again", NULL);
    }
    status = haft__decide_for_model(d, HAFT__HOOK_BEFORE_MODEL, &changed);
    if (status != HAFT_OK || changed) {
        return status;
    }
    bool constrained = run->constraint != HAFT__CONSTRAINT_NONE;
    haft_str format = constrained ? HAFT__LIT("") : haft__constraint_format(run);
    if (format.len > 0 && decide_constraint(d, format, &status)) {
        return status;
    }
    *d->effect = (haft__effect){.kind = HAFT__EFFECT_CALL_MODEL};
    return HAFT_OK;
}

/* Before the first turn of an agent, haft searches for tools; in later turns the model searches. */
static haft_status decide_idle(haft__decision *d)
{
    bool evicted = false;
    const haft__run_call *transfer = haft__handoff_due(d->run);
    if (transfer != NULL) {
        return haft__decide_handoff(d, transfer);
    }
    bool begins = d->run->turn == 0 || d->run->handoffs > 0;
    if (begins && !d->run->initial_search_done && haft__reveal_is_needed(d->spec)) {
        *d->effect = (haft__effect){.kind = HAFT__EFFECT_SEARCH_TOOLS};
        return HAFT_OK;
    }
    haft_status status = haft__decide_evictions(d, &evicted);
    return status != HAFT_OK || evicted ? status : haft__decide_turn(d);
}

/* The budget of the parent is used up, so this turn was the last. The run does not wait for calls
 * that wait for people. It waits for its children, which also end because of the budget. */
static haft_status end_with_parent(haft__decision *d)
{
    return haft__decide_end(d, HAFT__END_EXHAUSTED, haft__decide_last_text(d->run), false,
                            "the run that started this one has used up its budget", NULL);
}

static haft_status decide_last_calls(haft__decision *d)
{
    haft_status status = haft__decide_calls(d);
    bool rests = status == HAFT_OK && d->effect->kind == HAFT__EFFECT_WAIT;
    return rests && !haft__child_any_open(d->run) ? end_with_parent(d) : status;
}

/* If the parent has used up its budget, the graph finishes the current step. If a node failed
 * because no time was left, the graph ends as exhausted, not as failed. */
static haft_status decide_graph(haft__decision *d)
{
    const haft__run *run = d->run;
    bool begun = false;
    for (size_t i = run->batch; i < run->call_count; i++) {
        begun = begun || run->calls[i].stage != HAFT__CALL_ARRIVED;
    }
    bool failed =
        run->graph_next.kind == HAFT__GRAPH_NEXT_END && run->graph_next.end == HAFT__END_FAILED;
    if (failed && run->parent_limit_reached) {
        return end_with_parent(d);
    }
    if (failed && run->worked_ms >= run->spec->limits.wall_ms) {
        return haft__decide_wall(d);
    }
    if (!run->parent_limit_reached || run->graph_next.kind != HAFT__GRAPH_NEXT_CALLS) {
        return haft__decide_graph(d);
    }
    return begun ? decide_last_calls(d) : end_with_parent(d);
}

static haft_status decide_stage(haft__decision *d)
{
    const haft__run *run = d->run;
    bool active = run->stage != HAFT__RUN_NEW && run->stage != HAFT__RUN_ENDED;
    if (active && run->due != NULL) {
        return haft__decide_due(d);
    }
    bool ends = run->cancel_asked || run->expired || run->denied_by.len > 0;
    if (active && ends && haft__child_any_open(run)) {
        return haft__decide_wait_for_children(d);
    }
    if (active && run->cancel_asked) {
        return haft__decide_end(d, HAFT__END_CANCELLED, HAFT__LIT(""), false, "cancelled", NULL);
    }
    if (active && run->expired) {
        return haft__decide_end(d, HAFT__END_EXPIRED, HAFT__LIT(""), false,
                                "nobody answered before the deadline", NULL);
    }
    if (active && run->denied_by.len > 0) {
        return haft__decide_denied(d);
    }
    if (active && run->wall_reached) {
        return haft__decide_wall(d);
    }
    switch (run->stage) {
    case HAFT__RUN_NEW: return haft__fail(d->err, HAFT_BAD_STATE, "", "the run has not started");
    case HAFT__RUN_IDLE: return run->parent_limit_reached ? end_with_parent(d) : decide_idle(d);
    case HAFT__RUN_AWAITING_REPLY: return decide_asking(d);
    case HAFT__RUN_JUDGING: return haft__decide_reply(d);
    case HAFT__RUN_CALLING:
        return haft__run_is_graph(run)     ? decide_graph(d)
               : run->parent_limit_reached ? decide_last_calls(d)
                                           : haft__decide_calls(d);
    case HAFT__RUN_ENDED: *d->effect = (haft__effect){.kind = HAFT__EFFECT_END}; return HAFT_OK;
    }
    HAFT__UNREACHABLE();
}

haft_status haft__decide(haft__decider *decider, const haft__run *run, uint64_t now_ms,
                         haft__effect *ret_effect, haft_error *err)
{
    haft__effect effect = {.kind = HAFT__EFFECT_END};
    haft__decision d = haft__decision_open(decider, run, now_ms, &effect, err);
    haft_status status = decide_stage(&d);
    if (status == HAFT_OK) {
        *ret_effect = effect;
    }
    return status;
}

/* Finds the messages of the run for a request. If a call has no result, repairs the history,
 * because providers reject it. */
static haft_status find_messages(const haft__run *run, haft__arena *arena,
                                 const haft__messages **ret_messages, haft_error *err)
{
    *ret_messages = &run->messages;
    if (haft__history_is_valid(&run->messages)) {
        return HAFT_OK;
    }
    haft__messages *repaired = haft__arena_alloc(arena, sizeof(*repaired));
    if (repaired == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_messages = repaired;
    return haft__history_repair(&run->messages, arena, repaired, err);
}

/* The tools that run at the provider. The tool choice does not include them. */
static haft_status find_provider_tools(const haft__run *run, haft__arena *arena,
                                       const haft__tool ***ret_tools, size_t *ret_count,
                                       haft_error *err)
{
    const haft__tool **tools = NULL;
    size_t count = 0;
    for (size_t i = 0; i < run->tools->count; i++) {
        if (run->tools->items[i]->source != HAFT__TOOL_PROVIDER) {
            continue;
        }
        if (tools == NULL) {
            tools = haft__arena_array(arena, run->tools->count - i, sizeof(*tools));
        }
        if (tools == NULL) {
            return haft__arena_fail(arena, err);
        }
        tools[count++] = run->tools->items[i];
    }
    *ret_tools = tools;
    *ret_count = count;
    return HAFT_OK;
}

haft_status haft__decide_request(const haft__run *run, haft__arena *arena,
                                 haft__request *ret_request, haft_error *err)
{
    const haft__spec *spec = run->spec;
    haft__offered offered;
    if (run->context.summarising) {
        return haft__context_summary_request(run, arena, ret_request, err);
    }
    bool constrained = run->constraint != HAFT__CONSTRAINT_NONE;
    haft_status status = constrained ? haft__offer_text_tools(run, arena, &offered, err)
                                     : haft__offer_tools(run, arena, &offered, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__tool **tools = haft__arena_array(arena, offered.count, sizeof(*tools));
    bool *allowed = haft__arena_array(arena, offered.count, sizeof(*allowed));
    if (tools == NULL || allowed == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < offered.count; i++) {
        tools[i] = run->tools->items[offered.items[i]];
        allowed[i] = run->allowed[offered.items[i]];
    }
    const haft__tool **hosted = NULL;
    size_t hosted_count = 0;
    status = find_provider_tools(run, arena, &hosted, &hosted_count, err);
    if (status != HAFT_OK) {
        return status;
    }
    const haft__messages *messages = NULL;
    status = find_messages(run, arena, &messages, err);
    if (status != HAFT_OK) {
        return status;
    }
    const char *why;
    *ret_request = (haft__request){
        .model = spec->model.model,
        .messages = messages,
        .correction = run->correction,
        .tools = tools,
        .allowed = allowed,
        .tool_count = offered.declared,
        .deferred_count = offered.deferred,
        .appended_count = offered.appended,
        .provider_tools = hosted,
        .provider_tool_count = hosted_count,
        .callable_count = offered.count,
        .mode = run->mode,
        .tool = run->mode_tool,
        .format = haft__offer_format(spec, &why),
        .reply_format = HAFT__LIT(""),
        .transcript = spec->history == HAFT__HISTORY_TRANSCRIPT,
        .task = run->task,
        .rewrites = run->context.rewrites,
    };
    return constrained ? haft__constraint_apply(spec, run->constrained_format, run->violations > 0,
                                                ret_request, arena, NULL, err)
                       : HAFT_OK;
}
