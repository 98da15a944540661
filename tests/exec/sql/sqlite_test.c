/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/sql/sql.c, sqlite.c and sqlite_connection.c. */
#include <sys/stat.h>
#include <unistd.h>

#include "exec/sql/sql_help.h"

#define L(text) HAFT__LIT(text)

#define SHOP                                                                                       \
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL, at TEXT);"                           \
    "INSERT INTO orders VALUES (1, 12.5, '2024-01-02'), (2, NULL, '');"

TEST(values_and_types_are_exact)
{
    static const struct {
        const char *query, *parameters, *wanted;
    } cases[] = {
        {"SELECT * FROM orders", "",
         "id INTEGER | total REAL | at TEXT\n1 | 12.5 | 2024-01-02\n2 | NULL | \"\"\n(2 rows)"},
        {"SELECT * FROM orders WHERE id > 9", "", "id INTEGER | total REAL | at TEXT\n(0 rows)"},
        {"VALUES (9223372036854775807), (-9223372036854775808)", "",
         "column1 integer\n9223372036854775807\n-9223372036854775808\n(2 rows)"},
        {"SELECT 9e999 AS a, -9e999 AS b, 0.1 AS c, 2.0 AS d, -0.0 AS e, 1.7976931348623157e308 AS "
         "f, 5e-324 AS g",
         "",
         "a real | b real | c real | d real | e real | f real | g real\n"
         "Infinity | -Infinity | 0.1 | 2.0 | -0.0 | 1.7976931348623157e308 | 5e-324\n(1 row)"},
        {"SELECT 9223372036854775808 AS a, date('9999-12-31') AS b, date('10000-01-01') AS c", "",
         "a real | b text | c\n9223372036854776000.0 | 9999-12-31 | NULL\n(1 row)"},
        {"SELECT CAST(x'61ff00e9' AS TEXT) AS a, x'00' AS b", "",
         "a text | b blob\n\"a\\xff\\u0000\\xe9\" | x'00'\n(1 row)"},
        {"SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e", "[null, true, 1.5, \"x\", [1]]",
         "a | b integer | c real | d text | e text\nNULL | 1 | 1.5 | x | [1]\n(1 row)"},
        {"SELECT $2 AS a, $1 AS b, $2 AS c", "[1, \"2\"]",
         "a text | b integer | c text\n\"2\" | 1 | \"2\"\n(1 row)"},
        {"SELECT 1 AS a -- comment\n /* more */ ; ; ", "", "a integer\n1\n(1 row)"},
        {"SELECT ? AS a", "[123456789012345678901234567890]",
         "a real\n1.2345678901234568e29\n(1 row)"},
        {"SELECT value AS v FROM json_each('[1, null, \"a\"]')", "",
         "v integer\n1\nNULL\na\n(3 rows)"},
    };
    help_sql h;
    help_sql_begin(&h, SHOP);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(help_sql_ask_with(&h, haft__str(cases[i].query), cases[i].parameters),
                  haft__str(cases[i].wanted), "%s", cases[i].query);
    }
    help_sql_end(&h);
}

TEST(errors_say_where_and_suggest_names)
{
    static const struct {
        const char *query, *parameters, *wanted;
    } cases[] = {
        {"SELECT totl FROM orders", "",
         "/query: no such column: totl (at character 8) (did you mean the column 'total' of "
         "orders?)"},
        {"SELECT 1 FROM order_", "",
         "/query: no such table: order_ (did you mean the table 'orders'?)"},
        {"SELEC 1", "", "/query: near \"SELEC\": syntax error (at character 1)"},
        {"", "", "/query: expected a statement, found none"},
        {" -- nothing", "", "/query: expected a statement, found none"},
        {"SELECT 1; SELECT 2", "",
         "/query: expected one statement, found more than one (call the tool once for each "
         "statement)"},
        {"SELECT ?", "",
         "/parameters: expected 1 value, one for each placeholder of the query, found 0"},
        {"SELECT $3", "[1]",
         "/parameters: expected 3 values, one for each placeholder of the query, found 1"},
        {"SELECT \"Ann\"", "",
         "/query: no such column: Ann (at character 8) (write a text in single "
         "quotes: 'Ann')"},
        {"SELECT abs(-9223372036854775807 - 1)", "", "/query: integer overflow"},
    };
    help_sql h;
    help_sql_begin(&h, SHOP);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found = help_sql_ask_with(&h, haft__str(cases[i].query), cases[i].parameters);
        CHECK(haft__str_starts_with(found, haft__str(cases[i].wanted)), "%s: %.*s", cases[i].query,
              HAFT__ARG(found));
    }
    CHECK(strstr(help_sql_ask_with(&h, L("SELECT 1\0 FROM"), "").ptr, "NUL") != NULL, "NUL");
    help_sql_end(&h);
}

