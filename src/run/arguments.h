/* SPDX-License-Identifier: Apache-2.0 */
/* run/arguments.h - from what the model wrote to arguments a tool can run with. */
#ifndef HAFT_RUN_ARGUMENTS_H
#define HAFT_RUN_ARGUMENTS_H

#include "base/buf.h"
#include "tool/tool.h"

typedef struct haft__arguments {
    bool good;
    haft__json value; /* an object: repaired, converted, defaults filled in, valid */
    bool repaired;    /* the JSON had to be mended */
} haft__arguments;

/* Reads `raw` for `tool`. When it cannot be used, appends to `why` what was found and wanted, for
 * the model to read. New parts live in `arena`, others point into `raw`. Fails only for want of
 * memory. */
HAFT_MUST_USE haft_status haft__arguments_read(const haft__tool *tool, haft_str raw,
                                               haft__checker *checker, haft__arena *arena,
                                               haft__hash_key hash_key,
                                               haft__arguments *ret_arguments, haft__buf *why,
                                               haft_error *err);

/* The same of a reply that kept to a schema in which whatever may be left out may be null instead
 * (schema/downlevel/drop_nulls.h): such nulls are left out. */
HAFT_MUST_USE haft_status haft__arguments_read_nullable(const haft__tool *tool, haft_str raw,
                                                        haft__checker *checker, haft__arena *arena,
                                                        haft__hash_key hash_key,
                                                        haft__arguments *ret_arguments,
                                                        haft__buf *why, haft_error *err);

/* The same of a value that a person gives, who reads the error: BAD_INPUT with `what` is wrong and
 * why. Nothing is mended. */
HAFT_MUST_USE haft_status haft__arguments_read_value(const haft__tool *tool, haft__json given,
                                                     const char *what, haft__arena *arena,
                                                     haft__hash_key hash_key, haft__json *ret_value,
                                                     haft_error *err);

/* Whether `raw` has to be mended to be a JSON object. Nothing at all, and null, stand for an object
 * without members and need no mending. Fails only for want of memory. */
HAFT_MUST_USE haft_status haft__arguments_need_repair(haft_str raw, haft__arena *scratch,
                                                      haft__hash_key hash_key,
                                                      bool *ret_needs_repair, haft_error *err);

#endif
