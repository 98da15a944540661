/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - reads the words to search for from a task: identifiers, quoted text, files, and plain
 * words without the stop words of English.
 *
 * A stem is the start of a word, so that a search for it finds all forms: "decid" is in "deciding"
 * and in "decided". Tests: tests/model/rules/words_test.c.
 */
#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

/* A task may contain a whole document; only its start is read. */
#define READ_BYTES     4000U
#define LONGEST_PHRASE 80U
#define LONGEST_ENDING 5U
#define SHORTEST_WORD  3U
/* A word of so many capitals is an identifier (EAGAIN); a shorter one may be an acronym (JSON). */
#define CAPITALS 5U

/* Stop words, and words that tasks start with. */
static const char stop_words[] =
    "about above after again all also always and another any anything are aren't ask because "
    "been before being below between both brief but can can't cannot could describe did does "
    "doesn't doing don't done each either else every everything explain few find for from get "
    "gets give gives goes had happen happens has have having her here him his how into isn't its "
    "itself just know let like list look made makes many may mean means might more most much "
    "must need needs nor not nothing now off once one only other our out over own part parts "
    "please report same say says see shall she short should show some something still such "
    "summarise summarize summary sure take tell than that the their them then there these they "
    "thing things this those through too under until upon use used uses using very want wants "
    "was way ways were what when where whether which while who whole whose why will with within "
    "work works would write you your";

/* ---- stems ---- */

static haft_str lower_all(haft_str word, char *room)
{
    for (size_t i = 0; i < word.len; i++) {
        room[i] = haft__ascii_lower(word.ptr[i]);
    }
    return (haft_str){room, word.len};
}

static const struct {
    const char *ending;
    size_t min; /* letters that must remain */
} endings[] = {
    {"'s", 2}, {"ies", 4}, {"ing", 4}, {"ed", 4}, {"es", 4}, {"s", 3}, {"e", 4},
};

/* "runn" of running; but "call" of calling. */
static bool is_doubled(haft_str stem)
{
    char last = stem.ptr[stem.len - 1];
    return last == stem.ptr[stem.len - 2] && strchr("bdgmnprt", last) != NULL;
}

/* The length of the ending of an agent noun: fuzzer, parsers. Other nouns in -er are listed. */
static size_t agent_ending(haft_str word)
{
    size_t ending = haft__str_ends_with(word, HAFT__LIT("ers"))  ? 3
                    : haft__str_ends_with(word, HAFT__LIT("er")) ? 2
                                                                 : 0;
    if (haft__offline_in_list((haft_str){word.ptr, word.len - ending},
                              "head numb buff serv point fold memb charact integ paramet")) {
        return 0;
    }
    return word.len >= ending + 4 ? ending : 0;
}

haft_str haft__offline_stem(haft_str word, char *room)
{
    haft_str stem = lower_all(word, room);
    size_t agent = agent_ending(stem);
    stem.len -= agent;
    for (size_t i = 0; agent == 0 && i < COUNT(endings); i++) {
        haft_str ending = haft__str(endings[i].ending);
        if (!haft__str_ends_with(stem, ending) || stem.len < ending.len + endings[i].min) {
            continue;
        }
        if (ending.len == 1
            && (haft__str_ends_with(stem, HAFT__LIT("ss"))
                || haft__str_ends_with(stem, HAFT__LIT("ee")))) {
            break; /* class, three */
        }
        stem.len -= ending.len;
        bool verb = i == 2 || i == 3;
        stem.len -= verb && is_doubled(stem) ? 1 : 0;
        break;
    }
    return stem;
}

/* Many questions end with a general verb, and few of the lines that answer them have it. */
static bool is_weak(haft_str stem)
{
    return haft__offline_in_list(
        stem, "handl pars process treat check verif set comput calculat happen read don found kept "
              "stor decid creat generat work appl hav get giv larger refus written made without "
              "mak");
}

/* ---- reading a task ---- */

