/* SPDX-License-Identifier: Apache-2.0 */
/* kimi_k2.c - a section of calls whose ids contain their names, as Kimi K2 writes it. Tests:
 * tests/format/dialects/kimi_k2_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, ORPHAN_ARGS, SECTION, BETWEEN, ID, ARGS, AFTER, MALFORMED };

#define SECTIONS                                                                                   \
    {                                                                                              \
        "<|tool_calls_section_begin|>", SECTION, HAFT__ACTION_CALL_BEGIN                           \
    }
#define CALL                                                                                       \
    {                                                                                              \
        "<|tool_call_begin|>", ID, HAFT__ACTION_CALL_BEGIN                                         \
    }
/* End marks outside a call are dropped unless marks are mentioned. A mark of arguments outside a
 * call is content, like the end marks after it: the model omitted the beginning of the call. */
#define STRAY                                                                                      \
    {"<|tool_call_argument_begin|>", ORPHAN_ARGS, .reread = true},                                 \
        {"<|tool_call_end|>", TEXT, HAFT__ACTION_CALL_STRAY_TOKEN},                                \
    {                                                                                              \
        "<|tool_calls_section_end|>", TEXT, HAFT__ACTION_CALL_STRAY_TOKEN                          \
    }

const haft__format haft__format_kimi_k2 =
    {
        .name = "kimi_k2",
        .grammar = {{.kind = HAFT__CALL_SYNTAX_NAME_ARGS,
                     .open = "<|tool_calls_section_begin|>",
                     .before = "<|tool_call_begin|>functions.",
                     .after_name =
                         ":" HAFT__SYNTAX_NUMBER "<|tool_call_argument_begin|>" HAFT__SYNTAX_WS,
                     .after = HAFT__SYNTAX_WS "<|tool_call_end|>",
                     .between = HAFT__SYNTAX_WS,
                     .close = "<|tool_calls_section_end|>",
                     .reasoning_open = "<think>",
                     .reasoning_close = "</think>" HAFT__SYNTAX_WS}},
        .plain = TEXT,
        .reasoning = THINK,
        .malformed = MALFORMED,
        .json = true,
        .states =
            {
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"<think>", THINK}, SECTIONS, CALL}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"</think>", TEXT},
                                     {"<|tool_calls_section_begin|>", THINK,
                                      HAFT__ACTION_CALL_IN_REASONING},
                                     {"<|tool_call_begin|>", THINK,
                                      HAFT__ACTION_CALL_IN_REASONING}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {SECTIONS,
                                    CALL,
                                    STRAY,
                                    {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [ORPHAN_ARGS] = {.bytes = HAFT__BYTES_CONTENT,
                                 .marks = {SECTIONS,
                                           CALL,
                                           {"</think>", ORPHAN_ARGS,
                                            HAFT__ACTION_REASONING_STRAY_END},
                                           {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [SECTION] = {.bytes = HAFT__BYTES_GAP,
                             .fallback = BETWEEN,
                             .marks = {CALL,
                                       {"<|tool_calls_section_end|>", TEXT,
                                        HAFT__ACTION_CALL_DISCARD}}},
                /* Text between calls is dropped. */
                [BETWEEN] = {.bytes = HAFT__BYTES_SECTION_TEXT,
                             .drops = true,
                             .marks = {CALL,
                                       SECTIONS,
                                       {"<|tool_calls_section_end|>", TEXT,
                                        HAFT__ACTION_CALL_DISCARD},
                                       {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [ID] = {.bytes = HAFT__BYTES_ID,
                        .marks = {{"<|tool_call_argument_begin|>", ARGS,
                                   HAFT__ACTION_ID_WITH_NAME_END}}},
                [ARGS] = {.scan = HAFT__SCAN_ARGS, .fallback = AFTER},
                [AFTER] = {.bytes = HAFT__BYTES_TAIL,
                           .fallback = SECTION,
                           .marks = {{"<|tool_call_end|>", SECTION},
                                     CALL,
                                     {"<|tool_calls_section_end|>",
                                      TEXT, HAFT__ACTION_CALL_DISCARD}}},
                [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED,
                               .marks = {{"<|tool_call_end|>", SECTION},
                                         CALL,
                                         {"<|tool_calls_section_end|>",
                                          TEXT, HAFT__ACTION_CALL_DISCARD}}},
            },
        .render =
            {
                .teach =
                    "To call functions, write a section of calls, each with the id "
                    "functions.NAME:INDEX, where INDEX counts all calls of the conversation from "
                    "0:\n"
                    "<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0<|tool_call_"
                    "argument_begin|><args-json-object><|tool_call_end|><|tool_calls_section_end|>"
                    "\n"
                    "\n"
                    "You may make several calls in one reply if none of them needs the result of "
                    "another. When no function is needed, answer in words.",
                .teach_results =
                    "After your calls, stop: the results come back in the next message, "
                    "each behind \"## Return of\" and the id of its call.",
                .teach_tools = "# Tools\n"
                               "\n"
                               "%l",
                .tool_next = "\n",
                .before = "",
                .calls_begin = "<|tool_calls_section_begin|>",
                .call = "<|tool_call_begin|>%f<|tool_call_argument_begin|>%a<|tool_call_end|>",
                .calls_end = "<|tool_calls_section_end|>",
                .result = "## Return of %f\n"
                          "%t",
                .result_next = "\n",
                .result_marks = {"## Return of ", "[BOS]", "[EOS]"},
            },
};
