/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_chat/request.c: the bytes of requests, and that bytes once
 * written do not change. */
#include "model/providers/openai_chat/request.h"

#include "test.h"
#include "json/read.h"
#include "json/write.h"

static const haft__json_member schema_members[] = {
    {{.kind = HAFT__JSON_STRING, .count = 4, .text = "type"},
     {.kind = HAFT__JSON_STRING, .count = 6, .text = "object"}},
    {{.kind = HAFT__JSON_STRING, .count = 10, .text = "properties"},
     {.kind = HAFT__JSON_OBJECT, .count = 0}},
};
#define SCHEMA                                                                                     \
    {                                                                                              \
        .kind = HAFT__JSON_OBJECT, .count = 2, .members = schema_members                           \
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
    {HAFT__LIT("id1"), HAFT__LIT("look"), .arguments = HAFT__LIT("{\"q\":\"\xC3\xA4\"}")},
    {HAFT__LIT("c1.2"), HAFT__LIT("docs:search"), .arguments = HAFT__LIT("{broken")},
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
    "\\\"closely\\\".\",\"parameters\":{\"type\":\"object\",\"properties\":{}}}},{\"type\":"       \
    "\"function\",\"function\":{\"name\":\"docs_-_search\",\"description\":\"Searches.\","         \
    "\"parameters\":{\"type\":\"object\",\"properties\":{}}}}],"
#define SYSTEM "{\"role\":\"system\",\"content\":\"Be brief.\"}"
#define TASK   "{\"role\":\"user\",\"content\":\"Find\\nit\"}"
#define CALLS                                                                                      \
    "{\"role\":\"assistant\",\"content\":\"Let me see.\",\"tool_calls\":[{\"id\":\"id1\","         \
    "\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"q\\\":"            \
    "\\\"\xC3\xA4\\\"}\""                                                                          \
    "}},{\"id\":\"c1.2\",\"type\":\"function\",\"function\":{\"name\":\"docs_-_search\","          \
    "\"arguments\":\"{\\\"not_an_object\\\":\\\"{broken\\\"}\"}}]}"
#define RESULTS                                                                                    \
    "{\"role\":\"tool\",\"tool_call_id\":\"id1\",\"content\":\"a\\u0000b \xEF\xBF\xBD\"},"         \
    "{\"role\":\"tool\",\"tool_call_id\":\"c1.2\",\"content\":\"Error: no\"}"

static const haft__provider_request_options plain = {.stream = false};

static const struct {
    const char *name;
    haft__choice_mode mode;
    size_t messages, tools;
    bool transcript;
    const char *correction, *request;
} cases[] = {
    {"the first turn, auto", HAFT__MODE_AUTO, 2, 2, false, "",
     "{\"model\":\"m\"," TOOLS "\"messages\":[" SYSTEM "," TASK "],\"tool_choice\":\"auto\"}"},
    {"any", HAFT__MODE_ANY, 1, 2, false, "",
     "{\"model\":\"m\"," TOOLS "\"messages\":[" SYSTEM "],\"tool_choice\":\"required\"}"},
    {"a named tool, by its wire name", HAFT__MODE_TOOL, 1, 2, false, "",
     "{\"model\":\"m\"," TOOLS "\"messages\":[" SYSTEM "],\"tool_choice\":{\"type\":\"function\","
     "\"function\":{\"name\":\"docs_-_search\"}}}"},
    {"mode none, with calls and results", HAFT__MODE_NONE, 5, 2, false, "",
     "{\"model\":\"m\"," TOOLS "\"messages\":[" SYSTEM "," TASK "," CALLS "," RESULTS
     "],\"tool_choice\":\"none\"}"},
    {"a correction is the last message", HAFT__MODE_ANY, 2, 2, false, "Call a tool.",
     "{\"model\":\"m\"," TOOLS "\"messages\":[" SYSTEM "," TASK ",{\"role\":\"user\",\"content\":"
     "\"Call a tool.\"}],\"tool_choice\":\"required\"}"},
    {"no tools", HAFT__MODE_AUTO, 2, 0, false, "",
     "{\"model\":\"m\",\"messages\":[" SYSTEM "," TASK "]}"},
    {"the history of a planner", HAFT__MODE_AUTO, 5, 0, true, "",
     "{\"model\":\"m\",\"messages\":[" SYSTEM
     ",{\"role\":\"assistant\",\"content\":\"Let me see.\\n"
     "Calling tool: look with args: {\\\"q\\\":\\\"\xC3\xA4\\\"}\"},{\"role\":\"user\",\"content\":"
     "\"Tool result: a\\u0000b \xEF\xBF\xBD\"},{\"role\":\"assistant\",\"content\":\"Calling tool: "
     "docs_-_search with args: {broken\"},{\"role\":\"user\",\"content\":\"Tool result: Error: "
     "no\"}," TASK "]}"},
    {"the history of a planner, with a correction", HAFT__MODE_AUTO, 2, 0, true, "Again.",
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
    haft__provider_conversation *chat = NULL;
    haft_status status = haft__conversation_create(haft__provider_compatible(), &chat, NULL);
    if (status == HAFT_OK) {
        status = haft__conversation_write(chat, &request, &plain, buf, NULL);
    }
    haft__conversation_destroy(chat);
    return status;
}

TEST(requests_have_the_expected_bytes)
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
                CHECK(n > 0, "no allocation was made");
                break;
            }
        }
    }
}

