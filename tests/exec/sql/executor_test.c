/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/sql/executor.c and call.c: the tool execute_sql. */
#include "base/limits.h"
#include "exec/exec_help.h"
#include "exec/sql/sql_help.h"

static const char endless[] =
    "{\"query\":\"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
    "FROM c) SELECT max(x) FROM c\"}";

static void make(help_exec *e, help_call *c, help_sql *h, const char *arguments)
{
    help_init_call(e, c, HAFT__TOOL_BUILTIN, "{}", arguments);
    c->tool.name = HAFT__LIT("execute_sql");
    h->database.url = HAFT__LIT("sqlite:shop.db");
    e->spec.path = h->request.spec_path;
    e->spec.databases = &h->database;
    e->spec.database_count = 1;
}

static void begin(help_exec *e, help_sql *h)
{
    help_sql_begin(h, "CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (2)");
    help_begin(e);
}

static void end(help_exec *e, help_sql *h)
{
    help_end(e);
    help_sql_end(h);
}

TEST(execute_sql_runs_as_a_tool)
{
    static const struct {
        const char *arguments, *wanted;
        bool ok;
    } cases[] = {
        {"{\"query\":\"SELECT a FROM t\"}", "a INTEGER\n1\n2\n(2 rows)", true},
        {"{\"query\":\"SELECT a FROM t WHERE a = $1\",\"parameters\":[2]}", "a INTEGER\n2\n(1 row)",
         true},
        {"{\"database\":\"shop\",\"query\":\"SELECT 1 AS b\"}", "b integer\n1\n(1 row)", true},
        {"{\"database\":\"shap\",\"query\":\"SELECT 1\"}",
         "there is no database 'shap' in the spec", false},
        {"{\"query\":\"DELETE FROM t\"}",
         "expected a statement that only reads, found one that is not allowed: DELETE", false},
    };
    help_sql h;
    help_exec e;
    begin(&e, &h);
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_call c;
        make(&e, &c, &h, cases[i].arguments);
        help_start(&e, &c);
        help_wait(&e, &c);
        CHECK_INT(c.result.ok, cases[i].ok, "%s", cases[i].arguments);
        CHECK_STR(c.result.text, haft__str(cases[i].wanted), "%s", cases[i].arguments);
    }
    end(&e, &h);
}

TEST(a_thousand_queries_share_the_threads)
{
    enum { COUNT_OF_CALLS = 1000 };
    help_sql h;
    help_exec e;
    begin(&e, &h);
    help_call *calls = test_alloc(COUNT_OF_CALLS * sizeof(*calls));
    (void)sqlite3_memory_highwater(1);
    for (size_t i = 0; i < COUNT_OF_CALLS; i++) {
        make(&e, &calls[i], &h,
             i % 2 == 0 ? "{\"query\":\"SELECT count(*) AS n FROM t\"}"
                        : "{\"query\":\"SELECT length(zeroblob(1000000)) AS n FROM t LIMIT 1\"}");
        help_start(&e, &calls[i]);
    }
    for (size_t i = 0; i < COUNT_OF_CALLS; i++) {
        help_wait(&e, &calls[i]);
        CHECK(calls[i].result.ok, "call %zu: %.*s", i, HAFT__ARG(calls[i].result.text));
    }
    CHECK(sqlite3_memory_highwater(0) < 64LL << 20, "bytes of SQLite: %lld",
          (long long)sqlite3_memory_highwater(0));
    end(&e, &h);
}

TEST(a_query_ends_at_the_timeout_of_its_database)
{
    help_sql h;
    help_exec e;
    help_call c;
    begin(&e, &h);
    h.database.timeout_ms = 100;
    make(&e, &c, &h, endless);
    help_start(&e, &c);
    help_wait(&e, &c);
    CHECK(!c.result.ok && strstr(c.result.text.ptr, "timeout of 100 ms") != NULL, "%.*s",
          HAFT__ARG(c.result.text));
    end(&e, &h);
}

/* Cancelled while it runs, and while it waits for a thread. */
TEST(cancelled_queries_release_their_threads)
{
    help_sql h;
    help_exec e;
    help_call running[HAFT__LIMIT_POOL_THREADS], waiting, last;
    begin(&e, &h);
    h.database.timeout_ms = HAFT__LIMIT_SQL_TIMEOUT_MS;
    for (size_t i = 0; i < COUNT(running); i++) {
        make(&e, &running[i], &h, endless);
        help_start(&e, &running[i]);
    }
    make(&e, &waiting, &h, endless);
    help_start(&e, &waiting);
    help_step(&e, 10);
    haft__exec_cancel(waiting.job);
    for (size_t i = 0; i < COUNT(running); i++) {
        haft__exec_cancel(running[i].job);
    }
    make(&e, &last, &h, "{\"query\":\"SELECT 1 AS a\"}");
    help_start(&e, &last);
    help_wait(&e, &last);
    CHECK_STR(last.result.text, HAFT__LIT("a integer\n1\n(1 row)"), "the next query");
    end(&e, &h);
}
