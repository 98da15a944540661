/* SPDX-License-Identifier: Apache-2.0 */
/* absent_words.c - see absent_words.h. Tests: tests/tool/absent_words_test.c. */
#include "tool/absent_words.h"

#include "base/str.h"
#include "tool/programs.h"

/* "--name=value" */
static bool has_own_value(haft_str word)
{
    return haft__str_starts_with(word, HAFT__LIT("--")) && memchr(word.ptr, '=', word.len) != NULL;
}

/* Whether "--" follows the word at `at` if all words that consist of an argument are left out. */
static bool dashes_may_follow(const haft__command_words *words, size_t at)
{
    at++;
    while (at < words->count && words->items[at].alone) {
        at++;
    }
    return at < words->count && haft__word_is_dashes(words->items[at].text);
}

/* The effect of leaving out the word at `at` on the option before it, whose `next` is given. An
 * option of a harmless program may take any other word as its value, except "--", because "--"
 * protects the words after it. */
static haft__word_absence judge_next(const haft__command_words *words, size_t at,
                                     haft__option_next next)
{
    switch (next) {
    case HAFT__NEXT_NO: return HAFT__ABSENT_WORD;
    case HAFT__NEXT_VALUE: return HAFT__ABSENT_OPTION;
    case HAFT__NEXT_UNSURE: return HAFT__ABSENT_UNSURE;
    case HAFT__NEXT_HARMLESS: break;
    }
    return dashes_may_follow(words, at) ? HAFT__ABSENT_UNSURE : HAFT__ABSENT_WORD;
}

/* Judges a word that consists of an argument. The word before it may be an option with this word as
 * its value. */
static haft__word_absence judge_alone(const haft__command_words *words, size_t at)
{
    const haft__command_word *option = &words->items[at - 1];
    if (!haft__word_is_option(option->text) || has_own_value(option->text)) {
        return HAFT__ABSENT_WORD;
    }
    if (option->argument.ptr == NULL) {
        return judge_next(words, at, option->next);
    }
    /* "-e{t}" has its value, "-{t}" may be any option */
    return option->next == HAFT__NEXT_VALUE ? HAFT__ABSENT_WORD
                                            : judge_next(words, at, HAFT__NEXT_UNSURE);
}

void haft__absent_words_judge(haft__command_words *words)
{
    for (size_t at = 1; at < words->count; at++) {
        haft__command_word *word = &words->items[at];
        if (word->argument.ptr == NULL || word->after_dashes
            || word->absence != HAFT__ABSENT_WORD) {
            continue;
        }
        if (word->alone) {
            word->absence = judge_alone(words, at);
        } else if (haft__word_is_option(word->fixed) && !has_own_value(word->fixed)) {
            word->absence = judge_next(words, at, word->next);
        }
    }
}