TEST(a_request_begins_with_the_bytes_of_the_previous_one)
{
    haft__provider_conversation *chat = NULL;
    CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
              "create");
    haft__buf before, now;
    haft__buf_init(&before, 1 << 20);
    haft__buf_init(&now, 1 << 20);
    haft__messages messages = {.items = conversation};
    for (size_t count = 1; count <= COUNT(conversation); count++) {
        messages.count = count;
        haft__request request = request_of(0, &messages);
        haft__buf_clear(&now);
        CHECK_INT(haft__conversation_write(chat, &request, &plain, &now, NULL), HAFT_OK, "%zu",
                  count);
        haft_str end = HAFT__LIT("],\"tool_choice\":\"auto\"}"), last = haft__buf_str(&before);
        haft_str kept = {last.ptr, last.len > end.len ? last.len - end.len : 0};
        CHECK(haft__str_starts_with(haft__buf_str(&now), kept), "%zu: %.*s", count,
              HAFT__ARG(haft__buf_str(&now)));
        haft__buf_clear(&before);
        haft__buf_add_str(&before, haft__buf_str(&now));
        /* A correction applies to one request only; later requests do not contain it. */
        request.correction = HAFT__LIT("Again.");
        CHECK_INT(haft__conversation_write(chat, &request, &plain, &now, NULL), HAFT_OK, "%zu",
                  count);
    }
    haft__conversation_destroy(chat);
    haft__buf_finish(&before);
    haft__buf_finish(&now);
}

/* Writes a request that nothing reads. */
static haft_status sync(haft__provider_conversation *chat, const haft__request *request)
{
    haft__buf body;
    haft__buf_init(&body, 1 << 24);
    haft_status status = haft__conversation_write(chat, request, &plain, &body, NULL);
    haft__buf_finish(&body);
    return status;
}

/* Bytes made in n turns of one length: twice as many in twice the turns, and none of them twice. */
TEST(a_turn_costs_what_is_new)
{
    enum { TURNS = 1024 };
    haft__message *items = test_alloc(TURNS * 2 * sizeof(*items));
    haft__provider_conversation *chat = NULL;
    CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
              "create");
    haft__messages messages = {.items = items};
    size_t each = 0;
    for (size_t turn = 1; turn <= TURNS; turn++) {
        size_t before = chat->messages.len;
        items[messages.count++] = conversation[2];
        items[messages.count++] = conversation[3];
        haft__request request = request_of(0, &messages);
        CHECK_INT(sync(chat, &request), HAFT_OK, "%zu", turn);
        size_t made = chat->messages.len - before;
        each = turn == 2 ? made : each;
        CHECK(turn < 2 || made == each, "turn %zu made %zu bytes, an earlier one %zu", turn, made,
              each);
        CHECK_INT(chat->own.count, 2, "tools are made once");
    }
    haft__conversation_destroy(chat);
}

