/* SPDX-License-Identifier: Apache-2.0 */
/*
 * description.c - classifies and counts the words of a description.
 *
 * The lists contain words without a meaning (the, for, it), fillers (stuff, things) and verbs that
 * fit any tool (does, handles). All other words are content. A description needs two words of
 * content, or three if it has a filler. At least one of them must not be in the name.
 *
 * Tests: tests/tool/description_test.c.
 */
#include "tool/description.h"

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"

#define WORD_MAX   24 /* letters of a word that are compared */
#define WORDS_MAX  64 /* a longer description is never vague */
#define CHARS_WORD 2U /* in scripts without spaces, about this many characters make a word */

/* Words in these lists are surrounded by spaces. */
static const char glue[] =
    " a an the of for to in on at by with and or from into as is are be can will it its this that "
    "these those your you my we our all any some when if then than using use uses used via ";
static const char fillers[] =
    " stuff thing things something anything everything whatever various misc miscellaneous etc "
    "data info information item items object objects content contents ";
static const char empty_verbs[] =
    " do does doing did get gets getting handle handles handling process processes processing "
    "manage manages managing perform performs performing run runs running execute executes "
    "executing work works working make makes making help helps tool tools function functions "
    "helper utility task tasks operation operations useful ";

typedef struct counts {
    size_t words, content, fillers, new_content; /* new: not in the name */
} counts;

static bool is_word_byte(char c)
{
    return haft__ascii_is_alphanumeric(c) || (unsigned char)c >= 0x80;
}

/* Whether the word, with its spaces, is in the list. */
static bool is_in(const char *list, const char *spaced)
{
    return strstr(list, spaced) != NULL;
}

/* The next word of *text, in lower case and surrounded by spaces; false at the end. */
static bool next_word(haft_str *text, char spaced[WORD_MAX + 3], haft_str *ret_word)
{
    size_t start = 0;
    while (start < text->len && !is_word_byte(text->ptr[start])) {
        start++;
    }
    size_t end = start;
    size_t used = 0;
    spaced[used++] = ' ';
    for (; end < text->len && is_word_byte(text->ptr[end]); end++) {
        if (used <= WORD_MAX) {
            spaced[used++] = haft__ascii_lower(text->ptr[end]);
        }
    }
    spaced[used++] = ' ';
    spaced[used] = '\0';
    *ret_word = (haft_str){text->ptr + start, end - start};
    *text = haft__str_skip(*text, end);
    return end > start;
}

/* Whether two words, with their spaces, are forms of one word: "search" and "searches". */
static bool same_stem(const char *a, const char *b)
{
    size_t common = 0;
    while (a[common] != '\0' && a[common] == b[common]) {
        common++;
    }
    size_t rest = strlen(a) > strlen(b) ? strlen(a) - common : strlen(b) - common;
    return common >= 4 && rest <= 4; /* up to three letters and the space */
}

static bool is_in_name(haft_str name, const char *spaced)
{
    char part[WORD_MAX + 3];
    haft_str word;
    while (next_word(&name, part, &word)) {
        if (strcmp(part, spaced) == 0 || same_stem(part, spaced)) {
            return true;
        }
    }
    return false;
}

/* Text in other scripts counts by its length, because some of them use no spaces. */
static size_t weight(haft_str word)
{
    size_t length = haft__utf8_length(word);
    return length == word.len || length < 2 * CHARS_WORD ? 1 : length / CHARS_WORD;
}

static counts count_words(haft_str name, haft_str text)
{
    counts found = {0};
    char spaced[WORD_MAX + 3];
    haft_str word;
    while (found.words < WORDS_MAX && next_word(&text, spaced, &word)) {
        size_t value = weight(word);
        found.words += value;
        found.fillers += is_in(fillers, spaced);
        if (!is_in(glue, spaced) && !is_in(fillers, spaced) && !is_in(empty_verbs, spaced)) {
            found.content += value;
            found.new_content += is_in_name(name, spaced) ? 0 : value;
        }
    }
    return found;
}

haft__description_flaw haft__description_check(haft_str name, haft_str description)
{
    counts found = count_words(name, description);
    if (found.words >= WORDS_MAX) {
        return HAFT__DESCRIPTION_OK;
    }
    if (found.fillers > 0 && found.content < 3) {
        return HAFT__DESCRIPTION_FILLER;
    }
    if (found.words < 3) {
        return HAFT__DESCRIPTION_TOO_SHORT;
    }
    if (found.content < 2) {
        return HAFT__DESCRIPTION_NO_OBJECT;
    }
    return found.new_content == 0 ? HAFT__DESCRIPTION_REPEATS_NAME : HAFT__DESCRIPTION_OK;
}

const char *haft__description_flaw_text(haft__description_flaw flaw)
{
    switch (flaw) {
    case HAFT__DESCRIPTION_OK: return "";
    case HAFT__DESCRIPTION_TOO_SHORT:
        return "the description is very short: say what the tool does, to what, and when to use it";
    case HAFT__DESCRIPTION_FILLER:
        return "the description says little beyond filler words: name what the tool works on";
    case HAFT__DESCRIPTION_NO_OBJECT:
        return "the description does not say what the tool works on: name its object";
    case HAFT__DESCRIPTION_REPEATS_NAME:
        return "the description only repeats the tool's name: say what comes back and when to use "
               "it";
    }
    HAFT__UNREACHABLE();
}
