/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/chat.c: requests as bytes, and that bytes once made stay. */
#include "model/chat.h"

#include "test.h"

static const haft__json_member schema_members[] = {
    {{.kind = HAFT__JSON_STRING, .count = 4, .text = "type"},
     {.kind = HAFT__JSON_STRING, .count = 6, .text = "object"}},
};
#define SCHEMA                                                                                     \
    {                                                                                              \
        .kind = HAFT__JSON_OBJECT, .count = 1, .members = schema_members                           \
    }

static const haft__tool look = {.name = HAFT__LIT("look"),
                                .description = HAFT__LIT("Looks \"closely\"."),
                                .input_schema = SCHEMA};
static const haft__tool search = {.name = HAFT__LIT("docs:search"),
                                  .description = HAFT__LIT("Searches."),
                                  .input_schema = SCHEMA};
static const haft__tool *const tools[] = {&look, &search};
static const bool allowed[] = {true, false};

static const haft__message_call calls[] = {
    {HAFT__LIT("id1"), HAFT__LIT("look"), HAFT__LIT("{\"q\":\"\xC3\xA4\"}")},
    {HAFT__LIT("c1.2"), HAFT__LIT("docs:search"), HAFT__LIT("{broken")},
};

static haft__message conversation[] = {
    {.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("Be brief.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find\nit")},
    {.role = HAFT__MESSAGE_ASSISTANT,
     .text = HAFT__LIT("Let me see."),
     .reasoning = HAFT__LIT("secret"),
     .calls = calls,
     .call_count = 2},
    {.role = HAFT__MESSAGE_TOOL,
     .text = HAFT__LIT("a\0b \xFF"),
     .call_id = HAFT__LIT("id1"),
     .call_name = HAFT__LIT("look")},
    {.role = HAFT__MESSAGE_TOOL,
     .text = HAFT__LIT("Error: no"),
     .call_id = HAFT__LIT("c1.2"),
     .is_error = true},
    {.role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("It is there.")},
};

#define TOOLS                                                                                      \
    "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"look\",\"description\":\"Looks "   \
    "\\\"closely\\\".\",\"parameters\":{\"type\":\"object\"}}},{\"type\":\"function\","            \
    "\"function\":{\"name\":\"docs_-_search\",\"description\":\"Searches.\",\"parameters\":{"      \
    "\"type\":\"object\"}}}],"
#define SYSTEM "{\"role\":\"system\",\"content\":\"Be brief.\"}"
#define TASK   "{\"role\":\"user\",\"content\":\"Find\\nit\"}"
#define CALLS                                                                                      \
    "{\"role\":\"assistant\",\"content\":\"Let me see.\",\"tool_calls\":[{\"id\":\"id1\","         \
    "\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"q\\\":"            \
    "\\\"\xC3\xA4\\\"}\""                                                                          \
    "}},{\"id\":\"c1.2\",\"type\":\"function\",\"function\":{\"name\":\"docs_-_search\","          \
    "\"arguments\":\"{broken\"}}]}"
#define RESULTS                                                                                    \
    "{\"role\":\"tool\",\"tool_call_id\":\"id1\",\"content\":\"a\\u0000b \xEF\xBF\xBD\"},"         \
    "{\"role\":\"tool\",\"tool_call_id\":\"c1.2\",\"content\":\"Error: no\"}"

static const struct {
    const char *name;
    haft__mode mode;
    size_t messages, tools;
    bool transcript;
    const char *correction, *request;
} cases[] = {
    {"the first turn, auto", HAFT__MODE_AUTO, 2, 2, false, "",
     "{\"model\":\"m\"," TOOLS "\"messages\":[" SYSTEM "," TASK "],\"tool_choice\":\"auto\"}"},
    {"any", HAFT__MODE_ANY, 1, 2, false, "",
     "{\"model\":\"m\"," TOOLS "\"messages\":[" SYSTEM "],\"tool_choice\":\"required\"}"},
    {"a named tool, by its name on the wire", HAFT__MODE_TOOL, 1, 2, false, "",
     "{\"model\":\"m\"," TOOLS "\"messages\":[" SYSTEM "],\"tool_choice\":{\"type\":\"function\","
     "\"function\":{\"name\":\"docs_-_search\"}}}"},
    {"none, with calls and results", HAFT__MODE_NONE, 5, 2, false, "",
     "{\"model\":\"m\"," TOOLS "\"messages\":[" SYSTEM "," TASK "," CALLS "," RESULTS
     "],\"tool_choice\":\"none\"}"},
    {"a correction stands last", HAFT__MODE_ANY, 2, 2, false, "Call a tool.",
     "{\"model\":\"m\"," TOOLS "\"messages\":[" SYSTEM "," TASK ",{\"role\":\"user\",\"content\":"
     "\"Call a tool.\"}],\"tool_choice\":\"required\"}"},
    {"no tools", HAFT__MODE_AUTO, 2, 0, false, "",
     "{\"model\":\"m\",\"messages\":[" SYSTEM "," TASK "]}"},
    {"a transcript", HAFT__MODE_AUTO, 4, 0, true, "",
     "{\"model\":\"m\",\"messages\":[" SYSTEM ",{\"role\":\"user\",\"content\":\"Let me see.\\n"
     "Calling tool: look with args: {\\\"q\\\":\\\"\xC3\xA4\\\"}\\nCalling tool: docs:search with "
     "args: {broken\\nTool result: a\\u0000b \xEF\xBF\xBD\\nFind\\nit\"}]}"},
    {"a transcript with a correction", HAFT__MODE_AUTO, 2, 0, true, "Again.",
     "{\"model\":\"m\",\"messages\":[" SYSTEM "," TASK
     ",{\"role\":\"user\",\"content\":\"Again.\"}]}"},
};

