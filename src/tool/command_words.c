/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_words.c - walks through the words of a command as its programs would.
 *
 * A launcher is followed by the program that it starts, so the walk is a loop over programs; find
 * has several, each with an end. Every walk is at most linear in the number of words, and guesses
 * do not guess again, so that all is at most quadratic.
 *
 * Tests: tests/tool/command_words_test.c.
 */
#include "tool/command_words.h"

#include "base/macros.h"
#include "base/str.h"
#include "tool/programs.h"
#include "tool/template.h"

typedef struct walk {
    haft__command_words *words;
    size_t end;
    bool guess;         /* the program that reads the words is not known */
    bool common;        /* ... and the name of this one is a common word */
    size_t feeder;      /* a launcher that appends words from standard input; SIZE_MAX: none */
    size_t unsure_from; /* words from here on are read in a way that is not known */
    size_t unsure_reader;
} walk;

static size_t walk_program(walk *w, size_t at);

static haft_str text_at(const walk *w, size_t at)
{
    return w->words->items[at].text;
}

/* ---- marks ---- */

static void mark_as(walk *w, size_t at, haft__word_risk risk, size_t reader, bool unsure)
{
    haft__command_word *word = &w->words->items[at];
    word->code = word->code || (risk == HAFT__WORD_CODE && !unsure);
    if (word->argument.ptr == NULL
        || (word->risk != HAFT__WORD_DATA && (!word->unsure || unsure))) {
        return;
    }
    word->risk = risk;
    word->unsure = unsure;
    word->reader = reader;
}

static void mark(walk *w, size_t at, haft__word_risk risk, size_t reader)
{
    mark_as(w, at, risk, reader, w->guess && (risk != HAFT__WORD_CODE || w->common));
}

static void mark_all(walk *w, size_t at, haft__word_risk risk, size_t reader)
{
    for (; at < w->end; at++) {
        mark(w, at, risk, reader);
    }
}

/* The program evaluates its standard input, or words that xargs reads from it. */
static void mark_stdin(walk *w, size_t reader)
{
    if (!w->guess && w->words->stdin_reader == w->words->count) {
        w->words->stdin_reader = reader;
    }
}

/* Words after the program's own "--" cannot be options of it. */
static void mark_options_over(walk *w, size_t at)
{
    for (; at < w->end && !w->guess; at++) {
        w->words->items[at].options_over = true;
    }
}

static void mark_after_dashes(walk *w, size_t at)
{
    while (at < w->end && !haft__str_equal(text_at(w, at), HAFT__LIT("--"))) {
        at++;
    }
    mark_options_over(w, at + 1);
}

/* ---- options ---- */

static bool is_dashes(haft_str word)
{
    return haft__str_equal(word, HAFT__LIT("--"));
}

static bool is_option(haft_str word)
{
    return word.len > 1 && word.ptr[0] == '-' && !is_dashes(word);
}

static haft__word_risk option_risk(haft__option_effect effect)
{
    return effect == HAFT__OPTION_CODE     ? HAFT__WORD_CODE
           : effect == HAFT__OPTION_SCRIPT ? HAFT__WORD_PROGRAM
                                           : HAFT__WORD_OPTION;
}

/* An option that the table does not have may have a value: then the next word is not what it seems
 * to be. */
static void note_unknown_option(walk *w, size_t at, size_t reader)
{
    if (w->unsure_from == SIZE_MAX) {
        w->unsure_from = at;
        w->unsure_reader = reader;
    }
}

/* Marks the option at *at and its value, and moves to the last word of both. */
static haft__option_effect walk_option(walk *w, const haft__program *program, size_t reader,
                                       size_t *at)
{
    bool next = false;
    haft__option_effect effect = haft__program_option(program, text_at(w, *at), &next);
    bool data = effect == HAFT__OPTION_DATA;
    if (!data) {
        mark(w, *at, option_risk(effect), reader);
    }
    if (effect == HAFT__OPTION_UNKNOWN) {
        note_unknown_option(w, *at, reader);
    }
    if (next && *at + 1 < w->end) {
        ++*at;
        if (!data || w->words->items[*at].optional) { /* without it the next word is the value */
            mark(w, *at, option_risk(effect), reader);
        }
    }
    return effect;
}

/* ---- text ---- */

