/* SPDX-License-Identifier: Apache-2.0 */
/* run/redact/withhold_int.h - what the files of withholding share. Private to src/run. */
#ifndef HAFT_RUN_REDACT_WITHHOLD_INT_H
#define HAFT_RUN_REDACT_WITHHOLD_INT_H

#include "run/redact/withhold.h"

/* An event as it was decided or brought in, and without its secrets. */
typedef struct haft__withholding {
    const haft__run *run;
    const haft__redactor *redactor;
    haft__arena arena;
    haft__json given, clean;
    haft_error *err;
} haft__withholding;

/* A body as the text of an object, and that as a value; the text must outlive it. */
HAFT_MUST_USE haft_status haft__event_body_open(haft__arena *arena, haft_str body,
                                                haft_str *ret_text, haft_error *err);
HAFT_MUST_USE haft_status haft__event_body_read(haft__arena *arena, haft_str text,
                                                haft__hash_key hash_key, haft__json *ret_object,
                                                haft_error *err);

/* Appends it as a body again. */
void haft__event_body_write(haft__buf *out, haft__json object);

/* The object with that value for the key, behind the others when it had none. */
HAFT_MUST_USE haft_status haft__event_body_with(haft__arena *arena, haft__json object, haft_str key,
                                                haft__json value, haft__json *ret_object,
                                                haft_error *err);

/* Whether it is about a call that is to begin or to wait, with its arguments. */
bool haft__event_body_is_call(haft_str body);

/* The call that it is about; NULL when the run has none, or not its tool. */
const haft__run_call *haft__withhold_find_call(const haft__run *run, haft__json body);

/* Whether its arguments must be just what was meant. */
bool haft__withhold_needs_exact(const haft__run_call *call);

/* Whether the log has these arguments of the call, as an earlier event wrote them. */
HAFT_MUST_USE haft_status haft__withhold_is_logged(const haft__run_call *call,
                                                   const haft__json *arguments, bool *ret_has,
                                                   haft_error *err);

#endif
