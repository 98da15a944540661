/* SPDX-License-Identifier: Apache-2.0 */
/* deepseek_v3.c - calls with their arguments in a fence, as DeepSeek V3 and R1 write them. Tests:
 * tests/format/dialects/deepseek_v3_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, SECTION, BETWEEN, KIND, NAME, FENCE, ARGS, AFTER, MALFORMED };

#define CALLS_BEGIN "<｜tool▁calls▁begin｜>"
#define CALLS_END   "<｜tool▁calls▁end｜>"
#define CALL_BEGIN  "<｜tool▁call▁begin｜>"
#define CALL_END    "<｜tool▁call▁end｜>"
#define SEPARATOR   "<｜tool▁sep｜>"

const haft__format
    haft__format_deepseek_v3 =
        {
            .name = "deepseek_v3",
            .grammar = {{.kind = HAFT__CALL_SYNTAX_NAME_ARGS,
                         .open = CALLS_BEGIN,
                         .before = CALL_BEGIN "function" SEPARATOR,
                         .after_name = "\n```json\n",
                         .after = "\n```" CALL_END,
                         .between = HAFT__SYNTAX_WS,
                         .close = CALLS_END,
                         .reasoning_open = "<think>",
                         .reasoning_close = "</think>" HAFT__SYNTAX_WS}},
            .plain = TEXT,
            .reasoning = THINK,
            .malformed = MALFORMED,
            .json = true,
            .states =
                {
                    [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                               .fallback = TEXT,
                               .marks = {{"<think>", THINK},
                                         {CALLS_BEGIN, SECTION, HAFT__ACTION_CALL_BEGIN},
                                         {CALL_BEGIN, KIND, HAFT__ACTION_CALL_BEGIN}}},
                    [THINK] = {.bytes = HAFT__BYTES_REASONING,
                               .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                         {"</think>", TEXT},
                                         {CALLS_BEGIN, THINK, HAFT__ACTION_CALL_IN_REASONING},
                                         {CALL_BEGIN, THINK, HAFT__ACTION_CALL_IN_REASONING}}},
                    [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                              .marks = {{CALLS_BEGIN, SECTION, HAFT__ACTION_CALL_BEGIN},
                                        {CALL_BEGIN, KIND, HAFT__ACTION_CALL_BEGIN},
                                        {CALL_END, TEXT},
                                        {CALLS_END, TEXT},
                                        {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                        {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                    /* Text between calls is content. */
                    [SECTION] = {.bytes = HAFT__BYTES_GAP,
                                 .fallback = BETWEEN,
                                 .marks = {{CALL_END, SECTION},
                                           {CALL_BEGIN, KIND, HAFT__ACTION_CALL_BEGIN},
                                           {CALLS_END, TEXT, HAFT__ACTION_CALL_DISCARD}}},
                    [BETWEEN] = {.bytes = HAFT__BYTES_SECTION_TEXT,
                                 .marks = {{CALL_END, BETWEEN},
                                           {CALLS_BEGIN, SECTION, HAFT__ACTION_CALL_BEGIN},
                                           {CALL_BEGIN, KIND, HAFT__ACTION_CALL_BEGIN},
                                           {CALLS_END, TEXT, HAFT__ACTION_CALL_DISCARD},
                                           {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                    [KIND] = {.bytes = HAFT__BYTES_NAME,
                              .marks = {{SEPARATOR, NAME, HAFT__ACTION_KIND_END},
                                        {CALL_END, MALFORMED, HAFT__ACTION_CALL_INCOMPLETE,
                                         .reread = true},
                                        {CALL_BEGIN, MALFORMED, HAFT__ACTION_CALL_INCOMPLETE,
                                         .reread = true},
                                        {CALLS_END, MALFORMED, HAFT__ACTION_CALL_INCOMPLETE,
                                         .reread = true}}},
                    [NAME] = {.bytes = HAFT__BYTES_NAME,
                              .marks = {{"\n", FENCE, HAFT__ACTION_NAME_END},
                                        {"```json", ARGS, HAFT__ACTION_NAME_END},
                                        {"{", ARGS, HAFT__ACTION_NAME_END, .reread = true}}},
                    [FENCE] = {.bytes = HAFT__BYTES_WHITESPACE,
                               .fallback = ARGS,
                               .marks = {{"```json", ARGS}}},
                    [ARGS] = {.scan = HAFT__SCAN_ARGS, .fallback = AFTER},
                    [AFTER] = {.bytes = HAFT__BYTES_TAIL,
                               .marks = {{"```", AFTER},
                                         {CALL_END, SECTION},
                                         {CALL_BEGIN, KIND, HAFT__ACTION_CALL_BEGIN},
                                         {CALLS_END, TEXT, HAFT__ACTION_CALL_DISCARD},
                                         {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                    [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED,
                                   .marks =
                                       {{CALL_END, SECTION},
                                        {CALL_BEGIN, KIND, HAFT__ACTION_CALL_BEGIN},
                                        {CALLS_END, TEXT, HAFT__ACTION_CALL_DISCARD}}},
                },
            .render =
                {
                    .teach =
                        "## Tools\n"
                        "\n"
                        "To call functions, write exactly this, with a block for each call:\n"
                        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n"
                        "```json\n"
                        "<args-json-object>\n"
                        "```<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n"
                        "\n"
                        "You may make several calls in one reply if none of them needs the result "
                        "of another. When no function is needed, answer in words.",
                    .teach_results = "After your calls, stop: the results come back within "
                                     "<｜tool▁outputs▁begin｜> "
                                     "and <｜tool▁outputs▁end｜>, in the order of the calls.",
                    .teach_tools = "You have access to the following functions:\n"
                                   "%l",
                    .tool_next = "\n",
                    .before = "",
                    .calls_begin = "<｜tool▁calls▁begin｜>",
                    .call = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>%n\n"
                            "```json\n"
                            "%a\n"
                            "```<｜tool▁call▁end｜>",
                    .call_next = "\n",
                    .calls_end = "<｜tool▁calls▁end｜>",
                    .results_begin = "<｜tool▁outputs▁begin｜>",
                    .result = "<｜tool▁output▁begin｜>%t<｜tool▁output▁end｜>",
                    .result_next = "\n",
                    .results_end = "<｜tool▁outputs▁end｜>",
                    .result_marks = {"<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>",
                                     "<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"},
                },
};
