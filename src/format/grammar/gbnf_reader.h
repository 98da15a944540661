/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/grammar/gbnf_reader.h - reads grammars as strictly as llama.cpp does, and says whether
 * they accept a text.
 *
 * For whoever plays such a server, and to judge the grammars that are made here: it shares nothing
 * with what makes them.
 */
#ifndef HAFT_FORMAT_GRAMMAR_GBNF_READER_H
#define HAFT_FORMAT_GRAMMAR_GBNF_READER_H

#include "base/arena.h"

typedef struct haft__gbnf_grammar haft__gbnf_grammar;

/* Reads a grammar, which lives in `arena`; the text must outlive it. BAD_INPUT when llama.cpp would
 * not take it, and the message says why: bad syntax, a rule that is not there or is there twice, no
 * `root`, a count above 2000, left recursion. */
HAFT_MUST_USE haft_status haft__gbnf_read(haft__arena *arena, haft_str text,
                                          const haft__gbnf_grammar **ret_rules, haft_error *err);

/* Whether `root` is the whole text, or with `begins` whether some text that it is begins like this.
 * Takes memory in proportion to the text. Fails only for want of memory. */
HAFT_MUST_USE haft_status haft__gbnf_match(const haft__gbnf_grammar *rules, haft_str text,
                                           bool begins, bool *ret_matches, haft_error *err);

#endif
