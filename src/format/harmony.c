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
    .render =
        {
            .teach =
                "# Tools\n"
                "\n"
                "## functions\n"
                "\n"
                "%l\n"
                "\n"
                "Calls to these tools go to the commentary channel, one message for each:\n"
                "<|channel|>commentary to=functions.NAME "
                "<|constrain|>json<|message|><args-json-object><|call|>\n"
                "\n"
                "You may make several calls in one reply if none of them needs the result of "
                "another. Begin each message behind the first with <|start|>assistant. The "
                "results come back in the next message, one JSON object for each call, in the "
                "order of the calls: {\"name\": <NAME>, \"output\": <result>}. When no tool is "
                "needed, answer in the final channel.",
            .shown = HAFT__SHOWN_PLAIN,
            .tool_next = "\n",
            .before = "\n",
            .call = "<|channel|>commentary to=functions.%n <|constrain|>json<|message|>%a<|call|>",
            .call_next = "<|start|>assistant",
            .result = "{\"name\": %N, \"output\": %T}",
            .result_next = "\n",
        },
};
