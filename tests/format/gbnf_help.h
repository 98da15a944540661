/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gbnf_help.h - format/grammar/gbnf_reader.h for tests, which judges what src/schema makes and uses
 * nothing of it; also for fuzz/grammar.c.
 */
#ifndef HAFT_TESTS_FORMAT_GBNF_HELP_H
#define HAFT_TESTS_FORMAT_GBNF_HELP_H

#include <stdbool.h>

#include "haft.h"

typedef struct gbnf gbnf;

/* NULL if it is not valid, with the reason: bad syntax, a rule that is missing or defined twice, no
 * `root`, a count above 2000, left recursion. */
gbnf *gbnf_read(haft_str text, const char **ret_why);
void gbnf_free(gbnf *grammar);

/* Whether `root` is the whole text. */
bool gbnf_accepts(const gbnf *grammar, haft_str text);

/* Whether some text begins like this: what a model that is cut off may have written. */
bool gbnf_begins(const gbnf *grammar, haft_str text);

#endif
