/* SPDX-License-Identifier: Apache-2.0 */
/* mistral.c - [TOOL_CALLS] with an array of calls, or with a name and arguments for each. Tests:
 * tests/format/mistral_test.c. */
#include "format/formats.h"

enum { START, THINK, BRACKETED, TAGGED, TEXT, HEAD, ARRAY, NAME, ID, GAP, ARGS, AFTER, SPOILT };

#define CALLS                                                                                      \
    {                                                                                              \
        "[TOOL_CALLS]", HEAD, HAFT__ACT_OPEN                                                       \
    }

const haft__format haft__format_mistral =
    {
        .name = "mistral",
        .grammar = {{.kind = HAFT__FRAME_OBJECT,
                     .open = "[TOOL_CALLS]" HAFT__FRAME_WS "[" HAFT__FRAME_WS,
                     .between = "," HAFT__FRAME_WS,
                     .close = HAFT__FRAME_WS "]",
                     .name_key = "name",
                     .args_key = "arguments",
                     .last_id_key = "id",
                     .think = "[THINK]",
                     .thought = "[/THINK]" HAFT__FRAME_WS,
                     .unthought = {"[/THINK]", "</think>"}},
                    {.kind = HAFT__FRAME_NAMED,
                     .before = "[TOOL_CALLS]",
                     .behind_name = "[ARGS]" HAFT__FRAME_WS,
                     .between = HAFT__FRAME_WS,
                     .think = "[THINK]",
                     .thought = "[/THINK]" HAFT__FRAME_WS,
                     .unthought = {"[/THINK]", "</think>"}}},
        .reasoning = THINK,
        .plain = TEXT,
        .spoilt = SPOILT,
        .behind = AFTER,
        .json = true,
        .open_ended = true,
        .places =
            {
                [START] = {.bytes = HAFT__BYTES_LAYOUT,
                           .otherwise = TEXT,
                           .marks = {{"[THINK]", BRACKETED}, {"<think>", TAGGED}, CALLS}},
                /* Which of the two the prompt had is not known; else it ends as it began. */
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"[THINK]", BRACKETED, HAFT__ACT_REOPEN},
                                     {"<think>", TAGGED, HAFT__ACT_REOPEN},
                                     {"[/THINK]", TEXT},
                                     {"</think>", TEXT},
                                     {"[TOOL_CALLS]", THINK, HAFT__ACT_SUSPECT}}},
                [BRACKETED] = {.bytes = HAFT__BYTES_REASONING,
                               .marks = {{"[/THINK]", TEXT},
                                         {"[TOOL_CALLS]", BRACKETED, HAFT__ACT_SUSPECT}}},
                [TAGGED] = {.bytes = HAFT__BYTES_REASONING,
                            .marks = {{"</think>", TEXT},
                                      {"[TOOL_CALLS]", TAGGED, HAFT__ACT_SUSPECT}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {CALLS,
                                    {"[/THINK]", TEXT, HAFT__ACT_STRAY},
                                    {"</think>", TEXT, HAFT__ACT_STRAY},
                                    {"[THINK]", BRACKETED, HAFT__ACT_SUPPOSE},
                                    {"<think>", TAGGED, HAFT__ACT_SUPPOSE}}},
                [HEAD] = {.bytes = HAFT__BYTES_LAYOUT,
                          .otherwise = NAME,
                          .marks = {{"[", ARRAY, HAFT__ACT_NONE, .keep = true}}},
                [ARRAY] = {.scan = HAFT__SCAN_CALLS, .otherwise = AFTER},
                [NAME] = {.bytes = HAFT__BYTES_NAME,
                          .marks = {{"[CALL_ID]", ID, HAFT__ACT_NAMED},
                                    {"[ARGS]", GAP, HAFT__ACT_NAMED},
                                    {"{", ARGS, HAFT__ACT_NAMED, .keep = true}}},
                [ID] = {.bytes = HAFT__BYTES_ID,
                        .marks = {{"[ARGS]", GAP, HAFT__ACT_NINE},
                                  {"{", ARGS, HAFT__ACT_NINE, .keep = true}}},
                /* In front of the arguments, another call can begin instead. */
                [GAP] = {.bytes = HAFT__BYTES_LAYOUT,
                         .otherwise = ARGS,
                         .marks = {{"[TOOL_CALLS]", SPOILT, HAFT__ACT_SPOIL, .keep = true}}},
                [ARGS] = {.scan = HAFT__SCAN_ARGS, .otherwise = AFTER},
                [AFTER] = {.bytes = HAFT__BYTES_TAIL, .otherwise = TEXT, .marks = {CALLS}},
                [SPOILT] = {.bytes = HAFT__BYTES_NOTHING, .marks = {CALLS}},
            },
        .render =
            {
                .teach =
                    "[AVAILABLE_TOOLS][%l][/AVAILABLE_TOOLS]\n"
                    "\n"
                    "To call tools, write [TOOL_CALLS] and behind it a JSON array with an object "
                    "for each call:\n"
                    "[TOOL_CALLS][{\"name\": <function-name>, \"arguments\": <args-json-object>, "
                    "\"id\": <nine letters and digits>}]\n"
                    "\n"
                    "You may make several calls in one reply if none of them needs the result of "
                    "another. Each call has an id of its own. After the array, stop: each result "
                    "comes back as [TOOL_RESULTS]{\"call_id\": <id>, \"content\": "
                    "<result>}[/TOOL_RESULTS]. When no tool is needed, answer in words.",
                .tool_next = ", ",
                .before = "\n",
                .calls_begin = "[TOOL_CALLS][",
                .call = "{\"name\": %N, \"arguments\": %a, \"id\": \"%s\"}",
                .call_next = ", ",
                .calls_end = "]",
                .result = "[TOOL_RESULTS]{\"call_id\": \"%s\", \"content\": %T}[/TOOL_RESULTS]",
            },
};
