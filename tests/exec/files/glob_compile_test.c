/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "exec/files/glob.h"
#include "test.h"

static haft_status compile(haft_str pattern, haft_error *err)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    const haft__glob *glob_pattern = NULL;
    haft_status status = haft__glob_compile(&arena, pattern, &glob_pattern, err);
    CHECK((glob_pattern != NULL) == (status == HAFT_OK), "%.*s: an output without success",
          HAFT__ARG(pattern));
    haft__arena_finish(&arena);
    return status;
}

TEST(patterns_that_lead_out_of_the_root_are_rejected)
{
    static const struct {
        const char *pattern, *message;
    } cases[] = {
        {"", "the pattern is empty"},
        {"/etc/*", "the pattern '/etc/*' starts with '/'"},
        {"../*", "the pattern '../*' has '..': it leads outside the root"},
        {"a/{b,..}/c", "the pattern 'a/../c' has '..': it leads outside the root"},
        {"a/..", "the pattern 'a/..' has '..': it leads outside the root"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {0};
        CHECK_INT(compile(haft__str(cases[i].pattern), &err), HAFT_BAD_INPUT, "%s",
                  cases[i].pattern);
        CHECK_STR(haft__str(err.message), haft__str(cases[i].message), "%s", cases[i].pattern);
    }
    CHECK_INT(compile(HAFT__LIT("a/..b"), NULL), HAFT_OK, "dots in a name");
}

TEST(the_length_of_a_pattern_is_bounded)
{
    char text[HAFT__LIMIT_FILES_GLOB_BYTES + 1];
    memset(text, 'a', sizeof(text));
    CHECK_INT(compile((haft_str){text, HAFT__LIMIT_FILES_GLOB_BYTES}, NULL), HAFT_OK,
              "at the limit");
    CHECK_INT(compile((haft_str){text, sizeof(text)}, NULL), HAFT_TOO_BIG, "one past the limit");
}

TEST(compiling_a_pattern_reports_a_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft_error err = {0};
        test_fail_allocation(n);
        haft_status status = compile(HAFT__LIT("{a,b[c-d]}/**/*.?{x,y}"), &err);
        if (!test_allow_allocations()) {
            CHECK_INT(status, HAFT_OK, "the pattern if no allocation fails");
            break;
        }
        CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
    }
    static const haft_str ignored = HAFT__LIT("a/[b]*/c");
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        bool made = haft__glob_compile_gitignore(&arena, ignored, false) != NULL;
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        CHECK(made != failed, "allocation %u", n);
        if (!failed) {
            break;
        }
    }
}

TEST(the_memory_of_a_pattern_is_in_proportion_to_it)
{
    char text[HAFT__LIMIT_FILES_GLOB_BYTES];
    for (size_t i = 0; i + 2 <= sizeof(text); i += 2) {
        memcpy(text + i, "?/", 2);
    }
    memcpy(text, "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}/", 41);
    haft__arena arena;
    haft__arena_init(&arena, 64 << 20);
    const haft__glob *glob_pattern = NULL;
    CHECK_INT(haft__glob_compile(&arena, (haft_str){text, sizeof(text)}, &glob_pattern, NULL),
              HAFT_OK, "256 patterns of 500 parts");
    haft__arena_finish(&arena);
}
