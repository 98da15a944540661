/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/command_words.h - how the program of a command reads its words, and what effect an argument
 * of a model in one of the words could have.
 *
 * `[timeout, "5", sh, -c, "echo {t}"]`: timeout reads one operand and starts sh; sh reads -c and
 * evaluates the next word, which contains the argument t. The programs are in the table of
 * tool/programs.h. After an unknown program, every word that is the name of a program in the table
 * is treated as that program: a word that this program would evaluate is code.
 */
#ifndef HAFT_TOOL_COMMAND_WORDS_H
#define HAFT_TOOL_COMMAND_WORDS_H

#include "base/arena.h"
#include "json/value.h"

/* The meaning of an argument in the word. */
typedef enum haft__word_risk {
    HAFT__WORD_DATA,
    HAFT__WORD_PROGRAM,    /* a program, a script or a module that runs */
    HAFT__WORD_OPTION,     /* an option or operand of a launcher or interpreter */
    HAFT__WORD_CODE,       /* code, or a part of it */
    HAFT__WORD_VALUE,      /* the value of an option that may be code; always unsure */
    HAFT__WORD_SUBCOMMAND, /* the subcommand; always unsure */
} haft__word_risk;

/* Whether an option takes the next word as its value. */
typedef enum haft__option_next {
    HAFT__NEXT_UNSURE,
    HAFT__NEXT_NO,
    HAFT__NEXT_VALUE,
    HAFT__NEXT_HARMLESS, /* unsure, but no option of the program does harm */
} haft__option_next;

/* The effect of a missing word on the option before it, whose value the word is or may be. */
typedef enum haft__word_absence {
    HAFT__ABSENT_WORD,   /* nothing */
    HAFT__ABSENT_OPTION, /* the option is left out too: it would take the next word */
    HAFT__ABSENT_UNSURE, /* the option may take the next word, so no word may follow it */
} haft__word_absence;

typedef struct haft__command_word {
    haft_str text;     /* as in the definition */
    haft_str fixed;    /* the part before its first argument */
    haft_str argument; /* the first argument in it; .ptr is NULL: it has none */
    haft__word_risk risk;
    bool unsure;       /* the risk cannot be known */
    bool code;         /* a program evaluates the word, with or without an argument in it */
    bool passed;       /* code in the spec gets the word as an argument */
    bool after_dashes; /* it follows the "--" of the program that reads it */
    bool missable;     /* its first argument may be missing */
    bool alone;        /* it consists only of an argument, and is left out when that is missing */
    bool optional;     /* missable and alone: the word may be left out */
    bool bounded;      /* its arguments are numbers, booleans or texts that the schema lists */
    bool names_option; /* an argument is part of the name of an option: "-{t}" */
    size_t reader;     /* the word of the program that reads it */
    haft__option_next next; /* if it is an option: `fixed` alone */
    haft__word_absence absence;
    bool local; /* a program of this machine, in the PATH of the command */
} haft__command_word;

typedef struct haft__command_words {
    haft__command_word *items; /* `count` words, and one for all words from standard input */
    size_t count;
    size_t stdin_reader; /* the word of a program that evaluates standard input; `count`: none */
    size_t stdin_words;  /* the word of a program that turns it into words, which may be options;
                            `count`: none */
} haft__command_words;

/* Reads the words of `command`, an array of strings, for a tool with that schema. In `arena`. */
HAFT_MUST_USE haft_status haft__command_words_read(haft__arena *arena, haft__json command,
                                                   haft__json input_schema,
                                                   haft__command_words *ret_words, haft_error *err);

#endif
