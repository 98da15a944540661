/* SPDX-License-Identifier: Apache-2.0 */
/* cli/timeline.h - what happens in a run, told in lines while it happens. */
#ifndef HAFT_CLI_TIMELINE_H
#define HAFT_CLI_TIMELINE_H

#include <stdio.h>

#include "run/event.h"
#include "tool/spec.h"

typedef struct haft__timeline {
    FILE *out;
    const haft__spec *spec;
    haft__arena arena;
} haft__timeline;

void haft__timeline_init(haft__timeline *timeline, FILE *out, const haft__spec *spec);
void haft__timeline_finish(haft__timeline *timeline);

/* Tells one event, given as its JSON line. */
void haft__timeline_tell(haft__timeline *timeline, haft_str line);

#endif
