/* SPDX-License-Identifier: Apache-2.0 */
/* purejson.c - {"tool": ..., "args": {...}} or {"answer": ...}, for any model: bare, in a fence, or
 * in the middle of prose. Tests: tests/format/purejson_test.c. */
#include "format/formats.h"

enum {
    START,
    THINK,
    TEXT,
    FENCE,
    FENCED_JSON,
    FENCED_AFTER,
    FENCED_TAIL,
    FENCED,
    FENCE_END,
    JSON,
    BRACE,
    BRACKET,
    INLINE,
    AFTER,
    SPOILT
};

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
        .json = true,
        .open_ended = true,
        .places =
            {
                [START] = {.bytes = HAFT__BYTES_LAYOUT,
                           .otherwise = TEXT,
                           .marks = {{"<think>", THINK},
                                     {"```", FENCE},
                                     {"{", JSON, .keep = true},
                                     {"[", JSON, .keep = true},
                                     CLOSED}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACT_REOPEN},
                                     {"```", THINK, HAFT__ACT_SUSPECT_FIRST},
                                     {"{", THINK, HAFT__ACT_SUSPECT_FIRST},
                                     {"[", THINK, HAFT__ACT_SUSPECT_FIRST},
                                     {"</think>", START}}},
                /* In prose, only a tool that there is counts. */
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {{"```", FENCE}, {"{", BRACE}, {"[", BRACKET}, CLOSED}},
                [FENCE] = {.bytes = HAFT__BYTES_DOUBT,
                           .otherwise = FENCED,
                           .marks = {{"\n", FENCED_JSON},
                                     {"json", FENCED_JSON},
                                     {"JSON", FENCED_JSON}}},
                [FENCED_JSON] = {.scan = HAFT__SCAN_MAYBE,
                                 .otherwise = FENCED_AFTER,
                                 .disowned = FENCED},
                [FENCED_AFTER] = {.bytes = HAFT__BYTES_LAYOUT,
                                  .otherwise = FENCED_TAIL,
                                  .marks = {{"```", TEXT},
                                            {"{", FENCED_JSON, .keep = true},
                                            {"[", FENCED_JSON, .keep = true}}},
                [FENCED_TAIL] = {.bytes = HAFT__BYTES_TAIL, .marks = {{"```", TEXT}}},
                /* What stands in a fence of another kind is nothing but text. */
                [FENCED] = {.bytes = HAFT__BYTES_CONTENT, .marks = {{"```", FENCE_END}}},
                [FENCE_END] = {.bytes = HAFT__BYTES_DOUBT, .otherwise = TEXT},
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
        .render =
            {
                .teach =
                    "Tools, each with its name, its description and the JSON Schema of its "
                    "arguments:\n"
                    "%l\n"
                    "\n"
                    "Reply with exactly one JSON value and nothing else.\n"
                    "To use a tool: {\"tool\": <name>, \"args\": <object with its arguments>}\n"
                    "To use several at once: [{\"tool\": ..., \"args\": {...}}, {\"tool\": ..., "
                    "\"args\": {...}}]\n"
                    "To finish: {\"answer\": <your answer, as a string>}\n"
                    "\n"
                    "The results come back in the next message, one JSON object for each call, in "
                    "the order of the calls: {\"tool\": <name>, \"result\": <text>}.",
                .shown = HAFT__SHOWN_PLAIN,
                .tool_next = "\n",
                .alone = "{\"answer\": %T}",
                .before = "\n",
                .calls_begin = "[",
                .call = "{\"tool\": %N, \"args\": %a}",
                .call_next = ", ",
                .calls_end = "]",
                .bare_one = true,
                .result = "{\"tool\": %N, \"result\": %T}",
                .result_next = "\n",
            },
};