/* A text of `count` times `part` between `before` and `after`. */
static haft_str repeat(help_sql *h, const char *before, const char *part, size_t count,
                       const char *after)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 22);
    haft__buf_add_str(&buf, haft__str(before));
    for (size_t i = 0; i < count; i++) {
        haft__buf_add_str(&buf, haft__str(part));
    }
    haft__buf_add_str(&buf, haft__str(after));
    haft_str kept = haft__arena_copy(&h->arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

TEST(queries_end_at_their_limits)
{
    const struct {
        const char *before, *part, *after;
        size_t max; /* parts at the limit */
    } cases[] = {
        {"SELECT 1 AS a", " ", "", HAFT__LIMIT_SQL_QUERY_BYTES - 13},
        {"SELECT 1", ", 1", "", HAFT__LIMIT_SQL_RESULT_COLUMNS - 1},
        {"SELECT 1", " UNION ALL SELECT 1", "", HAFT__LIMIT_SQL_COMPOUND - 1},
        {"SELECT 'a' LIKE '", "a", "' AS a", HAFT__LIMIT_SQL_PATTERN_BYTES},
    };
    help_sql h;
    help_sql_begin(&h, SHOP);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str at = repeat(&h, cases[i].before, cases[i].part, cases[i].max, cases[i].after);
        haft_str past =
            repeat(&h, cases[i].before, cases[i].part, cases[i].max + 1, cases[i].after);
        haft_str found = help_sql_ask_with(&h, at, "");
        CHECK_INT(h.err.status, HAFT_OK, "at limit %zu: %.*s", i, HAFT__ARG(found));
        found = help_sql_ask_with(&h, past, "");
        CHECK(h.err.status == HAFT_TOO_BIG || h.err.status == HAFT_BAD_INPUT,
              "past limit %zu: %.*s", i, HAFT__ARG(found));
    }
    /* The engine counts differently: the limits are near these numbers. */
    haft_str deep = repeat(&h, "SELECT ", "(1+", HAFT__LIMIT_SQL_DEPTH, "");
    deep = repeat(&h, deep.ptr, "", 0, "1");
    deep = repeat(&h, deep.ptr, ")", HAFT__LIMIT_SQL_DEPTH, "");
    haft_str found = help_sql_ask_with(&h, deep, "");
    CHECK_INT(h.err.status, HAFT_BAD_INPUT, "SQL_DEPTH: %.200s", found.ptr);
    haft_str steps = repeat(&h, "VALUES (1)", ",(1)", HAFT__LIMIT_SQL_STEPS * 4 / 5, "");
    CHECK(help_sql_ask_with(&h, steps, "").len > 0 && h.err.status != HAFT_OK, "SQL_STEPS");
    haft_str many = repeat(&h, "SELECT coalesce(1", ", ?", HAFT__LIMIT_SQL_PARAMETERS + 1, ")");
    CHECK(help_sql_ask_with(&h, many, "").len > 0 && h.err.status != HAFT_OK, "SQL_PARAMETERS");
    help_sql_end(&h);
}

