/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of store: messages, artifacts, and cached results. */
#include "store/store_help.h"

#include "base/sha256.h"

/* ---- messages ---- */

static size_t receive(help_store *s, const char *owner, uint64_t n,
                      const haft__store_message **ret_messages)
{
    haft__store_request request = {.verb = HAFT__STORE_RECEIVE, .run = {.owner = haft__str(owner)}};
    if (n > 0) {
        request.run.id = help_id(n);
    }
    CHECK_INT(help_do(s, &request), HAFT_OK, "%s", s->error.message);
    *ret_messages = request.messages;
    return request.message_count;
}

static haft_status consume(help_store *s, uint64_t n, uint64_t seq,
                           const haft__store_message *messages, size_t count)
{
    haft_str line = HAFT__LIT("answered");
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run = {.id = help_id(n), .epoch = 1, .seq = seq},
                                  .lines = &line,
                                  .line_count = 1,
                                  .messages = messages,
                                  .message_count = count};
    return help_do(s, &append);
}

STORE_TEST(a_message_is_consumed_exactly_once)
{
    const haft__store_message *messages;
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create(s, 2), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create_in(s, 3, "", "you"), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_send(s, 9, "x"), HAFT_NOT_FOUND, "there is no such run");
    static const char *const texts[] = {"a", "b", "c", "d"};
    static const uint64_t runs[] = {2, 1, 3, 2};
    for (size_t i = 0; i < COUNT(texts); i++) {
        CHECK_INT(help_send(s, runs[i], texts[i]), HAFT_OK, "%s", s->error.message);
    }
    CHECK_INT(receive(s, "me", 0, &messages), 3, "messages for the runs of an owner");
    CHECK_STR(messages[0].body, HAFT__LIT("a"), "the oldest message");
    CHECK_STR(messages[0].run, help_id(2), "run of the oldest message");
    CHECK_STR(messages[1].body, HAFT__LIT("b"), "the second message");
    CHECK_STR(messages[2].body, HAFT__LIT("d"), "the last message");
    CHECK(messages[0].id < messages[1].id && messages[1].id < messages[2].id,
          "ids of messages grow");
    haft__store_message mine[3] = {messages[0], messages[1], messages[2]};
    CHECK_INT(receive(s, "nobody", 0, &messages), 0, "messages for an owner without runs");
    CHECK_INT(receive(s, "", 0, &messages), 0, "messages without an owner");
    CHECK_INT(receive(s, "nobody", 3, &messages), 1, "messages for one run of any owner");

    CHECK_INT(consume(s, 2, 1, &mine[1], 1), HAFT_BAD_STATE, "consume a message of another run");
    haft__store_message twice[2] = {mine[0], mine[0]};
    CHECK_INT(consume(s, 2, 1, twice, 2), HAFT_BAD_STATE, "consume the same message twice");
    CHECK_INT(consume(s, 2, 7, &mine[0], 1), HAFT_BAD_STATE, "consume after the wrong event");
    CHECK_INT(receive(s, "me", 0, &messages), 3, "all messages are still pending");
    CHECK_STR(help_read(s, 2), HAFT__LIT("1\n"), "nothing was appended");

    CHECK_INT(consume(s, 2, 1, &mine[0], 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(receive(s, "me", 0, &messages), 2, "messages that are left");
    CHECK_INT(consume(s, 2, 2, &mine[0], 1), HAFT_BAD_STATE, "consume a message again");
    CHECK_STR(help_read(s, 2), HAFT__LIT("1\nanswered\n"), "events");
    CHECK_INT(help_end(s, 2, 1, 2, ""), HAFT_OK, "%s", s->error.message);
    CHECK_INT(receive(s, "", 2, &messages), 0, "messages of an ended run");
    CHECK_INT(receive(s, "me", 0, &messages), 1, "messages that are left");
}

STORE_TEST(messages_follow_the_run_to_its_new_owner)
{
    const haft__store_message *messages;
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_send(s, 1, "hello"), HAFT_OK, "%s", s->error.message);
    haft__store_request release = {.verb = HAFT__STORE_RELEASE,
                                   .run = {.id = help_id(1), .epoch = 1}};
    CHECK_INT(help_do(s, &release), HAFT_OK, "%s", s->error.message);
    CHECK_INT(receive(s, "me", 0, &messages), 0, "messages for the former owner");
    CHECK_INT(help_claim(s, 1, "you", "", NULL), HAFT_OK, "%s", s->error.message);
    CHECK_INT(receive(s, "you", 0, &messages), 1, "messages for the new owner");
}

/* Sends `count` messages in one group of requests. */
static haft_status send_many(help_store *s, uint64_t n, size_t count)
{
    haft__store_request *sends = test_alloc(count * sizeof(*sends));
    for (size_t i = 0; i < count; i++) {
        sends[i] = (haft__store_request){
            .verb = HAFT__STORE_SEND, .run = {.id = help_id(n)}, .text = HAFT__LIT("hello")};
    }
    return help_together(s, sends, count);
}

