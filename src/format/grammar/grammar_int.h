/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/grammar/grammar_int.h - the internals of the grammar generator. Private to its folder.
 *
 *     grammar.c  which tools, the size limit, the reply as a whole
 *     call.c     a call of one tool
 *     schema.c   the same as a JSON Schema
 */
#ifndef HAFT_FORMAT_GRAMMAR_GRAMMAR_INT_H
#define HAFT_FORMAT_GRAMMAR_GRAMMAR_INT_H

#include "base/str.h"
#include "format/grammar/grammar.h"
#include "schema/grammar/gbnf.h"

/* The common part of all calls of one grammar. */
typedef struct haft__call_grammar {
    haft__gbnf_writer *g;
    const haft__call_syntax *syntax;
    bool one_newline;          /* of TAGS: see haft__format */
    haft__gbnf_rule_name text; /* of TAGS: rule for text without the stops; "" until used */
} haft__call_grammar;

/* ---- grammar.c ---- */

/* The indices of the tools that may be called; *ret_count is at least 1 on success. */
HAFT_MUST_USE haft_status haft__grammar_select_tools(haft__arena *arena,
                                                     const haft__format_tool *tools,
                                                     size_t tool_count, const bool *allowed,
                                                     haft__choice_mode mode, haft_str tool,
                                                     bool answer, size_t **ret_picked,
                                                     size_t *ret_count, haft_error *err);

/* ---- call.c ---- */

/* Appends a text of the syntax around a call. */
void haft__call_grammar_add_text(haft__call_grammar *grammar, haft__buf *body, const char *text);

/* A rule for a call of this tool; `relaxed`: with any arguments. */
haft__gbnf_rule_name haft__call_grammar_rule(haft__call_grammar *grammar,
                                             const haft__format_tool *tool, bool relaxed);

#endif
