/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/buf.c. */
#include "base/buf.h"

#include <wchar.h>

#include "test.h"

TEST(appends_add_up)
{
    haft__buf buf;
    haft__buf_init(&buf, 1000);
    haft__buf_add(&buf, "one", 3);
    haft__buf_add_char(&buf, ' ');
    haft__buf_add_str(&buf, HAFT__LIT("two"));
    haft__buf_add_str(&buf, (haft_str){NULL, 0});
    haft__buf_addf(&buf, " %d%s", 3, "");
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("one two 3"), "the whole text");
    CHECK_INT(haft__buf_check(&buf, NULL), HAFT_OK, "status");
    haft__buf_finish(&buf);
}

TEST(every_maximum_can_be_reached_but_not_passed)
{
    for (size_t max = 0; max < 1100; max++) {
        haft__buf buf;
        haft__buf_init(&buf, max);
        for (size_t i = 0; i < max; i++) {
            haft__buf_add_char(&buf, 'x');
        }
        CHECK_INT(haft__buf_check(&buf, NULL), HAFT_OK, "%zu bytes", max);
        CHECK_INT(buf.len, max, "length, maximum %zu", max);
        CHECK(buf.cap <= max || buf.cap == 0, "capacity %zu for a maximum of %zu", buf.cap, max);
        haft__buf_add_char(&buf, 'x');
        haft_error err;
        CHECK_INT(haft__buf_check(&buf, &err), HAFT_TOO_BIG, "one past %zu bytes", max);
        CHECK_INT(buf.len, max, "the earlier bytes stay");
        haft__buf_finish(&buf);
    }
}

TEST(formatted_text_may_fill_it_to_the_last_byte)
{
    haft__buf buf;
    haft__buf_init(&buf, 4);
    haft__buf_addf(&buf, "%s", "abcd");
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("abcd"), "four bytes in a buffer of four");
    CHECK_INT(haft__buf_check(&buf, NULL), HAFT_OK, "status, four bytes in a buffer of four");
    haft__buf_clear(&buf);
    haft__buf_addf(&buf, "%s", "abcde");
    CHECK_INT(haft__buf_check(&buf, NULL), HAFT_TOO_BIG, "status, five bytes in a buffer of four");
    CHECK_INT(buf.len, 0, "nothing of it was added");
    haft__buf_finish(&buf);
}

TEST(failure_is_sticky_until_cleared)
{
    haft__buf buf;
    haft__buf_init(&buf, 4);
    haft__buf_add(&buf, "abc", 3);
    haft__buf_add(&buf, "def", 3);
    haft__buf_add(&buf, "g", 1);
    haft__buf_addf(&buf, "%d", 1);
    CHECK(haft__buf_reserve(&buf, 1) == NULL, "reserve after a failure");
    haft_error err;
    CHECK_INT(haft__buf_check(&buf, &err), HAFT_TOO_BIG, "status");
    CHECK_STR(haft__str(err.message), HAFT__LIT("the text is longer than 4 bytes"), "message");
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("abc"), "the text from before the failure");
    haft__buf_clear(&buf);
    haft__buf_add(&buf, "wxyz", 4);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("wxyz"), "text after clear");
    CHECK_INT(haft__buf_check(&buf, NULL), HAFT_OK, "status after clear");
    haft__buf_finish(&buf);
}

TEST(clear_keeps_the_memory)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__buf_addf(&buf, "%0*d", 10000, 1);
    haft__buf_clear(&buf);
    size_t before = test_allocation_count();
    haft__buf_addf(&buf, "%0*d", 10000, 2);
    CHECK_INT(test_allocation_count(), before, "allocations");
    CHECK_INT(buf.len, 10000, "length");
    haft__buf_finish(&buf);
}

TEST(reserved_bytes_count_once_they_are_advanced_over)
{
    haft__buf buf;
    haft__buf_init(&buf, 100);
    char *to = haft__buf_reserve(&buf, 10);
    CHECK(to != NULL, "ten bytes are reserved");
    memcpy(to, "0123456789", 10);
    CHECK_INT(buf.len, 0, "length before advance");
    haft__buf_advance(&buf, 4);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("0123"), "after advance");
    CHECK(haft__buf_reserve(&buf, 96) != NULL, "all that is left");
    CHECK(haft__buf_reserve(&buf, 97) == NULL, "one more than is left");
    haft__buf_finish(&buf);
}

TEST(finish_accepts_a_zeroed_buffer_and_a_second_call)
{
    haft__buf zeroed = {0};
    haft__buf_finish(&zeroed);
    haft__buf buf;
    haft__buf_init(&buf, 10);
    haft__buf_add(&buf, "abc", 3);
    haft__buf_finish(&buf);
    haft__buf_finish(&buf);
    haft__buf_add(&buf, "abc", 3);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("abc"), "used again, with the same maximum");
    haft__buf_finish(&buf);
}

