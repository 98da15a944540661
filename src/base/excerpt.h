/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/excerpt.h - a part of a foreign text in an error: redacted whole, then cut.
 *
 * Half a secret cannot be recognised. So every error that shows a part of what a program or a
 * server wrote (tools over HTTP, commands, model servers, MCP servers) takes that part with
 * haft__excerpt_append, and nothing else cuts such a text.
 */
#ifndef HAFT_BASE_EXCERPT_H
#define HAFT_BASE_EXCERPT_H

#include "base/buf.h"

/* Ends of a text at which bytes were dropped when it was read: the rest of a secret may be there.
 */
typedef struct haft__lost {
    bool before, after;
} haft__lost;

/* Removes secrets; run/redact/redact.h has one for a redactor. */
typedef struct haft__cleaner {
    /* Appends `text` without secrets, and without parts of one at ends where bytes are lost.
     * Returns whether it had any. NULL: no secrets are known. */
    bool (*clean)(const void *context, haft_str text, haft__lost lost, haft__buf *out);
    const void *context;
} haft__cleaner;

/* Appends the whole text without its secrets. Returns whether it had any. */
bool haft__clean(haft__cleaner cleaner, haft_str text, haft__lost lost, haft__buf *out);

typedef struct haft__excerpt {
    haft_str text;
    haft__lost lost;
    size_t max_bytes; /* without white space at its ends, and without half characters */
    bool from_end;    /* the last bytes, not the first */
    size_t max_lines; /* with from_end: at most so many lines, and whole ones if one of them fits;
                         0: any number */
    bool plain;       /* control characters except line ends and tabs become '?' */
} haft__excerpt;

/* Appends at most `max_bytes` of the redacted text. Fails the buffer when out of memory. */
void haft__excerpt_append(haft__buf *buf, const haft__excerpt *excerpt, haft__cleaner cleaner);

#endif
