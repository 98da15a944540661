/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements that get past a connection that is only opened for reading, and past the guard of
 * exec/sql. Each one runs twice: on a read-only connection, where it works, and as a query, where
 * it is rejected.
 */
#include "base/limits.h"
#include "exec/sql/sql_help.h"

#define SHOP                                                                                       \
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, password TEXT);"                   \
    "INSERT INTO customers VALUES (1, 'Ann', 'pw'), (2, 'Bob', 'secret');"                         \
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total REAL);"               \
    "INSERT INTO orders VALUES (1, 1, 12.5);"

/* Runs one statement on a read-only connection; SQLite's result code of its last step. */
static int run_unguarded(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    const char *rest = sql;
    int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
    while (code == SQLITE_OK && rest[0] != '\0') {
        code = sqlite3_prepare_v2(db, rest, -1, &statement, &rest);
        while (code == SQLITE_OK || code == SQLITE_ROW) {
            code = sqlite3_step(statement);
        }
        (void)sqlite3_finalize(statement);
        code = code == SQLITE_DONE ? SQLITE_OK : code;
    }
    (void)sqlite3_close(db);
    return code;
}

TEST(what_a_read_only_connection_lets_through_is_rejected)
{
    static const struct {
        const char *sql, *found;
    } cases[] = {
        {"VACUUM INTO 'copy.db'", "it returns no rows"},
        {"ATTACH ':memory:' AS a", "ATTACH"},
        {"CREATE TEMP TABLE t (x)", "INSERT"},
        {"CREATE TEMP TABLE t AS SELECT * FROM customers", "INSERT"},
        {"CREATE TEMP VIEW t AS SELECT 1", "INSERT"},
        {"PRAGMA query_only = 0", "PRAGMA query_only"},
        {"PRAGMA table_info(customers)", "PRAGMA table_info"},
        {"PRAGMA journal_mode", "PRAGMA journal_mode"},
        {"PRAGMA writable_schema = 1", "PRAGMA writable_schema"},
        {"BEGIN", "BEGIN"},
        {"SAVEPOINT a", "SAVEPOINT"},
        {"SELECT 1; SELECT 2", "more than one"},
        {"SELECT 1; CREATE TEMP TABLE t (x)", "more than one"},
        {"SELECT fts3_tokenizer('simple') IS NOT NULL", "fts3_tokenizer"},
        {"SELECT * FROM pragma_table_info('customers')", "not allowed"},
        {"SELECT count(*) FROM dbstat", "no such table: dbstat"},
        {"SELECT sql FROM sqlite_stmt", "no such table: sqlite_stmt"},
    };
    help_sql h;
    help_sql_begin(&h, SHOP);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *copy = files_path(&h.files, "copy.db");
        char text[256];
        bool vacuum = strncmp(cases[i].sql, "VACUUM", 6) == 0;
        (void)snprintf(text, sizeof(text), vacuum ? "VACUUM INTO '%s'" : "%s",
                       vacuum ? copy : cases[i].sql);
        CHECK_INT(run_unguarded(h.path, text), SQLITE_OK, "without the guard: %s", cases[i].sql);
        (void)remove(copy);
        haft_str found = help_sql_ask(&h, text);
        CHECK(h.err.status == HAFT_BAD_INPUT && strstr(found.ptr, cases[i].found) != NULL,
              "%s: %.*s", cases[i].sql, HAFT__ARG(found));
        FILE *written = fopen(copy, "r");
        CHECK(written == NULL, "%s has written a file", cases[i].sql);
        if (written != NULL) {
            (void)fclose(written);
        }
    }
    help_sql_end(&h);
}

