/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/check_names.c: names of tools that do not exist. */
#include "spec/spec_help.h"

#define DENIES_NOTHING(pattern)                                                                    \
    "\"" pattern "\" denies nothing: tools are named SERVER:TOOL (for all tools of a "             \
    "server, write \"SERVER:*\"; for those that match in any server, \"*:" pattern "\")"
#define BEFORE " (the part before the : is a server of mcp.servers)"

static const problem_case cases[] = {
    {"enabled_builtins: [glob, grep]\nchoice: {schedule: [{tool: globb}, gate], default: {tool: "
     "read}}\nphases: [{name: a, tools: [grep, search]}]\n",
     "2:28: there is no tool \"globb\" (did you mean glob?)\n"
     "2:59: there is no tool \"read\" (it is a built-in: add it to builtins.enabled)\n"
     "3:1: warning: the phases have no effect (they are a condition for complete_workflow, which "
     "is not "
     "enabled)\n"
     "3:34: there is no tool \"search\" (tools are listed in tools and builtins)"},
    {"choice: {default: autoo}\n", "1:19: there is no tool \"autoo\" (did you mean auto?)"},
    {"choice: {default: gatee}\n",
     "1:19: there is no tool \"gatee\" (tools are listed in tools and builtins)"},
    {"choice: {schedule: [gatee, glob, {type: tool, name: globb}, {type: function, function: "
     "{name: "
     "x}}]}\n",
     "1:21: there is no tool \"gatee\" (did you mean gate?)\n"
     "1:28: there is no tool \"glob\" (it is a built-in: add it to builtins.enabled)\n"
     "1:53: there is no tool \"globb\" (tools are listed in tools and builtins)\n"
     "1:95: there is no tool \"x\" (tools are listed in tools and builtins)"},
    /* tools of servers are known later, but the server must exist */
    {"mcp: {servers: {docs: {command: [x]}}}\nchoice: {schedule: [{tool: \"docs:find\"}, {tool: "
     "\"web:find\"}]}\napprovals: [{tools: [\"docs:send\", \"docs:*\", \"*\", \"*:x\", \"x*\"]}]\n"
     "builtins: {enabled: [tool_search]}\n",
     "2:49: there is no tool \"web:find\" (the part before the : is a server of mcp.servers)\n"
     "3:57: warning: no tool matches \"x*\""},
    {"mcp: {import: mcp.json}\nchoice: {schedule: [{tool: \"web:find\"}]}\napprovals: [{tools: "
     "[\"*\"]}]\nbuiltins: {enabled: [tool_search]}\n",
     ""},
    {"enabled_builtins: [glob]\napprovals: [{traits: [destructive, read_only]}]\n", ""},
    {"tools: [{name: a, headless: true, description: Count the words of it.}]\n"
     "approvals: [{traits: [destructive, idempotent]}]\n",
     "2:22: warning: no tool has one of these traits"},
    {"mcp: {servers: {docs: {command: [x]}}}\nbuiltins: {enabled: [tool_search]}\n"
     "approvals: [{traits: [destructive]}]\n",
     ""},
    {"enabled_builtins: [glob]\napprovals: [{tools: [glob, \"g*\", grep, \"x*\"]}]\n",
     "2:34: there is no tool \"grep\" (it is a built-in: add it to builtins.enabled)\n"
     "2:40: warning: no tool matches \"x*\""},
    {"builtins: {enabled: [glob], allow: [\"g*\", foo], deny: [\"x*\"]}\n",
     "1:43: warning: no built-in tool matches \"foo\"\n"
     "1:56: warning: no built-in tool matches \"x*\""},
    /* patterns of tools of servers */
    {"builtins: {enabled: [tool_search]}\nmcp:\n  servers: {docs: {command: [x]}, mem: {command: "
     "[x]}}\n  allow: [docs, \"docs:*\", \"*:read\", \"m*\", \"*\", \"d*s:z\"]\n  deny: [other, "
     "\"web:*\", \"x*\", \"memo*\"]\n",
     "4:11: warning: \"docs\" matches no tool: tools are named SERVER:TOOL (for all tools of the "
     "server, write \"docs:*\")\n"
     "5:10: " DENIES_NOTHING(
         "other") "\n"
                  "5:17: warning: no server of the spec matches \"web:*\"" BEFORE "\n"
                  "5:26: " DENIES_NOTHING("x*") "\n"
                                                "5:32: " DENIES_NOTHING("memo*")},
    /* a denial without effect is an error: it gives false security */
    {"builtins: {enabled: [tool_search]}\nmcp:\n  servers: {docs: {command: [x]}}\n  allow: "
     "[\"x*\"]\n  deny: [docs, \"delete_*\", \"docs:*\", \"*:delete_*\", \"d*\", \"*_all\", "
     "\"*\"]\n",
     "4:11: warning: no server of the spec matches \"x*\"" BEFORE "\n"
     "5:10: \"docs\" denies nothing: tools are named SERVER:TOOL (for all tools of the "
     "server, write \"docs:*\"; for those that match in any server, \"*:docs\")\n"
     "5:16: " DENIES_NOTHING("delete_*")},
    {"builtins: {enabled: [tool_search]}\nmcp: {import: x, deny: [docs, \"web:*\", \"x*\"]}\n",
     "2:25: " DENIES_NOTHING("docs")},
    /* an invalid tool is not also reported as missing */
    {"tools:\n  - {name: a, description: Does what it should., command: [cat], traits: {retries: "
     "1}}\nchoice: {schedule: [{tool: a}]}\n",
     "2:84: retries on a tool that is neither read_only nor idempotent (a second attempt could "
     "repeat the effect; set idempotent: true if it cannot, or remove retries)"},
    /* if the tools cannot be read, their names are not checked */
    {"tools: 5\nchoice: {schedule: [{tool: a}]}\n", "1:8: expected array, found integer 5"},
    {"tols: []\nchoice: {schedule: [{tool: a}]}\n",
     "1:1: there is no key \"tols\" here (did you mean tools?)"},
};

TEST(named_tools_must_exist)
{
    check_problems(cases, COUNT(cases));
}
