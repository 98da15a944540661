/* SPDX-License-Identifier: Apache-2.0 */
/*
 * handoffs.c - adds the tools transfer_to_NAME of `handoffs: [NAME or FILE]`.
 *
 * After a handoff, a run still has the agents of the spec that it began with. Therefore the agents
 * of that spec may name each other or that spec, and no agent contains another agent of a handoff.
 * Tests: tests/spec/load/agents_test.c, tests/cli/handoffs_test.py.
 */
#include "base/limits.h"
#include "base/str.h"
#include "run/handoff/handoff.h"
#include "spec/load/load_int.h"
#include "tool/args.h"
#include "tool/traits.h"
#include "json/object.h"

#define PREFIX "transfer_to_"

static bool has_text(haft__json texts, haft_str text)
{
    for (uint32_t i = 0; i < texts.count; i++) {
        if (haft__str_equal(haft__json_text(texts.items[i]), text)) {
            return true;
        }
    }
    return false;
}

/* Whether the name is the name of the outer spec. An agent with this name takes precedence. */
static bool is_outer_spec(const haft__loader *l, haft_str name)
{
    const haft__spec_scope *scope = l->options->scope;
    return scope != NULL && haft__str_equal(scope->name, name)
           && haft__json_get(scope->agents, name) == NULL;
}

bool haft__loader_is_outer_agent(const haft__loader *l, haft_str name)
{
    const haft__spec_scope *scope = l->options->scope;
    bool own = haft__json_get(haft__object_object(l->source, "agents"), name) != NULL;
    return scope != NULL && !own
           && (haft__json_get(scope->agents, name) != NULL || has_text(scope->handoffs, name)
               || is_outer_spec(l, name));
}

/* ---- the tool ---- */

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
           || c == '-';
}

/* Makes the name transfer_to_NAME. For a file, NAME is the file name without directories and
 * extension. */
static haft_str make_tool_name(haft__loader *l, haft_str agent)
{
    haft_str base = agent;
    if (haft__loader_is_spec_file(agent)) {
        for (haft_str rest = agent; rest.len > 0;) {
            base = haft__str_split(&rest, '/');
        }
        while (base.len > 0 && base.ptr[base.len - 1] != '.') {
            base.len--;
        }
        base.len -= base.len > 0;
    }
    char *name = haft__loader_alloc(l, sizeof(PREFIX) + base.len, 1);
    if (name == NULL) {
        return HAFT__LIT("");
    }
    (void)snprintf(name, sizeof(PREFIX) + base.len, "%s%.*s", PREFIX, HAFT__ARG(base));
    for (char *c = name; *c != '\0'; c++) {
        *c = is_name_character(*c) ? *c : '_';
    }
    return haft__str(name);
}

/* Finds the description of the agent in its source, because the outer spec is still being
 * loaded. */
static haft_str find_description(const haft__loader *l, haft_str agent, bool outer)
{
    const haft__spec *spec = haft__spec_find_agent(l->spec, agent);
    if (!outer) {
        return spec != NULL ? spec->description : HAFT__LIT("");
    }
    const haft__json *source = haft__json_get(l->options->scope->agents, agent);
    return source != NULL && !haft__loader_is_spec_file(agent)
               ? haft__object_string(*source, "description")
               : HAFT__LIT("");
}

static haft_str make_description(haft__loader *l, haft_str agent, bool outer)
{
    haft_str about = find_description(l, agent, outer);
    haft_str text =
        haft__arena_format(l->arena,
                           "Hand the conversation to the agent %.*s, who continues it "
                           "in your place.%s%.*s",
                           HAFT__ARG(agent), about.len > 0 ? " " : "", HAFT__ARG(about));
    if (text.ptr == NULL) {
        l->status = haft__arena_fail(l->arena, NULL);
    }
    return text;
}

/* ---- checks ---- */

static void report_unusable(haft__loader *l, haft_str pointer, haft_str agent, const char *why,
                            const char *hint)
{
    haft__spec_problem *problem = haft__loader_error(
        l, pointer, HAFT__SUBJECT_VALUE, "the agent \"%.*s\" %s", HAFT__ARG(agent), why);
    haft__loader_hint(l, problem, "%s", hint);
}

static void report_unpriced(haft__loader *l, haft_str pointer, haft_str agent)
{
    report_unusable(l, pointer, agent, "can ask a model without a price, but limits.usd is set",
                    "write its price into that model: price: {input: .., output: ..}");
}

/* Whether the cost of the agent can be counted, or is not limited. */
static bool has_prices(const haft__loader *l, const haft__spec *agent)
{
    return l->options->kept || !l->spec->limits.has_usd
           || haft__loader_find_unpriced(agent) == NULL;
}

