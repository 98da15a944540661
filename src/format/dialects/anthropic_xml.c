/* SPDX-License-Identifier: Apache-2.0 */
/* anthropic_xml.c - <invoke name="..."> with <parameter name="...">, as older Claude models and
 * MiniMax write it. Tests: tests/format/dialects/anthropic_xml_test.c. */
#include "format/formats.h"

enum {
    START,
    THINK,
    THINKING,
    TEXT,
    SECTION,
    BETWEEN,
    HEADER,
    NAME,
    PARAMS,
    ARGS,
    AFTER,
    KEY,
    VALUE,
    CLOSED,
    MALFORMED,
    MALFORMED_VALUE,
    MALFORMED_CLOSED,
    LOST
};

/* Newer Claude models and MiniMax write the tags with these prefixes. */
#define NS "antml:"
#define MM "minimax:"

#define SECTIONS                                                                                   \
    {"<function_calls>", SECTION, HAFT__ACTION_CALL_BEGIN},                                        \
        {"<" NS "function_calls>", SECTION, HAFT__ACTION_CALL_BEGIN},                              \
    {                                                                                              \
        "<minimax:tool_call>", SECTION, HAFT__ACTION_CALL_BEGIN                                    \
    }
/* Calls inside reasoning count only if the reasoning never ends. */
#define CALLS_IN_REASONING(to)                                                                     \
    {"<function_calls>", to, HAFT__ACTION_CALL_IN_REASONING},                                      \
        {"<" NS "function_calls>", to, HAFT__ACTION_CALL_IN_REASONING},                            \
    {                                                                                              \
        "<minimax:tool_call>", to, HAFT__ACTION_CALL_IN_REASONING                                  \
    }
#define SECTION_ENDS                                                                               \
    {"</function_calls>", TEXT, HAFT__ACTION_CALL_DISCARD},                                        \
        {"</" NS "function_calls>", TEXT, HAFT__ACTION_CALL_DISCARD},                              \
    {                                                                                              \
        "</minimax:tool_call>", TEXT, HAFT__ACTION_CALL_DISCARD                                    \
    }
#define STRAY                                                                                      \
    {"</function_calls>", TEXT, HAFT__ACTION_CALL_STRAY_END},                                      \
        {"</minimax:tool_call>", TEXT, HAFT__ACTION_CALL_STRAY_END},                               \
        {"</parameter>", TEXT, HAFT__ACTION_CALL_STRAY_END},                                       \
    {                                                                                              \
        "</invoke>", TEXT, HAFT__ACTION_CALL_STRAY_END                                             \
    }
#define CALLS                                                                                      \
    {"<invoke", HEADER, HAFT__ACTION_CALL_BEGIN},                                                  \
        {"<" NS "invoke", HEADER, HAFT__ACTION_CALL_BEGIN},                                        \
    {                                                                                              \
        "<" MM "invoke", HEADER, HAFT__ACTION_CALL_BEGIN                                           \
    }
/* An invoke outside of a section is a call only if a tool has its name. */
#define BARE(to, act)                                                                              \
    {"<invoke name=\"", to, act, .if_known = true},                                                \
        {"<" NS "invoke name=\"", to, act, .if_known = true},                                      \
    {                                                                                              \
        "<" MM "invoke name=\"", to, act, .if_known = true                                         \
    }
/* The marks that may follow a value: the next parameter or the end of the call. */
#define PARAM(act)                                                                                 \
    {"<parameter name=\"", KEY, act}, {"<" NS "parameter name=\"", KEY, act},                      \
        {"<" MM "parameter name=\"", KEY, act}, {"</invoke>", SECTION, HAFT__ACTION_CALL_END},     \
        {"</" NS "invoke>", SECTION, HAFT__ACTION_CALL_END},                                       \
    {                                                                                              \
        "</" MM "invoke>", SECTION, HAFT__ACTION_CALL_END                                          \
    }

/* The opening tag of a value, in any state. */
#define OPENERS(to, ...)                                                                           \
    {"<parameter name=", to, __VA_ARGS__}, {"<" NS "parameter name=", to, __VA_ARGS__},            \
    {                                                                                              \
        "<" MM "parameter name=", to, __VA_ARGS__                                                  \
    }
