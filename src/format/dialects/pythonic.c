/* SPDX-License-Identifier: Apache-2.0 */
/* pythonic.c - [f(a=1), g(b='x')], as Llama 3.2 and 4, LFM2, Olmo 3 and ToolACE write it. Tests:
 * tests/format/dialects/pythonic_test.c. */
#include "format/formats.h"

enum { START, THINK, TEXT, MARKED, BRACKET, JSON, NAME, CALLS, LINES, AFTER, TAIL, MALFORMED };

#define OPENERS                                                                                    \
    {"<|python_start|>", MARKED, HAFT__ACTION_CALL_BEGIN},                                         \
        {"<|tool_call_start|>", MARKED, HAFT__ACTION_CALL_BEGIN},                                  \
    {                                                                                              \
        "<function_calls>", LINES, HAFT__ACTION_CALL_BEGIN                                         \
    }
/* A bare list is a list of calls only if the reply begins with it and its first name is a tool:
 * inside a text it is only a quotation. */
#define BARE                                                                                       \
    {                                                                                              \
        "[", NAME, HAFT__ACTION_CALL_BEGIN, .if_known = true                                       \
    }

#define ENDS                                                                                       \
    {"<|python_end|>", TEXT}, {"<|tool_call_end|>", TEXT},                                         \
    {                                                                                              \
        "</function_calls>", TEXT                                                                  \
    }

const haft__format haft__format_pythonic =
    {
        .name = "pythonic",
        .grammar = {{.kind = HAFT__CALL_SYNTAX_PYTHON,
                     .open = "[",
                     .between = "," HAFT__SYNTAX_WS,
                     .close = "]",
                     .reasoning_open = "<think>",
                     .reasoning_close = "</think>" HAFT__SYNTAX_WS}},
        .reasoning = THINK,
        .plain = TEXT,
        .malformed = MALFORMED,
        .states =
            {
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"<think>", THINK},
                                     OPENERS,
                                     BARE,
                                     {"</think>", START, HAFT__ACTION_REASONING_STRAY_END}}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"[", THINK, HAFT__ACTION_CALL_AT_REASONING_START},
                                     {"</think>", START},
                                     {"<|python_start|>", THINK, HAFT__ACTION_CALL_IN_REASONING},
                                     {"<|tool_call_start|>", THINK, HAFT__ACTION_CALL_IN_REASONING},
                                     {"<function_calls>", THINK, HAFT__ACTION_CALL_IN_REASONING}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {OPENERS,
                                    {"<|python_end|>", TEXT, HAFT__ACTION_CALL_STRAY_TOKEN},
                                    {"<|tool_call_end|>", TEXT, HAFT__ACTION_CALL_STRAY_TOKEN},
                                    {"</function_calls>", TEXT, HAFT__ACTION_CALL_STRAY_END},
                                    {"</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END},
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                /* Between marks, LFM2 also writes calls as JSON: one object, or an array of them.
                 */
                [MARKED] = {.bytes = HAFT__BYTES_WHITESPACE,
                            .fallback = CALLS,
                            .marks = {{"[", BRACKET}, {"{", JSON, .reread = true}}},
                [BRACKET] = {.bytes = HAFT__BYTES_UNDECIDED,
                             .fallback = CALLS,
                             .drops = true,
                             .marks = {{"{", JSON, .reread = true, .reread_undecided = true}}},
                [JSON] = {.scan = HAFT__SCAN_CALLS, .fallback = TAIL},
                [NAME] = {.bytes = HAFT__BYTES_NAME,
                          .marks = {{"(", CALLS, HAFT__ACTION_NAME_END}}},
                [CALLS] = {.scan = HAFT__SCAN_PYTHON_LIST, .fallback = AFTER},
                [LINES] = {.scan = HAFT__SCAN_PYTHON_LINES, .fallback = AFTER},
                [AFTER] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TAIL,
                           .marks = {ENDS, OPENERS, BARE}},
                [TAIL] = {.bytes = HAFT__BYTES_TAIL,
                          .marks = {ENDS,
                                    OPENERS,
                                    {"</think>", TAIL, HAFT__ACTION_REASONING_STRAY_END},
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED, .marks = {ENDS, OPENERS}},
            },
        .render =
            {
                .teach =
                    "If you decide to call functions, reply with nothing but a list of calls in "
                    "the format\n"
                    "[func_name1(param1=value1, param2=value2), func_name2(param=value)]\n"
                    "Values are Python literals: strings in quotes, numbers, True, False, None, "
                    "lists and dicts; no variables and no expressions. Every argument has its "
                    "name. You may make several calls in one reply if none of them needs the "
                    "result of another. When no function is needed, answer in words.",
                .teach_results =
                    "The results come back in the next message as a list of {\"name\": "
                    "..., \"response\": ...}, in the order of the calls.",
                .teach_tools = "Here are the functions you can call, as JSON:\n"
                               "%l",
                .shown = HAFT__TOOL_RENDERING_PLAIN,
                .tool_next = "\n",
                .before = "\n<|python_start|>",
                .after_calls = "<|python_end|>",
                .calls_begin = "[",
                .call = "%n(%k)",
                .call_next = ", ",
                .calls_end = "]",
                .results_begin = "[",
                .result = "{\"name\": %N, \"response\": %T}",
                .result_next = ", ",
                .results_end = "]",
            },
};
