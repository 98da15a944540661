/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_walk.c - marks the words of a command that a program reads as options, code or text.
 * Tests: tests/tool/command_words_test.c.
 */
#include "base/str.h"
#include "tool/command_walk_int.h"

haft_str haft__walk_text_at(const haft__walk *w, size_t at)
{
    return w->words->items[at].text;
}

/* ---- marks ---- */

void haft__walk_mark_as(haft__walk *w, size_t at, haft__word_risk risk, size_t reader, bool unsure)
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

void haft__walk_mark(haft__walk *w, size_t at, haft__word_risk risk, size_t reader)
{
    bool code = risk == HAFT__WORD_CODE;
    haft__walk_mark_as(w, at, risk, reader,
                       (w->guess && (!code || w->common)) || (code && w->warns));
}

void haft__walk_mark_all(haft__walk *w, size_t at, haft__word_risk risk, size_t reader)
{
    for (; at < w->end; at++) {
        haft__walk_mark(w, at, risk, reader);
    }
}

void haft__walk_mark_stdin(haft__walk *w, size_t reader)
{
    if (!w->guess && w->words->stdin_reader == w->words->count) {
        w->words->stdin_reader = reader;
    }
}

void haft__walk_mark_after_dashes(haft__walk *w, size_t at)
{
    for (; at < w->end && !w->guess; at++) {
        w->words->items[at].after_dashes = true;
    }
}

/* ---- options ---- */

size_t haft__walk_find_dashes(const haft__walk *w, size_t at)
{
    while (at < w->end && !haft__word_is_dashes(haft__walk_text_at(w, at))) {
        at++;
    }
    return at;
}

bool haft__walk_is_option_of(const haft__program *program, haft_str word)
{
    bool plus = (program->flags & HAFT__PROGRAM_PLUS) != 0 && word.len > 0 && word.ptr[0] == '+';
    return plus || haft__word_is_option(word);
}

bool haft__walk_ends_options(const haft__program *program, haft_str word)
{
    return haft__word_is_dashes(word)
           || ((program->flags & HAFT__PROGRAM_PLUS) != 0 && haft__str_equal(word, HAFT__LIT("-")));
}

bool haft__walk_names_stdin(haft_str word, bool option)
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

/* Stores whether the option takes the next word. If the option is "-xf", it stays when its value is
 * missing, because x would be lost with it. */
static void note_next(haft__walk *w, const haft__program *program, size_t at)
{
    haft__command_word *word = &w->words->items[at];
    bool next = false;
    if (w->guess || program == &haft__program_unknown || !haft__word_is_option(word->fixed)) {
        return;
    }
    bool single = word->fixed.len == 2 || haft__str_starts_with(word->fixed, HAFT__LIT("--"))
                  || (program->flags & HAFT__PROGRAM_LONG) != 0;
    haft__option_effect effect = haft__program_option(program, word->fixed, &next);
    if (effect == HAFT__OPTION_UNKNOWN) {
        bool harmless = (program->flags & HAFT__PROGRAM_HARMLESS) != 0;
        word->next = harmless ? HAFT__NEXT_HARMLESS : HAFT__NEXT_UNSURE;
    } else if (!next) {
        word->next = HAFT__NEXT_NO;
    } else if (single && effect != HAFT__OPTION_PAIR) {
        word->next = HAFT__NEXT_VALUE;
    }
}

/* Marks the value at `at` as needed: its option stays when the value is missing. */
static void note_needed(haft__walk *w, size_t at)
{
    if (!w->guess && w->words->items[at].alone) {
        w->words->items[at].absence = HAFT__ABSENT_UNSURE;
    }
}

/* An unknown option may have a value. So the meaning of the words from here on is unsure. */
static void note_unknown_option(haft__walk *w, size_t at, size_t reader)
{
    if (w->unsure_from == SIZE_MAX) {
        w->unsure_from = at;
        w->unsure_reader = reader;
    }
}

haft__option_effect haft__walk_option(haft__walk *w, const haft__program *program, size_t reader,
                                      size_t *at)
{
    bool next = false;
    haft__option_effect effect = haft__program_option(program, haft__walk_text_at(w, *at), &next);
    bool pair = effect == HAFT__OPTION_PAIR, data = pair || effect == HAFT__OPTION_DATA;
    note_next(w, program, *at);
    bool left_out = w->words->items[*at].next == HAFT__NEXT_VALUE; /* if its value is missing */
    if (!data) {
        haft__walk_mark(w, *at, option_risk(effect), reader);
    }
    if (effect == HAFT__OPTION_UNKNOWN) {
        note_unknown_option(w, *at, reader);
    }
    for (size_t values = next + (next && pair); values > 0 && *at + 1 < w->end; values--) {
        ++*at;
        if (!left_out) {
            note_needed(w, *at);
        }
        /* without its value, an option that stays would take the next word */
        if (!data || (!left_out && w->words->items[*at].optional)) {
            haft__walk_mark(w, *at, option_risk(effect), reader);
        }
    }
    if ((effect == HAFT__OPTION_SCRIPT || effect == HAFT__OPTION_VALUE)
        && haft__walk_names_stdin(haft__walk_text_at(w, *at), !next)) {
        haft__walk_mark_stdin(w, reader);
    }
    return effect;
}

/* ---- text ---- */