TEST(sizes_that_overflow_are_refused)
{
    haft__buf buf;
    haft__buf_init(&buf, SIZE_MAX);
    haft__buf_add(&buf, "a", 1);
    CHECK(haft__buf_reserve(&buf, SIZE_MAX) == NULL, "past SIZE_MAX");
    CHECK_INT(buf.status, HAFT_TOO_BIG, "status past SIZE_MAX");
    haft__buf_clear(&buf);
    haft__buf_finish(&buf);
    CHECK(haft__buf_reserve(&buf, SIZE_MAX) == NULL, "SIZE_MAX");
    CHECK_INT(haft__buf_check(&buf, NULL), HAFT_NO_MEMORY, "status of SIZE_MAX");
    haft__buf_finish(&buf);
}

TEST(growing_needs_few_allocations)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 22);
    size_t before = test_allocation_count();
    for (size_t i = 0; i < (1U << 22); i++) {
        haft__buf_add_char(&buf, 'x');
    }
    CHECK(test_allocation_count() - before < 20, "%zu allocations for 4 MiB",
          test_allocation_count() - before);
    haft__buf_finish(&buf);
}

TEST(a_format_that_cannot_be_printed_adds_nothing)
{
    haft__buf buf;
    haft__buf_init(&buf, 100);
    static const wchar_t unprintable[] = {0x7FFFFFFF, 0};
    haft__buf_add(&buf, "a", 1);
    haft__buf_addf(&buf, "%ls", unprintable);
    CHECK_STR(haft__buf_str(&buf), HAFT__LIT("a"), "what it holds");
    haft__buf_finish(&buf);
}

TEST(every_failed_allocation_is_remembered)
{
    for (unsigned n = 0;; n++) {
        haft__buf buf;
        haft__buf_init(&buf, 1 << 20);
        test_fail_allocation(n);
        haft__buf_add(&buf, "abc", 3);
        haft__buf_addf(&buf, "%0*d", 3000, 1);
        for (int i = 0; i < 10000; i++) {
            haft__buf_add_char(&buf, 'x');
        }
        bool failed = test_allow_allocations();
        haft_error err;
        haft_status status = haft__buf_check(&buf, &err);
        size_t length = buf.len;
        haft__buf_finish(&buf);
        if (!failed) {
            CHECK_INT(status, HAFT_OK, "no allocation failed");
            CHECK_INT(length, 13003, "length");
            CHECK(n >= 3, "only %u allocations were made", n);
            break;
        }
        CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
        CHECK_INT(err.status, HAFT_NO_MEMORY, "allocation %u", n);
        CHECK(length < 13003, "allocation %u: %zu bytes", n, length);
    }
}

TEST(a_failure_of_the_writer_is_kept_unless_an_earlier_one_exists)
{
    haft__buf buf;
    haft_error err;
    haft__buf_init(&buf, 4);
    haft__buf_fail(&buf, HAFT_TOO_BIG, "too deep");
    haft__buf_fail(&buf, HAFT_NO_MEMORY, "later");
    haft__buf_add_char(&buf, 'x');
    CHECK_INT(haft__buf_check(&buf, &err), HAFT_TOO_BIG, "status of the first failure");
    CHECK_STR(haft__str(err.message), HAFT__LIT("too deep"), "message of the first failure");
    CHECK_INT(buf.len, 0, "nothing is added after a failure");
    haft__buf_clear(&buf);
    haft__buf_add(&buf, "abcde", 5);
    haft__buf_fail(&buf, HAFT_NO_MEMORY, "later");
    CHECK_INT(haft__buf_check(&buf, &err), HAFT_TOO_BIG,
              "status of the buffer's own failure, which came first");
    CHECK_STR(haft__str(err.message), HAFT__LIT("the text is longer than 4 bytes"),
              "message of the buffer's own failure");
    haft__buf_finish(&buf);
}

TEST(text_that_cannot_be_formatted_is_a_failure)
{
    static const wchar_t no_character[] = {0x110000, 0};
    haft__buf buf;
    haft__buf_init(&buf, 100);
    haft__buf_addf(&buf, "%ls", no_character);
    haft_error err;
    CHECK_INT(haft__buf_check(&buf, &err), HAFT_TOO_BIG,
              "status of a code point that does not exist");
    CHECK_STR(haft__str(err.message), HAFT__LIT("a piece of the text cannot be formatted"),
              "message");
    haft__buf_finish(&buf);
}
