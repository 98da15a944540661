/* SPDX-License-Identifier: Apache-2.0 */
/* deepseek_v31.c - names and arguments separated by a mark, as DeepSeek V3.1 writes them. Tests:
 * tests/format/dialects/deepseek_v31_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, SECTION, BETWEEN, NAME, ARGS, AFTER, MALFORMED };

#define CALLS_BEGIN "<｜tool▁calls▁begin｜>"
#define CALLS_END   "<｜tool▁calls▁end｜>"
#define CALL_BEGIN  "<｜tool▁call▁begin｜>"
#define CALL_END    "<｜tool▁call▁end｜>"
#define SEPARATOR   "<｜tool▁sep｜>"

const haft__format haft__format_deepseek_v31 =
    {
        .name = "deepseek_v31",
        .grammar = {{.kind = HAFT__CALL_SYNTAX_NAME_ARGS,
                     .open = CALLS_BEGIN,
                     .before = CALL_BEGIN,
                     .after_name = SEPARATOR,
                     .after = CALL_END,
                     .between = HAFT__SYNTAX_WS,
                     .close = CALLS_END,
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
                           .marks = {{"<think>", THINK},
                                     {CALLS_BEGIN, SECTION, HAFT__ACTION_CALL_BEGIN},
                                     {CALL_BEGIN, NAME, HAFT__ACTION_CALL_BEGIN}}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"</think>", TEXT},
                                     {CALLS_BEGIN, THINK, HAFT__ACTION_CALL_IN_REASONING},
                                     {CALL_BEGIN, THINK, HAFT__ACTION_CALL_IN_REASONING}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {{CALLS_BEGIN, SECTION, HAFT__ACTION_CALL_BEGIN},
                                    {CALL_BEGIN, NAME, HAFT__ACTION_CALL_BEGIN},
                                    {CALL_END, TEXT},
                                    {CALLS_END, TEXT},
                                    {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                /* Text between calls is content. */
                [SECTION] = {.bytes = HAFT__BYTES_GAP,
                             .fallback = BETWEEN,
                             .marks = {{CALL_END, SECTION},
                                       {CALL_BEGIN, NAME, HAFT__ACTION_CALL_BEGIN},
                                       {CALLS_END, TEXT, HAFT__ACTION_CALL_DISCARD}}},
                [BETWEEN] = {.bytes = HAFT__BYTES_SECTION_TEXT,
                             .marks = {{CALL_END, BETWEEN},
                                       {CALLS_BEGIN, SECTION, HAFT__ACTION_CALL_BEGIN},
                                       {CALL_BEGIN, NAME, HAFT__ACTION_CALL_BEGIN},
                                       {CALLS_END, TEXT, HAFT__ACTION_CALL_DISCARD},
                                       {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [NAME] = {.bytes = HAFT__BYTES_NAME,
                          .marks = {{SEPARATOR, ARGS, HAFT__ACTION_NAME_END}}},
                [ARGS] = {.scan = HAFT__SCAN_ARGS, .fallback = AFTER},
                [AFTER] = {.bytes = HAFT__BYTES_TAIL,
                           .marks = {{"```", AFTER},
                                     {CALL_END, SECTION},
                                     {CALL_BEGIN, NAME, HAFT__ACTION_CALL_BEGIN},
                                     {CALLS_END, TEXT, HAFT__ACTION_CALL_DISCARD},
                                     {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED,
                               .marks =
                                   {{CALL_END, SECTION},
                                    {CALL_BEGIN, NAME, HAFT__ACTION_CALL_BEGIN},
                                    {CALLS_END, TEXT, HAFT__ACTION_CALL_DISCARD}}},
            },
        .render =
            {
                .teach = "## Tools\n"
                         "\n"
                         "To call tools, write exactly this, with a block for each call:\n"
                         "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜><args-json-"
                         "object><｜tool▁call▁end｜><｜tool▁calls▁end｜>\n"
                         "\n"
                         "You may make several calls in one reply if none of them needs the result "
                         "of another. When no tool is needed, answer in words.",
                .teach_results =
                    "After your calls, stop: the results come back within <｜tool▁outputs▁begin｜> "
                    "and <｜tool▁outputs▁end｜>, in the order of the calls.",
                .teach_tools = "You have access to the following tools:\n"
                               "%l",
                .shown = HAFT__TOOL_RENDERING_PLAIN,
                .tool_next = "\n",
                .before = "",
                .calls_begin = "<｜tool▁calls▁begin｜>",
                .call = "<｜tool▁call▁begin｜>%n<｜tool▁sep｜>%a<｜tool▁call▁end｜>",
                .calls_end = "<｜tool▁calls▁end｜>",
                .results_begin = "<｜tool▁outputs▁begin｜>",
                .result = "<｜tool▁output▁begin｜>%t<｜tool▁output▁end｜>",
                .result_next = "\n",
                .results_end = "<｜tool▁outputs▁end｜>",
                .result_marks = {"<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>",
                                 "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"},
            },
};
