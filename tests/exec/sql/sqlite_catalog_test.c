/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/sql/sqlite_catalog.c. */
#include "exec/sql/sql_help.h"

/* The tables as text; lives as long as h. */
static haft_str list(help_sql *h)
{
    haft__catalog catalog;
    haft__buf buf;
    haft_error err = {0};
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(haft__sql_read_catalog(&h->request, &h->arena, &catalog, &err), HAFT_OK, "%s",
              err.message);
    for (size_t i = 0; i < catalog.count; i++) {
        haft__catalog_write_table(&buf, &catalog.tables[i], SIZE_MAX);
    }
    haft_str kept = haft__arena_copy(&h->arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

#define SHOP                                                                                       \
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, password TEXT);"          \
    "INSERT INTO customers VALUES (1, 'a', 'b'), (2, 'c', 'd');"                                   \
    "CREATE TABLE orders (customer INTEGER REFERENCES customers(id), n INT, PRIMARY KEY "          \
    "(customer, n)) WITHOUT ROWID;"                                                                \
    "CREATE TABLE \"order\" (id INTEGER PRIMARY KEY AUTOINCREMENT);"                               \
    "INSERT INTO \"order\" VALUES (9223372036854775806);"                                          \
    "CREATE VIEW names AS SELECT name FROM customers;"                                             \
    "CREATE VIRTUAL TABLE notes USING fts5(body);"                                                 \
    "CREATE VIEW broken AS SELECT * FROM names;"

TEST(tables_views_and_keys_are_listed)
{
    help_sql h;
    help_sql_begin(&h, SHOP);
    CHECK_STR(list(&h),
              HAFT__LIT("view broken\n  name TEXT\n"
                        "table customers, 2 rows\n  id INTEGER primary key\n  name TEXT not null\n"
                        "  password TEXT\n"
                        "view names\n  name TEXT\n"
                        "virtual table notes\n  body\n"
                        "table \"order\", 1 row\n  id INTEGER primary key\n"
                        "table orders\n  customer INTEGER primary key references customers\n"
                        "  n INT primary key\n"),
              "tables");
    help_sql_end(&h);
}

TEST(hidden_tables_and_columns_are_not_listed)
{
    static const haft_str tables[] = {HAFT__LIT("customers"), HAFT__LIT("names")},
                          columns[] = {HAFT__LIT("!*.password")};
    help_sql h;
    help_sql_begin(&h, SHOP);
    h.database.tables = (haft__database_filter){tables, COUNT(tables)};
    h.database.columns = (haft__database_filter){columns, COUNT(columns)};
    CHECK_STR(list(&h),
              HAFT__LIT("table customers, 2 rows\n  id INTEGER primary key\n  name TEXT not null\n"
                        "view names\n  name TEXT\n"),
              "tables");
    help_sql_end(&h);
}

TEST(a_view_without_its_table_has_no_columns)
{
    help_sql h;
    help_sql_begin(&h, "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t; CREATE TABLE u (b);"
                       "DROP TABLE t");
    CHECK_STR(list(&h), HAFT__LIT("table u, 0 rows\n  b\nview v\n"), "tables");
    help_sql_end(&h);
}

TEST(two_thousand_tables_are_listed_and_queried)
{
    help_sql h;
    haft__catalog catalog;
    haft__buf sql;
    haft__buf_init(&sql, 1 << 20);
    haft__buf_add_str(&sql, HAFT__LIT("BEGIN;"));
    for (int i = 0; i < 2000; i++) {
        haft__buf_addf(&sql, "CREATE TABLE t%d (id INTEGER PRIMARY KEY, a%d TEXT);", i, i);
    }
    haft__buf_add(&sql, "COMMIT", sizeof("COMMIT"));
    help_sql_begin(&h, haft__buf_str(&sql).ptr);
    haft__buf_finish(&sql);
    CHECK_INT(haft__sql_read_catalog(&h.request, &h.arena, &catalog, NULL), HAFT_OK, "catalog");
    CHECK(catalog.count == 2000 && catalog.column_count == 4000, "%zu tables", catalog.count);
    haft__arena small;
    haft__arena_init(&small, HAFT__LIMIT_SQL_CATALOG_BYTES / 10000);
    CHECK_INT(haft__sql_read_catalog(&h.request, &small, &catalog, NULL), HAFT_TOO_BIG,
              "past the limit of bytes");
    haft__arena_finish(&small);
    CHECK_STR(help_sql_ask(&h, "SELECT count(a1999) AS n FROM t1999"),
              HAFT__LIT("n integer\n0\n(1 row)"), "query");
    help_sql_end(&h);
}

TEST(a_table_with_a_name_past_the_limit_is_not_shown)
{
    help_sql h;
    static char sql[2 * HAFT__LIMIT_SQL_NAME_BYTES + 100], name[HAFT__LIMIT_SQL_NAME_BYTES + 1];
    memset(name, 'a', sizeof(name) - 1);
    (void)snprintf(sql, sizeof(sql), "CREATE TABLE \"%s\" (b); CREATE TABLE \"%s\" (b)", name,
                   name + 1);
    help_sql_begin(&h, sql);
    haft__catalog catalog;
    CHECK_INT(haft__sql_read_catalog(&h.request, &h.arena, &catalog, NULL), HAFT_OK, "catalog");
    CHECK(catalog.count == 1 && catalog.tables[0].name.len == HAFT__LIMIT_SQL_NAME_BYTES - 1,
          "%zu tables", catalog.count);
    help_sql_end(&h);
}
