/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/document/builder.c, for cases that the tests of the readers do not have.
 */
#include "spec/load/document/builder.h"

#include "spec/spec_help.h"

TEST(duplicates_are_found_in_large_objects)
{
    haft__buf text;
    haft__buf_init(&text, 1 << 20);
    for (int i = 0; i < 100; i++) {
        haft__buf_addf(&text, "key%d: %d\n", i % 99, i);
    }
    CHECK_STR(read_as(haft__buf_str(&text)),
              HAFT__LIT("100:1: the key \"key0\" is repeated; it is already at 1:1 (keep "
                        "one of the two)"),
              "99 keys and a duplicate");
    haft__buf_finish(&text);
}

TEST(escaped_keys_are_found)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__spec_problems problems;
    haft__spec_problems_init(&problems, &arena);
    haft__spec_document d;
    haft_str text = HAFT__LIT("a/b: 1\na~b: 2\na: 3\n'': 4\n");
    CHECK_INT(haft__spec_parse(&arena, text, (haft__hash_key){1, 2}, &problems, &d, NULL), HAFT_OK,
              "parse the text");
    static const struct {
        const char *pointer;
        size_t at;
    } cases[] = {{"/a~1b", 5}, {"/a~0b", 12}, {"/a", 17}, {"/", 23}, {"/a~", 0}, {"/ab", 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(haft__spec_offset(&d, haft__str(cases[i].pointer), false), cases[i].at, "%s",
                  cases[i].pointer);
    }
    haft__arena_finish(&arena);
}

/* A value with twice the members costs twice, not four times: every key is processed once. */
TEST(large_objects_take_linear_time)
{
    size_t counts[2];
    for (int i = 0; i < 2; i++) {
        haft__buf text;
        haft__buf_init(&text, 4 << 20);
        for (int j = 0; j < 20000 << i; j++) {
            haft__buf_addf(&text, "k%d: x\n", j);
        }
        size_t before = test_allocation_count();
        haft_str found = read_as(haft__buf_str(&text));
        counts[i] = test_allocation_count() - before;
        CHECK(found.ptr[0] == '{', "%.80s", found.ptr);
        haft__buf_finish(&text);
    }
    CHECK(counts[1] < 3 * counts[0] + 100, "%zu and %zu allocations", counts[0], counts[1]);
}
