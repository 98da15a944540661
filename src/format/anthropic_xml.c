/* SPDX-License-Identifier: Apache-2.0 */
/* anthropic_xml.c - <invoke name="..."> with <parameter name="...">, as older Claude models and
 * MiniMax write it. Tests: tests/format/anthropic_xml_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, SECTION, NAME, PARAMS, KEY, VALUE, CLOSED, SPOILT };

/* The tags may have the prefix that newer models give them. */
#define NS "antml:"

#define SECTIONS                                                                                   \
    {"<function_calls>", SECTION}, {"<" NS "function_calls>", SECTION},                            \
    {                                                                                              \
        "<minimax:tool_call>", SECTION                                                             \
    }
#define SECTION_ENDS                                                                               \
    {"</function_calls>", TEXT}, {"</" NS "function_calls>", TEXT},                                \
    {                                                                                              \
        "</minimax:tool_call>", TEXT                                                               \
    }
#define CALLS                                                                                      \
    {"<invoke name=\"", NAME, HAFT__ACT_OPEN},                                                     \
    {                                                                                              \
        "<" NS "invoke name=\"", NAME, HAFT__ACT_OPEN                                              \
    }
/* What may stand behind a value. */
#define PARAM(act)                                                                                 \
    {"<parameter name=\"", KEY, act}, {"<" NS "parameter name=\"", KEY, act},                      \
        {"</invoke>", SECTION, HAFT__ACT_CLOSE},                                                   \
    {                                                                                              \
        "</" NS "invoke>", SECTION, HAFT__ACT_CLOSE                                                \
    }

const haft__format haft__format_anthropic_xml = {
    .name = "anthropic_xml",
    .plain = TEXT,
    .reasoning = THINK,
    .spoilt = SPOILT,
    .places =
        {
            [START] = {.bytes = HAFT__BYTES_LAYOUT,
                       .otherwise = TEXT,
                       .marks = {{"<think>", THINK}, SECTIONS}},
            [THINK] = {.bytes = HAFT__BYTES_REASONING, .marks = {{"</think>", TEXT}}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                      .marks = {SECTIONS, {"</think>", TEXT, HAFT__ACT_STRAY}}},
            [SECTION] = {.bytes = HAFT__BYTES_NOTHING, .marks = {CALLS, SECTION_ENDS}},
            [NAME] = {.bytes = HAFT__BYTES_NAME, .marks = {{"\">", PARAMS, HAFT__ACT_NAMED}}},
            [PARAMS] = {.bytes = HAFT__BYTES_LAYOUT,
                        .otherwise = SPOILT,
                        .marks = {PARAM(HAFT__ACT_NONE)}},
            [KEY] = {.bytes = HAFT__BYTES_KEY, .marks = {{"\">", VALUE, HAFT__ACT_KEYED}}},
            [VALUE] = {.bytes = HAFT__BYTES_VALUE,
                       .marks = {{"</parameter>", CLOSED}, {"</" NS "parameter>", CLOSED}}},
            /* A closing tag counts only where another one may stand behind it. */
            [CLOSED] = {.bytes = HAFT__BYTES_DOUBT,
                        .otherwise = VALUE,
                        .marks = {PARAM(HAFT__ACT_VALUED)}},
            [SPOILT] = {.bytes = HAFT__BYTES_NOTHING,
                        .marks = {{"</invoke>", SECTION},
                                  {"</" NS "invoke>", SECTION},
                                  CALLS,
                                  SECTION_ENDS}},
        },
};
