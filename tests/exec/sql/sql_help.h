/* SPDX-License-Identifier: Apache-2.0 */
/* sql_help.h - databases for the tests of exec/sql, and queries on them. */
#ifndef HAFT_TESTS_EXEC_SQL_HELP_H
#define HAFT_TESTS_EXEC_SQL_HELP_H

#include <sqlite3.h>

#include "base/limits.h"
#include "exec/files_help.h"
#include "exec/sql/sql.h"
#include "json/read.h"

/* A directory with the file shop.db, and a request for it. */
typedef struct help_sql {
    files files;
    char *path;
    haft__database database;
    haft__sql_request request;
    haft__arena arena;
    haft_error err; /* of the last query */
} help_sql;

/* Runs SQL on the file without any guard. */
static inline void help_sql_write(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    char *error = NULL;
    int code = sqlite3_open(path, &db);
    code = code == SQLITE_OK ? sqlite3_exec(db, sql, NULL, NULL, &error) : code;
    CHECK_INT(code, SQLITE_OK, "%s: %s", sql, error != NULL ? error : "");
    sqlite3_free(error);
    (void)sqlite3_close(db);
}

static inline void help_sql_begin(help_sql *h, const char *sql)
{
    *h = (help_sql){.files = files_make()};
    h->path = files_path(&h->files, "shop.db");
    haft__arena_init(&h->arena, 0);
    h->database = (haft__database){.name = HAFT__LIT("shop"),
                                   .rows = HAFT__LIMIT_SQL_ROWS_DEFAULT,
                                   .bytes = HAFT__LIMIT_SQL_BYTES_DEFAULT,
                                   .timeout_ms = HAFT__LIMIT_SQL_TIMEOUT_DEFAULT_MS};
    h->request = (haft__sql_request){.database = &h->database,
                                     .url = HAFT__LIT("sqlite:shop.db"),
                                     .spec_path = haft__str(files_path(&h->files, "agent.yaml"))};
    if (sql != NULL) {
        help_sql_write(h->path, sql);
    }
}

static inline void help_sql_end(help_sql *h)
{
    haft__arena_finish(&h->arena);
    files_remove(&h->files);
}

/* The rows as a table, or "where: message (hint)". Lives as long as h. */
static inline haft_str help_sql_ask_with(help_sql *h, haft_str query, const char *parameters)
{
    haft__buf buf;
    haft__rows rows;
    haft__buf_init(&buf, HAFT__ROWS_BUFFER_BYTES);
    haft__rows_init(&rows, HAFT__ROWS_TABLE, &buf, h->database.rows, h->database.bytes);
    h->request.query = query;
    h->request.parameters = haft__json_null();
    CHECK(parameters[0] == '\0'
              || haft__json_read(&h->arena, haft__str(parameters), NULL, &h->request.parameters,
                                 NULL, NULL)
                     == HAFT_OK,
          "%s", parameters);
    h->err = (haft_error){.status = HAFT_OK};
    if (haft__sql_query(&h->request, &rows, &h->err) != HAFT_OK) {
        haft__buf_clear(&buf);
        haft__buf_addf(&buf, "%s: %s", h->err.where, h->err.message);
        if (h->err.hint[0] != '\0') {
            haft__buf_addf(&buf, " (%s)", h->err.hint);
        }
    }
    haft_str kept = haft__arena_copy(&h->arena, haft__buf_str(&buf));
    haft__buf_finish(&buf);
    return kept;
}

static inline haft_str help_sql_ask(help_sql *h, const char *query)
{
    return help_sql_ask_with(h, haft__str(query), "");
}

#endif
