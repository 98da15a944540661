/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of store: the life of a run, from its creation to its removal. */
#include "store/store_help.h"

#include "store/backend.h"

TEST(states_have_names)
{
    CHECK_STR(haft__str(haft__run_state_name(HAFT__RUN_STATE_RUNNING)), HAFT__LIT("running"),
              "name of the state running");
    CHECK_STR(haft__str(haft__run_state_name(HAFT__RUN_STATE_WAITING)), HAFT__LIT("waiting"),
              "name of the state waiting");
    CHECK_STR(haft__str(haft__run_state_name(HAFT__RUN_STATE_ENDED)), HAFT__LIT("ended"),
              "name of the state ended");
}

TEST(urls_select_the_store_or_are_rejected)
{
    static const struct {
        const char *url;
        haft_status wanted;
    } cases[] = {
        {"memory:", HAFT_OK},
        {"memory:x", HAFT_BAD_INPUT},
        {"mysql://localhost/x", HAFT_UNSUPPORTED},
        {"Memory:", HAFT_UNSUPPORTED},
        {"c:file.db", HAFT_UNSUPPORTED},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__loop *loop = NULL;
        haft__store *store = NULL;
        haft_error err = {0};
        CHECK_INT(haft__loop_create(&loop, NULL), HAFT_OK, "cannot create the loop");
        CHECK_INT(haft__store_open(loop, cases[i].url, &store, &err), cases[i].wanted, "%s",
                  cases[i].url);
        CHECK_INT(store != NULL, cases[i].wanted == HAFT_OK, "%s", cases[i].url);
        haft__store_close(store);
        haft__loop_destroy(loop);
    }
    haft__store_close(NULL);
}

/* ---- creating ---- */

STORE_TEST(a_run_is_found_as_it_was_created)
{
    haft_str lines[2] = {HAFT__LIT("{\"seq\":1}"), HAFT__LIT("")};
    haft__store_run run = {
        .id = help_id(1),
        .thread = help_id(2),
        .parent = help_id(3),
        .user = HAFT__LIT("ann"),
        .name = HAFT__LIT("report"),
        .task = HAFT__LIT("\xc3\xa4 task\nof two lines"),
        .spec_hash = HAFT__LIT("abc"),
        .spec = HAFT__LIT("{\"name\":\"report\"}"),
        .spec_path = HAFT__LIT("some/agent.yaml"),
        .state = HAFT__RUN_STATE_WAITING,
        .owner = HAFT__LIT("host:1"),
        .created_ms = 77,
        .wake_ms = 99,
        .turns = 3,
        .calls = 4,
    };
    haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                  .run = run,
                                  .lines = lines,
                                  .line_count = 2,
                                  .lease_ms = HELP_LEASE};
    CHECK_INT(help_do(s, &create), HAFT_OK, "%s", s->error.message);
    CHECK_INT(create.found_count, 1, "number of returned runs");
    const haft__store_run *shown[2] = {create.found, help_run(s, 1)};
    for (size_t i = 0; i < 2; i++) {
        const haft__store_run *found = shown[i];
        CHECK_STR(found->id, run.id, "id, %zu", i);
        CHECK_STR(found->thread, run.thread, "thread, %zu", i);
        CHECK_STR(found->parent, run.parent, "parent, %zu", i);
        CHECK_STR(found->user, run.user, "user, %zu", i);
        CHECK_STR(found->name, run.name, "name, %zu", i);
        CHECK_STR(found->task, run.task, "task, %zu", i);
        CHECK_STR(found->spec_hash, run.spec_hash, "spec_hash, %zu", i);
        CHECK_STR(found->spec, run.spec, "spec, %zu", i);
        CHECK_STR(found->spec_path, run.spec_path, "spec_path, %zu", i);
        CHECK_STR(found->owner, run.owner, "owner, %zu", i);
        CHECK(found->end.ptr != NULL && found->answer.ptr != NULL, "texts are never NULL");
        CHECK_INT(found->state, HAFT__RUN_STATE_WAITING, "state, %zu", i);
        CHECK_INT(found->seq, 2, "seq, %zu", i);
        CHECK_INT(found->epoch, 1, "epoch, %zu", i);
        CHECK_INT(found->lease_ms, s->now_ms + HELP_LEASE, "lease_ms, %zu", i);
        CHECK_INT(found->created_ms, 77, "created_ms, %zu", i);
        CHECK_INT(found->updated_ms, s->now_ms, "updated_ms, %zu", i);
        CHECK_INT(found->wake_ms, 99, "wake_ms, %zu", i);
        CHECK_INT(found->turns, 3, "turns, %zu", i);
        CHECK_INT(found->calls, 4, "calls, %zu", i);
    }
    CHECK_STR(help_read(s, 1), HAFT__LIT("{\"seq\":1}\n\n"), "number of events");
}

