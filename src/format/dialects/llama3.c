/* SPDX-License-Identifier: Apache-2.0 */
/* llama3.c - {"name": ..., "parameters": {...}}, as Llama 3 writes it: at the start of the text or
 * after <|python_tag|>. The tag may also precede name.call(...) or plain Python. Tests:
 * tests/format/dialects/llama3_test.c. */
#include "format/formats.h"

enum {
    START,
    TEXT,
    TAG,
    JSON,
    OBJECT,
    NEXT,
    TAG_AFTER,
    TAG_NEXT,
    BUILTIN,
    ARGS,
    PYTHON,
    AFTER,
    MALFORMED_AFTER,
    TAIL,
    MALFORMED,
    THINK
};

#define TAGGED                                                                                     \
    {                                                                                              \
        "<|python_tag|>", TAG, HAFT__ACTION_CALL_BEGIN                                             \
    }
#define CLOSED                                                                                     \
    {                                                                                              \
        "</think>", TEXT, HAFT__ACTION_REASONING_STRAY_END                                         \
    }

const haft__format haft__format_llama3 =
    {
        .name = "llama3",
        .grammar = {{.kind = HAFT__CALL_SYNTAX_OBJECT,
                     .between = HAFT__SYNTAX_WS ";" HAFT__SYNTAX_WS,
                     .name_key = "name",
                     .args_key = "parameters",
                     .reasoning_open = "<think>",
                     .reasoning_close = "</think>" HAFT__SYNTAX_WS}},
        .reasoning = THINK,
        .plain = TEXT,
        .malformed = MALFORMED,
        .after_malformed = MALFORMED_AFTER,
        .json = true,
        .open_ended = true,
        .states =
            {
                [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TEXT,
                           .marks = {{"<think>", THINK}, TAGGED, {"{", JSON, .reread = true}}},
                [THINK] = {.bytes = HAFT__BYTES_REASONING,
                           .marks = {{"<think>", THINK, HAFT__ACTION_REASONING_REOPEN},
                                     {"{", THINK, HAFT__ACTION_CALL_AT_REASONING_START},
                                     {"</think>", START},
                                     {"<|python_tag|>", THINK, HAFT__ACTION_CALL_IN_REASONING}}},
                [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                          .marks = {TAGGED,
                                    CLOSED,
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [TAG] = {.bytes = HAFT__BYTES_WHITESPACE,
                         .fallback = BUILTIN,
                         .marks = {{"{", OBJECT, .reread = true}}},
                [OBJECT] = {.scan = HAFT__SCAN_CALL, .fallback = TAG_AFTER},
                [JSON] = {.scan = HAFT__SCAN_MAYBE_CALL, .fallback = AFTER},
                /* Objects are separated by a semicolon or by white space. */
                [AFTER] = {.bytes = HAFT__BYTES_WHITESPACE,
                           .fallback = TAIL,
                           .marks = {{";", NEXT}, TAGGED, {"{", JSON, .reread = true}}},
                /* An object right after a malformed call may be a part of it. */
                [MALFORMED_AFTER] = {.bytes = HAFT__BYTES_WHITESPACE,
                                     .fallback = TAIL,
                                     .marks = {{";", NEXT}, TAGGED}},
                /* After the tag and a semicolon, an object is always another call. */
                [TAG_AFTER] = {.bytes = HAFT__BYTES_WHITESPACE,
                               .fallback = TAIL,
                               .marks = {{";", TAG_NEXT}, TAGGED, {"{", JSON, .reread = true}}},
                [TAG_NEXT] = {.bytes = HAFT__BYTES_WHITESPACE,
                              .fallback = TEXT,
                              .marks = {{"{", OBJECT, .reread = true}, TAGGED}},
                [TAIL] = {.bytes = HAFT__BYTES_TAIL,
                          .marks = {TAGGED,
                                    {"</think>", TAIL, HAFT__ACTION_REASONING_STRAY_END},
                                    {"<think>", THINK, HAFT__ACTION_REASONING_AFTER_TEXT}}},
                [NEXT] = {.bytes = HAFT__BYTES_WHITESPACE,
                          .fallback = TEXT,
                          .marks = {{"{", JSON, .reread = true}, TAGGED}},
                /* A built-in tool; anything else is code. */
                [BUILTIN] = {.bytes = HAFT__BYTES_NAME,
                             .fallback = PYTHON,
                             .marks = {{".call(", ARGS, HAFT__ACTION_NAME_END}}},
                [ARGS] = {.scan = HAFT__SCAN_PYTHON_ARGS, .fallback = AFTER},
                [PYTHON] = {.bytes = HAFT__BYTES_VALUE, .at_end = HAFT__ACTION_CALL_END},
                [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED, .marks = {{";", NEXT}, TAGGED}},
            },
        .render =
            {
                .teach =
                    "If you choose to call a function, reply only with a JSON object in the "
                    "format\n"
                    "{\"name\": <function-name>, \"parameters\": <dictionary of argument name and "
                    "its value>}\n"
                    "Do not use variables. You may make several calls in one reply if none of them "
                    "needs the result of another. Put a semicolon between them: {\"name\": ..., "
                    "\"parameters\": {...}}; {\"name\": ..., \"parameters\": {...}}\n"
                    "When no function is needed, answer in words.",
                .teach_results =
                    "The results come back in the next message, one JSON object for each call, in "
                    "the order of the calls: {\"name\": <function-name>, \"output\": <result>}.",
                .teach_tools = "You have access to the following functions:\n"
                               "%l",
                .shown = HAFT__TOOL_RENDERING_PLAIN,
                .tool_next = "\n",
                .before = "\n"
                          "<|python_tag|>",
                .call = "{\"name\": %N, \"parameters\": %a}",
                .call_next = "; ",
                .result = "{\"name\": %N, \"output\": %T}",
                .result_next = "\n",
            },
};