TEST(new_tools_are_appended)
{
    haft__provider_conversation *chat = NULL;
    CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
              "create");
    haft__messages messages = {.items = conversation, .count = 1};
    haft__request request = request_of(0, &messages);
    request.tool_count = 1;
    CHECK_INT(sync(chat, &request), HAFT_OK, "one");
    size_t one = chat->own.text.len;
    char *kept = test_alloc(one);
    memcpy(kept, chat->own.text.ptr, one);
    request.tool_count = 2;
    CHECK_INT(sync(chat, &request), HAFT_OK, "two");
    CHECK(chat->own.text.len > one, "nothing was added");
    CHECK_STR(((haft_str){chat->own.text.ptr, one}), ((haft_str){kept, one}), "the first stays");
    haft__conversation_destroy(chat);
}

/* The request is the same as in a chat that never had the tool, in text formats too. */
TEST(a_removed_tool_leaves_no_trace)
{
    static const char *const formats[] = {"native", "hermes"};
    haft__messages messages = {.items = conversation, .count = 2};
    for (size_t i = 0; i < COUNT(formats); i++) {
        haft__provider_conversation *chat = NULL, *fresh = NULL;
        haft__buf found, wanted;
        haft__buf_init(&found, 1 << 20);
        haft__buf_init(&wanted, 1 << 20);
        CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
                  "create");
        CHECK_INT(haft__conversation_create(haft__provider_compatible(), &fresh, NULL), HAFT_OK,
                  "create");
        haft__request request = request_of(0, &messages);
        request.format = haft__str(formats[i]);
        request.tool_count = 1;
        CHECK_INT(sync(chat, &request), HAFT_OK, "%s: before", formats[i]);
        request.tools++;
        CHECK_INT(haft__conversation_write(chat, &request, &plain, &found, NULL), HAFT_OK,
                  "%s: after", formats[i]);
        CHECK_INT(haft__conversation_write(fresh, &request, &plain, &wanted, NULL), HAFT_OK,
                  "%s: fresh", formats[i]);
        CHECK_STR(haft__buf_str(&found), haft__buf_str(&wanted), "%s", formats[i]);
        haft__conversation_destroy(chat);
        haft__conversation_destroy(fresh);
        haft__buf_finish(&found);
        haft__buf_finish(&wanted);
    }
}

static void check_shared(haft__provider_conversation *chat, haft__provider_conversation *alone,
                         haft__declared_tools *shared, const haft__request *request,
                         const char *what)
{
    haft__buf text, wanted;
    haft__buf_init(&text, 1 << 20);
    haft__buf_init(&wanted, 1 << 20);
    haft__provider_request_options options = {.shared_tools = shared};
    CHECK_INT(haft__conversation_write(chat, request, &options, &text, NULL), HAFT_OK, "%s", what);
    CHECK_INT(haft__conversation_write(alone, request, &plain, &wanted, NULL), HAFT_OK, "%s", what);
    CHECK_STR(haft__buf_str(&text), haft__buf_str(&wanted), "%s", what);
    haft__buf_finish(&text);
    haft__buf_finish(&wanted);
}

