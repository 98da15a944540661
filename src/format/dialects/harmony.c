/* SPDX-License-Identifier: Apache-2.0 */
/* harmony.c - messages in channels, as gpt-oss writes them. A message with a recipient, in the
 * commentary or analysis channel or without a channel, is a call if the recipient is
 * functions.NAME; else it is a malformed call. In any other channel, a message to functions.NAME is
 * a malformed call. Any other message in the analysis channel is reasoning. All other messages are
 * text. The recipient is written after the channel, or after the role. Tests:
 * tests/format/dialects/harmony_test.c. */
#include "format/formats.h"

enum {
    START,
    FIRST_TO,
    FIRST_NAME,
    ROLE,
    CHANNEL,
    CHANNEL_TO,
    CHANNEL_OTHER,
    ANALYSIS,
    FINAL,
    COMMENTARY,
    TO,
    SELF,
    NAME,
    HEADER,
    UNKNOWN,
    REFUSED,
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
    {"<|end|>", MALFORMED, act, .reread = true}, {"<|call|>", MALFORMED, act, .reread = true},     \
        {"<|return|>", MALFORMED, act, .reread = true},                                            \
    {                                                                                              \
        "<|start|>", ROLE, act, .head = true                                                       \
    }
/* A message that ends inside its header, after a known channel: <|message|> is missing, and the
 * header is read as the message. */
#define UNTITLED(to)                                                                               \
    {"<|end|>", to, .reread = true, .reread_undecided = true},                                     \
        {"<|call|>", to, .reread = true, .reread_undecided = true},                                \
        {"<|return|>", to, .reread = true, .reread_undecided = true},                              \
    {                                                                                              \
        "<|start|>", to, .reread = true, .reread_undecided = true                                  \
    }
/* Matches only the whole word: a longer word is another channel. */
#define COMMENTARIES(to)                                                                           \
    {"commentary ", to, .reread = true},                                                           \
    {                                                                                              \
        "commentary<|", to, .reread = true                                                         \
    }
/* A message to the model itself. */
#define TO_SELF                                                                                    \
    {                                                                                              \
        "assistant<|channel|>", SELF, HAFT__ACTION_CALL_DISCARD                                    \
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
                 * the recipient. Between messages the channel or the role may be written twice. */
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"to=", FIRST_TO, HAFT__ACTION_RECIPIENT_BEGIN,
                                      .if_named = true},
                                     {"commentary<|channel|>", CHANNEL, .head = true},
                                     {"commentary<|start|>", ROLE, .head = true},
                                     {"assistant<|channel|>", CHANNEL, .head = true},
                                     NEXT}},
                /* `to=` begins a recipient only if a token follows the name; else it is text. */
                [FIRST_TO] = {.bytes = HAFT__BYTES_WHITESPACE,
                              .fallback = FIRST_NAME,
                              .marks = {{"functions.", FIRST_NAME, HAFT__ACTION_RECIPIENT_TOOL},
                                        TO_SELF}},
                [FIRST_NAME] =
                    {.bytes = HAFT__BYTES_NAME,
                     .marks = {{"<|message|>", HEADER, HAFT__ACTION_RECIPIENT_END, .reread = true},
                               {" <|message|>", HEADER, HAFT__ACTION_RECIPIENT_END, .reread = true},
                               {"<|constrain|>", HEADER, HAFT__ACTION_RECIPIENT_END},
                               {" <|constrain|>", HEADER, HAFT__ACTION_RECIPIENT_END},
                               {"<|channel|>", CHANNEL_TO, HAFT__ACTION_RECIPIENT_END},
                               {" <|channel|>", CHANNEL_TO, HAFT__ACTION_RECIPIENT_END},
                               BROKEN(HAFT__ACTION_CALL_INCOMPLETE)}},
                [ROLE] = {.bytes = HAFT__BYTES_HEADER,
                          .fallback = TEXT,
                          .marks = {{" to=", TO, HAFT__ACTION_RECIPIENT_BEGIN},
                                    {"<|channel|>", CHANNEL},
                                    {"<|message|>", TEXT},
                                    UNTITLED(TEXT)}},
                [CHANNEL] = {.bytes = HAFT__BYTES_WHITESPACE,
                             .fallback = OTHER,
                             .marks = {{"analysis", ANALYSIS},
                                       {"final", FINAL},
                                       COMMENTARIES(COMMENTARY)}},
                /* The channel after a recipient: a message in another channel is not a call. */
                [CHANNEL_TO] = {.bytes = HAFT__BYTES_WHITESPACE,
                                .fallback = UNKNOWN,
                                .marks = {{"analysis", HEADER}, COMMENTARIES(HEADER)}},
                [CHANNEL_OTHER] = {.bytes = HAFT__BYTES_WHITESPACE,
                                   .fallback = OTHER,
                                   .marks = {{"analysis", ANALYSIS}, {"final", FINAL}}},
                /* Without <|message|> nothing may be between the channel and the text. */
                [ANALYSIS] = {.bytes = HAFT__BYTES_HEADER,
                              .titled = true,
                              .fallback = THINK,
                              .marks = {{" to=", TO, HAFT__ACTION_RECIPIENT_BEGIN},
                                        {"<|message|>", THINK},
                                        UNTITLED(THINK)}},
                [FINAL] = {.bytes = HAFT__BYTES_HEADER,
                           .titled = true,
                           .fallback = TEXT,
                           .marks = {{" to=functions.", REFUSED, HAFT__ACTION_RECIPIENT_BEGIN},
                                     {"<|constrain|>", OTHER},
                                     {"<|message|>", TEXT},
                                     UNTITLED(TEXT)}},
                [COMMENTARY] = {.bytes = HAFT__BYTES_HEADER,
                                .fallback = TEXT,
                                .marks = {{" to=", TO, HAFT__ACTION_RECIPIENT_BEGIN},
                                          {"<|constrain|>", OTHER},
                                          {"<|channel|>", CHANNEL_OTHER},
                                          {"<|message|>", TEXT},
                                          UNTITLED(TEXT)}},
                [TO] = {.bytes = HAFT__BYTES_WHITESPACE,
                        .fallback = NAME,
                        .marks = {{"functions.", NAME, HAFT__ACTION_RECIPIENT_TOOL}, TO_SELF}},
                /* Only tools write commentary to the assistant, so this is an invented result. */
                [SELF] = {.bytes = HAFT__BYTES_WHITESPACE,
                          .fallback = OTHER,
                          .marks = {{"analysis", ANALYSIS}, COMMENTARIES(MALFORMED)}},
                [NAME] = {.bytes = HAFT__BYTES_NAME,
                          .marks = {{"<|message|>", HEADER, HAFT__ACTION_NAME_END, .reread = true},
                                    {" ", HEADER, HAFT__ACTION_NAME_END, .reread = true},
                                    {"<|constrain|>", HEADER, HAFT__ACTION_NAME_END},
                                    {"<|channel|>", CHANNEL_TO, HAFT__ACTION_NAME_END},
                                    BROKEN(HAFT__ACTION_CALL_INCOMPLETE)}},
                [HEADER] = {.bytes = HAFT__BYTES_IGNORED,
                            .marks = {{"<|message|>", ARGS, HAFT__ACTION_ARGUMENTS_BEGIN},
                                      {"<|channel|>", CHANNEL_TO},
                                      {" to=", HEADER, HAFT__ACTION_RECIPIENT_INVALID},
                                      BROKEN(HAFT__ACTION_CALL_INCOMPLETE)}},
                [UNKNOWN] = {.bytes = HAFT__BYTES_IGNORED,
                             .marks = {{"<|message|>", TEXT, HAFT__ACTION_RECIPIENT_IN_TEXT},
                                       BROKEN(HAFT__ACTION_CALL_DISCARD)}},
                /* The header of a text that names a tool as recipient. */
                [REFUSED] = {.bytes = HAFT__BYTES_IGNORED,
                             .marks = {{"<|message|>", MALFORMED, HAFT__ACTION_RECIPIENT_IN_TEXT},
                                       BROKEN(HAFT__ACTION_CALL_INCOMPLETE)}},
                [OTHER] = {.bytes = HAFT__BYTES_HEADER,
                           .fallback = TEXT,
                           .marks = {{" to=functions.", REFUSED, HAFT__ACTION_RECIPIENT_BEGIN},
                                     {"<|constrain|>", OTHER},
                                     {"<|message|>", TEXT},
                                     UNTITLED(TEXT)}},
                [ARGS] = {.scan = HAFT__SCAN_ARGS, .fallback = AFTER},
                /* Everything except a second value is layout here. */
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
