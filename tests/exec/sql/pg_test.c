/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests for src/exec/sql/pg.c, pg_session.c and pg_catalog.c, on the private server of the tests.
 * The statements of `bypasses` get past a read-only transaction alone.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "exec/sql/sql_help.h"
#include "io/random.h"
#include "store/postgres/postgres_help.h"

#define L(text) HAFT__LIT(text)

static const char shop[] =
    "DROP SCHEMA public CASCADE; CREATE SCHEMA public; DROP SCHEMA IF EXISTS audit CASCADE;"
    "CREATE SCHEMA audit; CREATE TABLE audit.log (id int);"
    "CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, password text);"
    "COMMENT ON TABLE customers IS 'people who buy';"
    "COMMENT ON COLUMN customers.name IS 'full name';"
    "CREATE TABLE orders (id bigint PRIMARY KEY, customer_id int REFERENCES customers, "
    "total numeric(10,2));"
    "CREATE TABLE \"a \"\"b\" (\"select\" int, \"x y\" int, \"\xf0\x9f\x98\x80\" int);"
    "INSERT INTO customers VALUES (1, 'Ann', 'pw'), (2, 'NULL', NULL);"
    "INSERT INTO orders VALUES (1, 1, 12.50); INSERT INTO \"a \"\"b\" VALUES (1, 2, 3); ANALYZE";

/* The role of the queries, and its URL. */
static char role[64], url[PATH_MAX];

/* Replaces the role in a URL postgres://ROLE@... */
static void name_role(const char *from)
{
    const char *start = strstr(from, "://") + 3, *at = strchr(start, '@');
    (void)snprintf(url, sizeof(url), "%.*s%s%s", (int)(start - from), from, role, at);
}

static void drop_role(void)
{
    char sql[400];
    (void)snprintf(
        sql, sizeof(sql),
        "DO $$ BEGIN IF EXISTS (SELECT FROM pg_roles WHERE rolname = '%s') THEN DROP OWNED "
        "BY %s; DROP ROLE %s; END IF; END $$",
        role, role, role);
    (void)help_pg_sql(sql);
}

/* A database with the tables, and a role that may read them, except one column. False without a
 * server: the test is marked as skipped. */
static bool begin(help_sql *h, const char *more)
{
    char sql[1024];
    const char *own = help_pg_url();
    if (own == NULL) {
        return false;
    }
    help_sql_begin(h, NULL);
    (void)snprintf(role, sizeof(role), "haft_reader_%d", (int)getpid());
    (void)help_pg_sql(shop);
    drop_role();
    (void)snprintf(
        sql, sizeof(sql),
        "CREATE ROLE %s LOGIN NOSUPERUSER; GRANT USAGE ON SCHEMA public, audit TO %s; "
        "GRANT SELECT ON orders, \"a \"\"b\", audit.log TO %s; GRANT SELECT (id, name) ON "
        "customers TO %s",
        role, role, role, role);
    (void)help_pg_sql(sql);
    (void)(more[0] != '\0' ? help_pg_sql(more) : "");
    name_role(own);
    h->request.url = haft__str(url);
    h->database.timeout_ms = 60000;
    return true;
}

static void end(help_sql *h)
{
    drop_role();
    help_sql_end(h);
}

