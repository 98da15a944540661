/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/graphs.c and the agents of nodes in agents.c: graphs in a spec, and what
 * is wrong with them, with its place. */
#include "base/limits.h"
#include "base/str.h"
#include "spec/spec_help.h"
#include "json/object.h"

#define HEAD       "kind: graph\nmodel: offline\n"
#define EDGES      "  edges: [{from: start, to: a}]\n"
#define TOOLS      "tools: [{name: t, description: Counts the words., args: [n], command: [wc]}]\n"
#define NODE(rest) HEAD TOOLS "graph:\n  channels: {x: {}}\n  nodes:\n    a: {" rest "}\n" EDGES
#define INSIDE     "channels: {y: {}}, nodes: {b: {do: []}}, edges: [{from: start, to: b}]"

static const problem_case cases[] = {
    {NODE("do: []"), ""},
    /* what the schema says */
    {NODE("do: [{st: {x: 1}}]"), "7:15: there is no key \"st\" here (did you mean set?)"},
    {NODE("do: [{effect: x}]"), "7:15: there is no key \"effect\" here"},
    {NODE("do: [{copy: {x: y}}]"),
     "7:25: does not match the pattern ^(/([^~]|~[01])*)?$: found \"y\""},
    {NODE("do: [], retry: {attempts: 101}"), "7:35: expected a number of at most 100, found 101"},
    {NODE("do: [], pause: never"),
     "7:24: expected one of \"before\", \"after\", \"both\", found \"never\""},
    /* what src/graph says */
    {NODE("do: [{set: {zz: 1}}]"), "7:21: unknown_channel: no channel is named 'zz'"},
    {NODE("do: [{goto: zz}]"), "7:21: unknown_node: no node is named 'zz'"},
    {NODE("do: [], ask: what?"), "7:5: bad_shape: the node 'a' has 2 of do, agent, tool, function, "
                                 "graph and ask; it must have one"},
    {HEAD "graph:\n  nodes: {a: {do: []}, b: {do: []}}\n  edges: [{from: start, to: a}, {from: a, "
          "to: b}, {from: b, to: a}]\n",
     "4:11: endless: no path leads from the node 'a' to an end: a -> b -> a; add a path to end, or "
     "on_limit"},
    {HEAD "graph:\n  channels: {x: {}}\n  nodes: {a: {do: [{set: {x: 1}}]}, b: {do: [{set: {x: "
          "1}}]}}\n  edges: [{from: start, to: [a, b]}]\n",
     "4:14: two_writers: the nodes 'a' and 'b' write the channel 'x' in one step; give it a "
     "reducer such as append or last"},
    {HEAD "graph:\n  channels: {x: {}}\n  nodes: {a: {do: [{goto: b}]}, b: {do: []}}\n  edges: "
          "[{from: start, to: a}, {from: a, to: b}]\n",
     "5:27: warning: goto_beside: the node 'a' has edges, too: because of this goto they are never "
     "followed"},
    /* keys */
    {NODE("do: [], task: x"), "7:17: warning: \"task\" has no effect in a node with do"},
    {NODE("ask: {question: q}, args: {}"),
     "7:29: warning: \"args\" has no effect in a node with ask"},
    {HEAD "instructions: Be short.\ngraph: {nodes: {a: {do: []}}, edges: [{from: start, to: a}]}\n",
     "3:1: warning: \"instructions\" has no effect: a graph asks no model itself; its agents have "
     "these keys"},
    {NODE("tool: t, args: {n: /x}, timeout: 0"),
     "7:42: expected a time above 0, found 0 (leave it out for no limit)"},
    {NODE("ask: {question: q, deadline: 0s}"),
     "7:38: expected a time above 0, found 0 (leave it out for no limit)"},
    {NODE("ask: {question: q, deadline: 99999999999999999999d}"),
     "7:38: '99999999999999999999d' is too long for a duration"},
    /* conditions */
    {NODE("do: [{if: {at: /x, op: eq}, then: []}]"),
     "7:19: eq needs a value to compare with (add value: with the value to compare with)"},
    {HEAD "graph:\n  channels: {x: {}}\n  nodes: {a: {do: []}}\n  edges: [{from: start, to: a}, "
          "{from: a, choose: [{when: {at: /x, op: in, value: 3}, to: a}, {to: end}]}]\n",
     "6:83: expected a list of values for in, found number"},
    /* no graph is around the outermost one */
    {NODE("do: [{parent: {goto: b}}]"), "7:15: this graph has no parent graph, so `parent` cannot "
                                        "be used (use goto, or write the graph "
                                        "under graphs and run it by a node)"},
    {NODE("do: [{if: {at: /x, op: exists}, then: [{parent: {goto: b}}]}]"),
     "7:49: this graph has no parent graph, so `parent` cannot be used (use goto, or write the "
     "graph "
     "under graphs and run it by a node)"},
    {NODE("graph: g") "graphs: {g: {channels: {x: {}}, nodes: {b: {do: [{parent: {goto: end}}]}}, "
                      "edges: [{from: start, to: b}]}}\n",
     ""},
    /* tools */
    {NODE("tool: t, args: {n: /x}"), ""},
    {NODE("tool: t, args: {n: {value: 1}}"), ""},
    {NODE("tool: tt"), "7:15: there is no tool \"tt\" (did you mean t?)"},
    {NODE("tool: t"),
     "7:15: the tool \"t\" needs the argument \"n\" (add args: {n: /channel}, or {value: ..})"},
    {NODE("tool: t, args: {n: /x, m: /x}"), "7:32: the tool \"t\" has no argument \"m\""},
    {NODE("tool: t, args: {n: /x}, cache: {scope: run}"),
     "7:33: the tool \"t\" is neither read_only nor idempotent, so its result cannot be reused "
     "(leave out cache, or give the tool one of these traits)"},
    /* agents */
    {NODE("agent: {instructions: Be short.}, task: '{/x}', out: {x: ''}"), ""},
    {NODE("agent: {instructions: Be short.}"),
     "7:9: the agent has no task (write task: with a template, such as \"{/question}\")"},
    {NODE("agent: {instrctions: x}, task: x"),
     "7:30: agent a: there is no key \"instrctions\" here (did you mean instructions?)"},
    {NODE("agent: zz, task: x"), "7:16: there is no agent \"zz\" (add it to `agents`, or name a "
                                 "file: NAME.yaml, relative to the spec)"},
    {HEAD "agents: {d: {description: Digs.}}\ngraph: {nodes: {a: {agent: d, task: x}}, edges: "
          "[{from: start, to: a}]}\n",
     ""},
    /* graphs inside */
    {NODE("graph: g, in: {y: /x}") "graphs: {g: {" INSIDE "}}\n", ""},
    {NODE("graph: gg") "graphs: {g: {" INSIDE "}}\n",
     "7:16: unknown_graph: no graph is named 'gg'"},
    {NODE("graph: g, in: {z: /x}") "graphs: {g: {" INSIDE "}}\n",
     "7:24: unknown_channel: the graph 'g' has no channel 'z'"},
    {NODE("graph: g") "graphs: {g: {nodes: {b: {do: [{set: {q: 1}}]}}, edges: [{from: start, to: "
                      "b}]}}\n",
     "9:38: unknown_channel: no channel is named 'q'"},
    {NODE("graph: g") "graphs:\n  g: {nodes: {b: {do: [{call: h}]}}, edges: [{from: start, to: "
                      "b}]}\n  h: {nodes: {c: {graph: g}}, edges: [{from: start, to: c}]}\n",
     "10:3: the graph \"g\" would run itself: g -> h -> g (use an edge that leads back inside one "
     "graph)"},
    {NODE("function: f"), "7:19: no function is named \"f\" (only a C program that adds it can run "
                          "this graph; this one has none)"},
    {NODE("graph: g") "graphs:\n  g: {channels: {y: {reducer: 'custom:f'}}, nodes: {b: {function: "
                      "f}}, edges: [{from: start, to: b}]}\n",
     "10:31: no reducer is named \"f\" (only a C program that adds it can run this graph; this one "
     "has none)\n10:67: no function is named \"f\" (only a C program that adds it can run this "
     "graph; this one has none)"},
    {NODE("do: [{ask: x}], cache: {scope: thread}"),
     "7:25: answers and graphs of a node are reused only within its run (write cache: {scope: "
     "run})"},
    {NODE("ask: x, cache: true"),
     "7:17: the output of a node with ask cannot be reused (leave out cache: nodes with do or tool "
     "can have one)"},
    {NODE("do: [], cache: {scope: global, ttl: 1s}"), ""},
    {NODE("do: [], retry: {on: [timeout, refused]}"), ""},
    {NODE("do: [], retry: {on: [io]}"),
     "7:30: expected one of \"error\", \"timeout\", \"transient\", \"refused\", found \"io\""},
    {NODE("do: [], timeout: 1s"),
     "7:17: \"timeout\" in a node with do is the time for an answer, and no operation asks (a "
     "graph "
     "that `call` runs has limits of its own: give it a node with graph and timeout)"},
    {NODE("do: [{if: {at: /x, op: eq, value: 1}, then: [{set: {x: 2}}], else: [{ask: x}]}], "
          "timeout: 1s"),
     ""},
    {NODE("ask: x, in: {x: /x}"), "7:17: warning: \"in\" has no effect in a node with ask"},
    /* tools of servers */
    {NODE("tool: 's:t', args: {q: /x}") "mcp: {servers: {s: {command: [x]}}}\n", ""},
    {NODE("tool: 's:t'"),
     "7:15: there is no tool \"s:t\" (the part before the : is a server of mcp.servers)"},
    {NODE("tool: 's:t', cache: true") "mcp: {servers: {s: {command: [x]}}}\n",
     "7:22: it is not known whether the tool \"s:t\" of a server is read_only or idempotent, so "
     "its "
     "result cannot be reused (leave out cache)"},
};

