/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec.c - replaces the spec of a run: by a changed spec, by the spec of another agent, or by the
 * same spec with its next model.
 *
 * The event of a change contains the whole spec, so that the log shows which spec was valid at each
 * event. The spec also contains the agents of handoffs. Earlier events stay valid; tools are
 * matched by name.
 *
 * Tests: tests/run/fold/spec_test.c.
 */
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/provider.h"
#include "run/context/context_size.h"
#include "run/fold/fold_int.h"
#include "run/graph_change.h"
#include "run/handoff/handoff.h"
#include "run/offer/resolve.h"
#include "run/prices.h"
#include "json/object.h"

/* ---- the spec ---- */

static haft_status load_spec(haft__run *run, const haft__event *event, const haft__spec **ret_spec,
                             haft_error *err)
{
    const haft__json *source = haft__event_field(event, "source");
    haft_str was = haft__object_text(event->object, "was");
    haft_str hash = haft__object_text(event->object, "spec");
    if (source == NULL || source->kind != HAFT__JSON_OBJECT) {
        return haft__fold_fail(event, "the event has no spec", err);
    }
    if (!haft__str_equal(was, run->first_spec->hash)) {
        return haft__fold_fail(event, "its previous spec is not the spec of the run", err);
    }
    if (run->specs.load == NULL) {
        return haft__fail(err, HAFT_UNSUPPORTED, "",
                          "the run continues with another spec, which this function cannot load");
    }
    haft_status status = run->specs.load(run->specs.context, *source, event->seq, ret_spec, err);
    if (status == HAFT_OK && !haft__str_equal((*ret_spec)->hash, hash)) {
        status = haft__fold_fail(event, "the hash of its spec is not the recorded hash", err);
    }
    return status;
}

/* ---- tools ---- */

/* Collects the tools of the new spec, and then, if the agent stays the same, the revealed tools of
 * servers. */
static haft_status gather_tools(haft__run *run, const haft__spec *spec, bool same_agent,
                                haft__tools *tools, haft_error *err)
{
    haft__tools_init(tools, run->arena, run->hash_key);
    haft_status status = haft__tools_share(tools, &spec->tools, err);
    for (size_t i = 0; status == HAFT_OK && same_agent && i < run->tools->count; i++) {
        const haft__tool *tool = run->tools->items[i];
        if (tool->source == HAFT__TOOL_MCP && haft__tools_find(tools, tool->name) == NULL
            && haft__spec_own_tools(spec, tools) < HAFT__LIMIT_CHOICE_TOOLS) {
            status = haft__tools_add(tools, tool, err);
        }
    }
    return status;
}

