/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tokenizer.c - see tokenizer.h. Splits a text at white space into tokens, and these into words.
 * Every byte is read a bounded number of times.
 *
 * Tests: tests/tool/index/tokenizer_test.c.
 */
#include "tool/index/tokenizer.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tool/index/abbreviations.h"
#include "tool/index/characters.h"
#include "tool/index/stem.h"
#include "tool/index/token_kind.h"

/* Shorter strings never count as keys or hashes. */
#define BLOB_BYTES 24U
/* Maximum length of a word of letters and digits that is also kept whole: mp3, k8s, oauth2,
 * base64. */
#define JOINED_BYTES 12U

#define LONGEST_STOP_WORD 6U

/* In alphabetical order, including the parts of "don't" and "we'll". */
static const char *const stop_words[] = {
    "a",      "about", "again", "all",   "also",   "am",    "an",    "and",    "any",   "are",
    "aren",   "as",    "at",    "be",    "been",   "being", "but",   "by",     "can",   "could",
    "couldn", "did",   "didn",  "do",    "does",   "doesn", "doing", "don",    "each",  "for",
    "from",   "had",   "has",   "have",  "having", "he",    "her",   "here",   "him",   "his",
    "how",    "i",     "if",    "in",    "into",   "is",    "isn",   "it",     "its",   "just",
    "let",    "ll",    "may",   "me",    "might",  "more",  "most",  "my",     "no",    "not",
    "of",     "on",    "or",    "our",   "please", "s",     "she",   "should", "so",    "some",
    "such",   "t",     "than",  "that",  "the",    "their", "them",  "then",   "there", "these",
    "they",   "this",  "those", "to",    "too",    "us",    "very",  "was",    "we",    "were",
    "what",   "when",  "where", "which", "while",  "who",   "whom",  "will",   "with",  "would",
    "you",    "your",
};

void haft__search_tokenizer_init(haft__search_tokenizer *words, haft_str text, bool query)
{
    *words = (haft__search_tokenizer){.text = text, .query = query, .breaks = true};
}

/* ---- tokens ---- */

static bool is_space(char c)
{
    return (unsigned char)c <= ' ';
}

typedef enum shape { SHAPE_OTHER, SHAPE_SMALL, SHAPE_CAPITAL, SHAPE_DIGIT } shape;

static shape shape_of(char c)
{
    return haft__ascii_is_lower(c)   ? SHAPE_SMALL
           : haft__ascii_is_upper(c) ? SHAPE_CAPITAL
           : haft__ascii_is_digit(c) ? SHAPE_DIGIT
                                     : SHAPE_OTHER;
}

/* Whether the token is a key, a hash or encoded data: digits are spread among its letters. */
static bool is_blob(haft_str token)
{
    size_t changes = 0;
    shape before = SHAPE_OTHER;
    for (size_t i = 0; i < token.len; i++) {
        shape now = shape_of(token.ptr[i]);
        bool change = (before == SHAPE_DIGIT) != (now == SHAPE_DIGIT);
        changes += change && before != SHAPE_OTHER && now != SHAPE_OTHER;
        before = now;
    }
    return token.len > BLOB_BYTES && changes * 6 > token.len;
}

/* The length of a host without its top-level domain: "example" of example.com. */
static size_t without_domain(const char *host, size_t length)
{
    for (size_t i = length; i > 1; i--) {
        if (host[i - 1] == '.') {
            return i - 1;
        }
    }
    return length;
}

/* The part of a URL before its path. */
static size_t host_length(haft_str token)
{
    for (size_t i = 0; i + 2 < token.len; i++) {
        if (memcmp(token.ptr + i, "://", 3) == 0) {
            const char *host = token.ptr + i + 3;
            size_t left = token.len - i - 3, length = 0;
            while (length < left && host[length] != '/' && host[length] != '?'
                   && host[length] != '#') {
                length++;
            }
            return i + 3 + without_domain(host, length);
        }
    }
    return token.len;
}

