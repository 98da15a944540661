/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/question.c: the kind of question of a task. */
#include "model/rules/offline_help.h"

TEST(kinds_of_questions_are_recognized)
{
    static const struct {
        const char *task;
        haft__offline_question question;
    } cases[] = {
        {"Where is the Retry-After header parsed?", HAFT__OFFLINE_QUESTION_PLACE},
        {"Which file parses events?", HAFT__OFFLINE_QUESTION_PLACE},
        {"Find the error message 'x y'", HAFT__OFFLINE_QUESTION_PLACE},
        {"Where is f defined?", HAFT__OFFLINE_QUESTION_DEFINITION},
        {"where is F IMPLEMENTED", HAFT__OFFLINE_QUESTION_DEFINITION},
        {"Which header declares f?", HAFT__OFFLINE_QUESTION_DECLARATION},
        {"What is f's signature?", HAFT__OFFLINE_QUESTION_DECLARATION},
        {"Who calls f?", HAFT__OFFLINE_QUESTION_CALLERS},
        {"Where is f used?", HAFT__OFFLINE_QUESTION_CALLERS},
        {"Why is f used?", HAFT__OFFLINE_QUESTION_REASON},
        {"What is the value of F?", HAFT__OFFLINE_QUESTION_VALUE},
        {"What is the default of F?", HAFT__OFFLINE_QUESTION_VALUE},
        {"How many threads does the pool have?", HAFT__OFFLINE_QUESTION_COUNT},
        {"How many files are there?", HAFT__OFFLINE_QUESTION_COUNT},
        {"How many times is f called?", HAFT__OFFLINE_QUESTION_COUNT},
        {"What does f do?", HAFT__OFFLINE_QUESTION_MEANING},
        {"What happens when a tool fails?", HAFT__OFFLINE_QUESTION_MEANING},
        {"Where is lazy matching documented?", HAFT__OFFLINE_QUESTION_DOCUMENTATION},
        {"How does it work?", HAFT__OFFLINE_QUESTION_REASON},
        {"Is it thread-safe?", HAFT__OFFLINE_QUESTION_REASON},
        {"", HAFT__OFFLINE_QUESTION_PLACE},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", HAFT__OFFLINE_QUESTION_PLACE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__offline_question_of(haft__str(cases[i].task)), cases[i].question, "%s",
                  cases[i].task);
    }
}

TEST(cue_words_are_recognized)
{
    CHECK_INT(haft__offline_cue_of(HAFT__LIT("defined")), HAFT__OFFLINE_CUE,
              "a word that says what is asked");
    CHECK_INT(haft__offline_cue_of(HAFT__LIT("macro")), HAFT__OFFLINE_CUE_KEYWORD,
              "a keyword of a language");
    CHECK_INT(haft__offline_cue_of(HAFT__LIT("header")), HAFT__OFFLINE_CUE_FILE,
              "a word for a kind of file");
    CHECK_INT(haft__offline_cue_of(HAFT__LIT("default")), HAFT__OFFLINE_NO_CUE,
              "a word that may also be a subject");
    CHECK_INT(haft__offline_cue_of(HAFT__LIT("gate")), HAFT__OFFLINE_NO_CUE, "a subject");
    CHECK_STR(haft__offline_keyword_of(HAFT__LIT("macro")), HAFT__LIT("define"),
              "the keyword for a macro");
    CHECK_STR(haft__offline_keyword_of(HAFT__LIT("enum")), HAFT__LIT("enum"),
              "a word that is the keyword itself");
}