static void add_path(haft__offline_words *words, haft_str path)
{
    if (words->path_count < HAFT__OFFLINE_PATHS) {
        words->paths[words->path_count++] = path;
    }
}

/* Exact words come first; when the list is full, one replaces the last plain word. */
static void add_word(haft__offline_words *words, haft__offline_word word)
{
    size_t at = words->count;
    for (size_t i = words->count; i > 0; i--) {
        const haft__offline_word *other = &words->items[i - 1];
        if (haft__str_equal(other->text, word.text)) {
            return;
        }
        at = word.exact && !other->exact ? i - 1 : at;
    }
    if (at == HAFT__LIMIT_OFFLINE_WORDS) {
        return;
    }
    words->count += words->count < HAFT__LIMIT_OFFLINE_WORDS ? 1 : 0;
    memmove(&words->items[at + 1], &words->items[at],
            (words->count - at - 1) * sizeof(words->items[0]));
    words->items[at] = word;
}

/* read_file, readFile, HTTP2, EAGAIN */
static bool is_identifier(haft_str token)
{
    bool inner = false, digit = false, letter = false, capitals = token.len >= CAPITALS;
    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];
        inner = inner || c == '_'
                || (i > 0 && haft__ascii_is_upper(c) && haft__ascii_is_lower(token.ptr[i - 1]));
        digit = digit || haft__ascii_is_digit(c);
        letter = letter || is_letter(c);
        capitals = capitals && haft__ascii_is_upper(c);
    }
    return letter && (inner || digit || capitals) && token.len >= SHORTEST_WORD;
}

/* retry-after, SHA-256: a program may write the separator in another way. */
static bool is_joined(haft_str token)
{
    bool hyphen = false, good = token.len <= LONGEST_PHRASE;
    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];
        bool inner = c == '-' && i > 0 && i + 1 < token.len && token.ptr[i - 1] != '-';
        hyphen = hyphen || inner;
        good = good && (inner || is_letter(c) || haft__ascii_is_digit(c));
    }
    return hyphen && good;
}

/* Endings of files. Another token with a dot, such as json.dumps, is a name in a module. */
static const char endings_of_files[] =
    "ac adoc am awk bash c cc cfg cmake conf cpp cs css csv cxx def dot env erl ex go h hh hpp hs "
    "html in inc ini java js json jsonl jsx kt lock log lua m m4 md mk ml mm mod patch php pl pm "
    "po "
    "proto ps1 py pyi pyx r rb rs rst s scala sh sql svg swift tcl tex toml ts tsx txt vim vue xml "
    "yaml yml zig a bin bz2 gif gz jpg o pdf png so tar tgz xz zip";

/* A file name with an extension such as ".c", with or without directories. */
static bool is_path(haft_str token)
{
    size_t dot = token.len;
    while (dot > 0 && token.ptr[dot - 1] != '.') {
        dot--;
    }
    bool ending = dot > 1 && token.len - dot >= 1 && token.len - dot <= LONGEST_ENDING;
    for (size_t i = dot; i < token.len; i++) {
        ending = ending
                 && (haft__ascii_is_lower(token.ptr[i])
                     || (i > dot && haft__ascii_is_digit(token.ptr[i])));
    }
    haft_str last = {token.ptr + dot, token.len - dot};
    ending = ending
             && (memchr(token.ptr, '/', token.len) != NULL
                 || haft__offline_in_list(last, endings_of_files));
    return ending && !haft__offline_in_list(token, "e.g i.e")
           && memchr(token.ptr, ':', token.len) == NULL;
}

haft_str haft__offline_trim_marks(haft_str token)
{
    while (token.len > 0 && strchr("([{<\"'`*#$", token.ptr[0]) != NULL) {
        token = haft__str_skip(token, 1);
    }
    while (token.len > 0 && strchr(")]}>\"'`*.,;:!?%", token.ptr[token.len - 1]) != NULL) {
        token.len--;
    }
    return token;
}