TEST(writes_are_rejected)
{
    static const char *const cases[] = {
        "INSERT INTO orders VALUES (9, 9, 9)",
        "INSERT INTO orders VALUES (9, 9, 9) RETURNING id",
        "UPDATE orders SET total = 0",
        "DELETE FROM orders RETURNING id",
        "WITH x AS (SELECT 1) INSERT INTO orders SELECT 9, 9, 9 FROM x RETURNING id",
        "REPLACE INTO orders VALUES (1, 1, 1)",
        "DROP TABLE orders",
        "ALTER TABLE orders ADD COLUMN x",
        "CREATE INDEX i ON orders (total)",
        "CREATE TRIGGER t AFTER INSERT ON orders BEGIN SELECT 1; END",
        "REINDEX",
        "ANALYZE",
        "VACUUM",
        "DETACH main",
        "COMMIT",
        "UPDATE sqlite_master SET sql = ''",
        "SELECT load_extension('x')",
        "SELECT writefile('x', 'y')",
        "SELECT edit('x')",
    };
    help_sql h;
    help_sql_begin(&h, SHOP);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found = help_sql_ask(&h, cases[i]);
        CHECK(h.err.status == HAFT_BAD_INPUT && strcmp(h.err.where, "/query") == 0, "%s: %.*s",
              cases[i], HAFT__ARG(found));
    }
    CHECK_STR(help_sql_ask(&h, "SELECT count(*) AS n, total FROM orders"),
              HAFT__LIT("n integer | total REAL\n1 | 12.5\n(1 row)"), "nothing has changed");
    help_sql_end(&h);
}

/* A guess of the hidden password: 1 row if it is right. The authorizer of SQLite is not called for
 * the columns of NATURAL and USING. */
TEST(hidden_tables_and_columns_cannot_be_read)
{
    static const haft_str columns[] = {HAFT__LIT("!*.password")};
    static const haft_str tables[] = {HAFT__LIT("orders")};
    static const char *const cases[] = {
        "SELECT * FROM customers",
        "SELECT password FROM customers",
        "SELECT name FROM customers ORDER BY password",
        "SELECT max(name) FROM customers GROUP BY password",
        "SELECT c.name FROM customers c WHERE c.password LIKE 's%'",
        "SELECT name FROM (SELECT * FROM customers)",
        "WITH t AS (SELECT * FROM customers) SELECT name FROM t",
        "SELECT count(*) FROM customers NATURAL JOIN (SELECT 'pw' AS password)",
        "SELECT count(*) FROM customers JOIN (SELECT 'pw' AS password) USING (password)",
        "SELECT count(*) FROM customers natural/**/left join (SELECT 'pw' AS password)",
        "SELECT 1 WHERE (1, 'Ann', 'pw') IN customers",
        "SELECT sum(length(password)) OVER () FROM customers",
    };
    help_sql h;
    help_sql_begin(&h, SHOP);
    for (size_t i = 0; i < COUNT(cases); i++) {
        h.database.columns = h.database.tables = (haft__database_filter){NULL, 0};
        haft_str found = help_sql_ask(&h, cases[i]);
        CHECK_INT(h.err.status, HAFT_OK, "without a filter: %s: %.*s", cases[i], HAFT__ARG(found));
        h.database.columns = (haft__database_filter){columns, 1};
        found = help_sql_ask(&h, cases[i]);
        CHECK_INT(h.err.status, HAFT_BAD_INPUT, "hidden column: %s: %.*s", cases[i],
                  HAFT__ARG(found));
        h.database.tables = (haft__database_filter){tables, 1};
        h.database.columns = (haft__database_filter){NULL, 0};
        found = help_sql_ask(&h, cases[i]);
        CHECK_INT(h.err.status, HAFT_BAD_INPUT, "hidden table: %s: %.*s", cases[i],
                  HAFT__ARG(found));
    }
    h.database.columns = (haft__database_filter){columns, 1};
    h.database.tables = (haft__database_filter){NULL, 0};
    CHECK_STR(help_sql_ask(&h, "SELECT name FROM customers WHERE id = 2"),
              HAFT__LIT("name TEXT\nBob\n(1 row)"), "other columns can be read");
    CHECK(strstr(help_sql_ask(&h, "SELECT sql FROM sqlite_master").ptr,
                 "the table sqlite_master cannot be read here")
              != NULL,
          "the names of hidden columns");
    help_sql_end(&h);
}

