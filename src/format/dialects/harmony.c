/* SPDX-License-Identifier: Apache-2.0 */
/* harmony.c - messages in channels, as gpt-oss writes them: analysis is reasoning, commentary to
 * functions.NAME is a call, and commentary to any other recipient is a malformed call. The
 * recipient follows the channel, or the role before it; any other header begins a text. Tests:
 * tests/format/dialects/harmony_test.c. */
#include "format/formats.h"

enum {
    START,
    ROLE,
    ROLE_TO,
    ROLE_NAME,
    ROLE_HEADER,
    CHANNEL,
    CHANNEL_TO,
    CHANNEL_OTHER,
    ANALYSIS,
    COMMENTARY,
    COMMENTARY_TO,
    NAME,
    HEADER,
    UNKNOWN,
    OTHER,
    ARGS,
    AFTER,
    BEGUN,
    THINK,
    TEXT,
    MALFORMED
};

#define NEXT                                                                                       \
    {"<|start|>", ROLE, .head = true},                                                             \
    {                                                                                              \
        "<|channel|>", CHANNEL, .head = true                                                       \
    }
#define ENDS                                                                                       \
    {"<|end|>", START}, {"<|call|>", START},                                                       \
    {                                                                                              \
        "<|return|>", START                                                                        \
    }
/* A message that ends inside its header: its kind is unknown, but the next message is read. */
#define BROKEN(act)                                                                                \
    {"<|end|>", MALFORMED, act, .keep = true}, {"<|call|>", MALFORMED, act, .keep = true},         \
        {"<|return|>", MALFORMED, act, .keep = true},                                              \
    {                                                                                              \
        "<|start|>", ROLE, act, .head = true                                                       \
    }
/* The whole word: a longer word is another channel. */
#define COMMENTARIES(to)                                                                           \
    {"commentary ", to, .keep = true},                                                             \
    {                                                                                              \
        "commentary<|", to, .keep = true                                                           \
    }

