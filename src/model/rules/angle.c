/* SPDX-License-Identifier: Apache-2.0 */
/*
 * angle.c - the angle from which a task looks at a question: "... (angle: names)".
 *
 * An angle says which lines are the best: definitions, calls, tests, documents. It does not change
 * the words. Tests: tests/model/rules/angle_test.c.
 */
#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "model/rules/offline_int.h"
#include "prompt/prompt.h"

#define OPEN "(angle:"

static const char *const names[] = {
    [HAFT__OFFLINE_ANGLE_CONCEPTS] = "concepts", [HAFT__OFFLINE_ANGLE_NAMES] = "names",
    [HAFT__OFFLINE_ANGLE_CALLERS] = "callers",   [HAFT__OFFLINE_ANGLE_DOCS] = "docs",
    [HAFT__OFFLINE_ANGLE_TESTS] = "tests",
};

const char *haft__offline_angle_name(haft__offline_angle angle)
{
    return names[angle];
}

haft_str haft__offline_angle_split(haft_str task, haft__offline_angle *ret_angle)
{
    haft_str open = HAFT__LIT(OPEN), plan = HAFT__LIT(HAFT__PROMPT_PLAN);
    for (size_t at = 0; at + plan.len <= task.len; at++) { /* a plan is no part of the question */
        if (memcmp(task.ptr + at, plan.ptr, plan.len) == 0) {
            task = haft__str_trim((haft_str){task.ptr, at});
        }
    }
    *ret_angle = HAFT__OFFLINE_ANGLE_CONCEPTS;
    for (size_t at = 0; at + open.len <= task.len; at++) {
        if (memcmp(task.ptr + at, open.ptr, open.len) != 0) {
            continue;
        }
        haft_str rest = haft__str_skip(task, at + open.len);
        haft_str name = haft__str_trim(haft__str_split(&rest, ')'));
        for (size_t i = 0; i < COUNT(names); i++) {
            if (haft__str_equal_ignore_case(name, haft__str(names[i]))) {
                *ret_angle = (haft__offline_angle)i;
            }
        }
        haft_str before = haft__str_trim((haft_str){task.ptr, at});
        return before.len > 0 ? before : haft__str_trim(rest);
    }
    return task;
}

/* The best angles for a kind of question, in their order. Plain words come first in most, because
 * they fit every question. */
static const haft__offline_angle orders[][HAFT__OFFLINE_ANGLES] = {
    {HAFT__OFFLINE_ANGLE_CONCEPTS, HAFT__OFFLINE_ANGLE_NAMES, HAFT__OFFLINE_ANGLE_DOCS,
     HAFT__OFFLINE_ANGLE_TESTS, HAFT__OFFLINE_ANGLE_CALLERS},
    {HAFT__OFFLINE_ANGLE_CONCEPTS, HAFT__OFFLINE_ANGLE_CALLERS, HAFT__OFFLINE_ANGLE_TESTS,
     HAFT__OFFLINE_ANGLE_NAMES, HAFT__OFFLINE_ANGLE_DOCS},
    {HAFT__OFFLINE_ANGLE_CONCEPTS, HAFT__OFFLINE_ANGLE_DOCS, HAFT__OFFLINE_ANGLE_NAMES,
     HAFT__OFFLINE_ANGLE_TESTS, HAFT__OFFLINE_ANGLE_CALLERS},
};

haft__offline_angle haft__offline_angle_nth(haft__offline_question question, size_t n)
{
    size_t order = 0;
    switch (question) {
    case HAFT__OFFLINE_QUESTION_PLACE:
    case HAFT__OFFLINE_QUESTION_DEFINITION:
    case HAFT__OFFLINE_QUESTION_DECLARATION:
    case HAFT__OFFLINE_QUESTION_VALUE:
    case HAFT__OFFLINE_QUESTION_COUNT: break;
    case HAFT__OFFLINE_QUESTION_CALLERS: order = 1; break;
    case HAFT__OFFLINE_QUESTION_MEANING:
    case HAFT__OFFLINE_QUESTION_DOCUMENTATION:
    case HAFT__OFFLINE_QUESTION_REASON: order = 2; break;
    }
    return orders[order][n];
}

haft__offline_question haft__offline_angle_question(haft__offline_angle angle,
                                                    haft__offline_question question)
{
    switch (angle) {
    case HAFT__OFFLINE_ANGLE_CONCEPTS:
    case HAFT__OFFLINE_ANGLE_TESTS: return question;
    case HAFT__OFFLINE_ANGLE_NAMES: return HAFT__OFFLINE_QUESTION_DEFINITION;
    case HAFT__OFFLINE_ANGLE_CALLERS: return HAFT__OFFLINE_QUESTION_CALLERS;
    case HAFT__OFFLINE_ANGLE_DOCS: return HAFT__OFFLINE_QUESTION_DOCUMENTATION;
    }
    HAFT__UNREACHABLE();
}

haft_str haft__offline_angle_glob(haft__offline_angle angle)
{
    switch (angle) {
    case HAFT__OFFLINE_ANGLE_CONCEPTS:
    case HAFT__OFFLINE_ANGLE_NAMES:
    case HAFT__OFFLINE_ANGLE_CALLERS: return HAFT__LIT("");
    case HAFT__OFFLINE_ANGLE_DOCS:
        return HAFT__LIT("**/{*.md,*.rst,*.txt,*.adoc,*.texi,*.html,*.[1-9],README*,*.pod}");
    case HAFT__OFFLINE_ANGLE_TESTS:
        return HAFT__LIT("**/{*test*,*spec.*,{test,tests,testing,spec}/**}");
    }
    HAFT__UNREACHABLE();
}
