/* SPDX-License-Identifier: Apache-2.0 */
/* harmony.c - channels of messages, as gpt-oss writes them: analysis is reasoning, commentary to
 * functions.NAME is a call. Tests:
 * tests/format/harmony_test.c. */
#include "format/formats.h"

enum {
    START,
    ROLE,
    CHANNEL,
    ANALYSIS,
    COMMENTARY,
    FINAL,
    THINK,
    TEXT,
    NAME,
    CHANNEL_TO,
    HEADER,
    ARGS,
    SPOILT
};

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
/* A message that ends in its header: what it was is not known, but the next one is read. */
#define BROKEN(act)                                                                                \
    {"<|end|>", SPOILT, act, .keep = true}, {"<|call|>", SPOILT, act, .keep = true},               \
        {"<|return|>", SPOILT, act, .keep = true},                                                 \
    {                                                                                              \
        "<|start|>", SPOILT, act, .keep = true                                                     \
    }

const haft__format haft__format_harmony =
    {
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
        .json = true,
        .places =
            {
                [START] = {.bytes = HAFT__BYTES_LAYOUT, .otherwise = TEXT, .marks = {NEXT}},
                [ROLE] = {.bytes = HAFT__BYTES_NOTHING,
                          .marks = {TO,
                                    {"<|channel|>", CHANNEL},
                                    {"<|message|>", TEXT},
                                    BROKEN(HAFT__ACT_NONE)}},
                [CHANNEL] = {.bytes = HAFT__BYTES_LAYOUT,
                             .otherwise = FINAL,
                             .marks = {{"analysis", ANALYSIS},
                                       {"commentary", COMMENTARY},
                                       {"final", FINAL}}},
                [ANALYSIS] = {.bytes = HAFT__BYTES_NOTHING,
                              .marks = {{"<|message|>", THINK}, BROKEN(HAFT__ACT_NONE)}},
                [COMMENTARY] = {.bytes = HAFT__BYTES_NOTHING,
                                .marks = {TO, {"<|message|>", TEXT}, BROKEN(HAFT__ACT_NONE)}},
                [FINAL] = {.bytes = HAFT__BYTES_NOTHING,
                           .marks = {{"<|message|>", TEXT}, BROKEN(HAFT__ACT_NONE)}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING, .marks = {ENDS, NEXT}},
                /* Messages stand on lines of their own. */
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {{"<|end|>", START, HAFT__ACT_BREAK},
                                    {"<|call|>", START, HAFT__ACT_BREAK},
                                    {"<|return|>", START, HAFT__ACT_BREAK},
                                    NEXT}},
                [NAME] = {.bytes = HAFT__BYTES_NAME,
                          .marks = {{"<|message|>", ARGS, HAFT__ACT_NAMED},
                                    {" ", HEADER, HAFT__ACT_NAMED},
                                    {"<|constrain|>", HEADER, HAFT__ACT_NAMED},
                                    {"<|channel|>", CHANNEL_TO, HAFT__ACT_NAMED},
                                    BROKEN(HAFT__ACT_SPOIL)}},
                /* Behind a recipient: only commentary to one is a call. */
                [CHANNEL_TO] = {.bytes = HAFT__BYTES_LAYOUT,
                                .otherwise = HEADER,
                                .marks = {{"analysis", ANALYSIS, HAFT__ACT_FORGET},
                                          {"final", FINAL, HAFT__ACT_FORGET}}},
                [HEADER] = {.bytes = HAFT__BYTES_NOTHING,
                            .marks = {{"<|message|>", ARGS},
                                      {"<|channel|>", CHANNEL_TO},
                                      BROKEN(HAFT__ACT_SPOIL)}},
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
                .call = "<|channel|>commentary to=functions.%n "
                        "<|constrain|>json<|message|>%a<|call|>",
                .call_next = "<|start|>assistant",
                .result = "{\"name\": %N, \"output\": %T}",
                .result_next = "\n",
            },
};