/* A program whose words are data, except values of options with code. */
static void walk_text(walk *w, const haft__program *program, size_t reader, size_t at, bool unsure)
{
    for (; at < w->end && !is_dashes(text_at(w, at)); at++) {
        bool next = false;
        haft_str word = text_at(w, at);
        if (!is_option(word) || haft__program_option(program, word, &next) != HAFT__OPTION_CODE) {
            continue;
        }
        mark_as(w, at, HAFT__WORD_CODE, reader, unsure || w->guess);
        if (next && at + 1 < w->end) {
            mark_as(w, ++at, HAFT__WORD_CODE, reader, unsure || w->guess);
        }
    }
}

/* Takes every word that names a program of the table for that program. */
static void guess_programs(walk *w, size_t at)
{
    walk guess = *w;
    guess.guess = true;
    for (; at < w->end && !w->guess; at++) {
        const haft__program *row = NULL;
        for (size_t i = 0; (row = haft__program_at(i)) != NULL; i++) {
            if (row->kind != HAFT__PROGRAM_TEXT && haft__program_has_name(row, text_at(w, at))) {
                guess.common = (row->flags & HAFT__PROGRAM_COMMON) != 0;
                for (size_t next = at; next < guess.end;) {
                    next = walk_program(&guess, next);
                }
                break;
            }
        }
    }
}

/* A program that is not in the table. "--" and then a fixed word may start another program. */
static void walk_unknown(walk *w, size_t reader)
{
    size_t at = reader + 1;
    walk_text(w, &haft__program_unknown, reader, at, true);
    guess_programs(w, at);
    while (at < w->end && !is_dashes(text_at(w, at))) {
        at++;
    }
    if (at + 1 < w->end && w->words->items[at + 1].argument.ptr != NULL) {
        mark_options_over(w, at + 1);
    }
}

/* ---- launchers ---- */

static bool is_assignment(const haft__program *program, haft_str word)
{
    return (program->flags & HAFT__PROGRAM_ASSIGNS) != 0 && word.len > 0
           && memchr(word.ptr, '=', word.len) != NULL;
}

/* Returns the word of the program that it starts, or the end. */
static size_t walk_launcher(walk *w, const haft__program *program, size_t reader, size_t at)
{
    size_t operands = program->operands;
    bool over = false, joins = program->kind == HAFT__PROGRAM_JOINER;
    for (; at < w->end; at++) {
        haft_str word = text_at(w, at);
        if (!over && is_dashes(word)) {
            over = true;
        } else if (!over && is_option(word)) {
            joins = walk_option(w, program, reader, &at) != HAFT__OPTION_DIRECT && joins;
        } else if (is_assignment(program, word) || haft__str_equal(word, HAFT__LIT("-"))) {
            mark(w, at, HAFT__WORD_OPTION, reader);
        } else if (operands > 0) {
            operands--;
            mark(w, at, HAFT__WORD_OPTION, reader);
        } else {
            break;
        }
    }
    if ((program->flags & HAFT__PROGRAM_FEEDS) != 0 && w->feeder == SIZE_MAX) {
        w->feeder = reader;
    } else if (at == w->end && w->feeder != SIZE_MAX) {
        mark_stdin(w, w->feeder);
    }
    if (joins) {
        mark_all(w, at, HAFT__WORD_CODE, reader);
    }
    if (joins && at == w->end) {
        mark_stdin(w, reader);
    }
    return at;
}

/* ---- interpreters ---- */

/* Whether an option gives the code, so that no operand is code. */
static bool has_code_option(const walk *w, const haft__program *program, size_t at)
{
    for (; at < w->end && !is_dashes(text_at(w, at)); at++) {
        bool next = false;
        haft__option_effect effect = is_option(text_at(w, at))
                                         ? haft__program_option(program, text_at(w, at), &next)
                                         : HAFT__OPTION_FLAG;
        if (effect == HAFT__OPTION_CODE || effect == HAFT__OPTION_SCRIPT) {
            return true;
        }
        at += next;
    }
    return false;
}

typedef struct reading {
    const haft__program *program;
    size_t reader, operands;
    haft__word_risk first; /* what the first operand is, after `operands` others */
    bool given;            /* code or script have come */
    bool operand;          /* ... as an operand */
    bool over;             /* "--" has come */
} reading;

