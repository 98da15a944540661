/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aim.c - what kind of question a task is: where something is defined, who calls it, what
 * value it has, how many there are ...
 *
 * The words that say so ("defined", "signature", "how many") are cues: they choose searches, ranks
 * and the form of the answer, and are not looked for themselves while there are others.
 * Tests: tests/model/rules/aim_test.c.
 */
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"

/* A question is made up in its first words. */
#define LOOKED_AT 600U
#define LONGEST   16U

/* What words can say about a question, a bit for each. */
enum {
    SAYS_DEFINED = 1U << 0,
    SAYS_DECLARED = 1U << 1,
    SAYS_CALLED = 1U << 2,
    SAYS_VALUE = 1U << 3,
    SAYS_SIGNATURE = 1U << 4,
    SAYS_DOCUMENTED = 1U << 5,
    SAYS_MESSAGE = 1U << 6,
    SAYS_FORM = 1U << 7,   /* a function, a macro: what the next word is the name of */
    SAYS_THINGS = 1U << 8, /* what can be counted */
    SAYS_HOW = 1U << 9,
    SAYS_MANY = 1U << 10,
    SAYS_WHY = 1U << 11,
    SAYS_WHAT = 1U << 12,
    SAYS_DOES = 1U << 13,
    SAYS_LIST = 1U << 14,
    SAYS_COMPARE = 1U << 15,
    SAYS_SUMMARY = 1U << 16,
    SAYS_WHO = 1U << 17,
    SAYS_WHERE = 1U << 18,
    SAYS_ALL = 1U << 19,
    SAYS_COUNT = 1U << 20,
    SAYS_NUMBER = 1U << 21, /* a value, but also a word of its own */
    SAYS_WHETHER = 1U << 23,
    SAYS_FILE = 1U << 22, /* behind "which"; elsewhere a word of its own */
};

static const struct {
    const char *word;
    uint32_t says;
} cues[] = {
    {"defined", SAYS_DEFINED},
    {"define", SAYS_DEFINED},
    {"defines", SAYS_DEFINED},
    {"definition", SAYS_DEFINED},
    {"implemented", SAYS_DEFINED},
    {"implements", SAYS_DEFINED},
    {"implementation", SAYS_DEFINED},
    {"declared", SAYS_DECLARED},
    {"declares", SAYS_DECLARED},
    {"declaration", SAYS_DECLARED},
    {"called", SAYS_CALLED},
    {"calls", SAYS_CALLED},
    {"callers", SAYS_CALLED},
    {"caller", SAYS_CALLED},
    {"used", SAYS_CALLED},
    {"uses", SAYS_CALLED},
    {"invoked", SAYS_CALLED},
    {"invokes", SAYS_CALLED},
    {"value", SAYS_VALUE},
    {"default", SAYS_NUMBER},
    {"number", SAYS_NUMBER},
    {"maximum", SAYS_NUMBER},
    {"limit", SAYS_NUMBER},
    {"size", SAYS_NUMBER},
    {"signature", SAYS_SIGNATURE},
    {"prototype", SAYS_SIGNATURE},
    {"documented", SAYS_DOCUMENTED},
    {"described", SAYS_DOCUMENTED},
    {"explained", SAYS_DOCUMENTED},
    {"message", SAYS_MESSAGE},
    {"string", SAYS_MESSAGE},
    {"function", SAYS_FORM | SAYS_THINGS},
    {"functions", SAYS_THINGS},
    {"macro", SAYS_FORM},
    {"macros", SAYS_THINGS},
    {"constant", SAYS_FORM | SAYS_VALUE},
    {"struct", SAYS_FORM},
    {"structs", SAYS_THINGS},
    {"structure", SAYS_FORM},
    {"union", SAYS_FORM},
    {"enum", SAYS_FORM},
    {"type", SAYS_FORM},
    {"typedef", SAYS_FORM},
    {"class", SAYS_FORM},
    {"classes", SAYS_THINGS},
    {"method", SAYS_FORM},
    {"variable", SAYS_FORM},
    {"file", SAYS_FILE},
    {"files", SAYS_THINGS | SAYS_FILE},
    {"header", SAYS_FILE},
    {"headers", SAYS_THINGS | SAYS_FILE},
    {"lines", SAYS_THINGS},
    {"times", SAYS_THINGS},
    {"occurrences", SAYS_THINGS},
    {"how", SAYS_HOW},
    {"many", SAYS_MANY},
    {"count", SAYS_COUNT},
    {"why", SAYS_WHY},
    {"what", SAYS_WHAT},
    {"what's", SAYS_WHAT},
    {"does", SAYS_DOES},
    {"list", SAYS_LIST},
    {"all", SAYS_ALL},
    {"every", SAYS_ALL},
    {"compare", SAYS_COMPARE},
    {"difference", SAYS_COMPARE},
    {"differences", SAYS_COMPARE},
    {"differ", SAYS_COMPARE},
    {"summarise", SAYS_SUMMARY},
    {"summarize", SAYS_SUMMARY},
    {"summary", SAYS_SUMMARY},
    {"overview", SAYS_SUMMARY},
    {"is", SAYS_WHETHER},
    {"are", SAYS_WHETHER},
    {"can", SAYS_WHETHER},
    {"do", SAYS_WHETHER},
    {"who", SAYS_WHO},
    {"where", SAYS_WHERE},
};

static uint32_t says(haft_str word)
{
    for (size_t i = 0; i < COUNT(cues); i++) {
        if (haft__str_equal(word, haft__str(cues[i].word))) {
            return cues[i].says;
        }
    }
    return 0;
}

