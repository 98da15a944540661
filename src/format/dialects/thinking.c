/* SPDX-License-Identifier: Apache-2.0 */
/* thinking.c - a block of reasoning followed by text, without calls, in the notations of most
 * models, of Command A and of gpt-oss. Tests: tests/format/dialects/thinking_test.c. */
#include "format/format.h"
#include "format/state.h"

enum { START, THINK, TEXT, ACTING, ACTED, RESPONSE, ANALYSIS, NEXT, FINAL };

#define COMMAND                                                                                    \
    {"<|START_THINKING|>", ACTING}, {"<|START_RESPONSE|>", RESPONSE},                              \
    {                                                                                              \
        "<|START_TEXT|>", RESPONSE                                                                 \
    }
#define CHANNELS                                                                                   \
    {"<|channel|>analysis<|message|>", ANALYSIS}, {"<|channel|>commentary<|message|>", FINAL},     \
    {                                                                                              \
        "<|channel|>final<|message|>", FINAL                                                       \
    }

const haft__format haft__format_thinking =
    {
        .name = "thinking",
        .reasoning = THINK,
        .plain = TEXT,
        .malformed = TEXT,
        .states =
            {
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"<think>", THINK}, {"[THINK]", THINK}, COMMAND, CHANNELS}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"[THINK]", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"<|START_THINKING|>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"</think>", TEXT},
                                     {"[/THINK]", TEXT},
                                     {"<|END_THINKING|>", ACTED}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {{"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"[/THINK]", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT},
                                    {"[THINK]", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                /* Command A: the text is between marks. */
                [ACTING] = {.bytes = HAFT__BYTES_REASONING, .marks = {{"<|END_THINKING|>", ACTED}}},
                [ACTED] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = RESPONSE,
                           .marks = {COMMAND}},
                [RESPONSE] = {.bytes = HAFT__BYTES_CONTENT,
                              .marks = {{"<|END_THINKING|>", RESPONSE},
                                        {"<|START_RESPONSE|>", RESPONSE},
                                        {"<|START_TEXT|>", RESPONSE},
                                        {"<|END_RESPONSE|>", RESPONSE},
                                        {"<|END_TEXT|>", RESPONSE},
                                        {"<|START_THINKING|>", ACTING,
                                         HAFT__ACTION_REASONING_AFTER_TEXT}}},
                /* gpt-oss: messages, the last of which is the text. */
                [ANALYSIS] = {.bytes = HAFT__BYTES_REASONING,
                              .marks = {{"<|end|>", NEXT},
                                        {"<|start|>assistant", NEXT},
                                        {"<|return|>", NEXT}}},
                [NEXT] = {.bytes = HAFT__BYTES_WHITESPACE,
                          .fallback = FINAL,
                          .marks = {{"<|start|>assistant", NEXT}, CHANNELS}},
                [FINAL] = {.bytes = HAFT__BYTES_CONTENT,
                           .marks = {{"<|end|>", NEXT, HAFT__ACTION_LINE_BREAK},
                                     {"<|return|>", NEXT, HAFT__ACTION_LINE_BREAK}}},
            },
};