TEST(values_end_at_their_limit)
{
    help_sql h;
    char query[96];
    help_sql_begin(&h, SHOP);
    (void)snprintf(query, sizeof(query), "SELECT length(zeroblob(%d)) AS a",
                   HAFT__LIMIT_SQL_VALUE_BYTES);
    CHECK_STR(help_sql_ask(&h, query), L("a integer\n1048576\n(1 row)"), "at the limit");
    (void)snprintf(query, sizeof(query), "SELECT length(zeroblob(%d)) AS a",
                   HAFT__LIMIT_SQL_VALUE_BYTES + 1);
    (void)help_sql_ask(&h, query);
    CHECK_INT(h.err.status, HAFT_TOO_BIG, "past the limit: %s", h.err.message);
    help_sql_end(&h);
}

/* ---- files ---- */

TEST(files_that_cannot_be_used_are_errors)
{
    static const struct {
        const char *url, *wanted;
    } cases[] = {
        {"sqlite:none.db", "cannot open the database: No such file"},
        {"sqlite:folder", "expected a file, found a directory"},
        {"sqlite:text.db", "the file is no SQLite database"},
        {"sqlite:short.db", "the file is no SQLite database"},
        {"sqlite:file:shop.db", "cannot open the database: No such file"},
        {"mysql://x", "expected the URL of a database"},
    };
    help_sql h;
    help_sql_begin(&h, SHOP);
    files_add(&h.files, "text.db",
              "this is a text, and more than a hundred bytes of it, so that "
              "SQLite reads the header of a database from the first page of "
              "the file, which is not there");
    files_add(&h.files, "short.db", "SQLite format 3");
    files_add(&h.files, "folder/", "");
    for (size_t i = 0; i < COUNT(cases); i++) {
        h.request.url = haft__str(cases[i].url);
        haft_str found = help_sql_ask(&h, "SELECT * FROM orders");
        CHECK(strstr(found.ptr, cases[i].wanted) != NULL && strcmp(h.err.where, "/query") != 0,
              "%s: %.*s", cases[i].url, HAFT__ARG(found));
    }
    struct stat info;
    CHECK(stat(files_path(&h.files, "none.db"), &info) != 0, "no file is created");
    help_sql_end(&h);
}

TEST(an_empty_file_is_a_database_without_tables)
{
    help_sql h;
    help_sql_begin(&h, NULL);
    files_add(&h.files, "shop.db", "");
    CHECK_STR(help_sql_ask(&h, "SELECT count(*) AS n FROM sqlite_master"),
              L("n integer\n0\n(1 row)"), "empty");
    help_sql_end(&h);
}

TEST(a_damaged_file_is_an_error_and_not_a_crash)
{
    help_sql h;
    unsigned seed = 1;
    size_t errors = 0;
    help_sql_begin(&h, SHOP "CREATE INDEX i ON orders (total);");
    FILE *file = fopen(h.path, "rb");
    static char bytes[1 << 16];
    size_t length = file != NULL ? fread(bytes, 1, sizeof(bytes), file) : 0;
    CHECK(length > 4096, "the file was read");
    (void)(file != NULL && fclose(file));
    for (size_t i = 0; i < 60; i++) {
        char *damaged = test_alloc(length);
        memcpy(damaged, bytes, length);
        for (size_t k = 0; k < 20; k++) {
            seed = seed * 1103515245U + 12345U;
            damaged[100 + (seed >> 8) % (length - 100)] = (char)seed;
        }
        files_add_bytes(&h.files, "shop.db", (haft_str){damaged, length});
        (void)help_sql_ask(&h, "SELECT sum(total), count(*) FROM orders WHERE total > 1");
        errors += h.err.status != HAFT_OK;
        haft__catalog catalog;
        errors += haft__sql_read_catalog(&h.request, &h.arena, &catalog, NULL) != HAFT_OK;
    }
    CHECK(errors > 0, "some damage is found");
    help_sql_end(&h);
}

TEST(a_store_of_haft_is_no_database_for_a_model)
{
    help_sql h;
    help_sql_begin(&h, "PRAGMA application_id = 0x68616674; CREATE TABLE events (x)");
    CHECK(strstr(help_sql_ask(&h, "SELECT * FROM events").ptr, "is a store of haft") != NULL, "%s",
          h.err.message);
    help_sql_end(&h);
}