STORE_TEST(an_id_is_used_once)
{
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create(s, 1), HAFT_BAD_STATE, "create the same id twice");
    CHECK_INT(help_append(s, 1, 1, 1, "2"), HAFT_OK, "%s", s->error.message);
    CHECK_STR(help_read(s, 1), HAFT__LIT("1\n2\n"), "the first run is unchanged");
}

STORE_TEST(a_run_without_events_or_owner_is_created)
{
    haft__store_request create = {.verb = HAFT__STORE_CREATE, .run = {.id = help_id(1)}};
    CHECK_INT(help_do(s, &create), HAFT_OK, "%s", s->error.message);
    CHECK_STR(help_read(s, 1), HAFT__LIT(""), "events");
    CHECK_INT(create.found[0].created_ms, s->now_ms, "time of creation");
    CHECK_STR(create.found[0].owner, HAFT__LIT(""), "owner");
    CHECK_INT(help_append(s, 1, 1, 0, "1"), HAFT_BAD_STATE, "append to a run without an owner");
    uint64_t epoch = 0;
    CHECK_INT(help_claim(s, 1, "me", "", &epoch), HAFT_OK, "%s", s->error.message);
    CHECK_INT(epoch, 2, "epoch");
    CHECK_INT(help_append(s, 1, 2, 0, "1"), HAFT_OK, "%s", s->error.message);
}

STORE_TEST(a_run_that_has_ended_can_be_created)
{
    haft__store_request create = {.verb = HAFT__STORE_CREATE,
                                  .run = {.id = help_id(1),
                                          .owner = HAFT__LIT("me"),
                                          .state = HAFT__RUN_STATE_ENDED,
                                          .end = HAFT__LIT("done"),
                                          .answer = HAFT__LIT("42")}};
    CHECK_INT(help_do(s, &create), HAFT_OK, "%s", s->error.message);
    const haft__store_run *run = help_run(s, 1);
    CHECK_STR(run->answer, HAFT__LIT("42"), "answer");
    CHECK_STR(run->owner, HAFT__LIT(""), "owner");
    CHECK_INT(help_append(s, 1, 1, 0, "1"), HAFT_BAD_STATE, "append to an ended run");
}

/* ---- appending ---- */

STORE_TEST(an_append_follows_the_last_event_in_the_right_epoch)
{
    static const struct {
        uint64_t epoch, seq;
        haft_status wanted;
    } cases[] = {
        {1, 0, HAFT_BAD_STATE}, {1, 2, HAFT_BAD_STATE},          {0, 1, HAFT_BAD_STATE},
        {2, 1, HAFT_BAD_STATE}, {UINT64_MAX, 1, HAFT_BAD_STATE}, {1, UINT64_MAX, HAFT_BAD_STATE},
        {1, 1, HAFT_OK},        {1, 1, HAFT_BAD_STATE},
    };
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(help_append(s, 1, cases[i].epoch, cases[i].seq, "2"), cases[i].wanted,
                  "case %zu: %s", i, s->error.message);
        CHECK_INT(s->error.message[0] != '\0', cases[i].wanted != HAFT_OK, "case %zu", i);
    }
    CHECK_STR(help_read(s, 1), HAFT__LIT("1\n2\n"), "events");
    CHECK_INT(help_append(s, 9, 1, 1, "2"), HAFT_NOT_FOUND, "there is no such run");
}

