/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/base/arena.c. */
#include "base/arena.h"

#include "base/limits.h"
#include "test.h"

#define KIB ((size_t)1024)

/* Fills a piece, so that a sanitizer or a later check sees when two overlap. */
static char *filled(haft__arena *arena, size_t size, char with)
{
    char *piece = haft__arena_alloc(arena, size);
    if (piece != NULL) {
        memset(piece, with, size);
    }
    return piece;
}

static bool is_filled(const char *piece, size_t size, char with)
{
    for (size_t i = 0; i < size; i++) {
        if (piece[i] != with) {
            return false;
        }
    }
    return true;
}

TEST(pieces_are_aligned_and_do_not_overlap)
{
    enum { PIECES = 2000 };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    static char *pieces[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        pieces[i] = filled(&arena, i % 97, (char)i);
        CHECK(pieces[i] != NULL, "allocating piece %zu", i);
        CHECK((uintptr_t)pieces[i] % HAFT__ARENA_ALIGN == 0, "piece %zu is at %p", i,
              (void *)pieces[i]);
    }
    for (size_t i = 0; i < PIECES; i++) {
        CHECK(is_filled(pieces[i], i % 97, (char)i), "piece %zu was written over", i);
    }
    haft__arena_finish(&arena);
}

TEST(allocating_zero_bytes_returns_a_pointer)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK(haft__arena_alloc(&arena, 0) != NULL, "from an arena without memory");
    CHECK(haft__arena_alloc(&arena, 0) != NULL, "a second time");
    CHECK(haft__arena_array(&arena, 0, 8) != NULL, "an array without elements");
    haft__arena_finish(&arena);
}

TEST(finish_accepts_a_zeroed_arena_and_a_second_call)
{
    haft__arena zeroed = {0};
    haft__arena_finish(&zeroed);
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK(filled(&arena, 100, 'x') != NULL, "allocation");
    haft__arena_finish(&arena);
    haft__arena_finish(&arena);
    CHECK_INT(arena.total, 0, "bytes held after finish");
    CHECK(filled(&arena, 100, 'x') != NULL, "it can be used again");
    haft__arena_finish(&arena);
}

TEST(zero_means_the_default_maximum)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK_INT(arena.max, HAFT__LIMIT_ARENA_BYTES, "max");
    CHECK(haft__arena_alloc(&arena, (size_t)HAFT__LIMIT_ARENA_BYTES + 1) == NULL,
          "one byte past it");
    CHECK(arena.full, "the arena is full");
    haft__arena_finish(&arena);
}

TEST(the_maximum_can_be_reached_but_not_passed)
{
    static const size_t maxima[] = {8, 4096, 4104, 10000, 64 * KIB};
    for (size_t i = 0; i < COUNT(maxima); i++) {
        haft__arena arena;
        haft__arena_init(&arena, maxima[i]);
        CHECK(filled(&arena, maxima[i], 'x') != NULL, "%zu bytes of %zu", maxima[i], maxima[i]);
        CHECK(filled(&arena, 1, 'x') == NULL, "one byte past %zu", maxima[i]);
        haft_error err;
        CHECK_INT(haft__arena_fail(&arena, &err), HAFT_TOO_BIG, "status, maximum %zu", maxima[i]);
        CHECK(strstr(err.message, "needs more than the limit of") != NULL, "found %s", err.message);
        haft__arena_finish(&arena);
        haft__arena_init(&arena, maxima[i]);
        CHECK(haft__arena_alloc(&arena, maxima[i] + 1) == NULL, "%zu at once", maxima[i] + 1);
        CHECK_INT(arena.total, 0, "a refusal takes no memory");
        haft__arena_finish(&arena);
    }
}

TEST(small_pieces_fill_the_arena_up_to_the_maximum)
{
    haft__arena arena;
    haft__arena_init(&arena, 20 * KIB);
    size_t pieces = 0;
    while (filled(&arena, 8, 'x') != NULL) {
        pieces++;
    }
    /* The rest of a chunk is unused when the next one begins; pieces of 8 leave no rest. */
    CHECK_INT(pieces, 20 * KIB / 8, "pieces of 8 bytes in 20 KiB");
    CHECK(arena.total <= arena.max, "holds %zu", arena.total);
    haft__arena_finish(&arena);
}