/* Chats that share tools write the same bytes as a chat that shares none. */
TEST(equal_tools_are_shared)
{
    haft__messages messages = {.items = conversation, .count = 1};
    haft__request request = request_of(0, &messages);
    const haft__tool *turned[] = {request.tools[1], request.tools[0]};
    const struct {
        const char *name;
        const haft__tool *const *tools;
        size_t count, shared;
    } rows[] = {
        {"one", request.tools, 1, 1},
        {"two", request.tools, 2, 2},
        {"the first tool again", request.tools, 1, 2},
        {"another order", turned, 2, 2},
        {"another", turned, 1, 2},
        {"none", turned, 0, 2},
    };
    haft__declared_tools shared;
    haft__declared_tools_init(&shared);
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__provider_conversation *chat = NULL, *alone = NULL;
        CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
                  "create");
        CHECK_INT(haft__conversation_create(haft__provider_compatible(), &alone, NULL), HAFT_OK,
                  "create");
        request.tools = rows[i].tools;
        request.tool_count = rows[i].count;
        check_shared(chat, alone, &shared, &request, rows[i].name);
        CHECK_INT(shared.count, rows[i].shared, "%s", rows[i].name);
        haft__conversation_destroy(chat);
        haft__conversation_destroy(alone);
    }
    haft__declared_tools_finish(&shared);
}

/* Tools of MCP servers belong to one run: another run may have other tools at the same place. */
TEST(tools_of_servers_are_not_shared)
{
    haft__messages messages = {.items = conversation, .count = 1};
    haft__request request = request_of(0, &messages);
    haft__tool served = *request.tools[1];
    const haft__tool *list[] = {request.tools[0], &served};
    haft__declared_tools shared;
    haft__declared_tools_init(&shared);
    served.source = HAFT__TOOL_MCP;
    request.tools = list;
    request.tool_count = 2;
    for (int i = 0; i < 2; i++) {
        haft__provider_conversation *chat = NULL, *alone = NULL;
        CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
                  "create");
        CHECK_INT(haft__conversation_create(haft__provider_compatible(), &alone, NULL), HAFT_OK,
                  "create");
        served.description = i == 0 ? HAFT__LIT("Does one thing.") : HAFT__LIT("Does another.");
        check_shared(chat, alone, &shared, &request, i == 0 ? "of one run" : "of the next");
        CHECK_INT(shared.count, 0, "nothing is shared");
        haft__conversation_destroy(chat);
        haft__conversation_destroy(alone);
    }
    haft__declared_tools_finish(&shared);
}

TEST(a_failed_allocation_shares_no_tool)
{
    haft__messages messages = {.items = conversation, .count = 1};
    haft__request request = request_of(0, &messages);
    haft__declared_tools shared;
    haft__declared_tools_init(&shared);
    for (unsigned n = 0;; n++) {
        haft__provider_conversation *chat = NULL;
        haft__provider_request_options options = {.shared_tools = &shared};
        haft__buf body;
        haft__buf_init(&body, 1 << 20);
        CHECK_INT(haft__conversation_create(haft__provider_compatible(), &chat, NULL), HAFT_OK,
                  "create");
        test_fail_allocation(n);
        haft_status status = haft__conversation_write(chat, &request, &options, &body, NULL);
        haft__buf_finish(&body);
        haft__conversation_destroy(chat);
        if (!test_allow_allocations()) {
            CHECK_INT(status, HAFT_OK, "after %u failures", n);
            break;
        }
        CHECK(status == HAFT_NO_MEMORY && (shared.count == 0 || shared.count == request.tool_count),
              "allocation %u", n);
    }
    haft__declared_tools_finish(&shared);
}

/* ---- differences between providers ---- */

/* As in a spec: "openai-chat", "llamacpp", ...; "" for an unknown provider. */
static const haft__provider *provider_named(const char *name)
{
    haft__model_spec model = {.provider = haft__str(name)};
    const haft__provider *provider = haft__provider_for_model(&model);
    return provider != NULL ? provider : haft__provider_compatible();
}

#define ONE(name) "{\"type\":\"function\",\"function\":{\"name\":\"" name "\"}}"
#define SUBSET(mode)                                                                               \
    "{\"type\":\"allowed_tools\",\"allowed_tools\":{\"mode\":\"" mode                              \
    "\",\"tools\":[" ONE("look") "]}}"

