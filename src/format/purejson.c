/* SPDX-License-Identifier: Apache-2.0 */
/* purejson.c - {"tool": ..., "args": {...}} or {"answer": ...}, for any model: all of the reply,
 * bare or in a fence; or a fence at the end of prose. An object in the middle of prose is only
 * quoted. Tests: tests/format/purejson_test.c. */
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
    BEHIND,
    AFTER,
    LAST_FENCE,
    LAST_WORD,
    LAST_LINE,
    LAST,
    LAST_AFTER,
    LAST_END,
    SPOILT
};

const haft__format
    haft__format_purejson =
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
                                         {"</think>", START, HAFT__ACT_STRAY}}},
                    [THINK] = {.bytes = HAFT__BYTES_REASONING,
                               .marks = {{"<think>", THINK, HAFT__ACT_REOPEN},
                                         {"```", THINK, HAFT__ACT_SUSPECT_FIRST},
                                         {"{", THINK, HAFT__ACT_SUSPECT_FIRST},
                                         {"[", THINK, HAFT__ACT_SUSPECT_FIRST},
                                         {"</think>", START}}},
                    [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                              .marks = {{"```", LAST_FENCE},
                                        {"</think>", TEXT, HAFT__ACT_STRAY},
                                        {"<think>", THINK, HAFT__ACT_SUPPOSE}}},
                    /* Where the reply begins with it. */
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
                                      .marks = {{"```", AFTER},
                                                {"{", FENCED_JSON, .keep = true},
                                                {"[", FENCED_JSON, .keep = true}}},
                    [FENCED_TAIL] = {.bytes = HAFT__BYTES_TAIL, .marks = {{"```", AFTER}}},
                    /* What stands in a fence of another kind is nothing but text. */
                    [FENCED] = {.bytes = HAFT__BYTES_CONTENT, .marks = {{"```", FENCE_END}}},
                    [FENCE_END] = {.bytes = HAFT__BYTES_DOUBT, .otherwise = TEXT},
                    [JSON] = {.scan = HAFT__SCAN_MAYBE, .otherwise = BEHIND},
                    [BEHIND] = {.bytes = HAFT__BYTES_LAYOUT,
                                .otherwise = TEXT,
                                .marks = {{"```", TEXT},
                                          {"{", JSON, .keep = true},
                                          {"[", JSON, .keep = true}}},
                    /* Behind a fence, another may follow. */
                    [AFTER] = {.bytes = HAFT__BYTES_LAYOUT,
                               .otherwise = TEXT,
                               .marks = {{"```", FENCE},
                                         {"{", JSON, .keep = true},
                                         {"[", JSON, .keep = true}}},
                    /* Behind prose, a fence counts only if the reply ends with it, or with several.
                     */
                    [LAST_FENCE] = {.bytes = HAFT__BYTES_DOUBT,
                                    .otherwise = FENCED,
                                    .marks = {{"\n", LAST_LINE, .more_doubt = true},
                                              {"json", LAST_WORD, .more_doubt = true},
                                              {"JSON", LAST_WORD, .more_doubt = true}}},
                    [LAST_WORD] = {.bytes = HAFT__BYTES_DOUBT,
                                   .otherwise = FENCED,
                                   .marks = {{"\n", LAST_LINE, .more_doubt = true}}},
                    [LAST_LINE] = {.bytes = HAFT__BYTES_DOUBT,
                                   .otherwise = FENCED,
                                   .marks = {{"{", LAST, .keep = true}, {"[", LAST, .keep = true}}},
                    [LAST] = {.scan = HAFT__SCAN_LAST,
                              .otherwise = LAST_AFTER,
                              .disowned = LAST_END,
                              .last = true},
                    [LAST_AFTER] = {.bytes = HAFT__BYTES_DOUBT,
                                    .otherwise = FENCED,
                                    .last = true,
                                    .marks = {{"```", LAST_END, .more_doubt = true}}},
                    [LAST_END] = {.bytes = HAFT__BYTES_DOUBT,
                                  .otherwise = TEXT,
                                  .last = true,
                                  .marks = {{"```", LAST_FENCE, .more_doubt = true}}},
                    [SPOILT] = {.bytes = HAFT__BYTES_NOTHING, .marks = {{"```", AFTER}}},
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
                        "To use several at once: [{\"tool\": ..., \"args\": {...}}, {\"tool\": "
                        "..., "
                        "\"args\": {...}}]\n"
                        "To finish: {\"answer\": <your answer, as a string>}\n"
                        "\n"
                        "The results come back in the next message, one JSON object for each call, "
                        "in "
                        "the order of the calls: {\"tool\": <name>, \"result\": <text>}.",
                    .shown = HAFT__SHOWN_PLAIN,
                    .tool_next = "\n",
                    .alone = "{\"answer\": %T}",
                    .before = "\n```json\n",
                    .behind = "\n```",
                    .calls_begin = "[",
                    .call = "{\"tool\": %N, \"args\": %a}",
                    .call_next = ", ",
                    .calls_end = "]",
                    .bare_one = true,
                    .result = "{\"tool\": %N, \"result\": %T}",
                    .result_next = "\n",
                },
};
