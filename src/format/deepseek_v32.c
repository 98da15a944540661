/* SPDX-License-Identifier: Apache-2.0 */
/* deepseek_v32.c - <｜DSML｜invoke name="..."> with parameters that say whether they are strings,
 * as DeepSeek V3.2 and V4 write it. Tests: tests/format/deepseek_v32_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, SECTION, NAME, PARAMS, KEY, VALUE, SPOILT };

#define SECTIONS                                                                                   \
    {"<｜DSML｜function_calls>", SECTION},                                                         \
    {                                                                                              \
        "<｜DSML｜tool_calls>", SECTION                                                            \
    }
#define SECTION_ENDS                                                                               \
    {"</｜DSML｜function_calls>", TEXT},                                                           \
    {                                                                                              \
        "</｜DSML｜tool_calls>", TEXT                                                              \
    }
#define CALL                                                                                       \
    {                                                                                              \
        "<｜DSML｜invoke name=\"", NAME, HAFT__ACT_OPEN                                            \
    }

const haft__format haft__format_deepseek_v32 = {
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
                 .stops = {"</｜DSML｜parameter>"},
                 .think = "<think>",
                 .thought = "</think>" HAFT__FRAME_WS}},
    .plain = TEXT,
    .reasoning = THINK,
    .spoilt = SPOILT,
    .places =
        {
            [START] = {.bytes = HAFT__BYTES_LAYOUT,
                       .otherwise = TEXT,
                       .marks = {{"<think>", THINK}, SECTIONS}},
            [THINK] = {.bytes = HAFT__BYTES_REASONING, .marks = {{"</think>", TEXT}}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                      .marks = {SECTIONS, {"</think>", TEXT, HAFT__ACT_STRAY}}},
            [SECTION] = {.bytes = HAFT__BYTES_NOTHING, .marks = {CALL, SECTION_ENDS}},
            [NAME] = {.bytes = HAFT__BYTES_NAME, .marks = {{"\">", PARAMS, HAFT__ACT_NAMED}}},
            [PARAMS] = {.bytes = HAFT__BYTES_LAYOUT,
                        .otherwise = SPOILT,
                        .marks = {{"<｜DSML｜parameter name=\"", KEY},
                                  {"</｜DSML｜invoke>", SECTION, HAFT__ACT_CLOSE}}},
            [KEY] = {.bytes = HAFT__BYTES_KEY,
                     .marks = {{"\" string=\"true\">", VALUE, HAFT__ACT_KEYED_TEXT},
                               {"\" string=\"false\">", VALUE, HAFT__ACT_KEYED_JSON}}},
            [VALUE] = {.bytes = HAFT__BYTES_VALUE,
                       .marks = {{"</｜DSML｜parameter>", PARAMS, HAFT__ACT_VALUED}}},
            [SPOILT] = {.bytes = HAFT__BYTES_NOTHING,
                        .marks = {{"</｜DSML｜invoke>", SECTION}, CALL, SECTION_ENDS}},
        },
};
