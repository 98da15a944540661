/* SPDX-License-Identifier: Apache-2.0 */
/* format/grammar/gbnf_int.h - a parsed grammar. Private to gbnf_reader.c and gbnf_matcher.c. */
#ifndef HAFT_FORMAT_GRAMMAR_GBNF_INT_H
#define HAFT_FORMAT_GRAMMAR_GBNF_INT_H

#include "format/grammar/gbnf_reader.h"

/* An element of a sequence: a reference to a rule, or one character of a class. */
typedef struct haft__gbnf_symbol {
    bool is_rule, negated;
    uint32_t rule;
    uint32_t first, count; /* ranges */
} haft__gbnf_symbol;

typedef struct haft__gbnf_sequence {
    uint32_t rule, first, count; /* symbols */
} haft__gbnf_sequence;

typedef struct haft__gbnf_production {
    haft_str name;
    bool defined, nullable;
    uint8_t visit;
    uint32_t first, count; /* sequences, after sorting */
} haft__gbnf_production;

typedef struct haft__gbnf_code_range {
    uint32_t first, last;
} haft__gbnf_code_range;

struct haft__gbnf_grammar {
    haft__gbnf_symbol *symbols;
    haft__gbnf_sequence *sequences;
    haft__gbnf_production *rules;
    haft__gbnf_code_range *ranges;
    size_t symbol_count, sequence_count, rule_count, range_count;
    size_t symbol_room, sequence_room, rule_room, range_room;
    uint32_t root;
};

#endif
