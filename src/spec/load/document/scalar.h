/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spec/load/document/scalar.h - the value of a plain YAML scalar: the core schema of YAML 1.2
 * (section 10.3.2).
 *
 * Values that are not text: null, ~ and the empty scalar; true and false; decimal, 0o17 and 0x1F
 * integers; floats. All other scalars are text, including yes, no, on and off, 1:30 and dates.
 */
#ifndef HAFT_SPEC_LOAD_DOCUMENT_SCALAR_H
#define HAFT_SPEC_LOAD_DOCUMENT_SCALAR_H

#include "json/value.h"

/* The result of resolving a plain scalar. */
typedef enum haft__scalar_result {
    HAFT__SCALAR_OK,
    HAFT__SCALAR_NOT_FINITE, /* .inf or .nan, which JSON cannot represent */
    HAFT__SCALAR_TOO_LONG,   /* more than HAFT__LIMIT_JSON_NUMBER_BYTES, or past 64 bits in hex */
    HAFT__SCALAR_NO_MEMORY,
} haft__scalar_result;

/* Resolves a plain scalar. A number in JSON syntax stays unchanged; other numbers (.5, 1., +1, 007,
 * 0x1F) are rewritten exactly, in `arena`. `text` is borrowed. */
haft__scalar_result haft__scalar_resolve(haft__arena *arena, haft_str text, haft__json *ret_value);

#endif
