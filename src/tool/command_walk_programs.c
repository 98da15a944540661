/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_walk_programs.c - follows the programs of a command: launchers, interpreters, find.
 * Tests: tests/tool/command_words_test.c.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "tool/absent_words.h"
#include "tool/command_walk_int.h"

/* ---- launchers ---- */

static bool is_assignment(const haft__program *program, haft_str word)
{
    return (program->flags & HAFT__PROGRAM_ASSIGNS) != 0 && word.len > 0
           && memchr(word.ptr, '=', word.len) != NULL;
}

/* Whether the launcher inserts words from standard input at another position than the end: xargs
 * -I. */
static bool has_replacement(const haft__walk *w, size_t at, size_t end)
{
    static const char *const names[] = {"-I", "-i", "-J", "--r", "--i"};
    for (; at < end; at++) {
        for (size_t i = 0; i < COUNT(names); i++) {
            if (haft__str_starts_with(haft__walk_text_at(w, at), haft__str(names[i]))) {
                return true;
            }
        }
    }
    return false;
}

/* Whether the program at `at` may be started in another environment (machine, PATH, directory) than
 * the launcher at `reader`. `env` may change the PATH and the directory. */
static bool leads_elsewhere(const haft__walk *w, const haft__program *program, size_t reader,
                            size_t at)
{
    bool elsewhere = (program->flags & HAFT__PROGRAM_HERE) == 0 || w->unsure_from != SIZE_MAX;
    for (size_t i = reader + 1; i < at && (program->flags & HAFT__PROGRAM_ASSIGNS) != 0; i++) {
        elsewhere = elsewhere || haft__walk_text_at(w, i).len == 0
                    || haft__walk_text_at(w, i).ptr[0] == '-'
                    || haft__str_starts_with(haft__walk_text_at(w, i), HAFT__LIT("PATH="));
    }
    return elsewhere;
}

/* Stores that the program at `at` gets words from standard input. They are represented by one word
 * after the last word. */
static void feed(haft__walk *w, const haft__program *program, size_t reader, size_t at)
{
    bool words_given = false; /* parallel ::: a b */
    for (size_t i = at; i < w->end && program->kind == HAFT__PROGRAM_JOINER; i++) {
        words_given =
            words_given || haft__str_starts_with(haft__walk_text_at(w, i), HAFT__LIT(":::"));
    }
    if (w->guess || w->feeder != SIZE_MAX || at == w->end || words_given) {
        return;
    }
    w->feeder = reader;
    w->replaces = has_replacement(w, reader + 1, at);
    if (w->end == w->words->count) {
        w->end++;
    } else { /* find -exec xargs */
        haft__walk_mark_stdin(w, reader);
    }
}

/* Judges the words from standard input. */
static void judge_fed_words(haft__walk *w)
{
    const haft__command_word *fed = &w->words->items[w->words->count];
    if (fed->risk != HAFT__WORD_DATA && fed->risk != HAFT__WORD_VALUE) {
        haft__walk_mark_stdin(w, w->feeder);
    } else if (!fed->after_dashes || w->replaces) {
        w->words->stdin_words = w->feeder;
    }
}

/* Returns the position of the program that the launcher starts, or the end. */
static size_t walk_launcher(haft__walk *w, const haft__program *program, size_t reader, size_t at)
{
    size_t operands = program->operands;
    bool options_ended = false, joins = program->kind == HAFT__PROGRAM_JOINER;
    for (; at < w->end; at++) {
        haft_str word = haft__walk_text_at(w, at);
        if (!options_ended && haft__word_is_dashes(word)) {
            options_ended = true;
        } else if (!options_ended && haft__word_is_option(word)) {
            joins = haft__walk_option(w, program, reader, &at) != HAFT__OPTION_DIRECT && joins;
        } else if (is_assignment(program, word) || haft__str_equal(word, HAFT__LIT("-"))) {
            haft__walk_mark(w, at, HAFT__WORD_OPTION, reader);
        } else if (operands > 0) {
            operands--;
            haft__walk_mark(w, at, HAFT__WORD_OPTION, reader);
        } else {
            break;
        }
    }
    w->elsewhere = w->elsewhere || leads_elsewhere(w, program, reader, at);
    if ((program->flags & HAFT__PROGRAM_FEEDS) != 0) {
        feed(w, program, reader, at);
    }
    if (joins) {
        haft__walk_mark_all(w, at, HAFT__WORD_CODE, reader);
    }
    if (joins && at == w->end) {
        haft__walk_mark_stdin(w, reader);
    }
    return at;
}

/* ---- interpreters ---- */

