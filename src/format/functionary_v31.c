/* SPDX-License-Identifier: Apache-2.0 */
/* functionary_v31.c - <function=NAME>{...}</function>, as Functionary 3.1 writes it. Tests:
 * tests/format/functionary_v31_test.c. */
#include "format/formats.h"

enum { START, TEXT, NAME, ARGS, AFTER, SPOILT };

#define CALL                                                                                       \
    {                                                                                              \
        "<function=", NAME, HAFT__ACT_OPEN                                                         \
    }

const haft__format haft__format_functionary_v31 = {
    .name = "functionary_v31",
    .grammar = {{.kind = HAFT__FRAME_NAMED,
                 .before = "<function=",
                 .behind_name = ">" HAFT__FRAME_WS,
                 .after = HAFT__FRAME_WS "</function>",
                 .between = HAFT__FRAME_WS}},
    .plain = TEXT,
    .spoilt = SPOILT,
    .places =
        {
            [START] = {.bytes = HAFT__BYTES_LAYOUT, .otherwise = TEXT, .marks = {CALL}},
            [TEXT] = {.bytes = HAFT__BYTES_CONTENT, .marks = {CALL}},
            [NAME] = {.bytes = HAFT__BYTES_NAME, .marks = {{">", ARGS, HAFT__ACT_NAMED}}},
            [ARGS] = {.scan = HAFT__SCAN_ARGS, .otherwise = AFTER},
            [AFTER] = {.bytes = HAFT__BYTES_LAYOUT,
                       .otherwise = TEXT,
                       .marks = {{"</function>", TEXT}, CALL}},
            [SPOILT] = {.bytes = HAFT__BYTES_NOTHING, .marks = {{"</function>", TEXT}, CALL}},
        },
};
