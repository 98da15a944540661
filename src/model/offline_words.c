/* SPDX-License-Identifier: Apache-2.0 */
/*
 * offline_words.c - what a task is about: names, quoted words, files, and the words that are left
 * when the small ones of English are gone.
 *
 * Stems are beginnings of words, so that looking for one finds all its forms: "decid" is in
 * "deciding" and in "decided". Tests: tests/model/offline_words_test.c.
 */
#include <string.h>

#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/offline_int.h"

/* A task may have a whole document in it; what it is about stands at its beginning. */
#define LOOKED_AT 4000U
/* A line is looked at so far. */
#define LINE_LOOKED_AT 2000U
#define LONGEST_PHRASE 80U
#define LONGEST_ENDING 5U
#define SHORTEST_WORD  3U

/* Words that say nothing about a source tree, and those that tasks begin with. */
static const char *const small_words[] = {
    "about",   "above",  "after",     "again",     "all",     "also",    "always",     "and",
    "another", "any",    "anything",  "are",       "aren't",  "ask",     "because",    "been",
    "before",  "being",  "below",     "between",   "both",    "brief",   "but",        "can",
    "can't",   "cannot", "could",     "describe",  "did",     "does",    "doesn't",    "doing",
    "don't",   "done",   "each",      "either",    "else",    "every",   "everything", "explain",
    "few",     "find",   "for",       "from",      "get",     "gets",    "give",       "gives",
    "goes",    "had",    "happen",    "happens",   "has",     "have",    "having",     "her",
    "here",    "him",    "his",       "how",       "into",    "isn't",   "its",        "itself",
    "just",    "know",   "let",       "like",      "list",    "look",    "made",       "make",
    "makes",   "many",   "may",       "mean",      "means",   "might",   "more",       "most",
    "much",    "must",   "need",      "needs",     "nor",     "not",     "nothing",    "now",
    "off",     "once",   "one",       "only",      "other",   "our",     "out",        "over",
    "own",     "part",   "parts",     "please",    "report",  "same",    "say",        "says",
    "see",     "shall",  "she",       "short",     "should",  "show",    "some",       "something",
    "still",   "such",   "summarise", "summarize", "summary", "sure",    "take",       "tell",
    "than",    "that",   "the",       "their",     "them",    "then",    "there",      "these",
    "they",    "thing",  "things",    "this",      "those",   "through", "too",        "under",
    "until",   "upon",   "use",       "used",      "uses",    "using",   "very",       "want",
    "wants",   "was",    "way",       "ways",      "were",    "what",    "when",       "where",
    "whether", "which",  "while",     "who",       "whole",   "whose",   "why",        "will",
    "with",    "within", "without",   "work",      "works",   "would",   "write",      "you",
    "your",
};

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_letter(char c)
{
    return is_lower(c) || is_upper(c) || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

/* ---- stems ---- */

static haft_str lower_all(haft_str word, char *room)
{
    for (size_t i = 0; i < word.len; i++) {
        room[i] = lower(word.ptr[i]);
    }
    return (haft_str){room, word.len};
}

static const struct {
    const char *ending;
    size_t least; /* letters that must be left */
} endings[] = {
    {"'s", 2}, {"ies", 4}, {"ing", 4}, {"ed", 4}, {"es", 4}, {"s", 3}, {"e", 4},
};

/* "runn" of running; but "call" of calling. */
static bool is_doubled(haft_str stem)
{
    char last = stem.ptr[stem.len - 1];
    return last == stem.ptr[stem.len - 2] && strchr("bdgmnprt", last) != NULL;
}

haft_str haft__offline_stem(haft_str word, char *room)
{
    haft_str stem = lower_all(word, room);
    for (size_t i = 0; i < COUNT(endings); i++) {
        haft_str ending = haft__str(endings[i].ending);
        if (!haft__str_ends(stem, ending) || stem.len < ending.len + endings[i].least) {
            continue;
        }
        if (ending.len == 1
            && (haft__str_ends(stem, HAFT__LIT("ss")) || haft__str_ends(stem, HAFT__LIT("ee")))) {
            break; /* class, three */
        }
        stem.len -= ending.len;
        bool verb = i == 2 || i == 3;
        stem.len -= verb && is_doubled(stem) ? 1 : 0;
        break;
    }
    return stem;
}

/* ---- is it there? ---- */

static bool same_letters(const haft__offline_word *word, const char *at)
{
    for (size_t i = 0; i < word->text.len; i++) {
        if ((word->exact ? at[i] : lower(at[i])) != word->text.ptr[i]) {
            return false;
        }
    }
    return true;
}

/* Whether a word, or a part of one, begins at `at`. */
static bool begins(haft_str text, size_t at)
{
    if (at == 0 || !is_letter(text.ptr[at - 1])) {
        return true;
    }
    return is_lower(text.ptr[at - 1]) && is_upper(text.ptr[at]);
}

bool haft__offline_word_in(const haft__offline_word *word, haft_str text)
{
    size_t length = word->text.len;
    text.len = text.len < LINE_LOOKED_AT ? text.len : LINE_LOOKED_AT;
    for (size_t i = 0; length > 0 && i + length <= text.len; i++) {
        char c = word->exact ? text.ptr[i] : lower(text.ptr[i]);
        if (c == word->text.ptr[0] && (word->exact || begins(text, i))
            && same_letters(word, text.ptr + i)) {
            return true;
        }
    }
    return false;
}

uint32_t haft__offline_words_in(const haft__offline_words *words, haft_str text)
{
    uint32_t found = 0;
    for (size_t i = 0; i < words->count; i++) {
        found |= haft__offline_word_in(&words->items[i], text) ? 1U << i : 0;
    }
    return found;
}

/* ---- reading a task ---- */

static bool is_small(haft_str word)
{
    for (size_t i = 0; i < COUNT(small_words); i++) {
        if (haft__str_equal(word, haft__str(small_words[i]))) {
            return true;
        }
    }
    return false;
}

static void add_hint(haft_str *hints, size_t *count, haft_str text)
{
    for (size_t i = 0; i < *count; i++) {
        if (haft__str_equal(hints[i], text)) {
            return;
        }
    }
    if (*count < HAFT__OFFLINE_HINTS) {
        hints[(*count)++] = text;
    }
}

/* An exact word comes before those that are not, and drives one of them out if it must. */
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

/* read_file, readFile, HTTP2: something that a program calls so. */
static bool is_name(haft_str token)
{
    bool inner = false, digit = false, letter = false;
    for (size_t i = 0; i < token.len; i++) {
        char c = token.ptr[i];
        inner = inner || c == '_' || (i > 0 && is_upper(c) && is_lower(token.ptr[i - 1]));
        digit = digit || is_digit(c);
        letter = letter || is_letter(c);
    }
    return letter && (inner || digit) && token.len >= SHORTEST_WORD;
}

/* A name with an ending such as ".c" or ".yaml", with or without a path before it. */
static bool is_path(haft_str token)
{
    size_t dot = token.len;
    while (dot > 0 && token.ptr[dot - 1] != '.') {
        dot--;
    }
    bool ending = dot > 1 && token.len - dot >= 1 && token.len - dot <= LONGEST_ENDING;
    for (size_t i = dot; i < token.len; i++) {
        ending = ending && (is_lower(token.ptr[i]) || (i > dot && is_digit(token.ptr[i])));
    }
    bool short_for =
        haft__str_equal(token, HAFT__LIT("e.g")) || haft__str_equal(token, HAFT__LIT("i.e"));
    return ending && !short_for && memchr(token.ptr, ':', token.len) == NULL;
}

static bool is_number(haft_str token)
{
    uint64_t number;
    return haft__str_to_u64(token, &number);
}

/* Without what stands around a word in a sentence. */
static haft_str bare(haft_str token)
{
    while (token.len > 0 && strchr("([{<\"'`*", token.ptr[0]) != NULL) {
        token = haft__str_skip(token, 1);
    }
    while (token.len > 0 && strchr(")]}>\"'`*.,;:!?", token.ptr[token.len - 1]) != NULL) {
        token.len--;
    }
    return token;
}

static void add_plain(haft__offline_words *words, haft_str token, char *room)
{
    size_t letters = 0;
    for (size_t i = 0; i < token.len; i++) {
        letters += is_letter(token.ptr[i]) ? 1 : 0;
    }
    if (letters < SHORTEST_WORD || token.len > LONGEST_PHRASE || is_small(lower_all(token, room))) {
        return;
    }
    haft_str stem = haft__offline_stem(token, room);
    add_word(words, (haft__offline_word){.text = stem, .shown = token});
}

/* The parts of what is no name: "tool-choice" is two words. */
static void add_parts(haft__offline_words *words, haft_str token, char *room)
{
    size_t start = 0;
    for (size_t i = 0; i <= token.len; i++) {
        bool inside = i < token.len && (is_letter(token.ptr[i]) || token.ptr[i] == '\'');
        if (!inside) {
            add_plain(words, (haft_str){token.ptr + start, i - start}, room + start);
            start = i + 1;
        }
    }
}

static void add_token(haft__offline_words *words, haft_str token, char *room)
{
    haft_str word = bare(token);
    size_t skipped = (size_t)(word.ptr - token.ptr);
    if (word.len == 0) {
        return;
    }
    if (is_number(word)) {
        add_hint(words->numbers, &words->number_count, word);
    } else if (is_path(word)) {
        add_hint(words->paths, &words->path_count, word);
    } else if (is_name(word) && word.len <= LONGEST_PHRASE) {
        add_word(words, (haft__offline_word){.text = word, .shown = word, .exact = true});
    } else {
        add_parts(words, word, room + skipped);
    }
}

/* The length of what stands between two quotes at the beginning of `rest`; 0 when it is no quote.
 * An apostrophe is none: it stands in a word, or a letter follows where it would end. */
static size_t quoted(haft_str rest, bool in_word)
{
    char quote = rest.ptr[0];
    if (in_word || (quote != '"' && quote != '\'' && quote != '`')) {
        return 0;
    }
    for (size_t i = 1; i < rest.len && i <= LONGEST_PHRASE + 1 && rest.ptr[i] != '\n'; i++) {
        bool ends = i + 1 == rest.len || !is_letter(rest.ptr[i + 1]);
        if (rest.ptr[i] == quote && ends) {
            return i - 1;
        }
    }
    return 0;
}

static void add_quoted(haft__offline_words *words, haft_str phrase)
{
    haft_str text = haft__str_trim(phrase);
    if (is_path(text)) {
        add_hint(words->paths, &words->path_count, text);
    } else if (text.len >= 2) {
        add_word(words, (haft__offline_word){.text = text, .shown = text, .exact = true});
    }
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

haft_status haft__offline_words_read(haft_str task, haft__arena *arena,
                                     haft__offline_words *ret_words, haft_error *err)
{
    task.len = haft__utf8_floor(task, LOOKED_AT);
    char *room = haft__arena_alloc(arena, task.len + 1); /* a place for the stem of every word */
    if (room == NULL) {
        return haft__arena_fail(arena, err);
    }
    *ret_words = (haft__offline_words){.task = haft__str_trim(task)};
    size_t start = 0;
    for (size_t i = 0; i <= task.len; i++) {
        haft_str rest = haft__str_skip(task, i);
        bool in_word = i > 0 && (is_letter(task.ptr[i - 1]) || is_digit(task.ptr[i - 1]));
        size_t phrase = rest.len > 0 ? quoted(rest, in_word) : 0;
        if (phrase > 0) {
            add_token(ret_words, (haft_str){task.ptr + start, i - start}, room + start);
            add_quoted(ret_words, (haft_str){rest.ptr + 1, phrase});
            i += phrase + 1;
            start = i + 1;
        } else if (rest.len == 0 || is_space(rest.ptr[0])) {
            add_token(ret_words, (haft_str){task.ptr + start, i - start}, room + start);
            start = i + 1;
        }
    }
    return HAFT_OK;
}
