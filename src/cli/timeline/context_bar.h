/* SPDX-License-Identifier: Apache-2.0 */
/* cli/timeline/context_bar.h - the context of a model as a bar: used, free, and the reserve. */
#ifndef HAFT_CLI_TIMELINE_CONTEXT_BAR_H
#define HAFT_CLI_TIMELINE_CONTEXT_BAR_H

#include "base/buf.h"

/* Cells of a bar. */
#define HAFT__CONTEXT_BAR_CELLS 20

typedef struct haft__context_bar {
    uint64_t used;
    uint64_t tokens;  /* of the whole context; > 0 */
    uint64_t reserve; /* of them: for the reply */
} haft__context_bar;

/* Appends "[#####----------....]": used, free, reserved. A request past its budget covers a part of
 * the reserve; one past the context ends with '!'. `unicode` draws blocks instead. */
void haft__context_bar_add(haft__buf *buf, const haft__context_bar *bar, bool unicode);

/* Appends the bar with its numbers: "[####------....] 6.2k of 12k tokens, and 4.1k for the
 * reply". */
void haft__context_bar_describe(haft__buf *buf, const haft__context_bar *bar, bool unicode);

#endif
