/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/aim.c: what kind of question a task is. */
#include "model/offline_help.h"

TEST(what_is_asked)
{
    static const struct {
        const char *task;
        haft__offline_aim aim;
    } cases[] = {
        {"Where is the Retry-After header parsed?", HAFT__OFFLINE_AIM_PLACE},
        {"Which file parses events?", HAFT__OFFLINE_AIM_PLACE},
        {"Find the error message 'x y'", HAFT__OFFLINE_AIM_PLACE},
        {"Where is f defined?", HAFT__OFFLINE_AIM_DEFINED},
        {"where is F IMPLEMENTED", HAFT__OFFLINE_AIM_DEFINED},
        {"Which header declares f?", HAFT__OFFLINE_AIM_DECLARED},
        {"What is f's signature?", HAFT__OFFLINE_AIM_SIGNATURE},
        {"Who calls f?", HAFT__OFFLINE_AIM_CALLED},
        {"Where is f used?", HAFT__OFFLINE_AIM_CALLED},
        {"Why is f used?", HAFT__OFFLINE_AIM_REASON},
        {"What is the value of F?", HAFT__OFFLINE_AIM_VALUE},
        {"What is the default of F?", HAFT__OFFLINE_AIM_VALUE},
        {"How many threads does the pool have?", HAFT__OFFLINE_AIM_VALUE},
        {"How many files are there?", HAFT__OFFLINE_AIM_COUNT},
        {"How many times is f called?", HAFT__OFFLINE_AIM_COUNT},
        {"Count the lines with x", HAFT__OFFLINE_AIM_COUNT},
        {"List all functions in a.c", HAFT__OFFLINE_AIM_LIST},
        {"Please list the macros", HAFT__OFFLINE_AIM_LIST},
        {"Compare a.c and b.c", HAFT__OFFLINE_AIM_COMPARE},
        {"What is the difference between a and b?", HAFT__OFFLINE_AIM_COMPARE},
        {"Summarise a.c", HAFT__OFFLINE_AIM_SUMMARY},
        {"Give an overview of this tree", HAFT__OFFLINE_AIM_SUMMARY},
        {"What does f do?", HAFT__OFFLINE_AIM_MEANING},
        {"What happens when a tool fails?", HAFT__OFFLINE_AIM_MEANING},
        {"Where is lazy matching documented?", HAFT__OFFLINE_AIM_DOCUMENTED},
        {"How does it work?", HAFT__OFFLINE_AIM_REASON},
        {"Is it thread-safe?", HAFT__OFFLINE_AIM_REASON},
        {"", HAFT__OFFLINE_AIM_PLACE},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", HAFT__OFFLINE_AIM_PLACE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__offline_aim aim = haft__offline_aim_of(haft__str(cases[i].task));
        CHECK_STR(haft__str(haft__offline_aim_name(aim)),
                  haft__str(haft__offline_aim_name(cases[i].aim)), "%s", cases[i].task);
    }
}

TEST(words_that_say_what_is_asked)
{
    CHECK_INT(haft__offline_cue_of(HAFT__LIT("defined")), HAFT__OFFLINE_CUE, "a cue");
    CHECK_INT(haft__offline_cue_of(HAFT__LIT("macro")), HAFT__OFFLINE_CUE_FORM, "of a form");
    CHECK_INT(haft__offline_cue_of(HAFT__LIT("header")), HAFT__OFFLINE_CUE_FILE, "of a file");
    CHECK_INT(haft__offline_cue_of(HAFT__LIT("default")), HAFT__OFFLINE_NO_CUE, "also a word");
    CHECK_INT(haft__offline_cue_of(HAFT__LIT("gate")), HAFT__OFFLINE_NO_CUE, "a word");
    CHECK_STR(haft__offline_keyword_of(HAFT__LIT("macro")), HAFT__LIT("define"), "a keyword");
    CHECK_STR(haft__offline_keyword_of(HAFT__LIT("enum")), HAFT__LIT("enum"), "itself");
}
