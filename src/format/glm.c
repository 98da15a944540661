/* SPDX-License-Identifier: Apache-2.0 */
/* glm.c - <tool_call>NAME and pairs of <arg_key> and <arg_value>, as GLM 4.5 to 4.7 write it.
 * Tests: tests/format/glm_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, NAME, PAIRS, KEY, GAP, VALUE, SPOILT };

#define CALL                                                                                       \
    {                                                                                              \
        "<tool_call>", NAME, HAFT__ACT_OPEN                                                        \
    }

const haft__format haft__format_glm =
    {
        .name = "glm",
        .grammar = {{.kind = HAFT__FRAME_TAGS,
                     .before = "<tool_call>",
                     .behind_name = "\n",
                     .key = "<arg_key>",
                     .text = "</arg_key>" HAFT__FRAME_WS "<arg_value>",
                     .json = "</arg_key>" HAFT__FRAME_WS "<arg_value>",
                     .behind_value = "</arg_value>" HAFT__FRAME_WS,
                     .after = "</tool_call>",
                     .between = HAFT__FRAME_WS,
                     .stops = {"</arg_value>"},
                     .think = "<think>",
                     .thought = "</think>" HAFT__FRAME_WS}},
        .plain = TEXT,
        .reasoning = THINK,
        .spoilt = SPOILT,
        .places =
            {
                [START] = {.bytes = HAFT__BYTES_LAYOUT,
                           .otherwise = TEXT,
                           .marks = {{"<think>", THINK}, CALL}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"</think>", TEXT},
                                     {"<tool_call>", THINK, HAFT__ACT_SUSPECT}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {CALL, {"</think>", TEXT, HAFT__ACT_STRAY}}},
                [NAME] = {.bytes = HAFT__BYTES_NAME,
                          .marks = {{"\n", PAIRS, HAFT__ACT_NAMED},
                                    {"<arg_key>", KEY, HAFT__ACT_NAMED},
                                    {"</tool_call>", PAIRS, HAFT__ACT_NAMED, .keep = true}}},
                [PAIRS] = {.bytes = HAFT__BYTES_LAYOUT,
                           .otherwise = SPOILT,
                           .marks = {{"<arg_key>", KEY}, {"</tool_call>", TEXT, HAFT__ACT_CLOSE}}},
                [KEY] = {.bytes = HAFT__BYTES_KEY, .marks = {{"</arg_key>", GAP, HAFT__ACT_KEYED}}},
                [GAP] = {.bytes = HAFT__BYTES_LAYOUT,
                         .otherwise = SPOILT,
                         .marks = {{"<arg_value>", VALUE}}},
                [VALUE] = {.bytes = HAFT__BYTES_VALUE,
                           .marks = {{"</arg_value>", PAIRS, HAFT__ACT_VALUED}}},
                [SPOILT] = {.bytes = HAFT__BYTES_NOTHING, .marks = {{"</tool_call>", TEXT}, CALL}},
            },
};
