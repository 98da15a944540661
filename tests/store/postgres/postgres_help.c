/* SPDX-License-Identifier: Apache-2.0 */
#include "store/postgres/postgres_help.h"

#include <dlfcn.h>
#include <unistd.h>

#include "io/random.h"

static char url[PATH_MAX], name[64];
static pid_t maker;

/* Blocking calls of libpq, which only tests use. */
static struct {
    __typeof__(PQconnectdb) *connect;
    __typeof__(PQexec) *exec;
    const haft__libpq *lib;
} pq;

static bool load(void)
{
    if (pq.lib == NULL && haft__libpq_load(&pq.lib, NULL) == HAFT_OK) {
        void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
        void *found[2] = {dlsym(library, "PQconnectdb"), dlsym(library, "PQexec")};
        memcpy(&pq.connect, &found[0], sizeof(found[0]));
        memcpy(&pq.exec, &found[1], sizeof(found[1]));
    }
    return pq.lib != NULL;
}

static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* False on failure; the error is printed. */
static bool run(const char *where, const char *sql, char **ret_value)
{
    PGconn *conn = pq.connect(where);
    (void)pq.lib->setNoticeReceiver(conn, ignore_notice, NULL);
    PGresult *result = pq.exec(conn, sql);
    ExecStatusType status = pq.lib->resultStatus(result);
    bool right = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (!right) {
        printf("# %s: %s\n", sql, pq.lib->errorMessage(conn));
    }
    if (right && ret_value != NULL && pq.lib->ntuples(result) > 0) {
        const char *value = pq.lib->getvalue(result, 0, 0);
        *ret_value = test_alloc(strlen(value) + 1);
        memcpy(*ret_value, value, strlen(value) + 1);
    }
    pq.lib->clear(result);
    pq.lib->finish(conn);
    return right;
}

bool help_pg_admin(const char *sql)
{
    const char *admin = getenv("HAFT_TEST_POSTGRES");
    return admin != NULL && load() && run(admin, sql, NULL);
}

static void drop_database(void)
{
    char sql[128];
    (void)snprintf(sql, sizeof(sql), "DROP DATABASE IF EXISTS %s WITH (FORCE)", name);
    if (getpid() == maker) {
        (void)help_pg_admin(sql);
    }
}

/* The URL of the cluster with another database in it. */
static void name_database(const char *admin)
{
    const char *path = strstr(admin, "://");
    path = path != NULL ? strchr(path + 3, '/') : NULL;
    const char *rest = path != NULL ? strchr(path, '?') : NULL;
    (void)snprintf(url, sizeof(url), "%.*s/%s%s", path != NULL ? (int)(path - admin) : 0, admin,
                   name, rest != NULL ? rest : "");
}

static bool make_database(const char *admin)
{
    char sql[128];
    (void)snprintf(name, sizeof(name), "haft_test_%d_%llx", (int)getpid(),
                   (unsigned long long)haft__random_hash_key().k0);
    (void)snprintf(sql, sizeof(sql), "CREATE DATABASE %s", name);
    if (!help_pg_admin(sql)) {
        return false;
    }
    name_database(admin);
    maker = getpid();
    return atexit(drop_database) == 0;
}

const char *help_pg_url(void)
{
    const char *admin = getenv("HAFT_TEST_POSTGRES"), *why = getenv("HAFT_TEST_NO_POSTGRES");
    if (admin == NULL || !load()) {
        test_skip("%s", why != NULL ? why : "there is no server: HAFT_TEST_POSTGRES is not set");
        return NULL;
    }
    CHECK(url[0] != '\0' || make_database(admin), "cannot create a database");
    return url[0] != '\0' ? url : NULL;
}

bool help_pg_open(help_store *s)
{
    bool there = help_pg_url() != NULL;
    if (there) {
        help_store_open(s, "postgres");
    }
    return there;
}

const char *help_pg_sql(const char *sql)
{
    char *value = NULL;
    CHECK(run(url, sql, &value), "%s", sql);
    return value != NULL ? value : "";
}

void help_pg_clear(void)
{
    (void)help_pg_sql("DROP SCHEMA IF EXISTS haft CASCADE");
}

/* ---- the cost of statements ---- */

/* The number after the first occurrence of these words. */
static int count_of(const char *plan, const char *words)
{
    const char *at = strstr(plan, words);
    int count = 0;
    CHECK(at != NULL, "%s", plan);
    for (at = at != NULL ? at + strlen(words) : ""; *at >= '0' && *at <= '9'; at++) {
        count = 10 * count + (*at - '0');
    }
    return count;
}

int help_pg_pages(const char *prepare, const char *execute)
{
    char sql[8192];
    (void)snprintf(sql, sizeof(sql), "PREPARE q %s; EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) %s",
                   prepare, execute);
    const char *plan = help_pg_sql(sql);
    return count_of(plan, "\"Shared Hit Blocks\": ") + count_of(plan, "\"Shared Read Blocks\": ");
}

/* ---- a second session ---- */

void help_session_send(help_session *other, const char *sql)
{
    CHECK_INT(other->lib->sendQueryParams(other->conn, sql, 0, NULL, NULL, NULL, NULL, 0), 1, "%s",
              sql);
}

bool help_session_busy(help_session *other)
{
    return other->lib->consumeInput(other->conn) != 0 && other->lib->isBusy(other->conn) != 0;
}

void help_session_finish(help_session *other)
{
    for (PGresult *result; (result = other->lib->getResult(other->conn)) != NULL;) {
        CHECK(other->lib->resultStatus(result) != PGRES_FATAL_ERROR, "%s",
              other->lib->errorMessage(other->conn));
        other->lib->clear(result);
    }
}

void help_session_do(help_session *other, const char *sql)
{
    help_session_send(other, sql);
    help_session_finish(other);
}

void help_session_open(help_session *other)
{
    static const char *const names[] = {"dbname", NULL};
    const char *values[] = {help_pg_url(), NULL};
    CHECK_INT(haft__libpq_load(&other->lib, NULL), HAFT_OK, "cannot load libpq");
    other->conn = other->lib->connectStartParams(names, values, 1);
    PostgresPollingStatusType status = PGRES_POLLING_WRITING;
    while (status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
        haft__poll_wait(other->lib->socket(other->conn), status == PGRES_POLLING_READING,
                        status == PGRES_POLLING_WRITING, 1000);
        status = other->lib->connectPoll(other->conn);
    }
    CHECK_INT(status, PGRES_POLLING_OK, "cannot connect");
}

void help_session_close(help_session *other)
{
    other->lib->finish(other->conn);
}
