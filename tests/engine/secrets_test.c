/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/secrets.h"

#include "engine_help.h"

#define VALUE "s3cr3t-value-0042"

static bool is_hidden(const haft__redactor *redactor, const char *text)
{
    haft__buf out;
    haft__buf_init(&out, 4096);
    bool found = haft__redact(redactor, haft__str(text), &out);
    haft__buf_finish(&out);
    return found;
}

/* The variable is set while the agent is made. */
static bool hides(const char *variable, const char *members)
{
    help_host h;
    CHECK_INT(setenv(variable, VALUE, 1), 0, "setenv");
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(&h, members, "{\"replies\":[]}");
    bool hidden = agent != NULL && is_hidden(agent->redactor, "a " VALUE " b");
    haft_agent_release(agent);
    help_host_finish(&h);
    (void)unsetenv(variable);
    return hidden;
}

TEST(variables_that_sound_secret_are)
{
    static const char *const names[] = {"SOME_API_KEY", "my_token", "DB_PASSWORD",
                                        "AWS_SECRET_ACCESS_KEY", "X_CREDENTIALS"};
    for (size_t i = 0; i < COUNT(names); i++) {
        CHECK(hides(names[i], ""), "%s", names[i]);
    }
    CHECK(!hides("HAFT_TEST_COLOUR", ""), "a variable like any other");
}

TEST(variables_that_a_spec_uses_are_secret)
{
    CHECK(hides("HAFT_TEST_COLOUR",
                "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"
                "\"command\":[\"true\"],\"env\":{\"X\":\"a${HAFT_TEST_COLOUR}b\"}}]"),
          "in an environment");
    CHECK(hides("HAFT_TEST_COLOUR",
                "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"
                "\"http\":{\"url\":\"https://example.org/\",\"headers\":{\"X-Key\":"
                "\"${HAFT_TEST_COLOUR}\"}}}]"),
          "in a header");
    CHECK(hides("HAFT_TEST_COLOUR",
                "\"mcp\":{\"servers\":{\"s\":{\"command\":[\"true\"],\"enabled\":false,"
                "\"env\":{\"X\":\"${HAFT_TEST_COLOUR:-blue}\"}}}}"),
          "with something in its place");
}

TEST(what_is_written_out_for_a_server_is_secret)
{
    CHECK(hides("HAFT_TEST_OTHER", "\"mcp\":{\"servers\":{\"s\":{\"url\":\"http://h\",\"headers\":"
                                   "{\"Authorization\":\"Bearer " VALUE "\"}}}}"),
          "a token in a header");
    CHECK(hides("HAFT_TEST_OTHER", "\"mcp\":{\"servers\":{\"s\":{\"command\":[\"true\"],"
                                   "\"env\":{\"API_KEY\":\"" VALUE "\"}}}}"),
          "a key in an environment");
}

TEST(a_secret_that_a_tool_prints_is_not_written_down)
{
    help_host h;
    CHECK_INT(setenv("HAFT_TEST_COLOUR", VALUE, 1), 0, "setenv");
    help_host_init(&h, "memory:");
    haft_run *run = help_host_start(
        &h,
        "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"
        "\"command\":[\"sh\",\"-c\",\"echo $X\"],\"env\":{\"X\":\"${HAFT_TEST_COLOUR}\"}}]",
        "{\"replies\":[{\"calls\":[{\"name\":\"look\"}]},{\"text\":\"it is " VALUE "\"}]}", "go");
    help_host_settle(&h, run);
    CHECK_STR(haft_run_answer_text(run), HAFT__LIT("it is [redacted]"), "answer");
    CHECK_STR(run->state.calls[0].result, HAFT__LIT("[redacted]"), "result");
    haft_str events = help_host_events(&h, run);
    CHECK(memmem(events.ptr, events.len, VALUE, sizeof(VALUE) - 1) == NULL, "it is in the events");
    haft_run_release(run);
    help_host_finish(&h);
    (void)unsetenv("HAFT_TEST_COLOUR");
}

TEST(variables_of_a_file_are_secrets_by_the_same_rule)
{
    static const haft__variable variables[] = {
        {{"MY_TOKEN", 8}, {"of-the-file-0123456789", 22}},
        {{"MY_WORD", 7}, {"harmless-0123456789", 19}},
        {{"SSH_AUTH_SOCK", 13}, {"/run/agent/0123456789", 21}},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__redactor redactor;
    haft__redactor_init(&redactor, &arena);
    CHECK_INT(haft__secrets_add(&redactor, variables, COUNT(variables), NULL), HAFT_OK, "it");
    CHECK_INT(haft__redactor_seal(&redactor, NULL), HAFT_OK, "sealed");
    CHECK(is_hidden(&redactor, "of-the-file-0123456789"), "the token is shown");
    CHECK(!is_hidden(&redactor, "harmless-0123456789"), "a word is hidden");
    CHECK(!is_hidden(&redactor, "/run/agent/0123456789"), "a path is hidden");
    haft__arena_finish(&arena);
}
