/* SPDX-License-Identifier: Apache-2.0 */
/* thinking.c - text behind a block of reasoning, and no calls at all. Tests:
 * tests/format/thinking_test.c. */
#include "format/format.h"
#include "format/place.h"

enum { START, THINK, TEXT };

const haft__format haft__format_thinking = {
    .name = "thinking",
    .reasoning = THINK,
    .plain = TEXT,
    .spoilt = TEXT,
    .places =
        {
            [START] = {.bytes = HAFT__BYTES_LAYOUT,
                       .otherwise = TEXT,
                       .marks = {{"<think>", THINK}, {"[THINK]", THINK}}},
            [THINK] = {.bytes = HAFT__BYTES_REASONING,
                       .marks = {{"</think>", TEXT}, {"[/THINK]", TEXT}}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                      .marks = {{"</think>", TEXT, HAFT__ACT_STRAY},
                                {"[/THINK]", TEXT, HAFT__ACT_STRAY}}},
        },
};