STORE_TEST(an_append_sets_the_state_and_renews_the_lease)
{
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    s->now_ms += 10;
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run = {.id = help_id(1),
                                          .epoch = 1,
                                          .seq = 1,
                                          .state = HAFT__RUN_STATE_WAITING,
                                          .end = HAFT__LIT("not yet"),
                                          .answer = HAFT__LIT("not yet"),
                                          .wake_ms = 5,
                                          .turns = 6,
                                          .calls = 7}};
    CHECK_INT(help_do(s, &append), HAFT_OK, "%s", s->error.message);
    const haft__store_run *run = help_run(s, 1);
    CHECK_INT(run->seq, 1, "seq of an append without events");
    CHECK_INT(run->state, HAFT__RUN_STATE_WAITING, "state");
    CHECK_INT(run->wake_ms, 5, "wake_ms");
    CHECK_INT(run->turns, 6, "turns");
    CHECK_INT(run->calls, 7, "calls");
    CHECK_INT(run->updated_ms, s->now_ms, "updated_ms");
    CHECK_INT(run->lease_ms, s->now_ms - 10 + HELP_LEASE, "the lease is unchanged");
    CHECK_STR(run->end, HAFT__LIT(""), "end");
    CHECK_STR(run->answer, HAFT__LIT(""), "answer");
    append.lease_ms = 5 * HELP_LEASE;
    append.run.state = HAFT__RUN_STATE_RUNNING;
    CHECK_INT(help_do(s, &append), HAFT_OK, "%s", s->error.message);
    run = help_run(s, 1);
    CHECK_INT(run->lease_ms, s->now_ms + 5 * HELP_LEASE, "the lease was renewed");
    CHECK_INT(run->state, HAFT__RUN_STATE_RUNNING, "state");
}

STORE_TEST(an_ended_run_accepts_nothing_and_has_no_owner)
{
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_end(s, 1, 1, 1, "42"), HAFT_OK, "%s", s->error.message);
    const haft__store_run *run = help_run(s, 1);
    CHECK_INT(run->state, HAFT__RUN_STATE_ENDED, "state");
    CHECK_STR(run->end, HAFT__LIT("done"), "end");
    CHECK_STR(run->answer, HAFT__LIT("42"), "answer");
    CHECK_STR(run->owner, HAFT__LIT(""), "owner");
    CHECK_INT(run->lease_ms, 0, "lease");
    CHECK_INT(help_append(s, 1, 1, 2, "3"), HAFT_BAD_STATE, "append to an ended run");
    CHECK_INT(help_end(s, 1, 1, 2, "43"), HAFT_BAD_STATE, "end an ended run");
    CHECK_INT(help_claim(s, 1, "you", "", NULL), HAFT_BAD_STATE, "claim an ended run");
    CHECK_INT(help_send(s, 1, "hello"), HAFT_BAD_STATE, "send to an ended run");
    CHECK_STR(help_read(s, 1), HAFT__LIT("1\nend\n"), "events");
}

STORE_TEST(events_are_lines_of_text)
{
    static const struct {
        const char *name;
        haft_str line;
        haft_status wanted;
    } cases[] = {
        {"a line feed", {"a\nb", 3}, HAFT_BAD_INPUT},
        {"a line feed at the end", {"a\n", 2}, HAFT_BAD_INPUT},
        {"not UTF-8", {"\xff", 1}, HAFT_BAD_INPUT},
        {"half a character", {"\xc3", 1}, HAFT_BAD_INPUT},
        {"a surrogate", {"\xed\xa0\x80", 3}, HAFT_BAD_INPUT},
        {"nothing", {"", 0}, HAFT_OK},
        {"a NULL pointer", {NULL, 0}, HAFT_OK},
        {"a carriage return", {"\r", 1}, HAFT_OK},
        {"a NUL", {"a\0b", 3}, HAFT_OK},
        {"quotes", {"'\"; DROP TABLE runs; --", 23}, HAFT_OK},
    };
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    uint64_t seq = 1;
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft_str lines[2] = {HAFT__LIT("good"), cases[i].line};
        haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                      .run = {.id = help_id(1), .epoch = 1, .seq = seq},
                                      .lines = lines,
                                      .line_count = 2};
        CHECK_INT(help_do(s, &append), cases[i].wanted, "%s", cases[i].name);
        if (cases[i].wanted != HAFT_OK) {
            CHECK_STR(haft__str(s->error.where), HAFT__LIT("event 2"), "%s", cases[i].name);
            continue;
        }
        haft__store_request read = {
            .verb = HAFT__STORE_READ_EVENTS, .run = {.id = help_id(1)}, .after = seq + 1};
        CHECK_INT(help_do(s, &read), HAFT_OK, "%s: %s", cases[i].name, s->error.message);
        CHECK(read.count == 1 && read.text.len == cases[i].line.len + 1
                  && (cases[i].line.len == 0
                      || memcmp(read.text.ptr, cases[i].line.ptr, cases[i].line.len) == 0),
              "%s has changed", cases[i].name);
        seq += 2;
    }
}

