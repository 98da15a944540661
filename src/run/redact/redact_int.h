/* SPDX-License-Identifier: Apache-2.0 */
/* run/redact/redact_int.h - what the files of run/redact/redact.h share. Private to src/run. */
#ifndef HAFT_RUN_REDACT_REDACT_INT_H
#define HAFT_RUN_REDACT_REDACT_INT_H

#include "run/redact/redact.h"

/* ---- redact.c ---- */

/* Adds one spelling; one that is too short, or there already, changes nothing. */
HAFT_MUST_USE haft_status haft__redactor_add_encoding(haft__redactor *redactor, haft_str form,
                                                      haft_error *err);

/* ---- encodings.c ---- */

/* Adds every spelling of a secret. */
HAFT_MUST_USE haft_status haft__redactor_add_encodings(haft__redactor *redactor, haft_str secret,
                                                       haft_error *err);

/* ---- json.c ---- */

/* A part of a text that is to be replaced. */
typedef struct haft__redact_span {
    size_t from, to;
    bool quoted; /* by a JSON string, not by what stands inside one */
} haft__redact_span;

/* The parts are in a buffer, one behind the other. */
static inline haft__redact_span *haft__redact_spans(const haft__buf *parts, size_t *ret_count)
{
    *ret_count = parts->len / sizeof(haft__redact_span);
    return (haft__redact_span *)(void *)parts->ptr;
}

/* If `text` is JSON, makes parts of it out of `found` (sorted, disjoint) that leave it JSON when
 * they are replaced, and says so. False when it is none. Failure is the buffer's. */
bool haft__redact_fit_json(haft_str text, const haft__buf *found, haft__buf *parts);

#endif
