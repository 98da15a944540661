/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/database/catalog_search.c. */
#include "base/limits.h"
#include "database/catalog_build.h"
#include "database/catalog_search.h"
#include "test.h"

#define L(text) HAFT__LIT(text)

static void add_table(haft__catalog_builder *b, const char *name, const char *comment,
                      const char *const *columns)
{
    CHECK_INT(haft__catalog_add_table(b, L(""), haft__str(name), "table", haft__str(comment), NULL),
              HAFT_OK, "%s", name);
    for (size_t i = 0; columns[i] != NULL; i++) {
        haft__catalog_column column = {.name = haft__str(columns[i]), .key = i == 0};
        CHECK_INT(haft__catalog_add_column(b, &column, NULL), HAFT_OK, "%s", columns[i]);
    }
}

static void add_link(haft__catalog_builder *b, const char *to, const char *column)
{
    CHECK_INT(haft__catalog_add_link(b, true, L(""), haft__str(to), haft__str(column), L(""), NULL),
              HAFT_OK, "%s", column);
}

/* customers <- orders <- order_items -> products; weather has no key. */
static haft__catalog make_shop(haft__arena *arena)
{
    haft__catalog catalog;
    haft__catalog_builder b;
    haft__catalog_builder_init(&b, arena);
    add_table(&b, "customers", "people who buy", (const char *const[]){"id", "full_name", NULL});
    add_table(&b, "orders", "", (const char *const[]){"id", "customer_id", "placed_at", NULL});
    add_link(&b, "customers", "customer_id");
    add_table(&b, "order_items", "",
              (const char *const[]){"id", "order_id", "product_id", "quantity", NULL});
    add_link(&b, "orders", "order_id");
    add_link(&b, "products", "product_id");
    add_table(&b, "products", "", (const char *const[]){"id", "title", "price", NULL});
    add_table(&b, "weather", "rain and sun", (const char *const[]){"day", "temperature", NULL});
    CHECK_INT(haft__catalog_build(&b, &catalog, NULL), HAFT_OK, "build");
    return catalog;
}

/* The result of a search; lives as long as the arena. */
static haft_str search(haft__arena *arena, const haft__catalog_source *sources, size_t count,
                       const char *query, uint64_t limit)
{
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    haft__search_index *index = NULL;
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(haft__search_create(&options, &index, NULL), HAFT_OK, "create");
    CHECK_INT(haft__catalog_index(sources, count, index, NULL), HAFT_OK, "index");
    CHECK_INT(haft__catalog_search(sources, count, index, haft__str(query), limit, &buf, NULL),
              HAFT_OK, "%s", query);
    haft_str text = haft__arena_copy(arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    haft__search_destroy(index);
    return text;
}

TEST(tables_are_found_with_their_joins)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__catalog_source source = {.database = L("shop"), .catalog = make_shop(&arena)};
    CHECK_STR(search(&arena, &source, 1, "temperature on a day", 1),
              L("table weather -- rain and sun\n  day primary key\n  temperature\n"
                "(1 of 5 tables: search again with other words for more)"),
              "by a column");
    haft_str found = search(&arena, &source, 1, "customers and their products", 2);
    CHECK(strstr(found.ptr, "table customers") != NULL
              && strstr(found.ptr, "table products") != NULL,
          "%.*s", HAFT__ARG(found));
    CHECK(strstr(found.ptr, "join orders.customer_id = customers.id\n") != NULL
              && strstr(found.ptr, "join order_items.order_id = orders.id\n") != NULL
              && strstr(found.ptr, "join order_items.product_id = products.id\n") != NULL,
          "the path through two tables: %.*s", HAFT__ARG(found));
    CHECK_STR(search(&arena, &source, 1, "zzzz", 0), L("(no table matches; there are 5)"), "none");
    haft__arena_finish(&arena);
}

TEST(several_databases_are_named)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__catalog_source sources[] = {{.database = L("shop"), .catalog = make_shop(&arena)},
                                      {.database = L("gone"), .problem = L("no such file")}};
    haft_str found = search(&arena, sources, 2, "weather", 1);
    CHECK(haft__str_starts_with(found, L("database shop\ntable weather")), "%.*s",
          HAFT__ARG(found));
    CHECK(haft__str_ends_with(found, L("\n(the database gone cannot be read: no such file)")),
          "%.*s", HAFT__ARG(found));
    haft__arena_finish(&arena);
}

TEST(results_end_at_their_limits)
{
    haft__arena arena;
    haft__catalog catalog;
    haft__catalog_builder b;
    const char *wide[HAFT__LIMIT_SQL_FOUND_COLUMNS + 2] = {"id"};
    char names[HAFT__LIMIT_SQL_FOUND_COLUMNS + 1][16], name[16];
    haft__arena_init(&arena, 0);
    haft__catalog_builder_init(&b, &arena);
    for (size_t i = 1; i <= HAFT__LIMIT_SQL_FOUND_COLUMNS; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "column_%zu", i);
        wide[i] = names[i];
    }
    add_table(&b, "wide", "", wide);
    for (size_t i = 0; i <= HAFT__LIMIT_SQL_FOUND_TABLES; i++) {
        (void)snprintf(name, sizeof(name), "things_%zu", i);
        add_table(&b, name, "", (const char *const[]){"id", NULL});
    }
    static char comment[HAFT__LIMIT_SQL_CELL_BYTES];
    memset(comment, 'x', sizeof(comment) - 1);
    for (size_t i = 0; i < HAFT__LIMIT_SQL_FOUND_TABLES; i++) {
        haft__catalog_column column = {.name = L("id"), .comment = haft__str(comment)};
        (void)snprintf(name, sizeof(name), "stuff_%zu", i);
        add_table(&b, name, "", (const char *const[]){NULL});
        for (size_t k = 0; k < 3; k++) {
            CHECK_INT(haft__catalog_add_column(&b, &column, NULL), HAFT_OK, "column");
        }
    }
    CHECK_INT(haft__catalog_build(&b, &catalog, NULL), HAFT_OK, "build");
    haft__catalog_source source = {.database = L("d"), .catalog = catalog};
    CHECK(strstr(search(&arena, &source, 1, "wide", 1).ptr, "(1 more columns)") != NULL, "columns");
    size_t count = 0;
    haft_str found = search(&arena, &source, 1, "things", 1000);
    for (const char *at = found.ptr; (at = strstr(at, "table things")) != NULL; at++) {
        count++;
    }
    CHECK_INT(count, HAFT__LIMIT_SQL_FOUND_TABLES, "tables");
    count = 0;
    found = search(&arena, &source, 1, "things", 0);
    for (const char *at = found.ptr; (at = strstr(at, "table things")) != NULL; at++) {
        count++;
    }
    CHECK_INT(count, HAFT__LIMIT_SQL_FOUND_DEFAULT, "tables without a limit");
    found = search(&arena, &source, 1, "stuff", 1000);
    CHECK(found.len < HAFT__LIMIT_SQL_FOUND_BYTES + 200
              && strstr(found.ptr, "(not all found tables fit: ask for fewer)") != NULL,
          "bytes: %zu", found.len);
    haft__arena_finish(&arena);
}
