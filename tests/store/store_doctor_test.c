/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of store: findings of the doctor, and those of SQLite for an unhealthy store. */
#include "store/sqlite/sqlite_help.h"
#include "store/store_help.h"

static const haft__store_finding *find_finding(help_store *s, const char *name, size_t *ret_count)
{
    haft__store_request request = {.verb = HAFT__STORE_DOCTOR};
    CHECK_INT(help_do(s, &request), HAFT_OK, "%s", s->error.message);
    *ret_count = request.finding_count;
    for (size_t i = 0; i < request.finding_count; i++) {
        if (strcmp(request.findings[i].name, name) == 0) {
            return &request.findings[i];
        }
    }
    return NULL;
}

STORE_TEST(a_healthy_store_reports_no_problem)
{
    haft__store_request request = {.verb = HAFT__STORE_DOCTOR};
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_do(s, &request), HAFT_OK, "%s", s->error.message);
    CHECK(request.finding_count > 0, "the doctor reports no findings");
    for (size_t i = 0; i < request.finding_count; i++) {
        const haft__store_finding *f = &request.findings[i];
        bool hinted = f->hint != NULL && f->hint[0] != '\0';
        CHECK(f->name[0] != '\0' && f->value.len > 0 && f->hint != NULL, "finding %zu", i);
        CHECK(f->good == !hinted, "%s: only a problem has a hint", f->name);
        bool ours = strcmp(f->name, "space") == 0 || strcmp(f->name, "durability") == 0;
        CHECK(f->good || ours, "%s is not good", f->name); /* tests/house/pg.py: fsync */
    }
    CHECK_INT(help_run(s, 1)->seq, 1, "number of events is unchanged");
}

STORE_TEST(an_attempt_to_write_changes_nothing)
{
    haft__store_request request = {.verb = HAFT__STORE_TRY_WRITE};
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_do(s, &request), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_run(s, 1)->seq, 1, "number of events is unchanged");
}

TEST(a_clock_that_was_set_back_is_reported)
{
    size_t count;
    help_store s;
    help_store_open(&s, "sqlite");
    CHECK_INT(help_create(&s, 1), HAFT_OK, "%s", s.error.message);
    uint64_t created = s.now_ms;
    s.now_ms = created - HAFT__LIMIT_STORE_AHEAD_MS;
    const haft__store_finding *clock = find_finding(&s, "clock", &count);
    CHECK(clock != NULL && clock->good, "at the limit");
    s.now_ms--;
    clock = find_finding(&s, "clock", &count);
    CHECK(clock != NULL && !clock->good && clock->hint[0] != '\0', "one past the limit");
    CHECK_INT(count, 6, "number of findings");
    help_store_close(&s);
}

TEST(unsafe_settings_are_reported)
{
    size_t count;
    help_store s;
    help_store_open(&s, "sqlite");
    sqlite3 *db = help_sqlite(&s)->reader.connection.db; /* its thread is idle now */
    CHECK_INT(sqlite3_exec(db, "PRAGMA synchronous = NORMAL", NULL, NULL, NULL), SQLITE_OK,
              "cannot change the setting");
    const haft__store_finding *found = find_finding(&s, "synchronous", &count);
    CHECK(found != NULL && !found->good, "the unsafe setting is not reported");
    CHECK_STR(found->value, HAFT__LIT("normal"), "the reported value");
    help_store_close(&s);
}

TEST(a_disk_that_is_nearly_full_is_reported)
{
    CHECK(haft__sqlite_has_free_space(HAFT__LIMIT_STORE_FREE_BYTES), "at the limit");
    CHECK(!haft__sqlite_has_free_space(HAFT__LIMIT_STORE_FREE_BYTES - 1),
          "one byte below the limit");
}
