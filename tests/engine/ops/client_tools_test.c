/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/engine/ops/client_tools.c, and for the conversation and the tools of
 * haft_run_options. */
#include "../engine_help.h"

static const char own_tool[] =
    "\"tools\":[{\"name\":\"count\",\"description\":\"Count the words of a text.\","
    "\"args\":[\"text\"],\"command\":[\"wc\",\"-w\"]}]";

static const char locate[] = "[{\"name\":\"get_location\",\"description\":\"Where the user is.\","
                             "\"input_schema\":{\"type\":\"object\",\"properties\":{\"precise\":"
                             "{\"type\":\"boolean\"}}}}]";

static haft_run *start_with(help_host *h, haft_agent *agent, const char *task, const char *messages,
                            const char *tools)
{
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    haft_run *run = NULL;
    options.messages = messages;
    options.tools = tools;
    CHECK_INT(haft_run_start(agent, task, &options, &run, &h->err), HAFT_OK, "%s: %s", h->err.where,
              h->err.message);
    return run;
}

TEST(the_client_answers_calls_of_its_tools)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(
        &h, own_tool,
        "{\"replies\":[{\"expect\":{\"declared\":[\"count\",\"get_location\"]},\"calls\":[{"
        "\"name\":\"get_location\",\"arguments\":{\"precise\":true}}]},{\"expect\":{\"contains\":"
        "\"52.5\"},\"text\":\"found\"}]}");
    haft_run *run = start_with(&h, agent, "where am i", NULL, locate);
    haft_agent_release(agent); /* the run keeps what it needs */
    help_host_settle(&h, run);
    CHECK_INT(haft_run_state(run), HAFT_WAITING, "state");
    CHECK_INT(haft_run_answer(run, "c1.1", "{\"lat\":52.5}", &h.err), HAFT_OK, "%s", h.err.message);
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    haft_run_release(run);
    help_host_finish(&h);
}

TEST(a_run_begins_with_the_conversation_of_its_client)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent =
        help_host_agent(&h, own_tool,
                        "{\"replies\":[{\"expect\":{\"contains\":\"my name is Ann\"},\"text\":"
                        "\"Ann\"}]}");
    haft_run *run = start_with(&h, agent, "who am i",
                               "[{\"role\":\"user\",\"content\":\"my name is Ann\"},"
                               "{\"role\":\"assistant\",\"content\":\"hello\"}]",
                               NULL);
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    CHECK_STR(run->state.task, HAFT__LIT("who am i"), "the task");
    CHECK_INT(run->state.initial_count, 3, "messages that the run began with");
    haft_run_release(run);
    haft_agent_release(agent);
    help_host_finish(&h);
}

TEST(a_conversation_can_end_with_the_result_of_a_tool)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(
        &h, own_tool, "{\"replies\":[{\"expect\":{\"contains\":\"seven words\"},\"text\":\"7\"}]}");
    haft_run *run = start_with(&h, agent, "",
                               "[{\"role\":\"user\",\"content\":\"how many\"},"
                               "{\"role\":\"assistant\",\"content\":\"\",\"calls\":[{\"id\":\"k\","
                               "\"name\":\"count\",\"arguments\":{\"text\":\"a\"}}]},"
                               "{\"role\":\"tool\",\"call\":\"k\",\"content\":\"seven words\"}]",
                               NULL);
    help_host_settle(&h, run);
    CHECK_STR(haft__str(haft_run_end(run)), HAFT__LIT("done"), "end");
    CHECK_STR(run->state.task, HAFT__LIT("how many"), "the task");
    haft_run_release(run);
    haft_agent_release(agent);
    help_host_finish(&h);
}

TEST(bad_input_of_a_client_is_rejected_with_its_place)
{
    static const struct {
        const char *task, *messages, *tools, *where;
    } rows[] = {
        {"go", "[", NULL, "messages"},
        {"go", "{}", NULL, "messages"},
        {"go", "[{\"role\":\"root\",\"content\":\"a\"}]", NULL, "messages/0/role"},
        {"", "[]", NULL, "messages"},
        {"go", NULL, "[", "tools"},
        {"go", NULL, "{}", "/tools"},
        {"go", NULL, "[{}]", "/tools/0"},
        {"go", NULL, "[{\"name\":\"count\"}]", "/tools/0/name"},
        {"go", NULL, "[{\"name\":\"a\",\"command\":[\"sh\"]}]", "/tools/0"},
        {"go", NULL, "[{\"name\":\"a\",\"http\":{\"url\":\"http://localhost\"}}]", "/tools/0"},
    };
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(&h, own_tool, "{\"replies\":[]}");
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_run_options options = HAFT_RUN_OPTIONS_INIT;
        haft_run *run = NULL;
        options.messages = rows[i].messages;
        options.tools = rows[i].tools;
        CHECK_INT(haft_run_start(agent, rows[i].task, &options, &run, &h.err), HAFT_BAD_INPUT,
                  "row %zu", i);
        CHECK_STR(haft__str(h.err.where), haft__str(rows[i].where), "the place, row %zu", i);
    }
    haft_agent_release(agent);
    help_host_finish(&h);
}

TEST(two_tools_of_a_client_have_two_names)
{
    help_host h;
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(&h, own_tool, "{\"replies\":[]}");
    haft_run_options options = HAFT_RUN_OPTIONS_INIT;
    haft_run *run = NULL;
    options.tools = "[{\"name\":\"a\",\"description\":\"Does a thing.\"},"
                    "{\"name\":\"a\",\"description\":\"Does a thing.\"}]";
    CHECK_INT(haft_run_start(agent, "go", &options, &run, &h.err), HAFT_BAD_INPUT,
              "two equal names");
    CHECK(strstr(h.err.message, "a") != NULL, "%s", h.err.message);
    haft_agent_release(agent);
    help_host_finish(&h);
}
