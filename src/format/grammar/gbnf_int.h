/* SPDX-License-Identifier: Apache-2.0 */
/* format/grammar/gbnf_int.h - a parsed grammar. Private to gbnf_reader.c and gbnf_matcher.c. */
#ifndef HAFT_FORMAT_GRAMMAR_GBNF_INT_H
#define HAFT_FORMAT_GRAMMAR_GBNF_INT_H

#include "format/grammar/gbnf_reader.h"

/* An element of a sequence: a reference to a rule, or a class that matches one character. */
typedef struct haft__gbnf_symbol {
    bool is_rule;
    bool negated;          /* the class matches the characters outside its ranges */
    uint32_t rule;         /* index in `rules` */
    uint32_t first, count; /* of the class: its ranges, as a part of `ranges` */
} haft__gbnf_symbol;

/* One alternative of a rule. */
typedef struct haft__gbnf_sequence {
    uint32_t rule;         /* index in `rules` */
    uint32_t first, count; /* its symbols, as a part of `symbols` */
} haft__gbnf_sequence;

typedef struct haft__gbnf_production {
    haft_str name;
    bool defined, nullable;
    uint8_t visit;         /* for the search for left recursion */
    uint32_t first, count; /* its sequences, as a part of `sequences` after they are sorted */
} haft__gbnf_production;

/* A range of code points, both ends included. */
typedef struct haft__gbnf_code_range {
    uint32_t first, last;
} haft__gbnf_code_range;

struct haft__gbnf_grammar {
    haft__gbnf_symbol *symbols;
    haft__gbnf_sequence *sequences;
    haft__gbnf_production *rules;
    haft__gbnf_code_range *ranges;
    size_t symbol_count, sequence_count, rule_count, range_count;
    size_t symbol_capacity, sequence_capacity, rule_capacity, range_capacity;
    uint32_t root;
};

#endif