STORE_TEST(pending_commands_are_bounded)
{
    const haft__store_message *messages;
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create(s, 2), HAFT_OK, "%s", s->error.message);
    CHECK_INT(send_many(s, 1, HAFT__LIMIT_STORE_MESSAGES), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_send(s, 1, "hello"), HAFT_TOO_BIG, "one message past the limit");
    CHECK_INT(help_send(s, 2, "hello"), HAFT_OK, "for another run: %s", s->error.message);
    CHECK_INT(receive(s, "me", 0, &messages), HAFT__LIMIT_STORE_MESSAGES,
              "messages received at once");
    CHECK_INT(consume(s, 1, 1, messages, HAFT__LIMIT_STORE_MESSAGES), HAFT_OK, "%s",
              s->error.message);
    CHECK_INT(receive(s, "me", 0, &messages), 1, "messages that are left");
    CHECK_INT(help_send(s, 1, "hello"), HAFT_OK, "a message after others were consumed: %s",
              s->error.message);
}

/* ---- artifacts ---- */

static haft__store_artifact artifact(const char *name, haft_str content)
{
    char *digest = test_alloc(HAFT__SHA256_HEX);
    haft__sha256_hex(content, digest);
    return (haft__store_artifact){
        haft__str(name), HAFT__LIT("text/plain"), {digest, HAFT__SHA256_HEX}, content};
}

static haft_status store_artifacts(help_store *s, uint64_t n, uint64_t seq,
                                   const haft__store_artifact *artifacts, size_t count)
{
    haft_str line = HAFT__LIT("stored");
    haft__store_request append = {.verb = HAFT__STORE_APPEND,
                                  .run = {.id = help_id(n), .epoch = 1, .seq = seq},
                                  .lines = &line,
                                  .line_count = 1,
                                  .artifacts = artifacts,
                                  .artifact_count = count};
    return help_do(s, &append);
}

static void check_artifact(help_store *s, uint64_t n, const haft__store_artifact *wanted)
{
    haft__store_request get = {
        .verb = HAFT__STORE_READ_ARTIFACT, .run = {.id = help_id(n)}, .name = wanted->name};
    CHECK_INT(help_do(s, &get), HAFT_OK, "%s", s->error.message);
    CHECK_STR(get.artifact.name, wanted->name, "name of the artifact");
    CHECK_STR(get.artifact.media_type, wanted->media_type, "media type");
    CHECK_STR(get.artifact.sha256, wanted->sha256, "checksum of the artifact");
    CHECK_STR(get.artifact.content, wanted->content, "content of the artifact");
}

STORE_TEST(the_newest_artifact_of_a_name_is_found)
{
    haft__store_artifact one = artifact("a.md", HAFT__LIT("one"));
    haft__store_artifact two = artifact("a.md", HAFT__LIT("two"));
    haft__store_artifact bytes = artifact("b.bin", (haft_str){"\xff\0\xfe", 3});
    haft__store_artifact empty = artifact("", HAFT__LIT(""));
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    CHECK_INT(help_create(s, 2), HAFT_OK, "%s", s->error.message);
    CHECK_INT(store_artifacts(s, 1, 1, &one, 1), HAFT_OK, "%s", s->error.message);
    check_artifact(s, 1, &one);
    haft__store_artifact several[4] = {one, bytes, empty, two};
    CHECK_INT(store_artifacts(s, 1, 2, several, 4), HAFT_OK, "%s", s->error.message);
    check_artifact(s, 1, &two);
    check_artifact(s, 1, &bytes);
    check_artifact(s, 1, &empty);
    CHECK_INT(store_artifacts(s, 1, 3, &one, 1), HAFT_OK, "%s", s->error.message);
    check_artifact(s, 1, &one);
    haft__store_request get = {
        .verb = HAFT__STORE_READ_ARTIFACT, .run = {.id = help_id(2)}, .name = HAFT__LIT("a.md")};
    CHECK_INT(help_do(s, &get), HAFT_NOT_FOUND, "an artifact of another run");
    get.run.id = help_id(9);
    CHECK_INT(help_do(s, &get), HAFT_NOT_FOUND, "an artifact of a missing run");
}

STORE_TEST(an_artifact_with_a_wrong_hash_is_rejected)
{
    CHECK_INT(help_create(s, 1), HAFT_OK, "%s", s->error.message);
    haft__store_artifact good = artifact("a", HAFT__LIT("one"));
    haft__store_artifact cases[] = {good, good, good, good, good};
    cases[0].content = HAFT__LIT("two");
    cases[1].sha256 = HAFT__LIT("");
    cases[2].sha256.len--;
    cases[3].name = HAFT__LIT("\xff");
    cases[4].media_type = HAFT__LIT("\xff");
    for (size_t i = 0; i < COUNT(cases); i++) {
        CHECK_INT(store_artifacts(s, 1, 1, &cases[i], 1), HAFT_BAD_INPUT, "case %zu", i);
    }
    CHECK_STR(help_read(s, 1), HAFT__LIT("1\n"), "nothing was appended");
}

