/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/databases.c. */
#include "base/limits.h"
#include "spec/spec_help.h"

TEST(databases_are_built_with_their_defaults)
{
    loaded f;
    load(&f,
         "builtins: {enabled: [execute_sql]}\ndatabases:\n  shop: {url: \"sqlite:shop.db\"}\n"
         "  log: {url: \"sqlite:/l.db\", rows: 5, bytes: 100, timeout: 1m, tables: [a, \"!b\"], "
         "columns: [\"!*.x\"]}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK_INT(f.spec->database_count, 2, "databases");
    const haft__database *shop = &f.spec->databases[0], *log = &f.spec->databases[1];
    CHECK(shop->rows == HAFT__LIMIT_SQL_ROWS_DEFAULT && shop->bytes == HAFT__LIMIT_SQL_BYTES_DEFAULT
              && shop->timeout_ms == HAFT__LIMIT_SQL_TIMEOUT_DEFAULT_MS && shop->tables.count == 0,
          "defaults");
    CHECK_STR(shop->url, HAFT__LIT("sqlite:shop.db"), "url");
    CHECK(log->rows == 5 && log->bytes == 100 && log->timeout_ms == 60000 && log->tables.count == 2
              && log->columns.count == 1,
          "all keys");
    unload(&f);
}

/* The schema of the tool's arguments as JSON; lives until the test ends. */
static haft_str schema_of(const loaded *f)
{
    haft__buf buf;
    haft__buf_init(&buf, 10000);
    haft__json_write(&buf,
                     haft__tools_find(&f->spec->tools, HAFT__LIT("execute_sql"))->input_schema);
    return keep(&buf);
}

TEST(the_argument_database_exists_only_with_several)
{
    loaded f;
    load(&f, "builtins: {enabled: [execute_sql]}\ndatabases: {a: {url: \"sqlite:x\"}}\n");
    CHECK(strstr(schema_of(&f).ptr, "\"database\"") == NULL, "one: %s", schema_of(&f).ptr);
    CHECK(strstr(schema_of(&f).ptr, "\"required\":[\"query\"]") != NULL, "one: %s",
          schema_of(&f).ptr);
    unload(&f);
    load(&f, "builtins: {enabled: [execute_sql]}\ndatabases: {a: {url: \"sqlite:x\"}, b: {url: "
             "\"sqlite:y\"}}\n");
    CHECK(strstr(schema_of(&f).ptr, "\"enum\":[\"a\",\"b\"]") != NULL, "two: %s",
          schema_of(&f).ptr);
    CHECK(strstr(schema_of(&f).ptr, "\"required\":[\"database\",\"query\"]") != NULL, "two: %s",
          schema_of(&f).ptr);
    unload(&f);
}

static const problem_case cases[] = {
    {"databases: {d: {url: \"mysql://h/d\"}}\n",
     "1:22: expected the URL of a database, found 'mysql:' (write sqlite:FILE or "
     "postgres://HOST/DATABASE)"},
    {"databases: {d: {url: \"sqlite:x\", read_only: false}}\n",
     "1:45: execute_sql only reads (let a command with needs_approval change the database)"},
    {"databases: {d: {url: \"sqlite:x\", read_only: true}}\n", ""},
    {"databases: {d: {url: \"sqlite:x\", timeout: 10m}}\n", ""},
    {"databases: {d: {url: \"sqlite:x\", timeout: 601}}\n",
     "1:43: expected a time above 0 and at most 10 minutes, found 601000 ms"},
    {"databases: {d: {url: \"sqlite:x\", timeout: 0}}\n",
     "1:43: expected a time above 0 and at most 10 minutes, found 0 ms"},
    {"databases: {d: {url: \"postgres://u@h/d\"}}\n", ""},
    {"databases: {d: {url: \"postgres://u@h/d\", tables: [a]}}\n",
     "1:42: \"tables\" works only with SQLite (GRANT SELECT (COLUMN, ...) ON TABLE TO ROLE sets "
     "what "
     "the role of this URL may read)"},
    {"databases: {}\n", ""},
};

TEST(problems_of_databases_have_their_place)
{
    check_problems(cases, COUNT(cases));
}

/* One key past its limit. */
TEST(numbers_past_their_limits_are_errors)
{
    static const struct {
        const char *key;
        unsigned long long limit;
    } keys[] = {{"rows", HAFT__LIMIT_SQL_ROWS}, {"bytes", HAFT__LIMIT_SQL_BYTES}};
    for (size_t i = 0; i < COUNT(keys); i++) {
        for (unsigned past = 0; past < 2; past++) {
            loaded f;
            char text[128];
            (void)snprintf(text, sizeof(text), "databases: {d: {url: \"sqlite:x\", %s: %llu}}\n",
                           keys[i].key, keys[i].limit + past);
            load(&f, text);
            CHECK_INT(f.listing.len > 0, past, "%s: %.*s", text, HAFT__ARG(f.listing));
            unload(&f);
        }
    }
}

TEST(a_spec_has_at_most_so_many_databases)
{
    for (size_t count = HAFT__LIMIT_SQL_DATABASES; count <= HAFT__LIMIT_SQL_DATABASES + 1;
         count++) {
        loaded f;
        haft__buf text;
        haft__buf_init(&text, 10000);
        haft__buf_add_str(&text, HAFT__LIT("databases:\n"));
        for (size_t i = 0; i < count; i++) {
            haft__buf_addf(&text, "  d%zu: {url: \"sqlite:x\"}\n", i);
        }
        load(&f, keep(&text).ptr);
        CHECK_INT(f.listing.len > 0, count > HAFT__LIMIT_SQL_DATABASES, "%zu: %.*s", count,
                  HAFT__ARG(f.listing));
        unload(&f);
    }
}
