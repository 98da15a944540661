/* SPDX-License-Identifier: Apache-2.0 */
/* deepseek_v32.c - <｜DSML｜invoke name="..."> with parameters that say whether they are strings,
 * as DeepSeek V3.2 and V4 write it. Tests: tests/format/deepseek_v32_test.c. */
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
    KEY,
    VALUE,
    CLOSED,
    SPOILT,
    SPOILT_VALUE,
    SPOILT_CLOSED,
    LOST
};

#define SECTIONS                                                                                   \
    {"<｜DSML｜function_calls>", SECTION, HAFT__ACT_OPEN},                                         \
    {                                                                                              \
        "<｜DSML｜tool_calls>", SECTION, HAFT__ACT_OPEN                                            \
    }
#define SUSPECTS                                                                                   \
    {"<｜DSML｜function_calls>", THINK, HAFT__ACT_SUSPECT},                                        \
    {                                                                                              \
        "<｜DSML｜tool_calls>", THINK, HAFT__ACT_SUSPECT                                           \
    }
#define SECTION_ENDS                                                                               \
    {"</｜DSML｜function_calls>", TEXT, HAFT__ACT_FORGET},                                         \
    {                                                                                              \
        "</｜DSML｜tool_calls>", TEXT, HAFT__ACT_FORGET                                            \
    }
#define CALL                                                                                       \
    {                                                                                              \
        "<｜DSML｜invoke", HEADER, HAFT__ACT_OPEN                                                  \
    }
const haft__format haft__format_deepseek_v32 =
    {
        .name = "deepseek_v32",
        .grammar = {{.kind = HAFT__FRAME_TAGS,
                     .marked = true,
                     .open = "<｜DSML｜function_calls>" HAFT__FRAME_WS,
                     .before = "<｜DSML｜invoke name=\"",
                     .behind_name = "\">" HAFT__FRAME_WS,
                     .key = "<｜DSML｜parameter name=\"",
                     .text = "\" string=\"true\">",
                     .json = "\" string=\"false\">",
                     .behind_value = "</｜DSML｜parameter>" HAFT__FRAME_WS,
                     .after = "</｜DSML｜invoke>",
                     .between = HAFT__FRAME_WS,
                     .close = HAFT__FRAME_WS "</｜DSML｜function_calls>",
                     .stops = {"</｜DSML｜parameter>", "<｜DSML｜parameter name="},
                     .think = "<think>",
                     .thought = "</think>" HAFT__FRAME_WS}},
        .plain = TEXT,
        .reasoning = THINK,
        .spoilt = SPOILT,
        .spoilt_in = SPOILT_VALUE,
        .places =
            {
                [START] = {.bytes = HAFT__BYTES_LAYOUT,
                           .otherwise = TEXT,
                           .marks = {{"<think>", THINK}, SECTIONS}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACT_REOPEN},
                                     {"</think>", TEXT},
                                     SUSPECTS}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {SECTIONS,
                                    {"</think>", TEXT, HAFT__ACT_STRAY},
                                    {"<think>", THINK, HAFT__ACT_SUPPOSE}}},
                /* Text between calls is content. */
                [SECTION] = {.bytes = HAFT__BYTES_GAP,
                             .otherwise = BETWEEN,
                             .marks = {CALL, SECTION_ENDS}},
                [BETWEEN] = {.bytes = HAFT__BYTES_CONTENT,
                             .marks = {CALL, SECTION_ENDS, {"<think>", THINK, HAFT__ACT_SUPPOSE}}},
                [HEADER] = {.bytes = HAFT__BYTES_LAYOUT,
                            .otherwise = SPOILT,
                            .marks = {{"name=\"", NAME}}},
                [NAME] = {.bytes = HAFT__BYTES_NAME, .marks = {{"\">", PARAMS, HAFT__ACT_NAMED}}},
                [PARAMS] = {.bytes = HAFT__BYTES_LAYOUT,
                            .otherwise = SPOILT,
                            .marks = {{"<｜DSML｜parameter name=\"", KEY},
                                      {"</｜DSML｜invoke>", SECTION, HAFT__ACT_CLOSE}}},
                [KEY] = {.bytes = HAFT__BYTES_KEY,
                         .marks = {{"\" string=\"true\">", VALUE, HAFT__ACT_KEYED_TEXT},
                                   {"\" string=\"false\">", VALUE, HAFT__ACT_KEYED_JSON},
                                   {"\">", SPOILT_VALUE, HAFT__ACT_KEYED_BADLY}}},
                [VALUE] = {.bytes = HAFT__BYTES_VALUE,
                           .marks = {{"</｜DSML｜parameter>", CLOSED},
                                     {"<｜DSML｜parameter name=", LOST, HAFT__ACT_LOSE}}},
                /* A closing tag counts only where another one may stand behind it. */
                [CLOSED] = {.bytes = HAFT__BYTES_DOUBT,
                            .otherwise = VALUE,
                            .marks = {{"<｜DSML｜parameter name=\"", KEY, HAFT__ACT_VALUED},
                                      {"</｜DSML｜invoke>", SECTION, HAFT__ACT_CLOSE}}},
                [SPOILT] = {.bytes = HAFT__BYTES_NOTHING,
                            .marks = {{"</｜DSML｜invoke>", SECTION},
                                      CALL,
                                      SECTIONS,
                                      SECTION_ENDS,
                                      {"<｜DSML｜parameter name=", SPOILT_VALUE, .inside = true}}},
                [SPOILT_VALUE] = {.bytes = HAFT__BYTES_NOTHING,
                                  .marks = {{"</｜DSML｜parameter>", SPOILT_CLOSED, .inside = true},
                                            {"<｜DSML｜parameter name=", LOST, .inside = true}}},
                [SPOILT_CLOSED] = {.bytes = HAFT__BYTES_DOUBT,
                                   .otherwise = SPOILT_VALUE,
                                   .marks = {{"<｜DSML｜parameter name=",
                                              SPOILT_VALUE, .inside = true},
                                             {"</｜DSML｜invoke>", SECTION}}},
                [LOST] = {.bytes = HAFT__BYTES_NOTHING},
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
                    "Here are the tools:\n"
                    "<functions>\n"
                    "%l\n"
                    "</functions>\n"
                    "\n"
                    "After your calls, stop: the results come back within "
                    "<function_results></function_results>, in the "
                    "order of the calls. When no tool is needed, answer in words.",
                .shown = HAFT__SHOWN_PLAIN,
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
