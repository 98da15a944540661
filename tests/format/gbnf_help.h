/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gbnf_help.h - format/grammar/gbnf_reader.h for tests: it checks the grammars of src/schema, and
 * uses no code of it. Also used by fuzz/grammar.c.
 */
#ifndef HAFT_TESTS_FORMAT_GBNF_HELP_H
#define HAFT_TESTS_FORMAT_GBNF_HELP_H

#include <stdbool.h>

#include "haft.h"

typedef struct gbnf gbnf;

/* Returns NULL and the reason if the grammar is invalid: bad syntax, a rule that is missing or
 * defined twice, no `root`, a count above 2000, left recursion. */
gbnf *gbnf_read(haft_str text, const char **ret_why);
void gbnf_free(gbnf *grammar);

/* Whether the grammar accepts the whole text. */
bool gbnf_accepts(const gbnf *grammar, haft_str text);

/* Whether an accepted text can begin like this: the output of a model that was cut off. */
bool gbnf_begins(const gbnf *grammar, haft_str text);

#endif
