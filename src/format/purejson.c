/* SPDX-License-Identifier: Apache-2.0 */
/* purejson.c - {"tool": ..., "args": {...}} or {"answer": ...}, for any model: bare, in a fence, or
 * in the middle of prose. Tests: tests/format/purejson_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, FENCE, JSON, BRACE, BRACKET, INLINE, AFTER, SPOILT };

#define CLOSED                                                                                     \
    {                                                                                              \
        "</think>", TEXT, HAFT__ACT_STRAY                                                          \
    }

const haft__format haft__format_purejson =
    {
        .name = "purejson",
        .grammar = {{.kind = HAFT__FRAME_OBJECT,
                     .bare = true,
                     .answer = true,
                     .open = "[" HAFT__FRAME_WS,
                     .between = "," HAFT__FRAME_WS,
                     .close = HAFT__FRAME_WS "]",
                     .name_key = "tool",
                     .args_key = "args",
                     .think = "<think>",
                     .thought = "</think>" HAFT__FRAME_WS}},
        .reasoning = THINK,
        .plain = TEXT,
        .spoilt = SPOILT,
        .places =
            {
                [START] = {.bytes = HAFT__BYTES_LAYOUT,
                           .otherwise = TEXT,
                           .marks = {{"<think>", THINK},
                                     {"```", FENCE},
                                     {"{", JSON, .keep = true},
                                     {"[", JSON, .keep = true},
                                     CLOSED}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING, .marks = {{"</think>", START}}},
                /* In prose, only a tool that there is counts. */
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {{"```", FENCE}, {"{", BRACE}, {"[", BRACKET}, CLOSED}},
                [FENCE] = {.bytes = HAFT__BYTES_DOUBT,
                           .otherwise = TEXT,
                           .marks = {{"\n", JSON}, {"json\n", JSON}, {"json\r\n", JSON}}},
                /* Most brackets of prose are none of JSON's. */
                [BRACE] = {.bytes = HAFT__BYTES_DOUBT,
                           .otherwise = TEXT,
                           .marks = {{"\"", INLINE, .keep = true}}},
                [BRACKET] = {.bytes = HAFT__BYTES_DOUBT,
                             .otherwise = TEXT,
                             .marks = {{"{", INLINE, .keep = true}}},
                [JSON] = {.scan = HAFT__SCAN_MAYBE, .otherwise = AFTER},
                [INLINE] = {.scan = HAFT__SCAN_KNOWN, .otherwise = AFTER},
                [AFTER] = {.bytes = HAFT__BYTES_LAYOUT,
                           .otherwise = TEXT,
                           .marks = {{"```", TEXT},
                                     {"{", JSON, .keep = true},
                                     {"[", JSON, .keep = true}}},
                [SPOILT] = {.bytes = HAFT__BYTES_NOTHING, .marks = {{"```", TEXT}}},
            },
};
