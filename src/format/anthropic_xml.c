/* SPDX-License-Identifier: Apache-2.0 */
/* anthropic_xml.c - <invoke name="..."> with <parameter name="...">, as older Claude models and
 * MiniMax write it. Tests: tests/format/anthropic_xml_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, SECTION, NAME, PARAMS, KEY, VALUE, SPOILT };

#define SECTIONS                                                                                   \
    {"<function_calls>", SECTION},                                                                 \
    {                                                                                              \
        "<minimax:tool_call>", SECTION                                                             \
    }
#define SECTION_ENDS                                                                               \
    {"</function_calls>", TEXT},                                                                   \
    {                                                                                              \
        "</minimax:tool_call>", TEXT                                                               \
    }
#define CALL                                                                                       \
    {                                                                                              \
        "<invoke name=\"", NAME, HAFT__ACT_OPEN                                                    \
    }

const haft__format haft__format_anthropic_xml = {
    .name = "anthropic_xml",
    .grammar = {{.kind = HAFT__FRAME_TAGS,
                 .open = "<function_calls>" HAFT__FRAME_WS,
                 .before = "<invoke name=\"",
                 .behind_name = "\">" HAFT__FRAME_WS,
                 .key = "<parameter name=\"",
                 .text = "\">",
                 .json = "\">" HAFT__FRAME_WS,
                 .behind_value = "</parameter>" HAFT__FRAME_WS,
                 .after = "</invoke>",
                 .between = HAFT__FRAME_WS,
                 .close = HAFT__FRAME_WS "</function_calls>",
                 .stops = {"</parameter>"},
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
                        .marks = {{"<parameter name=\"", KEY},
                                  {"</invoke>", SECTION, HAFT__ACT_CLOSE}}},
            [KEY] = {.bytes = HAFT__BYTES_KEY, .marks = {{"\">", VALUE, HAFT__ACT_KEYED}}},
            [VALUE] = {.bytes = HAFT__BYTES_VALUE,
                       .marks = {{"</parameter>", PARAMS, HAFT__ACT_VALUED}}},
            [SPOILT] = {.bytes = HAFT__BYTES_NOTHING,
                        .marks = {{"</invoke>", SECTION}, CALL, SECTION_ENDS}},
        },
};
