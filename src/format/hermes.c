/* SPDX-License-Identifier: Apache-2.0 */
/* hermes.c - <tool_call>{"name": ..., "arguments": {...}}</tool_call>, as Hermes, Qwen 2.5 and 3,
 * Granite 4 and many others write it. Tests: tests/format/hermes_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, CALL, AFTER, SPOILT };

const haft__format haft__format_hermes = {
    .name = "hermes",
    .grammar = {{.kind = HAFT__FRAME_OBJECT,
                 .before = "<tool_call>" HAFT__FRAME_WS,
                 .after = HAFT__FRAME_WS "</tool_call>",
                 .between = HAFT__FRAME_WS,
                 .name_key = "name",
                 .args_key = "arguments",
                 .think = "<think>",
                 .thought = "</think>" HAFT__FRAME_WS}},
    .reasoning = THINK,
    .plain = TEXT,
    .spoilt = SPOILT,
    .places =
        {
            [START] = {.bytes = HAFT__BYTES_LAYOUT,
                       .otherwise = TEXT,
                       .marks = {{"<think>", THINK}, {"<tool_call>", CALL, HAFT__ACT_OPEN}}},
            [THINK] = {.bytes = HAFT__BYTES_REASONING,
                       .marks = {{"</think>", TEXT}, {"<tool_call>", THINK, HAFT__ACT_SUSPECT}}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                      .marks = {{"<tool_call>", CALL, HAFT__ACT_OPEN},
                                {"</think>", TEXT, HAFT__ACT_STRAY}}},
            [CALL] = {.scan = HAFT__SCAN_CALL, .otherwise = AFTER},
            [AFTER] = {.bytes = HAFT__BYTES_LAYOUT,
                       .otherwise = TEXT,
                       .marks = {{"</tool_call>", TEXT}, {"<tool_call>", CALL, HAFT__ACT_OPEN}}},
            [SPOILT] = {.bytes = HAFT__BYTES_NOTHING,
                        .marks = {{"</tool_call>", TEXT}, {"<tool_call>", CALL, HAFT__ACT_OPEN}}},
        },
};
