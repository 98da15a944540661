/* SPDX-License-Identifier: Apache-2.0 */
/* qwen3coder.c - <function=NAME><parameter=KEY>value</parameter></function>, as Qwen3-Coder and
 * related models write it: values without quotes, typed by the tool's schema. Tests:
 * tests/format/dialects/qwen3coder_test.c. */
#include "format/formats.h"

enum {
    START,
    THINK,
    TEXT,
    OPEN,
    NAME,
    PARAMS,
    KEY,
    VALUE,
    CLOSED,
    ENDED,
    FUNCTION,
    INNER,
    INNER_CLOSED,
    INNER_ENDED,
    AFTER,
    MALFORMED,
    MALFORMED_VALUE,
    MALFORMED_CLOSED,
    MALFORMED_ENDED,
    LOST
};

#define BLOCK                                                                                      \
    {                                                                                              \
        "<tool_call>", OPEN, HAFT__ACTION_CALL_BEGIN                                               \
    }
/* <function=NAME> without <tool_call> is a call only if a tool has that name. */
#define BARE                                                                                       \
    {                                                                                              \
        "<function=", NAME, HAFT__ACTION_CALL_BEGIN, .if_known = true                              \
    }

const haft__format haft__format_qwen3coder =
    {
        .name = "qwen3coder",
        .grammar = {{.kind = HAFT__CALL_SYNTAX_TAGS,
                     .before = "<tool_call>" HAFT__SYNTAX_WS "<function=",
                     .after_name = ">" HAFT__SYNTAX_WS,
                     .key = "<parameter=",
                     .text = ">",
                     .json = ">",
                     .after_value = "</parameter>" HAFT__SYNTAX_WS,
                     .after = "</function>" HAFT__SYNTAX_WS "</tool_call>",
                     .between = HAFT__SYNTAX_WS,
                     .stops = {"</parameter>", "<parameter=", "</function>"},
                     .reasoning_open = "<think>",
                     .reasoning_close = "</think>" HAFT__SYNTAX_WS}},
        .reasoning = THINK,
        .plain = TEXT,
        .malformed = MALFORMED,
        .malformed_value = MALFORMED_VALUE,
        .one_newline = true,
        .states =
            {
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"<think>", THINK}, BLOCK, BARE}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"</think>", TEXT},
                                     {"<tool_call>", THINK, HAFT__ACTION_CALL_IN_REASONING},
                                     {"<function=", THINK, HAFT__ACTION_CALL_IN_REASONING,
                                      .if_known = true}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {BLOCK,
                                    BARE,
                                    {"</function>", TEXT, HAFT__ACTION_CALL_STRAY_END},
                                    {"</tool_call>", TEXT, HAFT__ACTION_CALL_STRAY_END},
                                    {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [OPEN] = {.bytes = HAFT__BYTES_WHITESPACE,
                          .fallback = MALFORMED,
                          .marks = {{"<function=", NAME},
                                    {"</tool_call>", TEXT, HAFT__ACTION_CALL_INCOMPLETE}}},
                [NAME] = {.bytes = HAFT__BYTES_NAME,
                          .marks = {{">", PARAMS, HAFT__ACTION_NAME_END}}},
                [PARAMS] = {.bytes = HAFT__BYTES_WHITESPACE,
                            .fallback = MALFORMED,
                            .marks = {{"<parameter=", KEY},
                                      {"</function>", AFTER, HAFT__ACTION_CALL_END}}},
                [KEY] = {.bytes = HAFT__BYTES_KEY, .marks = {{">", VALUE, HAFT__ACTION_KEY_END}}},
                [VALUE] = {.bytes = HAFT__BYTES_VALUE,
                           .marks = {{"</parameter>", CLOSED},
                                     {"<parameter=", KEY, HAFT__ACTION_VALUE_END, .if_line = true},
                                     {"</function>", ENDED},
                                     {"<function=", FUNCTION}}},
                /* A closing tag counts only if another tag follows it. */
                [CLOSED] = {.bytes = HAFT__BYTES_UNDECIDED,
                            .fallback = VALUE,
                            .marks = {{"<parameter=", KEY, HAFT__ACTION_VALUE_END},
                                      {"</function>", PARAMS, HAFT__ACTION_VALUE_END,
                                       .reread = true}}},
                /* The end of the call closes a value that has no end tag; a bare call after it may
                 * be a quotation. */
                [ENDED] = {.bytes = HAFT__BYTES_UNDECIDED,
                           .fallback = VALUE,
                           .at_end = HAFT__ACTION_CALL_END,
                           .marks = {{"</tool_call>", TEXT, HAFT__ACTION_CALL_END},
                                     {"<tool_call>", AFTER, HAFT__ACTION_CALL_END, .reread = true},
                                     {"<function=", LOST, HAFT__ACTION_VALUE_NESTED}}},
                /* A call begins inside a value: from here only the value's own end tag ends it,
                 * because it is unknown which call the other tags belong to. */
                [FUNCTION] = {.bytes = HAFT__BYTES_UNDECIDED, .fallback = INNER},
                [INNER] = {.bytes = HAFT__BYTES_VALUE,
                           .marks = {{"</parameter>", INNER_CLOSED},
                                     {"<parameter=", LOST, HAFT__ACTION_VALUE_NESTED},
                                     {"</function>", INNER_ENDED}}},
                [INNER_CLOSED] = {.bytes = HAFT__BYTES_UNDECIDED,
                                  .fallback = INNER,
                                  .marks = {{"<parameter=", KEY, HAFT__ACTION_VALUE_END},
                                            {"</function>",
                                             PARAMS, HAFT__ACTION_VALUE_END, .reread = true}}},
                [INNER_ENDED] = {.bytes = HAFT__BYTES_UNDECIDED,
                                 .fallback = INNER,
                                 .at_end = HAFT__ACTION_CALL_INCOMPLETE,
                                 .marks = {{"</tool_call>", LOST, HAFT__ACTION_VALUE_NESTED},
                                           {"<tool_call>", LOST, HAFT__ACTION_VALUE_NESTED},
                                           {"<function=", LOST, HAFT__ACTION_VALUE_NESTED}}},
                [AFTER] = {.bytes = HAFT__BYTES_TAIL,
                           .marks = {{"</tool_call>", TEXT},
                                     BLOCK,
                                     BARE,
                                     {"</think>", AFTER, HAFT__ACTION_REASONING_STRAY_END},
                                     {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED,
                               .marks =
                                   {{"</tool_call>", TEXT},
                                    {"</function>", AFTER},
                                    {"<parameter=", MALFORMED_VALUE, .inside = true},
                                    BLOCK}},
                [MALFORMED_VALUE] = {.bytes = HAFT__BYTES_IGNORED,
                                     .marks = {{"</parameter>", MALFORMED_CLOSED, .inside = true},
                                               {"</function>", MALFORMED_ENDED, .inside = true},
                                               {"<function=", LOST, .inside = true}}},
                [MALFORMED_CLOSED] = {.bytes = HAFT__BYTES_UNDECIDED,
                                      .fallback = MALFORMED_VALUE,
                                      .marks = {{"<parameter=", MALFORMED_VALUE, .inside = true},
                                                {"</function>", AFTER}}},
                [MALFORMED_ENDED] = {.bytes = HAFT__BYTES_UNDECIDED,
                                     .fallback = MALFORMED_VALUE,
                                     .marks = {{"</tool_call>", TEXT},
                                               {"<tool_call>", LOST, .inside = true},
                                               {"<function=", LOST, .inside = true}}},
                [LOST] = {.bytes = HAFT__BYTES_IGNORED},
            },
        .render =
            {
                .teach = "# Tools\n"
                         "\n"
                         "If you choose to call a function, reply in the following format, with "
                         "nothing behind it:\n"
                         "\n"
                         "<tool_call>\n"
                         "<function=example_function_name>\n"
                         "<parameter=example_parameter_1>\n"
                         "value_1\n"
                         "</parameter>\n"
                         "<parameter=example_parameter_2>\n"
                         "This is the value for the second parameter\n"
                         "that can span\n"
                         "multiple lines\n"
                         "</parameter>\n"
                         "</function>\n"
                         "</tool_call>\n"
                         "\n"
                         "- A call is an inner <function=...></function> block within "
                         "<tool_call></tool_call>; required parameters must be given.\n"
                         "- A string is written as it is, without quotes and without escapes; any "
                         "other value as JSON.\n"
                         "- You may make several calls in one reply if none of them needs the "
                         "result of another. Each has its own <tool_call></tool_call>.\n"
                         "- When no function is needed, answer in words and do not speak of "
                         "function calls.",
                .teach_results = "The results come back within <tool_response></tool_response>, in "
                                 "the order of the calls.",
                .teach_tools = "You have access to the following functions:\n"
                               "\n"
                               "<tools>\n"
                               "%l\n"
                               "</tools>",
                .tool_next = "\n",
                .tool_marks = {"<tools>", "</tools>"},
                .before = "\n",
                .call = "<tool_call>\n"
                        "<function=%n>\n"
                        "%p</function>\n"
                        "</tool_call>",
                .call_next = "\n",
                .param = "<parameter=%K>\n"
                         "%v\n"
                         "</parameter>\n",
                .result = "<tool_response>\n"
                          "%t\n"
                          "</tool_response>",
                .result_next = "\n",
                .result_marks = {"<tool_response>", "</tool_response>"},
            },
};
