/* SPDX-License-Identifier: Apache-2.0 */
/* functionary_v31.c - <function=NAME>{...}</function>, as Functionary 3.1 writes it. Tests:
 * tests/format/dialects/functionary_v31_test.c. */
#include "format/formats.h"

enum { START, TEXT, NAME, ARGS, AFTER, MALFORMED };

#define CALL                                                                                       \
    {                                                                                              \
        "<function=", NAME, HAFT__ACTION_CALL_BEGIN                                                \
    }

const haft__format haft__format_functionary_v31 = {
    .name = "functionary_v31",
    .grammar = {{.kind = HAFT__CALL_SYNTAX_NAME_ARGS,
                 .before = "<function=",
                 .after_name = ">" HAFT__SYNTAX_WS,
                 .after = HAFT__SYNTAX_WS "</function>",
                 .between = HAFT__SYNTAX_WS}},
    .plain = TEXT,
    .malformed = MALFORMED,
    .json = true,
    .states =
        {
            [START] = {.bytes = HAFT__BYTES_WHITESPACE, .fallback = TEXT, .marks = {CALL}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT,
                      .marks = {CALL, {"</function>", TEXT, HAFT__ACTION_CALL_STRAY_END}}},
            [NAME] = {.bytes = HAFT__BYTES_NAME, .marks = {{">", ARGS, HAFT__ACTION_NAME_END}}},
            [ARGS] = {.scan = HAFT__SCAN_ARGS, .fallback = AFTER},
            [AFTER] = {.bytes = HAFT__BYTES_TAIL, .marks = {{"</function>", TEXT}, CALL}},
            [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED, .marks = {{"</function>", TEXT}, CALL}},
        },
    .render =
        {
            .teach =
                "To call a function, write its name and a JSON object with its arguments in this "
                "format:\n"
                "<function=example_function_name>{\"example_name\": \"example_value\"}</function>\n"
                "\n"
                "You may make several calls in one reply if none of them needs the result of "
                "another. When no function is needed, answer in words.",
            .teach_results = "After your calls, stop: the results come back in the next message, "
                             "one JSON object for each call, in the order of the calls: {\"name\": "
                             "<function-name>, \"content\": <result>}.",
            .teach_tools = "You have access to the following functions:\n"
                           "%l",
            .tool_next = "\n",
            .before = "\n",
            .call = "<function=%n>%a</function>",
            .call_next = "\n",
            .result = "{\"name\": %N, \"content\": %T}",
            .result_next = "\n",
        },
};