TEST(pg_values_and_types_are_exact)
{
    static const struct {
        const char *query, *parameters, *wanted;
    } cases[] = {
        {"SELECT * FROM orders", "",
         "id bigint | customer_id integer | total numeric(10,2)\n1 | 1 | 12.50\n(1 row)"},
        {"SELECT id, name FROM customers WHERE id = $1", "[2]",
         "id integer | name text\n2 | \"NULL\"\n(1 row)"},
        {"VALUES (9223372036854775807), (-9223372036854775808)", "",
         "column1 bigint\n9223372036854775807\n-9223372036854775808\n(2 rows)"},
        {"SELECT 'NaN'::numeric AS a, '-Infinity'::float8 AS b, 0.1::float8 AS c, true AS d, NULL "
         "AS "
         "e, '\\x00ff'::bytea AS f",
         "",
         "a numeric | b double precision | c double precision | d boolean | e text | f bytea\n"
         "NaN | -Infinity | 0.1 | true | NULL | x'00ff'\n(1 row)"},
        {"SELECT 'infinity'::date AS a, '294276-12-31'::timestamp AS b, '4713-01-01 BC'::date AS c",
         "",
         "a date | b timestamp without time zone | c date\n\"infinity\" | 294276-12-31 00:00:00 "
         "| 4713-01-01 BC\n(1 row)"},
        {"SELECT $2::text AS a, $1::int AS b, $3::jsonb AS c", "[1, null, {\"x\": [1]}]",
         "a text | b integer | c jsonb\nNULL | 1 | {\"x\": [1]}\n(1 row)"},
        {"/* a */ SELECT 1 AS a -- b", "", "a integer\n1\n(1 row)"},
        {"TABLE audit.log", "", "id integer\n(0 rows)"},
        {"SELECT \"select\", \"x y\", \"\xf0\x9f\x98\x80\" FROM \"a \"\"b\"", "",
         "select integer | x y integer | \xf0\x9f\x98\x80 integer\n1 | 2 | 3\n(1 row)"},
    };
    help_sql h;
    if (!begin(&h, "")) {
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_STR(help_sql_ask_with(&h, haft__str(cases[i].query), cases[i].parameters),
                  haft__str(cases[i].wanted), "%s", cases[i].query);
    }
    end(&h);
}

TEST(pg_errors_say_where_and_suggest_names)
{
    static const struct {
        const char *query, *wanted;
    } cases[] = {
        {"SELECT nme FROM customers", "/query: column \"nme\" does not exist (at character 8)"},
        {"SELECT 1 FROM ordrs", "/query: relation \"ordrs\" does not exist (at character 15) (did "
                                "you mean the table 'orders'?)"},
        {"SELEC 1", "/query: syntax error at or near \"SELEC\" (at character 1)"},
        {" ", "/query: expected a statement, found none"},
        {"SELECT 1; SELECT 2", "/query: expected one statement, found more than one"},
        {"SELECT $1::int", "/parameters: bind message supplies 0 parameters"},
        {"SELECT password FROM customers", "/query: permission denied for table customers"},
        {"SELECT * FROM customers", "/query: permission denied for table customers"},
        {"SELECT 1/0", "/query: division by zero"},
        {"SELECT \"Ann\"",
         "/query: column \"Ann\" does not exist (at character 8) (write a text in "
         "single quotes: 'Ann')"},
    };
    help_sql h;
    if (!begin(&h, "")) {
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found = help_sql_ask(&h, cases[i].query);
        CHECK(haft__str_starts_with(found, haft__str(cases[i].wanted)), "%s: %.*s", cases[i].query,
              HAFT__ARG(found));
    }
    end(&h);
}

/* The statements run as written in a read-only transaction: the server takes them. */
TEST(pg_what_a_read_only_transaction_lets_through_is_rejected)
{
    static const char *const bypasses[] = {
        "COMMIT",
        "ROLLBACK",
        "SET TRANSACTION READ WRITE",
        "SET statement_timeout = 0",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
        "RESET ALL",
        "LISTEN a",
        "UNLISTEN *",
        "PREPARE p AS SELECT 1",
        "DEALLOCATE ALL",
        "SHOW ALL",
        "EXPLAIN SELECT 1",
        "DO 'BEGIN END'",
        "SAVEPOINT a",
        "DECLARE c CURSOR FOR SELECT 1",
        "DISCARD PLANS",
    };
    help_sql h;
    if (!begin(&h, "")) {
        return;
    }
    /* The simple protocol takes several statements. */
    static const char several[] = "COMMIT; CREATE TABLE pwn (id int); DROP TABLE pwn";
    (void)help_pg_sql("BEGIN TRANSACTION READ ONLY; COMMIT; CREATE TABLE pwn (id int); DROP TABLE "
                      "pwn");
    CHECK(help_sql_ask(&h, several).len > 0 && h.err.status == HAFT_BAD_INPUT, "%s", several);
    help_session direct;
    for (size_t i = 0; i < COUNT(bypasses); i++) {
        help_session_open(&direct);
        help_session_do(&direct, "BEGIN TRANSACTION READ ONLY");
        help_session_do(&direct, bypasses[i]); /* fails the test if the server rejects it */
        help_session_close(&direct);
        haft_str found = help_sql_ask(&h, bypasses[i]);
        CHECK(h.err.status == HAFT_BAD_INPUT && strcmp(h.err.where, "/query") == 0, "%s: %.*s",
              bypasses[i], HAFT__ARG(found));
    }
    end(&h);
}