static haft_str check_graph(loaded *f, haft_str text)
{
    haft__spec_options options = {.hash_key = {1, 2}};
    load_with(f, text, &options);
    return f->listing;
}

TEST(graphs_have_their_problems_with_places)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        loaded f;
        haft_str problems = check_graph(&f, haft__str(cases[i].text));
        CHECK_STR(problems, haft__str(cases[i].problems), "%s", cases[i].text);
        unload(&f);
    }
}

TEST(a_spec_is_inspected_without_functions_of_the_program)
{
    const haft_str text = haft__str(NODE("function: f, out: {x: ''}") //
                                    "graphs: {g: {channels: {y: {reducer: 'custom:r'}}, nodes: {b: "
                                    "{function: h}}, edges: [{from: start, to: b}]}}\n");
    loaded f;
    haft__spec_options options = {.hash_key = {1, 2}, .check_only = true};
    load_with(&f, text, &options);
    CHECK_STR(f.listing, HAFT__LIT(""), "problems");
    unload(&f);
    (void)check_graph(&f, text);
    CHECK(f.spec == NULL && f.listing.len > 0, "a run needs the functions");
    unload(&f);
}

TEST(a_rule_for_a_reducer_has_no_effect)
{
    static const struct {
        const char *tools, *problems;
    } rules[] = {
        {"\"*\", function:f", ""},
        {"reducer:r", "7:22: warning: a reducer is a part of a step and needs no approval"},
        {"\"reducer:*\"", "7:22: warning: no tool matches \"reducer:*\""},
        {"reducer:q", "7:22: there is no tool \"reducer:q\" (did you mean reducer:r?)"},
    };
    for (size_t i = 0; i < COUNT(rules); i++) {
        loaded f;
        haft__buf text;
        haft__spec_options options = {.hash_key = {1, 2}, .check_only = true};
        haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
        haft__buf_addf(&text,
                       HEAD "graph:\n  channels: {x: {reducer: 'custom:r'}}\n  nodes: {a: "
                            "{function: f}}\n" EDGES "approvals: [{tools: [%s]}]\n",
                       rules[i].tools);
        load_with(&f, haft__buf_str(&text), &options);
        CHECK_STR(f.listing, haft__str(rules[i].problems), "%s", rules[i].tools);
        unload(&f);
        haft__buf_finish(&text);
    }
}

