/* SPDX-License-Identifier: Apache-2.0 */
/* granite.c - <|tool_call|> and an array of calls, as Granite 3 writes it. Tests:
 * tests/format/granite_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, CALLS, SPOILT };

#define OPENERS                                                                                    \
    {"<|tool_call|>", CALLS, HAFT__ACT_OPEN},                                                      \
    {                                                                                              \
        "<tool_call>", CALLS, HAFT__ACT_OPEN                                                       \
    }

const haft__format haft__format_granite = {
    .name = "granite",
    .grammar = {{.kind = HAFT__FRAME_OBJECT,
                 .open = "<|tool_call|>" HAFT__FRAME_WS "[" HAFT__FRAME_WS,
                 .between = "," HAFT__FRAME_WS,
                 .close = HAFT__FRAME_WS "]",
                 .name_key = "name",
                 .args_key = "arguments",
                 .think = "<think>",
                 .thought = "</think>" HAFT__FRAME_WS}},
    .plain = TEXT,
    .reasoning = THINK,
    .spoilt = SPOILT,
    .places =
        {
            [START] = {.bytes = HAFT__BYTES_LAYOUT,
                       .otherwise = TEXT,
                       .marks = {{"<think>", THINK}, OPENERS}},
            [THINK] = {.bytes = HAFT__BYTES_REASONING, .marks = {{"</think>", TEXT}}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                      .marks = {OPENERS, {"</think>", TEXT, HAFT__ACT_STRAY}}},
            [CALLS] = {.scan = HAFT__SCAN_CALLS, .otherwise = TEXT},
            [SPOILT] = {.bytes = HAFT__BYTES_NOTHING, .marks = {OPENERS}},
        },
};