typedef struct reading {
    haft__offline_words *words;
    char *room;         /* for the stem of each word, at the offset of the word in the task */
    bool with_cues;     /* use cue words: the task has no others */
    bool after_keyword; /* the last word was one such as "function" */
    bool after_which;   /* ... which followed "which": which function sorts an array */
} reading;

/* Whether the question is about a name, so that a plain word may be one: where is strdup declared.
 */
static bool wants_name(haft__offline_question question)
{
    return question == HAFT__OFFLINE_QUESTION_DEFINITION
           || question == HAFT__OFFLINE_QUESTION_DECLARATION
           || question == HAFT__OFFLINE_QUESTION_CALLERS || question == HAFT__OFFLINE_QUESTION_VALUE
           || question == HAFT__OFFLINE_QUESTION_MEANING;
}

static void add_name(reading *r, haft_str word)
{
    add_word(r->words, (haft__offline_word){.text = word, .shown = word, .exact = true});
}

static void add_plain(reading *r, haft_str token, char *room)
{
    size_t letters = 0;
    for (size_t i = 0; i < token.len; i++) {
        letters += is_letter(token.ptr[i]) ? 1 : 0;
    }
    if (letters < SHORTEST_WORD || token.len > LONGEST_PHRASE
        || haft__offline_in_list(lower_all(token, room), stop_words)) {
        return;
    }
    haft__offline_cue cue = haft__offline_cue_of((haft_str){room, token.len});
    bool is_cue = cue != HAFT__OFFLINE_NO_CUE && (cue != HAFT__OFFLINE_CUE_FILE || r->after_which);
    if (is_cue && !r->with_cues) {
        return;
    }
    if (r->after_keyword && !r->after_which && wants_name(r->words->question)) {
        add_name(r, token);
        return;
    }
    haft_str stem = haft__offline_stem(token, room);
    add_word(r->words, (haft__offline_word){.text = stem, .shown = token, .weak = is_weak(stem)});
}

static const char *last_of(haft_str text, char c)
{
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != c) {
        at--;
    }
    return at > 0 ? text.ptr + at - 1 : NULL;
}

/* json.dumps, os.path.join: a name in a module. */
static bool is_member(haft_str token)
{
    const char *dot = last_of(token, '.');
    bool good = dot != NULL && dot > token.ptr && dot + 1 < token.ptr + token.len
                && token.len <= LONGEST_PHRASE && !haft__offline_in_list(token, "e.g i.e");
    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];
        good = good && (c == '.' || (i == 0 ? is_letter(c) || c == '_' : is_name_char(c)));
    }
    return good;
}

/* Adds each run of letters: "and/or" is two words. */
static void add_parts(reading *r, haft_str token, char *room)
{
    size_t start = 0;
    for (size_t i = 0; i <= token.len; i++) {
        bool inside = i < token.len && (is_letter(token.ptr[i]) || token.ptr[i] == '\'');
        if (!inside) {
            add_plain(r, (haft_str){token.ptr + start, i - start}, room + start);
            start = i + 1;
        }
    }
}

/* Remembers a cue that a name may follow. */
static void note_keyword(reading *r, haft_str word, char *room)
{
    haft__offline_cue cue = haft__offline_cue_of(lower_all(word, room));
    bool which = haft__offline_in_list((haft_str){room, word.len}, "which what many");
    if (cue == HAFT__OFFLINE_CUE_KEYWORD) {
        r->after_keyword = true;
        r->words->keyword = haft__offline_keyword_of((haft_str){room, word.len});
    } else {
        r->after_keyword = false;
        r->after_which = which;
    }
}