TEST(an_agent_at_a_node_is_loaded_and_kept_in_the_source)
{
    loaded f;
    (void)check_graph(&f, haft__str(NODE("agent: {instructions: Be short.}, task: x")));
    CHECK_INT(f.spec->agent_count, 1, "agents");
    CHECK_STR(f.spec->agents[0].name, HAFT__LIT("/graph/nodes/a/agent"), "its name");
    CHECK_STR(f.spec->agents[0].spec->instructions, HAFT__LIT("Be short."), "its spec");
    haft__json nodes = haft__object_object(f.spec->graph, "nodes");
    haft__json agent = haft__object_object(haft__object_object(nodes, "a"), "agent");
    CHECK_STR(haft__object_string(agent, "model"), HAFT__LIT("offline"), "with the outer model");
    unload(&f);
}

TEST(graphs_are_nested_up_to_a_limit)
{
    for (size_t past = 0; past < 2; past++) {
        loaded f;
        haft__buf text;
        haft__buf_init(&text, HAFT__LIMIT_SPEC_BYTES);
        haft__buf_addf(&text, "%sgraphs:\n", NODE("graph: g1"));
        size_t levels = HAFT__LIMIT_CHILD_DEPTH + past;
        for (size_t i = 1; i <= levels; i++) {
            haft__buf_addf(&text, "  g%zu: {nodes: {b: {", i);
            if (i < levels) {
                haft__buf_addf(&text, "graph: g%zu", i + 1);
            } else {
                haft__buf_addf(&text, "do: []");
            }
            haft__buf_addf(&text, "}}, edges: [{from: start, to: b}]}\n");
        }
        haft_str problems = check_graph(&f, haft__buf_str(&text));
        CHECK_INT(problems.len > 0, past > 0, "%.*s", HAFT__ARG(problems));
        unload(&f);
        haft__buf_finish(&text);
    }
}
