/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stem.c - Porter's stemmer. The steps have the numbers of the paper.
 *
 * A word is [C](VC)^m[V], where C and V are runs of consonants and vowels. m is the measure; most
 * rules require a minimum measure of the remaining stem.
 *
 * Tests: tests/tool/index/stem_test.c.
 */
#include "tool/index/stem.h"

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"
#include "base/macros.h"

typedef struct stem {
    char *word;
    size_t length;
} stem;

/* An ending and its replacement. */
typedef struct rule {
    const char *ending, *replacement;
} rule;

static bool is_vowel_letter(char c)
{
    return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
}

/* 'y' is a consonant at the start and after a vowel; in a sequence of 'y', every other one is a
 * consonant. */
static bool is_consonant(const char *word, size_t at)
{
    if (word[at] != 'y') {
        return !is_vowel_letter(word[at]);
    }
    size_t first = at;
    while (first > 0 && word[first - 1] == 'y') {
        first--;
    }
    bool consonant = first == 0 || is_vowel_letter(word[first - 1]);
    return (at - first) % 2 == 0 ? consonant : !consonant;
}

/* The measure of the first `length` letters. */
static size_t measure(const char *word, size_t length)
{
    size_t count = 0;
    bool after_vowel = false;
    for (size_t i = 0; i < length; i++) {
        bool consonant = is_consonant(word, i);
        count += consonant && after_vowel;
        after_vowel = !consonant;
    }
    return count;
}

static bool has_vowel(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!is_consonant(word, i)) {
            return true;
        }
    }
    return false;
}

static bool ends_double(const stem *s)
{
    size_t n = s->length;
    return n >= 2 && s->word[n - 1] == s->word[n - 2] && is_consonant(s->word, n - 1);
}

/* *o in the paper: whether the word ends with consonant, vowel, consonant, and the last one is not
 * w, x or y. */
static bool ends_short(const char *word, size_t length)
{
    if (length < 3 || !is_consonant(word, length - 1) || is_consonant(word, length - 2)
        || !is_consonant(word, length - 3)) {
        return false;
    }
    char last = word[length - 1];
    return last != 'w' && last != 'x' && last != 'y';
}

static bool ends(const stem *s, const char *ending)
{
    size_t n = strlen(ending);
    return s->length >= n && memcmp(s->word + s->length - n, ending, n) == 0;
}

/* Replaces an ending. No replacement is longer than its ending, except in step 1b, where a longer
 * ending was stripped first. */
static void replace(stem *s, const char *ending, const char *replacement)
{
    size_t n = strlen(replacement);
    s->length -= strlen(ending);
    memcpy(s->word + s->length, replacement, n);
    s->length += n;
}

/* Only the first rule whose ending matches is used, even if its measure is too small. */
static bool apply(stem *s, const rule *rules, size_t count, size_t min)
{
    for (size_t i = 0; i < count; i++) {
        if (ends(s, rules[i].ending)) {
            if (measure(s->word, s->length - strlen(rules[i].ending)) >= min) {
                replace(s, rules[i].ending, rules[i].replacement);
            }
            return true;
        }
    }
    return false;
}

static void step_1a(stem *s)
{
    static const rule rules[] = {{"sses", "ss"}, {"ies", "i"}, {"ss", "ss"}, {"s", ""}};
    (void)apply(s, rules, COUNT(rules), 0);
}

/* Corrects the end of a word after "ed" or "ing" was stripped. */
static void step_1b_tidy(stem *s)
{
    static const rule rules[] = {{"at", "ate"}, {"bl", "ble"}, {"iz", "ize"}};
    if (apply(s, rules, COUNT(rules), 0)) {
        return;
    }
    char last = s->word[s->length - 1];
    if (ends_double(s) && last != 'l' && last != 's' && last != 'z') {
        s->length--;
    } else if (measure(s->word, s->length) == 1 && ends_short(s->word, s->length)) {
        s->word[s->length++] = 'e';
    }
}

static void step_1b(stem *s)
{
    if (ends(s, "eed")) {
        if (measure(s->word, s->length - 3) > 0) {
            s->length--;
        }
        return;
    }
    size_t suffix_length = ends(s, "ed") ? 2 : ends(s, "ing") ? 3 : 0;
    if (suffix_length > 0 && has_vowel(s->word, s->length - suffix_length)) {
        s->length -= suffix_length;
        step_1b_tidy(s);
    }
}

static void step_1c(stem *s)
{
    if (ends(s, "y") && has_vowel(s->word, s->length - 1)) {
        s->word[s->length - 1] = 'i';
    }
}

static void step_2(stem *s)
{
    static const rule rules[] = {
        {"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},   {"anci", "ance"},
        {"izer", "ize"},    {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"},
        {"eli", "e"},       {"ousli", "ous"},   {"ization", "ize"}, {"ation", "ate"},
        {"ator", "ate"},    {"alism", "al"},    {"iveness", "ive"}, {"fulness", "ful"},
        {"ousness", "ous"}, {"aliti", "al"},    {"iviti", "ive"},   {"biliti", "ble"},
        {"logi", "log"},
    };
    (void)apply(s, rules, COUNT(rules), 1);
}

static void step_3(stem *s)
{
    static const rule rules[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"},
                                 {"ical", "ic"},  {"ful", ""},   {"ness", ""}};
    (void)apply(s, rules, COUNT(rules), 1);
}

static void step_4(stem *s)
{
    static const rule rules[] = {
        {"al", ""},   {"ance", ""}, {"ence", ""},  {"er", ""},   {"ic", ""},  {"able", ""},
        {"ible", ""}, {"ant", ""},  {"ement", ""}, {"ment", ""}, {"ent", ""}, {"ou", ""},
        {"ism", ""},  {"ate", ""},  {"iti", ""},   {"ous", ""},  {"ive", ""}, {"ize", ""},
    };
    if (!ends(s, "ion")) {
        (void)apply(s, rules, COUNT(rules), 2);
        return;
    }
    size_t left = s->length - 3;
    if (left > 0 && (s->word[left - 1] == 's' || s->word[left - 1] == 't')
        && measure(s->word, left) > 1) {
        s->length = left;
    }
}

static void step_5(stem *s)
{
    if (ends(s, "e")) {
        size_t left = s->length - 1, m = measure(s->word, left);
        if (m > 1 || (m == 1 && !ends_short(s->word, left))) {
            s->length = left;
        }
    }
    if (ends(s, "ll") && measure(s->word, s->length) > 1) {
        s->length--;
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the word is changed through `stem` */
size_t haft__search_stem(char *word, size_t length)
{
    if (length < 3) {
        return length;
    }
    for (size_t i = 0; i < length; i++) {
        if (!haft__ascii_is_lower(word[i])) {
            return length;
        }
    }
    stem s = {word, length};
    step_1a(&s);
    step_1b(&s);
    step_1c(&s);
    step_2(&s);
    step_3(&s);
    step_4(&s);
    step_5(&s);
    return s.length;
}
