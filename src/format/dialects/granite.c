/* SPDX-License-Identifier: Apache-2.0 */
/* granite.c - <|tool_call|> and an array of calls, as Granite 3 writes it. Tests:
 * tests/format/dialects/granite_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, CALLS, AFTER, MALFORMED };

#define OPENERS                                                                                    \
    {"<|tool_call|>", CALLS, HAFT__ACTION_CALL_BEGIN},                                             \
    {                                                                                              \
        "<tool_call>", CALLS, HAFT__ACTION_CALL_BEGIN                                              \
    }

const haft__format haft__format_granite = {
    .name = "granite",
    .grammar = {{.kind = HAFT__CALL_SYNTAX_OBJECT,
                 .open = "<|tool_call|>" HAFT__SYNTAX_WS "[" HAFT__SYNTAX_WS,
                 .between = "," HAFT__SYNTAX_WS,
                 .close = HAFT__SYNTAX_WS "]",
                 .name_key = "name",
                 .args_key = "arguments",
                 .reasoning_open = "<think>",
                 .reasoning_close = "</think>" HAFT__SYNTAX_WS}},
    .plain = TEXT,
    .reasoning = THINK,
    .malformed = MALFORMED,
    .json = true,
    .open_ended = true,
    .states =
        {
            [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                       .fallback = TEXT,
                       .marks = {{"<think>", THINK}, OPENERS}},
            [THINK] = {.bytes = HAFT__BYTES_REASONING,
                       .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                 {"</think>", TEXT},
                                 {"<|tool_call|>", THINK, HAFT__ACTION_CALL_IN_REASONING},
                                 {"<tool_call>", THINK, HAFT__ACTION_CALL_IN_REASONING}}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                      .marks = {OPENERS,
                                {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
            [CALLS] = {.scan = HAFT__SCAN_CALLS, .fallback = AFTER},
            [AFTER] = {.bytes = HAFT__BYTES_TAIL,
                       .marks = {{"</tool_call>", AFTER},
                                 OPENERS,
                                 {"</think>", AFTER, HAFT__ACTION_REASONING_STRAY_END},
                                 {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
            [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED, .marks = {OPENERS}},
        },
    .render =
        {
            .teach =
                "When a tool is required to answer the user's query, respond with <|tool_call|> "
                "followed by a JSON list of the tools used, and nothing behind it:\n"
                "<|tool_call|>[{\"name\": <tool-name>, \"arguments\": <args-json-object>}]\n"
                "\n"
                "You may make several calls in one reply if none of them needs the result of "
                "another. When no tool is needed, answer in words.",
            .teach_results = "The results come back in the next message, one behind each "
                             "<|tool_response|>, in the order of the calls.",
            .teach_tools = "You have access to the following tools:\n"
                           "%l",
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
