/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/database/catalog_joins.c. */
#include "base/limits.h"
#include "database/catalog_build.h"
#include "database/catalog_search.h"
#include "test.h"

#define L(text) HAFT__LIT(text)

/* Tables t0 <- t1 <- t2 <- ... in a chain, each with the columns id and up. */
static haft__catalog make_chain(haft__arena *arena, size_t count)
{
    haft__catalog catalog;
    haft__catalog_builder b;
    haft__catalog_builder_init(&b, arena);
    for (size_t i = 0; i < count; i++) {
        char name[16], before[16];
        (void)snprintf(name, sizeof(name), "t%zu", i);
        (void)snprintf(before, sizeof(before), "t%zu", i - 1);
        haft__catalog_column id = {.name = L("id"), .key = 1}, up = {.name = L("up")};
        CHECK_INT(haft__catalog_add_table(&b, L(""), haft__str(name), "table", L(""), NULL),
                  HAFT_OK, "table");
        CHECK_INT(haft__catalog_add_column(&b, &id, NULL), HAFT_OK, "column");
        CHECK_INT(haft__catalog_add_column(&b, &up, NULL), HAFT_OK, "column");
        CHECK(
            i == 0
                || haft__catalog_add_link(&b, true, L(""), haft__str(before), L("up"), L(""), NULL)
                       == HAFT_OK,
            "link");
    }
    CHECK_INT(haft__catalog_build(&b, &catalog, NULL), HAFT_OK, "build");
    return catalog;
}

static void check_joins(const haft__catalog *catalog, const size_t *tables, size_t count,
                        const char *wanted)
{
    haft__buf buf;
    haft__buf_init(&buf, 10000);
    CHECK_INT(haft__catalog_write_joins(catalog, tables, count, &buf, NULL), HAFT_OK, "joins");
    CHECK_STR(haft__buf_str(&buf), haft__str(wanted), "joins of %zu tables", count);
    haft__buf_finish(&buf);
}

TEST(joins_go_through_at_most_so_many_tables)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__catalog chain = make_chain(&arena, 10);
    size_t last = HAFT__LIMIT_SQL_JOIN_TABLES + 1;
    check_joins(&chain, (const size_t[]){0, 1}, 2, "join t1.up = t0.id\n");
    check_joins(&chain, (const size_t[]){1, 0}, 2, "join t1.up = t0.id\n");
    check_joins(&chain, (const size_t[]){0, last}, 2,
                "join t3.up = t2.id\njoin t2.up = t1.id\njoin t1.up = t0.id\n");
    check_joins(&chain, (const size_t[]){0, last + 1}, 2, "");
    check_joins(&chain, (const size_t[]){0, 1, 2}, 3, "join t1.up = t0.id\njoin t2.up = t1.id\n");
    check_joins(&chain, (const size_t[]){5}, 1, "");
    check_joins(&chain, NULL, 0, "");
    haft__arena_finish(&arena);
}

TEST(keys_of_several_columns_and_unknown_tables_are_handled)
{
    haft__arena arena;
    haft__catalog catalog;
    haft__catalog_builder b;
    haft__catalog_column a = {.name = L("a"), .key = 2}, c = {.name = L("C"), .key = 1};
    haft__arena_init(&arena, 0);
    haft__catalog_builder_init(&b, &arena);
    CHECK_INT(haft__catalog_add_table(&b, L("s"), L("One"), "table", L(""), NULL), HAFT_OK,
              "table");
    CHECK(haft__catalog_add_column(&b, &a, NULL) == HAFT_OK
              && haft__catalog_add_column(&b, &c, NULL) == HAFT_OK,
          "columns");
    CHECK_INT(haft__catalog_add_table(&b, L(""), L("two"), "table", L(""), NULL), HAFT_OK, "table");
    CHECK(haft__catalog_add_link(&b, true, L("S"), L("ONE"), L("x"), L(""), NULL) == HAFT_OK
              && haft__catalog_add_link(&b, false, L("S"), L("ONE"), L("y"), L(""), NULL) == HAFT_OK
              && haft__catalog_add_link(&b, true, L(""), L("none"), L("x"), L("z"), NULL)
                     == HAFT_OK,
          "links");
    CHECK_INT(haft__catalog_build(&b, &catalog, NULL), HAFT_OK, "build");
    check_joins(&catalog, (const size_t[]){0, 1}, 2,
                "join two.x = s.\"One\".\"C\" AND two.y = s.\"One\".a\n");
    haft__arena_finish(&arena);
}
