/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/preview.h - what a call would do, for the person who is asked to let it: the command with
 * what it reads, the request as it would be sent, or the server that would be asked.
 */
#ifndef HAFT_EXEC_PREVIEW_H
#define HAFT_EXEC_PREVIEW_H

#include "exec/exec.h"

typedef struct haft__preview {
    struct {
        const char *label; /* "command", "input", "request", "body", "server", "problem" */
        haft_str text;
    } rows[3];
    size_t count; /* 0 for tools that do nothing of the kind */
} haft__preview;

/* Nothing is started. Texts live in `arena` and may have secrets in them: they are to be redacted
 * before they are shown. What the call would fail with is a row, too. */
HAFT_MUST_USE haft_status haft__exec_preview(haft__exec *exec, const haft__exec_call *call,
                                             haft__arena *arena, haft__preview *ret_preview,
                                             haft_error *err);

#endif
