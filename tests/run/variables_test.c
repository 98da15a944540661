/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/run/variables.c. */
#include "base/str.h"
#include "run/variables.h"
#include "test.h"

/* Every variable that begins with SET is set, every one with EMPTY is empty. */
static haft_str get(void *context, haft_str name)
{
    (void)context;
    if (haft__str_starts_with(name, HAFT__LIT("SET"))) {
        return HAFT__LIT("value");
    }
    return haft__str_starts_with(name, HAFT__LIT("EMPTY")) ? HAFT__LIT("") : (haft_str){NULL, 0};
}

static const struct {
    const char *names[4];
    const char *text;
    size_t count;
} rows[] = {
    {{NULL}, "", 0},
    {{"SET_A"}, "", 0},
    {{"A"}, "A", 1},
    {{"EMPTY_A"}, "EMPTY_A", 1},
    {{"A", "B"}, "A and B", 2},
    {{"SET_A", "B"}, "B", 1},
    {{"A", "SET_B"}, "A", 1},
    {{"A", "B", "C"}, "A, B and C", 3},
    {{"A", "SET_B", "C", "D"}, "A, C and D", 3},
};

TEST(missing_variables_are_named)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__json items[4];
        uint32_t count = 0;
        char text[HAFT__VARIABLES_TEXT];
        while (count < COUNT(items) && rows[i].names[count] != NULL) {
            items[count] = haft__json_string(haft__str(rows[i].names[count]));
            count++;
        }
        haft__json names = haft__json_array(items, count);
        CHECK_INT(haft__variables_missing(names, get, NULL, text), rows[i].count, "row %zu", i);
        CHECK_STR(haft__str(text), haft__str(rows[i].text), "row %zu", i);
    }
}

TEST(other_values_and_an_unknown_environment_report_no_missing_names)
{
    char text[HAFT__VARIABLES_TEXT];
    haft__json number = haft__json_bool(true), name = haft__json_string(HAFT__LIT("A"));
    CHECK_INT(haft__variables_missing(haft__json_null(), get, NULL, text), 0,
              "null instead of a list");
    CHECK_INT(haft__variables_missing(haft__json_array(&number, 1), get, NULL, text), 0,
              "a list with a number");
    CHECK_INT(haft__variables_missing(haft__json_array(&name, 1), NULL, NULL, text), 0,
              "an unknown environment");
}

TEST(a_long_list_is_truncated)
{
    static char name[2 * HAFT__VARIABLES_TEXT];
    memset(name, 'A', sizeof(name) - 1);
    haft__json items[2] = {haft__json_string(haft__str(name)), haft__json_string(haft__str(name))};
    char text[HAFT__VARIABLES_TEXT];
    CHECK_INT(haft__variables_missing(haft__json_array(items, 2), get, NULL, text), 2,
              "number of missing names");
    CHECK_INT(strlen(text), HAFT__VARIABLES_TEXT - 1, "length of the truncated text");
}
