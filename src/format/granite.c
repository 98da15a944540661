/* SPDX-License-Identifier: Apache-2.0 */
/* granite.c - <|tool_call|> and an array of calls, as Granite 3 writes it. Tests:
 * tests/format/granite_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, CALLS, AFTER, SPOILT };

#define OPENERS                                                                                    \
    {"<|tool_call|>", CALLS, HAFT__ACT_OPEN},                                                      \
    {                                                                                              \
        "<tool_call>", CALLS, HAFT__ACT_OPEN                                                       \
    }

const haft__format haft__format_granite = {
    .name = "granite",
    .grammar = {{.kind = HAFT__FRAME_OBJECT,
                 .open = "<|tool_call|>" HAFT__FRAME_WS "[" HAFT__FRAME_WS,
                 .between = "," HAFT__FRAME_WS,
                 .close = HAFT__FRAME_WS "]",
                 .name_key = "name",
                 .args_key = "arguments",
                 .think = "<think>",
                 .thought = "</think>" HAFT__FRAME_WS}},
    .plain = TEXT,
    .reasoning = THINK,
    .spoilt = SPOILT,
    .json = true,
    .open_ended = true,
    .places =
        {
            [START] = {.bytes = HAFT__BYTES_LAYOUT,
                       .otherwise = TEXT,
                       .marks = {{"<think>", THINK}, OPENERS}},
            [THINK] = {.bytes = HAFT__BYTES_REASONING,
                       .marks = {{"<think>", THINK, HAFT__ACT_REOPEN},
                                 {"</think>", TEXT},
                                 {"<|tool_call|>", THINK, HAFT__ACT_SUSPECT},
                                 {"<tool_call>", THINK, HAFT__ACT_SUSPECT}}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                      .marks = {OPENERS,
                                {"</think>", TEXT, HAFT__ACT_STRAY},
                                {"<think>", THINK, HAFT__ACT_SUPPOSE}}},
            [CALLS] = {.scan = HAFT__SCAN_CALLS, .otherwise = AFTER},
            [AFTER] = {.bytes = HAFT__BYTES_TAIL,
                       .marks = {{"</tool_call>", AFTER},
                                 OPENERS,
                                 {"</think>", AFTER, HAFT__ACT_STRAY},
                                 {"<think>", THINK, HAFT__ACT_SUPPOSE}}},
            [SPOILT] = {.bytes = HAFT__BYTES_NOTHING, .marks = {OPENERS}},
        },
    .render =
        {
            .teach = "You are a helpful assistant with access to the following tools:\n"
                     "%l\n"
                     "\n"
                     "When a tool is required to answer the user's query, respond with "
                     "<|tool_call|> followed by a JSON list of the tools used, and nothing behind "
                     "it:\n"
                     "<|tool_call|>[{\"name\": <tool-name>, \"arguments\": <args-json-object>}]\n"
                     "\n"
                     "You may make several calls in one reply if none of them needs the result of "
                     "another. The results come back in the next message, one behind each "
                     "<|tool_response|>, in the order of the calls. When no tool is needed, answer "
                     "in words.",
            .tool_next = "\n",
            .before = "\n",
            .calls_begin = "<|tool_call|>[",
            .call = "{\"name\": %N, \"arguments\": %a}",
            .call_next = ", ",
            .calls_end = "]",
            .result = "<|tool_response|>%t",
            .result_next = "\n",
            .result_marks = {"<|tool_response|>"},
        },
};
