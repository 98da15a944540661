/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for haft__run_set_earlier and haft__run_append_exchange of src/run/run.c: runs of one
 * thread. */
#include "run/run.h"

#include "run_help.h"

static haft_status help_append_exchange(help_run *r, haft__messages *to)
{
    return haft__run_append_exchange(r->drive.run.task, r->drive.run.answer, HAFT__LIT("done"), to,
                                     &r->err);
}

TEST(a_run_sees_the_earlier_runs_of_its_thread)
{
    help_run first, second;
    help_run_init(&first, "agent", "{\"replies\":[{\"text\":\"four\"}]}");
    CHECK_INT(help_run_go(&first), HAFT_OK, "%s", first.err.message);
    haft__messages earlier;
    haft__messages_init(&earlier, &first.arena);
    CHECK_INT(help_append_exchange(&first, &earlier), HAFT_OK, "append the exchange");

    help_run_init(&second, "agent",
                  "{\"replies\":[{\"expect\":{\"contains\":\"four\"},\"text\":\"five\"}]}");
    second.spec.spec.instructions = HAFT__LIT("Count.");
    haft__run_set_earlier(&second.drive.run, &earlier);
    CHECK_INT(help_run_go(&second), HAFT_OK, "%s", second.err.message);
    CHECK_INT(second.drive.run.end, HAFT__END_DONE, "the script saw the earlier answer");
    static const struct {
        haft__message_role role;
        const char *text;
    } wanted[] = {
        {HAFT__MESSAGE_SYSTEM, "Count."},  {HAFT__MESSAGE_USER, "do it"},
        {HAFT__MESSAGE_ASSISTANT, "four"}, {HAFT__MESSAGE_USER, "do it"},
        {HAFT__MESSAGE_ASSISTANT, "five"},
    };
    const haft__messages *messages = &second.drive.run.messages;
    CHECK_INT(messages->count, COUNT(wanted), "number of messages");
    for (size_t i = 0; i < COUNT(wanted) && i < messages->count; i++) {
        CHECK_INT(messages->items[i].role, wanted[i].role, "message %zu", i);
        CHECK_STR(messages->items[i].text, haft__str(wanted[i].text), "message %zu", i);
    }
    help_run_finish(&second);
    help_run_finish(&first);
}

TEST(a_run_without_an_answer_adds_only_its_task)
{
    help_run r;
    help_run_init(&r, "agent", "{\"replies\":[]}");
    CHECK_INT(help_run_go(&r), HAFT_OK, "%s", r.err.message);
    haft__messages exchange;
    haft__messages_init(&exchange, &r.arena);
    CHECK_INT(help_append_exchange(&r, &exchange), HAFT_OK, "append the exchange");
    CHECK_INT(exchange.count, 1, "number of messages: the task only");
    help_run_finish(&r);
}

TEST(a_cancelled_run_is_shown_as_interrupted)
{
    static const struct {
        const char *answer, *end, *text;
    } cases[] = {
        {"", "cancelled", "[interrupted before the answer]"},
        {"half", "cancelled", "half"},
        {"", "failed", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__messages exchange;
        haft__arena_init(&arena, 0);
        haft__messages_init(&exchange, &arena);
        CHECK_INT(haft__run_append_exchange(HAFT__LIT("do it"), haft__str(cases[i].answer),
                                            haft__str(cases[i].end), &exchange, NULL),
                  HAFT_OK, "case %zu", i);
        CHECK_INT(exchange.count, cases[i].text != NULL ? 2 : 1, "case %zu", i);
        if (exchange.count == 2 && cases[i].text != NULL) {
            CHECK_INT(exchange.items[1].role, HAFT__MESSAGE_ASSISTANT, "case %zu", i);
            CHECK_STR(exchange.items[1].text, haft__str(cases[i].text), "case %zu", i);
        }
        haft__arena_finish(&arena);
    }
}

/* A run that is recovered reads the earlier runs of its thread after its own first event. */
TEST(earlier_runs_come_before_the_conversation_that_a_run_began_with)
{
    help_run r;
    haft__messages earlier;
    haft__buf body, line;
    haft_str none = {NULL, 0};
    help_run_init(&r, "agent", "{\"replies\":[]}");
    haft__json messages = help_json(&r.arena, "[{\"role\":\"user\",\"content\":\"one\"},"
                                              "{\"role\":\"assistant\",\"content\":\"1\"},"
                                              "{\"role\":\"user\",\"content\":\"two\"}]");
    haft__spec_origin origin = {.messages = &messages};
    haft__buf_init(&body, 1 << 20);
    haft__buf_init(&line, 1 << 20);
    haft__input_run_started_from(&body, r.drive.run.spec, HAFT__LIT("two"), HAFT__LIT(HELP_THREAD),
                                 none, none, &origin);
    haft__event_write(&line, 1, 1000, HAFT__LIT(HELP_RUN), haft__buf_str(&body));
    CHECK_INT(haft__run_fold(&r.drive.run, haft__buf_str(&line), &r.err), HAFT_OK, "%s",
              r.err.message);
    haft__messages_init(&earlier, &r.arena);
    CHECK_INT(haft__run_append_exchange(HAFT__LIT("zero"), HAFT__LIT("0"), HAFT__LIT("done"),
                                        &earlier, &r.err),
              HAFT_OK, "append the exchange");
    haft__run_set_earlier(&r.drive.run, &earlier);
    CHECK_INT(haft__run_insert_earlier(&r.drive.run, &r.err), HAFT_OK, "%s", r.err.message);
    static const char *const wanted[] = {"zero", "0", "one", "1", "two"};
    const haft__messages *found = &r.drive.run.messages;
    CHECK_INT(found->count, COUNT(wanted), "number of messages");
    for (size_t i = 0; i < COUNT(wanted) && i < found->count; i++) {
        CHECK_STR(found->items[i].text, haft__str(wanted[i]), "message %zu", i);
        CHECK_INT(found->items[i].is_task, i == 4, "message %zu is the task", i);
    }
    haft__buf_finish(&line);
    haft__buf_finish(&body);
    help_run_finish(&r);
}

TEST(a_task_that_is_not_in_the_conversation_is_rejected)
{
    help_run r;
    haft__buf body, line;
    haft_str none = {NULL, 0};
    help_run_init(&r, "agent", "{\"replies\":[]}");
    haft__json messages = help_json(&r.arena, "[{\"role\":\"user\",\"content\":\"one\"}]");
    haft__spec_origin origin = {.messages = &messages};
    haft__buf_init(&body, 1 << 20);
    haft__buf_init(&line, 1 << 20);
    haft__input_run_started_from(&body, r.drive.run.spec, HAFT__LIT("two"), HAFT__LIT(HELP_THREAD),
                                 none, none, &origin);
    haft__event_write(&line, 1, 1000, HAFT__LIT(HELP_RUN), haft__buf_str(&body));
    CHECK_INT(haft__run_fold(&r.drive.run, haft__buf_str(&line), &r.err), HAFT_BAD_INPUT,
              "another task was accepted");
    haft__buf_finish(&line);
    haft__buf_finish(&body);
    help_run_finish(&r);
}