/* Advances to the next token, which may have no words; false after the last. */
static bool next_token(haft__search_tokenizer *words)
{
    haft_str text = words->text;
    size_t at = words->token_end;
    while (at < text.len && is_space(text.ptr[at])) {
        words->breaks = words->breaks || text.ptr[at] == '\n';
        at++;
    }
    size_t end = at;
    while (end < text.len && !is_space(text.ptr[end])) {
        end++;
    }
    haft_str token = {text.ptr + at, end - at};
    words->at = at;
    words->end = is_blob(token) ? at : at + host_length(token);
    words->token_end = end;
    words->joined = at;
    words->in_pairs = false;
    words->implied = words->query ? haft__search_token_kind(token) : HAFT__LIT("");
    return at < text.len;
}

/* ---- words ---- */

static haft__search_character letter_at(const haft__search_tokenizer *words, size_t at)
{
    return haft__search_character_read((haft_str){words->text.ptr + at, words->end - at});
}

static void add_letter(haft__search_word *word, const haft__search_character *letter)
{
    char bytes[HAFT__UTF8_MAX_BYTES];
    size_t count = letter->code > 0 ? haft__utf8_encode(letter->code, bytes) : 0;
    /* A word that is too long is consumed but never returned: its length stays SIZE_MAX. */
    if (word->raw_length > sizeof(word->raw) - count) {
        word->raw_length = SIZE_MAX;
        return;
    }
    memcpy(word->raw + word->raw_length, bytes, count);
    word->raw_length += count;
}

/* Whether a new word begins at `next`, the character after `now`; `at` is the offset of `next`. */
static bool is_seam(const haft__search_tokenizer *words, size_t at,
                    const haft__search_character *now, const haft__search_character *next)
{
    if (next->kind == HAFT__SEARCH_OTHER || next->kind == HAFT__SEARCH_BIGRAM) {
        return true;
    }
    if ((now->kind == HAFT__SEARCH_DIGIT) != (next->kind == HAFT__SEARCH_DIGIT)) {
        return true;
    }
    if (next->kind != HAFT__SEARCH_UPPER) {
        return false;
    }
    if (now->kind == HAFT__SEARCH_LOWER) { /* create|Issue */
        return true;
    }
    haft__search_character third = letter_at(words, at + next->bytes);
    if (third.kind != HAFT__SEARCH_LOWER) {
        return false;
    }
    haft__search_character fourth = letter_at(words, at + next->bytes + third.bytes);
    return third.code != 's' || fourth.kind == HAFT__SEARCH_LOWER; /* HTTP|Server, but IDs */
}

static void read_plain(haft__search_tokenizer *words, haft__search_word *word)
{
    haft__search_character now = letter_at(words, words->at);
    bool seam = false;
    while (!seam) {
        add_letter(word, &now);
        words->at += now.bytes;
        haft__search_character next = letter_at(words, words->at);
        seam = is_seam(words, words->at, &now, &next);
        now = next;
    }
}

/* Reads a bigram and advances by one character. A last single character belongs to the bigram
 * before it. */
static void read_pair(haft__search_tokenizer *words, haft__search_word *word)
{
    haft__search_character first = letter_at(words, words->at);
    words->at += first.bytes;
    haft__search_character second = letter_at(words, words->at);
    bool paired = second.kind == HAFT__SEARCH_BIGRAM;
    if (paired || !words->in_pairs) {
        add_letter(word, &first);
    }
    if (paired) {
        add_letter(word, &second);
    }
    words->in_pairs = paired;
}

/* Reads "mp3" and similar words before their parts; false if no such word begins here. */
static bool read_joined(haft__search_tokenizer *words, haft__search_word *word)
{
    if (words->at < words->joined) {
        return false;
    }
    const char *text = words->text.ptr + words->at;
    size_t max = words->end - words->at, length = 0, digits = 0;
    while (length < max && shape_of(text[length]) != SHAPE_OTHER) {
        digits += shape_of(text[length]) == SHAPE_DIGIT;
        length++;
    }
    words->joined = words->at + length + 1;
    bool cut = length < max && (unsigned char)text[length] >= 0x80;
    if (cut || length > JOINED_BYTES || digits == 0 || digits == length) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        haft__search_character letter = letter_at(words, words->at + i);
        add_letter(word, &letter);
    }
    return true;
}

/* The length of an apostrophe and, if an ending of at most two letters follows ("'s", "'t", "'ll"),
 * of the ending, which is not a word. */