TEST(sizes_that_overflow_are_too_big)
{
    haft__arena arena;
    haft__arena_init(&arena, SIZE_MAX);
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 6, SIZE_MAX - 7, SIZE_MAX - 15};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        CHECK(haft__arena_alloc(&arena, sizes[i]) == NULL, "%zu bytes", sizes[i]);
        CHECK(arena.full, "%zu bytes: the arena is full", sizes[i]);
    }
    arena.full = false;
    CHECK(haft__arena_array(&arena, SIZE_MAX / 2, 3) == NULL, "an array whose size overflows");
    CHECK(arena.full, "the array: the arena is full");
    haft__arena_finish(&arena);
}

TEST(the_status_is_that_of_the_last_failure)
{
    haft__arena arena;
    haft__arena_init(&arena, 64 * KIB);
    CHECK(haft__arena_alloc(&arena, 65 * KIB) == NULL, "too big");
    CHECK_INT(haft__arena_fail(&arena, NULL), HAFT_TOO_BIG, "status after a size that is too big");
    test_fail_allocation(0);
    CHECK(haft__arena_alloc(&arena, KIB) == NULL, "out of memory");
    CHECK(test_allow_allocations(), "malloc was called");
    haft_error err;
    CHECK_INT(haft__arena_fail(&arena, &err), HAFT_NO_MEMORY, "status when out of memory");
    CHECK(haft__arena_alloc(&arena, KIB) != NULL, "allocation works afterwards");
    haft__arena_finish(&arena);
}

TEST(restore_goes_back_to_the_mark)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__arena_mark empty = haft__arena_save(&arena);
    char *kept = filled(&arena, 100, 'k');
    size_t total = arena.total;
    haft__arena_mark mark = haft__arena_save(&arena);
    const char *first = filled(&arena, 64, 'a');
    for (int i = 0; i < 100; i++) {
        CHECK(filled(&arena, KIB, 'b') != NULL, "piece %d", i);
    }
    haft__arena_restore(&arena, mark);
    CHECK_INT(arena.total, total, "the chunks after the mark are gone");
    CHECK(is_filled(kept, 100, 'k'), "memory before the mark is unchanged");
    const char *again = filled(&arena, 64, 'c');
    CHECK(HAFT__ASAN || again == first, "the same memory is used again");
    haft__arena_restore(&arena, empty);
    CHECK_INT(arena.total, 0, "bytes held after going back to the empty arena");
    haft__arena_finish(&arena);
}

TEST(after_restore_the_arena_is_not_full)
{
    haft__arena arena;
    haft__arena_init(&arena, KIB);
    haft__arena_mark mark = haft__arena_save(&arena);
    CHECK(haft__arena_alloc(&arena, 2 * KIB) == NULL, "a size that is too big");
    haft__arena_restore(&arena, mark);
    CHECK(!arena.full, "not full after restore");
    haft__arena_finish(&arena);
}

TEST(reset_keeps_the_largest_chunk)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK(filled(&arena, 10, 'x') != NULL, "a first chunk");
    CHECK(filled(&arena, 40 * KIB * KIB, 'x') != NULL, "a large one");
    CHECK(filled(&arena, 100, 'x') != NULL, "a usual one after it");
    haft__arena_reset(&arena);
    CHECK_INT(arena.total, HAFT__ASAN ? 0 : 40 * KIB * KIB, "bytes kept");
    size_t before = test_allocation_count();
    CHECK(filled(&arena, 30 * KIB * KIB, 'y') != NULL, "alloc after reset");
    CHECK(HAFT__ASAN || test_allocation_count() == before, "malloc was not called");
    haft__arena_finish(&arena);
    haft__arena_reset(&arena);
    CHECK_INT(arena.total, 0, "reset of an empty arena");
}

