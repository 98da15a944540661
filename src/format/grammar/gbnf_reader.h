/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/grammar/gbnf_reader.h - reads grammars as strictly as llama.cpp does, and tests whether
 * they accept a text.
 *
 * Test servers and tests of generated grammars use the reader. It shares no code with the
 * generator.
 */
#ifndef HAFT_FORMAT_GRAMMAR_GBNF_READER_H
#define HAFT_FORMAT_GRAMMAR_GBNF_READER_H

#include "base/arena.h"

typedef struct haft__gbnf_grammar haft__gbnf_grammar;

/* Reads a grammar, which lives in `arena`; the text must outlive it. BAD_INPUT if llama.cpp would
 * reject it; the message gives the reason: bad syntax, a missing or duplicate rule, no `root`, a
 * count above 2000, left recursion. */
HAFT_MUST_USE haft_status haft__gbnf_read(haft__arena *arena, haft_str text,
                                          const haft__gbnf_grammar **ret_rules, haft_error *err);

/* Whether `root` matches the whole text; with `begins`, whether the text is a prefix of a match.
 * Memory is proportional to the text. Fails only if out of memory. */
HAFT_MUST_USE haft_status haft__gbnf_match(const haft__gbnf_grammar *rules, haft_str text,
                                           bool begins, bool *ret_matches, haft_error *err);

#endif
