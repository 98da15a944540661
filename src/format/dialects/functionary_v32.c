/* SPDX-License-Identifier: Apache-2.0 */
/* functionary_v32.c - >>>NAME, a line end and arguments, as Functionary 3.2 writes it. The prompt
 * ends with >>>, so that a reply begins with a name. Tests:
 * tests/format/dialects/functionary_v32_test.c. */
#include "format/formats.h"

enum { START, TEXT, TO, NAME, GAP, ARGS, AFTER, MALFORMED };

/* Ordinary text may contain >>> too: it is also the prompt of Python. */
#define NEXT                                                                                       \
    {                                                                                              \
        ">>>", TO, HAFT__ACTION_CALL_BEGIN, .if_named = true                                       \
    }

const haft__format haft__format_functionary_v32 = {
    .name = "functionary_v32",
    .grammar = {{.kind = HAFT__CALL_SYNTAX_NAME_ARGS,
                 .lead = ">>>",
                 .after_name = "\n",
                 .between = "\n>>>"}},
    .plain = TEXT,
    .malformed = MALFORMED,
    .after_malformed = AFTER,
    .json = true,
    .open_ended = true,
    .states =
        {
            [START] = {.bytes = HAFT__BYTES_WHITESPACE,
                       .fallback = NAME,
                       .marks = {{"all\n", TEXT}, {"all\r\n", TEXT}, NEXT}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT, .marks = {NEXT}},
            [TO] = {.bytes = HAFT__BYTES_WHITESPACE,
                    .fallback = NAME,
                    .marks = {{"all\n", TEXT, HAFT__ACTION_CALL_DISCARD},
                              {"all\r\n", TEXT, HAFT__ACTION_CALL_DISCARD}}},
            [NAME] = {.bytes = HAFT__BYTES_NAME, .marks = {{"\n", GAP, HAFT__ACTION_NAME_END}}},
            /* If no tool has the name, other text is not a malformed call. */
            [GAP] = {.bytes = HAFT__BYTES_WHITESPACE,
                     .fallback = ARGS,
                     .marks = {{"{", ARGS, HAFT__ACTION_NONE, .reread = true}}},
            [ARGS] = {.scan = HAFT__SCAN_ARGS, .fallback = AFTER},
            [AFTER] = {.bytes = HAFT__BYTES_TAIL, .fallback = TEXT, .marks = {NEXT}},
            [MALFORMED] = {.bytes = HAFT__BYTES_IGNORED, .marks = {NEXT}},
        },
    .render =
        {
            .teach = "A reply is a row of messages. Each begins with >>> and the name of who it is "
                     "for, and goes on on the next line: for a function, a JSON object with its "
                     "arguments; for the user, whose name is all, text.\n"
                     ">>>example_function_name\n"
                     "{\"example_name\": \"example_value\"}\n"
                     ">>>all\n"
                     "Text for the user.\n"
                     "\n"
                     "You may make several calls in one reply if none of them needs the result of "
                     "another.",
            .teach_results = "After your calls, stop: the results come back in the next message, "
                             "one JSON object for each call, in the order of the calls: {\"name\": "
                             "<function-name>, \"content\": <result>}.",
            .teach_tools = "You are capable of executing available functions if required. These "
                           "are the functions:\n"
                           "%l",
            .tool_next = "\n",
            .alone = ">>>all\n"
                     "%t",
            .together = ">>>all\n"
                        "%t",
            .before = "\n",
            .call = ">>>%n\n"
                    "%a",
            .call_next = "\n",
            .result = "{\"name\": %N, \"content\": %T}",
            .result_next = "\n",
        },
};