STORE_TEST(runs_share_artifacts_until_the_last_is_removed)
{
    haft__store_artifact same = artifact("same", HAFT__LIT("content"));
    for (uint64_t n = 1; n <= 2; n++) {
        CHECK_INT(help_create(s, n), HAFT_OK, "%s", s->error.message);
        CHECK_INT(store_artifacts(s, n, 1, &same, 1), HAFT_OK, "%s", s->error.message);
        CHECK_INT(help_end(s, n, 1, 2, ""), HAFT_OK, "%s", s->error.message);
    }
    haft__store_request remove = {.verb = HAFT__STORE_REMOVE, .run = {.id = help_id(1)}};
    CHECK_INT(help_do(s, &remove), HAFT_OK, "%s", s->error.message);
    check_artifact(s, 2, &same);
    CHECK_STR(help_run(s, 2)->spec, HAFT__LIT("{\"haft\":1}"), "the shared spec of the other run");
}

/* ---- results ---- */

static haft_status store_result(help_store *s, const char *scope, const char *name,
                                const char *text, uint64_t ms)
{
    haft__store_request request = {.verb = HAFT__STORE_CACHE_PUT,
                                   .scope = haft__str(scope),
                                   .name = haft__str(name),
                                   .text = haft__str(text),
                                   .now_ms = s->now_ms,
                                   .lease_ms = ms};
    return help_do(s, &request);
}

static void check_recall(help_store *s, const char *scope, const char *name, const char *wanted)
{
    haft__store_request request = {.verb = HAFT__STORE_CACHE_GET,
                                   .scope = haft__str(scope),
                                   .name = haft__str(name),
                                   .now_ms = s->now_ms};
    haft_status status = help_do(s, &request);
    CHECK_INT(status, wanted != NULL ? HAFT_OK : HAFT_NOT_FOUND, "%s/%s", scope, name);
    if (status == HAFT_OK && wanted != NULL) {
        CHECK_STR(request.text, haft__str(wanted), "%s/%s", scope, name);
    }
}

STORE_TEST(results_are_cached_until_they_expire)
{
    check_recall(s, "run", "a", NULL);
    CHECK_INT(store_result(s, "run", "a", "1", 10), HAFT_OK, "%s", s->error.message);
    CHECK_INT(store_result(s, "other", "a", "2", 0), HAFT_OK, "%s", s->error.message);
    CHECK_INT(store_result(s, "run", "b", "", UINT64_MAX), HAFT_OK, "%s", s->error.message);
    s->now_ms += 9;
    check_recall(s, "run", "a", "1");
    s->now_ms += 1;
    check_recall(s, "run", "a", NULL);
    check_recall(s, "other", "a", "2");
    check_recall(s, "run", "b", "");
    CHECK_INT(store_result(s, "run", "a", "3", 10), HAFT_OK, "%s", s->error.message);
    check_recall(s, "run", "a", "3");
    CHECK_INT(store_result(s, "run", "a", "4", 20), HAFT_OK, "%s", s->error.message);
    check_recall(s, "run", "a", "4");
    s->now_ms += 20;
    haft__store_request gc = {.verb = HAFT__STORE_GC, .now_ms = s->now_ms};
    CHECK_INT(help_do(s, &gc), HAFT_OK, "%s", s->error.message);
    s->now_ms -= 20; /* the clock is set back; collected entries do not come back */
    check_recall(s, "run", "a", NULL);
    check_recall(s, "other", "a", "2");
}

/* "0", "1" and so on, each under its own name. */
static haft_status remember_many(help_store *s, size_t count)
{
    enum { NAME = 24 };
    haft__store_request *requests = test_alloc(count * sizeof(*requests));
    char *names = test_alloc(count * NAME);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(names + i * NAME, NAME, "%zu", i);
        haft_str name = haft__str(names + i * NAME);
        requests[i] = (haft__store_request){.verb = HAFT__STORE_CACHE_PUT,
                                            .scope = HAFT__LIT("s"),
                                            .name = name,
                                            .text = name,
                                            .now_ms = s->now_ms};
    }
    return help_together(s, requests, count);
}

STORE_TEST(the_oldest_cached_results_are_removed_first)
{
    char name[16];
    (void)snprintf(name, sizeof(name), "%d", HAFT__LIMIT_STORE_RESULTS);
    CHECK_INT(remember_many(s, HAFT__LIMIT_STORE_RESULTS), HAFT_OK, "%s", s->error.message);
    check_recall(s, "s", "0", "0");
    CHECK_INT(store_result(s, "s", name, name, 0), HAFT_OK, "%s", s->error.message);
    check_recall(s, "s", "0", NULL);
    check_recall(s, "s", "1", "1");
    check_recall(s, "s", name, name);
    CHECK_INT(store_result(s, "s", "2", "again", 0), HAFT_OK, "%s", s->error.message);
    check_recall(s, "s", "1", NULL);
    CHECK_INT(store_result(s, "s", "x", "x", 0), HAFT_OK, "%s", s->error.message);
    check_recall(s, "s", "2", "again");
}
