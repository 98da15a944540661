/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/prompt/initial_messages.c. */
#include "prompt/initial_messages.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "test.h"
#include "json/read.h"

static haft__json read_json(haft__arena *arena, haft_str text)
{
    haft__json value = haft__json_null();
    haft_error err = {0};
    CHECK_INT(haft__json_read(arena, text, NULL, &value, NULL, &err), HAFT_OK, "%s", err.message);
    return value;
}

TEST(the_form_of_each_message_is_checked)
{
    static const struct {
        const char *text, *where, *message; /* message: NULL if the list is valid */
    } rows[] = {
        {"[{\"role\":\"user\",\"content\":\"a\"}]", "", NULL},
        {"[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"\","
         "\"calls\":[{\"id\":\"1\",\"name\":\"f\",\"arguments\":{}}]},"
         "{\"role\":\"tool\",\"call\":\"1\",\"content\":\"\"}]",
         "", NULL},
        {"{}", "", "expected a list of messages, found object"},
        {"[]", "", "expected a message of the user with a text"},
        {"[1]", "/0", "expected an object"},
        {"[{\"role\":\"system\",\"content\":\"a\"}]", "/0/role",
         "expected user, assistant or tool"},
        {"[{\"content\":\"a\"}]", "/0/role", "expected user, assistant or tool"},
        {"[{\"role\":\"user\"}]", "/0/content", "expected a text"},
        {"[{\"role\":\"user\",\"content\":[]}]", "/0/content", "expected a text"},
        {"[{\"role\":\"user\",\"content\":\"\"}]", "",
         "expected a message of the user with a text"},
        {"[{\"role\":\"user\",\"content\":\"a\",\"name\":\"b\"}]", "/0",
         "expected only \"role\", \"content\", \"calls\" and \"call\""},
        {"[{\"role\":\"user\",\"content\":\"a\",\"call\":\"1\"}]", "/0/call",
         "expected the id of a call in a message of a tool, and in no other"},
        {"[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"tool\",\"content\":\"a\"}]", "/1/call",
         "expected the id of a call in a message of a tool, and in no other"},
        {"[{\"role\":\"user\",\"content\":\"a\",\"calls\":[]}]", "/0/calls",
         "expected a list, and only in a message of the assistant"},
        {"[{\"role\":\"assistant\",\"content\":\"a\",\"calls\":{}}]", "/0/calls",
         "expected a list, and only in a message of the assistant"},
        {"[{\"role\":\"assistant\",\"content\":\"a\",\"calls\":[{\"id\":\"1\",\"name\":\"f\","
         "\"arguments\":\"{}\"}]}]",
         "/0/calls/0", "expected an object with \"id\", \"name\" and an object \"arguments\""},
        {"[{\"role\":\"assistant\",\"content\":\"a\",\"calls\":[{\"id\":\"\",\"name\":\"f\","
         "\"arguments\":{}}]}]",
         "/0/calls/0", "expected an object with \"id\", \"name\" and an object \"arguments\""},
        {"[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]", "",
         "expected a last message of the user or of a tool, found one of the assistant"},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft_error err = {0};
        haft__json list = read_json(&arena, haft__str(rows[i].text));
        haft_status expected = rows[i].message == NULL ? HAFT_OK : HAFT_BAD_INPUT;
        CHECK_INT(haft__initial_messages_check(list, &err), expected, "row %zu: %s", i,
                  err.message);
        CHECK_STR(haft__str(err.where), haft__str(rows[i].where), "the place, row %zu", i);
        CHECK_STR(haft__str(err.message), haft__str(expected == HAFT_OK ? "" : rows[i].message),
                  "the message, row %zu", i);
    }
    haft__arena_finish(&arena);
}

