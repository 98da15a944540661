/* SPDX-License-Identifier: Apache-2.0 */
/* codemode.c - blocks of Python to be run, in a fence or in <code>. No call is found here: calls
 * are made while the code runs. Tests: tests/format/codemode_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, FENCE, TOP, CODE, ENDING, TAGGED };

#define BLOCKS                                                                                     \
    {"```py", FENCE},                                                                              \
    {                                                                                              \
        "<code>", TAGGED, HAFT__ACT_CODE                                                           \
    }

const haft__format haft__format_codemode =
    {
        .name = "codemode",
        .grammar = {{.kind = HAFT__FRAME_CODE,
                     .open = "```python\n",
                     .close = "```",
                     .think = "<think>",
                     .thought = "</think>" HAFT__FRAME_WS}},
        .reasoning = THINK,
        .plain = TEXT,
        .spoilt = TEXT,
        .places =
            {
                [START] = {.bytes = HAFT__BYTES_LAYOUT,
                           .otherwise = TEXT,
                           .marks = {{"<think>", THINK}, BLOCKS}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACT_REOPEN}, {"</think>", TEXT}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {BLOCKS,
                                    {"</think>", TEXT, HAFT__ACT_STRAY},
                                    {"<think>", THINK, HAFT__ACT_SUPPOSE}}},
                /* py or python, and nothing else on the line */
                [FENCE] = {.bytes = HAFT__BYTES_DOUBT,
                           .otherwise = TEXT,
                           .marks = {{"\n", TOP, HAFT__ACT_CODE, .forget = true},
                                     {"thon\n", TOP, HAFT__ACT_CODE, .forget = true},
                                     {"thon\r\n", TOP, HAFT__ACT_CODE, .forget = true}}},
                /* A fence closes at the start of a line only, which the first one is. */
                [TOP] = {.bytes = HAFT__BYTES_DOUBT, .otherwise = CODE, .marks = {{"```", ENDING}}},
                [CODE] = {.bytes = HAFT__BYTES_CODE, .marks = {{"\n```", ENDING}}},
                [ENDING] = {.bytes = HAFT__BYTES_DOUBT,
                            .otherwise = CODE,
                            .at_end = HAFT__ACT_CODED,
                            .marks = {{"\n", TEXT, HAFT__ACT_CODED}}},
                [TAGGED] = {.bytes = HAFT__BYTES_CODE,
                            .marks = {{"</code>", TEXT, HAFT__ACT_CODED}}},
            },
        .render =
            {
                .teach =
                    "You solve tasks by writing Python. These functions are there already; do not "
                    "define or import them:\n"
                    "\n"
                    "```\n"
                    "%l\n"
                    "```\n"
                    "\n"
                    "To act, write one block of code and then stop:\n"
                    "```python\n"
                    "# code\n"
                    "```\n"
                    "It runs at once. What it prints comes back in the next message, so print what "
                    "you need to know; call functions with named arguments. One block may call "
                    "many functions, in loops and conditions. When nothing is left to do, answer "
                    "in words, without a block.",
                .shown = HAFT__SHOWN_CODE,
                .tool_next = "\n"
                             "\n",
                .before = "\n",
                .calls_begin = "```python\n",
                .call = "%x",
                .call_next = "\n",
                .calls_end = "\n"
                             "```",
                .results_begin = "Output of your code:\n",
                .result = "%t",
                .result_next = "\n",
            },
};