static const struct {
    const char *provider;
    haft__choice_mode mode;
    bool look, search; /* allowed */
    const char *choice;
} choices[] = {
    {"openai-chat", HAFT__MODE_AUTO, true, true, "\"auto\""},
    {"openai-chat", HAFT__MODE_AUTO, true, false, SUBSET("auto")},
    {"openai-chat", HAFT__MODE_AUTO, false, false, "\"none\""},
    {"openai-chat", HAFT__MODE_ANY, true, true, "\"required\""},
    {"openai-chat", HAFT__MODE_ANY, true, false, SUBSET("required")},
    {"openai-chat", HAFT__MODE_NONE, true, false, "\"none\""},
    {"openai-chat", HAFT__MODE_TOOL, false, true, ONE("docs_-_search")},
    {"mistral", HAFT__MODE_ANY, true, false, "\"any\""},
    {"mistral", HAFT__MODE_TOOL, false, true, ONE("docs_-_search")},
    {"vllm", HAFT__MODE_AUTO, true, false, "\"auto\""},
    {"vllm", HAFT__MODE_TOOL, false, true, ONE("docs_-_search")},
    {"llamacpp", HAFT__MODE_ANY, true, false, "\"required\""},
    {"llamacpp", HAFT__MODE_TOOL, false, true, "\"required\""},
    {"", HAFT__MODE_ANY, true, false, "\"required\""},
    {"", HAFT__MODE_AUTO, false, false, "\"none\""},
};

/* The request as a value. */
static haft__json write_for(haft__arena *arena, const haft__provider *provider,
                            const haft__request *request,
                            const haft__provider_request_options *options)
{
    haft__provider_conversation *chat = NULL;
    haft__buf bytes;
    haft_error err = {0};
    haft__json value = haft__json_null();
    CHECK_INT(haft__conversation_create(provider, &chat, NULL), HAFT_OK, "create");
    haft__buf_init(&bytes, 1 << 20);
    CHECK_INT(haft__conversation_write(chat, request, options, &bytes, &err), HAFT_OK, "%s",
              err.message);
    haft_str kept = haft__arena_copy(arena, haft__buf_str(&bytes));
    CHECK_INT(haft__json_read(arena, kept, NULL, &value, NULL, &err), HAFT_OK, "%.*s: %s",
              HAFT__ARG(kept), err.message);
    haft__conversation_destroy(chat);
    haft__buf_finish(&bytes);
    return value;
}

static void check_member(haft__json object, const char *key, const char *wanted, const char *what)
{
    const haft__json *value = haft__json_get(object, haft__str(key));
    haft__buf found;
    haft__buf_init(&found, 1 << 16);
    if (value != NULL) {
        haft__json_write(&found, *value);
    }
    CHECK_STR(haft__buf_str(&found), haft__str(wanted), "%s: %s", what, key);
    haft__buf_finish(&found);
}

static size_t count_tools(haft__json request)
{
    const haft__json *declared = haft__json_get(request, HAFT__LIT("tools"));
    return declared != NULL ? declared->count : 0;
}

TEST(allowed_tools_are_sent_in_the_providers_form)
{
    haft__messages messages = {.items = conversation, .count = 2};
    for (size_t i = 0; i < COUNT(choices); i++) {
        bool may[] = {choices[i].look, choices[i].search};
        haft__request request = request_of(0, &messages);
        haft__arena arena;
        haft__arena_init(&arena, 0);
        request.mode = choices[i].mode;
        request.allowed = may;
        const haft__provider *provider = provider_named(choices[i].provider);
        haft__json value = write_for(&arena, provider, &request, &plain);
        bool alone = request.mode == HAFT__MODE_TOOL && !provider->capabilities.named_choice;
        check_member(value, "tool_choice", choices[i].choice, provider->name);
        CHECK_INT(count_tools(value), alone ? 1 : 2, "%zu %s: tools", i, provider->name);
        haft__arena_finish(&arena);
    }
}