/* Whether an option contains the code, so that no operand is code. */
static bool has_code_option(const haft__walk *w, const haft__program *program, size_t at)
{
    for (; at < w->end && !haft__word_is_dashes(haft__walk_text_at(w, at)); at++) {
        bool next = false;
        haft__option_effect effect =
            haft__walk_is_option_of(program, haft__walk_text_at(w, at))
                ? haft__program_option(program, haft__walk_text_at(w, at), &next)
                : HAFT__OPTION_FLAG;
        if (effect == HAFT__OPTION_CODE || effect == HAFT__OPTION_SCRIPT) {
            return true;
        }
        at += next + (next && effect == HAFT__OPTION_PAIR);
    }
    return false;
}

typedef struct interpreter_state {
    const haft__program *program;
    size_t reader, operands;
    haft__word_risk first; /* the risk of the operand after the first `operands` ones */
    bool has_code;         /* the code or script was found */
    bool operand;          /* ... as an operand */
    bool options_ended;    /* the options have ended, at `dashes` */
    size_t dashes;
    size_t script; /* the word of the script; 0: none */
    size_t shell;  /* the operand that is code of a shell; 0: none */
} interpreter_state;

static void read_operand(haft__walk *w, interpreter_state *r, size_t at)
{
    haft__command_word *word = &w->words->items[at];
    if (r->operands > 0) {
        r->operands--;
        if (word->optional) { /* if it is left out, the next word takes its place */
            haft__walk_mark(w, at, HAFT__WORD_OPTION, r->reader);
        }
    } else if (!r->has_code) {
        r->has_code = r->operand = true;
        haft__walk_mark(w, at, r->first, r->reader);
        word->code = word->code || (!w->guess && r->first == HAFT__WORD_CODE);
        r->script = r->first == HAFT__WORD_PROGRAM ? at : 0;
        r->shell = r->program->kind == HAFT__PROGRAM_INTERPRETER && r->script == 0 ? at : 0;
        if (haft__walk_names_stdin(word->text, false)) {
            haft__walk_mark_stdin(w, r->reader);
        }
    }
}

/* Returns false if the words that follow are data. */
static bool read_word(haft__walk *w, interpreter_state *r, size_t *at)
{
    bool mixes = (r->program->flags & HAFT__PROGRAM_MIXES) != 0;
    haft_str word = haft__walk_text_at(w, *at);
    if (r->operand && !mixes) {
        return false;
    }
    if (!r->options_ended && haft__walk_ends_options(r->program, word)) {
        r->options_ended = true;
        r->dashes = *at;
        return true;
    }
    if (r->options_ended || !haft__walk_is_option_of(r->program, word)) {
        bool data = r->has_code && r->operands == 0 && !mixes;
        if (!data) {
            read_operand(w, r, *at);
        }
        return !data;
    }
    haft__option_effect effect = haft__walk_option(w, r->program, r->reader, at);
    bool code = effect == HAFT__OPTION_CODE || effect == HAFT__OPTION_SCRIPT;
    if (effect == HAFT__OPTION_STDIN) {
        haft__walk_mark_stdin(w, r->reader);
    }
    r->script = effect == HAFT__OPTION_SCRIPT ? *at : r->script;
    r->has_code = r->has_code || code || effect == HAFT__OPTION_STDIN;
    r->first = effect == HAFT__OPTION_OPERAND ? HAFT__WORD_CODE : r->first;
    return !code || (r->program->flags & HAFT__PROGRAM_STOPS) == 0;
}

/* ---- "--" and the code of a shell ---- */

/* Reads "$1" or "$@" at the start of the text, with its quotes. Returns its length, or 0. */
static size_t quoted_parameter(haft_str text, bool *ret_all)
{
    bool quoted =
        text.len >= 4 && haft__str_starts_with(text, HAFT__LIT("\"$")) && text.ptr[3] == '"';
    *ret_all = quoted && text.ptr[2] == '@';
    return quoted && (*ret_all || haft__ascii_is_digit(text.ptr[2])) ? 4 : 0;
}

static bool has_word(haft_str text, haft_str word)
{
    while (text.len > 0 && !haft__str_starts_with(text, word)) {
        text = haft__str_skip(text, 1);
    }
    return text.len > 0;
}

/* Whether every parameter of the code stands in double quotes, and directly after "--" or another
 * such parameter (`ls -- "$1" "$2"`) or, if `all`, is "$@". Without parameters, false. The "--" of
 * `nice -- ls "$1"` is that of nice. */
