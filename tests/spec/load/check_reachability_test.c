/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/check_reachability.c: policies that can end, and those that cannot. */
#include "spec/spec_help.h"

#define WITH_ARTIFACTS                                                                             \
    "builtins: {enabled: [glob, grep, read, complete_workflow, store_artifact]}\n"
#define READING "builtins: {enabled: [glob, grep, read, complete_workflow]}\n"

static const problem_case cases[] = {
    {"kind: workflow\n" WITH_ARTIFACTS, ""},
    {"kind: workflow\n" WITH_ARTIFACTS
     "phases: [{name: a, tools: [glob]}, {name: b, tools: [read, grep]}]\n",
     ""},
    /* complete_workflow must be enabled */
    {"kind: workflow\nbuiltins: {enabled: [glob]}\n",
     "1:7: the workflow can never end: complete_workflow is not enabled (add - builtin: "
     "[complete_workflow] to tools, or write kind: agent)"},
    {"kind: workflow\nbuiltins: {enabled: [glob, complete_workflow], deny: [\"complete_*\"]}\n",
     "1:7: the workflow can never end: complete_workflow is not allowed by builtins (add - "
     "builtin: "
     "[complete_workflow] to tools, or write kind: agent)"},
    /* complete_workflow must be callable */
    {"kind: workflow\n" READING "choice: {default: none}\n",
     "3:19: once the gate is open, no turn allows complete_workflow: the workflow can end only by "
     "chance "
     "(the "
     "default is none; write auto)"},
    {"kind: workflow\n" WITH_ARTIFACTS "choice: {default: none}\n",
     "3:19: the workflow can never end: complete_workflow would always be refused "
     "(complete_workflow "
     "is refused: the work is not finished. Missing: (1) nothing is stored: call store_artifact. "
     "Then "
     "call complete_workflow again.)"},
    {"kind: workflow\n" READING "choice: {schedule: [gate, {tool: complete_workflow}], default: "
     "none}\n",
     ""},
    {"kind: workflow\n" READING "choice: {schedule: [gate, gate, {tool: glob}], default: {tool: "
     "grep}}\n",
     ""},
    {"kind: workflow\n" READING "choice: {schedule: [{tool: glob}, {tool: glob}, {tool: glob}]}\n"
     "limits: {turns: 4}\n",
     "4:17: with 4 turns the workflow cannot be completed: it takes at least 5 (in the last turn "
     "no "
     "tool can be called)"},
    /* a phase whose tool is denied can never be completed */
    {"kind: workflow\nbuiltins: {enabled: [glob, grep, complete_workflow], deny: [grep]}\n"
     "phases: [{name: look, tools: [grep]}]\n",
     "1:7: the workflow can never end: complete_workflow would always be refused "
     "(complete_workflow "
     "is refused: the work is not finished. Missing: (1) phase look: none of its tools can be "
     "called now. Then call complete_workflow "
     "again.)"},
    {"kind: workflow\n" READING "mcp: {servers: {docs: {command: [x]}}}\n"
     "phases: [{name: look, tools: [\"docs:find\"]}]\n",
     "3:1: warning: tools are deferred, and builtins.enabled does not list tool_search: nothing "
     "searches before the first turn, and the model does not see that it can (add tool_search to "
     "builtins.enabled)"},
    /* the schedule allows answers too early */
    {"kind: workflow\n" READING "choice: {schedule: [auto]}\n",
     "3:21: turn 1 is scheduled as auto, but at most 0 of 3 data tools can have been called before "
     "it "
     "(write gate, or choice.schedule_overrides_gate: true)"},
    {"kind: workflow\n" READING "choice: {schedule: [{tool: glob}, none, gate]}\n",
     "3:35: turn 2 is scheduled as none, but at most 1 of 3 data tools can have been called before "
     "it "
     "(write gate, or choice.schedule_overrides_gate: true)"},
    {"kind: workflow\n" READING "choice: {schedule: [{tool: glob}, {tool: grep}, {tool: read}, "
     "auto]}\n",
     ""},
    {"kind: workflow\n" READING "choice: {schedule: [gate, auto]}\n", ""},
    {"kind: workflow\n" READING "choice: {schedule: [auto], schedule_overrides_gate: true}\n", ""},
    {"kind: workflow\n" READING
     "limits: {parallel: 1, overflow: truncate}\nchoice: {schedule: [gate, "
     "gate, auto, gate]}\n",
     "4:33: turn 3 is scheduled as auto, but at most 2 of 3 data tools can have been called before "
     "it "
     "(write gate, or choice.schedule_overrides_gate: true)"},
    /* the schedule allows an artifact too early */
    {"kind: workflow\n" WITH_ARTIFACTS "choice: {schedule: [{tool: store_artifact}]}\n",
     "3:21: turn 1 is scheduled as store_artifact, but at most 0 of 3 data tools can have been "
     "called before it (write gate, or choice.schedule_overrides_gate: true)"},
    {"kind: workflow\n" WITH_ARTIFACTS "choice: {schedule: [gate, {tool: store_artifact}]}\n", ""},
    {"kind: workflow\n" WITH_ARTIFACTS
     "choice: {schedule: [{tool: store_artifact}], schedule_overrides_gate: true}\n",
     ""},
    /* an agent without a gate has no such rules */
    {"builtins: {enabled: [glob]}\nchoice: {schedule: [auto, none, auto]}\n", ""},
    {"builtins: {enabled: [store_artifact]}\nchoice: {schedule: [{tool: store_artifact}]}\n", ""},
    {"choice: {default: none}\n", ""},
    {"choice: {min_tools_for_auto: 0}\nlimits: {turns: 1}\n", ""},
    /* limits that are too small */
    {"kind: workflow\n" WITH_ARTIFACTS "limits: {turns: 2}\n",
     "3:17: with 2 turns the workflow cannot be completed: it takes at least 3 (in the last turn "
     "no "
     "tool can be called)"},
    {"kind: workflow\n" WITH_ARTIFACTS "limits: {turns: 3}\n", ""},
    {"kind: workflow\n" READING "limits: {turns: 2}\n", ""},
    {"kind: workflow\n" READING "limits: {turns: 3, parallel: 1, overflow: truncate}\n",
     "3:17: with 3 turns the workflow cannot be completed: it takes at least 4 (in the last turn "
     "no "
     "tool can be called)"},
    {"kind: workflow\n" READING "limits: {calls: 2}\n",
     "3:17: with 2 calls the workflow cannot be completed: it takes at least 3"},
    {"builtins: {enabled: [glob, grep, read]}\nchoice: {min_tools_for_auto: 3}\nlimits: {turns: 3, "
     "parallel: 1, overflow: truncate}\n",
     "3:17: with 3 turns the gate cannot open: it takes at least 4 (in the last turn no tool "
     "can "
     "be called)"},
    {"builtins: {enabled: [glob, grep, read]}\nchoice: {min_tools_for_auto: 3}\nlimits: {turns: 4, "
     "parallel: 1, overflow: truncate}\n",
     ""},
    {"builtins: {enabled: [glob, grep, read]}\nchoice: {min_tools_for_auto: 3}\nlimits: {turns: "
     "1}\n",
     "3:17: with 1 turns the gate cannot open: it takes at least 2 (in the last turn no tool "
     "can "
     "be called)"},
    /* a forced default that is always refused */
    {"builtins: {enabled: [glob, grep, request_user_input]}\nchoice: {default: "
     "request_user_input}\n",
     "2:19: the default requires \"request_user_input\", whose calls are always refused "
     "(request_user_input is refused: look for the answer yourself before you ask. First, call 2 "
     "more of: glob, grep.)"},
    {"builtins: {enabled: [glob, grep, request_user_input]}\nchoice: {schedule: [any], default: "
     "request_user_input}\n",
     ""},
    {"builtins: {enabled: [request_user_input]}\nchoice: {default: request_user_input}\n", ""},
};

TEST(policies_that_cannot_end_are_rejected)
{
    check_problems(cases, COUNT(cases));
}

TEST(the_check_is_bounded)
{
    haft__buf text;
    haft__buf_init(&text, 4 << 20);
    haft__buf_addf(&text, "kind: workflow\nlimits: {turns: 100000, calls: 1000000}\n"
                          "builtins: {enabled: [complete_workflow]}\nchoice:\n  default: none\n"
                          "  schedule:\n");
    for (int i = 0; i < 1024; i++) {
        haft__buf_addf(&text, "    - gate\n");
    }
    haft__buf_addf(&text, "tools:\n");
    for (int i = 0; i < 2000; i++) {
        haft__buf_addf(&text, "  - {name: t%d, description: Does what t%d does., headless: true}\n",
                       i, i);
    }
    haft_str whole = keep(&text);
    CHECK_STR(problems_of(whole.ptr),
              HAFT__LIT("5:12: once the gate is open, no turn allows complete_workflow: the "
                        "workflow can end only by chance (the default is none; write auto)"),
              "the check ends with its problem");
}
