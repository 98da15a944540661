/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/tool/index/string_table.c. */
#include "tool/index/string_table.h"

#include "test.h"

static const haft__hash_key key = {1, 2};

#define TEXTS 500U

static haft_str text_of(uint32_t i, char *space)
{
    return (haft_str){space, (size_t)snprintf(space, 16, "t%u", i)};
}

/* Compares the table with an array over thousands of random steps. */
TEST(texts_are_added_found_and_removed)
{
    haft__search_string_table table;
    uint32_t numbers[TEXTS], count = 0, seed = 3;
    memset(numbers, 0xff, sizeof(numbers));
    haft__search_string_table_init(&table, key);
    for (size_t n = 0; n < 20000; n++) {
        char space[16];
        seed = seed * 1664525U + 1013904223U;
        uint32_t at = (seed >> 8) % TEXTS;
        haft_str text = text_of(at, space);
        CHECK_INT(haft__search_string_table_find(&table, text), numbers[at], "t%u", at);
        if (numbers[at] == HAFT__SEARCH_NONE) {
            CHECK(haft__search_string_table_add(&table, text, &numbers[at], NULL) == HAFT_OK,
                  "add the text");
            count++;
        } else if (seed % 3 != 0) {
            CHECK_STR(haft__search_string_table_text(&table, numbers[at]), text,
                      "the text of its number");
            haft__search_string_table_remove(&table, numbers[at]);
            numbers[at] = HAFT__SEARCH_NONE;
            count--;
        }
        CHECK_INT(table.count, count, "number of texts");
    }
    CHECK(table.limit <= TEXTS, "numbers are not reused: %u", table.limit);
    for (uint32_t i = 0; i < TEXTS; i++) {
        char space[16];
        CHECK_INT(haft__search_string_table_find(&table, text_of(i, space)), numbers[i], "t%u", i);
    }
    haft__search_string_table_finish(&table);
    haft__search_string_table_finish(&table);
}

TEST(an_empty_text_can_be_added)
{
    haft__search_string_table table;
    uint32_t number = 9;
    haft__search_string_table_init(&table, key);
    CHECK_INT(haft__search_string_table_find(&table, HAFT__LIT("")), HAFT__SEARCH_NONE,
              "before it is added");
    CHECK(haft__search_string_table_add(&table, (haft_str){NULL, 0}, &number, NULL) == HAFT_OK,
          "add the empty text");
    CHECK_INT(haft__search_string_table_find(&table, HAFT__LIT("")), number, "after it is added");
    haft__search_string_table_finish(&table);
}

TEST(a_failed_addition_changes_nothing)
{
    for (unsigned n = 0; n < 100; n++) {
        haft__search_string_table table;
        haft_status status = HAFT_OK;
        uint32_t number = 0, count = 0;
        haft__search_string_table_init(&table, key);
        test_fail_allocation(n);
        for (; count < 200 && status == HAFT_OK; count += status == HAFT_OK) {
            char space[16];
            status = haft__search_string_table_add(&table, text_of(count, space), &number, NULL);
        }
        bool failed = test_allow_allocations();
        CHECK(failed == (status == HAFT_NO_MEMORY), "allocation %u", n);
        CHECK_INT(table.count, count, "allocation %u", n);
        for (uint32_t i = 0; i < 200; i++) {
            char space[16];
            bool found =
                haft__search_string_table_find(&table, text_of(i, space)) != HAFT__SEARCH_NONE;
            CHECK(found == (i < count), "allocation %u: t%u", n, i);
        }
        haft__search_string_table_finish(&table);
        if (!failed) {
            break;
        }
    }
}
