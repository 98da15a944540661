/* SPDX-License-Identifier: Apache-2.0 */
/* run/redact/withhold_int.h - declarations shared by the withhold files. Private to its folder. */
#ifndef HAFT_RUN_REDACT_WITHHOLD_INT_H
#define HAFT_RUN_REDACT_WITHHOLD_INT_H

#include "run/redact/withhold.h"

/* An event as it was decided or received (`original`), and without its secrets (`redacted`). */
typedef struct haft__withholding {
    const haft__run *run;
    const haft__redactor *redactor;
    haft__arena arena;
    haft__json original, redacted;
    haft_error *err;
} haft__withholding;

/* Parses a body: the text of an object, and its value. The text must outlive the value. */
HAFT_MUST_USE haft_status haft__event_body_open(haft__arena *arena, haft_str body,
                                                haft_str *ret_text, haft_error *err);
HAFT_MUST_USE haft_status haft__event_body_read(haft__arena *arena, haft_str text,
                                                haft__hash_key hash_key, haft__json *ret_object,
                                                haft_error *err);

/* Appends the object as a body. */
void haft__event_body_write(haft__buf *out, haft__json object);

/* Returns a copy of the object with that value for the key. A new key is added at the end. */
HAFT_MUST_USE haft_status haft__event_body_with(haft__arena *arena, haft__json object, haft_str key,
                                                haft__json value, haft__json *ret_object,
                                                haft_error *err);

/* Whether the body starts or pauses a call and contains the arguments of the call. */
bool haft__event_body_is_call(haft_str body);

/* The call of the event; NULL if the run does not have the call, or not the tool of the call. */
const haft__run_call *haft__withhold_find_call(const haft__run *run, haft__json body);

/* Whether the call must run with exactly the arguments that the model wrote. */
bool haft__withhold_needs_exact(const haft__run_call *call);

/* Whether an earlier event has logged these arguments of the call. */
HAFT_MUST_USE haft_status haft__withhold_is_logged(const haft__run_call *call,
                                                   const haft__json *arguments, bool *ret_logged,
                                                   haft_error *err);

#endif