haft__offline_cue haft__offline_cue_of(haft_str lower_word)
{
    uint32_t bits = says(lower_word);
    if ((bits & SAYS_FORM) != 0) {
        return HAFT__OFFLINE_CUE_FORM;
    }
    if ((bits & SAYS_FILE) != 0) {
        return HAFT__OFFLINE_CUE_FILE;
    }
    return (bits & ~(uint32_t)(SAYS_NUMBER | SAYS_WHETHER)) != 0 ? HAFT__OFFLINE_CUE
                                                                 : HAFT__OFFLINE_NO_CUE;
}

haft_str haft__offline_keyword_of(haft_str form)
{
    static const char *const others[][2] = {
        {"macro", "define"}, {"structure", "struct"}, {"type", "typedef"}, {"constant", "define"}};
    for (size_t i = 0; i < COUNT(others); i++) {
        if (haft__str_equal(form, haft__str(others[i][0]))) {
            return haft__str(others[i][1]);
        }
    }
    return form;
}

/* The first that is true. What a thing is asked for beats what is asked about it: "who calls F and
 * what is its value" has one answer only. */
static haft__offline_aim decide(uint32_t first, uint32_t all)
{
    bool how_many = (all & SAYS_HOW) != 0 && (all & SAYS_MANY) != 0;
    bool where = (all & SAYS_WHERE) != 0;
    if ((all & SAYS_COMPARE) != 0) {
        return HAFT__OFFLINE_AIM_COMPARE;
    }
    if ((all & SAYS_SUMMARY) != 0) {
        return HAFT__OFFLINE_AIM_SUMMARY;
    }
    if (how_many || (first & SAYS_COUNT) != 0) {
        return (all & (SAYS_THINGS | SAYS_CALLED)) != 0 || !how_many ? HAFT__OFFLINE_AIM_COUNT
                                                                     : HAFT__OFFLINE_AIM_VALUE;
    }
    if ((first & SAYS_LIST) != 0 || (first == 0 && (all & SAYS_LIST) != 0)) {
        return HAFT__OFFLINE_AIM_LIST;
    }
    if ((all & SAYS_SIGNATURE) != 0) {
        return HAFT__OFFLINE_AIM_SIGNATURE;
    }
    if ((all & SAYS_DECLARED) != 0) {
        return HAFT__OFFLINE_AIM_DECLARED;
    }
    if ((all & SAYS_DEFINED) != 0) {
        return HAFT__OFFLINE_AIM_DEFINED;
    }
    if ((all & SAYS_WHY) != 0) {
        return HAFT__OFFLINE_AIM_REASON;
    }
    if ((all & SAYS_CALLED) != 0 && ((all & SAYS_WHO) != 0 || where)) {
        return HAFT__OFFLINE_AIM_CALLED;
    }
    if ((all & SAYS_DOCUMENTED) != 0) {
        return HAFT__OFFLINE_AIM_DOCUMENTED;
    }
    if (!where && (all & (SAYS_VALUE | SAYS_NUMBER)) != 0) {
        return HAFT__OFFLINE_AIM_VALUE;
    }
    if ((all & SAYS_HOW) != 0 || (first & (SAYS_WHETHER | SAYS_DOES)) != 0) {
        return HAFT__OFFLINE_AIM_REASON;
    }
    return (first & SAYS_WHAT) != 0 ? HAFT__OFFLINE_AIM_MEANING : HAFT__OFFLINE_AIM_PLACE;
}

haft__offline_aim haft__offline_aim_of(haft_str task)
{
    uint32_t first = 0, all = 0;
    size_t words = 0, length = 0;
    char word[LONGEST];
    task.len = task.len < LOOKED_AT ? task.len : LOOKED_AT;
    for (size_t i = 0; i <= task.len; i++) {
        char c = i < task.len ? task.ptr[i] : ' ';
        char lower = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        bool inside = (lower >= 'a' && lower <= 'z') || c == '\'' || c == '_';
        if (inside) {
            length += length < LONGEST ? 1 : 0;
            word[length - 1] = lower;
        } else if (length > 0) {
            uint32_t bits = length < LONGEST ? says((haft_str){word, length}) : 0;
            first = words++ == 0 ? bits : first;
            all |= bits;
            length = 0;
        }
    }
    return decide(first, all);
}

const char *haft__offline_aim_name(haft__offline_aim aim)
{
    switch (aim) {
    case HAFT__OFFLINE_AIM_PLACE: return "where something is";
    case HAFT__OFFLINE_AIM_DEFINED: return "where something is defined";
    case HAFT__OFFLINE_AIM_DECLARED: return "where something is declared";
    case HAFT__OFFLINE_AIM_SIGNATURE: return "how something is declared";
    case HAFT__OFFLINE_AIM_CALLED: return "where something is called";
    case HAFT__OFFLINE_AIM_VALUE: return "which value something has";
    case HAFT__OFFLINE_AIM_MEANING: return "what something is or does";
    case HAFT__OFFLINE_AIM_DOCUMENTED: return "where something is described";
    case HAFT__OFFLINE_AIM_REASON: return "how or why";
    case HAFT__OFFLINE_AIM_COUNT: return "how many there are";
    case HAFT__OFFLINE_AIM_LIST: return "which there are";
    case HAFT__OFFLINE_AIM_COMPARE: return "how two things differ";
    case HAFT__OFFLINE_AIM_SUMMARY: return "what there is in short";
    }
    HAFT__UNREACHABLE();
}