TEST(after_reset_the_arena_is_not_full)
{
    haft__arena arena;
    haft__arena_init(&arena, KIB);
    CHECK(filled(&arena, KIB, 'x') != NULL, "the whole maximum");
    CHECK(filled(&arena, KIB, 'x') == NULL, "more than the maximum");
    haft__arena_reset(&arena);
    CHECK(!arena.full, "not full after reset");
    CHECK(filled(&arena, KIB, 'x') != NULL, "the whole maximum after reset");
    haft__arena_finish(&arena);
}

TEST(arrays_are_zeroed)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__arena_mark mark = haft__arena_save(&arena);
    CHECK(filled(&arena, KIB, 'x') != NULL, "memory with old content");
    haft__arena_restore(&arena, mark);
    CHECK(is_filled(haft__arena_array(&arena, 16, 64), KIB, 0), "an array in used memory");
    haft__arena_finish(&arena);
}

TEST(copies_and_formats_end_in_a_nul)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_str copy = haft__arena_copy(&arena, (haft_str){"haft and more", 4});
    CHECK_STR(copy, HAFT__LIT("haft"), "copy");
    CHECK_INT(copy.ptr[copy.len], 0, "NUL after the copy");
    copy = haft__arena_copy(&arena, (haft_str){NULL, 0});
    CHECK(copy.ptr != NULL && copy.len == 0 && copy.ptr[0] == '\0', "the empty text");
    haft_str text = haft__arena_format(&arena, "%d of %s", 3, "seven");
    CHECK_STR(text, HAFT__LIT("3 of seven"), "format");
    CHECK_INT(text.ptr[text.len], 0, "NUL after the format");
    haft__arena_finish(&arena);
}

TEST(a_format_that_cannot_be_printed_fails)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    static const wchar_t unprintable[] = {0x7FFFFFFF, 0};
    CHECK(haft__arena_format(&arena, "%ls", unprintable).ptr == NULL, "it was printed");
    haft__arena_finish(&arena);
}

static haft_status use_it_all(haft__arena *arena, haft_error *err)
{
    if (haft__arena_alloc(arena, 10) == NULL || haft__arena_array(arena, 100, KIB) == NULL
        || haft__arena_copy(arena, HAFT__LIT("copy")).ptr == NULL
        || haft__arena_alloc(arena, 200 * KIB) == NULL
        || haft__arena_format(arena, "%0*d", 500000, 7).ptr == NULL
        || haft__arena_copy(arena, (haft_str){test_alloc(4 * KIB * KIB), 4 * KIB * KIB}).ptr
               == NULL) {
        return haft__arena_fail(arena, err);
    }
    return HAFT_OK;
}

TEST(every_failed_allocation_is_reported)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft_error err = {0};
        test_fail_allocation(n);
        haft_status status = use_it_all(&arena, &err);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        if (!failed) {
            CHECK_INT(status, HAFT_OK, "no allocation failed");
            CHECK(n >= 4, "only %u allocations were made", n);
            break;
        }
        CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
        CHECK_INT(err.status, HAFT_NO_MEMORY, "allocation %u", n);
    }
}

static void count_release(void *context)
{
    (*(int *)context)++;
}

TEST(what_lives_with_an_arena_is_released_once)
{
    haft__arena arena;
    haft_error err = {.status = HAFT_OK};
    int first = 0, second = 0;
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__arena_on_release(&arena, count_release, &first, &err), HAFT_OK, "%s",
              err.message);
    haft__arena_mark mark = haft__arena_save(&arena);
    haft__arena_restore(&arena, mark);
    CHECK_INT(first, 0, "a restore keeps it");
    haft__arena_reset(&arena);
    CHECK_INT(first, 1, "a reset releases it");
    CHECK_INT(haft__arena_on_release(&arena, count_release, &second, &err), HAFT_OK, "%s",
              err.message);
    haft__arena_finish(&arena);
    haft__arena_finish(&arena);
    CHECK_INT(first, 1, "the first");
    CHECK_INT(second, 1, "the second");
}
