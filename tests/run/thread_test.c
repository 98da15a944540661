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
