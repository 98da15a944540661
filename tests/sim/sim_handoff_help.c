/* SPDX-License-Identifier: Apache-2.0 */
/* sim_handoff_help.c - handoffs: the agents that hand a run to each other, and the rules that must
 * always hold for it. The root hands to the desk, which hands back or on to the leaf; a child hands
 * to its own leaf. */
#include "base/limits.h"
#include "sim_help.h"
#include "json/object.h"

/* ---- the specs ---- */

static void add_agent(sim_spec *spec, const char *name, const haft__spec *agent)
{
    haft__spec *to = &spec->help.spec;
    spec->named[to->agent_count++] = (haft__agent_spec){.name = haft__str(name), .spec = agent};
    to->agents = spec->named;
}

/* `agent`: "" for the spec that the run began with. */
static void add_transfer(sim *s, sim_role role, const char *tool_name, const char *agent)
{
    haft_error err = {0};
    sim_spec *spec = &s->specs[role];
    haft__spec *to = &spec->help.spec;
    haft__tool tool = {
        .name = haft__str(tool_name),
        .description = HAFT__LIT("Hands the conversation over."),
        .input_schema = help_json(&s->arena, "{\"type\":\"object\",\"properties\":{}}"),
        .source = HAFT__TOOL_HANDOFF,
        .traits = {.read_only = true},
        .typed = true,
    };
    CHECK_INT(haft__tools_add(&to->tools, &tool, &err), HAFT_OK, "%s", err.message);
    spec->handoffs[to->handoff_count++] =
        (haft__handoff){.tool = tool.name, .agent = haft__str(agent)};
    to->handoffs = spec->handoffs;
}

/* In some seeds the models hand over so often that the limit is reached. */
static void make_loop(sim *s)
{
    static const sim_role roles[] = {SIM_ROOT, SIM_NEXT, SIM_DESK};
    for (size_t i = 0; i < COUNT(roles); i++) {
        haft__spec_limits *limits = &s->specs[roles[i]].help.spec.limits;
        limits->turns = HAFT__LIMIT_RUN_HANDOFFS + 8;
        limits->repeats.hint = limits->repeats.refuse = limits->repeats.end = 100;
    }
}

void sim_make_handoffs(sim *s)
{
    static const sim_role roots[] = {SIM_ROOT, SIM_NEXT};
    bool handoffs = sim_chance(s, 40);
    s->loops = sim_chance(s, 10);
    if (!handoffs || s->specs[SIM_ROOT].help.spec.kind != HAFT__SPEC_AGENT) {
        s->loops = false;
        return;
    }
    const haft__spec *leaf = &s->specs[SIM_LEAF].help.spec;
    for (size_t i = 0; i < COUNT(roots); i++) {
        add_agent(&s->specs[roots[i]], "desk", &s->specs[SIM_DESK].help.spec);
        add_agent(&s->specs[roots[i]], "leaf", leaf);
        add_transfer(s, roots[i], "transfer_to_desk", "desk");
    }
    add_transfer(s, SIM_DESK, "transfer_to_root", "");
    if (s->loops) {
        make_loop(s);
        return;
    }
    add_transfer(s, SIM_DESK, "transfer_to_leaf", "leaf");
    add_agent(&s->specs[SIM_AGENT], "leaf", leaf);
    add_transfer(s, SIM_AGENT, "transfer_to_leaf", "leaf");
}

/* ---- the conversation ---- */

/* The messages without the system prompt, which is that of the agent. */
static size_t first_message(const haft__messages *messages)
{
    return messages->count > 0 && messages->items[0].role == HAFT__MESSAGE_SYSTEM ? 1 : 0;
}

static bool is_equal(const haft__message *a, const haft__message *b)
{
    return a->role == b->role && haft__str_equal(a->text, b->text) && a->calls == b->calls
           && a->call_count == b->call_count && haft__str_equal(a->call_id, b->call_id);
}

/* The agent reads everything that was said before, and a result for each call. */
void sim_watch_history(sim *s, const haft__messages *before, const haft__run *run)
{
    const haft__messages *after = &run->messages;
    size_t from = first_message(before), to = first_message(after), results = 0;
    bool kept = after->count - to >= before->count - from;
    for (size_t i = from; kept && i < before->count; i++) {
        kept = is_equal(&before->items[i], &after->items[i - from + to]);
    }
    for (size_t i = to; i < after->count; i++) {
        results += after->items[i].role == HAFT__MESSAGE_TOOL;
    }
    if (!kept || results != run->call_count) {
        sim_fail(s, "a handoff changes the history of %.*s: %zu messages were %zu, %zu results",
                 HAFT__ARG(run->id), after->count, before->count, results);
    }
}

/* ---- the log ---- */

static bool is_transfer(const sim_call *call)
{
    return strncmp(call->tool, "transfer_to_", strlen("transfer_to_")) == 0;
}

static void on_finished(sim *s, sim_record *r, const haft__event *event)
{
    const sim_call *call = sim_find_call(r, haft__object_text(event->object, "call"));
    const sim_call *first = sim_find_call(r, haft__str(r->transfer));
    const haft__json *ok = haft__event_field(event, "ok");
    bool accepted = ok != NULL && ok->kind == HAFT__JSON_TRUE;
    bool shares = first != NULL && call != NULL && strcmp(first->tool, call->tool) == 0;
    if (call == NULL || !is_transfer(call) || !accepted || shares) {
        return; /* an equal call of the reply shares the result of the first */
    }
    if (r->transfer[0] != '\0') {
        sim_fail(s, "%s and %s of one reply are both accepted", r->transfer, call->id);
    }
    (void)snprintf(r->transfer, sizeof(r->transfer), "%s", call->id);
}

static const sim_spec *find_agent(const sim *s, haft_str agent)
{
    return agent.len == 0                              ? NULL
           : haft__str_equal(agent, HAFT__LIT("desk")) ? &s->specs[SIM_DESK]
                                                       : &s->specs[SIM_LEAF];
}

static void on_handed_off(sim *s, sim_record *r, const haft__event *event)
{
    haft_str call = haft__object_text(event->object, "call");
    s->sum.handoffs++;
    if (r->transfer[0] == '\0' || !haft__str_equal(call, haft__str(r->transfer))) {
        sim_fail(s, "%.*s of %s is no transfer, or is handed over twice", HAFT__ARG(call), r->id);
    }
    if (++r->handoffs > HAFT__LIMIT_RUN_HANDOFFS) {
        sim_fail(s, "%s is handed over more often than is allowed", r->id);
    }
    r->transfer[0] = '\0';
    r->agent = find_agent(s, haft__object_text(event->object, "agent"));
    sim_watch_use_spec(s, r);
}

/* The words of the spec that is valid now: that of the agent that has the run. */
void sim_watch_use_spec(sim *s, sim_record *r)
{
    sim_role first = r->spec_changed ? SIM_NEXT : r->role;
    r->words = r->agent != NULL ? r->agent->words : s->specs[first].words;
}

void sim_watch_handoff(sim *s, sim_record *r, const haft__event *event)
{
    switch (event->kind) {
    case HAFT__EVENT_CALL_FINISHED: on_finished(s, r, event); break;
    case HAFT__EVENT_HANDED_OFF: on_handed_off(s, r, event); break;
    case HAFT__EVENT_TURN_STARTED:
        if (r->transfer[0] != '\0') {
            sim_fail(s, "%s starts a turn without the handoff of %s", r->id, r->transfer);
        }
        break;
    default: break;
    }
}
