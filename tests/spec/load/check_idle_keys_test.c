/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/check_idle.c: a key without effect gets a warning. */
#include "spec/spec_help.h"

#define TOOL(rest) "tools: [{name: a, description: Count the words of it., " rest "}]\n"
#define SERVER     "mcp: {servers: {b: {command: [x]}}}\nbuiltins: {enabled: [tool_search]}\n"
#define GLOB       "tools: [{builtin: [glob]}]\n"
#define WORKFLOW   "kind: workflow\nbuiltins: {enabled: [complete_workflow]}\n"
#define PLANNER    "spec: {planner: {type: ReActPlanner, gateway: g, config: {"
#define GATEWAY                                                                                    \
    "resources: {inference_gateways: [{name: g, type: OpenAIGateway, config: {model: gpt-4o}}]}\n"

static const problem_case cases[] = {
    {"model: {provider: script, model: x, base_url: u, options: {temperature: 0}}\n",
     "1:37: warning: \"base_url\" has no effect: this provider asks no server\n"
     "1:50: warning: \"options\" has no effect: this provider asks no server"},
    {"model: {provider: offline, timeouts: {total: 5s}, price: {input: 1, output: 2}}\n",
     "1:28: warning: \"timeouts\" has no effect: this provider asks no server\n"
     "1:51: warning: \"price\" has no effect: this provider asks no server"},
    {"agents: {b: {name: b}}\n",
     "1:10: warning: the agent \"b\" is not used: no tool, handoff or node names it"},
    {"agents: {b: {name: b}}\ntools: [{name: ask_b, description: Count the words., agent: b}]\n",
     ""},
    {"agents: {b: {name: b}}\nhandoffs: [b]\n", ""},
    {"graphs: {g: {nodes: {a: {tool: t}}, edges: [{from: start, to: a}]}}\n",
     "1:1: warning: \"graphs\" has no effect: only the nodes of a graph run graphs"},
    {"pauses: {headless: {deadline: 5m}}\n",
     "1:10: warning: \"headless\" has no effect: no tool is headless"},
    {TOOL("headless: true") "pauses: {headless: {deadline: 5m}}\n", ""},
    {GLOB "pauses: {question: {deadline: 5m}, approval: {deadline: 5m}}\n",
     "2:10: warning: \"question\" has no effect: request_user_input is not enabled, and the spec "
     "has "
     "no MCP server\n"
     "2:36: warning: \"approval\" has no effect: no call needs approval"},
    {"builtins: {enabled: [request_user_input]}\napprovals: [{tools: [request_user_input]}]\n"
     "pauses: {question: {deadline: 5m}, approval: {deadline: 5m}}\n",
     ""},
    {SERVER "pauses: {question: {deadline: 5m}, approval: {deadline: 5m}}\n", ""},
    {TOOL("command: [x], traits: {needs_approval: true}") "pauses: {approval: {deadline: 5m}}\n",
     ""},
    {"model: {provider: script, model: x, family: none}\n",
     "1:37: warning: \"family\" has no effect: this provider asks no server"},
    {"model: {provider: offline, model: x}\n",
     "1:28: warning: \"model\" has no effect: offline has no models"},
    {"model: {provider: openai, model: x, api_key: \"${HOME}\", api_key_env: K}\n",
     "1:57: warning: \"api_key_env\" has no effect: api_key takes precedence"},
    {"model: {provider: openai, model: x, family: none, chat_template: t}\n",
     "1:51: warning: \"chat_template\" has no effect: family takes precedence"},
    {"model: {provider: openai, model: x, constraint: schema, options: {json_schema: {}}}\n",
     "1:37: warning: \"constraint\" has no effect: options have a constraint of their own"},
    {"model: {provider: openai, model: x, constraint: schema}\n", ""},
    {TOOL("headless: true, stdin: x, env: {A: b}"),
     "1:72: warning: \"stdin\" has no effect: the tool has no command\n"
     "1:82: warning: \"env\" has no effect: the tool has no command"},
    {TOOL("headless: true, root: {}"),
     "1:72: warning: \"root\" has no effect: the tool has no command"},
    {TOOL("command: [x], stdin: x, env: {A: b}"), ""},
    {TOOL("command: [x], traits: {cache: {scope: none, ttl: 5m}}"),
     "1:100: warning: \"ttl\" has no effect: with the scope none, no result is reused"},
    {TOOL("command: [x], traits: {idempotent: true, cache: {scope: none, ttl: 5m}}"), ""},
    {TOOL("command: [x], traits: {read_only: true, cache: {scope: run, ttl: 5m}}"), ""},
    {TOOL("headless: true, traits: {timeout: 5s}"),
     "1:81: warning: \"timeout\" has no effect: the tool is headless; pauses.headless has the "
     "deadline of its answers"},
    {"mcp: {servers: {a: {url: u, cwd: x, args: [y]}, b: {command: [x], headers: {A: b}}}}\n"
     "builtins: {enabled: [tool_search]}\n",
     "1:29: warning: \"cwd\" has no effect: the server has no command\n"
     "1:37: warning: \"args\" has no effect: the server has no command\n"
     "1:67: warning: \"headers\" has no effect: the server has no url"},
    {"approve_destructive: false\nmax_mcp_tools: 3\ntool_search: {}\n",
     "1:1: warning: \"approve_destructive\" has no effect: the spec has no MCP server\n"
     "2:1: warning: \"max_mcp_tools\" has no effect: no tool is deferred\n"
     "3:1: warning: \"tool_search\" has no effect: no tool is deferred"},
    {SERVER "approve_destructive: false\nmax_mcp_tools: 3\ntool_search: {}\n", ""},
    {SERVER "tool_search: {embeddings: {base_url: http://h/, model: m, api_key: \"${HOME}\", "
            "api_key_env: K}}\n",
     "3:79: warning: \"api_key_env\" has no effect: api_key takes precedence"},
    {"root: src\n", "1:1: warning: \"root\" has no effect: none of glob, grep and read is enabled"},
    {GLOB "root: src\n", ""},
    {GLOB "choice: {schedule_overrides_gate: true}\n",
     "2:10: warning: \"schedule_overrides_gate\" has no effect: there is no schedule"},
    {GLOB "choice: {schedule_overrides_gate: true, schedule: [auto]}\n",
     "2:10: warning: \"schedule_overrides_gate\" has no effect: there is no gate"},
    {"limits: {reminders: 3}\n",
     "1:10: warning: \"reminders\" has no effect: only a workflow is reminded"},
    {WORKFLOW "limits: {reminders: 3}\n", ""},
    {PLANNER "gateway: g}}}\n" GATEWAY,
     "1:38: warning: \"gateway\" has no effect: config.gateway takes precedence"},
    {PLANNER "}}}\n" GATEWAY, ""},
};

TEST(a_key_without_effect_gets_a_warning)
{
    check_problems(cases, COUNT(cases));
}
