/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/sql/schema_cache.c: the search of search_schemas. */
#include "base/error.h"
#include "exec/sql/schema_cache.h"
#include "exec/sql/sql_help.h"

static haft_str search(help_sql *h, haft__schema_cache *cache, const char *query)
{
    haft__buf buf;
    haft__schema_query wanted = {&h->request, 1, haft__str(query), 1};
    size_t columns = 0;
    haft__buf_init(&buf, 1 << 20);
    h->err = (haft_error){.status = HAFT_OK};
    if (haft__schema_cache_search(cache, &wanted, &buf, &columns, &h->err) != HAFT_OK) {
        haft__buf_clear(&buf);
        haft__buf_addf(&buf, "%s", h->err.message);
    }
    haft_str text = haft__arena_copy(&h->arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return text;
}

TEST(an_index_follows_changes_of_the_schema)
{
    help_sql h;
    haft__schema_cache *cache = NULL;
    CHECK_INT(haft__schema_cache_create(&cache, NULL), HAFT_OK, "create");
    help_sql_begin(&h, "CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT);"
                       "INSERT INTO orders VALUES (1, 'open')");
    CHECK_STR(search(&h, cache, "order status"),
              HAFT__LIT("table orders, 1 row\n  id INTEGER primary key\n  status TEXT\n"), "first");
    CHECK_STR(search(&h, cache, "invoices"), HAFT__LIT("(no table matches; there are 1)"), "none");
    help_sql_write(h.path, "CREATE TABLE invoices (id INTEGER PRIMARY KEY)");
    CHECK(haft__str_starts_with(search(&h, cache, "invoices"), HAFT__LIT("table invoices, 0 rows")),
          "a new table");
    h.database.samples = true;
    CHECK(strstr(search(&h, cache, "order status").ptr, "status TEXT -- such as open") != NULL,
          "samples");
    (void)remove(h.path);
    CHECK(strstr(search(&h, cache, "orders").ptr, "the database shop cannot be read: cannot open")
              != NULL,
          "%s", h.err.message);
    help_sql_write(h.path, "CREATE TABLE orders (id INTEGER PRIMARY KEY)");
    CHECK(haft__str_starts_with(search(&h, cache, "orders"), HAFT__LIT("table orders")),
          "it is read again: %s", h.err.message);
    haft__schema_cache_destroy(cache);
    help_sql_end(&h);
}

TEST(the_cache_keeps_so_many_specs)
{
    help_sql h;
    haft__schema_cache *cache = NULL;
    CHECK_INT(haft__schema_cache_create(&cache, NULL), HAFT_OK, "create");
    help_sql_begin(&h, "CREATE TABLE orders (id INTEGER PRIMARY KEY)");
    for (int i = 0; i < HAFT__LIMIT_SQL_DATABASES + 2; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "d%d", i);
        h.database.name = haft__str(name);
        CHECK(search(&h, cache, "orders").len > 0 && h.err.status == HAFT_OK, "%s", h.err.message);
    }
    haft__schema_cache_destroy(cache);
    haft__schema_cache_destroy(NULL);
    help_sql_end(&h);
}
