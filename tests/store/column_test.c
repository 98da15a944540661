/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/store/column.c. */
#include "store/column.h"

#include "base/sha256.h"
#include "base/str.h"
#include "test.h"

TEST(a_text_that_is_not_utf8_is_invalid)
{
    haft__column_checks checks = {0};
    CHECK_STR(haft__column_text(&checks, HAFT__LIT("a\xC3\xA9")), HAFT__LIT("a\xC3\xA9"),
              "valid text");
    CHECK(!checks.invalid, "valid text is not marked as invalid");
    CHECK_STR(haft__column_text(&checks, HAFT__LIT("a\xC3")), HAFT__LIT(""),
              "invalid text is empty");
    CHECK(checks.invalid, "invalid text is marked");
}

TEST(content_must_match_its_checksum)
{
    char digest[HAFT__SHA256_HEX];
    haft__arena arena;
    haft__column_checks checks = {0};
    haft_str content = HAFT__LIT("content"), sum = {digest, sizeof(digest)}, copied = {NULL, 0};
    haft__arena_init(&arena, 0);
    haft__sha256_hex(content, digest);
    haft_str found = haft__column_content(&checks, sum, content, &arena, &copied);
    CHECK_STR(found, content, "the content");
    CHECK(found.ptr != content.ptr, "the content is a copy");
    CHECK_STR(copied, sum, "the checksum");
    CHECK(!checks.invalid, "a matching checksum is valid");
    (void)haft__column_content(&checks, sum, HAFT__LIT("Content"), &arena, NULL);
    CHECK(checks.invalid, "a wrong checksum is invalid");
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
