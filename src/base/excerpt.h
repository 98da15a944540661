/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/excerpt.h - makes an excerpt of a foreign text for an error: redacts the whole text, then
 * truncates it.
 *
 * A truncated secret cannot be found. Therefore every error with a part of the output of a program
 * or server (tools over HTTP, commands, model servers, MCP servers) uses haft__excerpt_append, and
 * no other code truncates such a text.
 */
#ifndef HAFT_BASE_EXCERPT_H
#define HAFT_BASE_EXCERPT_H

#include "base/buf.h"

/* The ends of a text at which bytes were lost when it was read, so that a part of a secret may be
 * there. */
typedef struct haft__lost {
    bool before, after;
} haft__lost;

/* A function that removes secrets; run/redact/redact.h makes a cleaner for a redactor. */
typedef struct haft__cleaner {
    /* Appends `text` without secrets, and without parts of secrets at ends where bytes were lost.
     * Returns whether the text had secrets. NULL: no secrets are known. */
    bool (*clean)(const void *context, haft_str text, haft__lost lost, haft__buf *out);
    const void *context;
} haft__cleaner;

/* Appends the whole text without its secrets. Returns whether the text had secrets. */
bool haft__clean(haft__cleaner cleaner, haft_str text, haft__lost lost, haft__buf *out);

typedef struct haft__excerpt {
    haft_str text;
    haft__lost lost;
    size_t max_bytes; /* limit after removing white space at the ends; no character is split */
    bool from_end;    /* take the last bytes, not the first */
    size_t max_lines; /* with from_end: maximum number of lines, and only whole lines if a line
                       * fits; 0: no maximum */
    bool plain;       /* control characters except line ends and tabs become '?' */
} haft__excerpt;

/* Appends at most `max_bytes` of the redacted text. Fails the buffer when out of memory. */
void haft__excerpt_append(haft__buf *buf, const haft__excerpt *excerpt, haft__cleaner cleaner);

#endif
