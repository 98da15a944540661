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

/* Reads `raw`, the arguments of a call of `tool`. If they are invalid, appends an explanation for
 * the model to `why`: the value that was found and the value that was expected. New parts of the
 * result live in `arena`; others point into `raw`. Fails only when out of memory. */
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

/* Like haft__arguments_read, for a value from a person. If the value is invalid, fails with
 * BAD_INPUT; the message begins with `what`, a name for the value. Repairs nothing, because the
 * value is already JSON. */
HAFT_MUST_USE haft_status haft__arguments_read_value(const haft__tool *tool, haft__json given,
                                                     const char *what, haft__arena *arena,
                                                     haft__hash_key hash_key, haft__json *ret_value,
                                                     haft_error *err);

/* Whether `raw` must be repaired to be a JSON object. An empty text and null stand for an object
 * without members; they need no repair. Fails only when out of memory. */
HAFT_MUST_USE haft_status haft__arguments_need_repair(haft_str raw, haft__arena *scratch,
                                                      haft__hash_key hash_key,
                                                      bool *ret_needs_repair, haft_error *err);

#endif
