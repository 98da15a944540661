/* SPDX-License-Identifier: Apache-2.0 */
/* grammar_help.h - grammars for tools that are given as JSON, and texts that they accept or reject.
 */
#ifndef HAFT_TESTS_FORMAT_GRAMMAR_HELP_H
#define HAFT_TESTS_FORMAT_GRAMMAR_HELP_H

#include "format/grammar/grammar.h"
#include "gbnf_help.h"
#include "parse_help.h"

#define HELP_TOOLS 8

/* Tools, and a grammar of them. */
typedef struct help_grammar {
    haft__arena arena;
    haft__relax_report report;
    haft__format_tool tools[HELP_TOOLS];
    size_t count;
    haft__buf text, notes; /* the grammar; the report, a line each */
    gbnf *grammar;         /* NULL if the grammar could not be made */
    haft_status status;
    haft_error err;
} help_grammar;

/* `tools`: {"name": schema, ...}. */
void help_grammar_tools(help_grammar *h, const char *tools);

/* Makes the grammar, and reads it. `format` "native": no format. `tool` NULL: any tool. */
void help_grammar_make(help_grammar *h, const char *format, const char *tool,
                       const haft__grammar_options *options);
void help_grammar_finish(help_grammar *h);

/* Checks that the grammar accepts or rejects a text. The parser of the format must read an accepted
 * text as a call. */
void help_grammar_check(help_grammar *h, const char *format, const char *text, bool wanted);

#endif
