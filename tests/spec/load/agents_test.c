/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/agents.c and handoffs.c: agents that tools start, and handoffs. */
#include "base/str.h"
#include "run/handoff/handoff.h"
#include "spec/spec_help.h"

#define PLAIN          "{haft: 1, name: x, description: Finds a fact.}"
#define AGENT(more)    "{haft: 1, name: x, description: Finds a fact., " more "}"
#define AGENTS(agents) "agents: {" agents "}\n"
#define TOOL(more)     "tools: [{name: ask, " more "}]\n"

static const problem_case agents[] = {
    {AGENTS("digger: " PLAIN) TOOL("agent: digger"), ""},
    {AGENTS("digger: " PLAIN)
         TOOL("agent: digger, description: Count the words of it., limits: {turns: 4}"),
     ""},
    {AGENTS("digger: " PLAIN)
         TOOL("agent: digger, description: Count the words of it., limits: {wall: 0}"),
     "2:88: expected a time above 0, found 0 (leave it out for no limit)"},
    {AGENTS("digger: {haft: 1, name: x}") TOOL("agent: digger"),
     "2:9: the tool \"ask\" has no description, nor has its agent (say in one sentence what the "
     "agent does and returns)"},
    {TOOL("agent: nobody"), "1:28: there is no agent \"nobody\" (add it to `agents`, or name a "
                            "file: NAME.yaml, relative to the spec)"},
    {AGENTS("digger: " AGENT("limits: {turns: 0}")),
     "1:10: warning: the agent \"digger\" is not used: no tool, handoff or node names it\n"
     "1:81: agent digger: expected a number of at least 1, found 0"},
    {AGENTS("digger: " AGENT("limits: {turns: 0}")) TOOL("agent: digger") "handoffs: [digger]\n",
     "1:81: agent digger: expected a number of at least 1, found 0"},
    {AGENTS("a: " AGENT("tools: [{name: ask, agent: b}]") ", b: " AGENT(
         "tools: [{name: ask, agent: a}]")),
     "1:87: agent a: agent b: the agent \"a\" would start itself: it is one of the agents that use "
     "it (let it answer, and start the next agent from above)\n1:170: agent b: agent a: the agent "
     "\"b\" would start itself: it is one of the agents that use it (let it answer, and start the "
     "next agent from above)"},
    {AGENTS("digger: " PLAIN) TOOL("agent: digger, traits: {timeout: 1s}"),
     "2:45: the tool of an agent has no \"timeout\" (limits: {wall: .., turns: ..} of the tool "
     "limit the agent)"},
    {AGENTS("digger: " PLAIN) TOOL("agent: digger, traits: {read_only: true, retries: 2}"),
     "2:62: the tool of an agent has no \"retries\" (limits: {wall: .., turns: ..} of the tool "
     "limit the agent)"},
    {AGENTS("digger: " PLAIN) TOOL("agent: digger, traits: {read_only: true, cache: thread}"),
     "2:62: the tool of an agent has no \"cache\" beyond the run (limits: {wall: .., turns: ..} of "
     "the tool limit the agent)"},
    {AGENTS("digger: " PLAIN) TOOL("agent: digger, command: [ls]"),
     "2:21: the tool has both \"command\" and \"agent\" (a tool has one implementation; make two "
     "tools)"},
    {TOOL("headless: true, description: Count the words of it., args: [], limits: {turns: 1}"),
     "1:9: the key \"agent\" is missing (it is required with limits)"},
};

TEST(agents_of_tools_are_checked)
{
    check_problems(agents, COUNT(agents));
}

static const problem_case handoffs[] = {
    {AGENTS("digger: " PLAIN) "handoffs: [digger]\n", ""},
    {AGENTS("digger: " AGENT("handoffs: [other]") ", other: " AGENT(
         "handoffs: [digger]")) "handoffs: [digger, other]\n",
     ""},
    {"handoffs: [nobody]\n", "1:12: there is no agent \"nobody\" (add it to `agents`, or name a "
                             "file: NAME.yaml, relative to the spec)"},
    {AGENTS("digger: " PLAIN) "handoffs: [digger, digger]\n",
     "2:11: expected items that differ, found items 0 and 1 equal: \"digger\""},
    {AGENTS("digger: " AGENT("agents: {own: " PLAIN "}, handoffs: [own]")) "handoffs: [digger]\n",
     "2:12: the agent \"digger\" hands off to an agent that this spec does not have (add that "
     "agent to `agents` of this spec)"},
    {AGENTS("a/b: " PLAIN ", a.b: " PLAIN) "handoffs: [a/b, a.b]\n",
     "2:17: two tools have the name \"transfer_to_a_b\" (rename one of the two)"},
    {AGENTS("a: " AGENT("handoffs: [b]") ", b: " PLAIN) TOOL("agent: a"),
     "2:28: the agent hands off to agents around it, which a child run does not have (give it "
     "`agents` of its own, or name it in `handoffs` only)"},
    {"handoffs: [1]\n", "1:12: expected string, found integer 1"},
};

TEST(handoffs_are_checked)
{
    check_problems(handoffs, COUNT(handoffs));
}

/* "tool>agent" for each handoff; ^: of the spec around it. */
static haft_str list_handoffs(const haft__spec *spec)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 12);
    for (size_t i = 0; i < spec->handoff_count; i++) {
        haft__buf_addf(&buf, "%s%.*s>%s%.*s", i > 0 ? " " : "", HAFT__ARG(spec->handoffs[i].tool),
                       spec->handoffs[i].outer ? "^" : "", HAFT__ARG(spec->handoffs[i].agent));
    }
    return keep(&buf);
}

TEST(agents_name_each_other_and_the_spec_around_them)
{
    loaded f;
    load(&f, "name: desk\nhandoffs: [digger]\n" AGENTS(
                 "digger: " AGENT("handoffs: [desk, a/b]") ", a/b: " AGENT("handoffs: [digger]")));
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK_STR(list_handoffs(f.spec), HAFT__LIT("transfer_to_digger>digger"), "the spec");
    const haft__spec *digger = haft__spec_find_agent(f.spec, HAFT__LIT("digger"));
    CHECK_STR(list_handoffs(digger), HAFT__LIT("transfer_to_desk>^ transfer_to_a_b>^a/b"),
              "an agent");
    CHECK(haft__spec_find_agent(digger, HAFT__LIT("a/b")) == NULL, "no agent contains another");
    const haft__tool *tool = haft__tools_find(&f.spec->tools, HAFT__LIT("transfer_to_digger"));
    CHECK_STR(tool->description,
              HAFT__LIT("Hand the conversation to the agent digger, who continues it in your "
                        "place. Finds a fact."),
              "its description");
    unload(&f);
}
