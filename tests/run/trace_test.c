/* SPDX-License-Identifier: Apache-2.0 */
#include "run/trace.h"
#include "test.h"

#include "base/str.h"

#define ROOT "01m7tf7s4akhs1gztmw53rv8wj"

static haft_str trace(char text[HAFT__TRACE_PARENT_LENGTH + 1], const char *root, const char *key,
                      uint32_t attempt)
{
    haft__trace_parent(haft__str(root), haft__str(key), attempt, text);
    return haft__str(text);
}

TEST(a_trace_parent_has_the_form_of_w3c)
{
    char text[HAFT__TRACE_PARENT_LENGTH + 1];
    haft_str found = trace(text, ROOT, ROOT ":c1.1", 1);
    CHECK_INT(found.len, HAFT__TRACE_PARENT_LENGTH, "bytes");
    for (size_t i = 0; i < found.len; i++) {
        bool dash = i == 2 || i == 35 || i == 52;
        CHECK(dash ? found.ptr[i] == '-' : strchr("0123456789abcdef", found.ptr[i]) != NULL,
              "byte %zu of %s", i, text);
    }
    CHECK(strncmp(text, "00-", 3) == 0 && strcmp(text + 52, "-01") == 0, "%s", text);
}

TEST(a_tree_of_runs_has_one_trace_and_each_attempt_a_span)
{
    char first[HAFT__TRACE_PARENT_LENGTH + 1], other[HAFT__TRACE_PARENT_LENGTH + 1];
    static const struct {
        const char *root, *key;
        uint32_t attempt;
        bool same_trace, same_span;
    } cases[] = {
        {ROOT, ROOT ":c1.1", 1, true, true},
        {ROOT, ROOT ":c1.1", 2, true, false},
        {ROOT, ROOT ":c1.2", 1, true, false},
        {"01m7tf7s4akhs1gztmw53rv8wk", ROOT ":c1.1", 1, false, true},
    };
    (void)trace(first, ROOT, ROOT ":c1.1", 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)trace(other, cases[i].root, cases[i].key, cases[i].attempt);
        CHECK_INT(memcmp(first + 3, other + 3, 32) == 0, cases[i].same_trace, "row %zu", i);
        CHECK_INT(memcmp(first + 36, other + 36, 16) == 0, cases[i].same_span, "row %zu", i);
    }
}