TEST(pg_writes_are_rejected)
{
    static const char *const cases[] = {
        "INSERT INTO orders VALUES (9, 1, 1)",
        "UPDATE orders SET total = 0",
        "DELETE FROM orders RETURNING id",
        "WITH x AS (INSERT INTO orders VALUES (9, 1, 1) RETURNING id) SELECT * FROM x",
        "SELECT * INTO copy FROM orders",
        "CREATE TABLE pwn (id int)",
        "CREATE TEMP TABLE pwn (id int)",
        "TRUNCATE orders",
        "COPY orders TO PROGRAM 'cat'",
        "COPY (SELECT 1) TO STDOUT",
        "NOTIFY a",
        "VACUUM",
        "SELECT 1 FROM orders FOR UPDATE",
        "SELECT nextval('s')",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_ls_dir('.')",
    };
    help_sql h;
    if (!begin(&h, "CREATE SEQUENCE s")) {
        return;
    }
    char grant[320];
    (void)snprintf(grant, sizeof(grant),
                   "GRANT ALL ON orders, s TO %s; GRANT CREATE ON SCHEMA "
                   "public TO %s",
                   role, role);
    (void)help_pg_sql(grant); /* the transaction must reject what the role may do */
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found = help_sql_ask(&h, cases[i]);
        CHECK_INT(h.err.status, HAFT_BAD_INPUT, "%s: %.*s", cases[i], HAFT__ARG(found));
    }
    CHECK_STR(haft__str(help_pg_sql("SELECT count(*) || ' ' || sum(total) FROM orders")),
              L("1 12.50"), "nothing has changed");
    end(&h);
}

/* Functions can do more than statements; what they did ends with the session. */
TEST(pg_effects_of_functions_do_not_survive_the_query)
{
    help_sql h;
    if (!begin(&h, "")) {
        return;
    }
    const char *before = help_pg_sql("SELECT count(*) FROM pg_largeobject_metadata");
    static const char *const cases[] = {
        "SELECT lo_create(0)",
        "SELECT pg_advisory_lock(4711)",
        "SELECT set_config('statement_timeout', '0', false)",
        "SELECT set_config('transaction_read_only', 'off', false)",
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        (void)help_sql_ask(&h, cases[i]);
    }
    CHECK_STR(haft__str(help_pg_sql("SELECT count(*) FROM pg_largeobject_metadata")),
              haft__str(before), "large objects");
    for (int i = 0; i < 1000
                    && strcmp(help_pg_sql("SELECT count(*) FROM pg_locks WHERE locktype = "
                                          "'advisory' AND objid = 4711"),
                              "0")
                           != 0;
         i++) {
    }
    CHECK_STR(haft__str(help_pg_sql("SELECT pg_try_advisory_lock(4711)")), L("t"), "locks");
    end(&h);
}

/* The query switches off the timeout of the server, and a row that has arrived lets it run on. */
TEST(pg_a_query_ends_at_its_timeout_and_is_cancelled_at_the_server)
{
    static const char *const cases[] = {
        "SELECT pg_sleep(100)",
        "SELECT set_config('statement_timeout', '0', false), pg_sleep(100)",
        "SELECT count(*) FROM generate_series(1, 100000000000)",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT 1 FROM c) SELECT count(*) FROM c",
        "SELECT count(*) FROM pg_class a, pg_class b, pg_class c, pg_class d",
    };
    help_sql h;
    if (!begin(&h, "")) {
        return;
    }
    h.database.timeout_ms = 300;
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str found = help_sql_ask(&h, cases[i]);
        CHECK(h.err.status == HAFT_TOO_BIG && strstr(found.ptr, "timeout of 300 ms") != NULL,
              "%s: %.*s", cases[i], HAFT__ARG(found));
    }
    char sql[320];
    (void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM pg_stat_activity WHERE usename = '%s'",
                   role);
    for (int i = 0; i < 10000 && strcmp(help_pg_sql(sql), "0") != 0; i++) {
    }
    CHECK_STR(haft__str(help_pg_sql(sql)), L("0"), "sessions that are left");
    end(&h);
}

