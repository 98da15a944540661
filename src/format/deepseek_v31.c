/* SPDX-License-Identifier: Apache-2.0 */
/* deepseek_v31.c - names and arguments with a mark between, as DeepSeek V3.1 writes them. Tests:
 * tests/format/deepseek_v31_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, SECTION, BETWEEN, NAME, ARGS, AFTER, SPOILT };

#define CALLS_BEGIN "<｜tool▁calls▁begin｜>"
#define CALLS_END   "<｜tool▁calls▁end｜>"
#define CALL_BEGIN  "<｜tool▁call▁begin｜>"
#define CALL_END    "<｜tool▁call▁end｜>"
#define SEPARATOR   "<｜tool▁sep｜>"

const haft__format haft__format_deepseek_v31 =
    {
        .name = "deepseek_v31",
        .grammar = {{.kind = HAFT__FRAME_NAMED,
                     .open = CALLS_BEGIN,
                     .before = CALL_BEGIN,
                     .behind_name = SEPARATOR,
                     .after = CALL_END,
                     .between = HAFT__FRAME_WS,
                     .close = CALLS_END,
                     .think = "<think>",
                     .thought = "</think>" HAFT__FRAME_WS}},
        .plain = TEXT,
        .reasoning = THINK,
        .spoilt = SPOILT,
        .json = true,
        .places =
            {
                [START] = {.bytes = HAFT__BYTES_LAYOUT,
                           .otherwise = TEXT,
                           .marks = {{"<think>", THINK},
                                     {CALLS_BEGIN, SECTION, HAFT__ACT_OPEN},
                                     {CALL_BEGIN, NAME, HAFT__ACT_OPEN}}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACT_REOPEN},
                                     {"</think>", TEXT},
                                     {CALLS_BEGIN, THINK, HAFT__ACT_SUSPECT}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {{CALLS_BEGIN, SECTION, HAFT__ACT_OPEN},
                                    {CALL_BEGIN, NAME, HAFT__ACT_OPEN},
                                    {"</think>", TEXT, HAFT__ACT_STRAY},
                                    {"<think>", THINK, HAFT__ACT_SUPPOSE}}},
                /* Text between calls is content. */
                [SECTION] = {.bytes = HAFT__BYTES_GAP,
                             .otherwise = BETWEEN,
                             .marks = {{CALL_END, SECTION},
                                       {CALL_BEGIN, NAME, HAFT__ACT_OPEN},
                                       {CALLS_END, TEXT, HAFT__ACT_FORGET}}},
                [BETWEEN] = {.bytes = HAFT__BYTES_CONTENT,
                             .marks = {{CALL_END, BETWEEN},
                                       {CALL_BEGIN, NAME, HAFT__ACT_OPEN},
                                       {CALLS_END, TEXT, HAFT__ACT_FORGET},
                                       {"<think>", THINK, HAFT__ACT_SUPPOSE}}},
                [NAME] = {.bytes = HAFT__BYTES_NAME, .marks = {{SEPARATOR, ARGS, HAFT__ACT_NAMED}}},
                [ARGS] = {.scan = HAFT__SCAN_ARGS, .otherwise = AFTER},
                [AFTER] = {.bytes = HAFT__BYTES_TAIL,
                           .marks = {{"```", AFTER},
                                     {CALL_END, SECTION},
                                     {CALL_BEGIN, NAME, HAFT__ACT_OPEN},
                                     {CALLS_END, TEXT, HAFT__ACT_FORGET},
                                     {"<think>", THINK, HAFT__ACT_SUPPOSE}}},
                [SPOILT] =
                    {.bytes = HAFT__BYTES_NOTHING,
                     .marks = {{CALL_END, SECTION},
                               {CALL_BEGIN, NAME, HAFT__ACT_OPEN},
                               {CALLS_END, TEXT, HAFT__ACT_FORGET}}},
            },
        .render =
            {
                .teach =
                    "## Tools\n"
                    "\n"
                    "You have access to the following tools:\n"
                    "%l\n"
                    "\n"
                    "To call tools, write exactly this, with a block for each call:\n"
                    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜><args-json-"
                    "object><｜too"
                    "l▁call▁end｜><｜tool▁calls▁end｜>\n"
                    "\n"
                    "You may make several calls in one reply if none of them needs the result of "
                    "another. After your calls, stop: the results come back within "
                    "<｜tool▁outputs▁begin｜> and "
                    "<｜tool▁outputs▁end｜>, in the order of the calls. When no tool is needed, "
                    "answer in words.",
                .shown = HAFT__SHOWN_PLAIN,
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
