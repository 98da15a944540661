/* SPDX-License-Identifier: Apache-2.0 */
/* deepseek_v32.c - <｜DSML｜invoke name="..."> with parameters that are marked as strings or as
 * JSON, as DeepSeek V3.2 and V4 write it. Tests: tests/format/dialects/deepseek_v32_test.c. */
#include "format/formats.h"

enum {
    START,
    THINK,
    TEXT,
    SECTION,
    BETWEEN,
    HEADER,
    NAME,
    PARAMS,
    ARGS,
    AFTER,
    KEY,
    VALUE,
    CLOSED,
    MALFORMED,
    MALFORMED_VALUE,
    MALFORMED_CLOSED,
    LOST /* the end of the call cannot be found: the rest of the text is ignored */
};

#define SECTIONS                                                                                   \
    {"<｜DSML｜function_calls>", SECTION, HAFT__ACTION_CALL_BEGIN},                                \
    {                                                                                              \
        "<｜DSML｜tool_calls>", SECTION, HAFT__ACTION_CALL_BEGIN                                   \
    }
/* Calls inside reasoning count only if the reasoning never ends. */
#define CALLS_IN_REASONING                                                                         \
    {"<｜DSML｜function_calls>", THINK, HAFT__ACTION_CALL_IN_REASONING},                           \
        {"<｜DSML｜tool_calls>", THINK, HAFT__ACTION_CALL_IN_REASONING},                           \
    {                                                                                              \
        "<｜DSML｜invoke", THINK, HAFT__ACTION_CALL_IN_REASONING                                   \
    }
#define SECTION_ENDS                                                                               \
    {"</｜DSML｜function_calls>", TEXT, HAFT__ACTION_CALL_DISCARD},                                \
    {                                                                                              \
        "</｜DSML｜tool_calls>", TEXT, HAFT__ACTION_CALL_DISCARD                                   \
    }
/* A call may come without a section around it. */
#define CALL                                                                                       \
    {                                                                                              \
        "<｜DSML｜invoke", HEADER, HAFT__ACTION_CALL_BEGIN                                         \
    }
