/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/terminal_caps.h - the capabilities of the terminal or file that people read. */
#ifndef HAFT_CLI_TERMINAL_TERMINAL_CAPS_H
#define HAFT_CLI_TERMINAL_TERMINAL_CAPS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct haft__terminal_caps {
    bool live;    /* a terminal: text may stream, and the current line may be redrawn */
    bool colour;  /* colours and bold */
    bool symbols; /* characters beyond ASCII */
    size_t width; /* columns of a terminal */
} haft__terminal_caps;

/* Detects the capabilities of `to`: a terminal that can do more than print is live, unless `plain`.
 * Considers NO_COLOR, TERM and the locale. */
haft__terminal_caps haft__terminal_caps_detect(FILE *to, bool plain);

/* Returns the present number of columns. */
size_t haft__terminal_caps_width(FILE *to);

/* True if both are the same terminal. */
bool haft__terminal_caps_same_device(FILE *one, FILE *other);

#endif