#define CLOSERS(to, ...)                                                                           \
    {"</parameter>", to, __VA_ARGS__}, {"</" NS "parameter>", to, __VA_ARGS__},                    \
    {                                                                                              \
        "</" MM "parameter>", to, __VA_ARGS__                                                      \
    }
#define CALL_ENDS                                                                                  \
    {"</invoke>", SECTION}, {"</" NS "invoke>", SECTION},                                          \
    {                                                                                              \
        "</" MM "invoke>", SECTION                                                                 \
    }

/* Reasoning that begins after text. */
#define THINKING_AFTER_TEXT                                                                        \
    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT},                                         \
        {"<thinking>", THINKING, HAFT__ACTION_REASONING_AFTER_TEXT},                               \
    {                                                                                              \
        "<" NS "thinking>", THINKING, HAFT__ACTION_REASONING_AFTER_TEXT                            \
    }

const haft__format haft__format_anthropic_xml = {
    .name = "anthropic_xml",
    .grammar = {{.kind = HAFT__CALL_SYNTAX_TAGS,
                 .open = "<function_calls>" HAFT__SYNTAX_WS,
                 .before = "<invoke name=\"",
                 .after_name = "\">" HAFT__SYNTAX_WS,
                 .key = "<parameter name=\"",
                 .text = "\">",
                 .json = "\">",
                 .after_value = "</parameter>" HAFT__SYNTAX_WS,
                 .after = "</invoke>",
                 .between = HAFT__SYNTAX_WS,
                 .close = HAFT__SYNTAX_WS "</function_calls>",
                 .stops = {"</parameter>", "</" NS "parameter>", "</" MM "parameter>",
                           "<parameter name=", "<" NS "parameter name=", "<" MM "parameter name="},
                 .reasoning_open = "<think>",
                 .reasoning_close = "</think>" HAFT__SYNTAX_WS,
                 .reasoning_stops = {"</think>", "</thinking>", "<thinking>"}}},
    .plain = TEXT,
    .reasoning = THINK,
    .malformed = MALFORMED,
    .malformed_value = MALFORMED_VALUE,
    .json = true,
    .states =
        {
            [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                       .fallback = TEXT,
                       .marks = {{"<think>", THINK},
                                 {"<thinking>", THINKING},
                                 {"<" NS "thinking>", THINKING},
                                 SECTIONS,
                                 BARE(NAME, HAFT__ACTION_CALL_BEGIN)}},
            [THINK] = {.bytes = HAFT__BYTES_REASONING,
                       .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                 {"<thinking>", THINKING, HAFT__ACTION_REASONING_REOPEN},
                                 {"</think>", TEXT},
                                 {"</thinking>", TEXT},
                                 CALLS_IN_REASONING(THINK),
                                 BARE(THINK, HAFT__ACTION_CALL_IN_REASONING)}},
            /* A block that begins with <thinking> ends with </thinking>, not with </think>. */
            [THINKING] = {.bytes = HAFT__BYTES_REASONING,
                          .marks = {{"</thinking>", TEXT},
                                    {"</" NS "thinking>", TEXT},
                                    CALLS_IN_REASONING(THINKING),
                                    BARE(THINKING, HAFT__ACTION_CALL_IN_REASONING)}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                      .marks = {SECTIONS,
                                BARE(NAME, HAFT__ACTION_CALL_BEGIN),
                                STRAY,
                                {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                {"</thinking>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                THINKING_AFTER_TEXT}},
            /* Text between calls is content. */
            [SECTION] = {.bytes = HAFT__BYTES_GAP,
                         .fallback = BETWEEN,
                         .marks = {CALLS, SECTION_ENDS}},
            [BETWEEN] = {.bytes = HAFT__BYTES_SECTION_TEXT,
                         .marks = {CALLS, SECTIONS, SECTION_ENDS, THINKING_AFTER_TEXT}},
            [HEADER] = {.bytes = HAFT__BYTES_WHITESPACE,
                        .fallback = MALFORMED,
                        .marks = {{"name=\"", NAME}}},
            [NAME] = {.bytes = HAFT__BYTES_NAME,
                      .marks = {{"\">", PARAMS, HAFT__ACTION_NAME_END},
                                {"\"/>", SECTION, HAFT__ACTION_EMPTY_CALL_END},
                                {"\" />", SECTION, HAFT__ACTION_EMPTY_CALL_END}}},
            [PARAMS] = {.bytes = HAFT__BYTES_WHITESPACE,
                        .fallback = MALFORMED,
                        .marks = {PARAM(HAFT__ACTION_NONE), {"{", ARGS, .reread = true}}},
            /* All parameters as one JSON object. */
            [ARGS] = {.scan = HAFT__SCAN_ARGS, .fallback = AFTER},
            [AFTER] = {.bytes = HAFT__BYTES_TAIL,
                       .marks = {CALL_ENDS, CALLS, SECTION_ENDS, THINKING_AFTER_TEXT}},
            [KEY] = {.bytes = HAFT__BYTES_KEY, .marks = {{"\">", VALUE, HAFT__ACTION_KEY_END}}},
            [VALUE] = {.bytes = HAFT__BYTES_VALUE,
                       .marks = {CLOSERS(CLOSED, HAFT__ACTION_NONE),
                                 OPENERS(LOST, HAFT__ACTION_VALUE_NESTED)}},
            /* A closing tag counts only if another tag follows it. */
            [CLOSED] = {.bytes = HAFT__BYTES_UNDECIDED,
                        .fallback = VALUE,
                        .marks = {PARAM(HAFT__ACTION_VALUE_END)}},
            [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED,
                           .marks =
                               {CALL_ENDS, CALLS,
                                SECTIONS, SECTION_ENDS, OPENERS(MALFORMED_VALUE, .inside = true)}},
            [MALFORMED_VALUE] = {.bytes = HAFT__BYTES_IGNORED,
                                 .marks = {CLOSERS(MALFORMED_CLOSED, .inside = true),
                                           OPENERS(LOST, .inside = true)}},
            [MALFORMED_CLOSED] = {.bytes = HAFT__BYTES_UNDECIDED,
                                  .fallback = MALFORMED_VALUE,
                                  .marks = {OPENERS(MALFORMED_VALUE, .inside = true), CALL_ENDS}},
            [LOST] = {.bytes = HAFT__BYTES_IGNORED},
        },
    .render =
        {
            .teach = "In this environment you have access to a set of tools. To use them, write a "
                     "block like this:\n"
                     "<function_calls>\n"
                     "<invoke name=\"$FUNCTION_NAME\">\n"
                     "<parameter name=\"$PARAMETER_NAME\">$PARAMETER_VALUE</parameter>\n"
                     "</invoke>\n"
                     "</function_calls>\n"
                     "\n"
                     "A string is written as it is, any other value as JSON. You may make several "
                     "calls in one reply if none of them needs the result of another. Each is an "
                     "invoke of its own.\n"
                     "\n"
                     "When no function is needed, answer in words.",
            .teach_results = "After your calls, stop: the results come back within "
                             "<function_results></function_results>, in the order of the calls.",
            .teach_tools = "Here are the functions:\n"
                           "<functions>\n"
                           "%l\n"
                           "</functions>",
            .shown = HAFT__TOOL_RENDERING_PLAIN,
            .tool_next = "\n",
            .tool_marks = {"<functions>", "</functions>"},
            .before = "\n",
            .calls_begin = "<function_calls>\n",
            .call = "<invoke name=\"%n\">\n"
                    "%p</invoke>\n",
            .calls_end = "</function_calls>",
            .param = "<parameter name=\"%K\">%v</parameter>\n",
            .results_begin = "<function_results>\n",
            .result = "<result>\n"
                      "<name>%n</name>\n"
                      "<output>%t</output>\n"
                      "</result>\n",
            .results_end = "</function_results>",
            .result_marks = {"<function_results>", "</function_results>", "</result>", "</output>",
                             "\n\nHuman:", "\n\nAssistant:"},
        },
};