static haft__request request_of(size_t i, const haft__messages *messages)
{
    return (haft__request){.model = HAFT__LIT("m"),
                           .messages = messages,
                           .correction = haft__str(cases[i].correction),
                           .tools = tools,
                           .allowed = allowed,
                           .tool_count = cases[i].tools,
                           .mode = cases[i].mode,
                           .tool = HAFT__LIT("docs:search"),
                           .format = HAFT__LIT("native"),
                           .transcript = cases[i].transcript,
                           .task = HAFT__LIT("Find\nit")};
}

static haft_status write_request(size_t i, haft__buf *buf)
{
    haft__messages messages = {.items = conversation, .count = cases[i].messages};
    haft__request request = request_of(i, &messages);
    haft__chat chat;
    haft__chat_init(&chat);
    haft_status status = haft__chat_sync(&chat, &request, NULL);
    if (status == HAFT_OK) {
        haft__chat_write(&chat, &request, buf);
        status = haft__buf_check(buf, NULL);
    }
    haft__chat_finish(&chat);
    return status;
}

TEST(golden_requests)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__buf found;
        haft__buf_init(&found, 1 << 20);
        CHECK_INT(write_request(i, &found), HAFT_OK, "%s", cases[i].name);
        CHECK_STR(haft__buf_str(&found), haft__str(cases[i].request), "%s", cases[i].name);
        haft__buf_finish(&found);
    }
}

TEST(requests_survive_every_failed_allocation)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (unsigned n = 0;; n++) {
            haft__buf found;
            haft__buf_init(&found, 1 << 20);
            test_fail_allocation(n);
            haft_status status = write_request(i, &found);
            bool failed = test_allow_allocations();
            CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", cases[i].name,
                      n);
            haft__buf_finish(&found);
            if (!failed) {
                CHECK(n > 0, "there was nothing to fail");
                break;
            }
        }
    }
}

TEST(a_request_begins_with_the_bytes_of_the_one_before)
{
    haft__chat chat;
    haft__chat_init(&chat);
    haft__buf before, now;
    haft__buf_init(&before, 1 << 20);
    haft__buf_init(&now, 1 << 20);
    haft__messages messages = {.items = conversation};
    for (size_t count = 1; count <= COUNT(conversation); count++) {
        messages.count = count;
        haft__request request = request_of(0, &messages);
        haft__buf_clear(&now);
        CHECK_INT(haft__chat_sync(&chat, &request, NULL), HAFT_OK, "%zu", count);
        haft__chat_write(&chat, &request, &now);
        haft_str end = HAFT__LIT("],\"tool_choice\":\"auto\"}"), last = haft__buf_str(&before);
        haft_str kept = {last.ptr, last.len > end.len ? last.len - end.len : 0};
        CHECK(haft__str_starts(haft__buf_str(&now), kept), "%zu: %.*s", count,
              HAFT__ARG(haft__buf_str(&now)));
        haft__buf_clear(&before);
        haft__buf_add_str(&before, haft__buf_str(&now));
        /* A correction is for one request alone and leaves no trace. */
        request.correction = HAFT__LIT("Again.");
        CHECK_INT(haft__chat_sync(&chat, &request, NULL), HAFT_OK, "%zu", count);
        haft__chat_write(&chat, &request, &now);
    }
    haft__chat_finish(&chat);
    haft__buf_finish(&before);
    haft__buf_finish(&now);
}

/* Bytes made in n turns of one length: twice as many in twice the turns, and none of them twice. */
TEST(a_turn_costs_what_is_new)
{
    enum { TURNS = 1024 };
    haft__message *items = test_alloc(TURNS * 2 * sizeof(*items));
    haft__chat chat;
    haft__chat_init(&chat);
    haft__messages messages = {.items = items};
    size_t each = 0;
    for (size_t turn = 1; turn <= TURNS; turn++) {
        size_t before = chat.messages.len;
        items[messages.count++] = conversation[2];
        items[messages.count++] = conversation[3];
        haft__request request = request_of(0, &messages);
        CHECK_INT(haft__chat_sync(&chat, &request, NULL), HAFT_OK, "%zu", turn);
        size_t made = chat.messages.len - before;
        each = turn == 2 ? made : each;
        CHECK(turn < 2 || made == each, "turn %zu made %zu bytes, an earlier one %zu", turn, made,
              each);
        CHECK_INT(chat.tools_done, 2, "tools are made once");
    }
    haft__chat_finish(&chat);
}

TEST(tools_are_only_added)
{
    haft__chat chat;
    haft__chat_init(&chat);
    haft__messages messages = {.items = conversation, .count = 1};
    haft__request request = request_of(0, &messages);
    request.tool_count = 1;
    CHECK_INT(haft__chat_sync(&chat, &request, NULL), HAFT_OK, "one");
    size_t one = chat.tools.len;
    char *kept = test_alloc(one);
    memcpy(kept, chat.tools.ptr, one);
    request.tool_count = 2;
    CHECK_INT(haft__chat_sync(&chat, &request, NULL), HAFT_OK, "two");
    CHECK(chat.tools.len > one, "nothing was added");
    CHECK_STR(((haft_str){chat.tools.ptr, one}), ((haft_str){kept, one}), "the first stays");
    haft__chat_finish(&chat);
}