static void read_operand(walk *w, reading *r, size_t at)
{
    haft__command_word *word = &w->words->items[at];
    if (r->operands > 0) {
        r->operands--;
        if (word->optional) { /* without it the next word is this one */
            mark(w, at, HAFT__WORD_OPTION, r->reader);
        }
    } else if (!r->given) {
        r->given = r->operand = true;
        mark(w, at, r->first, r->reader);
        word->code = word->code || (!w->guess && r->first == HAFT__WORD_CODE);
        if (haft__str_equal(word->text, HAFT__LIT("-"))) {
            mark_stdin(w, r->reader);
        }
    }
}

/* Returns false when the words that follow are data. */
static bool read_word(walk *w, reading *r, size_t *at)
{
    bool mixes = (r->program->flags & HAFT__PROGRAM_MIXES) != 0;
    haft_str word = text_at(w, *at);
    if (r->operand && !mixes) {
        return false;
    }
    if (!r->over && is_dashes(word)) {
        r->over = true;
        return true;
    }
    if (r->over || !is_option(word)) {
        bool data = r->given && r->operands == 0 && !mixes;
        if (!data) {
            read_operand(w, r, *at);
        }
        return !data;
    }
    haft__option_effect effect = walk_option(w, r->program, r->reader, at);
    bool code = effect == HAFT__OPTION_CODE || effect == HAFT__OPTION_SCRIPT;
    if (effect == HAFT__OPTION_STDIN) {
        mark_stdin(w, r->reader);
    }
    r->given = r->given || code || effect == HAFT__OPTION_STDIN;
    r->first = effect == HAFT__OPTION_OPERAND ? HAFT__WORD_CODE : r->first;
    return !code || (r->program->flags & HAFT__PROGRAM_STOPS) == 0;
}

static void walk_interpreter(walk *w, const haft__program *program, size_t reader, size_t at)
{
    bool evaluates = program->kind == HAFT__PROGRAM_EVALUATOR;
    reading r = {.program = program,
                 .reader = reader,
                 .operands = program->operands,
                 .first = evaluates ? HAFT__WORD_CODE : HAFT__WORD_PROGRAM,
                 .given = evaluates && has_code_option(w, program, at)};
    size_t from = at;
    while (at < w->end && read_word(w, &r, &at)) {
        at++;
    }
    if (r.over && (!r.operand || (program->flags & HAFT__PROGRAM_MIXES) != 0)) {
        mark_after_dashes(w, from);
    } else {
        mark_after_dashes(w, at);
    }
    if (w->feeder != SIZE_MAX) {
        mark_stdin(w, w->feeder);
    } else if (!r.given) {
        mark_stdin(w, reader);
    }
}

/* ---- find ---- */

static bool starts_program(haft_str word)
{
    static const char *const names[] = {"-exec", "-execdir", "-ok", "-okdir"};
    for (size_t i = 0; i < COUNT(names); i++) {
        if (haft__str_equal(word, haft__str(names[i]))) {
            return true;
        }
    }
    return false;
}

/* "--" does not protect what follows it: find reads an expression there too. */
static void walk_find(walk *w, size_t at)
{
    for (; at < w->end; at++) {
        if (!starts_program(text_at(w, at)) || at + 1 == w->end) {
            continue;
        }
        walk part = *w;
        size_t begin = ++at;
        while (at < w->end && !haft__str_equal(text_at(w, at), HAFT__LIT(";"))
               && !haft__str_equal(text_at(w, at), HAFT__LIT("+"))) {
            at++;
        }
        part.end = at;
        size_t next = begin;
        while (next < part.end) {
            next = walk_program(&part, next);
        }
        w->unsure_from = part.unsure_from;
        w->unsure_reader = part.unsure_reader;
    }
}

/* ---- programs ---- */

/* Whether the words after the program are the subcommand of the row. *ret_next is set to the word
 * after it. */
static bool has_subcommand(const walk *w, const haft__program *program, size_t at, size_t *ret_next)
{
    haft_str rest = haft__str(program->subcommand != NULL ? program->subcommand : "");
    while (rest.len > 0 && at < w->end) {
        bool next = false;
        if (is_option(text_at(w, at))) {
            (void)haft__program_option(program, text_at(w, at), &next);
            at += next ? 2 : 1;
            continue;
        }
        if (!haft__str_equal(text_at(w, at), haft__str_split(&rest, ' '))) {
            return false;
        }
        at++;
    }
    *ret_next = at;
    return rest.len == 0;
}