TEST(only_the_named_tool_is_sent_alone)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__messages messages = {.items = conversation, .count = 2};
    haft__request request = request_of(2, &messages);
    haft__json value = write_for(&arena, provider_named("llamacpp"), &request, &plain);
    check_member(value, "tools",
                 "[{\"type\":\"function\",\"function\":{\"name\":\"docs_-_search\","
                 "\"description\":\"Searches.\",\"parameters\":{\"type\":\"object\","
                 "\"properties\":{}}}}]",
                 "llamacpp");
    request.tool = HAFT__LIT("gone");
    value = write_for(&arena, provider_named("llamacpp"), &request, &plain);
    CHECK_INT(count_tools(value), 2, "an undeclared tool cannot be sent alone");
    haft__arena_finish(&arena);
}

/* ---- options ---- */

static const struct {
    const char *provider;
    bool stream, serial;
    const char *options, *rest; /* rest: the bytes after tool_choice */
} rests[] = {
    {"openai-chat", false, false, "null", ""},
    {"openai-chat", true, false, "{}",
     ",\"stream\":true,\"stream_options\":{\"include_usage\":true}"},
    {"mistral", true, false, "{}", ",\"stream\":true"},
    {"openai-chat", true, true, "{\"temperature\":0.20}",
     ",\"parallel_tool_calls\":false,\"stream\":true,\"stream_options\":{\"include_usage\":true},"
     "\"temperature\":0.20"},
    {"deepseek", false, true, "{}", ""},
    {"", false, true, "{}", ""},
    {"openai-chat", true, true, "{\"stream_options\":null,\"parallel_tool_calls\":null}",
     ",\"stream\":true"},
    {"openai-chat", true, true, "{\"stream_options\":{},\"parallel_tool_calls\":true}",
     ",\"stream\":true,\"stream_options\":{},\"parallel_tool_calls\":true"},
    {"openai-chat", false, false,
     "{\"model\":\"x\",\"messages\":[],\"tools\":[],\"tool_choice\":\"none\",\"stream\":true,"
     "\"seed\":7}",
     ",\"seed\":7"},
    {"openai-chat", false, false, "{\"max_tokens\":5}", ",\"max_completion_tokens\":5"},
    {"mistral", false, false, "{\"max_completion_tokens\":5}", ",\"max_tokens\":5"},
    {"mistral", false, false, "{\"seed\":5,\"user\":\"u\",\"logit_bias\":{}}",
     ",\"random_seed\":5"},
    {"", false, false, "{\"max_completion_tokens\":5}", ",\"max_completion_tokens\":5"},
    {"", false, false, "{\"max_tokens\":5}", ",\"max_tokens\":5"},
    {"openai-chat", false, false, "{\"max_tokens\":5,\"max_completion_tokens\":6}",
     ",\"max_completion_tokens\":6"},
    {"openai-chat", false, false, "[1]", ""},
};

TEST(options_come_last_and_override_no_member_of_haft)
{
    haft__messages messages = {.items = conversation, .count = 1};
    haft__request request = request_of(0, &messages);
    static const bool both[] = {true, true};
    request.allowed = both;
    for (size_t i = 0; i < COUNT(rests); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__json options;
        CHECK_INT(haft__json_read(&arena, haft__str(rests[i].options), NULL, &options, NULL, NULL),
                  HAFT_OK, "%s", rests[i].options);
        haft__provider_conversation *chat = NULL;
        haft__buf bytes;
        CHECK_INT(haft__conversation_create(provider_named(rests[i].provider), &chat, NULL),
                  HAFT_OK, "create");
        haft__buf_init(&bytes, 1 << 20);
        haft__provider_request_options chosen = {
            .stream = rests[i].stream, .serial = rests[i].serial, .options = options};
        CHECK_INT(haft__conversation_write(chat, &request, &chosen, &bytes, NULL), HAFT_OK, "%zu",
                  i);
        char wanted[2048];
        (void)snprintf(wanted, sizeof(wanted),
                       "{\"model\":\"m\"," TOOLS "\"messages\":[" SYSTEM
                       "],\"tool_choice\":\"auto\"%s}",
                       rests[i].rest);
        CHECK_STR(haft__buf_str(&bytes), haft__str(wanted), "%s, %s", rests[i].provider,
                  rests[i].options);
        haft__conversation_destroy(chat);
        haft__buf_finish(&bytes);
        haft__arena_finish(&arena);
    }
}

