/* SPDX-License-Identifier: Apache-2.0 */
/* cli/terminal/terminal_caps.h - detects the capabilities of an output: a terminal, a file or a
 * pipe. */
#ifndef HAFT_CLI_TERMINAL_TERMINAL_CAPS_H
#define HAFT_CLI_TERMINAL_TERMINAL_CAPS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct haft__terminal_caps {
    bool live;    /* a terminal on which text may stream and the current line may be redrawn */
    bool colour;  /* colours and bold */
    bool symbols; /* characters outside ASCII */
    size_t width; /* columns of a terminal */
} haft__terminal_caps;

/* Detects the capabilities of `out`, from NO_COLOR, TERM and the locale. With `plain` the result is
 * never live and has no colours. */
haft__terminal_caps haft__terminal_caps_detect(FILE *out, bool plain);

/* Returns the present number of columns. */
size_t haft__terminal_caps_width(FILE *out);

/* Returns true if both streams are the same terminal. */
bool haft__terminal_caps_same_device(FILE *one, FILE *other);

#endif
