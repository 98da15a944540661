/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/prompt/observation.c. */
#include "prompt/observation.h"

#include "base/utf8.h"

#include "base/str.h"
#include "test.h"

/* A text of `count` characters of 1 to 4 bytes each, in turn. */
static haft_str characters(size_t count)
{
    static const char *const some[] = {"a", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x90\x87"};
    char *text = test_alloc(4 * count + 1);
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        haft_str c = haft__str(some[i % COUNT(some)]);
        memcpy(text + length, c.ptr, c.len);
        length += c.len;
    }
    return (haft_str){text, length};
}

TEST(an_observation_is_cut_at_its_limit)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_str mark = HAFT__LIT(HAFT__OBSERVATION_MARK);
    for (uint32_t limit = 0; limit < 40; limit++) {
        for (size_t length = 0; length < 40; length++) {
            haft_str result = characters(length);
            haft_str shown = haft__observation_cut(&arena, result, limit, HAFT__LIT("c1.1"), true);
            CHECK_INT(haft__observation_is_cut(result, limit), length > limit,
                      "whether %zu characters are cut at %u", length, limit);
            if (length <= limit) {
                CHECK_STR(shown, result, "%zu characters, limit %u", length, limit);
                continue;
            }
            bool cut;
            haft_str kept = haft__observation_unmark(shown, &cut);
            CHECK(cut && haft__str_starts_with(haft__str_skip(shown, kept.len), mark),
                  "mark after %zu characters, limit %u", length, limit);
            CHECK_STR(kept, characters(limit), "text before the mark, %zu characters, limit %u",
                      length, limit);
        }
    }
    haft__arena_finish(&arena);
}

TEST(invalid_bytes_count_as_one_character_each)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft_str shown =
        haft__observation_cut(&arena, HAFT__LIT("\xFF\xFE\0\xE2\x82"), 3, HAFT__LIT("c3.1"), true);
    bool cut;
    CHECK_STR(haft__observation_unmark(shown, &cut), HAFT__LIT("\xFF\xFE\0"),
              "text before the mark");
    shown = haft__observation_cut(&arena, (haft_str){NULL, 0}, 3, HAFT__LIT("c3.1"), true);
    CHECK(shown.ptr != NULL && shown.len == 0, "an empty result is an empty text");
    haft__arena_finish(&arena);
}

TEST(a_cut_result_names_its_call_and_its_length)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK_STR(
        haft__observation_cut(&arena, HAFT__LIT("\xC3\xA4 12345"), 3, HAFT__LIT("c3.1"), true),
        HAFT__LIT("\xC3\xA4 1" HAFT__OBSERVATION_MARK
                  "\nThese are the first 3 of 7 characters of the result of call c3.1. "
                  "read_result with call \"c3.1\" and offset 3 returns more."),
        "with read_result");
    CHECK_STR(haft__observation_cut(&arena, HAFT__LIT("12345"), 3, HAFT__LIT("c3.1"), false),
              HAFT__LIT("123" HAFT__OBSERVATION_MARK
                        "\nThese are the first 3 of 5 characters of the result of call c3.1."),
              "without read_result");
    haft__arena_finish(&arena);
}

TEST(a_cut_survives_a_failed_allocation)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    test_fail_allocation(0);
    haft_str shown = haft__observation_cut(&arena, HAFT__LIT("12345"), 3, HAFT__LIT("c3.1"), true);
    CHECK(test_allow_allocations() && shown.ptr == NULL, "out of memory");
    haft__arena_finish(&arena);
}

#define LINE(what, offset)                                                                         \
    HAFT__OBSERVATION_MARK "\nThese are " what                                                     \
                           " of the result of call c1.1. read_result with call "                   \
                           "\"c1.1\" and offset " offset " returns more."

TEST(pages_of_a_result_are_never_longer_than_an_observation)
{
    static const struct {
        uint64_t offset, limit;
        size_t first, count;
        const char *line;
    } rows[] = {
        {0, 3, 0, 3, LINE("the first 3 of 20 characters", "3")},
        {0, 10, 0, 5, LINE("the first 5 of 20 characters", "5")},
        {0, 100000000, 0, 5, LINE("the first 5 of 20 characters", "5")},
        {4, 3, 4, 3, LINE("3 of 20 characters, from offset 4,", "7")},
        {18, 5, 18, 2, ""},
        {20, 5, 20, 0, "The result of call c1.1 has 20 characters: nothing follows offset 20."},
        {99, 5, 20, 0, "The result of call c1.1 has 20 characters: nothing follows offset 99."},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str page = haft__observation_page(&arena, characters(20), rows[i].offset,
                                               rows[i].limit, 5, HAFT__LIT("c1.1"), false);
        haft_str before = characters(rows[i].first), all = characters(20);
        haft_str rest = haft__str_skip(all, before.len);
        haft_str wanted = {rest.ptr, characters(rows[i].first + rows[i].count).len - before.len};
        CHECK(page.ptr != NULL && haft__str_starts_with(page, wanted), "row %zu", i);
        CHECK_STR(haft__str_skip(page, wanted.len), haft__str(rows[i].line), "row %zu", i);
    }
    haft_str page =
        haft__observation_page(&arena, characters(20), 0, 3, 5, HAFT__LIT("c1.1"), true);
    CHECK(haft__str_ends_with(page, HAFT__LIT("of the result of call c1.1 after grep. read_result "
                                              "with call \"c1.1\", the same grep and offset 3 "
                                              "returns more.")),
          "%.*s", HAFT__ARG(page));
    haft__arena_finish(&arena);
}

TEST(the_line_after_a_page_has_a_maximum_length)
{
    haft__arena arena;
    char id[2000];
    memset(id, 'i', sizeof(id));
    haft__arena_init(&arena, 0);
    haft_str page =
        haft__observation_page(&arena, characters(20), 1, 1, 1, (haft_str){id, sizeof(id)}, true);
    CHECK(haft__utf8_length(page) <= 1 + HAFT__OBSERVATION_LINE_CHARS, "%zu bytes", page.len);
    haft__arena_finish(&arena);
}

TEST(the_mark_is_found_before_a_short_note)
{
    char *note = test_alloc(2000);
    memset(note, 'n', 2000);
    static const struct {
        size_t note;
        bool marked, found;
    } rows[] = {{0, true, true}, {100, true, true}, {1900, true, false}, {0, false, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_str mark = rows[i].marked ? HAFT__LIT(HAFT__OBSERVATION_MARK) : HAFT__LIT("");
        char *text = test_alloc(4 + mark.len + rows[i].note);
        bool cut = !rows[i].found;
        memcpy(text, "text", 4);
        memcpy(text + 4, mark.ptr, mark.len);
        memcpy(text + 4 + mark.len, note, rows[i].note);
        haft_str shown = {text, 4 + mark.len + rows[i].note};
        haft_str before = haft__observation_unmark(shown, &cut);
        CHECK_INT(cut, rows[i].found, "row %zu", i);
        CHECK_STR(before, rows[i].found ? HAFT__LIT("text") : shown, "row %zu", i);
    }
}