/* Some models of OpenAI answer 400 to tools unless reasoning is off. */
TEST(tools_are_sent_without_reasoning_to_models_that_require_it)
{
    static const struct {
        const char *name, *provider, *model, *options, *effort; /* effort: "" for no member */
        size_t tools;
    } efforts[] = {
        {"a model that requires it", "openai-chat", "gpt-5.6", "null", "\"none\"", 2},
        {"without tools", "openai-chat", "gpt-5.6", "null", "", 0},
        {"the spec has an effort", "openai-chat", "gpt-5.6", "{\"reasoning_effort\":\"low\"}",
         "\"low\"", 2},
        {"an older model", "openai-chat", "gpt-5.1", "null", "", 2},
        {"a model without reasoning", "openai-chat", "gpt-4o-mini", "null", "", 2},
        {"another server", "", "gpt-5.6", "null", "", 2},
    };
    for (size_t i = 0; i < COUNT(efforts); i++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        haft__provider_request_options options = {.stream = false};
        haft__messages messages = {.items = conversation, .count = 1};
        haft__request request = request_of(0, &messages);
        request.model = haft__str(efforts[i].model);
        request.tool_count = efforts[i].tools;
        CHECK_INT(haft__json_read(&arena, haft__str(efforts[i].options), NULL, &options.options,
                                  NULL, NULL),
                  HAFT_OK, "%s", efforts[i].name);
        haft__json value =
            write_for(&arena, provider_named(efforts[i].provider), &request, &options);
        check_member(value, "reasoning_effort", efforts[i].effort, efforts[i].name);
        haft__arena_finish(&arena);
    }
}

/* For every provider and every change between turns, the messages of the previous request stay at
 * the same bytes. */
TEST(parts_that_change_per_turn_follow_the_messages)
{
    static const char *const names[] = {"openai-chat", "mistral", "deepseek", "vllm", ""};
    static const haft__choice_mode modes[] = {HAFT__MODE_ANY, HAFT__MODE_TOOL, HAFT__MODE_AUTO,
                                              HAFT__MODE_NONE};
    for (size_t p = 0; p < COUNT(names); p++) {
        haft__provider_conversation *chat = NULL;
        haft__buf before, now;
        CHECK_INT(haft__conversation_create(provider_named(names[p]), &chat, NULL), HAFT_OK,
                  "create");
        haft__buf_init(&before, 1 << 20);
        haft__buf_init(&now, 1 << 20);
        haft__messages messages = {.items = conversation};
        for (size_t turn = 1; turn <= COUNT(conversation); turn++) {
            messages.count = turn;
            haft__request request = request_of(0, &messages);
            bool may[] = {turn % 2 == 0, true};
            haft__provider_request_options options = {.stream = turn % 3 == 0,
                                                      .serial = turn % 2 == 0};
            request.mode = modes[turn % COUNT(modes)];
            request.allowed = may;
            request.correction = turn % 2 == 1 ? HAFT__LIT("Again.") : HAFT__LIT("");
            haft__buf_clear(&now);
            CHECK_INT(haft__conversation_write(chat, &request, &options, &now, NULL), HAFT_OK,
                      "%zu", turn);
            CHECK(haft__str_starts_with(haft__buf_str(&now), haft__buf_str(&before)),
                  "%s, turn %zu", names[p], turn);
            /* Model, tools, and the kept messages: everything except the parts for this turn only.
             */
            haft__buf_clear(&before);
            haft__buf_addf(&before, "{\"model\":\"m\",\"tools\":[%.*s],\"messages\":[%.*s",
                           HAFT__ARG(haft__buf_str(&chat->own.text)),
                           HAFT__ARG(haft__buf_str(&chat->messages)));
            CHECK(haft__str_starts_with(haft__buf_str(&now), haft__buf_str(&before)),
                  "%s, turn %zu", names[p], turn);
        }
        haft__conversation_destroy(chat);
        haft__buf_finish(&before);
        haft__buf_finish(&now);
    }
}
