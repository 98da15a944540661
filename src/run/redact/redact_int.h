/* SPDX-License-Identifier: Apache-2.0 */
/* run/redact/redact_int.h - declarations shared by the files that implement redact.h. Private to
 * its folder. */
#ifndef HAFT_RUN_REDACT_REDACT_INT_H
#define HAFT_RUN_REDACT_REDACT_INT_H

#include "run/redact/redact.h"

/* ---- redact.c ---- */

/* Adds an encoding. Ignores an encoding that is too short or already added. */
HAFT_MUST_USE haft_status haft__redactor_add_encoding(haft__redactor *redactor, haft_str encoding,
                                                      haft_error *err);

/* ---- encodings.c ---- */

/* Adds every encoding of a secret. */
HAFT_MUST_USE haft_status haft__redactor_add_encodings(haft__redactor *redactor, haft_str secret,
                                                       haft_error *err);

/* ---- json.c ---- */

/* A part of a text to replace. */
typedef struct haft__redact_span {
    size_t from, to;
    bool quoted; /* replaced by a JSON string, not by text inside a string */
} haft__redact_span;

/* The spans are stored in a buffer, one after the other. */
static inline haft__redact_span *haft__redact_spans(const haft__buf *parts, size_t *ret_count)
{
    *ret_count = parts->len / sizeof(haft__redact_span);
    return (haft__redact_span *)(void *)parts->ptr;
}

/* If `text` is JSON, returns true and widens the spans of `found` (sorted, disjoint) to `parts`, so
 * that the text is still JSON after their replacement. Returns false if `text` is not JSON. Errors
 * are recorded in `parts`. */
bool haft__redact_fit_json(haft_str text, const haft__buf *found, haft__buf *parts);

#endif
