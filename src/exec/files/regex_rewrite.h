/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/regex_rewrite.h - rewrites a regular expression so that it cannot match a line feed.
 * Pure.
 *
 * grep matches line by line, but searching a whole block of a file at once is many times faster.
 * After the rewrite both ways find the same lines: nothing in the expression matches a line feed,
 * and anchors of the text become anchors of a line. The result needs PCRE2_MULTILINE.
 */
#ifndef HAFT_EXEC_FILES_REGEX_REWRITE_H
#define HAFT_EXEC_FILES_REGEX_REWRITE_H

#include "base/buf.h"

/* Maximum growth factor of the result. */
#define HAFT__REGEX_REWRITE_GROWTH 8

/* Maximum additional nesting of groups. */
#define HAFT__REGEX_REWRITE_NESTING 2

/* Appends the rewritten expression. `pattern` must be valid UTF-8 and compile in PCRE2. BAD_INPUT
 * if it requires a line feed; UNSUPPORTED for \C, \X, \R, \G, \N{..}, the flag x, verbs and
 * callouts, which cannot be rewritten. */
HAFT_MUST_USE haft_status haft__regex_rewrite_single_line(haft_str pattern, haft__buf *ret_pattern,
                                                          haft_error *err);

#endif
