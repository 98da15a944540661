/* SPDX-License-Identifier: Apache-2.0 */
/* PostgreSQL: edited rows are reported and never returned. */
#include "store/postgres/postgres_help.h"

static void make_run(help_store *s)
{
    help_store_open(s, "postgres");
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_append(s, 1, 1, 1, "two"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_append(s, 1, 1, 2, "three"), HAFT_OK, "%s", s->error.message);
    CHECK_STR(help_read(s, 1), HAFT__LIT("1\ntwo\nthree\n"), "events before the damage");
}

TEST(edited_events_are_reported)
{
    static const struct {
        const char *sql, *wanted;
    } cases[] = {
        {"UPDATE haft.events SET body = '=TWO\n' WHERE seq = 2", "event 2 of"},
        {"UPDATE haft.events SET body = '\\xff' WHERE seq = 3", "event 3 of"},
        {"UPDATE haft.events SET checksum = '\\x00' WHERE seq = 1", "event 1 of"},
        {"UPDATE haft.events SET seq = 9 WHERE seq = 3", "event 3 of"},
        {"DELETE FROM haft.events WHERE seq = 1", "event 1 of"},
        {"DELETE FROM haft.events WHERE seq = 2", "event 2 of"},
        {"DELETE FROM haft.events WHERE seq = 3", "event 3 of"},
        {"DELETE FROM haft.events", "event 1 of"},
        {"INSERT INTO haft.events SELECT run, 4, checksum, body FROM haft.events WHERE seq = 3",
         "event 4 of"},
        {"UPDATE haft.events SET body = (SELECT body FROM haft.events WHERE seq = 3), checksum = "
         "(SELECT checksum FROM haft.events WHERE seq = 3) WHERE seq = 2",
         "event 2 of"},
        {"UPDATE haft.runs SET checksum = '\\x0000000000000000'", "event 3 of"},
        {"UPDATE haft.runs SET checksum = ''", "a malformed value"},
        {"UPDATE haft.runs SET seq = 2", "event 2 of"},
        {"UPDATE haft.runs SET state = 7", "a malformed value"},
        {"UPDATE haft.runs SET epoch = -1", "a malformed value"},
    };
    if (help_pg_url() == NULL) {
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_store s;
        make_run(&s);
        (void)help_pg_sql(cases[i].sql);
        CHECK(help_read(&s, 1).ptr == NULL, "the read succeeded: %s", cases[i].sql);
        CHECK_INT(s.error.status, HAFT_BAD_INPUT, "%s: %s", cases[i].sql, s.error.message);
        CHECK(strstr(s.error.message, cases[i].wanted) != NULL, "%s: %s", cases[i].sql,
              s.error.message);
        help_store_close(&s);
    }
}

TEST(edited_texts_of_a_run_are_reported)
{
    static const char *const cases[] = {
        "UPDATE haft.about SET task = 'another'",         "UPDATE haft.about SET spec = '{}'",
        "UPDATE haft.about SET task_sha256 = 'x'",        "DELETE FROM haft.about",
        "UPDATE haft.about SET answer = '\\xff'",         "UPDATE haft.runs SET turns = 4294967296",
        "UPDATE haft.runs SET owner = repeat('x', 5000)",
    };
    if (help_pg_url() == NULL) {
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_store s;
        make_run(&s);
        (void)help_pg_sql(cases[i]);
        CHECK(help_run(&s, 1) == NULL, "%s", cases[i]);
        CHECK_INT(s.error.status, HAFT_BAD_INPUT, "%s: %s", cases[i], s.error.message);
        uint64_t epoch = 0;
        haft_status status = help_claim(&s, 1, "me", "", &epoch);
        CHECK_INT(status, HAFT_BAD_INPUT, "the claim succeeded: %s", cases[i]);
        CHECK_STR(haft__str(help_pg_sql("SELECT max(epoch) FROM haft.runs")), HAFT__LIT("1"),
                  "a run that cannot be read was claimed: %s", cases[i]);
        help_store_close(&s);
    }
}

TEST(a_damaged_run_is_listed_skipped_and_removed)
{
    static const char *const cases[] = {
        "UPDATE haft.runs SET turns = -1 WHERE number = 1",
        "UPDATE haft.runs SET checksum = '', lease = -1, calls = -1 WHERE number = 1",
        "UPDATE haft.about SET task = 'x' WHERE run = (SELECT id FROM haft.runs WHERE number = 1)",
        "DELETE FROM haft.about WHERE run = (SELECT id FROM haft.runs WHERE number = 1)",
    };
    if (help_pg_url() == NULL) {
        return;
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_store s;
        help_store_open(&s, "postgres");
        CHECK_INT(help_create_in(&s, 1, "one", ""), HAFT_OK, "%s", s.error.message);
        CHECK_INT(help_create_in(&s, 2, "two", ""), HAFT_OK, "%s", s.error.message);
        (void)help_pg_sql(cases[i]);
        help_check_damaged(&s, 1, 2, true, cases[i]);
        CHECK_STR(haft__str(help_pg_sql("SELECT count(*) FROM haft.about")), HAFT__LIT("1"),
                  "the damaged run is removed completely: %s", cases[i]);
        help_store_close(&s);
    }
}

/* The search for dead owners skips an owner with an invalid name. */
TEST(a_damaged_owner_does_not_prevent_claims)
{
    if (help_pg_url() == NULL) {
        return;
    }
    help_store s;
    help_store_open(&s, "postgres");
    CHECK_INT(help_create_in(&s, 1, "one", "me"), HAFT_OK, "%s", s.error.message);
    CHECK_INT(help_create_in(&s, 2, "two", ""), HAFT_OK, "%s", s.error.message);
    (void)help_pg_sql("UPDATE haft.runs SET owner = repeat('x', 5000) WHERE number = 1");
    haft__store_request take = {
        .verb = HAFT__STORE_CLAIM_NEXT, .run.owner = HAFT__LIT("you"), .lease_ms = HELP_LEASE};
    CHECK_INT(help_do(&s, &take), HAFT_OK, "%s", s.error.message);
    CHECK_STR(take.found[0].id, help_id(2), "the undamaged run is claimed");
    help_store_close(&s);
}

TEST(a_name_with_a_nul_is_rejected)
{
    help_store s;
    if (help_pg_url() == NULL) {
        return;
    }
    make_run(&s);
    haft_str name = {"a\0b", 3};
    haft__store_request cases[] = {
        {.verb = HAFT__STORE_CREATE, .run = {.id = help_id(2), .thread = name}},
        {.verb = HAFT__STORE_CREATE, .run = {.id = help_id(2), .user = name}},
        {.verb = HAFT__STORE_CLAIM, .run = {.id = help_id(1), .owner = name}},
        {.verb = HAFT__STORE_FIND, .name = name},
        {.verb = HAFT__STORE_LIST, .thread = name},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(help_do(&s, &cases[i]), HAFT_BAD_INPUT, "case %zu", i);
    }
    haft__store_request remember = {.verb = HAFT__STORE_CACHE_PUT, .scope = name, .name = name};
    CHECK_INT(help_do(&s, &remember), HAFT_OK, "values may have any bytes: %s", s.error.message);
    CHECK_INT(help_append(&s, 1, 1, 3, "x"), HAFT_OK, "%s", s.error.message);
    help_store_close(&s);
}
