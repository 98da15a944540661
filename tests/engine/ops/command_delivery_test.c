/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/command_delivery.c and run_message.c: commands to runs that nobody owns,
 * that have ended, and that another runtime owns. */
#include "engine/ops/command_delivery.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "engine/engine_help.h"
#include "engine/ops/stored_run.h"

#define PICK                                                                                       \
    "\"tools\":[{\"name\":\"pick\",\"description\":\"Picks one.\",\"args\":[],\"headless\":true}]"
#define ASK          "\"tools\":[{\"builtin\":[\"request_user_input\"]}]"
#define SCRIPT(call) "{\"replies\":[{\"calls\":[" call "]},{\"text\":\"good\"}]}"

static const char pick_script[] = SCRIPT("{\"name\":\"pick\",\"arguments\":{}}");
static const char ask_script[] =
    SCRIPT("{\"name\":\"request_user_input\",\"arguments\":{\"question\":\"Which one?\"}}");

/* A run that waits, of the runtime `owner`, and a runtime that sends commands. */
typedef struct delivery_case {
    char directory[64], url[96];
    help_host owner, sender;
    haft_run *run;
    char id[HAFT__ID_LENGTH + 1];
    haft__arena arena;
} delivery_case;

static void case_init(delivery_case *c, const char *members, const char *script)
{
    *c = (delivery_case){.directory = "/tmp/haft-delivery-XXXXXX"};
    CHECK(mkdtemp(c->directory) != NULL, "no directory");
    (void)snprintf(c->url, sizeof(c->url), "sqlite:%s/runs.db", c->directory);
    help_host_init(&c->owner, c->url);
    help_host_init(&c->sender, c->url);
    haft__arena_init(&c->arena, 0);
    c->run = help_host_start(&c->owner, members, script, "go");
    help_host_settle(&c->owner, c->run);
    (void)snprintf(c->id, sizeof(c->id), "%s", haft_run_id(c->run));
}

static void release_run(delivery_case *c)
{
    haft_run_release(c->run);
    c->run = NULL;
    while (c->owner.runtime->runs != NULL) {
        CHECK_INT(haft_runtime_step(c->owner.runtime, 1000, &c->owner.err), HAFT_OK, "%s",
                  c->owner.err.message);
    }
}

static void case_finish(delivery_case *c)
{
    static const char *const names[] = {"runs.db", "runs.db-wal", "runs.db-shm"};
    char path[128];
    release_run(c);
    haft__arena_finish(&c->arena);
    help_host_finish(&c->sender);
    help_host_finish(&c->owner);
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", c->directory, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(c->directory);
}

static haft__run_command command_of(haft__run_command_kind kind)
{
    return (haft__run_command){.kind = kind,
                               .call = HAFT__LIT(""),
                               .value = haft__json_null(),
                               .by = HAFT__LIT("test"),
                               .why = HAFT__LIT("")};
}

static haft_status deliver(delivery_case *c, haft__run_command_kind kind, const char *value,
                           bool may_be_text, haft__delivery_result *ret_result)
{
    haft__command_delivery delivery = {.run = haft__str(c->id),
                                       .command = command_of(kind),
                                       .value =
                                           value != NULL ? haft__str(value) : (haft_str){NULL, 0},
                                       .may_be_text = may_be_text};
    c->sender.err = (haft_error){0};
    return haft__command_deliver(c->sender.runtime, &c->arena, &delivery, ret_result,
                                 &c->sender.err);
}

TEST(a_value_is_json_or_text)
{
    static const struct {
        const char *members, *script, *value;
        bool may_be_text;
        haft_status status;
        const char *hint;
    } rows[] = {
        {PICK, pick_script, "{\"a\":1}", false, HAFT_OK, ""},
        {PICK, pick_script, "plain", true, HAFT_BAD_INPUT, "the value is JSON"},
        {PICK, pick_script, "{\"a\":1,\"a\":2}", true, HAFT_BAD_INPUT, ""},
        {ASK, ask_script, "plain", true, HAFT_OK, ""},
        {ASK, ask_script, "plain", false, HAFT_BAD_INPUT, "the value is JSON"},
        {ASK, ask_script, "\"quoted\"", false, HAFT_OK, ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        delivery_case c;
        haft__delivery_result result;
        case_init(&c, rows[i].members, rows[i].script);
        release_run(&c);
        haft_status status =
            deliver(&c, HAFT__RUN_COMMAND_ANSWER, rows[i].value, rows[i].may_be_text, &result);
        const haft_error *err = &c.sender.err;
        CHECK_INT(status, rows[i].status, "row %zu: %s", i, err->message);
        CHECK(strstr(err->hint, rows[i].hint) != NULL, "row %zu: %s", i, err->hint);
        CHECK_INT(result.problem,
                  status == HAFT_OK ? HAFT__DELIVERY_OTHER_PROBLEM : HAFT__DELIVERY_BAD_VALUE,
                  "row %zu: the problem", i);
        CHECK(result.owned == (status == HAFT_OK), "row %zu: owned", i);
        if (result.owned) {
            help_host_settle(&c.sender, result.run);
            CHECK_STR(haft__str(haft_run_end(result.run)), HAFT__LIT("done"), "row %zu", i);
        }
        haft_run_release(result.run);
        case_finish(&c);
    }
}

TEST(a_command_that_does_not_apply_leaves_the_run)
{
    delivery_case c;
    haft__delivery_result result;
    case_init(&c, PICK, pick_script);
    release_run(&c);
    CHECK_INT(deliver(&c, HAFT__RUN_COMMAND_APPROVE, NULL, false, &result), HAFT_BAD_STATE, "%s",
              c.sender.err.message);
    CHECK(result.run == NULL && !result.owned, "the run was opened");
    haft__store_run row = {.seq = 0};
    CHECK_INT(haft__stored_run_find(c.sender.runtime, &c.arena, haft__str(c.id), false, &row,
                                    &c.sender.err),
              HAFT_OK, "%s", c.sender.err.message);
    CHECK_INT(row.state, HAFT__RUN_STATE_WAITING, "state");
    case_finish(&c);
}

TEST(a_run_that_has_ended_is_read_only)
{
    delivery_case c;
    haft__delivery_result result;
    case_init(&c, "", "{\"replies\":[{\"text\":\"good\"}]}");
    release_run(&c);
    CHECK_INT(deliver(&c, HAFT__RUN_COMMAND_CANCEL, NULL, false, &result), HAFT_BAD_STATE, "%s",
              c.sender.err.message);
    CHECK(result.run != NULL && !result.owned, "a run that has ended was claimed");
    haft_run_release(result.run);
    (void)snprintf(c.id, sizeof(c.id), "zzzz");
    CHECK_INT(deliver(&c, HAFT__RUN_COMMAND_CANCEL, NULL, false, &result), HAFT_NOT_FOUND, "%s",
              c.sender.err.message);
    case_finish(&c);
}

static void *step_owner(void *context)
{
    delivery_case *c = context;
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && haft_run_state(c->run) != HAFT_ENDED) {
        status = haft_runtime_step(c->owner.runtime, 1000, &c->owner.err);
    }
    return NULL;
}