static bool parameters_are(haft_str code, bool all)
{
    bool dashes = false, any = false, is_all;
    for (haft_str rest = code; rest.len > 0;) {
        size_t parameter = quoted_parameter(rest, &is_all);
        if (parameter > 0 && (all ? is_all : dashes)) {
            any = true;
            rest = haft__str_skip(rest, parameter);
        } else if (rest.ptr[0] == '$') {
            return false;
        } else if (haft__str_starts_with(rest, HAFT__LIT(" -- "))) {
            dashes = true;
            rest = haft__str_skip(rest, 3);
        } else {
            dashes = dashes && rest.ptr[0] == ' ';
            rest = haft__str_skip(rest, 1);
        }
    }
    return any;
}

/* The first word after the code of a shell that its commands cannot read as an option. A "--" after
 * the code is $0 or a parameter: it reaches a command only in "$@". find reads options after "--"
 * too. */
static size_t first_protected(const haft__walk *w, size_t code)
{
    haft_str text = haft__walk_text_at(w, code);
    if (has_word(text, HAFT__LIT("find")) || has_word(text, HAFT__LIT("shift"))) {
        return w->end;
    }
    return parameters_are(text, false)  ? code + 1
           : parameters_are(text, true) ? haft__walk_find_dashes(w, code + 2) + 1
                                        : w->end;
}

/* Whether perl opens its operands: with -n, -p, -a, -F, or with <> in its code. Other options with
 * these letters count too. */
