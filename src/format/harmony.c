/* SPDX-License-Identifier: Apache-2.0 */
/* harmony.c - channels of messages, as gpt-oss writes them: analysis is reasoning, commentary to
 * functions.NAME is a call. Tests:
 * tests/format/harmony_test.c. */
#include "format/formats.h"

enum { START, ROLE, CHANNEL, ANALYSIS, COMMENTARY, FINAL, THINK, TEXT, NAME, HEADER, ARGS, SPOILT };

#define TO                                                                                         \
    {                                                                                              \
        "to=functions.", NAME, HAFT__ACT_OPEN                                                      \
    }
#define NEXT                                                                                       \
    {"<|start|>", ROLE},                                                                           \
    {                                                                                              \
        "<|channel|>", CHANNEL                                                                     \
    }
#define ENDS                                                                                       \
    {"<|end|>", START}, {"<|call|>", START},                                                       \
    {                                                                                              \
        "<|return|>", START                                                                        \
    }

const haft__format haft__format_harmony = {
    .name = "harmony",
    .grammar = {{.kind = HAFT__FRAME_NAMED,
                 .before = "<|channel|>commentary to=functions.",
                 .behind_name = " <|constrain|>json<|message|>",
                 .after = "<|call|>",
                 .between = "<|start|>assistant",
                 .think = "<|channel|>analysis<|message|>",
                 .thought = "<|end|><|start|>assistant"}},
    .plain = TEXT,
    .reasoning = THINK,
    .spoilt = SPOILT,
    .places =
        {
            [START] = {.bytes = HAFT__BYTES_LAYOUT, .otherwise = TEXT, .marks = {NEXT}},
            [ROLE] = {.bytes = HAFT__BYTES_NOTHING,
                      .marks = {TO, {"<|channel|>", CHANNEL}, {"<|message|>", TEXT}}},
            [CHANNEL] = {.bytes = HAFT__BYTES_LAYOUT,
                         .otherwise = FINAL,
                         .marks = {{"analysis", ANALYSIS},
                                   {"commentary", COMMENTARY},
                                   {"final", FINAL}}},
            [ANALYSIS] = {.bytes = HAFT__BYTES_NOTHING, .marks = {{"<|message|>", THINK}}},
            [COMMENTARY] = {.bytes = HAFT__BYTES_NOTHING, .marks = {TO, {"<|message|>", TEXT}}},
            [FINAL] = {.bytes = HAFT__BYTES_NOTHING, .marks = {{"<|message|>", TEXT}}},
            [THINK] = {.bytes = HAFT__BYTES_REASONING, .marks = {ENDS, NEXT}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT, .marks = {ENDS, NEXT}},
            [NAME] = {.bytes = HAFT__BYTES_NAME,
                      .marks = {{"<|message|>", ARGS, HAFT__ACT_NAMED},
                                {" ", HEADER, HAFT__ACT_NAMED},
                                {"<|constrain|>", HEADER, HAFT__ACT_NAMED},
                                {"<|channel|>", HEADER, HAFT__ACT_NAMED}}},
            [HEADER] = {.bytes = HAFT__BYTES_NOTHING, .marks = {{"<|message|>", ARGS}}},
            [ARGS] = {.scan = HAFT__SCAN_ARGS, .otherwise = SPOILT},
            /* Behind the arguments, good or bad. */
            [SPOILT] = {.bytes = HAFT__BYTES_NOTHING, .marks = {ENDS, NEXT}},
        },
};
