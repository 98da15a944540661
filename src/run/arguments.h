/* SPDX-License-Identifier: Apache-2.0 */
/* run/arguments.h - parses the arguments that a model wrote and validates them for a tool. */
#ifndef HAFT_RUN_ARGUMENTS_H
#define HAFT_RUN_ARGUMENTS_H

#include "base/buf.h"
#include "tool/tool.h"

typedef struct haft__arguments {
    bool good;
    haft__json value; /* an object: repaired, converted, defaults filled in, valid */
    bool repaired;    /* the JSON had to be repaired */
} haft__arguments;

/* Reads `raw` for `tool`. If it cannot be used, appends to `why` what was found and what was
 * expected, for the model to read. New parts live in `arena`; others point into `raw`. Fails only
 * when out of memory. */
HAFT_MUST_USE haft_status haft__arguments_read(const haft__tool *tool, haft_str raw,
                                               haft__checker *checker, haft__arena *arena,
                                               haft__hash_key hash_key,
                                               haft__arguments *ret_arguments, haft__buf *why,
                                               haft_error *err);

/* Like haft__arguments_read, for a reply constrained to a schema in which optional members may be
 * null instead of missing (schema/downlevel/drop_nulls.h). Drops such nulls. */
HAFT_MUST_USE haft_status haft__arguments_read_nullable(const haft__tool *tool, haft_str raw,
                                                        haft__checker *checker, haft__arena *arena,
                                                        haft__hash_key hash_key,
                                                        haft__arguments *ret_arguments,
                                                        haft__buf *why, haft_error *err);

/* Like haft__arguments_read, for a value that a person gives. The error is for that person:
 * BAD_INPUT, which names the value by `what` and says why. The value is already JSON, so nothing is
 * repaired. */
HAFT_MUST_USE haft_status haft__arguments_read_value(const haft__tool *tool, haft__json given,
                                                     const char *what, haft__arena *arena,
                                                     haft__hash_key hash_key, haft__json *ret_value,
                                                     haft_error *err);

/* Whether `raw` needs a repair to be a JSON object. An empty text and null mean an object without
 * members and need no repair. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__arguments_need_repair(haft_str raw, haft__arena *scratch,
                                                      haft__hash_key hash_key,
                                                      bool *ret_needs_repair, haft_error *err);

#endif