static bool opens_operands(const haft__walk *w, size_t at, size_t end)
{
    for (; at < end; at++) {
        haft_str word = haft__walk_text_at(w, at);
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

/* Walks through the words of the script or of the code, which begin at `at`. */
static void walk_script(haft__walk *w, const interpreter_state *r, size_t at)
{
    bool mixes = (r->program->flags & HAFT__PROGRAM_MIXES) != 0;
    if (r->script > 0 && r->program->kind == HAFT__PROGRAM_INTERPRETER && !mixes) {
        haft__walk_unknown_program(w, r->script, at > r->script ? at : r->script + 1);
    }
    if ((r->program->flags & HAFT__PROGRAM_OPENS) != 0 && opens_operands(w, r->reader + 1, at)) {
        for (; at < w->end; at++) {
            haft__walk_mark_as(w, at, HAFT__WORD_PROGRAM, r->reader, true);
        }
    }
}

/* If the interpreter evaluates a word as code, marks its other words as arguments of that code. */
static void mark_passed(haft__walk *w, size_t reader)
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

static void walk_interpreter(haft__walk *w, const haft__program *program, size_t reader, size_t at)
{
    bool evaluates = program->kind == HAFT__PROGRAM_EVALUATOR;
    interpreter_state r = {.program = program,
                           .reader = reader,
                           .operands = program->operands,
                           .first = evaluates ? HAFT__WORD_CODE : HAFT__WORD_PROGRAM,
                           .has_code = evaluates && has_code_option(w, program, at)};
    while (at < w->end && read_word(w, &r, &at)) {
        at++;
    }
    bool own = r.options_ended && (!r.operand || (program->flags & HAFT__PROGRAM_MIXES) != 0);
    haft__walk_mark_after_dashes(w, own           ? r.dashes + 1
                                    : r.shell > 0 ? first_protected(w, r.shell)
                                                  : haft__walk_find_dashes(w, at) + 1);
    walk_script(w, &r, at);
    mark_passed(w, reader);
    if (w->feeder != SIZE_MAX) {
        haft__walk_mark_stdin(w, w->feeder);
    } else if (!r.has_code) {
        haft__walk_mark_stdin(w, reader);
    }
}

/* ---- find ---- */

static bool starts_program(haft_str word)
{
    static const char *const names[] = {"-exec", "-execdir", "-ok", "-okdir"};
    return haft__str_is_one_of(word, names, COUNT(names));
}

/* "--" does not protect the words after it, because find reads them as an expression too. */
static void walk_find(haft__walk *w, size_t at)
{
    for (; at < w->end; at++) {
        if (!starts_program(haft__walk_text_at(w, at)) || at + 1 == w->end) {
            continue;
        }
        haft__walk part = *w;
        part.elsewhere =
            part.elsewhere || haft__str_ends_with(haft__walk_text_at(w, at), HAFT__LIT("dir"));
        size_t begin = ++at;
        while (at < w->end && !haft__str_equal(haft__walk_text_at(w, at), HAFT__LIT(";"))
               && !haft__str_equal(haft__walk_text_at(w, at), HAFT__LIT("+"))) {
            at++;
        }
        part.end = at;
        size_t next = begin;
        while (next < part.end) {
            next = haft__walk_program(&part, next);
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

/* Whether the words after the program are the subcommand of the row. Sets *ret_next to the word
 * after the subcommand. */
static bool has_subcommand(const haft__walk *w, const haft__program *program, size_t at,
                           size_t *ret_next)
{
    haft_str rest = haft__str(program->subcommand != NULL ? program->subcommand : "");
    while (rest.len > 0 && at < w->end) {
        bool next = false;
        if (haft__word_is_option(haft__walk_text_at(w, at))) {
            (void)haft__program_option(program, haft__walk_text_at(w, at), &next);
            at += next ? 2 : 1;
            continue;
        }
        if (!is_one_of(haft__walk_text_at(w, at), haft__str_split(&rest, ' '))) {
            return false;
        }
        at++;
    }
    *ret_next = at;
    return rest.len == 0;
}

/* Marks the first operand of the program, which could choose the subcommand of the row that starts
 * a program. */
static void mark_subcommand(haft__walk *w, const haft__program *program, size_t reader)
{
    size_t at = reader + 1;
    while (at < w->end && haft__word_is_option(haft__walk_text_at(w, at))) {
        bool next = false;
        (void)haft__program_option(program, haft__walk_text_at(w, at), &next);
        at += next ? 2 : 1;
    }
    if (at < w->end) {
        haft__walk_mark(w, at, HAFT__WORD_OPTION, reader);
    }
}

/* The row for the program at `at`; NULL if the table has none. */
static const haft__program *find_program(haft__walk *w, size_t at, size_t *ret_next)
{
    const haft__program *row = NULL, *starter = NULL;
    for (size_t i = 0; (row = haft__program_at(i)) != NULL; i++) {
        bool named = haft__program_has_name(row, haft__walk_text_at(w, at));
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
        haft__walk_mark(w, k, HAFT__WORD_OPTION, at);
    }
    return row;
}

static void note_reader(haft__walk *w, size_t reader)
{
    for (size_t at = reader + 1; at < w->end && !w->guess; at++) {
        haft__command_word *word = &w->words->items[at];
        word->reader = word->risk == HAFT__WORD_DATA ? reader : word->reader;
    }
}

size_t haft__walk_program(haft__walk *w, size_t at)
{
    size_t next = at + 1;
    haft__walk_mark(w, at, HAFT__WORD_PROGRAM, at);
    w->words->items[at].local = !w->guess && !w->elsewhere;
    const haft__program *program = find_program(w, at, &next);
    note_reader(w, at);
    if (program == NULL) {
        haft__walk_unknown_program(w, at, at + 1);
        return w->end;
    }
    w->warns = (program->flags & HAFT__PROGRAM_WARNS) != 0;
    if ((program->flags & HAFT__PROGRAM_STDIN) != 0) {
        haft__walk_mark_stdin(w, at);
    }
    switch (program->kind) {
    case HAFT__PROGRAM_LAUNCHER:
    case HAFT__PROGRAM_JOINER: return walk_launcher(w, program, at, next);
    case HAFT__PROGRAM_INTERPRETER:
    case HAFT__PROGRAM_EVALUATOR: walk_interpreter(w, program, at, next); return w->end;
    case HAFT__PROGRAM_CODE: haft__walk_code_program(w, at, next); return w->end;
    case HAFT__PROGRAM_FIND: walk_find(w, next); return w->end;
    case HAFT__PROGRAM_TEXT: haft__walk_text_program(w, program, at, next); return w->end;
    }
    HAFT__UNREACHABLE();
}

/* Marks options whose name contains an argument: with any program, the argument could choose the
 * option. */
static void mark_option_names(haft__walk *w)
{
    for (size_t at = 1; at < w->words->count; at++) {
        haft__command_word *word = &w->words->items[at];
        word->names_option = word->names_option && !word->after_dashes;
        if (word->names_option) {
            haft__walk_mark_as(w, at, HAFT__WORD_OPTION, word->reader, false);
        }
    }
}

void haft__walk_all(haft__command_words *words)
{
    haft__walk w = {
        .words = words, .end = words->count, .feeder = SIZE_MAX, .unsure_from = SIZE_MAX};
    size_t at = 0;
    while (at < w.end) {
        at = haft__walk_program(&w, at);
    }
    if (w.unsure_from != SIZE_MAX) {
        haft__walk_guess_programs(&w, w.unsure_from + 1);
        for (at = w.unsure_from + 1; at < w.end; at++) {
            haft__walk_mark_as(&w, at, HAFT__WORD_PROGRAM, w.unsure_reader, true);
        }
    }
    if (w.end > words->count) {
        judge_fed_words(&w);
    }
    mark_option_names(&w);
    haft__absent_words_judge(words);
}