/* A view reads its tables with the rights of the query. */
TEST(a_view_or_a_subquery_shows_no_hidden_table)
{
    static const haft_str tables[] = {HAFT__LIT("customers")};
    help_sql h;
    help_sql_begin(&h, SHOP "CREATE VIEW sums AS SELECT sum(total) AS s FROM orders;"
                            "CREATE VIEW customers_all AS SELECT * FROM orders;");
    CHECK_STR(help_sql_ask(&h, "SELECT * FROM sums"), HAFT__LIT("s real\n12.5\n(1 row)"), "view");
    h.database.tables = (haft__database_filter){tables, 1};
    static const char *const cases[] = {
        "SELECT * FROM sums",
        "SELECT * FROM customers_all",
        "WITH customers AS (SELECT * FROM orders) SELECT * FROM customers",
        "SELECT * FROM (SELECT total FROM orders) AS customers",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found = help_sql_ask(&h, cases[i]);
        CHECK_INT(h.err.status, HAFT_BAD_INPUT, "%s: %.*s", cases[i], HAFT__ARG(found));
    }
    help_sql_end(&h);
}

/* Each one takes seconds, hours or gigabytes without its limit. */
TEST(query_bombs_end_at_their_limits)
{
#define A(n) "replace(hex(zeroblob(" #n ")), '00', 'aa')"
    static const struct {
        const char *sql;
        haft_status status;
        const char *found;
    } cases[] = {
        {"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c",
         HAFT_TOO_BIG, "longer than the timeout of 200 ms"},
        {"WITH c(x) AS (VALUES (1), (2), (3), (4), (5), (6), (7), (8)) SELECT count(*) FROM c a, c "
         "b, c d, c e, c f, c g, c h, c i, c j, c k",
         HAFT_TOO_BIG, "longer than the timeout of 200 ms"},
        {"SELECT randomblob(900000000)", HAFT_TOO_BIG, "limit of 1048576 bytes"},
        {"SELECT zeroblob(900000000)", HAFT_TOO_BIG, "limit of 1048576 bytes"},
        {"SELECT hex(zeroblob(1000000))", HAFT_TOO_BIG, "limit of 1048576 bytes"},
        {"SELECT printf('%*c', 900000000, 'x')", HAFT_OK, "NULL"},
        {"SELECT 'a' LIKE " A(60), HAFT_BAD_INPUT, "pattern too complex"},
        {"SELECT " A(250000) " LIKE '%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%b' AS x", HAFT_OK,
         "0"},
        {"SELECT instr(" A(250000) ", " A(120000) " || 'b') AS x", HAFT_OK, "0"},
        {"SELECT length(replace(" A(250000) ", " A(120000) " || 'b', '')) AS x", HAFT_OK, "500000"},
        {"SELECT length(trim(replace(" A(250000) ", 'a', 'b'), " A(120000) " || 'b')) AS x",
         HAFT_OK, "0"},
        {"SELECT replace(" A(250000) ", 'a', " A(1000) ")", HAFT_TOO_BIG, "limit of 1048576 bytes"},
        {"SELECT group_concat(x) FROM (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
         "FROM c) SELECT x FROM c)",
         HAFT_TOO_BIG, ""},
    };
#undef A
    help_sql h;
    help_sql_begin(&h, SHOP);
    for (size_t i = 0; i < COUNT(cases); i++) {
        h.database.timeout_ms = cases[i].status == HAFT_OK ? 60000 : 200;
        haft_str found = help_sql_ask(&h, cases[i].sql);
        CHECK(h.err.status == cases[i].status && strstr(found.ptr, cases[i].found) != NULL,
              "%s: %.*s", cases[i].sql, HAFT__ARG(found));
    }
    help_sql_end(&h);
}

TEST(a_query_that_needs_too_much_memory_is_stopped)
{
    help_sql h;
    help_sql_begin(&h, SHOP);
    h.database.timeout_ms = 60000;
    haft_str found = help_sql_ask(
        &h, "WITH RECURSIVE c(x, b) AS (SELECT 1, zeroblob(500000) UNION ALL SELECT x + 1, "
            "zeroblob(500000) FROM c LIMIT 100000) SELECT * FROM c ORDER BY b, x");
    CHECK(h.err.status == HAFT_TOO_BIG
              && strstr(found.ptr, "more memory than the limit of 256 MiB") != NULL,
          "%.*s", HAFT__ARG(found));
    CHECK(sqlite3_memory_highwater(1) < 2LL * HAFT__LIMIT_SQL_MEMORY_BYTES, "memory");
    CHECK_STR(help_sql_ask(&h, "SELECT count(*) AS n FROM orders"),
              HAFT__LIT("n integer\n1\n(1 row)"), "the next query runs");
    help_sql_end(&h);
}