TEST(pg_a_huge_value_is_not_read_into_memory)
{
    help_sql h;
    if (!begin(&h, "")) {
        return;
    }
    haft_str found = help_sql_ask(&h, "SELECT repeat('x', 300000000)");
    CHECK(h.err.status == HAFT_TOO_BIG && strstr(found.ptr, "limit of 64 MiB") != NULL, "%.*s",
          HAFT__ARG(found));
    end(&h);
}

TEST(pg_many_rows_are_fetched_in_parts)
{
    help_sql h;
    if (!begin(&h, "")) {
        return;
    }
    h.database.rows = 2500;
    h.database.bytes = HAFT__LIMIT_SQL_BYTES;
    haft_str found = help_sql_ask(&h, "SELECT * FROM generate_series(1, 2500)");
    CHECK(haft__str_ends_with(found, L("\n2500\n(2500 rows)")), "%zu bytes", found.len);
    found = help_sql_ask(&h, "SELECT * FROM generate_series(1, 1000000)");
    CHECK(strstr(found.ptr, "\n2500\n(the first 2500 rows; there are more") != NULL, "%zu bytes",
          found.len);
    end(&h);
}

TEST(pg_roles_with_too_many_rights_are_refused_or_reported)
{
    help_sql h;
    char sql[256], risk[HAFT__SQL_RISK_BYTES] = "?";
    if (!begin(&h, "")) {
        return;
    }
    CHECK_INT(haft__sql_find_risk(&h.request, risk, NULL), HAFT_OK, "risk");
    CHECK_STR(haft__str(risk), L(""), "a role that only reads");
    (void)snprintf(sql, sizeof(sql), "GRANT UPDATE ON orders TO %s", role);
    (void)help_pg_sql(sql);
    CHECK_INT(haft__sql_find_risk(&h.request, risk, NULL), HAFT_OK, "risk");
    CHECK(strstr(risk, "may write, for example to orders") != NULL, "%s", risk);
    (void)snprintf(sql, sizeof(sql), "GRANT pg_read_server_files TO %s", role);
    (void)help_pg_sql(sql);
    CHECK(strstr(help_sql_ask(&h, "SELECT 1").ptr, "may use files or programs of the server")
              != NULL,
          "%s", h.err.message);
    h.request.url = haft__str(help_pg_url());
    CHECK(strstr(help_sql_ask(&h, "SELECT 1").ptr, "is a superuser") != NULL, "%s", h.err.message);
    end(&h);
}

TEST(pg_tables_that_the_role_may_read_are_listed)
{
    help_sql h;
    haft__catalog catalog;
    haft__buf buf;
    haft_error err = {0};
    if (!begin(&h, "CREATE TABLE hidden (id int); CREATE VIEW names AS SELECT name FROM "
                   "customers; CREATE TABLE days (d date) PARTITION BY RANGE (d); CREATE TABLE "
                   "days_1 PARTITION OF days DEFAULT")) {
        return;
    }
    char sql[320], before[HAFT__SQL_VERSION_BYTES], after[HAFT__SQL_VERSION_BYTES];
    (void)snprintf(sql, sizeof(sql), "GRANT SELECT ON names, days, days_1 TO %s", role);
    (void)help_pg_sql(sql);
    haft__buf_init(&buf, 1 << 20);
    CHECK_INT(haft__sql_read_catalog(&h.request, &h.arena, &catalog, &err), HAFT_OK, "%s",
              err.message);
    for (size_t i = 0; i < catalog.count; i++) {
        haft__catalog_write_table(&buf, &catalog.tables[i], 9);
    }
    CHECK_STR(
        haft__buf_str(&buf),
        L("table \"a \"\"b\", 1 row\n  \"select\" integer\n  \"x y\" integer\n  \"\xf0\x9f\x98"
          "\x80\" integer\n"
          "table customers, 2 rows -- people who buy\n  id integer primary key\n"
          "  name text not null -- full name\n"
          "table days\n  d date\n"
          "view names\n  name text\n"
          "table orders, 1 row\n  id bigint primary key\n"
          "  customer_id integer references customers\n  total numeric(10,2)\n"
          "table audit.log, 0 rows\n  id integer\n"),
        "tables");
    haft__buf_finish(&buf);
    CHECK_INT(haft__sql_read_version(&h.request, before, NULL), HAFT_OK, "version");
    CHECK_INT(haft__sql_read_version(&h.request, after, NULL), HAFT_OK, "version");
    CHECK_STR(haft__str(after), haft__str(before), "the same schema");
    (void)help_pg_sql("COMMENT ON TABLE orders IS 'what was bought'");
    CHECK_INT(haft__sql_read_version(&h.request, after, NULL), HAFT_OK, "version");
    CHECK(strcmp(before, after) != 0, "a new comment");
    end(&h);
}

