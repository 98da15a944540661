/* SPDX-License-Identifier: Apache-2.0 */
/* glm.c - <tool_call>NAME and pairs of <arg_key> and <arg_value>, as GLM 4.5 to 4.7 write it.
 * Tests: tests/format/dialects/glm_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, HEAD, NAME, PAIRS, KEY, GAP, VALUE, MALFORMED, MALFORMED_VALUE, LOST };

#define CALL                                                                                       \
    {                                                                                              \
        "<tool_call>", HEAD, HAFT__ACTION_CALL_BEGIN                                               \
    }

const haft__format haft__format_glm =
    {
        .name = "glm",
        .grammar = {{.kind = HAFT__CALL_SYNTAX_TAGS,
                     .before = "<tool_call>",
                     .after_name = "\n",
                     .key = "<arg_key>",
                     .text = "</arg_key>" HAFT__SYNTAX_WS "<arg_value>",
                     .json = "</arg_key>" HAFT__SYNTAX_WS "<arg_value>",
                     .after_value = "</arg_value>" HAFT__SYNTAX_WS,
                     .after = "</tool_call>",
                     .between = HAFT__SYNTAX_WS,
                     .stops = {"</arg_value>", "<arg_value>"},
                     .reasoning_open = "<think>",
                     .reasoning_close = "</think>" HAFT__SYNTAX_WS}},
        .plain = TEXT,
        .reasoning = THINK,
        .malformed = MALFORMED,
        .states =
            {
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"<think>", THINK}, CALL}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"</think>", TEXT},
                                     {"<tool_call>", THINK, HAFT__ACTION_CALL_IN_REASONING}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {CALL,
                                    {"</tool_call>", TEXT, HAFT__ACTION_CALL_STRAY_END},
                                    {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [HEAD] = {.bytes = HAFT__BYTES_WHITESPACE, .fallback = NAME},
                [NAME] = {.bytes = HAFT__BYTES_NAME,
                          .marks = {{"\n", PAIRS, HAFT__ACTION_NAME_END},
                                    {"<arg_key>", KEY, HAFT__ACTION_NAME_END},
                                    {"</tool_call>", PAIRS, HAFT__ACTION_NAME_END,
                                     .reread = true}}},
                [PAIRS] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = MALFORMED,
                           .marks = {{"<arg_key>", KEY},
                                     {"</tool_call>", TEXT, HAFT__ACTION_CALL_END}}},
                [KEY] = {.bytes = HAFT__BYTES_KEY,
                         .marks = {{"</arg_key>", GAP, HAFT__ACTION_KEY_END}}},
                [GAP] = {.bytes = HAFT__BYTES_WHITESPACE,
                         .fallback = MALFORMED,
                         .marks = {{"<arg_value>", VALUE}}},
                [VALUE] = {.bytes = HAFT__BYTES_VALUE,
                           .marks = {{"</arg_value>", PAIRS, HAFT__ACTION_VALUE_END},
                                     {"<arg_value>", LOST, HAFT__ACTION_VALUE_NESTED}}},
                [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED,
                               .marks =
                                   {{"</tool_call>", TEXT},
                                    CALL,
                                    {"<arg_value>", MALFORMED_VALUE, .inside = true}}},
                [MALFORMED_VALUE] = {.bytes = HAFT__BYTES_IGNORED,
                                     .marks = {{"</arg_value>", MALFORMED, .inside = true},
                                               {"<arg_value>", LOST, .inside = true}}},
                [LOST] = {.bytes = HAFT__BYTES_IGNORED},
            },
        .render =
            {
                .teach = "# Tools\n"
                         "\n"
                         "You may call one or more functions to assist with the user query.\n"
                         "\n"
                         "For each function call, write the function's name and its arguments "
                         "within <tool_call></tool_call> XML tags:\n"
                         "<tool_call>{function-name}\n"
                         "<arg_key>{arg-key-1}</arg_key>\n"
                         "<arg_value>{arg-value-1}</arg_value>\n"
                         "<arg_key>{arg-key-2}</arg_key>\n"
                         "<arg_value>{arg-value-2}</arg_value>\n"
                         "</tool_call>\n"
                         "\n"
                         "A string is written as it is, any other value as JSON. You may make "
                         "several calls in one reply if none of them needs the result of another. "
                         "When no function is needed, answer in words.",
                .teach_results = "After your calls, stop: the results come back within "
                                 "<tool_response></tool_response>, in the order of the calls.",
                .teach_tools =
                    "You are provided with function signatures within <tools></tools> XML tags:\n"
                    "<tools>\n"
                    "%l\n"
                    "</tools>",
                .tool_next = "\n",
                .tool_marks = {"<tools>", "</tools>"},
                .before = "\n",
                .call = "<tool_call>%n\n"
                        "%p</tool_call>",
                .call_next = "\n",
                .param = "<arg_key>%K</arg_key>\n"
                         "<arg_value>%v</arg_value>\n",
                .result = "<tool_response>\n"
                          "%t\n"
                          "</tool_response>",
                .result_next = "\n",
                .result_marks = {"<tool_response>", "</tool_response>", "[gMASK]", "<sop>"},
            },
};