static size_t skip_apostrophe(const haft__search_tokenizer *words)
{
    size_t at = words->at + 1, length = 0;
    while (at + length < words->end && shape_of(words->text.ptr[at + length]) == SHAPE_SMALL) {
        length++;
    }
    bool after_word = words->at > 0 && shape_of(words->text.ptr[words->at - 1]) != SHAPE_OTHER;
    return after_word && length <= 2 ? 1 + length : 1;
}

static void skip_other(haft__search_tokenizer *words, size_t bytes)
{
    char c = words->text.ptr[words->at];
    bool last = words->at + bytes == words->token_end;
    bool ends = last && (c == '.' || c == '!' || c == '?' || c == ':');
    words->breaks = words->breaks || ends || c == ',' || c == ';';
    words->at += c == '\'' ? skip_apostrophe(words) : bytes;
    words->in_pairs = false;
}

static int compare_words(const void *key, const void *row)
{
    return haft__str_compare(*(const haft_str *)key, haft__str(*(const char *const *)row));
}

static bool is_stop_word(haft_str word)
{
    return word.len <= LONGEST_STOP_WORD
           && bsearch(&word, stop_words, COUNT(stop_words), sizeof(stop_words[0]), compare_words)
                  != NULL;
}

/* Reads one step: a word or a separator. */
static void read_step(haft__search_tokenizer *words, haft__search_word *word)
{
    haft__search_character letter = letter_at(words, words->at);
    word->raw_length = 0;
    switch (letter.kind) {
    case HAFT__SEARCH_OTHER: skip_other(words, letter.bytes); return;
    case HAFT__SEARCH_BIGRAM: read_pair(words, word); return;
    case HAFT__SEARCH_LOWER:
    case HAFT__SEARCH_UPPER:
    case HAFT__SEARCH_DIGIT:
        words->in_pairs = false;
        if (!read_joined(words, word)) {
            read_plain(words, word);
        }
        return;
    }
}

/* Sets the stem of the word, or of the word that it abbreviates. "news" is not the plural of "new",
 * which is a synonym of "create". */
static void find_stem(haft__search_tokenizer *words, haft__search_word *word)
{
    bool is_news = haft__str_equal((haft_str){word->raw, word->raw_length}, HAFT__LIT("news"));
    memcpy(word->stem, word->raw, word->raw_length);
    word->stem_length =
        is_news ? word->raw_length : haft__search_stem(word->stem, word->raw_length);
    haft_str whole = haft__search_abbreviation((haft_str){word->stem, word->stem_length});
    if (whole.len > 0) {
        haft_str first = haft__str_split(&whole, ' ');
        memcpy(word->stem, first.ptr, first.len);
        word->stem_length = haft__search_stem(word->stem, first.len);
        words->more = whole;
    }
}

static void finish_word(haft__search_tokenizer *words, haft__search_word *word)
{
    find_stem(words, word);
    word->begins_clause = words->breaks;
    words->breaks = false;
}

/* Returns the next word of `from`, which is not written in the text. */
static bool emit_word(haft__search_tokenizer *words, haft_str *from, bool implied,
                      haft__search_word *word)
{
    haft_str text = haft__str_split(from, ' ');
    memcpy(word->raw, text.ptr, text.len);
    word->raw_length = text.len;
    word->implied = implied;
    finish_word(words, word);
    return true;
}

/* Reads the written word at `at`, if there is one. */
static bool read_word(haft__search_tokenizer *words, haft__search_word *word)
{
    read_step(words, word);
    if (word->raw_length == 0 || word->raw_length > sizeof(word->raw)) {
        return false;
    }
    haft_str raw = {word->raw, word->raw_length};
    if (is_stop_word(raw)) {
        words->breaks = words->breaks || haft__str_equal(raw, HAFT__LIT("and"))
                        || haft__str_equal(raw, HAFT__LIT("then"));
        return false;
    }
    word->implied = false;
    finish_word(words, word);
    return true;
}

bool haft__search_tokenizer_next(haft__search_tokenizer *words, haft__search_word *ret_word)
{
    if (words->more.len > 0) {
        return emit_word(words, &words->more, false, ret_word);
    }
    do {
        while (words->at < words->end) {
            if (read_word(words, ret_word)) {
                return true;
            }
        }
        if (words->implied.len > 0) {
            return emit_word(words, &words->implied, true, ret_word);
        }
    } while (next_token(words));
    return false;
}
