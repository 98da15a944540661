/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql_bench.c - queries of execute_sql compared with the bare library, and the search of schemas.
 *
 * The bare contender opens the file, compiles and runs the query, and reads all values as text;
 * haft also guards the connection and writes the table for a model. Both open a connection for each
 * query. The second table has the processor time to read a schema, to build its index and to search
 * it, the best of ROUNDS.
 */
#include "sql_bench.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/macros.h"
#include "base/str.h"
#include "bench.h"
#include "database/catalog_search.h"
#include "exec/sql/sql.h"

#define ROUNDS 5

static char path[64];

static const struct {
    const char *name, *query;
} queries[] = {
    {"one row", "SELECT * FROM numbers WHERE id = 4711"},
    {"1,000 rows", "SELECT * FROM numbers LIMIT 1000"},
    {"100,000 rows", "SELECT * FROM numbers"},
};

static void fail(const char *what)
{
    (void)fprintf(stderr, "sql_bench: %s\n", what);
    exit(1);
}

/* ---- the database ---- */

static void run(const char *sql)
{
    sqlite3 *db = NULL;
    if (sqlite3_open(path, &db) != SQLITE_OK
        || sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        fail(sqlite3_errmsg(db));
    }
    (void)sqlite3_close(db);
}

static void make_numbers(void)
{
    run("CREATE TABLE numbers (id INTEGER PRIMARY KEY, label TEXT, ratio REAL, twin INTEGER);"
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 100000) INSERT INTO "
        "numbers SELECT x, 'label of ' || x, x / 7.0, x * 2 FROM c");
}

/* Tables of ten columns. */
static void make_tables(size_t columns)
{
    static const char *const words[] = {"order",  "customer", "invoice", "product", "price",
                                        "weight", "city",     "status",  "payment", "supplier"};
    haft__buf sql;
    haft__buf_init(&sql, 64 << 20);
    haft__buf_add_str(&sql, HAFT__LIT("BEGIN;"));
    for (size_t i = 0; i < columns / 10; i++) {
        haft__buf_addf(&sql, "CREATE TABLE %s_%s_%zu (id INTEGER PRIMARY KEY", words[i % 10],
                       words[i / 10 % 10], i);
        for (size_t k = 1; k < 10; k++) {
            haft__buf_addf(&sql, ", %s_%zu TEXT", words[(i + k) % 10], k);
        }
        haft__buf_add_str(&sql, HAFT__LIT(");"));
    }
    haft__buf_add(&sql, "COMMIT", sizeof("COMMIT"));
    run(sql.ptr);
    haft__buf_finish(&sql);
}

/* ---- queries ---- */

static bool run_bare(void *context)
{
    const char *query = context;
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    size_t bytes = 0;
    int code = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    code = code == SQLITE_OK ? sqlite3_prepare_v2(db, query, -1, &statement, NULL) : code;
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        for (int i = 0; code == SQLITE_ROW && i < sqlite3_column_count(statement); i++) {
            bytes += strlen((const char *)sqlite3_column_text(statement, i));
        }
    }
    (void)sqlite3_finalize(statement);
    (void)sqlite3_close(db);
    return code == SQLITE_DONE && bytes > 0;
}

static haft__database database = {.name = {"bench", 5},
                                  .rows = HAFT__LIMIT_SQL_ROWS,
                                  .bytes = HAFT__LIMIT_SQL_BYTES,
                                  .timeout_ms = HAFT__LIMIT_SQL_TIMEOUT_MS};

static haft__sql_request make_request(const char *query)
{
    static char url[80];
    (void)snprintf(url, sizeof(url), "sqlite:%s", path);
    return (haft__sql_request){
        .database = &database, .url = haft__str(url), .query = haft__str(query)};
}

static bool run_haft(void *context)
{
    haft__sql_request request = make_request(context);
    haft__buf result;
    haft__rows rows;
    haft__buf_init(&result, HAFT__ROWS_BUFFER_BYTES);
    haft__rows_init(&rows, HAFT__ROWS_TABLE, &result, database.rows, database.bytes);
    bool good = haft__sql_query(&request, &rows, NULL) == HAFT_OK && !rows.more_bytes;
    haft__buf_finish(&result);
    return good;
}

static void print_queries(void)
{
    printf("### Queries\n\n| rows | bare library | execute_sql | x bare |\n|---|---:|---:|---:|\n");
    make_numbers();
    for (size_t i = 0; i < COUNT(queries); i++) {
        void *query = (void *)(uintptr_t)queries[i].query;
        bench_contender contenders[] = {{"bare", run_bare, query, 0}, {"haft", run_haft, query, 0}};
        bench_compare(contenders, COUNT(contenders), 0.05);
        printf("| %s | %.2f ms | %.2f ms | %.2f |\n", queries[i].name, contenders[0].seconds * 1e3,
               contenders[1].seconds * 1e3, contenders[1].seconds / contenders[0].seconds);
    }
    printf("\n");
}

/* ---- schemas ---- */

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void keep_least(double *least, double since)
{
    double took = now() - since;
    *least = *least == 0 || took < *least ? took : *least;
}

/* Reads, indexes and searches once. */
static void measure_schema(double times[3])
{
    haft__arena arena;
    haft__search_options options = HAFT__SEARCH_OPTIONS_INIT;
    haft__search_index *index = NULL;
    haft__catalog_source source = {.database = database.name};
    haft__sql_request request = make_request("");
    haft__buf result;
    haft__arena_init(&arena, 0);
    haft__buf_init(&result, HAFT__LIMIT_SQL_CATALOG_BYTES);
    double start = now();
    bool good = haft__sql_read_catalog(&request, &arena, &source.catalog, NULL) == HAFT_OK;
    keep_least(&times[0], start);
    start = now();
    good = good && haft__search_create(&options, &index, NULL) == HAFT_OK
           && haft__catalog_index(&source, 1, index, NULL) == HAFT_OK;
    keep_least(&times[1], start);
    start = now();
    good = good
           && haft__catalog_search(&source, 1, index, HAFT__LIT("status of the orders of a city"),
                                   5, &result, NULL)
                  == HAFT_OK;
    keep_least(&times[2], start);
    if (!good) {
        fail("the schema cannot be searched");
    }
    haft__buf_finish(&result);
    haft__search_destroy(index);
    haft__arena_finish(&arena);
}

static void print_schemas(void)
{
    static const size_t sizes[] = {100, 2000, 20000};
    printf("### Schemas\n\n| columns | read | index | search |\n|---:|---:|---:|---:|\n");
    for (size_t i = 0; i < COUNT(sizes); i++) {
        double times[3] = {0};
        (void)remove(path);
        make_tables(sizes[i]);
        for (size_t k = 0; k < ROUNDS; k++) {
            measure_schema(times);
        }
        printf("| %zu | %.1f ms | %.1f ms | %.2f ms |\n", sizes[i], times[0], times[1], times[2]);
    }
    printf("\n");
}

void bench_sql(void)
{
    (void)snprintf(path, sizeof(path), "/tmp/haft-bench-XXXXXX");
    int file = mkstemp(path);
    if (file < 0) {
        fail("no temporary file");
    }
    (void)close(file);
    printf("## Databases\n\n");
    print_queries();
    print_schemas();
    (void)remove(path);
}
