/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/format/aho_corasick.c: every mark is found at its end, whatever stands in front of
 * it. */
#include "format/aho_corasick.h"
#include "test.h"

/* Writes where marks end in `text`, as "mark@offset ", found byte by byte. */
static void find(const haft__aho_corasick *marks, const char *const *texts, haft_str text, char *to,
                 size_t room)
{
    uint16_t state = 0;
    size_t length = 0;
    to[0] = '\0';
    for (size_t i = 0; i < text.len; i++) {
        state = haft__aho_corasick_step(marks, state, text.ptr[i]);
        const haft__aho_corasick_node *node = &marks->nodes[state];
        CHECK(node->depth <= i + 1
                  && memcmp(node->text, text.ptr + i + 1 - node->depth, node->depth) == 0,
              "the text of the node is not the end of the input");
        if (node->mark != 0) {
            length += (size_t)snprintf(to + length, room - length, "%s@%zu ", texts[node->mark - 1],
                                       i + 1);
            state = 0;
        }
    }
}

TEST(marks_are_found_after_the_beginnings_of_other_marks)
{
    static const struct {
        const char *texts[4], *text, *found;
    } cases[] = {
        {{"<a>", "<b>"}, "x<a>y<b><a>", "<a>@4 <b>@8 <a>@11 "},
        {{"<a>"}, "<<a>", "<a>@4 "},
        {{"aab"}, "aaaab", "aab@5 "},
        {{"abcabd"}, "abcabcabd", "abcabd@9 "},
        {{"abcd", "bce"}, "abce", "bce@4 "},
        {{"<tool_call>", "<tool>"}, "<tool_<tool><tool_call>", "<tool>@12 <tool_call>@23 "},
        {{"\n```", "```py"}, "\n``\n```", "\n```@7 "},
        {{"x"}, "", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__aho_corasick marks;
        size_t count = 0;
        while (count < 4 && cases[i].texts[count] != NULL) {
            count++;
        }
        CHECK_INT(haft__aho_corasick_build(&marks, &arena, cases[i].texts, count, NULL), HAFT_OK,
                  "case %zu", i);
        char found[256];
        find(&marks, cases[i].texts, haft__str(cases[i].text), found, sizeof(found));
        CHECK_STR(haft__str(found), haft__str(cases[i].found), "%s", cases[i].text);
        haft__arena_finish(&arena);
    }
}

TEST(bytes_that_cannot_begin_a_mark_are_skipped)
{
    static const char *const one[] = {"<a>", "<b>"}, *const more[] = {"<a>", "[b]", "\xE2\x80"};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__aho_corasick a, b;
    CHECK_INT(haft__aho_corasick_build(&a, &arena, one, COUNT(one), NULL), HAFT_OK,
              "marks that begin with one byte");
    CHECK_INT(haft__aho_corasick_build(&b, &arena, more, COUNT(more), NULL), HAFT_OK,
              "marks that begin with several bytes");
    CHECK_INT(haft__aho_corasick_skip(&a, HAFT__LIT("xyz<")), 3,
              "bytes before the first byte of a mark");
    CHECK_INT(haft__aho_corasick_skip(&a, HAFT__LIT("x[z")), 3,
              "a text without the first byte of a mark");
    CHECK_INT(haft__aho_corasick_skip(&a, HAFT__LIT("")), 0, "an empty text");
    CHECK_INT(haft__aho_corasick_skip(&b, HAFT__LIT("xy\xE2")), 2,
              "bytes before a byte that is not ASCII");
    CHECK_INT(haft__aho_corasick_skip(&b, HAFT__LIT("x[<")), 1,
              "bytes before the first of two marks");
    CHECK_INT(haft__aho_corasick_skip(&b, HAFT__LIT("xyz")), 3,
              "a text without the first byte of a mark");
    haft__arena_finish(&arena);
}

TEST(building_an_automaton_reports_a_failed_allocation)
{
    static const char *const texts[] = {"<a>"};
    haft__arena arena;
    haft__aho_corasick marks;
    haft__arena_init(&arena, 0);
    test_fail_allocation(0);
    haft_status status = haft__aho_corasick_build(&marks, &arena, texts, 1, NULL);
    CHECK(test_allow_allocations() && status == HAFT_NO_MEMORY,
          "status %d after a failed allocation", status);
    haft__arena_finish(&arena);
}