/* ---- connections ---- */

TEST(pg_servers_that_cannot_be_reached_are_errors)
{
    static const char *const urls[] = {
        "postgres://nobody@/none?host=/nowhere/haft-test",
        "postgres://nobody@127.0.0.1:1/none",
        "postgres://nobody@/none?no_such_option=1",
    };
    help_sql h;
    help_sql_begin(&h, NULL);
    for (size_t i = 0; i < COUNT(urls); i++) {
        h.request.url = haft__str(urls[i]);
        (void)help_sql_ask(&h, "SELECT 1");
        CHECK(h.err.status == HAFT_IO || h.err.status == HAFT_UNSUPPORTED, "%s: %s", urls[i],
              h.err.message);
        CHECK_STR(haft__str(h.err.where), L(""), "it is not the query");
    }
    help_sql_end(&h);
}

TEST(pg_a_server_that_does_not_answer_is_an_error)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    char text[96];
    help_sql h;
    help_sql_begin(&h, NULL);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 4) == 0
              && getsockname(listener, (struct sockaddr *)&address, &size) == 0,
          "listen");
    (void)snprintf(text, sizeof(text), "postgres://nobody@127.0.0.1:%d/none",
                   (int)ntohs(address.sin_port));
    h.request.url = haft__str(text);
    h.database.timeout_ms = 100;
    CHECK(h.database.timeout_ms < HAFT__LIMIT_SQL_CONNECT_MS, "the smaller time counts");
    (void)help_sql_ask(&h, "SELECT 1");
    CHECK(h.err.status == HAFT_IO && strstr(h.err.message, "no connection within 100 ms") != NULL,
          "%s", h.err.message);
    (void)close(listener);
    help_sql_end(&h);
}

TEST(pg_a_server_that_ends_the_session_is_an_error)
{
    help_sql h;
    if (!begin(&h, "")) {
        return;
    }
    char sql[256];
    (void)snprintf(sql, sizeof(sql),
                   "CREATE FUNCTION end_session() RETURNS bool LANGUAGE sql SECURITY DEFINER AS "
                   "'SELECT pg_terminate_backend(pg_backend_pid())'; GRANT EXECUTE ON FUNCTION "
                   "end_session TO %s",
                   role);
    (void)help_pg_sql(sql);
    (void)help_sql_ask(&h, "SELECT end_session(), pg_sleep(100)");
    CHECK_INT(h.err.status, HAFT_IO, "%s", h.err.message);
    CHECK_STR(help_sql_ask(&h, "SELECT 1 AS a"), L("a integer\n1\n(1 row)"), "the next query");
    end(&h);
}

TEST(pg_a_stop_request_ends_a_query)
{
    help_sql h;
    haft__sql_stop stop = HAFT__SQL_STOP_INIT;
    if (!begin(&h, "")) {
        return;
    }
    h.request.stop = &stop;
    haft__sql_stop_request(&stop);
    (void)help_sql_ask(&h, "SELECT pg_sleep(100)");
    CHECK_INT(h.err.status, HAFT_BAD_STATE, "%s", h.err.message);
    end(&h);
}
