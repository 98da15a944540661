/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/preview.h - previews a call for the person who approves it: the command and its input, the
 * HTTP request, or the MCP server.
 */
#ifndef HAFT_EXEC_PREVIEW_H
#define HAFT_EXEC_PREVIEW_H

#include "exec/exec.h"

typedef struct haft__preview {
    struct {
        const char *label; /* "command", "input", "request", "body", "server", "problem" */
        haft_str text;
    } rows[3];
    size_t count; /* 0 for tools without a preview */
} haft__preview;

/* Starts no process and no request. Texts live in `arena` and may contain secrets: the caller
 * redacts them before display. If the call would fail, the error is a row with the label
 * "problem". */
HAFT_MUST_USE haft_status haft__exec_preview(haft__exec *exec, const haft__exec_call *call,
                                             haft__arena *arena, haft__preview *ret_preview,
                                             haft_error *err);

#endif
