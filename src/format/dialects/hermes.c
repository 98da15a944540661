/* SPDX-License-Identifier: Apache-2.0 */
/* hermes.c - <tool_call>{"name": ..., "arguments": {...}}</tool_call>, as Hermes, Qwen 2.5 and 3,
 * Granite 4 and many others write it. Tests: tests/format/dialects/hermes_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, CALL, AFTER, CLOSED, MALFORMED };

const haft__format haft__format_hermes = {
    .name = "hermes",
    .grammar = {{.kind = HAFT__CALL_SYNTAX_OBJECT,
                 .before = "<tool_call>" HAFT__SYNTAX_WS,
                 .after = HAFT__SYNTAX_WS "</tool_call>",
                 .between = HAFT__SYNTAX_WS,
                 .name_key = "name",
                 .args_key = "arguments",
                 .reasoning_open = "<think>",
                 .reasoning_close = "</think>" HAFT__SYNTAX_WS}},
    .reasoning = THINK,
    .plain = TEXT,
    .malformed = MALFORMED,
    .json = true,
    .states =
        {
            [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                       .fallback = TEXT,
                       .marks = {{"<think>", THINK},
                                 {"<tool_call>", CALL, HAFT__ACTION_CALL_BEGIN}}},
            [THINK] = {.bytes = HAFT__BYTES_REASONING,
                       .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                 {"</think>", TEXT},
                                 {"<tool_call>", THINK, HAFT__ACTION_CALL_IN_REASONING}}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                      .marks = {{"<tool_call>", CALL, HAFT__ACTION_CALL_BEGIN},
                                {"</tool_call>", TEXT, HAFT__ACTION_CALL_STRAY_END},
                                {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
            [CALL] = {.scan = HAFT__SCAN_CALL, .fallback = AFTER},
            [AFTER] = {.bytes = HAFT__BYTES_TAIL,
                       .marks = {{"</tool_call>", CLOSED},
                                 {"<tool_call>", CALL, HAFT__ACTION_CALL_BEGIN},
                                 {"</think>", AFTER, HAFT__ACTION_REASONING_STRAY_END},
                                 {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
            [CLOSED] = {.bytes = HAFT__BYTES_WHITESPACE,
                        .fallback = TEXT,
                        .marks = {{"</tool_call>", CLOSED},
                                  {"<tool_call>", CALL, HAFT__ACTION_CALL_BEGIN}}},
            [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED,
                           .marks = {{"</tool_call>", TEXT},
                                     {"<tool_call>", CALL, HAFT__ACTION_CALL_BEGIN}}},
        },
    .render =
        {
            .teach = "# Tools\n"
                     "\n"
                     "You may call one or more functions to assist with the user query.\n"
                     "\n"
                     "For each function call, return a JSON object with the function's name "
                     "and arguments within <tool_call></tool_call> XML tags:\n"
                     "<tool_call>\n"
                     "{\"name\": <function-name>, \"arguments\": <args-json-object>}\n"
                     "</tool_call>\n"
                     "\n"
                     "You may make several calls in one reply if none of them needs the result "
                     "of another. When no function is needed, answer in words.",
            .teach_results = "After your calls, stop: each result comes back within "
                             "<tool_response></tool_response> XML tags, in the order of the calls.",
            .teach_tools =
                "You are provided with function signatures within <tools></tools> XML tags:\n"
                "<tools>\n"
                "%l\n"
                "</tools>",
            .tool_next = "\n",
            .tool_marks = {"<tools>", "</tools>"},
            .before = "\n",
            .call = "<tool_call>\n"
                    "{\"name\": %N, \"arguments\": %a}\n"
                    "</tool_call>",
            .call_next = "\n",
            .result = "<tool_response>\n"
                      "%t\n"
                      "</tool_response>",
            .result_next = "\n",
            .result_marks = {"<tool_response>", "</tool_response>"},
        },
};