/* ---- owners ---- */

STORE_TEST(a_run_without_an_owner_is_claimed)
{
    uint64_t epoch = 0;
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_claim(s, 1, "you", "", NULL), HAFT_BAD_STATE, "claim a run of another owner");
    CHECK_INT(help_claim(s, 1, "you", "somebody else", NULL), HAFT_BAD_STATE,
              "claim with the wrong expected owner");
    CHECK_INT(help_claim(s, 1, "", "me", NULL), HAFT_BAD_INPUT, "claim without an owner name");
    s->now_ms += HELP_LEASE - 1;
    CHECK_INT(help_claim(s, 1, "you", "", NULL), HAFT_BAD_STATE,
              "claim a millisecond before the lease expires");
    s->now_ms += 1;
    CHECK_INT(help_claim(s, 1, "you", "", &epoch), HAFT_OK, "%s", s->error.message);
    CHECK_INT(epoch, 2, "epoch");
    CHECK_INT(help_append(s, 1, 1, 1, "mine"), HAFT_BAD_STATE, "append as the former owner");
    CHECK_INT(help_append(s, 1, 2, 1, "yours"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_claim(s, 1, "them", "you", &epoch), HAFT_OK, "claim from a dead owner");
    CHECK_INT(epoch, 3, "epoch");
    CHECK_INT(help_claim(s, 1, "them", "", &epoch), HAFT_OK, "claim its own run again");
    CHECK_INT(epoch, 4, "epoch");
    CHECK_INT(help_claim(s, 9, "them", "", NULL), HAFT_NOT_FOUND, "there is no such run");
    CHECK_STR(help_read(s, 1), HAFT__LIT("1\nyours\n"), "events");
}

STORE_TEST(a_claim_returns_the_run_and_its_spec)
{
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_append(s, 1, 1, 1, "2"), HAFT_OK, "%s", s->error.message);
    haft__store_request claim = {.verb = HAFT__STORE_CLAIM,
                                 .run = {.id = help_id(1), .owner = HAFT__LIT("you")},
                                 .dead_owner = HAFT__LIT("me"),
                                 .lease_ms = UINT64_MAX};
    CHECK_INT(help_do(s, &claim), HAFT_OK, "%s", s->error.message);
    CHECK_STR(claim.found[0].spec, HAFT__LIT("{\"haft\":1}"), "spec");
    CHECK_STR(claim.found[0].owner, HAFT__LIT("you"), "owner");
    CHECK_INT(claim.found[0].seq, 2, "seq");
    CHECK_INT(claim.found[0].lease_ms, INT64_MAX, "an infinite lease");
    claim.arena = NULL;
    claim.dead_owner = HAFT__LIT("you");
    CHECK_INT(haft__store_submit_and_wait(s->store, &claim, NULL), HAFT_OK,
              "claim without an arena");
    CHECK_INT(claim.found_count, 0, "no run is returned");
    CHECK_INT(help_run(s, 1)->epoch, 3, "epoch");
}

STORE_TEST(leases_are_renewed_all_at_once)
{
    for (uint64_t n = 1; n <= 4; n++) {
        CHECK_INT(help_create_in(s, n, "", n < 4 ? "me" : "you"), HAFT_OK, "run %d", (int)n);
    }
    CHECK_INT(help_end(s, 3, 1, 1, ""), HAFT_OK, "%s", s->error.message);
    s->now_ms += HELP_LEASE; /* expired, but not claimed */
    haft__store_request renew = {
        .verb = HAFT__STORE_RENEW, .run = {.owner = HAFT__LIT("me")}, .lease_ms = HELP_LEASE};
    CHECK_INT(help_do(s, &renew), HAFT_OK, "%s", s->error.message);
    CHECK_INT(renew.count, 2, "number of renewed leases");
    CHECK_INT(help_run(s, 1)->lease_ms, s->now_ms + HELP_LEASE, "lease of an own run");
    CHECK_INT(help_run(s, 3)->lease_ms, 0, "lease of an ended run");
    CHECK_INT(help_run(s, 4)->lease_ms, s->now_ms, "lease of a run of another owner");
    renew.run.owner = HAFT__LIT("nobody");
    CHECK_INT(help_do(s, &renew), HAFT_OK, "%s", s->error.message);
    CHECK_INT(renew.count, 0, "leases of an owner without runs");
    renew.run.owner = HAFT__LIT("");
    CHECK_INT(help_do(s, &renew), HAFT_BAD_INPUT, "renew without an owner name");
}

