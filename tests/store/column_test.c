/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/store/column.c. */
#include "store/column.h"

#include "base/sha256.h"
#include "base/str.h"
#include "test.h"

TEST(text_that_is_not_utf8_is_wrong)
{
    haft__column_checks checks = {0};
    CHECK_STR(haft__column_text(&checks, HAFT__LIT("a\xC3\xA9")), HAFT__LIT("a\xC3\xA9"), "text");
    CHECK(!checks.invalid, "text");
    CHECK_STR(haft__column_text(&checks, HAFT__LIT("a\xC3")), HAFT__LIT(""), "not UTF-8");
    CHECK(checks.invalid, "not UTF-8");
}

TEST(content_must_have_its_sum)
{
    char digest[HAFT__SHA256_HEX];
    haft__arena arena;
    haft__column_checks checks = {0};
    haft_str content = HAFT__LIT("content"), sum = {digest, sizeof(digest)}, copied = {NULL, 0};
    haft__arena_init(&arena, 0);
    haft__sha256_hex(content, digest);
    haft_str found = haft__column_content(&checks, sum, content, &arena, &copied);
    CHECK_STR(found, content, "the content");
    CHECK(found.ptr != content.ptr, "a copy");
    CHECK_STR(copied, sum, "its sum");
    CHECK(!checks.invalid, "the sum fits");
    (void)haft__column_content(&checks, sum, HAFT__LIT("Content"), &arena, NULL);
    CHECK(checks.invalid, "the sum does not fit");
    haft__arena_finish(&arena);
}

TEST(a_copy_that_does_not_fit_names_its_arena)
{
    haft__arena arena;
    haft__column_checks checks = {0};
    haft__arena_init(&arena, 0);
    test_fail_allocation(0);
    CHECK_STR(haft__column_copy(&checks, HAFT__LIT("text"), &arena), HAFT__LIT(""), "no copy");
    CHECK(test_allow_allocations(), "an allocation failed");
    CHECK(checks.failed_arena == &arena && !checks.invalid, "out of memory");
    haft__arena_finish(&arena);
}
