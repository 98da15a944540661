/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/schema/regex/pattern_without_pcre2.c, in the program that is linked with
 * libhaft-core alone. */
#include "schema/regex/pattern.h"
#include "test.h"

TEST(every_expression_is_refused)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__buf text;
    haft__buf_init(&text, 1000);
    const haft__pattern *pattern = NULL;
    haft_error err = {0};
    CHECK_INT(haft__pattern_compile(&arena, HAFT__LIT("^[a-z]+$"), &pattern, &err),
              HAFT_UNSUPPORTED, "status of compiling");
    CHECK(pattern == NULL && arena.total == 0, "a pattern was made, or memory was used");
    CHECK_STR(haft__str(err.message), HAFT__LIT("libhaft-core has no regular expressions"),
              "message");
    CHECK_STR(haft__str(err.hint), HAFT__LIT("link with libhaft, which has them"), "hint");
    CHECK_INT(haft__pattern_translate(HAFT__LIT("a$"), &text, NULL), HAFT_UNSUPPORTED,
              "status of translating");
    CHECK_INT(text.len, 0, "length of the translation");
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
}

TEST(matching_always_fails_without_using_steps)
{
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    CHECK_INT(haft__pattern_match(NULL, scratch, HAFT__LIT("text")), HAFT__PATTERN_LIMIT,
              "result of matching");
    CHECK_INT(haft__pattern_steps(scratch), 0, "steps");
    haft__pattern_scratch_destroy(scratch);
    haft__pattern_scratch_destroy(NULL);
    test_fail_allocation(0);
    CHECK(haft__pattern_scratch_create() == NULL, "a scratch was created without memory");
    CHECK(test_allow_allocations(), "creating a scratch allocates no memory");
}
