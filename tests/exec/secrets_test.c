/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/secrets.h"

#include "engine/engine_help.h"

#define VALUE "s3cr3t-value-0042"

static bool is_hidden(const haft__redactor *redactor, const char *text)
{
    haft__buf out;
    haft__buf_init(&out, 4096);
    bool found = haft__redact(redactor, haft__str(text), &out);
    haft__buf_finish(&out);
    return found;
}

/* The variable is set while the agent is loaded. */
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

TEST(variables_with_secret_names_are_redacted)
{
    static const char *const names[] = {"SOME_API_KEY", "my_token", "DB_PASSWORD",
                                        "AWS_SECRET_ACCESS_KEY", "X_CREDENTIALS"};
    for (size_t i = 0; i < COUNT(names); i++) {
        CHECK(hides(names[i], ""), "%s", names[i]);
    }
    CHECK(!hides("HAFT_TEST_COLOUR", ""), "a variable with a harmless name");
}

TEST(variables_that_a_spec_uses_are_secret)
{
    CHECK(hides("HAFT_TEST_COLOUR",
                "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"
                "\"command\":[\"true\"],\"env\":{\"X\":\"a${HAFT_TEST_COLOUR}b\"}}]"),
          "a variable in an environment");
    CHECK(hides("HAFT_TEST_COLOUR",
                "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"
                "\"http\":{\"url\":\"https://example.org/\",\"headers\":{\"X-Key\":"
                "\"${HAFT_TEST_COLOUR}\"}}}]"),
          "a variable in a header");
    CHECK(hides("HAFT_TEST_COLOUR",
                "\"mcp\":{\"servers\":{\"s\":{\"command\":[\"true\"],\"enabled\":false,"
                "\"env\":{\"X\":\"${HAFT_TEST_COLOUR:-blue}\"}}}}"),
          "a variable with a default");
    CHECK(hides("HAFT_TEST_COLOUR",
                "\"tools\":[{\"name\":\"ask\",\"agent\":\"b\",\"description\":\"Asks b.\"}],"
                "\"agents\":{\"b\":{\"model\":{\"provider\":\"openai\",\"model\":\"m\","
                "\"base_url\":\"http://127.0.0.1:1/v1\",\"api_key_env\":\"HAFT_TEST_COLOUR\"}}}"),
          "the key of an agent of the spec");
}

/* Calls that contain a secret are rejected, so a harmless value must not count as a secret. */
TEST(folders_hosts_and_words_that_a_spec_uses_are_not_secret)
{
    static const struct {
        const char *name, *value;
        bool secret;
    } cases[] = {
        {"HAFT_TEST_PLACE", "/srv/ada/project", false},
        {"HAFT_TEST_PLACE", "./project/docs", false},
        {"HAFT_TEST_PLACE", "http://localhost:8080", false},
        {"HAFT_TEST_PLACE", "production", false},
        {"HAFT_TEST_PLACE", "Production", true},
        {"HAFT_TEST_PLACE", "12345678901", true},
        {"HAFT_TEST_PLACE", "http://host/hook/a1b2c3", true},
        {"HAFT_TEST_TOKEN", "/srv/ada/project", true},
        {"HAFT_TEST_PASS", "correcthorse", true},
        {"HAFT_TEST_AUTH", "http://localhost:8080", true},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        help_host h;
        char members[512];
        (void)snprintf(members, sizeof(members),
                       "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\","
                       "\"args\":[],\"command\":[\"true\"],\"env\":{\"X\":\"${%s}\"}}]",
                       cases[i].name);
        CHECK_INT(setenv(cases[i].name, cases[i].value, 1), 0, "setenv");
        help_host_init(&h, "memory:");
        haft_agent *agent = help_host_agent(&h, members, "{\"replies\":[]}");
        bool hidden = agent != NULL && is_hidden(agent->redactor, cases[i].value);
        CHECK_INT(hidden, cases[i].secret, "%s=%s", cases[i].name, cases[i].value);
        haft_agent_release(agent);
        help_host_finish(&h);
        (void)unsetenv(cases[i].name);
    }
}

TEST(literal_secrets_of_a_server_are_redacted)
{
    CHECK(hides("HAFT_TEST_OTHER", "\"mcp\":{\"servers\":{\"s\":{\"url\":\"http://h\",\"headers\":"
                                   "{\"Authorization\":\"Bearer " VALUE "\"}}}}"),
          "a token in a header");
    CHECK(hides("HAFT_TEST_OTHER", "\"mcp\":{\"servers\":{\"s\":{\"command\":[\"true\"],"
                                   "\"env\":{\"API_KEY\":\"" VALUE "\"}}}}"),
          "a key in an environment");
}