TEST(a_locked_file_is_an_error_after_the_timeout)
{
    help_sql h;
    sqlite3 *other = NULL;
    help_sql_begin(&h, SHOP);
    h.database.timeout_ms = 50;
    CHECK_INT(sqlite3_open(h.path, &other), SQLITE_OK, "open");
    CHECK_INT(sqlite3_exec(other, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK, "lock");
    (void)help_sql_ask(&h, "SELECT * FROM orders");
    CHECK(h.err.status == HAFT_TOO_BIG, "%s", h.err.message);
    CHECK_INT(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK, "unlock");
    (void)help_sql_ask(&h, "SELECT * FROM orders");
    CHECK_INT(h.err.status, HAFT_OK, "%s", h.err.message);
    (void)sqlite3_close(other);
    help_sql_end(&h);
}

TEST(the_log_of_another_process_is_read)
{
    help_sql h;
    sqlite3 *other = NULL;
    help_sql_begin(&h, "PRAGMA journal_mode = WAL;" SHOP);
    CHECK_INT(sqlite3_open(h.path, &other), SQLITE_OK, "open");
    CHECK_INT(sqlite3_exec(other, "INSERT INTO orders VALUES (3, 1, 'new')", NULL, NULL, NULL),
              SQLITE_OK, "insert");
    struct stat info;
    CHECK(stat(files_path(&h.files, "shop.db-wal"), &info) == 0 && info.st_size > 0, "a log");
    CHECK_STR(help_sql_ask(&h, "SELECT count(*) AS n FROM orders"), L("n integer\n3\n(1 row)"),
              "rows in the log");
    (void)sqlite3_close(other);
    help_sql_end(&h);
}

TEST(names_of_any_kind_can_be_queried)
{
    help_sql h;
    help_sql_begin(&h,
                   "CREATE TABLE \"a \"\"b\" (\"select\" INT, \"x y\" INT, \"\xf0\x9f\x98\x80\" "
                   "INT); INSERT INTO \"a \"\"b\" VALUES (1, 2, 3)");
    CHECK_STR(help_sql_ask(&h, "SELECT \"select\", \"x y\", \"\xf0\x9f\x98\x80\" FROM \"a \"\"b\""),
              L("select INT | x y INT | \xf0\x9f\x98\x80 INT\n1 | 2 | 3\n(1 row)"), "names");
    help_sql_end(&h);
}

TEST(full_text_tables_can_be_searched)
{
    static const haft_str notes[] = {HAFT__LIT("notes")};
    help_sql h;
    help_sql_begin(&h, SHOP "CREATE VIRTUAL TABLE notes USING fts5(body);"
                            "INSERT INTO notes VALUES ('hello world');");
    static const char query[] = "SELECT snippet(notes, 0, '[', ']', '', 5) AS s FROM notes WHERE "
                                "notes MATCH 'hello'";
    CHECK_STR(help_sql_ask(&h, query), L("s text\n[hello] world\n(1 row)"), "all tables");
    h.database.tables = (haft__database_filter){notes, 1};
    CHECK_STR(help_sql_ask(&h, query), L("s text\n[hello] world\n(1 row)"), "only this one");
    CHECK(help_sql_ask(&h, "SELECT * FROM orders").len > 0 && h.err.status == HAFT_BAD_INPUT,
          "another one");
    help_sql_end(&h);
}

TEST(a_stop_request_ends_a_query)
{
    help_sql h;
    haft__sql_stop stop = HAFT__SQL_STOP_INIT;
    help_sql_begin(&h, SHOP);
    h.request.stop = &stop;
    CHECK(help_sql_ask(&h, "SELECT 1").len > 0 && h.err.status == HAFT_OK, "no request");
    haft__sql_stop_request(&stop);
    haft__sql_stop_request(&stop);
    (void)help_sql_ask(&h, "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT "
                           "max(x) FROM c");
    CHECK_INT(h.err.status, HAFT_BAD_STATE, "%s", h.err.message);
    help_sql_end(&h);
}
