/* SPDX-License-Identifier: Apache-2.0 */
/* codemode.c - blocks of Python to run, in a fence or in <code>. The parser finds no calls: the
 * code makes them when it runs. Tests: tests/format/dialects/codemode_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, FENCE, TOP, CODE, ENDING, TAGGED };

#define BLOCKS                                                                                     \
    {"```py", FENCE},                                                                              \
    {                                                                                              \
        "<code>", TAGGED, HAFT__ACTION_CODE_BEGIN                                                  \
    }

const haft__format haft__format_codemode =
    {
        .name = "codemode",
        .grammar = {{.kind = HAFT__CALL_SYNTAX_CODE,
                     .open = "```python\n",
                     .close = "```",
                     .reasoning_open = "<think>",
                     .reasoning_close = "</think>" HAFT__SYNTAX_WS}},
        .reasoning = THINK,
        .plain = TEXT,
        .malformed = TEXT,
        .states =
            {
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"<think>", THINK}, BLOCKS}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"</think>", TEXT}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {BLOCKS,
                                    {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                /* py or python, and nothing else on the line */
                [FENCE] = {.bytes = HAFT__BYTES_UNDECIDED,
                           .fallback = TEXT,
                           .marks = {{"\n", TOP, HAFT__ACTION_CODE_BEGIN, .omit_mark = true},
                                     {"thon\n", TOP, HAFT__ACTION_CODE_BEGIN, .omit_mark = true},
                                     {"thon\r\n", TOP, HAFT__ACTION_CODE_BEGIN,
                                      .omit_mark = true}}},
                /* A fence closes only at the start of a line: here, of the first line. */
                [TOP] = {.bytes = HAFT__BYTES_UNDECIDED,
                         .fallback = CODE,
                         .marks = {{"```", ENDING}}},
                [CODE] = {.bytes = HAFT__BYTES_CODE, .marks = {{"\n```", ENDING}}},
                [ENDING] = {.bytes = HAFT__BYTES_UNDECIDED,
                            .fallback = CODE,
                            .at_end = HAFT__ACTION_CODE_END,
                            .marks = {{"\n", TEXT, HAFT__ACTION_CODE_END}}},
                [TAGGED] = {.bytes = HAFT__BYTES_CODE,
                            .marks = {{"</code>", TEXT, HAFT__ACTION_CODE_END}}},
            },
        .render =
            {
                .teach =
                    "You solve tasks by writing Python. To act, write one block of code and then "
                    "stop:\n"
                    "```python\n"
                    "# code\n"
                    "```\n"
                    "It runs at once. What it prints comes back in the next message, so print "
                    "what you need to know; call functions with named arguments. One block "
                    "may call many functions, in loops and conditions. When nothing is left "
                    "to do, answer in words, without a block.",
                .teach_tools = "You solve tasks by writing Python. These functions are there "
                               "already; do not define or import them:\n"
                               "\n"
                               "```\n"
                               "%l\n"
                               "```",
                .shown = HAFT__TOOL_RENDERING_PYTHON,
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
