/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/programs.h - programs that start other programs or evaluate their words, as a table.
 *
 * The table decides which words of a command may contain an argument of a model
 * (tool/command_words.h). It has the options of each program, because the value of an option is not
 * an operand of the program.
 */
#ifndef HAFT_TOOL_PROGRAMS_H
#define HAFT_TOOL_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "haft.h"

typedef enum haft__program_kind {
    HAFT__PROGRAM_TEXT,        /* its operands and the values of its DATA options are data */
    HAFT__PROGRAM_LAUNCHER,    /* options, operands, then a program and its words: timeout */
    HAFT__PROGRAM_JOINER,      /* like a launcher, but a shell evaluates the words: ssh */
    HAFT__PROGRAM_INTERPRETER, /* options, a script file, words of the script: python */
    HAFT__PROGRAM_EVALUATOR,   /* options, operands, one word of code, then data: awk */
    HAFT__PROGRAM_CODE,        /* every word may be code: make */
    HAFT__PROGRAM_FIND,        /* -exec starts a program, up to ";" or "+" */
} haft__program_kind;

/* Flags of a program. */
enum {
    HAFT__PROGRAM_ASSIGNS = 1, /* operands NAME=VALUE come before its program */
    HAFT__PROGRAM_MIXES = 2,   /* options may follow operands */
    HAFT__PROGRAM_STOPS = 4,   /* an option with code ends its options */
    HAFT__PROGRAM_STDIN = 8,   /* evaluates standard input, whatever its words are */
    HAFT__PROGRAM_FEEDS = 16,  /* appends words from standard input to the words of its program */
    HAFT__PROGRAM_LONG = 32,   /* long options have one dash: -separator */
    HAFT__PROGRAM_COMMON =
        64, /* its name is a common word: if it is only guessed, its risk is a warning */
    HAFT__PROGRAM_PLUS = 128,        /* "+x" is an option, and "-" ends the options: sh */
    HAFT__PROGRAM_OPENS = 256,       /* may run an operand as a command: perl -n 'id|' */
    HAFT__PROGRAM_HARMLESS = 512,    /* none of its options evaluates a value or starts a program */
    HAFT__PROGRAM_SUBCOMMAND = 1024, /* its first operand is a subcommand */
    HAFT__PROGRAM_BUNDLE = 2048,     /* its first word has options without a dash: tar xf */
    /* An argument of the model causes a warning instead of an error. For an evaluator: in its code,
     * which can only read data. For a text program: in every word, because the subcommand decides
     * the meaning of the word. */
    HAFT__PROGRAM_WARNS = 4096,
    HAFT__PROGRAM_HERE = 8192, /* starts its program on this machine, from the same PATH */
};

typedef struct haft__program {
    const char *names;      /* separated by spaces, without a version: "python", not "python3" */
    const char *subcommand; /* words, separated by spaces, each "a|b" for a or b; NULL: any */
    haft__program_kind kind;
    uint8_t operands; /* operands before its program or code */
    uint16_t flags;
    const char *options; /* separated by spaces, each with its effect (below) as a suffix */
} haft__program;

/* The effect of an option: the suffix of its name in the table. */
typedef enum haft__option_effect {
    HAFT__OPTION_FLAG = 0,
    HAFT__OPTION_UNKNOWN = '?',
    HAFT__OPTION_VALUE = '=',   /* has a value */
    HAFT__OPTION_DATA = ':',    /* ... that is only data */
    HAFT__OPTION_PAIR = ';',    /* ... and a second one, both only data: jq --arg */
    HAFT__OPTION_CODE = '!',    /* ... that is evaluated */
    HAFT__OPTION_SCRIPT = '@',  /* ... that names the script or module to run */
    HAFT__OPTION_OPERAND = '^', /* the first operand is code: sh -c */
    HAFT__OPTION_DIRECT = '%',  /* a joiner starts the program without a shell: watch -x */
    HAFT__OPTION_STDIN = '<',   /* standard input is code: sh -s */
} haft__option_effect;

/* Represents all programs that are not in the table. Its options are names whose values are code in
 * many programs. */
extern const haft__program haft__program_unknown;

/* Row number `at`; NULL past the last one. */
const haft__program *haft__program_at(size_t at);

/* Whether the row describes the program `word` of a command. `word` is a name or a path, with or
 * without a version ("/usr/bin/python3.11"). */
bool haft__program_has_name(const haft__program *program, haft_str word);

/* Whether the word is "--". */
bool haft__word_is_dashes(haft_str word);

/* Whether a word looks like an option: "-x", "--x", but not "-" and "--". */
bool haft__word_is_option(haft_str word);

/* Reads a word that starts with '-', or with '+' (HAFT__PROGRAM_PLUS). *ret_next: the value is the
 * next word. */
haft__option_effect haft__program_option(const haft__program *program, haft_str word,
                                         bool *ret_next);

/* The effect of a short option, as in the first word of tar. */
haft__option_effect haft__program_letter(const haft__program *program, char letter);

bool haft__option_has_value(haft__option_effect effect);

#endif
