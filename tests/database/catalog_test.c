/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/database/catalog.c, catalog_build.c and catalog_hint.c. */
#include "base/error.h"
#include "base/limits.h"
#include "database/catalog.h"
#include "database/catalog_build.h"
#include "test.h"

#define L(text) HAFT__LIT(text)

static void add_column(haft__catalog_builder *b, const char *name, const char *type, uint32_t key)
{
    haft__catalog_column column = {.name = haft__str(name), .type = haft__str(type), .key = key};
    CHECK_INT(haft__catalog_add_column(b, &column, NULL), HAFT_OK, "%s", name);
}

static void add_table(haft__catalog_builder *b, const char *name, const char *comment)
{
    CHECK_INT(haft__catalog_add_table(b, L(""), haft__str(name), "table", haft__str(comment), NULL),
              HAFT_OK, "%s", name);
}

static haft__catalog make_shop(haft__arena *arena)
{
    haft__catalog catalog;
    haft__catalog_builder b;
    haft__catalog_builder_init(&b, arena);
    add_table(&b, "customers", "people\nwho buy");
    add_column(&b, "id", "INTEGER", 1);
    add_column(&b, "name", "TEXT", 0);
    haft__catalog_set_rows(&b, 12345);
    add_table(&b, "Order", "");
    add_column(&b, "id", "", 1);
    add_column(&b, "customer_id", "INTEGER", 0);
    add_column(&b, "total \"net\"", "REAL", 0);
    CHECK_INT(
        haft__catalog_add_link(&b, true, L(""), L("customers"), L("customer_id"), L("id"), NULL),
        HAFT_OK, "link");
    haft__catalog_set_rows(&b, 1);
    CHECK_INT(haft__catalog_build(&b, &catalog, NULL), HAFT_OK, "build");
    return catalog;
}

TEST(tables_are_written_with_keys_and_comments)
{
    haft__arena arena;
    haft__buf buf;
    haft__arena_init(&arena, 0);
    haft__buf_init(&buf, 10000);
    haft__catalog catalog = make_shop(&arena);
    haft__catalog_write_table(&buf, &catalog.tables[0], 9);
    haft__catalog_write_table(&buf, &catalog.tables[1], 9);
    CHECK_STR(haft__buf_str(&buf),
              L("table customers, about 12000 rows -- people\\u000awho buy\n"
                "  id INTEGER primary key\n"
                "  name TEXT\n"
                "table \"Order\", 1 row\n"
                "  id primary key\n"
                "  customer_id INTEGER references customers\n"
                "  \"total \"\"net\"\"\" REAL\n"),
              "tables");
    haft__buf_clear(&buf);
    haft__catalog_write_table(&buf, &catalog.tables[1], 0);
    CHECK(strstr(buf.ptr, "customer_id INTEGER references customers\n  (1 more columns)\n") != NULL,
          "keys are shown past the limit: %.*s", HAFT__ARG(haft__buf_str(&buf)));
    haft__buf_finish(&buf);
    haft__arena_finish(&arena);
}

TEST(names_are_quoted_if_a_query_needs_it)
{
    static const struct {
        const char *name, *wanted;
    } cases[] = {
        {"orders", "orders"},
        {"order_2", "order_2"},
        {"2nd", "\"2nd\""},
        {"order", "\"order\""},
        {"Name", "\"Name\""},
        {"a b", "\"a b\""},
        {"a\"b", "\"a\"\"b\""},
        {"", "\"\""},
        {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
        {"a\nb", "\"a\\u000ab\""},
        {"\xff", "\"\\xff\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf buf;
        haft__buf_init(&buf, 1000);
        haft__catalog_write_name(&buf, haft__str(cases[i].name));
        CHECK_STR(haft__buf_str(&buf), haft__str(cases[i].wanted), "case %zu", i);
        haft__buf_clear(&buf);
        haft__catalog_write_table_name(&buf, L("a"), L("b"));
        CHECK_STR(haft__buf_str(&buf), L("a.b"), "with a schema");
        haft__buf_finish(&buf);
    }
}

TEST(errors_about_names_get_the_nearest_name)
{
    static const struct {
        const char *message, *hint;
    } cases[] = {
        {"no such table: custmers", "did you mean the table 'customers'?"},
        {"no such table: main.custmers", "did you mean the table 'customers'?"},
        {"no such column: nam", "did you mean the column 'name' of customers?"},
        {"no such column: c.customers_id", "did you mean the column 'customer_id' of Order?"},
        {"relation \"custmers\" does not exist", "did you mean the table 'customers'?"},
        {"column \"nam\" does not exist", "did you mean the column 'name' of customers?"},
        {"column c.nam does not exist", "did you mean the column 'name' of customers?"},
        {"no such table: zzzzzz", "find the tables with search_schemas"},
        {"no such column: zzzzzz", "find the columns with search_schemas"},
        {"syntax error", ""},
        {"no such table: ", ""},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__catalog catalog = make_shop(&arena);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_error err = {0};
        (void)haft__fail(&err, HAFT_BAD_INPUT, "", "%s", cases[i].message);
        haft__catalog_hint(&catalog, &err);
        CHECK_STR(haft__str(err.hint), haft__str(cases[i].hint), "%s", cases[i].message);
    }
    haft__catalog_hint(&catalog, NULL);
    CHECK_INT(haft__catalog_find(&catalog, L(""), L("ORDER")), 1, "case is ignored");
    CHECK_INT(haft__catalog_find(&catalog, L("x"), L("Order")), 2, "another schema");
    haft__arena_finish(&arena);
}

TEST(a_catalog_ends_at_its_limits)
{
    haft__arena arena;
    haft__catalog catalog;
    haft__catalog_builder b;
    haft__arena_init(&arena, 0);
    haft__catalog_builder_init(&b, &arena);
    for (size_t i = 0; i < HAFT__LIMIT_SQL_TABLES; i++) {
        add_table(&b, "t", "");
    }
    CHECK(!haft__catalog_is_full(&b), "at the limit");
    add_table(&b, "t", "");
    add_column(&b, "not added", "", 0);
    CHECK_INT(haft__catalog_add_link(&b, true, L(""), L("t"), L("c"), L(""), NULL), HAFT_OK,
              "link");
    haft__catalog_set_rows(&b, 1);
    CHECK_INT(haft__catalog_build(&b, &catalog, NULL), HAFT_OK, "build");
    CHECK(catalog.cut && catalog.count == HAFT__LIMIT_SQL_TABLES && catalog.column_count == 0,
          "past the limit of tables");
    haft__catalog_builder_init(&b, &arena);
    add_table(&b, "t", "");
    for (size_t i = 0; i < HAFT__LIMIT_SQL_COLUMNS; i++) {
        add_column(&b, "c", "", 0);
    }
    CHECK(!haft__catalog_is_full(&b), "at the limit");
    add_column(&b, "c", "", 0);
    CHECK_INT(haft__catalog_build(&b, &catalog, NULL), HAFT_OK, "build");
    CHECK(catalog.cut && catalog.column_count == HAFT__LIMIT_SQL_COLUMNS,
          "past the limit of columns");
    haft__arena_finish(&arena);
}