const haft__format haft__format_deepseek_v32 =
    {
        .name = "deepseek_v32",
        .grammar = {{.kind = HAFT__CALL_SYNTAX_TAGS,
                     .marked = true,
                     .open = "<｜DSML｜function_calls>" HAFT__SYNTAX_WS,
                     .before = "<｜DSML｜invoke name=\"",
                     .after_name = "\">" HAFT__SYNTAX_WS,
                     .key = "<｜DSML｜parameter name=\"",
                     .text = "\" string=\"true\">",
                     .json = "\" string=\"false\">",
                     .after_value = "</｜DSML｜parameter>" HAFT__SYNTAX_WS,
                     .after = "</｜DSML｜invoke>",
                     .between = HAFT__SYNTAX_WS,
                     .close = HAFT__SYNTAX_WS "</｜DSML｜function_calls>",
                     .stops = {"</｜DSML｜parameter>", "<｜DSML｜parameter name="},
                     .reasoning_open = "<think>",
                     .reasoning_close = "</think>" HAFT__SYNTAX_WS}},
        .plain = TEXT,
        .reasoning = THINK,
        .malformed = MALFORMED,
        .malformed_value = MALFORMED_VALUE,
        .json = true,
        .states =
            {
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"<think>", THINK}, SECTIONS, CALL}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"</think>", TEXT},
                                     CALLS_IN_REASONING}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {SECTIONS,
                                    CALL,
                                    SECTION_ENDS,
                                    {"</｜DSML｜invoke>", TEXT},
                                    {"</｜DSML｜parameter>", TEXT},
                                    {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                /* Text between calls is content. */
                [SECTION] = {.bytes = HAFT__BYTES_GAP,
                             .fallback = BETWEEN,
                             .marks = {CALL, SECTION_ENDS}},
                [BETWEEN] = {.bytes = HAFT__BYTES_SECTION_TEXT,
                             .marks = {CALL,
                                       SECTIONS,
                                       SECTION_ENDS,
                                       {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [HEADER] = {.bytes = HAFT__BYTES_WHITESPACE,
                            .fallback = MALFORMED,
                            .marks = {{"name=\"", NAME}}},
                [NAME] = {.bytes = HAFT__BYTES_NAME,
                          .marks = {{"\">", PARAMS, HAFT__ACTION_NAME_END},
                                    {"\"/>", SECTION, HAFT__ACTION_EMPTY_CALL_END},
                                    {"\" />", SECTION, HAFT__ACTION_EMPTY_CALL_END}}},
                [PARAMS] = {.bytes = HAFT__BYTES_WHITESPACE,
                            .fallback = MALFORMED,
                            .marks = {{"<｜DSML｜parameter name=\"", KEY},
                                      {"{", ARGS, .reread = true},
                                      {"</｜DSML｜invoke>", SECTION, HAFT__ACTION_CALL_END}}},
                /* Some models write all parameters as one JSON object. */
                [ARGS] = {.scan = HAFT__SCAN_ARGS, .fallback = AFTER},
                [AFTER] = {.bytes = HAFT__BYTES_TAIL,
                           .marks = {{"</｜DSML｜invoke>", SECTION},
                                     CALL,
                                     SECTION_ENDS,
                                     {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [KEY] = {.bytes = HAFT__BYTES_KEY,
                         .marks = {{"\" string=\"true\">", VALUE, HAFT__ACTION_KEY_END_STRING},
                                   {"\" string=\"false\">", VALUE, HAFT__ACTION_KEY_END_JSON},
                                   {"\">", MALFORMED_VALUE, HAFT__ACTION_KEY_END_UNTYPED}}},
                [VALUE] = {.bytes = HAFT__BYTES_VALUE,
                           .marks = {{"</｜DSML｜parameter>", CLOSED},
                                     {"<｜DSML｜parameter name=", LOST,
                                      HAFT__ACTION_VALUE_NESTED}}},
                /* A closing tag counts only if another tag follows it. */
                [CLOSED] = {.bytes = HAFT__BYTES_UNDECIDED,
                            .fallback = VALUE,
                            .marks = {{"<｜DSML｜parameter name=\"", KEY, HAFT__ACTION_VALUE_END},
                                      {"</｜DSML｜invoke>", SECTION, HAFT__ACTION_CALL_END}}},
                [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED,
                               .marks = {{"</｜DSML｜invoke>", SECTION},
                                         CALL,
                                         SECTIONS,
                                         SECTION_ENDS,
                                         {"<｜DSML｜parameter name=", MALFORMED_VALUE,
                                          .inside = true}}},
                [MALFORMED_VALUE] = {.bytes = HAFT__BYTES_IGNORED,
                                     .marks = {{"</｜DSML｜parameter>", MALFORMED_CLOSED,
                                                .inside = true},
                                               {"<｜DSML｜parameter name=", LOST, .inside = true}}},
                [MALFORMED_CLOSED] = {.bytes = HAFT__BYTES_UNDECIDED,
                                      .fallback = MALFORMED_VALUE,
                                      .marks = {{"<｜DSML｜parameter name=", MALFORMED_VALUE,
                                                 .inside = true},
                                                {"</｜DSML｜invoke>", SECTION}}},
                [LOST] = {.bytes = HAFT__BYTES_IGNORED},
            },
        .render =
            {
                .teach =
                    "## Tools\n"
                    "\n"
                    "You have access to a set of tools. To use them, write a block like this:\n"
                    "<｜DSML｜function_calls>\n"
                    "<｜DSML｜invoke name=\"$FUNCTION_NAME\">\n"
                    "<｜DSML｜parameter name=\"$PARAMETER_NAME\" "
                    "string=\"true|false\">$PARAMETER_VALUE</｜DSML｜parameter>\n"
                    "</｜DSML｜invoke>\n"
                    "</｜DSML｜function_calls>\n"
                    "\n"
                    "A string is written as it is and has string=\"true\"; any other value is JSON "
                    "and has string=\"false\". You may make several calls in one reply if none of "
                    "them needs the result of another. Each is an invoke of its own.\n"
                    "\n"
                    "When no tool is needed, answer in words.",
                .teach_results =
                    "After your calls, stop: the results come back within "
                    "<function_results></function_results>, in the order of the calls.",
                .teach_tools = "Here are the tools:\n"
                               "<functions>\n"
                               "%l\n"
                               "</functions>",
                .shown = HAFT__TOOL_RENDERING_PLAIN,
                .tool_next = "\n",
                .tool_marks = {"<functions>", "</functions>"},
                .before = "\n",
                .calls_begin = "<｜DSML｜function_calls>\n",
                .call = "<｜DSML｜invoke name=\"%n\">\n"
                        "%p</｜DSML｜invoke>\n",
                .calls_end = "</｜DSML｜function_calls>",
                .param = "<｜DSML｜parameter name=\"%K\" string=\"%b\">%v</｜DSML｜parameter>\n",
                .results_begin = "<function_results>\n",
                .result = "<result>%t</result>\n",
                .results_end = "</function_results>",
                .result_marks = {"<function_results>", "</function_results>", "<result>",
                                 "</result>"},
            },
};
