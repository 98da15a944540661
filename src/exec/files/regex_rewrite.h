/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec/files/regex_rewrite.h - makes a regular expression that cannot match a line feed. Pure.
 *
 * grep matches line by line, but searching a whole block of a file at once is many times faster.
 * The expression is rewritten so that both find the same lines: nothing in it can match a line
 * feed, and what stands for the ends of the text stands for the ends of a line. With it, PCRE2
 * must be told PCRE2_MULTILINE.
 */
#ifndef HAFT_EXEC_FILES_REGEX_REWRITE_H
#define HAFT_EXEC_FILES_REGEX_REWRITE_H

#include "base/buf.h"

/* How many times longer than `pattern` the result may get. */
#define HAFT__REGEX_REWRITE_GROWTH 8

/* How many groups more may be inside each other. */
#define HAFT__REGEX_REWRITE_NESTING 2

/* Appends the expression. `pattern` is one that PCRE2 compiles, and valid UTF-8. BAD_INPUT when it
 * wants a line feed, UNSUPPORTED for what cannot be rewritten: \C, \X, \R, \G, \N{..}, the flag x,
 * verbs and callouts. */
HAFT_MUST_USE haft_status haft__regex_rewrite_single_line(haft_str pattern, haft__buf *ret_pattern,
                                                          haft_error *err);

#endif