/* Copies the history of each tool by name. */
static haft_status carry_tool_history(haft__run *run, haft__tools *tools, haft_error *err)
{
    bool *allowed = haft__arena_array(run->arena, tools->count, sizeof(*allowed));
    haft__tool_history *past = haft__arena_array(run->arena, tools->count, sizeof(*past));
    if (allowed == NULL || past == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    for (size_t i = 0; i < tools->count; i++) {
        const haft__tool *before = haft__tools_find(run->tools, tools->items[i]->name);
        if (before != NULL) {
            size_t at = haft__run_tool_index(run, before);
            allowed[i] = run->allowed[at];
            past[i] = run->past[at];
            past[i].size = 0; /* the definition may be another one */
        }
    }
    run->allowed = allowed;
    run->past = past;
    run->tools = run->more_tools = tools;
    return HAFT_OK;
}

/* The skills of another agent narrow nothing; those of this agent do again when it comes back. */
static void restore_skills(haft__run *run)
{
    for (size_t i = 0; i < run->tools->count; i++) {
        run->past[i].succeeded =
            run->past[i].succeeded && run->tools->items[i]->source != HAFT__TOOL_SKILL;
    }
    for (const haft__skill_read *read = run->skills_read; read != NULL; read = read->before) {
        const haft__tool *tool = haft__str_equal(read->agent, run->agent)
                                     ? haft__tools_find(run->tools, read->tool)
                                     : NULL;
        if (tool != NULL && tool->source == HAFT__TOOL_SKILL) {
            run->past[haft__run_tool_index(run, tool)].succeeded = true;
        }
    }
}

/* ---- calls ---- */

static bool is_listed(const haft__event *event, const char *key, haft_str call)
{
    const haft__json *list = haft__event_field(event, key);
    for (uint32_t i = 0; list != NULL && list->kind == HAFT__JSON_ARRAY && i < list->count; i++) {
        if (haft__str_equal(haft__json_text(list->items[i]), call)) {
            return true;
        }
    }
    return false;
}

bool haft__call_may_be_judged_again(const haft__run_call *call)
{
    bool asked = call->stage == HAFT__CALL_PAUSED && haft__pause_kind_of(call->pause)->before_start;
    bool given = call->stage == HAFT__CALL_ANSWERED && call->approved;
    return !call->started && (asked || given);
}

bool haft__call_is_declined(const haft__run_call *call)
{
    return !call->started && call->stage == HAFT__CALL_ANSWERED
           && haft__str_equal(call->verdict, HAFT__LIT("reject"));
}

/* Resets the call to its state on arrival, because its pause and answer belong to the old spec. */
static void reset_call(haft__run_call *call)
{
    call->stage = HAFT__CALL_ARRIVED;
    call->approved = false;
    call->binding = call->verdict = HAFT__LIT("");
    call->arguments = call->value = haft__json_null();
    call->answers[call->pause] = (haft__pause_answer){.verdict = HAFT__LIT("")};
    call->deadline_ms = 0;
}

static haft_status update_call(haft__run *run, const haft__event *event, haft__run_call *call,
                               haft_error *err)
{
    bool over = call->stage == HAFT__CALL_FINISHED || call->stage == HAFT__CALL_REFUSED;
    bool again = is_listed(event, "judged_again", call->id);
    call->tool = haft__tools_find(run->tools, call->name);
    call->spec_changed = true;
    const haft__json *rebound = haft__event_field(event, "rebound");
    const haft__json *binding = rebound != NULL ? haft__json_get(*rebound, call->id) : NULL;
    if ((again || binding != NULL) && !haft__call_may_be_judged_again(call)) {
        return haft__fold_fail(event, "a call that was not paused is judged again", err);
    }
    if (binding != NULL) {
        call->binding = haft__json_text(*binding);
    }
    if (again) {
        reset_call(call);
        call->needs_new_approval =
            call->needs_new_approval || is_listed(event, "asked_again", call->id);
    }
    if (call->tool == NULL && !over && call->stage != HAFT__CALL_ARRIVED
        && !haft__call_is_declined(call)) {
        return haft__fold_fail(event, "the spec lacks the tool of a started call", err);
    }
    return HAFT_OK;
}

/* ---- the server and the price of the model ---- */

static bool is_other_server(const haft__run *run)
{
    haft_str name = haft__provider_server_variable(&run->spec->model);
    const haft__json *names = &run->model_variables;
    bool other = false;
    for (uint32_t i = 0; name.len > 0 && names->kind == HAFT__JSON_ARRAY && i < names->count; i++) {
        other = other || haft__str_equal(haft__json_text(names->items[i]), name);
    }
    return other;
}

haft__price haft__fold_find_price(const haft__run *run, const haft__model_spec *model)
{
    haft__price price = {.known = false};
    if (model->price.known && model->price.source == HAFT__PRICE_OF_SPEC) {
        return model->price;
    }
    (void)haft__prices_find(run->model_prices, model, &price);
    return price;
}

static bool is_same_price(const haft__price *a, const haft__price *b)
{
    return a->known == b->known && a->input == b->input && a->output == b->output
           && a->cached == b->cached;
}

haft_status haft__fold_resolve_model(haft__run *run, haft_error *err)
{
    bool other = is_other_server(run);
    haft__price price = haft__fold_find_price(run, &run->spec->model);
    if (other == run->spec->model.other_server && is_same_price(&price, &run->spec->model.price)) {
        return HAFT_OK;
    }
    haft__spec *spec = haft__arena_alloc(run->arena, sizeof(*spec));
    if (spec == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    *spec = *run->spec;
    spec->model.other_server = other;
    spec->model.price = price;
    run->spec = spec;
    run->first_spec = run->agent.len == 0 && run->failed_models == 0 ? spec : run->first_spec;
    return HAFT_OK;
}

/* ---- the conversation ---- */

/* Replaces the system prompt by the system prompt of the new spec. */
static haft_status update_system_prompt(haft__run *run, haft_error *err)
{
    haft__messages before = run->messages;
    haft__context_forget(run);
    haft__messages_init(&run->messages, run->arena);
    haft_status status = haft__fold_add_system_prompt(run, err);
    for (size_t i = 0; status == HAFT_OK && i < before.count; i++) {
        if (i > 0 || before.items[i].role != HAFT__MESSAGE_SYSTEM) {
            status = haft__messages_add(&run->messages, before.items[i], err);
        }
    }
    return status;
}

/* Applies the new spec to the run, except to its open calls. */
static haft_status use_spec(haft__run *run, const haft__spec *spec, haft_error *err)
{
    run->spec = spec;
    restore_skills(run);
    haft__map_init(&run->results, run->arena, run->hash_key); /* a tool of the same name may differ
                                                               * in its program, server or root */
    run->failed_models = 0;
    run->refused = 0; /* the new spec may name another server */
    haft_status status = haft__fold_resolve_model(run, err);
    if (status == HAFT_OK) {
        status = haft__fold_add_search_tool(run, err);
    }
    if (status == HAFT_OK) {
        status = update_system_prompt(run, err);
    }
    bool open = run->stage == HAFT__RUN_AWAITING_REPLY;
    return status == HAFT_OK && open ? haft__context_measure_declared(run, err) : status;
}

/* Copies the spec of the agent, with the budgets of the whole run. */
static const haft__spec *share_budgets(haft__run *run, const haft__spec *agent)
{
    haft__spec *spec = haft__arena_alloc(run->arena, sizeof(*spec));
    const haft__spec_limits *limits = &run->first_spec->limits;
    if (spec != NULL) {
        *spec = *agent;
        spec->limits.turns = limits->turns;
        spec->limits.calls = limits->calls;
        spec->limits.tokens = limits->tokens;
        spec->limits.has_usd = limits->has_usd;
        spec->limits.usd_micros = limits->usd_micros;
        spec->limits.wall_ms = limits->wall_ms;
    }
    return spec;
}

/* The current agent continues with its new spec, if the new spec still contains the agent. */
static haft_status keep_agent(haft__run *run, const haft__spec **io_spec, haft_error *err)
{
    const haft__spec *agent =
        run->agent.len > 0 ? haft__spec_find_agent(*io_spec, run->agent) : NULL;
    run->first_spec = *io_spec;
    if (agent == NULL) {
        run->agent = HAFT__LIT("");
        return HAFT_OK;
    }
    *io_spec = share_budgets(run, agent);
    if (*io_spec == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    return run->specs.hand_off != NULL ? run->specs.hand_off(run->specs.context, run->agent, err)
                                       : HAFT_OK;
}

/* After a change of the servers or of the spec's own deferred tools, a search may find tools even
 * if there were none before. */
static haft_status update_search(haft__run *run, const haft__spec *spec, haft_error *err)
{
    bool same = true;
    haft_status status = haft__json_equal(run->spec->mcp, spec->mcp, &same, err);
    for (size_t i = 0; status == HAFT_OK && same && i < spec->tools.count; i++) {
        same = !haft__resolve_is_deferred(spec, spec->tools.items[i]);
    }
    run->nothing_to_search = run->nothing_to_search && same;
    return status;
}

haft_status haft__fold_spec_changed(haft__run *run, const haft__event *event, haft_error *err)
{
    const haft__spec *spec = NULL;
    haft__tools *tools = haft__arena_alloc(run->arena, sizeof(*tools));
    haft_status status =
        tools != NULL ? load_spec(run, event, &spec, err) : haft__arena_fail(run->arena, err);
    if (status != HAFT_OK || spec == NULL) {
        return status;
    }
    status = haft__graph_change_check(run, spec, err);
    if (status == HAFT_OK) {
        status = keep_agent(run, &spec, err);
    }
    if (status == HAFT_OK) {
        status = gather_tools(run, spec, true, tools, err);
    }
    if (status == HAFT_OK) {
        status = carry_tool_history(run, tools, err);
    }
    if (status == HAFT_OK) {
        status = update_search(run, spec, err);
    }
    for (size_t i = 0; status == HAFT_OK && i < run->call_count; i++) {
        status = update_call(run, event, &run->calls[i], err);
    }
    if (status != HAFT_OK) {
        return status;
    }
    run->file = haft__object_text(event->object, "file");
    status = haft__fold_copy_json(run, haft__event_field(event, "variables"), &run->model_variables,
                                  err);
    if (status == HAFT_OK) {
        status =
            haft__fold_copy_json(run, haft__event_field(event, "prices"), &run->model_prices, err);
    }
    return status == HAFT_OK ? use_spec(run, spec, err) : status;
}

/* ---- handoffs ---- */

/* The agent that the accepted call names; NULL if the event names another agent. */
static const haft__spec *find_target(const haft__run *run, const haft__event *event)
{
    const haft__run_call *call = haft__handoff_due(run);
    const haft__handoff *handoff =
        call != NULL ? haft__spec_find_handoff(run->spec, call->name) : NULL;
    if (handoff == NULL || !haft__str_equal(call->id, haft__object_text(event->object, "call"))
        || !haft__str_equal(handoff->agent, haft__object_text(event->object, "agent"))) {
        return NULL;
    }
    return haft__handoff_spec(run, handoff);
}

haft_status haft__fold_handed_off(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_status status = haft__fold_expect_stage(run, event, HAFT__RUN_IDLE,
                                                 "a run is handed over only between turns", err);
    const haft__spec *spec = status == HAFT_OK ? find_target(run, event) : NULL;
    if (status != HAFT_OK) {
        return status;
    }
    if (spec == NULL || !haft__str_equal(spec->hash, haft__object_text(event->object, "spec"))) {
        return haft__fold_fail(event, "no call hands the run to this agent", err);
    }
    haft__tools *tools = haft__arena_alloc(run->arena, sizeof(*tools));
    spec = share_budgets(run, spec);
    if (tools == NULL || spec == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    status = haft__fold_commit_reply(run, err); /* in the format of the old agent */
    if (status == HAFT_OK) {
        status = gather_tools(run, spec, false, tools, err);
    }
    if (status == HAFT_OK) {
        status = carry_tool_history(run, tools, err);
    }
    run->agent = haft__object_text(event->object, "agent");
    run->agent = run->agent.ptr != NULL ? run->agent : HAFT__LIT("");
    run->handoff_call = haft__object_text(event->object, "call");
    run->handoffs++;
    run->initial_search_done = false; /* the agent may have other servers */
    run->search_found_nothing = run->nothing_to_search = false;
    run->server_count = 0;
    run->deferred = 0;
    run->gate_opened = run->default_satisfied = false;
    run->gate_threshold = 0;
    if (status == HAFT_OK && run->specs.hand_off != NULL) {
        status = run->specs.hand_off(run->specs.context, run->agent, err);
    }
    return status == HAFT_OK ? use_spec(run, spec, err) : status;
}

/* ---- the next model of the spec ---- */

/* The choice of the turn stays the same. The request, the prompt and the demands change to those of
 * the new model. */
static haft_status use_next_model(haft__run *run, haft_error *err)
{
    haft__spec *spec = haft__arena_alloc(run->arena, sizeof(*spec));
    if (spec == NULL) {
        return haft__arena_fail(run->arena, err);
    }
    *spec = *run->spec->fallback;
    spec->limits = run->spec->limits; /* after a handoff: the limits of the whole run */
    run->spec = spec;
    run->failed_models++;
    run->failed = run->sent_again = false;
    run->refused = 0;
    run->violations = 0;
    run->correction = HAFT__LIT("");
    run->constraint = HAFT__CONSTRAINT_NONE;
    bool interrupted = run->continuations > 0;
    run->continuations = 0;
    haft_status status = haft__fold_resolve_model(run, err);
    if (status == HAFT_OK && interrupted) { /* only the first model can continue its reply */
        status = haft__fold_add_user_message(run, HAFT__LIT("Continue."), err);
    }
    if (status == HAFT_OK) {
        status = update_system_prompt(run, err);
    }
    status = status == HAFT_OK ? haft__context_measure_declared(run, err) : status;
    return status == HAFT_OK ? haft__fold_add_demand(run, err) : status;
}

haft_status haft__fold_model_changed(haft__run *run, const haft__event *event, haft_error *err)
{
    haft_status status =
        haft__fold_expect_stage(run, event, HAFT__RUN_AWAITING_REPLY, "no request is open", err);
    bool full = haft__str_equal(haft__object_text(event->object, "failure"),
                                haft__str(haft__failure_name(HAFT__FAILURE_CONTEXT)));
    bool due = run->failed || (full && !run->context.summarising); /* a request that does not fit */
    if (status == HAFT_OK && (!due || run->spec->fallback == NULL)) {
        status = haft__fold_fail(event, "no model has failed, or no further model exists", err);
    }
    if (status == HAFT_OK) {
        status = use_next_model(run, err);
    }
    return status == HAFT_OK && run->specs.change_model != NULL
               ? run->specs.change_model(run->specs.context, err)
               : status;
}
