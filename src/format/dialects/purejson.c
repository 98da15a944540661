/* SPDX-License-Identifier: Apache-2.0 */
/* purejson.c - {"tool": ..., "args": {...}} or {"answer": ...}, for any model: the whole reply,
 * bare or in a fence; or a fence at the end of prose. An object inside prose is only a quotation.
 * Tests: tests/format/dialects/purejson_test.c. */
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
    AFTER_JSON,
    AFTER_FENCE,
    LAST_FENCE,
    LAST_WORD,
    LAST_LINE,
    LAST,
    LAST_AFTER,
    LAST_END,
    MALFORMED
};

const haft__format haft__format_purejson =
    {
        .name = "purejson",
        .grammar = {{.kind = HAFT__CALL_SYNTAX_OBJECT,
                     .bare = true,
                     .answer = true,
                     .open = "[" HAFT__SYNTAX_WS,
                     .between = "," HAFT__SYNTAX_WS,
                     .close = HAFT__SYNTAX_WS "]",
                     .name_key = "tool",
                     .args_key = "args",
                     .reasoning_open = "<think>",
                     .reasoning_close = "</think>" HAFT__SYNTAX_WS}},
        .reasoning = THINK,
        .plain = TEXT,
        .malformed = MALFORMED,
        .json = true,
        .open_ended = true,
        .states =
            {
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"<think>", THINK},
                                     {"```", FENCE},
                                     {"{", JSON, .reread = true},
                                     {"[", JSON, .reread = true},
                                     {"</think>", START, HAFT__ACTION_REASONING_STRAY_END}}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"```", THINK, HAFT__ACTION_CALL_AT_REASONING_START},
                                     {"{", THINK, HAFT__ACTION_CALL_AT_REASONING_START},
                                     {"[", THINK, HAFT__ACTION_CALL_AT_REASONING_START},
                                     {"</think>", START}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {{"```", LAST_FENCE},
                                    {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                /* The reply begins with a fence. */
                [FENCE] = {.bytes = HAFT__BYTES_UNDECIDED,
                           .fallback = FENCED,
                           .marks = {{"\n", FENCED_JSON},
                                     {"json", FENCED_JSON},
                                     {"JSON", FENCED_JSON}}},
                [FENCED_JSON] = {.scan = HAFT__SCAN_MAYBE_CALL,
                                 .fallback = FENCED_AFTER,
                                 .not_call = FENCED},
                [FENCED_AFTER] = {.bytes = HAFT__BYTES_WHITESPACE,
                                  .fallback = FENCED_TAIL,
                                  .marks = {{"```", AFTER_FENCE},
                                            {"{", FENCED_JSON, .reread = true},
                                            {"[", FENCED_JSON, .reread = true}}},
                [FENCED_TAIL] = {.bytes = HAFT__BYTES_TAIL, .marks = {{"```", AFTER_FENCE}}},
                /* The contents of any other fence are text. */
                [FENCED] = {.bytes = HAFT__BYTES_CONTENT, .marks = {{"```", FENCE_END}}},
                [FENCE_END] = {.bytes = HAFT__BYTES_UNDECIDED, .fallback = TEXT},
                [JSON] = {.scan = HAFT__SCAN_MAYBE_CALL, .fallback = AFTER_JSON},
                [AFTER_JSON] = {.bytes = HAFT__BYTES_WHITESPACE,
                                .fallback = TEXT,
                                .marks = {{"```", TEXT},
                                          {"{", JSON, .reread = true},
                                          {"[", JSON, .reread = true}}},
                /* Another fence may follow a fence. */
                [AFTER_FENCE] = {.bytes = HAFT__BYTES_WHITESPACE,
                                 .fallback = TEXT,
                                 .marks = {{"```", FENCE},
                                           {"{", JSON, .reread = true},
                                           {"[", JSON, .reread = true}}},
                /* After prose, a fence counts only if the reply ends with it, or with several
                 * fences. */
                [LAST_FENCE] = {.bytes = HAFT__BYTES_UNDECIDED,
                                .fallback = FENCED,
                                .marks = {{"\n", LAST_LINE, .extend_undecided = true},
                                          {"json", LAST_WORD, .extend_undecided = true},
                                          {"JSON", LAST_WORD, .extend_undecided = true}}},
                [LAST_WORD] = {.bytes = HAFT__BYTES_UNDECIDED,
                               .fallback = FENCED,
                               .marks = {{"\n", LAST_LINE, .extend_undecided = true}}},
                [LAST_LINE] = {.bytes = HAFT__BYTES_UNDECIDED,
                               .fallback = FENCED,
                               .marks = {{"{", LAST, .reread = true}, {"[", LAST, .reread = true}}},
                [LAST] = {.scan = HAFT__SCAN_FINAL_VALUE,
                          .fallback = LAST_AFTER,
                          .not_call = LAST_END,
                          .last = true},
                [LAST_AFTER] = {.bytes = HAFT__BYTES_UNDECIDED,
                                .fallback = FENCED,
                                .last = true,
                                .marks = {{"```", LAST_END, .extend_undecided = true}}},
                [LAST_END] = {.bytes = HAFT__BYTES_UNDECIDED,
                              .fallback = TEXT,
                              .last = true,
                              .marks = {{"```", LAST_FENCE, .extend_undecided = true}}},
                [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED, .marks = {{"```", AFTER_FENCE}}},
            },
        .render =
            {
                .teach =
                    "Reply with exactly one JSON value and nothing else.\n"
                    "To use a tool: {\"tool\": <name>, \"args\": <object with its arguments>}\n"
                    "To use several at once: [{\"tool\": ..., \"args\": {...}}, {\"tool\": "
                    "..., \"args\": {...}}]\n"
                    "To finish: {\"answer\": <your answer, as a string>}",
                .teach_results =
                    "The results come back in the next message, one JSON object for each call, "
                    "in the order of the calls: {\"tool\": <name>, \"result\": <text>}.",
                .teach_tools = "Tools, each with its name, its description and the JSON Schema "
                               "of its arguments:\n"
                               "%l",
                .shown = HAFT__TOOL_RENDERING_PLAIN,
                .tool_next = "\n",
                .alone = "{\"answer\": %T}",
                .before = "\n```json\n",
                .after_calls = "\n```",
                .calls_begin = "[",
                .call = "{\"tool\": %N, \"args\": %a}",
                .call_next = ", ",
                .calls_end = "]",
                .bare_one = true,
                .result = "{\"tool\": %N, \"result\": %T}",
                .result_next = "\n",
            },
};
