/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool/command_walk_int.h - walks through the words of a command in the way that its programs read
 * them.
 *
 * The words of a launcher are followed by the program that it starts, so the walk is a loop over
 * programs. find starts several programs, each up to an end mark. A walk is at most linear in the
 * number of words. A walk that guesses a program does not guess again, so the total is at most
 * quadratic.
 */
#ifndef HAFT_TOOL_COMMAND_WALK_INT_H
#define HAFT_TOOL_COMMAND_WALK_INT_H

#include "tool/command_words.h"
#include "tool/programs.h"

typedef struct haft__walk {
    haft__command_words *words;
    size_t end;
    bool guess;           /* the program that reads the words is a guess */
    bool common;          /* ... and its name is a common word */
    bool warns;           /* a word that may be code is only unsure (HAFT__PROGRAM_WARNS) */
    bool replaces;        /* the words from standard input may be at any position: xargs -I */
    bool elsewhere;       /* programs start on another machine, or in another PATH or directory */
    size_t feeder;        /* a launcher that appends words from standard input; SIZE_MAX: none */
    size_t unsure_from;   /* the meaning of the words from here on is unsure */
    size_t unsure_reader; /* the word of the program whose unknown option is the reason */
} haft__walk;

/* Walks through all words and marks them. */
void haft__walk_all(haft__command_words *words);

/* ---- command_walk_programs.c ---- */

/* Walks through one program and its words. Returns the word of the program that it starts, or the
 * end. */
size_t haft__walk_program(haft__walk *w, size_t at);

/* ---- command_walk.c: marks ---- */

haft_str haft__walk_text_at(const haft__walk *w, size_t at);

/* These functions mark a word only if the model's arguments are part of it. `reader` is the word
 * of the program that reads it. haft__walk_mark and haft__walk_mark_as mark the word at `at`,
 * haft__walk_mark_all all words from there on. */
void haft__walk_mark(haft__walk *w, size_t at, haft__word_risk risk, size_t reader);
void haft__walk_mark_as(haft__walk *w, size_t at, haft__word_risk risk, size_t reader, bool unsure);
void haft__walk_mark_all(haft__walk *w, size_t at, haft__word_risk risk, size_t reader);

/* The program evaluates its standard input, or words that xargs reads from it. */
void haft__walk_mark_stdin(haft__walk *w, size_t reader);

/* Marks the words from `at` on as words after the "--" of their program, which cannot be options
 * of it. */
void haft__walk_mark_after_dashes(haft__walk *w, size_t at);

/* ---- command_walk.c: options and operands ---- */

/* The first "--" from `at` on, or the end. */
size_t haft__walk_find_dashes(const haft__walk *w, size_t at);

/* Whether the word is an option of the program; for a shell also "+x". */
bool haft__walk_is_option_of(const haft__program *program, haft_str word);

/* Whether the word ends the options of the program; for a shell also "-". */
bool haft__walk_ends_options(const haft__program *program, haft_str word);

/* Whether the word names standard input as a file. With `option`, the word is an option together
 * with its value. */
bool haft__walk_names_stdin(haft_str word, bool option);

/* Marks the option at *at and its value, and moves to the last word of both. */
haft__option_effect haft__walk_option(haft__walk *w, const haft__program *program, size_t reader,
                                      size_t *at);

/* Walks through a program of the table whose operands are data. */
void haft__walk_text_program(haft__walk *w, const haft__program *program, size_t reader, size_t at);

/* Walks through a program that may evaluate each of its words. */
void haft__walk_code_program(haft__walk *w, size_t reader, size_t at);

/* Treats every word that names a program of the table as that program. */
void haft__walk_guess_programs(haft__walk *w, size_t at);

/* Walks through a program that is not in the table, or a script. It may start another program: the
 * first word after "--" that is always present. */
void haft__walk_unknown_program(haft__walk *w, size_t reader, size_t at);

#endif
