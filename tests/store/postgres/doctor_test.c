/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of `haft doctor` about a PostgreSQL server; store_doctor_test.c uses a real one. */
#include <string.h>

#include "base/limits.h"
#include "base/macros.h"
#include "store/postgres/doctor.h"
#include "test.h"

static const haft__pg_facts well = {.server = HAFT__LIT("15.18"),
                                    .tables_exist = true,
                                    .version = 1,
                                    .versions = 1,
                                    .role = HAFT__LIT("haft"),
                                    .has_privileges = true,
                                    .isolation = HAFT__LIT("repeatable read"),
                                    .synchronous_commit = HAFT__LIT("on"),
                                    .fsync_on = true,
                                    .database_ms = 1000000,
                                    .requested_ms = 1000000,
                                    .received_ms = 1000000,
                                    .connections = {{90, 100}, {5, 0}, {5, 0}}};

static haft__pg_facts with(haft__pg_facts facts, void (*change)(haft__pg_facts *facts))
{
    change(&facts);
    return facts;
}

static void set_standby(haft__pg_facts *f)
{
    f->standby = true;
}
static void remove_privileges(haft__pg_facts *f)
{
    f->has_privileges = false;
}
static void set_superuser(haft__pg_facts *f)
{
    f->superuser = true, f->has_privileges = false;
}
static void set_isolation(haft__pg_facts *f)
{
    f->isolation = HAFT__LIT("read committed");
}
static void turn_fsync_off(haft__pg_facts *f)
{
    f->fsync_on = false;
}
static void turn_synchronous_commit_off(haft__pg_facts *f)
{
    f->synchronous_commit = HAFT__LIT("off");
}
static void set_clock_ahead(haft__pg_facts *f)
{
    f->database_ms += HAFT__LIMIT_STORE_SKEW_MS;
}
static void set_clock_too_far_ahead(haft__pg_facts *f)
{
    f->database_ms += HAFT__LIMIT_STORE_SKEW_MS + 1;
}
static void set_clock_too_far_behind(haft__pg_facts *f)
{
    f->requested_ms = f->received_ms += HAFT__LIMIT_STORE_SKEW_MS + 1;
}
static void set_slow_reply(haft__pg_facts *f)
{
    f->requested_ms -= 10 * HAFT__LIMIT_STORE_SKEW_MS;
    f->received_ms += 10 * HAFT__LIMIT_STORE_SKEW_MS;
}
static void set_nearly_full(haft__pg_facts *f)
{
    f->connections[0].used = 91;
}
static void set_full(haft__pg_facts *f)
{
    f->connections[0].used = 101;
}
static void limit_role(haft__pg_facts *f)
{
    f->connections[2].max = 5;
}
static void limit_database(haft__pg_facts *f)
{
    f->connections[1].used = 20, f->connections[1].max = 22;
}
static void add_incomplete_run(haft__pg_facts *f)
{
    f->incomplete_runs = 1;
}
static void add_second_version(haft__pg_facts *f)
{
    f->versions = 2;
}
static void remove_tables(haft__pg_facts *f)
{
    f->tables_exist = f->has_privileges = false, f->version = f->versions = 0;
}
static void change_nothing(haft__pg_facts *f)
{
    (void)f;
}

TEST(problems_of_a_server_are_reported)
{
    static const struct {
        const char *name; /* name of the finding with a problem; NULL: no problem */
        void (*change)(haft__pg_facts *facts);
    } cases[] = {
        {NULL, change_nothing},
        {"server", set_standby},
        {"role", remove_privileges},
        {NULL, set_superuser},
        {"isolation", set_isolation},
        {"durability", turn_fsync_off},
        {NULL, turn_synchronous_commit_off},
        {NULL, set_clock_ahead},
        {"clock", set_clock_too_far_ahead},
        {"clock", set_clock_too_far_behind},
        {"connections", set_nearly_full},
        {"connections", set_full},
        {"connections", limit_role},
        {"connections", limit_database},
        {NULL, set_slow_reply},
        {"runs", add_incomplete_run},
        {"schema", add_second_version},
        {NULL, remove_tables},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft_error err = {0};
        haft__store_finding rows[HAFT__PG_FINDINGS];
        haft__pg_facts facts = with(well, cases[i].change);
        haft__arena_init(&arena, 1 << 16);
        CHECK_INT(haft__pg_doctor_findings(&facts, &arena, rows, &err), HAFT_OK, "%s", err.message);
        for (size_t j = 0; j < HAFT__PG_FINDINGS; j++) {
            bool bad = cases[i].name != NULL && strcmp(rows[j].name, cases[i].name) == 0;
            CHECK(rows[j].good == !bad, "case %zu: %s", i, rows[j].name);
            CHECK(rows[j].good == (rows[j].hint[0] == '\0'), "case %zu: %s", i, rows[j].name);
            CHECK(rows[j].value.len > 0, "case %zu: %s has no value", i, rows[j].name);
        }
        haft__arena_finish(&arena);
    }
}

TEST(findings_survive_every_failed_allocation)
{
    haft__store_finding rows[HAFT__PG_FINDINGS];
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        haft__arena arena;
        haft_error err = {0};
        haft__arena_init(&arena, 1 << 16);
        test_fail_allocation(n);
        haft_status status = haft__pg_doctor_findings(&well, &arena, rows, &err);
        failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
    }
}

/* The hint lists all privileges that a role needs if it does not own the tables. */
TEST(missing_permissions_are_named)
{
    haft__store_finding rows[HAFT__PG_FINDINGS];
    haft__arena arena;
    haft__pg_facts facts = with(well, remove_privileges);
    haft__arena_init(&arena, 0);
    CHECK_INT(haft__pg_doctor_findings(&facts, &arena, rows, NULL), HAFT_OK, "out of memory");
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (strcmp(rows[i].name, "role") == 0) {
            CHECK(strstr(rows[i].hint, "USAGE ON SCHEMA haft and SELECT, INSERT") != NULL, "%s",
                  rows[i].hint);
        }
    }
    haft__arena_finish(&arena);
}
