/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/agents.c and handoffs.c: agents that tools start, and handoffs. */
#include "base/limits.h"
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
     "2:9: the tool \"ask\" has no description, and its agent has none (say in one sentence what "
     "the "
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

#define PRICED   "model: {provider: openai, model: a, price: {input: 1, output: 2}}"
#define UNPRICED "{haft: 1, name: x, description: Finds a fact., model: openai:b}"
#define LIMIT    "limits: {usd: 1}\n"

#define OWN                                                                                        \
    "there is a limit in dollars, but the price of the agent's model is not known (write its "     \
    "price into the model of the agent: price: {input: .., output: ..})"
#define BELOW                                                                                      \
    "there is a limit in dollars, but the agent can ask openai:b, whose price is not known "       \
    "(write its price into that model: price: {input: .., output: ..})"
#define LATER                                                                                      \
    "can ask a model without a price, but limits.usd is set (write its price into that "           \
    "model: price: {input: .., output: ..})"

static const problem_case money[] = {
    {LIMIT AGENTS("low: " UNPRICED) TOOL("agent: low"), "3:28: " OWN},
    {AGENTS("mid: " AGENT(PRICED ", tools: [{name: ask, agent: low}]") ", low: " UNPRICED)
         TOOL("agent: mid"),
     ""},
    {LIMIT AGENTS("mid: " AGENT(PRICED ", tools: [{name: ask, agent: low}]") ", low: " UNPRICED)
         TOOL("agent: mid"),
     "3:28: " BELOW},
    {AGENTS("mid: " AGENT(PRICED ", tools: [{name: ask, agent: low}]") ", low: " UNPRICED)
         TOOL("agent: mid, limits: {usd: 1}"),
     "2:28: " BELOW},
    {LIMIT AGENTS("mid: " AGENT(PRICED ", agents: {low: " UNPRICED "}")) TOOL("agent: mid"),
     "2:143: warning: agent mid: the agent \"low\" is not used: no tool, handoff or node names it"},
    {LIMIT AGENTS("mid: " AGENT(PRICED ", agents: {low: " UNPRICED "}, handoffs: [low]"))
         TOOL("agent: mid"),
     "3:28: " BELOW},
    {LIMIT AGENTS("mid: " AGENT("models: [offline, openai:b]")) TOOL("agent: mid"), "3:28: " BELOW},
    {LIMIT AGENTS("mid: " AGENT("context: {summarise: {model: openai:b}}")) TOOL("agent: mid"),
     "3:28: " BELOW},
    {LIMIT AGENTS("mid: " AGENT("models: [offline, openai:b]")) "handoffs: [mid]\n",
     "3:12: the agent \"mid\" " LATER},
    {LIMIT AGENTS(
         "mid: " AGENT("tools: [{name: ask, agent: low}]") ", low: " UNPRICED) "handoffs: [mid]\n",
     "3:12: the agent \"mid\" " LATER},
    {LIMIT AGENTS("mid: " AGENT("handoffs: [low]") ", low: " UNPRICED) "handoffs: [mid]\n",
     "2:85: the agent \"low\" " LATER},
};

TEST(a_limit_in_dollars_needs_the_prices_of_all_levels)
{
    check_problems(money, COUNT(money));
}

static void add_agents(haft__buf *buf, char level, size_t count, char used, size_t used_count)
{
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(buf, "  %c%zu: {haft: 1, name: x, description: Finds a fact., tools: [",
                       level, i);
        for (size_t k = 0; k < used_count; k++) {
            haft__buf_addf(buf, "%s{name: t%zu, agent: %c%zu}", k > 0 ? ", " : "", k, used, k);
        }
        haft__buf_addf(buf, "]}\n");
    }
}

TEST(agents_of_agents_have_a_limit)
{
    enum { A = 10, B = 8, C = 10, D = 12, LOADED = A * (1 + B * (1 + C)) + B * (1 + C) + C + D };
    CHECK_INT(LOADED, HAFT__LIMIT_SPEC_AGENTS, "the numbers of this test");
    for (size_t more = 0; more < 2; more++) {
        loaded f;
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        haft__buf_addf(&buf, "agents:\n");
        add_agents(&buf, 'a', A, 'b', B); /* each of these uses all of the next level */
        add_agents(&buf, 'b', B, 'c', C);
        add_agents(&buf, 'c', C, ' ', 0);
        add_agents(&buf, 'd', D + more, ' ', 0);
        load(&f, keep(&buf).ptr);
        bool found = strstr(f.listing.ptr, "the spec has more than 1000 agents") != NULL;
        CHECK(found == (more > 0), "%zu more: %.*s", more, HAFT__ARG(f.listing));
        CHECK_INT(f.report.errors, more, "errors with %zu more", more);
        unload(&f);
    }
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
     "2:28: the agent hands off to agents of the outer spec, which a child run does not have (give "
     "it "
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