const haft__format haft__format_harmony =
    {
        .name = "harmony",
        .grammar = {{.kind = HAFT__CALL_SYNTAX_NAME_ARGS,
                     .before = "<|channel|>commentary to=functions.",
                     .after_name = " <|constrain|>json<|message|>",
                     .after = "<|call|>",
                     .between = "<|start|>assistant",
                     .reasoning_open = "<|channel|>analysis<|message|>",
                     .reasoning_close = "<|end|><|start|>assistant",
                     .reasoning_stops = {"<|end|>", "<|return|>", "<|start|>"}}},
        .plain = TEXT,
        .reasoning = BEGUN,
        .malformed = MALFORMED,
        .json = true,
        .states =
            {
                /* A prompt that ends with <|start|>assistant has the role: the reply begins with
                 * the recipient. */
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"to=functions.", ROLE_NAME, HAFT__ACTION_CALL_BEGIN}, NEXT}},
                [ROLE] = {.bytes = HAFT__BYTES_IGNORED,
                          .marks = {{" to=", ROLE_TO, HAFT__ACTION_RECIPIENT_BEGIN},
                                    {"<|channel|>", CHANNEL},
                                    {"<|message|>", TEXT},
                                    BROKEN(HAFT__ACTION_NONE)}},
                [ROLE_TO] = {.bytes = HAFT__BYTES_WHITESPACE,
                             .fallback = ROLE_NAME,
                             .marks = {{"functions.", ROLE_NAME, HAFT__ACTION_RECIPIENT_TOOL}}},
                /* Without a channel it is not a call. */
                [ROLE_NAME] = {.bytes = HAFT__BYTES_NAME,
                               .marks = {{"<|message|>", TEXT, HAFT__ACTION_CALL_DISCARD},
                                         {" ", ROLE_HEADER, HAFT__ACTION_NAME_END, .keep = true},
                                         {"<|constrain|>", ROLE_HEADER, HAFT__ACTION_NAME_END},
                                         {"<|channel|>", CHANNEL_TO, HAFT__ACTION_NAME_END},
                                         BROKEN(HAFT__ACTION_CALL_INCOMPLETE)}},
                [ROLE_HEADER] = {.bytes = HAFT__BYTES_IGNORED,
                                 .marks = {{"<|message|>", TEXT, HAFT__ACTION_CALL_DISCARD},
                                           {"<|channel|>", CHANNEL_TO},
                                           {" to=", ROLE_HEADER, HAFT__ACTION_RECIPIENT_INVALID},
                                           BROKEN(HAFT__ACTION_CALL_INCOMPLETE)}},
                [CHANNEL] = {.bytes = HAFT__BYTES_WHITESPACE,
                             .fallback = OTHER,
                             .marks = {{"analysis", ANALYSIS}, COMMENTARIES(COMMENTARY)}},
                /* After a recipient: only commentary to a recipient is a call. */
                [CHANNEL_TO] = {.bytes = HAFT__BYTES_WHITESPACE,
                                .fallback = UNKNOWN,
                                .marks = {{"analysis", ANALYSIS, HAFT__ACTION_CALL_DISCARD},
                                          COMMENTARIES(HEADER)}},
                [CHANNEL_OTHER] = {.bytes = HAFT__BYTES_WHITESPACE,
                                   .fallback = OTHER,
                                   .marks = {{"analysis", ANALYSIS}}},
                [ANALYSIS] = {.bytes = HAFT__BYTES_IGNORED,
                              .marks = {{"<|message|>", THINK}, BROKEN(HAFT__ACTION_NONE)}},
                [COMMENTARY] = {.bytes = HAFT__BYTES_IGNORED,
                                .marks = {{" to=", COMMENTARY_TO, HAFT__ACTION_RECIPIENT_BEGIN},
                                          {"<|channel|>", CHANNEL_OTHER},
                                          {"<|message|>", TEXT},
                                          BROKEN(HAFT__ACTION_NONE)}},
                [COMMENTARY_TO] = {.bytes = HAFT__BYTES_WHITESPACE,
                                   .fallback = NAME,
                                   .marks = {{"functions.", NAME, HAFT__ACTION_RECIPIENT_TOOL}}},
                [NAME] = {.bytes = HAFT__BYTES_NAME,
                          .marks = {{"<|message|>", HEADER, HAFT__ACTION_NAME_END, .keep = true},
                                    {" ", HEADER, HAFT__ACTION_NAME_END, .keep = true},
                                    {"<|constrain|>", HEADER, HAFT__ACTION_NAME_END},
                                    {"<|channel|>", CHANNEL_TO, HAFT__ACTION_NAME_END},
                                    BROKEN(HAFT__ACTION_CALL_INCOMPLETE)}},
                [HEADER] = {.bytes = HAFT__BYTES_IGNORED,
                            .marks = {{"<|message|>", ARGS, HAFT__ACTION_ARGUMENTS_BEGIN},
                                      {"<|channel|>", CHANNEL_TO},
                                      {" to=", HEADER, HAFT__ACTION_RECIPIENT_INVALID},
                                      BROKEN(HAFT__ACTION_CALL_INCOMPLETE)}},
                [UNKNOWN] = {.bytes = HAFT__BYTES_IGNORED,
                             .marks = {{"<|message|>", TEXT, HAFT__ACTION_CALL_DISCARD},
                                       BROKEN(HAFT__ACTION_CALL_DISCARD)}},
                [OTHER] = {.bytes = HAFT__BYTES_IGNORED,
                           .marks = {{"<|message|>", TEXT}, BROKEN(HAFT__ACTION_NONE)}},
                [ARGS] = {.scan = HAFT__SCAN_ARGS, .fallback = AFTER},
                /* Everything but a second value is layout here. */
                [AFTER] = {.bytes = HAFT__BYTES_TAIL, .fallback = MALFORMED, .marks = {ENDS, NEXT}},
                /* The prompt has the header, and the reply may repeat it. */
                [BEGUN] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = THINK,
                           .marks = {{"<|channel|>analysis<|message|>", THINK},
                                     {"<|start|>assistant<|channel|>analysis<|message|>", THINK}}},
                /* A message inside reasoning counts only if the reasoning never ends. Calls and
                 * reasoning have different ends. */
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks =
                               {{"<|end|>", START},
                                {"<|return|>", START},
                                {"<|start|>", ROLE, .head = true},
                                {"<|channel|>", THINK, HAFT__ACTION_CALL_IN_REASONING},
                                {"<|call|>", THINK, HAFT__ACTION_CALL_IN_REASONING}}},
                /* Messages are on their own lines. */
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {{"<|end|>", START, HAFT__ACTION_LINE_BREAK},
                                    {"<|call|>", START, HAFT__ACTION_LINE_BREAK},
                                    {"<|return|>", START, HAFT__ACTION_LINE_BREAK},
                                    NEXT}},
                [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED, .marks = {ENDS, NEXT}},
            },
        .render =
            {
                .teach =
                    "# Tools\n"
                    "\n"
                    "Calls to these tools go to the commentary channel, one message for each:\n"
                    "<|channel|>commentary to=functions.NAME "
                    "<|constrain|>json<|message|><args-json-object><|call|>\n"
                    "\n"
                    "You may make several calls in one reply if none of them needs the result of "
                    "another. Begin each message behind the first with <|start|>assistant. When no "
                    "tool is needed, answer in the final channel.",
                .teach_results =
                    "The results come back in the next message, one JSON object for each call, in "
                    "the order of the calls: {\"name\": <NAME>, \"output\": <result>}.",
                .teach_tools = "## functions\n"
                               "\n"
                               "%l",
                .shown = HAFT__TOOL_RENDERING_PLAIN,
                .tool_next = "\n",
                .before = "\n",
                .call = "<|channel|>commentary to=functions.%n "
                        "<|constrain|>json<|message|>%a<|call|>",
                .call_next = "<|start|>assistant",
                .result = "{\"name\": %N, \"output\": %T}",
                .result_next = "\n",
            },
};