/* Marks an option that is not known to be harmless, and its value. */
static void mark_text_option(haft__walk *w, size_t reader, size_t at, haft__option_effect effect,
                             bool unsure, bool next)
{
    haft__word_risk risk = effect == HAFT__OPTION_CODE     ? HAFT__WORD_CODE
                           : effect == HAFT__OPTION_SCRIPT ? HAFT__WORD_PROGRAM
                                                           : HAFT__WORD_VALUE;
    unsure = unsure || w->guess || effect != HAFT__OPTION_CODE;
    haft__walk_mark_as(w, at, risk, reader, unsure);
    if (next && at + 1 < w->end) {
        haft__walk_mark_as(w, ++at, risk, reader, unsure);
    }
    if (effect == HAFT__OPTION_SCRIPT && haft__walk_names_stdin(haft__walk_text_at(w, at), !next)) {
        haft__walk_mark_stdin(w, reader);
    }
}

/* Returns the last word of the option. *ret_guessed: it is unknown whether the next word is the
 * value of the option. */
static size_t walk_text_option(haft__walk *w, const haft__program *program, size_t reader,
                               size_t at, bool *ret_guessed)
{
    bool next = false;
    haft_str word = haft__walk_text_at(w, at);
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

/* Handles the first word of tar, "xfI": options whose values are the next words, in this order.
 * Returns the next word. */
static size_t walk_bundle(haft__walk *w, const haft__program *program, size_t reader, size_t at)
{
    haft_str letters = haft__walk_text_at(w, at);
    haft__walk_mark(w, at, HAFT__WORD_OPTION, reader);
    at++;
    for (size_t i = 0; i < letters.len && at < w->end; i++) {
        haft__option_effect effect = haft__program_letter(program, letters.ptr[i]);
        for (size_t k = at; effect == HAFT__OPTION_UNKNOWN && k < w->end; k++) {
            haft__walk_mark_as(w, k, HAFT__WORD_VALUE, reader, true);
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

/* Walks through a program whose operands are data. After "--" all words are operands, but an
 * unknown program may pass them to another program. Returns the "--" of a known program, or the
 * end. */
static size_t walk_text(haft__walk *w, const haft__program *program, size_t reader, size_t at)
{
    bool known = program != &haft__program_unknown, guessed = false;
    bool subcommand = (program->flags & HAFT__PROGRAM_SUBCOMMAND) != 0;
    if ((program->flags & HAFT__PROGRAM_BUNDLE) != 0 && at < w->end
        && haft__walk_text_at(w, at).len > 0 && haft__walk_text_at(w, at).ptr[0] != '-') {
        at = walk_bundle(w, program, reader, at);
    }
    for (; at < w->end && !(known && haft__word_is_dashes(haft__walk_text_at(w, at))); at++) {
        if (haft__word_is_option(haft__walk_text_at(w, at))) {
            at = walk_text_option(w, program, reader, at, &guessed);
            continue;
        }
        if (subcommand) {
            haft__walk_mark_as(w, at, HAFT__WORD_SUBCOMMAND, reader, true);
        }
        subcommand = subcommand && guessed; /* this word may be the value of an option */
        guessed = false;
    }
    return at;
}

void haft__walk_text_program(haft__walk *w, const haft__program *program, size_t reader, size_t at)
{
    haft__walk_mark_after_dashes(w, walk_text(w, program, reader, at) + 1);
    for (; at < w->end && (program->flags & HAFT__PROGRAM_WARNS) != 0; at++) {
        haft__walk_mark_as(w, at, HAFT__WORD_CODE, reader, true);
    }
}

void haft__walk_code_program(haft__walk *w, size_t reader, size_t at)
{
    haft__walk_mark_all(w, at, HAFT__WORD_CODE, reader);
    for (; at < w->end; at++) {
        if (haft__walk_names_stdin(haft__walk_text_at(w, at),
                                   haft__word_is_option(haft__walk_text_at(w, at)))) {
            haft__walk_mark_stdin(w, reader);
        }
    }
}

void haft__walk_guess_programs(haft__walk *w, size_t at)
{
    haft__walk guess = *w;
    guess.guess = true;
    for (; at < w->end && !w->guess; at++) {
        const haft__program *row = NULL;
        for (size_t i = 0; (row = haft__program_at(i)) != NULL; i++) {
            if (row->kind != HAFT__PROGRAM_TEXT
                && haft__program_has_name(row, haft__walk_text_at(w, at))) {
                guess.common = (row->flags & HAFT__PROGRAM_COMMON) != 0;
                for (size_t next = at; next < guess.end;) {
                    next = haft__walk_program(&guess, next);
                }
                break;
            }
        }
    }
}

/* Whether a word names a shell, whose code may get a "--" after it as a parameter. */
static bool names_shell(const haft__walk *w, size_t at, size_t end)
{
    for (; at < end; at++) {
        const haft__program *row = NULL;
        for (size_t i = 0; (row = haft__program_at(i)) != NULL; i++) {
            if ((row->flags & HAFT__PROGRAM_PLUS) != 0
                && haft__program_has_name(row, haft__walk_text_at(w, at))) {
                return true;
            }
        }
    }
    return false;
}

void haft__walk_unknown_program(haft__walk *w, size_t reader, size_t at)
{
    (void)walk_text(w, &haft__program_unknown, reader, at);
    haft__walk_guess_programs(w, at);
    size_t dashes = haft__walk_find_dashes(w, at);
    if (names_shell(w, at, dashes)) {
        return;
    }
    at = dashes + 1;
    size_t first = at;
    while (first < w->end && w->words->items[first].optional) {
        first++;
    }
    if (first >= w->end || w->words->items[first].argument.ptr != NULL) {
        haft__walk_mark_after_dashes(w, at);
    }
}
