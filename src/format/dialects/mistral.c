/* SPDX-License-Identifier: Apache-2.0 */
/* mistral.c - [TOOL_CALLS] with an array of calls, or with a name and arguments for each. Tests:
 * tests/format/dialects/mistral_test.c. */
#include "format/formats.h"

enum { START, THINK, BRACKETED, TAGGED, TEXT, HEAD, ARRAY, NAME, ID, GAP, ARGS, AFTER, MALFORMED };

#define CALLS                                                                                      \
    {                                                                                              \
        "[TOOL_CALLS]", HEAD, HAFT__ACTION_CALL_BEGIN                                              \
    }

const haft__format haft__format_mistral =
    {
        .name = "mistral",
        .grammar = {{.kind = HAFT__CALL_SYNTAX_OBJECT,
                     .open = "[TOOL_CALLS]" HAFT__SYNTAX_WS "[" HAFT__SYNTAX_WS,
                     .between = "," HAFT__SYNTAX_WS,
                     .close = HAFT__SYNTAX_WS "]",
                     .name_key = "name",
                     .args_key = "arguments",
                     .last_id_key = "id",
                     .reasoning_open = "[THINK]",
                     .reasoning_close = "[/THINK]" HAFT__SYNTAX_WS,
                     .reasoning_stops = {"[/THINK]", "</think>"}},
                    {.kind = HAFT__CALL_SYNTAX_NAME_ARGS,
                     .before = "[TOOL_CALLS]",
                     .after_name = "[ARGS]" HAFT__SYNTAX_WS,
                     .between = HAFT__SYNTAX_WS,
                     .reasoning_open = "[THINK]",
                     .reasoning_close = "[/THINK]" HAFT__SYNTAX_WS,
                     .reasoning_stops = {"[/THINK]", "</think>"}}},
        .reasoning = THINK,
        .plain = TEXT,
        .malformed = MALFORMED,
        .after_malformed = AFTER,
        .json = true,
        .open_ended = true,
        .states =
            {
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"[THINK]", BRACKETED}, {"<think>", TAGGED}, CALLS}},
                /* If the prompt opened the block, its opening tag is unknown, and either closing
                 * tag ends the block; else only the tag of the same name ends it. */
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"[THINK]", BRACKETED, HAFT__ACTION_REASONING_REOPEN},
                                     {"<think>", TAGGED, HAFT__ACTION_REASONING_REOPEN},
                                     {"[/THINK]", TEXT},
                                     {"</think>", TEXT},
                                     {"[TOOL_CALLS]", THINK, HAFT__ACTION_CALL_IN_REASONING}}},
                [BRACKETED] = {.bytes = HAFT__BYTES_REASONING,
                               .marks = {{"[/THINK]", TEXT},
                                         {"[TOOL_CALLS]", BRACKETED,
                                          HAFT__ACTION_CALL_IN_REASONING}}},
                [TAGGED] = {.bytes = HAFT__BYTES_REASONING,
                            .marks = {{"</think>", TEXT},
                                      {"[TOOL_CALLS]", TAGGED, HAFT__ACTION_CALL_IN_REASONING}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {CALLS,
                                    {"[/THINK]", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"[THINK]", BRACKETED, HAFT__ACTION_REASONING_AFTER_TEXT},
                                    {"<think>", TAGGED, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [HEAD] = {.bytes = HAFT__BYTES_WHITESPACE,
                          .fallback = NAME,
                          .marks = {{"[", ARRAY, HAFT__ACTION_NONE, .reread = true}}},
                [ARRAY] = {.scan = HAFT__SCAN_CALLS, .fallback = AFTER},
                [NAME] = {.bytes = HAFT__BYTES_NAME,
                          .marks = {{"[CALL_ID]", ID, HAFT__ACTION_NAME_END},
                                    {"[ARGS]", GAP, HAFT__ACTION_NAME_END},
                                    {"{", ARGS, HAFT__ACTION_NAME_END, .reread = true}}},
                [ID] = {.bytes = HAFT__BYTES_ID,
                        .marks = {{"[ARGS]", GAP, HAFT__ACTION_SHORT_ID_END},
                                  {"{", ARGS, HAFT__ACTION_SHORT_ID_END, .reread = true}}},
                /* Another call can begin instead of the arguments. */
                [GAP] = {.bytes = HAFT__BYTES_WHITESPACE,
                         .fallback = ARGS,
                         .marks = {{"[TOOL_CALLS]", MALFORMED, HAFT__ACTION_CALL_INCOMPLETE,
                                    .reread = true}}},
                [ARGS] = {.scan = HAFT__SCAN_ARGS, .fallback = AFTER},
                [AFTER] = {.bytes = HAFT__BYTES_TAIL, .fallback = TEXT, .marks = {CALLS}},
                [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED, .marks = {CALLS}},
            },
        .render =
            {
                .teach = "To call tools, write [TOOL_CALLS] and behind it a JSON array with an "
                         "object for each call:\n"
                         "[TOOL_CALLS][{\"name\": <function-name>, \"arguments\": "
                         "<args-json-object>, \"id\": <nine letters and digits>}]\n"
                         "\n"
                         "You may make several calls in one reply if none of them needs the result "
                         "of another. Each call has an id of its own. When no tool is needed, "
                         "answer in words.",
                .teach_results =
                    "After the array, stop: each result comes back as [TOOL_RESULTS]{\"call_id\": "
                    "<id>, \"content\": <result>}[/TOOL_RESULTS].",
                .teach_tools = "[AVAILABLE_TOOLS][%l][/AVAILABLE_TOOLS]",
                .tool_next = ", ",
                .before = "\n",
                .calls_begin = "[TOOL_CALLS][",
                .call = "{\"name\": %N, \"arguments\": %a, \"id\": \"%s\"}",
                .call_next = ", ",
                .calls_end = "]",
                .result = "[TOOL_RESULTS]{\"call_id\": \"%s\", \"content\": %T}[/TOOL_RESULTS]",
            },
};
