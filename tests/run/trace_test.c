/* SPDX-License-Identifier: Apache-2.0 */
#include "run/trace.h"
#include "test.h"

#include "base/str.h"
#include "run/run.h"

#define ROOT "01m7tf7s4akhs1gztmw53rv8wj"

#define CALLER "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-"

/* The trace context of an attempt of a call. */
static haft_str trace(char text[HAFT__TRACE_PARENT_LENGTH + 1], const char *root, const char *key,
                      uint32_t attempt)
{
    haft__run run = {.id = haft__str(root)};
    haft__trace_context context = haft__trace_of_run(&run);
    context.span = haft__trace_span_of_call(haft__str(key), attempt);
    haft__trace_write(&context, text);
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

TEST(a_trace_context_is_read_as_w3c_requires)
{
    static const struct {
        const char *text;
        bool valid, sampled;
    } cases[] = {
        {CALLER "01", true, true},
        {CALLER "00", true, false},
        {CALLER "03", true, true}, /* a flag that is not defined yet */
        {"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what", true, true},
        {"cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01what", false, false},
        {CALLER "01-what", false, false},
        {"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false, false},
        {"00-00000000000000000000000000000000-b7ad6b7169203331-01", false, false},
        {"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false, false},
        {"00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01", false, false},
        {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331", false, false},
        {"00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01", false, false},
        {"", false, false},
        {"-", false, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__trace_context found = {0};
        CHECK_INT(haft__trace_parse(haft__str(cases[i].text), &found), cases[i].valid, "%s",
                  cases[i].text);
        CHECK_INT(found.sampled, cases[i].sampled, "%s", cases[i].text);
    }
}

TEST(a_run_belongs_to_the_trace_of_its_caller)
{
    static const haft_str caller = {CALLER "01", HAFT__TRACE_PARENT_LENGTH};
    haft__run run = {.id = HAFT__LIT(ROOT), .traceparent = caller};
    char text[HAFT__TRACE_PARENT_LENGTH + 1];
    haft__trace_context context = haft__trace_of_run(&run);
    haft__trace_write(&context, text);
    CHECK(strcmp(text, caller.ptr) == 0, "%s", text);

    haft__run child = {.id = HAFT__LIT("01m7tf7s4akhs1gztmw53rv8wk"),
                       .root = run.id,
                       .parent = run.id,
                       .parent_call = HAFT__LIT("c1.1"),
                       .traceparent = caller};
    haft__trace_context below = haft__trace_of_run(&child);
    CHECK(below.high == context.high && below.low == context.low, "another trace");
    CHECK(below.span == haft__trace_span_of_call(HAFT__LIT(ROOT ":c1.1"), 1),
          "the parent is not the span of the call");
}