/* The row for the program at `at`; NULL if the table has none. */
static const haft__program *find_program(walk *w, size_t at, size_t *ret_next)
{
    const haft__program *row = NULL;
    bool has_rows = false;
    for (size_t i = 0; (row = haft__program_at(i)) != NULL; i++) {
        if (!haft__program_has_name(row, text_at(w, at))) {
            continue;
        }
        has_rows = true;
        if (has_subcommand(w, row, at + 1, ret_next)) {
            for (size_t k = at + 1; k < *ret_next; k++) {
                mark(w, k, HAFT__WORD_OPTION, at);
            }
            return row;
        }
    }
    if (has_rows && at + 1 < w->end) { /* it could choose a subcommand that starts a program */
        mark(w, at + 1, HAFT__WORD_OPTION, at);
    }
    return NULL;
}

/* Walks through one program and its words. Returns the word of the program that it starts, or the
 * end. */
static size_t walk_program(walk *w, size_t at)
{
    size_t next = at + 1;
    mark(w, at, HAFT__WORD_PROGRAM, at);
    const haft__program *program = find_program(w, at, &next);
    if (program == NULL) {
        walk_unknown(w, at);
        return w->end;
    }
    if ((program->flags & HAFT__PROGRAM_STDIN) != 0) {
        mark_stdin(w, at);
    }
    switch (program->kind) {
    case HAFT__PROGRAM_LAUNCHER:
    case HAFT__PROGRAM_JOINER: return walk_launcher(w, program, at, next);
    case HAFT__PROGRAM_INTERPRETER:
    case HAFT__PROGRAM_EVALUATOR: walk_interpreter(w, program, at, next); return w->end;
    case HAFT__PROGRAM_CODE: mark_all(w, next, HAFT__WORD_CODE, at); return w->end;
    case HAFT__PROGRAM_FIND: walk_find(w, next); return w->end;
    case HAFT__PROGRAM_TEXT:
        walk_text(w, program, at, next, false);
        mark_after_dashes(w, next);
        return w->end;
    }
    HAFT__UNREACHABLE();
}

static void walk_words(haft__command_words *words)
{
    walk w = {.words = words, .end = words->count, .feeder = SIZE_MAX, .unsure_from = SIZE_MAX};
    size_t at = 0;
    while (at < w.end) {
        at = walk_program(&w, at);
    }
    if (w.unsure_from == SIZE_MAX) {
        return;
    }
    guess_programs(&w, w.unsure_from + 1);
    for (at = w.unsure_from + 1; at < w.end; at++) {
        mark_as(&w, at, HAFT__WORD_PROGRAM, w.unsure_reader, true);
    }
}

/* ---- words ---- */

static bool is_required(haft__json input_schema, haft_str name)
{
    const haft__json *required = haft__json_get(input_schema, HAFT__LIT("required"));
    for (uint32_t i = 0;
         required != NULL && required->kind == HAFT__JSON_ARRAY && i < required->count; i++) {
        if (haft__str_equal(haft__json_text(required->items[i]), name)) {
            return true;
        }
    }
    return false;
}

static haft__command_word read_template(haft_str text, haft__json input_schema)
{
    haft__command_word word = {.text = text};
    haft__template_piece piece;
    haft_str rest = text;
    while (word.argument.ptr == NULL && haft__template_next(&rest, &piece)) {
        if (piece.name.ptr != NULL && haft__template_has_argument(input_schema, piece.name)) {
            word.argument = piece.name;
            word.optional = piece.text.len == text.len && !is_required(input_schema, piece.name);
        }
    }
    return word;
}

haft_status haft__command_words_read(haft__arena *arena, haft__json command,
                                     haft__json input_schema, haft__command_words *ret_words,
                                     haft_error *err)
{
    haft__command_words words = {.count = command.count, .stdin_reader = command.count};
    words.items = haft__arena_array(arena, words.count, sizeof(*words.items));
    if (words.items == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < words.count; i++) {
        words.items[i] = read_template(haft__json_text(command.items[i]), input_schema);
    }
    walk_words(&words);
    *ret_words = words;
    return HAFT_OK;
}