typedef enum zombie_state { IS_ON, WAITS, IS_FREE, HAS_ENDED } zombie_state;

/* Another process owns run 1, in epoch 2 and in this state. */
static void lose_run(help_store *s, zombie_state state)
{
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    s->now_ms += HELP_LEASE;
    CHECK_INT(help_claim(s, 1, "you", "", NULL), HAFT_OK, "%s", s->error.message);
    haft__store_request wait = {
        .verb = HAFT__STORE_APPEND,
        .run = {.id = help_id(1), .epoch = 2, .seq = 1, .state = HAFT__RUN_STATE_WAITING}};
    haft__store_request release = {.verb = HAFT__STORE_RELEASE,
                                   .run = {.id = help_id(1), .epoch = 2}};
    if (state == WAITS) {
        CHECK_INT(help_do(s, &wait), HAFT_OK, "%s", s->error.message);
    } else if (state == IS_FREE) {
        CHECK_INT(help_do(s, &release), HAFT_OK, "%s", s->error.message);
    } else if (state == HAS_ENDED) {
        CHECK_INT(help_end(s, 1, 2, 1, "yours"), HAFT_OK, "%s", s->error.message);
    }
}

/* Every request of the former owner of epoch 1: none of them changes anything. */
static void check_zombie(help_store *s, zombie_state state)
{
    const haft__store_run before = *help_run(s, 1);
    haft_str events = help_read(s, 1);
    haft__store_request renew = {
        .verb = HAFT__STORE_RENEW, .run = {.owner = HAFT__LIT("me")}, .lease_ms = 9 * HELP_LEASE};
    haft__store_request release = {.verb = HAFT__STORE_RELEASE,
                                   .run = {.id = help_id(1), .epoch = 1}};
    CHECK_INT(help_do(s, &renew), HAFT_OK, "state %d: %s", state, s->error.message);
    CHECK_INT(renew.count, 0, "state %d: renew", state);
    for (uint64_t seq = 1; seq <= 2; seq++) {
        CHECK_INT(help_append(s, 1, 1, seq, "mine"), HAFT_BAD_STATE, "state %d: append", state);
        CHECK_INT(help_end(s, 1, 1, seq, "mine"), HAFT_BAD_STATE, "state %d: end", state);
    }
    CHECK_INT(help_do(s, &release), HAFT_OK, "state %d: %s", state, s->error.message);
    CHECK_INT(release.count, 0, "state %d: release", state);
    const haft__store_run *after = help_run(s, 1);
    CHECK(after->epoch == before.epoch && after->seq == before.seq && after->state == before.state
              && after->lease_ms == before.lease_ms && after->updated_ms == before.updated_ms,
          "state %d: the run has changed", state);
    CHECK_STR(after->owner, before.owner, "state %d: owner", state);
    CHECK_STR(after->answer, before.answer, "state %d: answer", state);
    CHECK_STR(help_read(s, 1), events, "state %d: events", state);
}

static void check_lost(help_store *s, zombie_state state)
{
    lose_run(s, state);
    check_zombie(s, state);
}

STORE_TEST(a_former_owner_cannot_change_a_run_that_another_owns)
{
    check_lost(s, IS_ON);
}

STORE_TEST(a_former_owner_cannot_change_a_waiting_run)
{
    check_lost(s, WAITS);
}

STORE_TEST(a_former_owner_cannot_change_a_free_run)
{
    check_lost(s, IS_FREE);
}

STORE_TEST(a_former_owner_cannot_change_an_ended_run)
{
    check_lost(s, HAS_ENDED);
}

STORE_TEST(a_run_that_is_released_is_free)
{
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    haft__store_request release = {.verb = HAFT__STORE_RELEASE,
                                   .run = {.id = help_id(1), .epoch = 2}};
    CHECK_INT(help_do(s, &release), HAFT_OK, "release with another epoch");
    CHECK_INT(release.count, 0, "the run was not released");
    CHECK_STR(help_run(s, 1)->owner, HAFT__LIT("me"), "owner");
    release.run.epoch = 1;
    CHECK_INT(help_do(s, &release), HAFT_OK, "%s", s->error.message);
    CHECK_INT(release.count, 1, "number of released runs");
    CHECK_STR(help_run(s, 1)->owner, HAFT__LIT(""), "owner");
    CHECK_INT(help_append(s, 1, 1, 1, "2"), HAFT_BAD_STATE, "append to a released run");
    CHECK_INT(help_do(s, &release), HAFT_OK, "release a second time");
    CHECK_INT(release.count, 0, "the second release changes nothing");
    CHECK_INT(help_claim(s, 1, "you", "", NULL), HAFT_OK, "%s", s->error.message);
    release.run.id = help_id(9);
    CHECK_INT(help_do(s, &release), HAFT_OK, "release a missing run");
}

