/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of store: an append that creates runs and sends messages in its transaction. */
#include "store/store_help.h"

static haft__store_child child_of(uint64_t parent, uint64_t n)
{
    return (haft__store_child){.run = {.id = help_id(n),
                                       .thread = help_id(n),
                                       .parent = help_id(parent),
                                       .name = HAFT__LIT("worker"),
                                       .task = HAFT__LIT("dig"),
                                       .spec_hash = HAFT__LIT("hash"),
                                       .spec = HAFT__LIT("{}"),
                                       .state = HAFT__RUN_STATE_RUNNING},
                               .line = HAFT__LIT("first")};
}

static haft_status append_with(help_store *s, uint64_t n, uint64_t seq,
                               const haft__store_child *children, size_t child_count,
                               const haft__store_message *outgoing, size_t outgoing_count,
                               haft__run_state state)
{
    haft_str line = HAFT__LIT("more");
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run = {.id = help_id(n), .epoch = 1, .seq = seq, .state = state},
                                  .lines = &line,
                                  .line_count = 1,
                                  .children = children,
                                  .child_count = child_count,
                                  .outgoing = outgoing,
                                  .outgoing_count = outgoing_count};
    append.run.end = append.run.answer = HAFT__LIT("");
    return help_do(s, &append);
}

static size_t count_messages(help_store *s, uint64_t n)
{
    haft__store_request request = {.verb = HAFT__STORE_RECEIVE, .run = {.id = help_id(n)}};
    CHECK_INT(help_do(s, &request), HAFT_OK, "%s", s->error.message);
    return request.message_count;
}

static haft_status claim_next(help_store *s, haft_str *ret_id)
{
    haft__store_request request = {.verb = HAFT__STORE_CLAIM_NEXT,
                                   .run = {.owner = HAFT__LIT("worker")},
                                   .lease_ms = HELP_LEASE};
    haft_status status = help_do(s, &request);
    *ret_id = status == HAFT_OK ? request.found[0].id : HAFT__LIT("");
    return status;
}

STORE_TEST(children_are_created_with_the_append)
{
    const haft__store_child children[] = {child_of(1, 2), child_of(1, 3)};
    haft_str id;
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(append_with(s, 1, 1, children, 2, NULL, 0, HAFT__RUN_STATE_WAITING), HAFT_OK, "%s",
              s->error.message);
    CHECK_STR(help_read(s, 1), HAFT__LIT("1\nmore\n"), "events of the parent");
    CHECK_STR(help_read(s, 2), HAFT__LIT("first\n"), "events of the child");
    CHECK_STR(help_run(s, 3)->parent, help_id(1), "parent of the child");
    CHECK_STR(help_run(s, 3)->owner, HAFT__LIT(""), "owner of the child");
    CHECK_INT(claim_next(s, &id), HAFT_OK, "%s", s->error.message);
    CHECK_STR(id, help_id(2), "a worker claims the first child");
    CHECK_INT(claim_next(s, &id), HAFT_OK, "%s", s->error.message);
    CHECK_STR(id, help_id(3), "a worker claims the second child");
}

STORE_TEST(a_child_that_exists_rejects_the_whole_append)
{
    const haft__store_child children[] = {child_of(1, 3), child_of(1, 2)};
    const haft__store_message message = {.run = help_id(1), .body = HAFT__LIT("x")};
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create(s, 2), HAFT_OK, "%s", s->error.message);
    CHECK(append_with(s, 1, 1, children, 2, &message, 1, HAFT__RUN_STATE_RUNNING) != HAFT_OK,
          "the second child exists");
    CHECK_STR(help_read(s, 1), HAFT__LIT("1\n"), "nothing was appended");
    CHECK(help_run(s, 3) == NULL, "no child was created");
    CHECK_INT(count_messages(s, 1), 0, "nothing was sent");
}

STORE_TEST(a_stale_append_creates_and_sends_nothing)
{
    const haft__store_child child = child_of(1, 2);
    const haft__store_message message = {.run = help_id(4), .body = HAFT__LIT("x")};
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create(s, 4), HAFT_OK, "%s", s->error.message);
    CHECK_INT(append_with(s, 1, 7, &child, 1, &message, 1, HAFT__RUN_STATE_RUNNING), HAFT_BAD_STATE,
              "append after the wrong event");
    CHECK(help_run(s, 2) == NULL, "no child was created");
    CHECK_INT(count_messages(s, 4), 0, "no message was sent");
}

STORE_TEST(the_end_of_a_child_wakes_its_waiting_parent)
{
    const haft__store_child child = child_of(1, 2);
    const haft__store_message message = {.run = help_id(1), .body = HAFT__LIT("done")};
    haft_str id;
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(append_with(s, 1, 1, &child, 1, NULL, 0, HAFT__RUN_STATE_WAITING), HAFT_OK, "%s",
              s->error.message);
    haft__store_request release = {.verb = HAFT__STORE_RELEASE,
                                   .run = {.id = help_id(1), .epoch = 1}};
    CHECK_INT(help_do(s, &release), HAFT_OK, "%s", s->error.message);
    CHECK_INT(claim_next(s, &id), HAFT_OK, "%s", s->error.message);
    CHECK_STR(id, help_id(2), "the child is claimed");
    CHECK_INT(claim_next(s, &id), HAFT_NOT_FOUND, "the waiting parent is not claimed");
    haft_str line = HAFT__LIT("end");
    haft__store_request end = {.verb = HAFT__STORE_APPEND,
                               .run = {.id = help_id(2),
                                       .epoch = 2,
                                       .seq = 1,
                                       .state = HAFT__RUN_STATE_ENDED,
                                       .end = HAFT__LIT("done"),
                                       .answer = HAFT__LIT("gold")},
                               .lines = &line,
                               .line_count = 1,
                               .outgoing = &message,
                               .outgoing_count = 1};
    CHECK_INT(help_do(s, &end), HAFT_OK, "%s", s->error.message);
    CHECK_INT(claim_next(s, &id), HAFT_OK, "%s", s->error.message);
    CHECK_STR(id, help_id(1), "the parent is claimed because of its message");
    CHECK_INT(count_messages(s, 1), 1, "number of messages");
}

STORE_TEST(a_message_to_a_run_that_has_ended_is_dropped)
{
    const haft__store_message messages[] = {{.run = help_id(2), .body = HAFT__LIT("x")},
                                            {.run = help_id(9), .body = HAFT__LIT("x")},
                                            {.run = help_id(3), .body = HAFT__LIT("x")}};
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create(s, 2), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create(s, 3), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_end(s, 2, 1, 1, ""), HAFT_OK, "%s", s->error.message);
    CHECK_INT(append_with(s, 1, 1, NULL, 0, messages, 3, HAFT__RUN_STATE_RUNNING), HAFT_OK, "%s",
              s->error.message);
    CHECK_INT(count_messages(s, 2), 0, "messages of the ended run");
    CHECK_INT(count_messages(s, 3), 1, "messages of the other run");
}
