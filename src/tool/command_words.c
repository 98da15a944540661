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
#include "tool/absent_words.h"
#include "tool/programs.h"
#include "tool/template.h"

typedef struct walk {
    haft__command_words *words;
    size_t end;
    bool guess;         /* the program that reads the words is not known */
    bool common;        /* ... and the name of this one is a common word */
    bool warns;         /* code is a warning (HAFT__PROGRAM_WARNS) */
    bool replaces;      /* the words from standard input may be anywhere: xargs -I */
    bool elsewhere;     /* programs start on another machine, or in another PATH or directory */
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
    if (word->argument.ptr == NULL || (unsure && word->bounded)
        || (word->risk != HAFT__WORD_DATA && (!word->unsure || unsure))) {
        return;
    }
    word->risk = risk;
    word->unsure = unsure;
    word->reader = reader;
}

static void mark(walk *w, size_t at, haft__word_risk risk, size_t reader)
{
    bool code = risk == HAFT__WORD_CODE;
    mark_as(w, at, risk, reader, (w->guess && (!code || w->common)) || (code && w->warns));
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

/* ---- options ---- */

/* The first "--" from `at` on, or the end. */
static size_t find_dashes(const walk *w, size_t at)
{
    while (at < w->end && !haft__word_is_dashes(text_at(w, at))) {
        at++;
    }
    return at;
}

/* Also "+x" of a shell. */
static bool is_option_of(const haft__program *program, haft_str word)
{
    bool plus = (program->flags & HAFT__PROGRAM_PLUS) != 0 && word.len > 0 && word.ptr[0] == '+';
    return plus || haft__word_is_option(word);
}

/* "-" alone ends the options of a shell. */
static bool ends_options(const haft__program *program, haft_str word)
{
    return haft__word_is_dashes(word)
           || ((program->flags & HAFT__PROGRAM_PLUS) != 0 && haft__str_equal(word, HAFT__LIT("-")));
}

/* Whether the word names standard input as a file. With `option` it is an option with its value. */
static bool names_stdin(haft_str word, bool option)
{
    return haft__str_equal(word, HAFT__LIT("-")) || haft__str_ends_with(word, HAFT__LIT("/stdin"))
           || haft__str_ends_with(word, HAFT__LIT("/fd/0"))
           || (option && word.len > 2 && haft__str_ends_with(word, HAFT__LIT("-")));
}

static haft__word_risk option_risk(haft__option_effect effect)
{
    return effect == HAFT__OPTION_CODE     ? HAFT__WORD_CODE
           : effect == HAFT__OPTION_SCRIPT ? HAFT__WORD_PROGRAM
                                           : HAFT__WORD_OPTION;
}

/* Notes whether the option takes the next word. The value of "-xf" cannot be left out with it: x
 * would be left out too. */
static void note_next(walk *w, const haft__program *program, size_t at)
{
    haft__command_word *word = &w->words->items[at];
    bool next = false;
    if (w->guess || program == &haft__program_unknown || !haft__word_is_option(word->fixed)) {
        return;
    }
    bool one = word->fixed.len == 2 || haft__str_starts_with(word->fixed, HAFT__LIT("--"))
               || (program->flags & HAFT__PROGRAM_LONG) != 0;
    haft__option_effect effect = haft__program_option(program, word->fixed, &next);
    if (effect == HAFT__OPTION_UNKNOWN) {
        bool harmless = (program->flags & HAFT__PROGRAM_HARMLESS) != 0;
        word->next = harmless ? HAFT__NEXT_HARMLESS : HAFT__NEXT_UNSURE;
    } else if (!next) {
        word->next = HAFT__NEXT_NO;
    } else if (one && effect != HAFT__OPTION_PAIR) {
        word->next = HAFT__NEXT_VALUE;
    }
}

/* The option of the value at `at` is not left out with it. */
static void note_needed(walk *w, size_t at)
{
    if (!w->guess && w->words->items[at].alone) {
        w->words->items[at].absence = HAFT__ABSENT_UNSURE;
    }
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
    bool pair = effect == HAFT__OPTION_PAIR, data = pair || effect == HAFT__OPTION_DATA;
    note_next(w, program, *at);
    bool left_out = w->words->items[*at].next == HAFT__NEXT_VALUE; /* without its value */
    if (!data) {
        mark(w, *at, option_risk(effect), reader);
    }
    if (effect == HAFT__OPTION_UNKNOWN) {
        note_unknown_option(w, *at, reader);
    }
    for (size_t values = next + (next && pair); values > 0 && *at + 1 < w->end; values--) {
        ++*at;
        if (!left_out) {
            note_needed(w, *at);
        }
        /* an option that is not left out would take the next word */
        if (!data || (!left_out && w->words->items[*at].optional)) {
            mark(w, *at, option_risk(effect), reader);
        }
    }
    if ((effect == HAFT__OPTION_SCRIPT || effect == HAFT__OPTION_VALUE)
        && names_stdin(text_at(w, *at), !next)) {
        mark_stdin(w, reader);
    }
    return effect;
}

/* ---- text ---- */

/* Marks an option that is not known to be harmless, and its value. */
static void mark_text_option(walk *w, size_t reader, size_t at, haft__option_effect effect,
                             bool unsure, bool next)
{
    haft__word_risk risk = effect == HAFT__OPTION_CODE     ? HAFT__WORD_CODE
                           : effect == HAFT__OPTION_SCRIPT ? HAFT__WORD_PROGRAM
                                                           : HAFT__WORD_VALUE;
    unsure = unsure || w->guess || effect != HAFT__OPTION_CODE;
    mark_as(w, at, risk, reader, unsure);
    if (next && at + 1 < w->end) {
        mark_as(w, ++at, risk, reader, unsure);
    }
    if (effect == HAFT__OPTION_SCRIPT && names_stdin(text_at(w, at), !next)) {
        mark_stdin(w, reader);
    }
}

/* Returns the last word of the option. *ret_guessed: whether the next one is its value is not
 * known. */
static size_t walk_text_option(walk *w, const haft__program *program, size_t reader, size_t at,
                               bool *ret_guessed)
{
    bool next = false;
    haft_str word = text_at(w, at);
    haft__option_effect effect = haft__program_option(program, word, &next);
    note_next(w, program, at);
    bool harmless = (program->flags & HAFT__PROGRAM_HARMLESS) != 0;
    *ret_guessed =
        effect == HAFT__OPTION_UNKNOWN && memchr(word.ptr, '=', word.len) == NULL && !harmless;
    if (!harmless && effect != HAFT__OPTION_FLAG && effect != HAFT__OPTION_DATA) {
        mark_text_option(w, reader, at, effect, program == &haft__program_unknown,
                         next || *ret_guessed);
    }
    return at + next;
}

/* "xfI" of tar: options whose values are the next words, in this order. Returns the next word. */
static size_t walk_bundle(walk *w, const haft__program *program, size_t reader, size_t at)
{
    haft_str letters = text_at(w, at);
    mark(w, at, HAFT__WORD_OPTION, reader);
    at++;
    for (size_t i = 0; i < letters.len && at < w->end; i++) {
        haft__option_effect effect = haft__program_letter(program, letters.ptr[i]);
        for (size_t k = at; effect == HAFT__OPTION_UNKNOWN && k < w->end; k++) {
            mark_as(w, k, HAFT__WORD_VALUE, reader, true);
        }
        if (haft__option_has_value(effect) && effect != HAFT__OPTION_DATA) {
            mark_text_option(w, reader, at, effect, false, false);
        }
        if (effect == HAFT__OPTION_UNKNOWN || haft__option_has_value(effect)) {
            note_needed(w, at);
        }
        at += haft__option_has_value(effect);
    }
    return at;
}

/* A program whose operands are data. After "--" there are only operands, but an unknown program may
 * pass them to another one. Returns the "--" of a known program, or the end. */
static size_t walk_text(walk *w, const haft__program *program, size_t reader, size_t at)
{
    bool known = program != &haft__program_unknown, guessed = false;
    bool subcommand = (program->flags & HAFT__PROGRAM_SUBCOMMAND) != 0;
    if ((program->flags & HAFT__PROGRAM_BUNDLE) != 0 && at < w->end && text_at(w, at).len > 0
        && text_at(w, at).ptr[0] != '-') {
        at = walk_bundle(w, program, reader, at);
    }
    for (; at < w->end && !(known && haft__word_is_dashes(text_at(w, at))); at++) {
        if (haft__word_is_option(text_at(w, at))) {
            at = walk_text_option(w, program, reader, at, &guessed);
            continue;
        }
        if (subcommand) {
            mark_as(w, at, HAFT__WORD_SUBCOMMAND, reader, true);
        }
        subcommand = subcommand && guessed; /* it may be the value of an option */
        guessed = false;
    }
    return at;
}

/* A program of the table. */
static void walk_known_text(walk *w, const haft__program *program, size_t reader, size_t at)
{
    mark_options_over(w, walk_text(w, program, reader, at) + 1);
    for (; at < w->end && (program->flags & HAFT__PROGRAM_WARNS) != 0; at++) {
        mark_as(w, at, HAFT__WORD_CODE, reader, true);
    }
}

/* A program all of whose words may be code. */
static void walk_code(walk *w, size_t reader, size_t at)
{
    mark_all(w, at, HAFT__WORD_CODE, reader);
    for (; at < w->end; at++) {
        if (names_stdin(text_at(w, at), haft__word_is_option(text_at(w, at)))) {
            mark_stdin(w, reader);
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

/* A program that is not in the table, or a script. "--" and then a fixed word may start another
 * program, also if words between them are left out. */
static void walk_unknown(walk *w, size_t reader, size_t at)
{
    (void)walk_text(w, &haft__program_unknown, reader, at);
    guess_programs(w, at);
    at = find_dashes(w, at) + 1;
    size_t first = at;
    while (first < w->end && w->words->items[first].optional) {
        first++;
    }
    if (first >= w->end || w->words->items[first].argument.ptr != NULL) {
        mark_options_over(w, at);
    }
}

/* ---- launchers ---- */

static bool is_assignment(const haft__program *program, haft_str word)
{
    return (program->flags & HAFT__PROGRAM_ASSIGNS) != 0 && word.len > 0
           && memchr(word.ptr, '=', word.len) != NULL;
}

/* Whether the launcher puts words from standard input elsewhere than at the end: xargs -I. */
static bool has_replacement(const walk *w, size_t at, size_t end)
{
    static const char *const names[] = {"-I", "-i", "-J", "--r", "--i"};
    for (; at < end; at++) {
        for (size_t i = 0; i < COUNT(names); i++) {
            if (haft__str_starts_with(text_at(w, at), haft__str(names[i]))) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the program at `at` may be started elsewhere than the launcher at `reader`. `env` may
 * change the PATH and the directory. */
static bool leads_elsewhere(const walk *w, const haft__program *program, size_t reader, size_t at)
{
    bool elsewhere = (program->flags & HAFT__PROGRAM_HERE) == 0 || w->unsure_from != SIZE_MAX;
    for (size_t i = reader + 1; i < at && (program->flags & HAFT__PROGRAM_ASSIGNS) != 0; i++) {
        elsewhere = elsewhere || text_at(w, i).len == 0 || text_at(w, i).ptr[0] == '-'
                    || haft__str_starts_with(text_at(w, i), HAFT__LIT("PATH="));
    }
    return elsewhere;
}

/* `at` is the program that gets words from standard input. They are read as the word past the last
 * one. */
static void feed(walk *w, const haft__program *program, size_t reader, size_t at)
{
    bool given = false; /* parallel ::: a b */
    for (size_t i = at; i < w->end && program->kind == HAFT__PROGRAM_JOINER; i++) {
        given = given || haft__str_starts_with(text_at(w, i), HAFT__LIT(":::"));
    }
    if (w->guess || w->feeder != SIZE_MAX || at == w->end || given) {
        return;
    }
    w->feeder = reader;
    w->replaces = has_replacement(w, reader + 1, at);
    if (w->end == w->words->count) {
        w->end++;
    } else { /* find -exec xargs */
        mark_stdin(w, reader);
    }
}

/* The verdict on the words from standard input. */
static void judge_fed_words(walk *w)
{
    const haft__command_word *fed = &w->words->items[w->words->count];
    if (fed->risk != HAFT__WORD_DATA && fed->risk != HAFT__WORD_VALUE) {
        mark_stdin(w, w->feeder);
    } else if (!fed->options_over || w->replaces) {
        w->words->stdin_words = w->feeder;
    }
}

/* Returns the word of the program that it starts, or the end. */
static size_t walk_launcher(walk *w, const haft__program *program, size_t reader, size_t at)
{
    size_t operands = program->operands;
    bool over = false, joins = program->kind == HAFT__PROGRAM_JOINER;
    for (; at < w->end; at++) {
        haft_str word = text_at(w, at);
        if (!over && haft__word_is_dashes(word)) {
            over = true;
        } else if (!over && haft__word_is_option(word)) {
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
    w->elsewhere = w->elsewhere || leads_elsewhere(w, program, reader, at);
    if ((program->flags & HAFT__PROGRAM_FEEDS) != 0) {
        feed(w, program, reader, at);
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
    for (; at < w->end && !haft__word_is_dashes(text_at(w, at)); at++) {
        bool next = false;
        haft__option_effect effect = is_option_of(program, text_at(w, at))
                                         ? haft__program_option(program, text_at(w, at), &next)
                                         : HAFT__OPTION_FLAG;
        if (effect == HAFT__OPTION_CODE || effect == HAFT__OPTION_SCRIPT) {
            return true;
        }
        at += next + (next && effect == HAFT__OPTION_PAIR);
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
    size_t dashes;         /* ... here */
    size_t script;         /* the word of the script; 0: none */
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
        r->script = r->first == HAFT__WORD_PROGRAM ? at : 0;
        if (names_stdin(word->text, false)) {
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
    if (!r->over && ends_options(r->program, word)) {
        r->over = true;
        r->dashes = *at;
        return true;
    }
    if (r->over || !is_option_of(r->program, word)) {
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
    r->script = effect == HAFT__OPTION_SCRIPT ? *at : r->script;
    r->given = r->given || code || effect == HAFT__OPTION_STDIN;
    r->first = effect == HAFT__OPTION_OPERAND ? HAFT__WORD_CODE : r->first;
    return !code || (r->program->flags & HAFT__PROGRAM_STOPS) == 0;
}

/* Whether perl opens its operands: with -n, -p, -a, -F, or with <> in its code. Other options with
 * these letters count too. */
static bool opens_operands(const walk *w, size_t at, size_t end)
{
    for (; at < end; at++) {
        haft_str word = text_at(w, at);
        const char *letters = haft__word_is_option(word) ? "npaF<"
                              : w->words->items[at].code ? "<"
                                                         : "";
        for (size_t i = 0; i < word.len; i++) {
            if (word.ptr[i] != '\0' && strchr(letters, word.ptr[i]) != NULL) {
                return true;
            }
        }
    }
    return false;
}

/* The words from `at` on are those of the script, or of the code. */
static void walk_script(walk *w, const reading *r, size_t at)
{
    bool mixes = (r->program->flags & HAFT__PROGRAM_MIXES) != 0;
    if (r->script > 0 && r->program->kind == HAFT__PROGRAM_INTERPRETER && !mixes) {
        walk_unknown(w, r->script, at > r->script ? at : r->script + 1);
    }
    if ((r->program->flags & HAFT__PROGRAM_OPENS) != 0 && opens_operands(w, r->reader + 1, at)) {
        for (; at < w->end; at++) {
            mark_as(w, at, HAFT__WORD_PROGRAM, r->reader, true);
        }
    }
}

/* If the interpreter evaluates a word, its other words are arguments of that code. */
static void mark_passed(walk *w, size_t reader)
{
    bool code = false;
    for (size_t at = reader + 1; at < w->end; at++) {
        code = code || w->words->items[at].code;
    }
    for (size_t at = reader + 1; code && at < w->end; at++) {
        haft__command_word *word = &w->words->items[at];
        word->passed = word->argument.ptr != NULL && word->risk == HAFT__WORD_DATA;
        word->reader = word->passed ? reader : word->reader;
    }
}

static void walk_interpreter(walk *w, const haft__program *program, size_t reader, size_t at)
{
    bool evaluates = program->kind == HAFT__PROGRAM_EVALUATOR;
    reading r = {.program = program,
                 .reader = reader,
                 .operands = program->operands,
                 .first = evaluates ? HAFT__WORD_CODE : HAFT__WORD_PROGRAM,
                 .given = evaluates && has_code_option(w, program, at)};
    while (at < w->end && read_word(w, &r, &at)) {
        at++;
    }
    bool own = r.over && (!r.operand || (program->flags & HAFT__PROGRAM_MIXES) != 0);
    mark_options_over(w, (own ? r.dashes : find_dashes(w, at)) + 1);
    walk_script(w, &r, at);
    mark_passed(w, reader);
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
        part.elsewhere = part.elsewhere || haft__str_ends_with(text_at(w, at), HAFT__LIT("dir"));
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

/* Whether the word is one of "a|b|c". */
static bool is_one_of(haft_str word, haft_str names)
{
    while (names.len > 0) {
        if (haft__str_equal(word, haft__str_split(&names, '|'))) {
            return true;
        }
    }
    return false;
}

/* Whether the words after the program are the subcommand of the row. *ret_next is set to the word
 * after it. */
static bool has_subcommand(const walk *w, const haft__program *program, size_t at, size_t *ret_next)
{
    haft_str rest = haft__str(program->subcommand != NULL ? program->subcommand : "");
    while (rest.len > 0 && at < w->end) {
        bool next = false;
        if (haft__word_is_option(text_at(w, at))) {
            (void)haft__program_option(program, text_at(w, at), &next);
            at += next ? 2 : 1;
            continue;
        }
        if (!is_one_of(text_at(w, at), haft__str_split(&rest, ' '))) {
            return false;
        }
        at++;
    }
    *ret_next = at;
    return rest.len == 0;
}

/* The first operand could choose a subcommand of the row, which starts a program. */
static void mark_subcommand(walk *w, const haft__program *program, size_t reader)
{
    size_t at = reader + 1;
    while (at < w->end && haft__word_is_option(text_at(w, at))) {
        bool next = false;
        (void)haft__program_option(program, text_at(w, at), &next);
        at += next ? 2 : 1;
    }
    if (at < w->end) {
        mark(w, at, HAFT__WORD_OPTION, reader);
    }
}

/* The row for the program at `at`; NULL if the table has none. */
static const haft__program *find_program(walk *w, size_t at, size_t *ret_next)
{
    const haft__program *row = NULL, *starter = NULL;
    for (size_t i = 0; (row = haft__program_at(i)) != NULL; i++) {
        bool named = haft__program_has_name(row, text_at(w, at));
        if (named && has_subcommand(w, row, at + 1, ret_next)) {
            break;
        }
        if (named
            && (row->kind == HAFT__PROGRAM_LAUNCHER || row->kind == HAFT__PROGRAM_INTERPRETER)) {
            starter = row;
        }
    }
    if (starter != NULL && (row == NULL || row->subcommand == NULL)) {
        mark_subcommand(w, starter, at);
    }
    if (row != NULL && row->kind == HAFT__PROGRAM_TEXT) {
        *ret_next = at + 1;
    }
    for (size_t k = at + 1; row != NULL && k < *ret_next; k++) {
        mark(w, k, HAFT__WORD_OPTION, at);
    }
    return row;
}

static void note_reader(walk *w, size_t reader)
{
    for (size_t at = reader + 1; at < w->end && !w->guess; at++) {
        haft__command_word *word = &w->words->items[at];
        word->reader = word->risk == HAFT__WORD_DATA ? reader : word->reader;
    }
}

/* Walks through one program and its words. Returns the word of the program that it starts, or the
 * end. */
static size_t walk_program(walk *w, size_t at)
{
    size_t next = at + 1;
    mark(w, at, HAFT__WORD_PROGRAM, at);
    w->words->items[at].here = !w->guess && !w->elsewhere;
    const haft__program *program = find_program(w, at, &next);
    note_reader(w, at);
    if (program == NULL) {
        walk_unknown(w, at, at + 1);
        return w->end;
    }
    w->warns = (program->flags & HAFT__PROGRAM_WARNS) != 0;
    if ((program->flags & HAFT__PROGRAM_STDIN) != 0) {
        mark_stdin(w, at);
    }
    switch (program->kind) {
    case HAFT__PROGRAM_LAUNCHER:
    case HAFT__PROGRAM_JOINER: return walk_launcher(w, program, at, next);
    case HAFT__PROGRAM_INTERPRETER:
    case HAFT__PROGRAM_EVALUATOR: walk_interpreter(w, program, at, next); return w->end;
    case HAFT__PROGRAM_CODE: walk_code(w, at, next); return w->end;
    case HAFT__PROGRAM_FIND: walk_find(w, next); return w->end;
    case HAFT__PROGRAM_TEXT: walk_known_text(w, program, at, next); return w->end;
    }
    HAFT__UNREACHABLE();
}

/* An argument in the name of an option could be any option, whatever the program is. */
static void mark_option_names(walk *w)
{
    for (size_t at = 1; at < w->words->count; at++) {
        haft__command_word *word = &w->words->items[at];
        word->names_option = word->names_option && !word->options_over;
        if (word->names_option) {
            mark_as(w, at, HAFT__WORD_OPTION, word->reader, false);
        }
    }
}

static void walk_words(haft__command_words *words)
{
    walk w = {.words = words, .end = words->count, .feeder = SIZE_MAX, .unsure_from = SIZE_MAX};
    size_t at = 0;
    while (at < w.end) {
        at = walk_program(&w, at);
    }
    if (w.unsure_from != SIZE_MAX) {
        guess_programs(&w, w.unsure_from + 1);
        for (at = w.unsure_from + 1; at < w.end; at++) {
            mark_as(&w, at, HAFT__WORD_PROGRAM, w.unsure_reader, true);
        }
    }
    if (w.end > words->count) {
        judge_fed_words(&w);
    }
    mark_option_names(&w);
    haft__absent_words_judge(words);
}

/* ---- words ---- */

static const haft__json *schema_of(haft__json input_schema, haft_str name)
{
    const haft__json *properties = haft__json_get(input_schema, HAFT__LIT("properties"));
    return properties != NULL ? haft__json_get(*properties, name) : NULL;
}

/* Whether a call has the argument: a default is filled in. */
static bool is_present(haft__json input_schema, haft_str name)
{
    const haft__json *schema = schema_of(input_schema, name);
    if (schema != NULL && haft__json_get(*schema, HAFT__LIT("default")) != NULL) {
        return true;
    }
    const haft__json *required = haft__json_get(input_schema, HAFT__LIT("required"));
    for (uint32_t i = 0;
         required != NULL && required->kind == HAFT__JSON_ARRAY && i < required->count; i++) {
        if (haft__str_equal(haft__json_text(required->items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* Whether the schema leaves the model no free text. */
static bool is_bounded(haft__json input_schema, haft_str name)
{
    const haft__json *schema = schema_of(input_schema, name);
    const haft__json *type = schema != NULL ? haft__json_get(*schema, HAFT__LIT("type")) : NULL;
    haft_str text = type != NULL ? haft__json_text(*type) : HAFT__LIT("");
    return schema != NULL
           && (haft__json_get(*schema, HAFT__LIT("enum")) != NULL
               || is_one_of(text, HAFT__LIT("integer|number|boolean")));
}

/* Whether text that follows `before` in a word is part of the name of an option. */
static bool continues_name(haft_str before)
{
    return haft__str_equal(before, HAFT__LIT("-"))
           || (haft__str_starts_with(before, HAFT__LIT("--"))
               && memchr(before.ptr, '=', before.len) == NULL);
}

static haft__command_word read_template(haft_str text, haft__json input_schema)
{
    haft__command_word word = {.text = text, .fixed = text, .bounded = true};
    haft__template_piece piece;
    haft_str rest = text;
    while (haft__template_next(&rest, &piece)) {
        if (piece.name.ptr == NULL || !haft__template_has_argument(input_schema, piece.name)) {
            continue;
        }
        word.bounded = word.bounded && is_bounded(input_schema, piece.name);
        if (word.argument.ptr == NULL) {
            word.argument = piece.name;
            word.missable = !is_present(input_schema, piece.name);
            word.alone = piece.text.len == text.len;
            word.optional = word.alone && word.missable;
            word.fixed.len = (size_t)(piece.text.ptr - text.ptr);
            word.names_option = continues_name(word.fixed);
        }
    }
    word.names_option = word.names_option && !word.bounded;
    return word;
}

haft_status haft__command_words_read(haft__arena *arena, haft__json command,
                                     haft__json input_schema, haft__command_words *ret_words,
                                     haft_error *err)
{
    haft__command_words words = {
        .count = command.count, .stdin_reader = command.count, .stdin_words = command.count};
    words.items = haft__arena_array(arena, words.count + 1, sizeof(*words.items));
    if (words.items == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < words.count; i++) {
        words.items[i] = read_template(haft__json_text(command.items[i]), input_schema);
    }
    words.items[words.count] =
        (haft__command_word){.text = HAFT__LIT(""), .argument = HAFT__LIT("standard input")};
    walk_words(&words);
    *ret_words = words;
    return HAFT_OK;
}