static void add_token(reading *r, haft_str token)
{
    haft__offline_words *words = r->words;
    haft_str word = haft__offline_trim_marks(token);
    if (word.len == 0) {
        return;
    }
    char *room = r->room + (word.ptr - words->whole.ptr);
    if (is_path(word)) {
        add_path(words, word);
    } else if (is_joined(word)) {
        haft_str text = lower_all(word, room);
        add_word(words, (haft__offline_word){.text = text, .shown = word, .joined = true});
        add_parts(r, word, room); /* a line may have only one of them */
    } else if (is_member(word) && !is_identifier(word)) {
        const char *dot = last_of(word, '.');
        add_name(r, haft__str_skip(word, (size_t)(dot + 1 - word.ptr)));
        add_parts(r, (haft_str){word.ptr, (size_t)(dot - word.ptr)}, room);
    } else if (is_identifier(word) && word.len <= LONGEST_PHRASE) {
        add_name(r, word);
    } else {
        add_parts(r, word, room);
    }
    note_keyword(r, word, room);
}

size_t haft__offline_quoted_length(haft_str text, size_t at)
{
    char quote = text.ptr[at];
    bool in_word =
        at > 0 && (is_letter(text.ptr[at - 1]) || haft__ascii_is_digit(text.ptr[at - 1]));
    if (in_word || (quote != '"' && quote != '\'' && quote != '`')) {
        return 0;
    }
    for (size_t i = at + 1; i < text.len && text.ptr[i] != '\n'; i++) {
        if (text.ptr[i] == quote && (i + 1 == text.len || !is_letter(text.ptr[i + 1]))) {
            return i - at - 1;
        }
    }
    return 0;
}

static void add_quoted(reading *r, haft_str phrase)
{
    haft_str text = haft__str_trim(phrase);
    if (is_path(text)) {
        add_path(r->words, text);
    } else if (text.len >= 2) {
        add_name(r, text);
    }
}

static void read_tokens(reading *r, haft_str task)
{
    size_t start = 0;
    for (size_t i = 0; i <= task.len; i++) {
        size_t phrase = i < task.len ? haft__offline_quoted_length(task, i) : 0;
        if (phrase > 0 && phrase <= LONGEST_PHRASE) {
            add_token(r, (haft_str){task.ptr + start, i - start});
            add_quoted(r, (haft_str){task.ptr + i + 1, phrase});
            i += phrase + 1;
            start = i + 1;
        } else if (i == task.len || haft__ascii_is_space(task.ptr[i])) {
            add_token(r, (haft_str){task.ptr + start, i - start});
            start = i + 1;
        }
    }
}

/* If a question about a name has one word, that word is the name: what does strdup do? */
static void promote_name(haft__offline_words *words)
{
    size_t strong = 0, at = 0;
    for (size_t i = 0; i < words->count; i++) {
        const haft__offline_word *word = &words->items[i];
        strong += word->weak ? 0 : 1;
        at = word->weak ? at : i;
    }
    haft__offline_word *word = &words->items[at];
    if (strong == 1 && wants_name(words->question) && !word->exact && !word->joined) {
        *word = (haft__offline_word){.text = word->shown, .shown = word->shown, .exact = true};
    }
}

haft_status haft__offline_words_read(haft_str task, haft__arena *arena,
                                     haft__offline_words *ret_words, haft_error *err)
{
    haft__offline_angle angle = HAFT__OFFLINE_ANGLE_CONCEPTS;
    task = haft__offline_angle_split(task, &angle);
    task.len = haft__utf8_floor(task, READ_BYTES);
    char *room = haft__arena_alloc(arena, task.len + 1);
    if (room == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_words = (haft__offline_words){.whole = task,
                                       .task = haft__str_trim(task),
                                       .angle = angle,
                                       .question = haft__offline_question_of(task)};
    reading r = {.words = ret_words, .room = room};
    read_tokens(&r, task);
    if (ret_words->count == 0 && ret_words->path_count == 0) {
        r.with_cues = true;
        read_tokens(&r, task);
    } else {
        promote_name(ret_words);
    }
    ret_words->question = haft__offline_angle_question(angle, ret_words->question);
    return HAFT_OK;
}