TEST(the_owner_of_a_run_consumes_the_command)
{
    delivery_case c;
    haft__delivery_result result;
    pthread_t thread;
    case_init(&c, PICK, pick_script);
    uint64_t seq = c.run->state.seq;
    CHECK_INT(pthread_create(&thread, NULL, step_owner, &c), 0, "thread");
    CHECK_INT(deliver(&c, HAFT__RUN_COMMAND_ANSWER, "7", false, &result), HAFT_OK, "%s",
              c.sender.err.message);
    CHECK(!result.owned, "the sender claimed the run");
    CHECK_INT(result.seen_seq, seq, "the last event before the command");
    CHECK(result.run != NULL && result.run->state.seq > seq, "the command added no event");
    haft_run_release(result.run);
    CHECK_INT(pthread_join(thread, NULL), 0, "thread");
    CHECK_STR(haft__str(haft_run_end(c.run)), HAFT__LIT("done"), "end");
    case_finish(&c);
}

static void count_report(void *context, const char *run, uint64_t lease_ms)
{
    (void)run;
    (void)lease_ms;
    ++*(unsigned *)context;
}

/* The owner does not step: it neither consumes messages nor renews its lease, which is short. */
TEST(a_run_is_opened_here_once_the_lease_of_its_owner_has_expired)
{
    delivery_case c;
    haft__delivery_result result;
    unsigned reports = 0;
    case_init(&c, PICK, pick_script);
    haft__store_request renew = {.verb = HAFT__STORE_RENEW,
                                 .run.owner = haft__str(c.owner.runtime->owner),
                                 .lease_ms = 300,
                                 .arena = &c.arena};
    renew.now_ms = haft__runtime_now(c.owner.runtime);
    CHECK_INT(haft__store_submit_and_wait(c.owner.runtime->store, &renew, &c.owner.err), HAFT_OK,
              "%s", c.owner.err.message);
    haft__command_delivery delivery = {.run = haft__str(c.id),
                                       .command = command_of(HAFT__RUN_COMMAND_ANSWER),
                                       .value = HAFT__LIT("7"),
                                       .report = count_report,
                                       .context = &reports};
    CHECK_INT(haft__command_deliver(c.sender.runtime, &c.arena, &delivery, &result, &c.sender.err),
              HAFT_OK, "%s", c.sender.err.message);
    CHECK(result.owned && reports <= 1, "%u reports", reports);
    help_host_settle(&c.sender, result.run);
    CHECK_STR(haft__str(haft_run_end(result.run)), HAFT__LIT("done"), "end");
    haft_run_release(result.run);
    case_finish(&c);
}

TEST(a_posted_command_is_a_message_of_the_store)
{
    delivery_case c;
    haft__run_command command = command_of(HAFT__RUN_COMMAND_CANCEL);
    case_init(&c, PICK, pick_script);
    haft_str id = haft__str(c.id);
    CHECK_INT(haft__run_message_post(c.sender.runtime, &c.arena, id, &command, &c.sender.err),
              HAFT_OK, "%s", c.sender.err.message);
    while (haft_run_state(c.run) != HAFT_ENDED) {
        CHECK_INT(haft_runtime_step(c.owner.runtime, 1000, &c.owner.err), HAFT_OK, "%s",
                  c.owner.err.message);
    }
    CHECK_STR(haft__str(haft_run_end(c.run)), HAFT__LIT("cancelled"), "end");
    release_run(&c);
    CHECK_INT(haft__run_message_post(c.sender.runtime, &c.arena, id, &command, &c.sender.err),
              HAFT_BAD_STATE, "%s", c.sender.err.message);
    case_finish(&c);
}
