/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/terminal_caps.h - how the place that people read at can be written to. */
#ifndef HAFT_CLI_TERMINAL_TERMINAL_CAPS_H
#define HAFT_CLI_TERMINAL_TERMINAL_CAPS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct haft__terminal_caps {
    bool live;    /* a terminal: text may stream, and the present line may be written again */
    bool colour;  /* and boldness */
    bool symbols; /* characters beyond ASCII */
    size_t width; /* columns of a terminal */
} haft__terminal_caps;

/* How `to` is written to: a terminal that can do more than print is live, unless `plain` says that
 * it is not wanted. NO_COLOR, TERM and the locale are heeded. */
haft__terminal_caps haft__terminal_caps_detect(FILE *to, bool plain);

/* The columns it has at present. */
size_t haft__terminal_caps_width(FILE *to);

/* Whether both are the same terminal. */
bool haft__terminal_caps_same_device(FILE *one, FILE *other);

#endif