/* ---- the end ---- */

static haft_status remove_run(help_store *s, uint64_t n)
{
    haft__store_request request = {.verb = HAFT__STORE_REMOVE, .run = {.id = help_id(n)}};
    return help_do(s, &request);
}

STORE_TEST(a_run_without_an_owner_is_removed)
{
    CHECK_INT(help_create_in(s, 1, "t", "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create_in(s, 2, "t", "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_send(s, 1, "hello"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_send(s, 2, "hello"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(remove_run(s, 1), HAFT_BAD_STATE, "remove a run of another owner");
    haft__store_request away = {.verb = HAFT__STORE_REMOVE,
                                .run = {.id = help_id(3), .owner = HAFT__LIT("you")}};
    CHECK_INT(help_create_in(s, 3, "", "me"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_do(s, &away), HAFT_BAD_STATE, "remove as another owner");
    away.run.owner = HAFT__LIT("me");
    CHECK_INT(help_do(s, &away), HAFT_OK, "remove as the owner: %s", s->error.message);
    CHECK_INT(help_create_in(s, 3, "", "me"), HAFT_OK, "%s", s->error.message);
    away.run.owner = HAFT__LIT("");
    away.dead_owner = HAFT__LIT("you");
    CHECK_INT(help_do(s, &away), HAFT_BAD_STATE, "remove with another dead owner");
    away.dead_owner = HAFT__LIT("me");
    CHECK_INT(help_do(s, &away), HAFT_OK, "remove a run of a dead owner: %s", s->error.message);
    s->now_ms += HELP_LEASE;
    CHECK_INT(remove_run(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(remove_run(s, 1), HAFT_NOT_FOUND, "remove a removed run");
    CHECK(help_run(s, 1) == NULL, "the removed run is found");
    CHECK(help_read(s, 1).ptr == NULL, "events of the removed run are read");
    CHECK_STR(help_read(s, 2), HAFT__LIT("1\n"), "the other run is unchanged");
    haft__store_request receive = {.verb = HAFT__STORE_RECEIVE, .run = {.owner = HAFT__LIT("me")}};
    CHECK_INT(help_do(s, &receive), HAFT_OK, "%s", s->error.message);
    CHECK_INT(receive.message_count, 1, "number of messages");
    CHECK_INT(help_create(s, 1), HAFT_OK, "the id is free again: %s", s->error.message);
    CHECK_STR(help_read(s, 1), HAFT__LIT("1\n"), "the new run has one event");
}

STORE_TEST(gc_removes_old_runs)
{
    for (uint64_t n = 1; n <= 5; n++) {
        CHECK_INT(help_create_in(s, n, n < 3 ? "gone" : "t", "me"), HAFT_OK, "%s",
                  s->error.message);
    }
    for (uint64_t n = 1; n <= 3; n++) {
        s->now_ms += 10;
        CHECK_INT(help_end(s, n, 1, 1, "a"), HAFT_OK, "%s", s->error.message);
    }
    haft__store_request gc = {.verb = HAFT__STORE_GC, .now_ms = s->now_ms};
    CHECK_INT(help_do(s, &gc), HAFT_OK, "%s", s->error.message);
    CHECK_INT(gc.count, 0, "gc without an age removes nothing");
    gc.before_ms = s->now_ms; /* the third run ended at this time, not before */
    CHECK_INT(help_do(s, &gc), HAFT_OK, "%s", s->error.message);
    CHECK_INT(gc.count, 2, "number of removed runs");
    for (uint64_t n = 1; n <= 5; n++) {
        CHECK_INT(help_run(s, n) != NULL, n > 2, "whether run %d exists", (int)n);
    }
    haft__store_request list = {.verb = HAFT__STORE_LIST, .thread = HAFT__LIT("t")};
    CHECK_INT(help_do(s, &list), HAFT_OK, "%s", s->error.message);
    CHECK_INT(list.found_count, 3, "number of runs of the thread");
}
