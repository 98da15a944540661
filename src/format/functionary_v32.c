/* SPDX-License-Identifier: Apache-2.0 */
/* functionary_v32.c - >>>NAME, a line end and arguments, as Functionary 3.2 writes it; the prompt
 * ends with >>>, so that a text begins with a name. Tests:
 * tests/format/functionary_v32_test.c. */
#include "format/formats.h"

enum { START, TEXT, NAME, ARGS, SPOILT };

const haft__format haft__format_functionary_v32 = {
    .name = "functionary_v32",
    .grammar = {{.kind = HAFT__FRAME_NAMED, .behind_name = "\n", .between = "\n>>>"}},
    .plain = TEXT,
    .spoilt = SPOILT,
    .places =
        {
            [START] = {.bytes = HAFT__BYTES_LAYOUT,
                       .otherwise = NAME,
                       .marks = {{"all\n", TEXT}, {">>>", START}}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT, .marks = {{">>>", START}}},
            [NAME] = {.bytes = HAFT__BYTES_NAME, .marks = {{"\n", ARGS, HAFT__ACT_NAMED}}},
            [ARGS] = {.scan = HAFT__SCAN_ARGS, .otherwise = TEXT},
            [SPOILT] = {.bytes = HAFT__BYTES_NOTHING, .marks = {{">>>", START}}},
        },
};