/* Whether `text` is redacted if the server has these members. */
static bool hides_of_server(const char *server, const char *text)
{
    help_host h;
    char members[512];
    (void)snprintf(members, sizeof(members), "\"mcp\":{\"servers\":{\"s\":{\"enabled\":false,%s}}}",
                   server);
    help_host_init(&h, "memory:");
    haft_agent *agent = help_host_agent(&h, members, "{\"replies\":[]}");
    CHECK(agent != NULL, "%s", server);
    bool hidden = agent != NULL && is_hidden(agent->redactor, text);
    haft_agent_release(agent);
    help_host_finish(&h);
    return hidden;
}

TEST(secret_values_of_a_server_are_redacted)
{
#define ENV(name, value)    "\"command\":[\"true\"],\"env\":{\"" name "\":\"" value "\"}"
#define HEADER(name, value) "\"url\":\"http://h\",\"headers\":{\"" name "\":\"" value "\"}"
    static const struct {
        const char *server, *text;
        bool hidden;
    } rows[] = {
        {ENV("COLOUR", "12-4-78a"), "12-4-78a", true}, /* at the least length */
        {ENV("COLOUR", "12-4-78"), "12-4-78", false},
        {ENV("MODE", "production"), "production", false},
        {ENV("COUNT", "1234567890"), "1234567890", false},
        {ENV("PIN_KEY", "1234567890"), "1234567890", true},
        {ENV("DATA", "/srv/data-1"), "/srv/data-1", false},
        {ENV("DATA", "../data-123"), "../data-123", false},
        {ENV("MY_SECRET", "/Zq8+aa/bb=="), "/Zq8+aa/bb==", true},
        {ENV("BASE", "https://h.example:8080/"), "https://h.example:8080/", false},
        {ENV("BASE", "https://h.example/hook/1"), "https://h.example/hook/1", true},
        {ENV("DB", "pg://u:pass%2Dword9@h/db"), "it is pass-word9", true},
        {ENV("DB", "pg://u:pass%2Dword9@h/db"), "it is pass%2Dword9", true},
        {ENV("DB", "/x,pg://u:password9@h/db"), "password9", true},
        {ENV("X", "${HAFT_TEST_NONE:-otherwise-7}"), "otherwise-7", true},
        {ENV("X", "a${HAFT_TEST_NONE:-}bcdefgh1"), "bcdefgh1", false},
        {HEADER("X-Thing", "Scheme some-word-1"), "some-word-1", true},
        {HEADER("X-Thing", "some-word-1"), "some-word-1", true},
        {HEADER("accept", "application/json"), "application/json", false},
        {HEADER("User-Agent", "something/1.0"), "something/1.0", false},
        {"\"url\":\"https://u:password9@h/mcp\"", "password9", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_INT(hides_of_server(rows[i].server, rows[i].text), rows[i].hidden, "%s",
                  rows[i].server);
    }
}

TEST(literal_secrets_of_a_tool_or_the_model_are_redacted)
{
    CHECK(hides("HAFT_TEST_OTHER",
                "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"
                "\"http\":{\"url\":\"https://example.org/\",\"headers\":{\"Authorization\":"
                "\"Bearer " VALUE "\"}}}]"),
          "a token in a header");
    CHECK(hides("HAFT_TEST_OTHER",
                "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"
                "\"command\":[\"true\"],\"env\":{\"API_KEY\":\"" VALUE "\"}}]"),
          "a key in an environment");
    CHECK(!hides("HAFT_TEST_OTHER",
                 "\"tools\":[{\"name\":\"look\",\"description\":\"Look something up.\",\"args\":[],"
                 "\"command\":[\"true\"],\"env\":{\"COLOUR\":\"" VALUE "\"}}]"),
          "a variable with a harmless name");
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
    CHECK(memmem(events.ptr, events.len, VALUE, sizeof(VALUE) - 1) == NULL,
          "an event contains the secret");
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
    CHECK_INT(haft__secrets_add(&redactor, variables, COUNT(variables), NULL), HAFT_OK,
              "add the variables");
    CHECK_INT(haft__redactor_seal(&redactor, NULL), HAFT_OK, "seal the redactor");
    CHECK(is_hidden(&redactor, "of-the-file-0123456789"), "the token is shown");
    CHECK(!is_hidden(&redactor, "harmless-0123456789"), "a word is hidden");
    CHECK(!is_hidden(&redactor, "/run/agent/0123456789"), "a path is hidden");
    haft__arena_finish(&arena);
}
