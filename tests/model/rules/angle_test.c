/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/rules/angle.c: the angle of a task, and what it changes. */
#include "model/rules/offline_int.h"
#include "test.h"

static const struct {
    const char *task, *want;
    haft__offline_angle angle;
} tasks[] = {
    {"Where is the gate?", "Where is the gate?", HAFT__OFFLINE_ANGLE_CONCEPTS},
    {"Where is the gate? (angle: names)", "Where is the gate?", HAFT__OFFLINE_ANGLE_NAMES},
    {"Where is the gate? (angle: Tests)\nThe whole question.", "Where is the gate?",
     HAFT__OFFLINE_ANGLE_TESTS},
    {" (angle: docs)\nWhere is the gate?", "Where is the gate?", HAFT__OFFLINE_ANGLE_DOCS},
    {"Where? (angle: callers", "Where?", HAFT__OFFLINE_ANGLE_CALLERS},
    {"Where? (angle: history)", "Where?", HAFT__OFFLINE_ANGLE_CONCEPTS},
    {"(angle: names)", "", HAFT__OFFLINE_ANGLE_NAMES},
    {"", "", HAFT__OFFLINE_ANGLE_CONCEPTS},
};

TEST(the_angle_of_a_task_is_in_parentheses)
{
    for (size_t i = 0; i < COUNT(tasks); i++) {
        haft__offline_angle angle;
        haft_str task = haft__offline_angle_split(haft__str(tasks[i].task), &angle);
        CHECK_STR(task, haft__str(tasks[i].want), "%s", tasks[i].task);
        CHECK_INT(angle, tasks[i].angle, "%s", tasks[i].task);
    }
}

TEST(each_kind_of_question_has_every_angle_once)
{
    for (int kind = HAFT__OFFLINE_QUESTION_PLACE; kind <= HAFT__OFFLINE_QUESTION_COUNT; kind++) {
        unsigned seen = 0;
        for (size_t n = 0; n < HAFT__OFFLINE_ANGLES; n++) {
            seen |= 1U << haft__offline_angle_nth((haft__offline_question)kind, n);
        }
        CHECK_INT(seen, (1U << HAFT__OFFLINE_ANGLES) - 1, "kind %d", kind);
    }
}

/* The first search of a task. */
static haft__offline_search first_search(haft__arena *arena, const char *task)
{
    haft__offline_words words;
    haft__offline_search search = {.pattern = HAFT__LIT("")};
    bool last = false;
    CHECK_INT(haft__offline_words_read(haft__str(task), arena, &words, NULL), HAFT_OK, "%s", task);
    for (size_t round = 0; search.pattern.len == 0 && !last; round++) {
        CHECK_INT(haft__offline_round(&words, round, arena, &search, &last, NULL), HAFT_OK, "%s",
                  task);
    }
    return search;
}

static bool has(haft_str text, const char *part)
{
    size_t length = strlen(part);
    for (size_t i = 0; i + length <= text.len; i++) {
        if (memcmp(text.ptr + i, part, length) == 0) {
            return true;
        }
    }
    return false;
}

TEST(names_are_searched_for_inside_one_name_and_documents_in_documents)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__offline_search names = first_search(&arena, "Where is the gate decided? (angle: names)");
    CHECK(has(names.pattern, "[A-Za-z0-9_]{0,24}"), "%.*s", HAFT__ARG(names.pattern));
    CHECK_INT(names.glob.len, 0, "all files");
    haft__offline_search docs = first_search(&arena, "Where is the gate decided? (angle: docs)");
    CHECK(has(docs.glob, "*.md"), "%.*s", HAFT__ARG(docs.glob));
    haft__offline_search tests = first_search(&arena, "Where is the gate decided? (angle: tests)");
    CHECK(has(tests.glob, "*test*"), "%.*s", HAFT__ARG(tests.glob));
    haft__arena_finish(&arena);
}
