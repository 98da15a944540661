/* SPDX-License-Identifier: Apache-2.0 */
/* command_r.c - <|START_ACTION|>, an array of calls and <|END_ACTION|>, as Command R writes it.
 * Tests: tests/format/dialects/command_r_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, CALLS, AFTER, MALFORMED };

#define ACTION                                                                                     \
    {                                                                                              \
        "<|START_ACTION|>", CALLS, HAFT__ACTION_CALL_BEGIN                                         \
    }
#define RESPONSES                                                                                  \
    {"<|START_RESPONSE|>", TEXT},                                                                  \
    {                                                                                              \
        "<|START_TEXT|>", TEXT                                                                     \
    }

const haft__format haft__format_command_r = {
    .name = "command_r",
    .grammar = {{.kind = HAFT__CALL_SYNTAX_OBJECT,
                 .open = "<|START_ACTION|>" HAFT__SYNTAX_WS "[" HAFT__SYNTAX_WS,
                 .between = "," HAFT__SYNTAX_WS,
                 .close = HAFT__SYNTAX_WS "]" HAFT__SYNTAX_WS "<|END_ACTION|>",
                 .id_key = "tool_call_id",
                 .name_key = "tool_name",
                 .args_key = "parameters",
                 .reasoning_open = "<|START_THINKING|>",
                 .reasoning_close = "<|END_THINKING|>" HAFT__SYNTAX_WS}},
    .plain = TEXT,
    .reasoning = THINK,
    .malformed = MALFORMED,
    .json = true,
    .states =
        {
            [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                       .fallback = TEXT,
                       .marks = {{"<|START_THINKING|>", THINK},
                                 {"<|END_THINKING|>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                 ACTION,
                                 RESPONSES}},
            [THINK] = {.bytes = HAFT__BYTES_REASONING,
                       .marks = {{"<|START_THINKING|>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                 {"<|END_THINKING|>", START},
                                 {"<|START_ACTION|>", THINK, HAFT__ACTION_CALL_IN_REASONING}}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                      .marks = {{"<|END_RESPONSE|>", START},
                                {"<|END_TEXT|>", START},
                                {"<|END_THINKING|>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                {"<|END_ACTION|>", TEXT, HAFT__ACTION_CALL_STRAY_TOKEN},
                                ACTION,
                                RESPONSES,
                                {"<|START_THINKING|>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
            [CALLS] = {.scan = HAFT__SCAN_CALLS, .fallback = AFTER},
            [AFTER] = {.bytes = HAFT__BYTES_TAIL,
                       .marks = {{"<|END_ACTION|>", START},
                                 {"<|END_THINKING|>", AFTER, HAFT__ACTION_REASONING_STRAY_END},
                                 ACTION,
                                 RESPONSES,
                                 {"<|START_THINKING|>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
            [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED,
                           .marks = {{"<|END_ACTION|>", START}, ACTION}},
        },
    .render =
        {
            .teach =
                "To use tools, write a list of calls between <|START_ACTION|> and <|END_ACTION|>:\n"
                "<|START_ACTION|>[\n"
                "    {\"tool_call_id\": \"0\", \"tool_name\": <name>, \"parameters\": "
                "<args-json-object>}\n"
                "]<|END_ACTION|>\n"
                "\n"
                "You may make several calls in one reply if none of them needs the result of "
                "another. Each has an id of its own. When no tool is needed, answer in words.",
            .teach_results = "After your calls, stop: the results come back between "
                             "<|START_TOOL_RESULT|> and <|END_TOOL_RESULT|>, with those ids.",
            .teach_tools = "# Available tools\n"
                           "\n"
                           "```json\n"
                           "[\n"
                           "%l\n"
                           "]\n"
                           "```",
            .shown = HAFT__TOOL_RENDERING_PLAIN,
            .tool_next = ",\n",
            .before = "\n",
            .calls_begin = "<|START_ACTION|>[\n",
            .call = "    {\"tool_call_id\": \"%d\", \"tool_name\": %N, \"parameters\": %a}",
            .call_next = ",\n",
            .calls_end = "\n"
                         "]<|END_ACTION|>",
            .results_begin = "<|START_TOOL_RESULT|>[\n",
            .result = "    {\"tool_call_id\": \"%d\", \"results\": {\"content\": %T}}",
            .result_next = ",\n",
            .results_end = "\n"
                           "]<|END_TOOL_RESULT|>",
            .result_marks = {"<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"},
        },
};
