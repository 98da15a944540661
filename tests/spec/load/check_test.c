/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/check.c: keys that need each other, and warnings. */
#include "spec/spec_help.h"

#define TOOL(rest)                                                                                 \
    "tools: [{name: a, headless: true, description: Count the words of it., " rest "}]\n"

#define WEB(url)                                                                                   \
    "tools: [{name: a, args: [a, b], description: Look up the words of it., http: {url: \"" url    \
    "\", body: \"{a}{b}\"}}]\n"
#define HOST(name)                                                                                 \
    "1:84: the argument \"" name                                                                   \
    "\" would choose the host (arguments are allowed only in the path and after it)"

#define SEARCHES "builtins: {enabled: [tool_search]}\n"
#define SEARCHED "mcp: {servers: {b: {command: [x]}}}\n" SEARCHES
#define UNLISTED_SEARCH(place)                                                                     \
    place ": warning: tools are deferred, and builtins.enabled does not list tool_search: "        \
          "nothing searches before the first turn, and the model does not see that it can (add "   \
          "tool_search to builtins.enabled)"

#define LOST(place)                                                                                \
    place ": warning: tools are deferred, and can never be used: builtins denies the tool that "   \
          "finds them (builtins.allow and builtins.deny must permit tool_search)"

static const problem_case cases[] = {
    {"kind: graph\n",
     "1:7: the kind is graph, but there is no graph (describe it under the key graph)"},
    {"graph: {nodes: {a: {do: []}}, edges: [{from: start, to: a}]}\n",
     "1:1: there is a graph, but the kind is not graph (write kind: graph)"},
    {"kind: graph\ngraph: {edges: [], nods: {}}\n",
     "2:8: the key \"nodes\" is missing\n2:20: there is no key \"nods\" here (did you mean "
     "nodes?)"},
    {"mcp: {servers: {a: {command: [x], env: {API_TOKEN: abcDEF123, PATH: /bin, X_KEY: '${K}', "
     "A_KEY: '77', WORD: Abc}}}}\n" SEARCHES,
     "1:52: warning: this looks like a secret in the spec, which is stored with every run "
     "(name a variable instead: ${VAR}, or import the server)"},
    {"mcp: {servers: {a: {url: 'http://x', headers: {Authorization: Bearer abc, Accept: "
     "x/y}}}}\n" SEARCHES,
     "1:63: warning: this looks like a secret in the spec, which is stored with every run "
     "(name a variable instead: ${VAR}, or import the server)"},
    {"mcp: {servers: {a: {}, b: {command: [x], url: y}, c: {url: y}, \"d\": {command: "
     "[x]}}}\n" SEARCHES,
     "1:17: the server has no command and no url (it needs one of the two)\n"
     "1:24: the server has both a command and a url (it needs one of the two)"},
    {"mcp: {servers: {a: {command: x, args: [y], cwd: z, trust: true, timeout: 5s, roots: "
     "[.]}}}\n" SEARCHES,
     ""},
    {"mcp: {servers: {a: {command: x, timeout: 25h}}}\n" SEARCHES,
     "1:42: expected a duration such as 30s, at most 24 hours, found string"},
    {"model: {provider: openai, model: x, options: {temperature: 0, stream: false, tools: []}}\n",
     "1:63: warning: the option \"stream\" is not sent: haft sets it itself\n"
     "1:78: warning: the option \"tools\" is not sent: haft sets it itself"},
    {"tool_search: {embeddings: {base_url: u, model: m, api_key: abc}}\n" SEARCHED,
     "1:60: warning: this looks like an API key in the spec (name a variable instead: "
     "api_key: ${OPENAI_API_KEY})"},
    {"tool_search: {embeddings: {base_url: u}}\n" SEARCHED, "1:27: the key \"model\" is missing"},
    {"tool_search: {embeddings: {base_url: u, model: m, timeout: 1m}}\n" SEARCHED, ""},
    {"tool_search: {embeddings: {base_url: u, model: m, timeout: 60001ms}}\n" SEARCHED,
     "1:60: expected a time above 0 and at most 60 seconds, found 60001 ms (a search waits this "
     "long for vectors, then continues without them)"},
    {"tool_search: {embeddings: {base_url: u, model: m, timeout: 0}}\n" SEARCHED,
     "1:60: expected a time above 0 and at most 60 seconds, found 0 ms (a search waits this long "
     "for vectors, then continues without them)"},
    {"builtins: {enabled: [glob]}\napprovals: [{traits: [read_only], deadline: 0s}]\n",
     "2:45: expected a time above 0, found 0 (leave it out for no limit)"},
    {"builtins: {enabled: [glob]}\napprovals: [{traits: [read_only], on_expire: reject}]\n"
     "pauses: {approval: {deadline: 1h}}\n",
     "2:35: warning: on_expire has no effect without a deadline (add a deadline to the rule; "
     "otherwise pauses.approval decides)"},
    {"builtins: {enabled: [glob]}\n"
     "approvals: [{traits: [read_only], deadline: 1h, on_expire: reject}]\n",
     ""},
    {"pauses: {unknown_outcome: {deadline: 0}}\n",
     "1:38: expected a time above 0, found 0 (leave it out for no limit)"},
    {"builtins: {enabled: [glob]}\napprovals: [{}, {traits: [read_only]}]\n",
     "2:13: the rule applies to no tool (give it tools or traits; tools: [\"*\"] means all)"},
    {"tools: [{name: search, headless: true, description: Searches stuff.}]\n",
     "1:53: warning: the description says little beyond filler words: name what the tool works on"},
    /* a name that a format reserves */
    {"formats: [functionary_v32]\n"
     "tools: [{name: all, headless: true, description: Lists each customer of the shop.}]\n",
     "2:16: warning: \"all\" cannot be called in functionary_v32 (the format uses this name for "
     "the user; rename the tool)"},
    {"tools: [{name: all, headless: true, description: Lists each customer of the shop.}]\n", ""},
    /* destructive tools */
    {TOOL("traits: {destructive: true}"),
     "1:94: warning: \"a\" is destructive, but its calls need no approval (add approvals: "
     "[{traits: [destructive]}])"},
    {TOOL("traits: {destructive: true, needs_approval: true}"), ""},
    {TOOL("traits: {destructive: true}") "approvals: [{traits: [read_only, destructive]}]\n", ""},
    {TOOL("traits: {destructive: true}") "approvals: [{tools: [\"a*\"]}]\n", ""},
    {TOOL("traits: {destructive: true}") "approvals: [{traits: [idempotent]}]\n",
     "1:94: warning: \"a\" is destructive, but its calls need no approval (add approvals: "
     "[{traits: [destructive]}])\n"
     "2:22: warning: no tool has this trait"},
    /* the host of an HTTP tool */
    {WEB("https://h/{a}?b={b}&c={ c }#{b}"), ""},
    {WEB("https://${H}{a}"), ""},
    {WEB("https://h/{c}${c}"), "1:84: warning: the tool has no argument \"c\""},
    {WEB("https://{a}.h/{b}"), HOST("a")},
    {WEB("https://h{a}"), HOST("a")},
    {WEB("https://h:{b}/"), HOST("b")},
    {WEB("https://a:{b}@h/"), HOST("b")},
    /* the gate */
    {TOOL("traits: {return_direct: true}"), ""},
    {TOOL("traits: {return_direct: true}") "choice: {min_tools_for_auto: 1}\n",
     "1:96: warning: \"a\" does not return directly while the gate is closed (the gate is on "
     "for a workflow, and with min_tools_for_auto)"},
    {"enabled_builtins: [glob]\nchoice: {min_tools_for_auto: 3}\n",
     "2:30: warning: 3 different data tools are required, but there is only 1 (the gate opens when "
     "all of them have been called)"},
    {"enabled_builtins: [glob]\nlimits: {turns: 3}\nchoice: {schedule: [auto, auto, auto]}\n",
     "3:10: warning: the schedule has 3 entries, but the last of 3 turns is always none"},
    {"enabled_builtins: [glob]\nphases: [{name: a, tools: [glob]}]\n",
     "2:1: warning: the phases have no effect (they are a condition for complete_workflow, which "
     "is not "
     "enabled)"},
    {"enabled_builtins: [glob, complete_workflow]\nphases: [{name: a, tools: [glob]}]\n", ""},
    /* formats that the model cannot use */
    {"model: {provider: openai, model: x, native_tools: false}\nformats: {primary: codemode}\n",
     "2:10: no enabled format can be used: the model has no native tool calls, and codemode "
     "needs python_execution (enable a text format, for example purejson, or the built-in "
     "python_execution, or leave out native_tools)"},
    {"model: {provider: openai, model: x, native_tools: false}\nformats: [native]\n",
     "2:10: no enabled format can be used: the model has no native tool calls (enable a text "
     "format, for example purejson, or leave out native_tools)"},
    {"model: {provider: openai, model: x, native_tools: false}\nformats: [native, purejson]\n", ""},
    {"model: {provider: openai, model: x, native_tools: false}\n", ""},
    {"model: {provider: openai, model: x}\nformats: {primary: codemode}\n",
     "2:10: no enabled format can be used: codemode needs python_execution (enable a text format, "
     "for example purejson, or the built-in python_execution, or native)"},
    {"model: {provider: openai, model: x}\ntool_call_formats: [code]\n",
     "2:20: no enabled format can be used: codemode needs python_execution (enable a text format, "
     "for example purejson, or the built-in python_execution, or native)"},
    {"model: {provider: openai, model: x}\nformats: [code, hermes]\n", ""},
    /* built-ins that lack something */
    {"enabled_builtins: [tool_search, execute_sql, search_schemas, python_execution]\n",
     "1:1: warning: tool_search is enabled but never offered: there is no MCP server to search\n"
     "1:1: warning: execute_sql is enabled but never offered: the spec has no databases\n"
     "1:1: warning: search_schemas is enabled but never offered: the spec has no databases\n"
     "1:1: warning: python_execution is enabled but never offered: the format codemode is not "
     "enabled"},
    {"enabled_builtins: [tool_search, execute_sql, search_schemas, python_execution]\nformats: "
     "[codemode, hermes]\nmcp: {import: x}\ndatabases: {d: {url: \"sqlite:x\"}}\n",
     ""},
    /* deferred tools, but tool_search is not enabled */
    {"mcp: {servers: {a: {command: [x]}}}\n", ""},
    {"mcp: {servers: {a: {command: [x]}}}\nbuiltins: {enabled: []}\n", UNLISTED_SEARCH("1:1")},
    {"mcp: {servers: {a: {command: [x]}}}\nenabled_builtins: [glob]\n", UNLISTED_SEARCH("1:1")},
    {"limits: {repeats: {hint: 2, refuse: 3, end: 4}}\n", ""},
    {"limits: {repeats: {hint: 6}}\n", "1:19: expected hint < refuse < end, found 6, 6 and 10 (the "
                                       "defaults are {hint: 3, refuse: 6, end: "
                                       "10})"},
    {"limits: {repeats: {end: 6}}\n", "1:19: expected hint < refuse < end, found 3, 6 and 6 (the "
                                      "defaults are {hint: 3, refuse: 6, end: "
                                      "10})"},
    {"limits: {repeats: {hint: 1}}\n", "1:26: expected a number of at least 2, found 1"},
    {"limits: {repeats: {ask: 1}}\n", "1:20: there is no key \"ask\" here"},
    {"mcp: {import: x}\n", ""}, /* the contents of the file are not known here */
    {"mcp: {servers: {a: {command: [x], enabled: false}}}\n", ""},
    {"mcp: {servers: {a: {command: [x]}}, deny: [\"*\"]}\n", ""},
    {"builtins: {enabled: [tool_search]}\nmcp: {servers: {a: {command: [x]}}}\n", ""},
    {"builtins: {deny: [tool_search]}\nmcp: {servers: {a: {command: [x]}}}\n", LOST("2:1")},
    {"builtins: {allow: [grep]}\nmcp: {servers: {a: {command: [x]}}}\n", LOST("2:1")},
    {"builtins: {allow: [grep]}\nmcp: {servers: {a: {command: [x], enabled: false}}}\n", ""},
    {TOOL("") "model: {provider: openai, model: x, context_tokens: 100}\n", ""},
    {TOOL("") "model: {provider: openai, model: x, context_tokens: 100}\nbuiltins: {enabled: "
              "[glob]}\n",
     UNLISTED_SEARCH("1:1")},
    {TOOL("") "model: {provider: openai, model: x, context_tokens: 100}\n"
              "enabled_builtins: [tool_search]\n",
     ""},
    {TOOL("") "model: {provider: openai, model: x, context_tokens: 20000}\n", ""},
};

TEST(problems_that_a_schema_cannot_express_are_reported)
{
    check_problems(cases, COUNT(cases));
}