TEST(the_last_text_of_the_user_is_the_task)
{
    haft__arena arena;
    haft__messages messages;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__messages_init(&messages, &arena);
    haft__json list = read_json(
        &arena, HAFT__LIT("[{\"role\":\"user\",\"content\":\"one\"},"
                          "{\"role\":\"assistant\",\"content\":\"yes\"},"
                          "{\"role\":\"user\",\"content\":\"two\"},"
                          "{\"role\":\"assistant\",\"content\":\"\",\"calls\":[{\"id\":\"k\","
                          "\"name\":\"add\",\"arguments\":{\"a\":1}}]},"
                          "{\"role\":\"tool\",\"call\":\"k\",\"content\":\"3\"},"
                          "{\"role\":\"tool\",\"call\":\"other\",\"content\":\"4\"}]"));
    CHECK_INT(haft__initial_messages_check(list, &err), HAFT_OK, "%s", err.message);
    CHECK_STR(haft__initial_messages_task(list), HAFT__LIT("two"), "the task");
    CHECK_INT(haft__initial_messages_add(list, &messages, &err), HAFT_OK, "%s", err.message);
    CHECK_INT(messages.count, 6, "number of messages");
    const haft__message *m = messages.items;
    for (size_t i = 0; i < messages.count; i++) {
        CHECK_INT(m[i].is_task, i == 2, "message %zu is the task", i);
    }
    CHECK_INT(m[3].call_count, 1, "calls of the assistant");
    CHECK_STR(m[3].calls[0].arguments, HAFT__LIT("{\"a\":1}"), "arguments");
    CHECK_STR(m[4].call_name, HAFT__LIT("add"), "the tool of a result");
    CHECK_STR(m[5].call_name, HAFT__LIT(""), "the tool of a result without a call");
    haft__arena_finish(&arena);
}

TEST(a_task_of_its_own_follows_the_messages)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json list = read_json(&arena, HAFT__LIT("[{\"role\":\"user\",\"content\":\"one\"}]"));
    CHECK_INT(haft__initial_messages_append(&arena, HAFT__LIT("two"), &list, NULL), HAFT_OK,
              "append");
    CHECK_INT(list.count, 2, "number of messages");
    CHECK_STR(haft__initial_messages_task(list), HAFT__LIT("two"), "the task");
    haft__arena_finish(&arena);
}

static haft_status check_count(size_t count, const char *message)
{
    haft__arena arena;
    haft__buf text;
    haft_error err = {0};
    haft__arena_init(&arena, 0);
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft__buf_add_char(&text, '[');
    for (size_t i = 0; i < count; i++) {
        haft__buf_addf(&text, "%s%s", i > 0 ? "," : "", message);
    }
    haft__buf_add_char(&text, ']');
    haft_status status =
        haft__initial_messages_check(read_json(&arena, haft__buf_str(&text)), &err);
    haft__buf_finish(&text);
    haft__arena_finish(&arena);
    return status;
}

TEST(the_number_of_messages_has_a_limit)
{
    const char *message = "{\"role\":\"user\",\"content\":\"a\"}";
    CHECK_INT(check_count(HAFT__LIMIT_RUN_MESSAGES, message), HAFT_OK, "at the limit");
    CHECK_INT(check_count(HAFT__LIMIT_RUN_MESSAGES + 1, message), HAFT_TOO_BIG, "past the limit");
}

TEST(adding_initial_messages_survives_every_failed_allocation)
{
    const haft_str text = HAFT__LIT("[{\"role\":\"assistant\",\"content\":\"\",\"calls\":[{\"id\":"
                                    "\"k\",\"name\":\"add\",\"arguments\":{\"a\":1}}]},"
                                    "{\"role\":\"user\",\"content\":\"two\"}]");
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__messages messages;
        haft__arena_init(&arena, 0);
        haft__messages_init(&messages, &arena);
        haft__json list = read_json(&arena, text);
        test_fail_allocation(n);
        haft_status status = haft__initial_messages_append(&arena, HAFT__LIT("t"), &list, NULL);
        if (status == HAFT_OK) {
            status = haft__initial_messages_add(list, &messages, NULL);
        }
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "allocation %u", n);
        haft__arena_finish(&arena);
        if (!failed) {
            break;
        }
    }
}
