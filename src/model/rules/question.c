/* SPDX-License-Identifier: Apache-2.0 */
/*
 * question.c - decides what kind of question a task is: where something is defined, who calls it,
 * which value it has ...
 *
 * The words that say so ("defined", "signature", "how many") are cues. They choose the searches
 * and the ranking, and are not searched for themselves if there are other words.
 * Tests: tests/model/rules/question_test.c.
 */
#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

/* Only the start of a task is read as a question. */
#define READ_BYTES 600U
#define LONGEST    16U

/* The meanings of a cue word in a question, one bit for each. */
enum {
    SAYS_DEFINED = 1U << 0,
    SAYS_DECLARED = 1U << 1,
    SAYS_CALLED = 1U << 2,
    SAYS_VALUE = 1U << 3,
    SAYS_NUMBER = 1U << 4, /* a value, but also a word of its own */
    SAYS_DOCUMENTED = 1U << 5,
    SAYS_KEYWORD = 1U << 6, /* function, macro: the next word may be its name */
    SAYS_FILE = 1U << 7,    /* after "which"; otherwise a word of its own */
    SAYS_HOW = 1U << 8,
    SAYS_MANY = 1U << 9,
    SAYS_WHY = 1U << 10,
    SAYS_WHAT = 1U << 11,
    SAYS_DOES = 1U << 12,
    SAYS_WHO = 1U << 13,
    SAYS_WHERE = 1U << 14,
    SAYS_WHETHER = 1U << 15,
    SAYS_OTHER = 1U << 16, /* a cue that decides nothing */
};

static const struct {
    uint32_t says;
    const char *words;
} cues[] = {
    {SAYS_DEFINED, "defined define defines definition implemented implements implementation"},
    {SAYS_DECLARED, "declared declares declaration signature prototype"},
    {SAYS_CALLED, "called calls callers caller used uses invoked invokes"},
    {SAYS_VALUE, "value constant"},
    {SAYS_NUMBER, "default number maximum limit size"},
    {SAYS_DOCUMENTED, "documented described explained"},
    {SAYS_KEYWORD,
     "function macro constant struct structure union enum type typedef class method variable"},
    {SAYS_FILE, "file files header headers"},
    {SAYS_HOW, "how"},
    {SAYS_MANY, "many"},
    {SAYS_WHY, "why"},
    {SAYS_WHAT, "what what's"},
    {SAYS_DOES, "does"},
    {SAYS_WHO, "who"},
    {SAYS_WHERE, "where"},
    {SAYS_WHETHER, "is are can do"},
    {SAYS_OTHER, "message string functions macros structs classes lines times occurrences count "
                 "compare difference differences differ overview"},
};

static uint32_t says(haft_str word)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < COUNT(cues); i++) {
        bits |= haft__offline_in_list(word, cues[i].words) ? cues[i].says : 0;
    }
    return bits;
}

haft__offline_cue haft__offline_cue_of(haft_str lower_word)
{
    uint32_t bits = says(lower_word);
    if ((bits & SAYS_KEYWORD) != 0) {
        return HAFT__OFFLINE_CUE_KEYWORD;
    }
    if ((bits & SAYS_FILE) != 0) {
        return HAFT__OFFLINE_CUE_FILE;
    }
    bool cue = (bits & ~(uint32_t)(SAYS_NUMBER | SAYS_WHETHER)) != 0;
    return cue ? HAFT__OFFLINE_CUE : HAFT__OFFLINE_NO_CUE;
}

haft_str haft__offline_keyword_of(haft_str cue_word)
{
    static const char *const others[][2] = {
        {"macro", "define"}, {"structure", "struct"}, {"type", "typedef"}, {"constant", "define"}};
    for (size_t i = 0; i < COUNT(others); i++) {
        if (haft__str_equal(cue_word, haft__str(others[i][0]))) {
            return haft__str(others[i][1]);
        }
    }
    return cue_word;
}

/* The first rule that applies decides. `first` are the bits of the first word. */
static haft__offline_question decide(uint32_t first, uint32_t all)
{
    bool where = (all & SAYS_WHERE) != 0, how = (all & SAYS_HOW) != 0;
    if (how && (all & SAYS_MANY) != 0) {
        return HAFT__OFFLINE_QUESTION_COUNT;
    }
    if ((all & SAYS_DECLARED) != 0) {
        return HAFT__OFFLINE_QUESTION_DECLARATION;
    }
    if ((all & SAYS_DEFINED) != 0) {
        return HAFT__OFFLINE_QUESTION_DEFINITION;
    }
    if ((all & SAYS_WHY) != 0) {
        return HAFT__OFFLINE_QUESTION_REASON;
    }
    if ((all & SAYS_CALLED) != 0 && ((all & SAYS_WHO) != 0 || where)) {
        return HAFT__OFFLINE_QUESTION_CALLERS;
    }
    if ((all & SAYS_DOCUMENTED) != 0) {
        return HAFT__OFFLINE_QUESTION_DOCUMENTATION;
    }
    if (!where && (all & (SAYS_VALUE | SAYS_NUMBER)) != 0) {
        return HAFT__OFFLINE_QUESTION_VALUE;
    }
    if (how || (first & (SAYS_WHETHER | SAYS_DOES)) != 0) {
        return HAFT__OFFLINE_QUESTION_REASON;
    }
    return (first & SAYS_WHAT) != 0 ? HAFT__OFFLINE_QUESTION_MEANING : HAFT__OFFLINE_QUESTION_PLACE;
}

haft__offline_question haft__offline_question_of(haft_str task)
{
    uint32_t first = 0, all = 0;
    size_t words = 0, length = 0;
    char word[LONGEST];
    task.len = task.len < READ_BYTES ? task.len : READ_BYTES;
    for (size_t i = 0; i <= task.len; i++) {
        char c = i < task.len ? haft__ascii_lower(task.ptr[i]) : ' ';
        if (haft__ascii_is_lower(c) || c == '\'' || c == '_') {
            length += length < LONGEST ? 1 : 0;
            word[length - 1] = c;
        } else if (length > 0) {
            uint32_t bits = length < LONGEST ? says((haft_str){word, length}) : 0;
            first = words++ == 0 ? bits : first;
            all |= bits;
            length = 0;
        }
    }
    return decide(first, all);
}
