/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json/canonical.h - one text for each JSON value, for hashing and comparing.
 *
 * No white space; members sorted by the bytes of their keys (which is code point order); numbers in
 * their normal spelling (json/number.h), never through a double; strings with the fewest escapes.
 */
#ifndef HAFT_JSON_CANONICAL_H
#define HAFT_JSON_CANONICAL_H

#include "base/buf.h"
#include "json/value.h"

/* Appends the canonical text. Two values are equal if and only if their canonical texts are equal.
 * NO_MEMORY, or TOO_BIG when the buffer is full or the value nests deeper than
 * HAFT__LIMIT_JSON_DEPTH; a partial text stays in the buffer. */
HAFT_MUST_USE haft_status haft__json_write_canonical(haft__buf *buf, haft__json value,
                                                     haft_error *err);

#endif