/* Reports agents without a price that get the run only from other agents. */
static void check_later_agents(haft__loader *l)
{
    const haft__spec *spec = l->spec;
    haft__json named = haft__object_array(l->source, "handoffs");
    for (size_t i = 0; i < spec->agent_count && l->status == HAFT_OK; i++) {
        haft_str name = spec->agents[i].name;
        if (spec->agents[i].spec != NULL && !has_text(named, name)
            && haft__spec_is_handoff_target(spec, name) && !has_prices(l, spec->agents[i].spec)) {
            report_unpriced(l, haft__loader_pointer_to_key(l, HAFT__LIT("/agents"), name), name);
        }
    }
}

/* Whether the agent can get a run by a handoff. The agents that it hands off to must be in the spec
 * that the run began with. */
static bool is_usable(haft__loader *l, haft_str name, haft_str pointer)
{
    const haft__spec *agent = haft__spec_find_agent(l->spec, name);
    if (agent == NULL) {
        return false; /* the problem is already reported */
    }
    if (agent->kind != HAFT__SPEC_AGENT) {
        report_unusable(l, pointer, name, "is not of the kind agent",
                        "start it by a tool with agent: instead");
        return false;
    }
    if (!has_prices(l, agent)) {
        report_unpriced(l, pointer, name);
        return false;
    }
    for (size_t i = 0; i < agent->handoff_count; i++) {
        if (!agent->handoffs[i].outer) {
            report_unusable(l, pointer, name, "hands off to an agent that this spec does not have",
                            "add that agent to `agents` of this spec");
            return false;
        }
    }
    return true;
}

void haft__loader_check_child_handoffs(haft__loader *l, const haft__spec *agent, haft_str pointer)
{
    for (size_t i = 0; i < agent->handoff_count; i++) {
        if (agent->handoffs[i].outer) {
            haft__spec_problem *problem = haft__loader_error(
                l, haft__loader_pointer(l, "%.*s/agent", HAFT__ARG(pointer)), HAFT__SUBJECT_VALUE,
                "the agent hands off to agents of the outer spec, which a child run does not have");
            haft__loader_hint(l, problem,
                              "give it `agents` of its own, or name it in `handoffs` only");
            return;
        }
    }
}

/* ---- all ---- */

static void add_handoff(haft__loader *l, haft__handoff *to, haft_str name, haft_str pointer)
{
    bool outer = haft__loader_is_outer_agent(l, name);
    haft__tool tool = {.name = make_tool_name(l, name),
                       .description = make_description(l, name, outer),
                       .source = HAFT__TOOL_HANDOFF,
                       .role = HAFT__ROLE_NEUTRAL,
                       .definition = haft__json_null()};
    haft__traits_init(&tool.traits);
    tool.traits.read_only = true; /* the run itself performs the handoff; the result is not
                                   * cached */
    if (l->status != HAFT_OK || (!outer && !is_usable(l, name, pointer))
        || haft__loader_failed(
            l, haft__args_schema(l->arena, haft__json_array(NULL, 0), &tool.input_schema, NULL))) {
        return;
    }
    if (haft__tools_find(&l->spec->tools, tool.name) != NULL) {
        haft__spec_problem *problem =
            haft__loader_error(l, pointer, HAFT__SUBJECT_VALUE, "two tools have the name \"%.*s\"",
                               HAFT__ARG(tool.name));
        haft__loader_hint(l, problem, "rename one of the two");
        return;
    }
    haft__loader_add_tool(l, &tool, pointer);
    *to = (haft__handoff){
        .tool = tool.name, .agent = is_outer_spec(l, name) ? HAFT__LIT("") : name, .outer = outer};
    l->spec->handoff_count++;
}

void haft__loader_add_handoffs(haft__loader *l)
{
    haft__json names = haft__object_array(l->source, "handoffs");
    haft__handoff *handoffs = haft__loader_alloc(l, names.count, sizeof(*handoffs));
    if (handoffs == NULL || names.count == 0
        || !haft__loader_keys_are_valid(l, "handoffs agents")) {
        return;
    }
    l->spec->handoffs = handoffs;
    if (l->spec->kind != HAFT__SPEC_AGENT) {
        haft__spec_problem *problem = haft__loader_error(
            l, HAFT__LIT("/handoffs"), HAFT__SUBJECT_KEY, "only an agent can hand off");
        haft__loader_hint(l, problem, "write kind: agent, or start the agents by tools");
        return;
    }
    for (uint32_t i = 0; i < names.count && l->status == HAFT_OK; i++) {
        add_handoff(l, &handoffs[l->spec->handoff_count], haft__json_text(names.items[i]),
                    haft__loader_pointer(l, "/handoffs/%u", i));
    }
    check_later_agents(l);
}
