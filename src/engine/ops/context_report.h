/* SPDX-License-Identifier: Apache-2.0 */
/* engine/ops/context_report.h - reports the token budget of the first request, for `haft
 * explain`. */
#ifndef HAFT_ENGINE_OPS_CONTEXT_REPORT_H
#define HAFT_ENGINE_OPS_CONTEXT_REPORT_H

#include "run/context/context_size.h"
#include "json/write.h"

typedef struct haft__context_report {
    uint64_t tokens;  /* size of the context; 0: unknown, and no other field is set */
    uint64_t reserve; /* tokens of the context that are reserved for the reply */
    uint64_t used;    /* estimated tokens of the first request */
    haft__context_shares shares;
} haft__context_report;

/* Reads the report from a run that has decided its first turn. */
haft__context_report haft__context_report_read(const haft__run *run);

/* Writes the member `context`: null if the size of the context is unknown. */
void haft__context_report_write(haft__json_writer *w, haft__arena *arena,
                                const haft__context_report *report, const haft__spec *spec);

#endif
